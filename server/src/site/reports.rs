//! Reports in files: from a folder, or from a branch or other revision of a Git repository.

use crate::AppState;
use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use roundtrip_domain::access::Caller;
use roundtrip_domain::ingest::bodies::Sender;
use roundtrip_domain::ingest::{Encoding, Stored, UploadBody, UploadOptions};
use roundtrip_storage::access::Visibility;
use roundtrip_wire::{RunId, Slug};
use serde::Deserialize;
use std::io::{self, Read as _};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// File names of reports: as `roundtrip run` and `roundtrip import` write them, or compressed.
const ENDINGS: [&str; 3] = [".json", ".json.gz", ".json.zst"];
/// The first bytes of compressed files (RFC 1952, RFC 8878).
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// A report in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Where it is.
    pub path: PathBuf,
    /// The run, whose id begins with its time.
    pub run_id: RunId,
    /// The project.
    pub project: Slug,
}

/// The part of a report that is needed before it is stored.
#[derive(Deserialize)]
struct Head {
    run_id: RunId,
    project: Slug,
}

/// Finds all reports in a folder and its subfolders, oldest run first.
///
/// # Errors
/// A file cannot be read or is not a report, or there are none.
pub fn find(folder: &Path) -> Result<Vec<ReportFile>> {
    let mut paths = Vec::new();
    list(folder, &mut paths)?;
    let mut files = paths.into_iter().map(read_head).collect::<Result<Vec<_>>>()?;
    if files.is_empty() {
        bail!("{} has no reports: expected files that end in {}", folder.display(), ENDINGS.join(", "));
    }
    files.sort_by(|one, other| (one.run_id.as_uuid(), &one.path).cmp(&(other.run_id.as_uuid(), &other.path)));
    Ok(files)
}

/// Copies the files of a branch, tag or commit into a folder.
///
/// # Errors
/// Git is missing, or the repository or the revision does not exist.
pub fn check_out(repository: &Path, revision: &str, folder: &Path) -> Result<()> {
    let mut git = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["archive", "--format=tar", "--end-of-options", revision])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run git: install it, or pass a folder of reports")?;
    let unpacked = git.stdout.take().map_or(Ok(()), |mut output| {
        tar::Archive::new(&mut output).unpack(folder)?;
        // An archive ends with padding. Git fails if that is not read.
        io::copy(&mut output, &mut io::sink()).map(drop)
    });
    let status = git.wait().context("cannot wait for git")?;
    if unpacked.is_ok() && !status.success() {
        // Git has printed the reason.
        bail!("git cannot read {revision} of {}", repository.display());
    }
    unpacked.with_context(|| format!("cannot copy the files of {revision}"))
}

/// Stores a report. A repeated one has no effect. A new project is public.
///
/// # Errors
/// It is invalid, its run was stored with other results, or the database does not answer.
pub async fn store(state: &AppState, file: &ReportFile) -> Result<Stored> {
    let shown = file.path.display();
    let bytes = std::fs::read(&file.path).with_context(|| format!("cannot read {shown}"))?;
    let sender = Sender { address: IpAddr::V4(Ipv4Addr::LOCALHOST), token_id: None };
    let encoding = encoding(&bytes);
    let body = UploadBody { bytes, encoding, arriving: state.bodies.begin(sender) };
    let visibility_of_new = Visibility::Public;
    let options = UploadOptions { acknowledged: None, quarantined: false, visibility_of_new };
    let stored = state.ingest.upload(&Caller::command_line(), file.run_id, body, options).await;
    stored.map(|(stored, _)| stored).with_context(|| format!("cannot store {shown}"))
}

fn read_head(path: PathBuf) -> Result<ReportFile> {
    let head = || -> Result<Head> {
        let bytes = std::fs::read(&path)?;
        let json = match encoding(&bytes) {
            Encoding::Identity => bytes,
            Encoding::Zstd => zstd::decode_all(bytes.as_slice())?,
            Encoding::Gzip => {
                let mut json = Vec::new();
                MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut json)?;
                json
            }
        };
        Ok(serde_json::from_slice(&json)?)
    };
    let Head { run_id, project } = head().with_context(|| {
        format!(
            "{} is not a report: expected a file from `roundtrip run`, `ab` or `import` with `--output`",
            path.display()
        )
    })?;
    Ok(ReportFile { path, run_id, project })
}

fn encoding(bytes: &[u8]) -> Encoding {
    match bytes {
        _ if bytes.starts_with(GZIP) => Encoding::Gzip,
        _ if bytes.starts_with(ZSTD) => Encoding::Zstd,
        _ => Encoding::Identity,
    }
}

/// The files with a report's ending. Hidden folders, such as `.git`, are left out.
fn list(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let shown = folder.display();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read the folder {shown}"))? {
        let entry = entry.with_context(|| format!("cannot read the folder {shown}"))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            list(&path, found)?;
        } else if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    Ok(())
}
