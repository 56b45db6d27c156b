//! What the server carries: a manifest, its signature by minisign, and programs that the manifest names with their digests.

use crate::lab::server::Server;
use crate::platform;
use minisign_verify::{PublicKey, Signature};
use semver::Version;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What this program was built for, as the manifest calls it.
const TARGET: &str = env!("ROUNDTRIP_TARGET");
const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.json.minisig";
/// Of a manifest and of its signature.
const TEXT_BYTES_MAX: u64 = 64 * 1024;
const TEXT_TIMEOUT: Duration = Duration::from_secs(30);
/// A large program over a slow line.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(30 * 60);
const PROGRAM_MODE: u32 = 0o755;
/// How long a new program may take to say that it could work.
const PREFLIGHT_TIMEOUT: Duration = Duration::from_secs(60);
const PREFLIGHT_INTERVAL: Duration = Duration::from_millis(20);

/// What there is, signed as a whole.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Manifest {
    pub(super) version: Version,
    /// By the target that each was built for.
    programs: BTreeMap<String, Program>,
}

#[derive(Clone, Debug, Deserialize)]
struct Program {
    file: String,
    length_bytes: u64,
    /// In hexadecimal digits.
    sha256: String,
}

/// Why nothing is replaced.
#[derive(Debug)]
pub(super) struct Unfit {
    pub(super) said: String,
    /// The version whose fault it is, if it is one's.
    pub(super) version: Option<Version>,
}

impl Unfit {
    /// That is no version's fault.
    pub(super) fn of(said: &str) -> Self {
        Self { said: said.to_owned(), version: None }
    }
}

/// What the server carries, if it is signed; none if it carries nothing.
pub(super) fn manifest(server: &Server, key: &PublicKey) -> Result<Option<Manifest>, Unfit> {
    let Some(manifest) = text(server, MANIFEST)? else { return Ok(None) };
    let signature = text(server, SIGNATURE)?
        .ok_or_else(|| Unfit::of("the server has a manifest of programs without a signature"))?;
    signed(key, &manifest, &signature).map(Some)
}

fn signed(key: &PublicKey, manifest: &str, signature: &str) -> Result<Manifest, Unfit> {
    let unsigned = |error| {
        Unfit::of(&format!("the manifest of programs is not signed by the key of the enrolment: {error}"))
    };
    // Not the older kind of signatures, of which `minisign -H` makes none.
    let verified =
        Signature::decode(signature).and_then(|signature| key.verify(manifest.as_bytes(), &signature, false));
    verified.map_err(unsigned)?;
    // Nothing of it is looked at before.
    serde_json::from_str(manifest)
        .map_err(|error| Unfit::of(&format!("the signed manifest of programs is no manifest: {error}")))
}

fn text(server: &Server, name: &str) -> Result<Option<String>, Unfit> {
    let Some(mut body) = server.release(name, TEXT_TIMEOUT)? else { return Ok(None) };
    let text = body.with_config().limit(TEXT_BYTES_MAX).read_to_string();
    text.map(Some).map_err(|error| Unfit::of(&format!("{name} cannot be read: {error}")))
}

/// Writes the program for this target, once it is what the manifest says.
pub(super) fn download(server: &Server, manifest: &Manifest, path: &Path) -> Result<(), Unfit> {
    let version = &manifest.version;
    let program = manifest
        .programs
        .get(TARGET)
        .ok_or_else(|| Unfit::of(&format!("version {version} has no program for {TARGET}")))?;
    let body = server.release(&program.file, PROGRAM_TIMEOUT)?;
    let body = body.ok_or_else(|| Unfit::of(&format!("the server has no {}, as signed", program.file)))?;
    // One byte more tells what is too long.
    let source =
        body.into_with_config().limit(u64::MAX).reader().take(program.length_bytes.saturating_add(1));
    let (length, digest) = write(source, path).map_err(|error| {
        Unfit::of(&format!("{} cannot be had in {}: {error}", program.file, path.display()))
    })?;
    if length == program.length_bytes && digest.eq_ignore_ascii_case(&program.sha256) {
        return Ok(());
    }
    Err(Unfit::of(&format!(
        "{} is not what was signed: {length} bytes or more with the SHA-256 {digest}, expected {} with {}",
        program.file, program.length_bytes, program.sha256
    )))
}

/// The length and the SHA-256 of what was written.
fn write(mut source: impl Read, path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::create(path)?;
    let (mut hasher, mut length, mut buffer) = (Sha256::new(), 0, vec![0; 64 * 1024]);
    loop {
        let read = source.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        file.write_all(&buffer[..read])?;
        length += read as u64;
    }
    platform::set_mode(path, PROGRAM_MODE)?;
    file.sync_all()?;
    Ok((length, hex::encode(hasher.finalize())))
}

/// Whether the new program says the right version of itself, and that it could work as this one does.
pub(super) fn preflight(path: &Path, version: &Version) -> Result<(), Unfit> {
    let failed = |said: String| Unfit {
        said: format!("version {version} would not work here: {said}"),
        version: Some(version.clone()),
    };
    let told = said(path, &["--version".into()]).map_err(failed)?;
    let expected = format!("roundtrip {version}");
    if told.trim() != expected {
        return Err(failed(format!("it calls itself `{}`, expected `{expected}`", told.trim())));
    }
    // It takes the arguments of this one, and reads its enrolment.
    let arguments: Vec<_> = std::env::args_os().skip(1).chain(["--check".into()]).collect();
    said(path, &arguments).map(drop).map_err(failed)
}

/// What a program prints that succeeds in time.
fn said(path: &Path, arguments: &[std::ffi::OsString]) -> Result<String, String> {
    let started = Command::new(path)
        .args(arguments)
        .env_remove("NOTIFY_SOCKET")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| format!("it cannot be started: {error}"))?;
    let end = Instant::now() + PREFLIGHT_TIMEOUT;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it did not answer within {} s", PREFLIGHT_TIMEOUT.as_secs()));
        }
        thread::sleep(PREFLIGHT_INTERVAL);
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
}
