//! From the bytes of an upload to rows: inflate, parse, check, reduce, place the commits, store.
//!
//! Everything up to storing is CPU-bound and runs on blocking threads; storing is one transaction. All checks
//! come before the first write.

pub mod bodies;
pub mod download;
mod ids;
mod import;
mod inflate;
mod integer;
pub mod memory;
mod ordering;
mod parse;
mod reduce;
mod store;
pub mod stored_upload;

use crate::access::Caller;
use crate::error::DomainError;
use bodies::Arriving;
use ids::Ids;
use inflate::{Inflated, Sent};
use memory::{Memory, Reserved};
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

/// The least memory to begin an upload with: enough for most.
const FIRST_BYTES: usize = 4 * 1024 * 1024;
/// Memory to begin with for each byte as sent.
const FIRST_BYTES_PER_BYTE: usize = 40;
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
    /// The bytes as sent.
    pub bytes: Vec<u8>,
    /// How they are compressed.
    pub encoding: Encoding,
    /// The memory of these bytes.
    pub arriving: Arriving,
}

/// The contents of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// A report of this run.
    Report(RunId),
    /// Another tool's file.
    Import,
}

impl Content {
    /// The memory that it takes until it is stored, relative to its JSON and values.
    fn memory_factor(self) -> usize {
        match self {
            // A large report is also in the statement that stores it, and in the buffer that sends the statement.
            Self::Report(_) => 2,
            Self::Import => 4,
        }
    }
}

/// The result of parsing an upload with limited memory.
#[derive(Debug)]
enum Attempt {
    Prepared(Box<Upload>, Reserved),
    /// More memory is needed: this many bytes.
    Needs(Sent, usize),
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
    memory: Memory,
    /// Cached keys of shared rows.
    ids: Arc<Ids>,
}

impl Ingest {
    /// An ingest for a database.
    pub fn new(pool: PgPool, memory: Memory) -> Self {
        Self { pool, memory, ids: Arc::default() }
    }

    /// The memory of concurrent uploads.
    pub fn memory(&self) -> &Memory {
        &self.memory
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
        self.ingest(uploader, Content::Report(run_id), body, options).await
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
        self.ingest(uploader, Content::Import, body, options).await
    }

    async fn ingest(
        &self,
        uploader: &Caller,
        content: Content,
        body: UploadBody,
        options: UploadOptions,
    ) -> Result<(Stored, UploadReceipt), DomainError> {
        let (mut upload, reserved) = self.prepare(content, body).await?;
        if options.quarantined {
            upload.quarantine();
        }
        // The project and machine are only known from the report.
        let (project, machine) = (upload.report.project.as_str(), upload.report.machine.slug.as_str());
        uploader.check_upload(project, machine, upload.quarantined)?;
        // Runs in its own task. If a client's disconnect dropped it during a `copy`, sqlx would read the rest
        // of that response as the response to the connection's next statement.
        let ingest = self.clone();
        let storing = async move {
            let stored = store::store(&ingest, &upload, options).await;
            drop((upload, reserved));
            stored
        };
        tokio::spawn(storing.in_current_span()).await.map_err(DomainError::internal)?
    }

    /// Inflates and parses a body. Its memory is only known afterwards: most need no more than they begin with.
    async fn prepare(
        &self,
        content: Content,
        body: UploadBody,
    ) -> Result<(Box<Upload>, Reserved), DomainError> {
        let UploadBody { bytes, encoding, mut arriving } = body;
        let (sender, deadline) = (arriving.sender(), Memory::deadline());
        let mut needed = FIRST_BYTES + FIRST_BYTES_PER_BYTE * bytes.len();
        let mut sent = Sent { bytes, encoding };
        loop {
            let ready = async {
                let reserved = self.memory.reserve(sender, needed, deadline).await?;
                Ok::<_, DomainError>((reserved, self.memory.turn(deadline).await?))
            };
            let (reserved, turn) = tokio::select! {
                ready = ready => ready?,
                () = arriving.evicted() => return Err(DomainError::Busy),
            };
            let whole = self.memory.parsed_bytes_max();
            let attempt = tokio::task::spawn_blocking(move || attempt(content, sent, reserved, whole)).await;
            drop(turn);
            match attempt.map_err(DomainError::internal)?? {
                Attempt::Prepared(upload, reserved) => return Ok((upload, reserved)),
                Attempt::Needs(again, bytes) => (sent, needed) = (again, bytes),
            }
        }
    }
}

fn attempt(
    content: Content,
    sent: Sent,
    reserved: Reserved,
    bytes_max: usize,
) -> Result<Attempt, DomainError> {
    let factor = content.memory_factor();
    // The largest bodies are read alone. A file's results are not known from its size.
    let memory_bytes = match content {
        _ if reserved.bytes() < bytes_max => reserved.bytes() / factor,
        Content::Report(_) => bytes_max,
        Content::Import => usize::MAX,
    };
    let bytes = match inflate::inflate(&sent, memory_bytes)? {
        Inflated::Whole(bytes) => bytes,
        Inflated::Needs(needed) if needed > bytes_max => {
            let state = "of memory when parsed: send fewer results, or pass `serve` a larger --upload-memory";
            return Err(DomainError::BodyTooLarge { max_bytes: bytes_max, state });
        }
        Inflated::Needs(needed) => return Ok(Attempt::Needs(sent, bytes_max.min(needed * factor))),
    };
    let upload = match content {
        Content::Report(run_id) => prepare(run_id, &bytes, sent)?,
        Content::Import => import::prepare(&bytes)?,
    };
    Ok(Attempt::Prepared(Box::new(upload), reserved))
}

fn prepare(run_id: RunId, bytes: &[u8], sent: Sent) -> Result<Upload, DomainError> {
    let report = parse::parse(bytes)?;
    if report.run_id != run_id {
        return Err(DomainError::InvalidReport {
            pointer: Some("/run_id".into()),
            detail: format!("run_id is {}: expected that of the path, {run_id}", report.run_id),
        });
    }
    integer::check(&report)?;
    let numbers = reduce::reduce(&report)?;
    let body_sha256 = Sha256::digest(bytes).into();
    let body_zstd = match sent.encoding {
        Encoding::Zstd => sent.bytes,
        Encoding::Gzip | Encoding::Identity => {
            zstd::encode_all(bytes, KEPT_LEVEL).map_err(DomainError::internal)?
        }
    };
    Ok(Upload { report, body_sha256, body_zstd, numbers, original: None, quarantined: false })
}
