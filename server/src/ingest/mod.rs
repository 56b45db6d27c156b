//! From the bytes of an upload to rows: inflate, parse, check, reduce to numbers, place the commits, store.
//!
//! Everything up to storing is work for the processor, so it is done off the asynchronous threads; storing is one
//! transaction. Nothing is written before everything has been checked.

pub(crate) mod admission;
pub(crate) mod ids;
mod import;
mod inflate;
mod integer;
pub(crate) mod kept;
mod ordering;
mod parse;
mod reduce;
mod store;

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Encoding, ReportBody};
use crate::routes::ingest::UploadReceipt;
use roundtrip_storage as db;
use roundtrip_wire::{Acknowledged, RunId, RunReport};
use sha2::{Digest, Sha256};

/// Uploads are written once and read seldom, but a run takes minutes: the default level is fast enough.
const KEPT_LEVEL: i32 = zstd::DEFAULT_COMPRESSION_LEVEL;

/// A report that has been checked, with the numbers that are stored of it.
#[derive(Debug)]
struct Upload {
    report: RunReport,
    /// Of the body as it was before compression.
    body_sha256: [u8; 32],
    /// The body, compressed for keeping.
    body_zstd: Vec<u8>,
    /// One entry for each result of the report.
    numbers: Vec<Option<db::point::Numbers>>,
    /// The file that it was imported from, if it was.
    original: Option<db::original::Original>,
    /// Whether whoever uploads it does not vouch for it.
    quarantined: bool,
}

impl Upload {
    /// Believes nothing of it that would change where others stand: it was measured by strangers.
    fn quarantine(&mut self) {
        self.quarantined = true;
        self.report.history.clear();
        self.report.commit.first_parent_ordinal = None;
        self.report.default_branch = None;
    }
}

/// Whether an upload was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It is stored now.
    Now,
    /// The same body was stored before.
    Before,
}

/// What is said of an upload beside its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    /// What its agent says of the acknowledgements that it has.
    pub(crate) acknowledged: Option<Acknowledged>,
    /// Whether whoever uploads it does not vouch for it. Nobody can say the contrary of another's.
    pub(crate) quarantined: bool,
}

/// Takes an upload in. When it returns, the run is on disk.
pub(crate) async fn receive(
    state: &AppState,
    uploader: &Caller,
    run_id: RunId,
    body: ReportBody,
    said: Said,
) -> Result<(Stored, UploadReceipt), ApiError> {
    take_in(state, uploader, said, move || prepare(run_id, body)).await
}

/// Takes a file of another tool in, with the run that its results make.
pub(crate) async fn import(
    state: &AppState,
    uploader: &Caller,
    body: ReportBody,
    said: Said,
) -> Result<(Stored, UploadReceipt), ApiError> {
    take_in(state, uploader, said, move || import::prepare(&body)).await
}

async fn take_in(
    state: &AppState,
    uploader: &Caller,
    said: Said,
    prepare: impl FnOnce() -> Result<Upload, ApiError> + Send + 'static,
) -> Result<(Stored, UploadReceipt), ApiError> {
    let turn = state.admission.turn().await?;
    let prepared = tokio::task::spawn_blocking(prepare).await;
    drop(turn);
    let mut upload = prepared.map_err(ApiError::internal)??;
    if said.quarantined {
        upload.quarantine();
    }
    // Only the report says of which project and machine it is.
    uploader.check_upload(upload.report.project.as_str(), upload.report.machine.slug.as_str())?;
    let stored = store::store(state, &upload, said.acknowledged).await?;
    if let (Stored::Now, receipt) = &stored {
        state.metrics.stored(receipt.result_count, receipt.point_count);
    }
    Ok(stored)
}

fn prepare(run_id: RunId, body: ReportBody) -> Result<Upload, ApiError> {
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
    let body_sha256 = Sha256::digest(&bytes).into();
    let body_zstd = match body.encoding {
        Encoding::Zstd => body.bytes,
        Encoding::Gzip | Encoding::Identity => {
            zstd::encode_all(bytes.as_slice(), KEPT_LEVEL).map_err(ApiError::internal)?
        }
    };
    Ok(Upload { report, body_sha256, body_zstd, numbers, original: None, quarantined: false })
}
