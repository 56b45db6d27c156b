//! An agent that replaces its own program by a newer one, which whoever owns the machine has signed.
//!
//! The server only carries files: whose key signs them was said when the machine was enrolled. Without a key nothing is ever
//! replaced. It happens between two jobs alone, and killed at any moment the machine has a program that runs
//! (docs/adr/0015-agents-update-themselves-by-a-pinned-key.md).

use super::identity::Identity;
use super::server::ServerError;
use crate::failure::{Failure, OnDisk};
use crate::lab::server::Server;
use crate::log::Log;
use crate::stop::StopSignal;
use crate::{platform, run, spool};
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

/// How often it looks for a newer program, and at most a quarter more: many agents must not ask in step.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long a new program may run without an answer of the server. It need not be the program's fault: it is only taken back.
const UNHEARD_MAX: Duration = Duration::from_secs(30 * 60);

pub(super) struct Updater {
    folder: PathBuf,
    program: PathBuf,
    /// None: it never updates itself.
    key: Option<PublicKey>,
    /// If this program is new, and has not been answered yet.
    trial: Option<Trial>,
    started_at: Instant,
    looks_at: Instant,
    /// After a failure even who must update waits.
    waits_until: Instant,
}

pub(crate) fn parse_key(text: &str) -> crate::Result<PublicKey> {
    let key = PublicKey::decode(text).or_else(|_| PublicKey::from_base64(text.trim()));
    key.map_err(|error| {
        Failure::Usage(format!(
            "the key for updates: {error}: expected a public key of minisign, as its file is"
        ))
    })
}

