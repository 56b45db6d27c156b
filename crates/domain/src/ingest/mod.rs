//! From the bytes of an upload to rows: inflate, parse, check, reduce, place the commits, store.
//!
//! Everything up to storing is CPU-bound and runs on blocking threads; storing is one transaction. All checks
//! come before the first write.

pub mod admission;
mod ids;
mod import;
mod inflate;
mod integer;
mod ordering;
mod parse;
mod reduce;
mod store;
pub mod stored_upload;

use crate::access::Caller;
use crate::error::DomainError;
use admission::{Admission, Admitted};
use ids::Ids;
use roundtrip_storage as db;
use roundtrip_storage::access::Visibility;
use roundtrip_wire::{Acknowledged, RunId, RunReport};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use std::sync::Arc;
use tracing::Instrument as _;
use utoipa::ToSchema;
use uuid::Uuid;

/// Uploads are written once and read seldom, but a run takes minutes, so the default level is fast enough.
const KEPT_LEVEL: i32 = zstd::DEFAULT_COMPRESSION_LEVEL;

/// A checked report with the numbers to store.
#[derive(Debug)]
struct Upload {
    report: RunReport,
    body_sha256: [u8; 32],
    /// The body, compressed for storage.
    body_zstd: Vec<u8>,
    /// One entry for each result of the report.
    numbers: Vec<Option<db::point::Numbers>>,
    original: Option<db::original::Original>,
    /// Whether the upload is quarantined.
    quarantined: bool,
}

impl Upload {
    /// Removes everything that would move other commits, because the upload is untrusted.
    fn quarantine(&mut self) {
        self.quarantined = true;
        self.report.history.clear();
        self.report.commit.first_parent_ordinal = None;
        self.report.default_branch = None;
    }
}

/// Whether an upload was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is stored now.
    Created,
    /// The same body was stored before.
    AlreadyExists,
}

/// What the server stored. A repeated upload gets the same receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UploadReceipt {
    /// The run.
    pub run_id: Uuid,
    /// SHA-256 of the uncompressed body, in hexadecimal.
    pub body_sha256: String,
    /// Cases in the upload.
    pub result_count: i32,
    /// Results with points.
    pub point_count: i32,
}

/// How the bytes of an upload are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// They are not.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

/// The body of an upload, not yet inflated.
#[derive(Debug)]
pub struct UploadBody {
    /// As they were sent.
    pub bytes: Vec<u8>,
    /// How they are compressed.
    pub encoding: Encoding,
    /// Their share of the memory: part of the body, so that it is given back with it.
    pub admitted: Admitted,
}

/// The parameters of an upload, besides its body.
#[derive(Clone, Copy, Debug)]
pub struct UploadOptions {
    /// The agent's count of acknowledged reports.
    pub acknowledged: Option<Acknowledged>,
    /// Whether the upload is quarantined. This cannot be changed later.
    pub quarantined: bool,
    /// The visibility of the project, if this upload creates it.
    pub visibility_of_new: Visibility,
}

/// Stores uploads; cheap to clone.
#[derive(Clone, Debug)]
pub struct Ingest {
    pool: PgPool,
    admission: Admission,
    /// Cached keys of shared rows.
    ids: Arc<Ids>,
}

impl Ingest {
    /// An ingest for a database.
    pub fn new(pool: PgPool) -> Self {
        Self { pool, admission: Admission::default(), ids: Arc::default() }
    }

    /// The limits of concurrent uploads.
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// Stores a run. It is on disk when this returns.
    ///
    /// # Errors
    /// The uploader lacks a permission, or the body is invalid.
    pub async fn upload(
        &self,
        uploader: &Caller,
        run_id: RunId,
        body: UploadBody,
        options: UploadOptions,
    ) -> Result<(Stored, UploadReceipt), DomainError> {
        self.ingest(uploader, options, move || prepare(run_id, body)).await
    }

    /// Stores another tool's file, and the run of its results.
    ///
    /// # Errors
    /// As for an upload.
    pub async fn import(
        &self,
        uploader: &Caller,
        body: UploadBody,
        options: UploadOptions,
    ) -> Result<(Stored, UploadReceipt), DomainError> {
        self.ingest(uploader, options, move || import::prepare(&body)).await
    }

    async fn ingest(
        &self,
        uploader: &Caller,
        options: UploadOptions,
        prepare: impl FnOnce() -> Result<Upload, DomainError> + Send + 'static,
    ) -> Result<(Stored, UploadReceipt), DomainError> {
        let turn = self.admission.turn().await?;
        let prepared = tokio::task::spawn_blocking(prepare).await;
        drop(turn);
        let mut upload = prepared.map_err(DomainError::internal)??;
        if options.quarantined {
            upload.quarantine();
        }
        // The project and machine are only known from the report.
        uploader.check_upload(upload.report.project.as_str(), upload.report.machine.slug.as_str())?;
        // Runs in its own task. If a client's disconnect dropped it during a `copy`, sqlx would read the rest
        // of that response as the response to the connection's next statement.
        let ingest = self.clone();
        let storing = async move { store::store(&ingest, &upload, options).await };
        tokio::spawn(storing.in_current_span()).await.map_err(DomainError::internal)?
    }
}

fn prepare(run_id: RunId, body: UploadBody) -> Result<Upload, DomainError> {
    let bytes = inflate::inflate(&body.bytes, body.encoding)?;
    let report = parse::parse(&bytes)?;
    if report.run_id != run_id {
        return Err(DomainError::InvalidReport {
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
            zstd::encode_all(bytes.as_slice(), KEPT_LEVEL).map_err(DomainError::internal)?
        }
    };
    Ok(Upload { report, body_sha256, body_zstd, numbers, original: None, quarantined: false })
}
