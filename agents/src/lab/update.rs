//! Self-updates of an agent, signed with a key that the machine's owner has chosen.
//! The server only hosts the files; the key is given at enrolment. Without a key, there are no updates.
//! A signature states the version and its last valid day, so that a server cannot hide newer releases for long.
//! Updates happen only between jobs, and a working program remains after a crash at any moment
//! (docs/adr/0015-agents-update-themselves-by-a-pinned-key.md).

use super::identity::Identity;
use super::server::ServerError;
use crate::failure::{Failure, OnDisk};
use crate::lab::server::Server;
use crate::log::Log;
use crate::stop::StopSignal;
use crate::{platform, run, spool};
use chrono::{NaiveDate, Utc};
use minisign_verify::{PublicKey, Signature};
use semver::Version;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The interval of checks for an update, plus a random delay of up to a quarter, so that agents do not check at the
/// same time.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// A new program that gets no answer from the server for this time is rolled back. The server may be down, so this counts
/// as only one of [`FAILURES_MAX`] failures of the version.
const UNANSWERED_MAX: Duration = Duration::from_secs(30 * 60);

pub(super) struct Updater {
    folder: PathBuf,
    program: PathBuf,
    /// `None` turns self-updates off.
    key: Option<PublicKey>,
    /// Set while this program is new and has had no answer.
    trial: Option<Trial>,
    started_at: Instant,
    looks_at: Instant,
    /// After a failure, even an urgent update waits until then.
    waits_until: Instant,
}

pub(crate) fn parse_key(text: &str) -> crate::Result<PublicKey> {
    let key = PublicKey::decode(text).or_else(|_| PublicKey::from_base64(text.trim()));
    key.map_err(|error| {
        Failure::Usage(format!("invalid update key: {error}. Expected a minisign public key file."))
    })
}

impl Updater {
    /// For a starting agent. Logs once if updates are off.
    pub(super) fn new(identity: &Identity, trial: Option<Trial>, log: &Log) -> crate::Result<Self> {
        let mut key = identity.enrolled.update_key.as_deref().map(parse_key).transpose()?;
        if key.is_none() {
            log.write("automatic updates are off: no key was given to `roundtrip enrol --update-key`");
        } else if let Err(reason) = platform::can_update() {
            log.write(&format!("automatic updates are off: {reason}"));
            key = None;
        }
        let now = Instant::now();
        Ok(Self {
            folder: identity.folder.clone(),
            program: run::program()?,
            key,
            trial,
            started_at: now,
            looks_at: now,
            waits_until: now,
        })
    }

    /// The server has answered a claim, even if only that this program is too old: the new program works.
    pub(super) fn answered(&mut self, log: &Log) {
        if let Some(trial) = self.trial.take() {
            match trial.succeed(&self.folder) {
                Ok(()) => log.write(&format!("updated from {} to {}", trial.from, trial.to)),
                Err(failure) => log.write(&format!("{failure}; after a restart, the update is retried")),
            }
        }
    }

    /// Rolls back a new program if the server has not responded to it for half an hour.
    pub(super) fn unanswered(&mut self, log: &Log) -> crate::Result<()> {
        if self.started_at.elapsed() < UNANSWERED_MAX {
            return Ok(());
        }
        let Some(trial) = self.trial.take() else { return Ok(()) };
        log.write(&format!("{} got no response from the server for 30 minutes; rolling back", trial.to));
        trial.roll_back(&self.folder, &self.program, 1, log)
    }

    /// The agent is stopping; that does not count as a failed start.
    pub(super) fn stopped(&self, log: &Log) {
        if let Some(Err(failure)) = self.trial.as_ref().map(|trial| trial.stop(&self.folder)) {
            log.write(&failure.to_string());
        }
    }

