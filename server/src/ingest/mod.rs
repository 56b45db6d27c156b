//! From the bytes of an upload to rows: inflate, parse, check, reduce to numbers, place the commits, store.
//!
//! Everything up to storing is work for the processor, so it is done off the asynchronous threads; storing is one
//! transaction. Nothing is written before everything has been checked.

mod import;
mod inflate;
mod integer;
pub(crate) mod kept;
mod ordering;
mod parse;
mod reduce;
mod store;

use crate::extract::ReportBody;
use crate::routes::ingest::UploadReceipt;
use crate::{AppState, db, error::ApiError};
use roundtrip_wire::{RunId, RunReport};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// How long an upload waits for its turn before the agent is asked to come back.
const TURN_WAIT_MAX: Duration = Duration::from_secs(20);
/// Uploads are written once and read seldom, but a run takes minutes: the default level is fast enough.
const KEPT_LEVEL: i32 = zstd::DEFAULT_COMPRESSION_LEVEL;

/// A report that has been checked, with the numbers that are stored of it.
#[derive(Debug)]
struct Upload {
    report: RunReport,
    /// Of the body as it was before compression.
    body_sha256: [u8; 32],
    /// The body, compressed again for keeping.
    body_zstd: Vec<u8>,
    /// One entry for each result of the report.
    numbers: Vec<Option<db::point::Numbers>>,
    /// The file that it was imported from, if it was.
    original: Option<db::original::Original>,
}

/// Whether an upload was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It is stored now.
    Now,
    /// The same body was stored before.
    Before,
}

/// Takes an upload in. When it returns, the run is on disk.
pub(crate) async fn receive(
    state: &AppState,
    run_id: RunId,
    body: ReportBody,
) -> Result<(Stored, UploadReceipt), ApiError> {
    take_in(state, move || prepare(run_id, &body)).await
}

/// Takes a file of another tool in, with the run that its results make.
pub(crate) async fn import(state: &AppState, body: ReportBody) -> Result<(Stored, UploadReceipt), ApiError> {
    take_in(state, move || import::prepare(&body)).await
}

async fn take_in(
    state: &AppState,
    prepare: impl FnOnce() -> Result<Upload, ApiError> + Send + 'static,
) -> Result<(Stored, UploadReceipt), ApiError> {
    let turn = tokio::time::timeout(TURN_WAIT_MAX, state.ingest_permits.acquire());
    let permit = turn.await.map_err(ApiError::unavailable)?.map_err(ApiError::internal)?;
    let prepared = tokio::task::spawn_blocking(prepare).await;
    drop(permit);
    store::store(&state.pool, &prepared.map_err(ApiError::internal)??).await
}

fn prepare(run_id: RunId, body: &ReportBody) -> Result<Upload, ApiError> {
    let bytes = inflate::inflate(&body.bytes, body.encoding)?;
    let report = parse::parse(&bytes)?;
    if report.run_id != run_id {
        return Err(ApiError::InvalidReport {
            pointer: Some("/run_id".into()),
            detail: format!("run_id is {}: expected that of the path, {run_id}", report.run_id),
        });
    }
    integer::check(&report)?;
    let numbers = reduce::reduce(&report)?;
    let body_zstd = zstd::encode_all(bytes.as_slice(), KEPT_LEVEL).map_err(ApiError::internal)?;
    Ok(Upload { report, body_sha256: Sha256::digest(&bytes).into(), body_zstd, numbers, original: None })
}