impl Updater {
    /// Of the agent that begins to work. It says once if it is never going to update itself.
    pub(super) fn of(identity: &Identity, trial: Option<Trial>, log: &Log) -> crate::Result<Self> {
        let mut key = identity.enrolled.update_key.as_deref().map(parse_key).transpose()?;
        if key.is_none() {
            log.say(
                "never updates itself: no key was named when it was enrolled (roundtrip enrol --update-key)",
            );
        } else if let Err(reason) = platform::can_update() {
            log.say(&format!("never updates itself: {reason}"));
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

    /// The server has answered a claim, if only that this program is too old: a new program has proved itself.
    pub(super) fn answered(&mut self, log: &Log) {
        if let Some(trial) = self.trial.take() {
            match trial.succeed(&self.folder) {
                Ok(()) => log.say(&format!("was updated from {} to {}", trial.from, trial.to)),
                Err(failure) => log.say(&format!("{failure}; after a restart the update is tried again")),
            }
        }
    }

    /// The server has not answered. Takes a new program back that was never answered for long.
    pub(super) fn unanswered(&mut self, log: &Log) -> crate::Result<()> {
        if self.started_at.elapsed() < UNHEARD_MAX {
            return Ok(());
        }
        let Some(trial) = self.trial.take() else { return Ok(()) };
        log.say(&format!("{} has no answer of the server for half an hour, and is taken back", trial.to));
        trial.roll_back(&self.folder, &self.program, 1, log)
    }

    /// The agent is told to stop: that is no failure of a new program.
    pub(super) fn stopped(&self, log: &Log) {
        if let Some(Err(failure)) = self.trial.as_ref().map(|trial| trial.stop(&self.folder)) {
            log.say(&failure.to_string());
        }
    }

    /// Becomes a newer program, if there is one. `is_urgent`: the server understands this one no more.
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
        let crashed = || Err(Unfit::of("looking for a newer program has crashed"));
        match found.unwrap_or_else(crashed) {
            Ok(None) => {}
            Ok(Some(version)) => {
                log.say(&format!("becomes {version}"));
                if let Err(failure) = begin_trial(&self.folder, &self.program, &version, log) {
                    self.fail(&Unfit::of(&failure.to_string()), log);
                }
            }
            Err(unfit) => self.fail(&unfit, log),
        }
        ControlFlow::Continue(())
    }

    fn fail(&mut self, unfit: &Unfit, log: &Log) {
        self.waits_until = self.looks_at;
        log.say(&format!("does not update itself: {}", unfit.said));
        if let Some(version) = &unfit.version
            && let Err(failure) = Strikes::add(&self.folder, version, 1)
        {
            log.say(&failure.to_string());
        }
    }
}

/// Has the newer program beside this one, looked at and ready.
fn newer(server: &Server, key: &PublicKey, folder: &Path, program: &Path) -> Result<Option<Version>, Unfit> {
    let Some(manifest) = manifest(server, key)? else { return Ok(None) };
    let is_refused = Strikes::of(folder, &manifest.version) >= STRIKES_MAX;
    if manifest.version <= own_version() || is_refused {
        return Ok(None);
    }
    let path = new_program(program);
    download(server, &manifest, &path)
        .and_then(|()| preflight(&path, &manifest.version))
        .inspect_err(|_| drop(fs::remove_file(&path)))?;
    Ok(Some(manifest.version))
}

impl From<ServerError> for Unfit {
    fn from(error: ServerError) -> Self {
        Self { said: error.to_string(), version: None }
    }
}

// What the server carries: a manifest, its signature by minisign, and programs that the manifest names with their digests.

/// What this program was built for, as the manifest calls it.
const TARGET: &str = env!("ROUNDTRIP_TARGET");
const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.json.minisig";
const TEXT_BYTES_MAX: u64 = 64 * 1024;
const TEXT_TIMEOUT: Duration = Duration::from_secs(30);
/// A large program over a slow line.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(30 * 60);
const PROGRAM_MODE: u32 = 0o755;
/// How long a new program may take to say that it could work.
const PREFLIGHT_TIMEOUT: Duration = Duration::from_secs(60);
const PREFLIGHT_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, Deserialize)]
struct Manifest {
    version: Version,
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

#[derive(Debug)]
struct Unfit {
    said: String,
    /// The version whose fault it is, if it is one's.
    version: Option<Version>,
}

impl Unfit {
    fn of(said: &str) -> Self {
        Self { said: said.to_owned(), version: None }
    }
}

/// What the server carries, if it is signed; none if it carries nothing.
fn manifest(server: &Server, key: &PublicKey) -> Result<Option<Manifest>, Unfit> {
    let Some(manifest) = fetch_text(server, MANIFEST)? else { return Ok(None) };
    let signature = fetch_text(server, SIGNATURE)?
        .ok_or_else(|| Unfit::of("the server has a manifest of programs without a signature"))?;
    signed_manifest(key, &manifest, &signature).map(Some)
}

fn signed_manifest(key: &PublicKey, manifest: &str, signature: &str) -> Result<Manifest, Unfit> {
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

fn fetch_text(server: &Server, name: &str) -> Result<Option<String>, Unfit> {
    let Some(mut body) = server.release(name, TEXT_TIMEOUT)? else { return Ok(None) };
    let text = body.with_config().limit(TEXT_BYTES_MAX).read_to_string();
    text.map(Some).map_err(|error| Unfit::of(&format!("{name} cannot be read: {error}")))
}

/// Writes the program for this target, once it is what the manifest says.
fn download(server: &Server, manifest: &Manifest, path: &Path) -> Result<(), Unfit> {
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
    let (length, digest) = write_program(source, path).map_err(|error| {
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

/// Whether the new program says the right version of itself, and that it could work as this one does.
fn preflight(path: &Path, version: &Version) -> Result<(), Unfit> {
    let failed = |said: String| Unfit {
        said: format!("version {version} would not work here: {said}"),
        version: Some(version.clone()),
    };
    let told = said_by(path, &["--version".into()]).map_err(failed)?;
    let expected = format!("roundtrip {version}");
    if told.trim() != expected {
        return Err(failed(format!("it calls itself `{}`, expected `{expected}`", told.trim())));
    }
    // It takes the arguments of this one, and reads its enrolment.
    let arguments: Vec<_> = std::env::args_os().skip(1).chain(["--check".into()]).collect();
    said_by(path, &arguments).map(drop).map_err(failed)
}

fn said_by(path: &Path, arguments: &[OsString]) -> Result<String, String> {
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

// A new program in the place of the old one: how it comes there, how it proves itself, and how the old one comes back.
//
// The order of the steps is what makes them safe. `update.json` is written before the new program takes the name of the old one:
// killed in between, the old program finds that the note is not about itself, and removes it. Killed afterwards, the new program
// finds it, and counts its starts.

const FILE: &str = "update.json";
const STRIKES_FILE: &str = "update-strikes.json";
/// The start at which a new program is given up that has had no answer of the server.
const STARTS_MAX: u32 = 3;
/// A version with so many is not tried again.
const STRIKES_MAX: u32 = 3;

/// A new program that has not proved itself yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::lab) struct Trial {
    from: Version,
    to: Version,
    attempts: u32,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Strikes(BTreeMap<Version, u32>);

impl Strikes {
    fn read(folder: &Path) -> Self {
        spool::read_json(&folder.join(STRIKES_FILE)).unwrap_or_default()
    }

    fn of(folder: &Path, version: &Version) -> u32 {
        Self::read(folder).0.get(version).copied().unwrap_or_default()
    }

    fn add(folder: &Path, version: &Version, count: u32) -> crate::Result<()> {
        let mut strikes = Self::read(folder);
        *strikes.0.entry(version.clone()).or_default() += count;
        spool::write_json(&folder.join(STRIKES_FILE), &strikes)
    }
}

fn own_version() -> Version {
    // Cargo takes no other.
    Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version::new(0, 0, 0))
}

/// Where a new one waits: on the same file system, so that it takes the name at once or not at all.
fn new_program(program: &Path) -> PathBuf {
    beside_program(program, "new")
}

fn previous_program(program: &Path) -> PathBuf {
    beside_program(program, "previous")
}

fn beside_program(program: &Path, what: &str) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{what}"));
    program.with_file_name(name)
}

/// Puts the new program into the place of this one, and becomes it.
fn begin_trial(folder: &Path, program: &Path, version: &Version, log: &Log) -> crate::Result<()> {
    let trial = Trial { from: own_version(), to: version.clone(), attempts: 0 };
    let kept = previous_program(program);
    spool::remove(&kept)?;
    // A second name rather than a copy; there are file systems without.
    fs::hard_link(program, &kept).or_else(|_| fs::copy(program, &kept).map(drop)).on_disk(&kept)?;
    sync(&kept)?;
    trial.write(folder)?;
    fs::rename(new_program(program), program).on_disk(program)?;
    sync(program)?;
    let failure = become_program(program);
    // It is there, and the system does not start it: this one comes back as if the new one had been started in vain.
    log.say(&failure.to_string());
    trial.roll_back(folder, program, STRIKES_MAX, log)
}

/// Before anything else of an agent: counts this start, if its program is new, and goes back to the old one at the third.
pub(in crate::lab) fn count_start(folder: &Path, log: &Log) -> crate::Result<Option<Trial>> {
    let Some(mut trial) = Trial::read(folder) else { return Ok(None) };
    let _held = spool::hold(&folder.join("spool"))?;
    if trial.to != own_version() {
        spool::remove(&folder.join(FILE))?;
        return Ok(None);
    }
    trial.attempts += 1;
    if trial.attempts < STARTS_MAX {
        trial.write(folder)?;
        return Ok(Some(trial));
    }
    log.say(&format!("{} was started {STARTS_MAX} times without an answer of the server", trial.to));
    trial.roll_back(folder, &run::program()?, STRIKES_MAX, log)?;
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

    /// Puts the old program back, and becomes it. Returns without a failure only where there is no old one.
    fn roll_back(&self, folder: &Path, program: &Path, strikes: u32, log: &Log) -> crate::Result<()> {
        let kept = previous_program(program);
        Strikes::add(folder, &self.to, strikes)?;
        if !kept.exists() {
            log.say(&format!("stays {}: {} is not there any more", self.to, kept.display()));
            return spool::remove(&folder.join(FILE));
        }
        log.say(&format!("goes back from {} to {}", self.to, self.from));
        fs::rename(&kept, program).on_disk(program)?;
        sync(program)?;
        spool::remove(&folder.join(FILE))?;
        Err(become_program(program))
    }
}

/// A name is durable once its folder is.
fn sync(path: &Path) -> crate::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    File::open(folder).and_then(|folder| folder.sync_all()).on_disk(path)
}

/// With the arguments of this one. The lock of the spool goes with what is open.
fn become_program(program: &Path) -> Failure {
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    let error = platform::become_program(command);
    Failure::Other(format!("{} cannot be started: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_is_about_another_program_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let trial = Trial { from: own_version(), to: Version::new(99, 0, 0), attempts: 2 };
        trial.write(folder.path()).unwrap();
        assert_eq!(count_start(folder.path(), &Log::Standard).unwrap(), None);
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn starts_are_counted_and_those_that_were_told_to_stop_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let trial = Trial { from: Version::new(0, 0, 1), to: own_version(), attempts: 0 };
        trial.write(folder.path()).unwrap();
        let counted = count_start(folder.path(), &Log::Standard).unwrap().unwrap();
        assert_eq!(Trial::read(folder.path()).unwrap().attempts, 1);
        counted.stop(folder.path()).unwrap();
        assert_eq!(Trial::read(folder.path()).unwrap().attempts, 0);
    }

    #[test]
    fn failures_of_a_version_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
        Strikes::add(folder.path(), &one, 1).unwrap();
        Strikes::add(folder.path(), &one, 2).unwrap();
        assert_eq!((Strikes::of(folder.path(), &one), Strikes::of(folder.path(), &two)), (3, 0));
    }
}