    /// Updates to a newer program, if there is one. `is_urgent`: the server no longer supports this version.
    pub(super) fn look(
        &mut self,
        is_urgent: bool,
        server: &Server,
        stop: &mut StopSignal,
        log: &Log,
    ) -> ControlFlow<()> {
        let Some(key) = self.key.clone() else { return ControlFlow::Continue(()) };
        let now = Instant::now();
        if now < self.waits_until || (now < self.looks_at && !is_urgent) {
            return ControlFlow::Continue(());
        }
        self.looks_at = now + INTERVAL.mul_f64(1.0 + rand::random::<f64>() / 4.0);
        let (server, folder, program) = (server.clone(), self.folder.clone(), self.program.clone());
        let found = stop.wait_for(move || newer(&server, &key, &folder, &program))?;
        let crashed = || Err(UpdateError::new("the check for updates crashed"));
        match found.unwrap_or_else(crashed) {
            Ok(None) => {}
            Ok(Some(version)) => {
                log.write(&format!("updating to {version}"));
                if let Err(failure) = begin_trial(&self.folder, &self.program, &version, log) {
                    self.fail(&UpdateError::new(&failure.to_string()), log);
                }
            }
            Err(error) => self.fail(&error, log),
        }
        ControlFlow::Continue(())
    }

    fn fail(&mut self, error: &UpdateError, log: &Log) {
        self.waits_until = self.looks_at;
        log.write(&format!("update failed: {}", error.message));
        if let Some(version) = &error.version
            && let Err(failure) = VersionFailures::add(&self.folder, version, 1)
        {
            log.write(&failure.to_string());
        }
    }
}

/// Downloads and checks the newer program, and saves it next to this one.
fn newer(
    server: &Server,
    key: &PublicKey,
    folder: &Path,
    program: &Path,
) -> Result<Option<Version>, UpdateError> {
    let Some(manifest) = manifest(server, key, folder)? else { return Ok(None) };
    let is_refused = VersionFailures::count(folder, &manifest.version) >= FAILURES_MAX;
    if manifest.version <= own_version() || is_refused {
        return Ok(None);
    }
    let path = next_to(program, NEW);
    download(server, &manifest, &path)
        .and_then(|()| preflight(&path, &manifest.version))
        .inspect_err(|_| drop(fs::remove_file(&path)))?;
    Ok(Some(manifest.version))
}

impl From<ServerError> for UpdateError {
    fn from(error: ServerError) -> Self {
        Self { message: error.to_string(), version: None }
    }
}

// The release files of the server: a manifest, its minisign signature with the version and the last valid day,
// and programs with their digests in the manifest.

/// The manifest's name for this program's target.
const TARGET: &str = env!("ROUNDTRIP_TARGET");
const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.json.minisig";
/// The digest of the last manifest and signature that were refused.
const REFUSED_FILE: &str = "update-refused.json";
const TEXT_BYTES_MAX: u64 = 64 * 1024;
const TEXT_TIMEOUT: Duration = Duration::from_secs(30);
/// Enough for a large program over a slow connection.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(30 * 60);
const PROGRAM_MODE: u32 = 0o755;
/// Time limit for the checks of a new program.
const PREFLIGHT_TIMEOUT: Duration = Duration::from_secs(60);
const PREFLIGHT_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, Deserialize)]
struct Manifest {
    version: Version,
    /// By build target.
    programs: BTreeMap<String, Program>,
}

#[derive(Clone, Debug, Deserialize)]
struct Program {
    file: String,
    length_bytes: u64,
    /// In hexadecimal digits.
    sha256: String,
}

#[derive(Debug)]
struct UpdateError {
    message: String,
    /// The failed version, if a version is to blame.
    version: Option<Version>,
}

impl UpdateError {
    fn new(message: &str) -> Self {
        Self { message: message.to_owned(), version: None }
    }
}

