//! An agent that replaces its own program by a newer one, which whoever owns the machine has signed.
//!
//! - `release`: what the server carries, and whether it is signed.  [`trial`]: the new program until it has proved itself.
//!
//! The server only carries files: whose key signs them was said when the machine was enrolled. Without a key nothing is ever
//! replaced. It happens between two jobs alone, and killed at any moment the machine has a program that runs
//! (docs/adr/0015-agents-update-themselves-by-a-pinned-key.md).

mod release;
pub(super) mod trial;

use super::identity::Identity;
use super::server::{Server, ServerError};
use crate::failure::Failure;
use crate::log::Log;
use crate::stop::StopSignal;
use crate::{platform, run};
use minisign_verify::PublicKey;
use release::Unfit;
use semver::Version;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trial::{STRIKES_MAX, Strikes, Trial};

/// How often it looks for a newer program, and at most a quarter more: many agents must not ask in step.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long a new program may run without an answer of the server. It need not be the program's fault: it is only taken back.
const UNHEARD_MAX: Duration = Duration::from_secs(30 * 60);

/// What decides when there is a newer program to be had.
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

/// The key that signs programs, from the text of its file.
///
/// # Errors
/// It is none.
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
    ///
    /// # Errors
    /// The key of its enrolment is none.
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
    ///
    /// # Errors
    /// The program of before cannot be started.
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
                if let Err(failure) = trial::begin(&self.folder, &self.program, &version, log) {
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
    let Some(manifest) = release::manifest(server, key)? else { return Ok(None) };
    let is_refused = Strikes::of(folder, &manifest.version) >= STRIKES_MAX;
    if manifest.version <= trial::own_version() || is_refused {
        return Ok(None);
    }
    let path = trial::new(program);
    release::download(server, &manifest, &path)
        .and_then(|()| release::preflight(&path, &manifest.version))
        .inspect_err(|_| drop(std::fs::remove_file(&path)))?;
    Ok(Some(manifest.version))
}

impl From<ServerError> for Unfit {
    fn from(error: ServerError) -> Self {
        Self { said: error.to_string(), version: None }
    }
}
