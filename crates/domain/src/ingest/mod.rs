//! From the bytes of an upload to rows: inflate, parse, check, reduce to numbers, place the commits, store.
//!
//! Everything up to storing is work for the processor, so it is done off the asynchronous threads; storing is one
//! transaction. Nothing is written before everything has been checked.

pub mod admission;
mod ids;
mod import;
mod inflate;
mod integer;
pub mod kept;
mod ordering;
mod parse;
mod reduce;
mod store;

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

/// Uploads are written once and read seldom, but a run takes minutes: the default level is fast enough.
const KEPT_LEVEL: i32 = zstd::DEFAULT_COMPRESSION_LEVEL;

/// A report that has been checked, with the numbers that are stored of it.
#[derive(Debug)]
struct Upload {
    report: RunReport,
    body_sha256: [u8; 32],
    /// The body, compressed for keeping.
    body_zstd: Vec<u8>,
    /// One entry for each result of the report.
    numbers: Vec<Option<db::point::Numbers>>,
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
pub enum Stored {
    /// It is stored now.
    Created,
    /// The same body was stored before.
    AlreadyExists,
}

/// What the server stored. The same upload again has the same receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UploadReceipt {
    /// Of which run.
    pub run_id: Uuid,
    /// SHA-256 of the body as it was before compression, in hexadecimal.
    pub body_sha256: String,
    /// Cases in the upload.
    pub result_count: i32,
    /// Cases with numbers.
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

/// What comes with an upload besides its body.
#[derive(Clone, Copy, Debug)]
pub struct UploadOptions {
    /// What its agent says of the acknowledgements that it has.
    pub acknowledged: Option<Acknowledged>,
    /// Whether whoever uploads it does not vouch for it. Nobody can say the contrary of another's.
    pub quarantined: bool,
    /// Who may read the project, if this upload is its first.
    pub visibility_of_new: Visibility,
}

/// Takes uploads in; cheap to clone.
#[derive(Clone, Debug)]
pub struct Ingest {
    pool: PgPool,
    admission: Admission,
    /// Keys of rows that uploads share.
    ids: Arc<Ids>,
}

impl Ingest {
    /// Over a database.
    pub fn new(pool: PgPool) -> Self {
        Self { pool, admission: Admission::default(), ids: Arc::default() }
    }

    /// How many uploads are let in at a time.
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// Stores a run. When this returns, it is on disk.
    ///
    /// # Errors
    /// The uploader may not do this, or the body is wrong.
    pub async fn upload(
        &self,
        uploader: &Caller,
        run_id: RunId,
        body: UploadBody,
        options: UploadOptions,
    ) -> Result<(Stored, UploadReceipt), DomainError> {
        self.ingest(uploader, options, move || prepare(run_id, body)).await
    }

    /// Stores a file of another tool, with the run that its results make.
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
        // Only the report says of which project and machine it is.
        uploader.check_upload(upload.report.project.as_str(), upload.report.machine.slug.as_str())?;
        // In a task of its own: were it dropped within a `copy` because the client hung up, sqlx would take the rest of the
        // answer to that for the answer to the connection's next statement.
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