/// The server's signed manifest; `None` if the server has no programs, or offers a manifest that was refused
/// before.
fn manifest(server: &Server, key: &PublicKey, folder: &Path) -> Result<Option<Manifest>, UpdateError> {
    let Some(text) = fetch_text(server, MANIFEST)? else { return Ok(None) };
    let signature = fetch_text(server, SIGNATURE)?
        .ok_or_else(|| UpdateError::new("the server's update manifest has no signature"))?;
    // Another key or another version of this program may accept the same files.
    let offer = format!("{key:?}\n{}\n{text}\n{signature}", own_version());
    let (digest, refused) = (hex::encode(Sha256::digest(offer)), folder.join(REFUSED_FILE));
    if spool::read_json::<String>(&refused).as_ref() == Some(&digest) {
        return Ok(None);
    }
    // If the digest cannot be written, the next look refuses the files again.
    let (manifest, expires_on) = signed_manifest(key, &text, &signature)
        .inspect_err(|_| drop(spool::write_json(&refused, &digest)))?;
    // Not stored, because the clock may be wrong.
    if Utc::now().date_naive() > expires_on {
        return Err(UpdateError::new(&format!(
            "the signature of version {} expired on {expires_on}. Offer a newer release or a renewed signature.",
            manifest.version
        )));
    }
    Ok(Some(manifest))
}

/// The manifest, and the last day (UTC) on which its signature is valid.
fn signed_manifest(
    key: &PublicKey,
    manifest: &str,
    signature: &str,
) -> Result<(Manifest, NaiveDate), UpdateError> {
    let unsigned = |error| {
        UpdateError::new(&format!("the update manifest is not signed with the enrolled key: {error}"))
    };
    let signature = Signature::decode(signature).map_err(unsigned)?;
    // Rejects legacy signatures; `minisign -H` makes none.
    key.verify(manifest.as_bytes(), &signature, false).map_err(unsigned)?;
    // Parse only after the signature is verified.
    let manifest: Manifest = serde_json::from_str(manifest)
        .map_err(|error| UpdateError::new(&format!("the signed update manifest is invalid: {error}")))?;
    match parse_statement(signature.trusted_comment()) {
        Some((version, expires_on)) if version == manifest.version => Ok((manifest, expires_on)),
        _ => Err(UpdateError::new(&format!(
            "the signature of the update manifest states `{}`: expected `roundtrip {} expires YEAR-MONTH-DAY`",
            signature.trusted_comment(),
            manifest.version
        ))),
    }
}

/// Parses the trusted comment of a signature, such as `roundtrip 1.2.3 expires 2027-03-31`.
fn parse_statement(comment: &str) -> Option<(Version, NaiveDate)> {
    let words: Vec<_> = comment.split(' ').collect();
    let ["roundtrip", version, "expires", date] = words[..] else { return None };
    Some((version.parse().ok()?, date.parse().ok()?))
}

fn fetch_text(server: &Server, name: &str) -> Result<Option<String>, UpdateError> {
    let Some(mut body) = server.release(name, TEXT_TIMEOUT)? else { return Ok(None) };
    let text = body.with_config().limit(TEXT_BYTES_MAX).read_to_string();
    text.map(Some).map_err(|error| UpdateError::new(&format!("cannot read {name}: {error}")))
}

/// Downloads the program for this target and verifies it against the manifest.
fn download(server: &Server, manifest: &Manifest, path: &Path) -> Result<(), UpdateError> {
    let version = &manifest.version;
    let program = manifest
        .programs
        .get(TARGET)
        .ok_or_else(|| UpdateError::new(&format!("version {version} has no program for {TARGET}")))?;
    let body = server.release(&program.file, PROGRAM_TIMEOUT)?;
    let body = body.ok_or_else(|| {
        UpdateError::new(&format!("{} is in the manifest but not on the server", program.file))
    })?;
    // One more byte, to detect a file that is too long.
    let source =
        body.into_with_config().limit(u64::MAX).reader().take(program.length_bytes.saturating_add(1));
    let (length, digest) = write_program(source, path).map_err(|error| {
        UpdateError::new(&format!("cannot download {} to {}: {error}", program.file, path.display()))
    })?;
    if length == program.length_bytes && digest.eq_ignore_ascii_case(&program.sha256) {
        return Ok(());
    }
    Err(UpdateError::new(&format!(
        "{} does not match the manifest: at least {length} bytes, SHA-256 {digest}; expected {} bytes, {}",
        program.file, program.length_bytes, program.sha256
    )))
}

fn write_program(mut source: impl Read, path: &Path) -> io::Result<(u64, String)> {
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

/// Checks that the new program has the right version and could take jobs with these arguments.
fn preflight(path: &Path, version: &Version) -> Result<(), UpdateError> {
    let failed = |message: String| UpdateError {
        message: format!("version {version} does not work here: {message}"),
        version: Some(version.clone()),
    };
    let printed = output_of(path, &["--version".into()]).map_err(failed)?;
    let expected = format!("roundtrip {version}");
    if printed.trim() != expected {
        return Err(failed(format!("--version printed `{}`, expected `{expected}`", printed.trim())));
    }
    // With this process's arguments, so that it reads the same enrolment.
    let arguments: Vec<_> = std::env::args_os().skip(1).chain(["--check".into()]).collect();
    output_of(path, &arguments).map(drop).map_err(failed)
}

fn output_of(path: &Path, arguments: &[OsString]) -> Result<String, String> {
    let started = Command::new(path)
        .args(arguments)
        .env_remove("NOTIFY_SOCKET")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| format!("cannot start it: {error}"))?;
    let end = Instant::now() + PREFLIGHT_TIMEOUT;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if Instant::now() > end {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no response within {} s", PREFLIGHT_TIMEOUT.as_secs()));
        }
        thread::sleep(PREFLIGHT_INTERVAL);
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
}

// The trial of a new program: replacing the old program, proving itself, and rolling back.
//
// The order of the steps makes them safe. `update.json` is written before the new program is renamed over the
// old one. If the agent is killed in between, the old program sees that the note names another version, and
// removes it. If it is killed afterwards, the new program finds the note and counts its starts.

const FILE: &str = "update.json";
/// The end of the new program's file name, and of the old one's.
const NEW: &str = ".new";
const PREVIOUS: &str = ".previous";
const FAILURES_FILE: &str = "update-strikes.json";
/// A new program without an answer of the server is rolled back at this start.
const STARTS_MAX: u32 = 3;
/// A version with this many failures is not tried again.
const FAILURES_MAX: u32 = 3;

/// A new program that has not proved itself yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::lab) struct Trial {
    from: Version,
    to: Version,
    attempts: u32,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct VersionFailures(BTreeMap<Version, u32>);

impl VersionFailures {
    fn read(folder: &Path) -> Self {
        spool::read_json(&folder.join(FAILURES_FILE)).unwrap_or_default()
    }

    fn count(folder: &Path, version: &Version) -> u32 {
        Self::read(folder).0.get(version).copied().unwrap_or_default()
    }

    fn add(folder: &Path, version: &Version, count: u32) -> crate::Result<()> {
        let mut failures = Self::read(folder);
        *failures.0.entry(version.clone()).or_default() += count;
        spool::write_json(&folder.join(FAILURES_FILE), &failures)
    }
}

fn own_version() -> Version {
    // Cargo accepts no other version.
    Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version::new(0, 0, 0))
}

/// A path on the same file system as the program, so that a rename is atomic.
fn next_to(program: &Path, end: &str) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(end);
    program.with_file_name(name)
}

/// Replaces this program with the new one, and executes it.
fn begin_trial(folder: &Path, program: &Path, version: &Version, log: &Log) -> crate::Result<()> {
    let trial = Trial { from: own_version(), to: version.clone(), attempts: 0 };
    let kept = next_to(program, PREVIOUS);
    spool::remove(&kept)?;
    // A hard link instead of a copy, if the file system supports it.
    fs::hard_link(program, &kept).or_else(|_| fs::copy(program, &kept).map(drop)).on_disk(&kept)?;
    sync(&kept)?;
    trial.write(folder)?;
    fs::rename(next_to(program, NEW), program).on_disk(program)?;
    sync(program)?;
    let failure = become_program(program);
    // The new program does not start. Roll back, as after failed starts.
    log.write(&failure.to_string());
    trial.roll_back(folder, program, FAILURES_MAX, log)
}

/// Runs first in an agent: counts the start of a new program, and rolls back at the third.
pub(in crate::lab) fn count_start(folder: &Path, log: &Log) -> crate::Result<Option<Trial>> {
    let Some(mut trial) = Trial::read(folder) else { return Ok(None) };
    let _held = spool::lock(&folder.join("spool"))?;
    if trial.to != own_version() {
        spool::remove(&folder.join(FILE))?;
        return Ok(None);
    }
    trial.attempts += 1;
    if trial.attempts < STARTS_MAX {
        trial.write(folder)?;
        return Ok(Some(trial));
    }
    log.write(&format!(
        "{} was started {STARTS_MAX} times without a response from the server; rolling back",
        trial.to
    ));
    trial.roll_back(folder, &run::program()?, FAILURES_MAX, log)?;
    Ok(None)
}

impl Trial {
    fn read(folder: &Path) -> Option<Self> {
        spool::read_json(&folder.join(FILE))
    }

    fn write(&self, folder: &Path) -> crate::Result<()> {
        spool::write_json(&folder.join(FILE), self)
    }

    fn succeed(&self, folder: &Path) -> crate::Result<()> {
        spool::remove(&folder.join(FILE))
    }

    fn stop(&self, folder: &Path) -> crate::Result<()> {
        Self { attempts: 0, ..self.clone() }.write(folder)
    }

    /// Restores the old program and executes it. Returns `Ok` only if there is no old one.
    fn roll_back(&self, folder: &Path, program: &Path, failures: u32, log: &Log) -> crate::Result<()> {
        let kept = next_to(program, PREVIOUS);
        VersionFailures::add(folder, &self.to, failures)?;
        if !kept.exists() {
            log.write(&format!("staying at {}: {} no longer exists", self.to, kept.display()));
            return spool::remove(&folder.join(FILE));
        }
        log.write(&format!("rolling back from {} to {}", self.to, self.from));
        fs::rename(&kept, program).on_disk(program)?;
        sync(program)?;
        spool::remove(&folder.join(FILE))?;
        Err(become_program(program))
    }
}

/// A rename is durable once the folder is synced.
fn sync(path: &Path) -> crate::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    File::open(folder).and_then(|folder| folder.sync_all()).on_disk(path)
}

/// Executes the program with this process's arguments. Open files, and so the spool's lock, are inherited.
fn become_program(program: &Path) -> Failure {
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    let error = platform::become_program(command);
    Failure::Other(format!("cannot start {}: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_a_note_about_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let trial = Trial { from: own_version(), to: Version::new(99, 0, 0), attempts: 2 };
        trial.write(folder.path()).unwrap();
        assert_eq!(count_start(folder.path(), &Log::Standard).unwrap(), None);
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn counts_starts_except_stopped_ones() {
        let folder = tempfile::tempdir().unwrap();
        let trial = Trial { from: Version::new(0, 0, 1), to: own_version(), attempts: 0 };
        trial.write(folder.path()).unwrap();
        let counted = count_start(folder.path(), &Log::Standard).unwrap().unwrap();
        assert_eq!(Trial::read(folder.path()).unwrap().attempts, 1);
        counted.stop(folder.path()).unwrap();
        assert_eq!(Trial::read(folder.path()).unwrap().attempts, 0);
    }

    #[test]
    fn adds_up_failures_of_a_version() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
        VersionFailures::add(folder.path(), &one, 1).unwrap();
        VersionFailures::add(folder.path(), &one, 2).unwrap();
        assert_eq!(
            (VersionFailures::count(folder.path(), &one), VersionFailures::count(folder.path(), &two)),
            (3, 0)
        );
    }
}
