//! A new program in the place of the old one: how it comes there, how it proves itself, and how the old one comes back.
//!
//! The order of the steps is what makes them safe. `update.json` is written before the new program takes the name of the old one:
//! killed in between, the old program finds that the note is not about itself, and removes it. Killed afterwards, the new program
//! finds it, and counts its starts.

use crate::failure::Failure;
use crate::log::Log;
use crate::spool_lock;
use crate::{platform, run, spool};
use semver::Version;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

const FILE: &str = "update.json";
const STRIKES_FILE: &str = "update-strikes.json";
/// The start at which a new program is given up that has had no answer of the server.
const STARTS_MAX: u32 = 3;
/// A version with so many is not tried again.
pub(super) const STRIKES_MAX: u32 = 3;

/// A new program that has not proved itself yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::lab) struct Trial {
    pub(super) from: Version,
    pub(super) to: Version,
    /// How often it was started.
    attempts: u32,
}

/// How often versions have failed here.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Strikes(BTreeMap<Version, u32>);

impl Strikes {
    fn read(folder: &Path) -> Self {
        spool::read_json(&folder.join(STRIKES_FILE)).unwrap_or_default()
    }

    pub(super) fn of(folder: &Path, version: &Version) -> u32 {
        Self::read(folder).0.get(version).copied().unwrap_or_default()
    }

    pub(super) fn add(folder: &Path, version: &Version, count: u32) -> crate::Result<()> {
        let mut strikes = Self::read(folder);
        *strikes.0.entry(version.clone()).or_default() += count;
        spool::write_json(&folder.join(STRIKES_FILE), &strikes)
    }
}

/// What this program calls itself.
pub(super) fn own_version() -> Version {
    // Cargo takes no other.
    Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version::new(0, 0, 0))
}

/// Where a new one waits: on the same file system, so that it takes the name at once or not at all.
pub(super) fn new(program: &Path) -> PathBuf {
    beside(program, "new")
}

fn previous(program: &Path) -> PathBuf {
    beside(program, "previous")
}

fn beside(program: &Path, what: &str) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{what}"));
    program.with_file_name(name)
}

/// Puts the new program into the place of this one, and becomes it.
///
/// # Errors
/// What the system refuses. This program is then where it was.
pub(super) fn begin(folder: &Path, program: &Path, version: &Version, log: &Log) -> crate::Result<()> {
    let trial = Trial { from: own_version(), to: version.clone(), attempts: 0 };
    let kept = previous(program);
    let disk = |path: &Path| {
        let path = path.to_owned();
        move |source| Failure::Disk { path, source }
    };
    spool::remove(&kept)?;
    // A second name rather than a copy; there are file systems without.
    fs::hard_link(program, &kept).or_else(|_| fs::copy(program, &kept).map(drop)).map_err(disk(&kept))?;
    sync(&kept)?;
    trial.write(folder)?;
    fs::rename(new(program), program).map_err(disk(program))?;
    sync(program)?;
    let failure = become_program(program);
    // It is there, and the system does not start it: this one comes back as if the new one had been started in vain.
    log.say(&failure.to_string());
    trial.roll_back(folder, program, STRIKES_MAX, log)
}

/// Before anything else of an agent: counts this start, if its program is new, and goes back to the old one at the third.
///
/// # Errors
/// Another agent is at work, or the old program cannot be started.
pub(in crate::lab) fn count(folder: &Path, log: &Log) -> crate::Result<Option<Trial>> {
    let Some(mut trial) = Trial::read(folder) else { return Ok(None) };
    let _held = spool_lock::hold(&folder.join("spool"))?;
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

    pub(super) fn succeed(&self, folder: &Path) -> crate::Result<()> {
        spool::remove(&folder.join(FILE))
    }

    pub(super) fn stop(&self, folder: &Path) -> crate::Result<()> {
        Self { attempts: 0, ..self.clone() }.write(folder)
    }

    /// Puts the old program back, and becomes it. Returns without a failure only where there is no old one.
    ///
    /// # Errors
    /// What the system refuses.
    pub(super) fn roll_back(
        &self,
        folder: &Path,
        program: &Path,
        strikes: u32,
        log: &Log,
    ) -> crate::Result<()> {
        let kept = previous(program);
        Strikes::add(folder, &self.to, strikes)?;
        if !kept.exists() {
            log.say(&format!("stays {}: {} is not there any more", self.to, kept.display()));
            return spool::remove(&folder.join(FILE));
        }
        log.say(&format!("goes back from {} to {}", self.to, self.from));
        fs::rename(&kept, program).map_err(|source| Failure::Disk { path: program.to_owned(), source })?;
        sync(program)?;
        spool::remove(&folder.join(FILE))?;
        Err(become_program(program))
    }
}

/// A name is durable once its folder is.
fn sync(path: &Path) -> crate::Result<()> {
    let disk = |source| Failure::Disk { path: path.to_owned(), source };
    let Some(folder) = path.parent() else { return Ok(()) };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(disk)
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
        assert_eq!(count(folder.path(), &Log::Standard).unwrap(), None);
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn starts_are_counted_and_those_that_were_told_to_stop_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let trial = Trial { from: Version::new(0, 0, 1), to: own_version(), attempts: 0 };
        trial.write(folder.path()).unwrap();
        let counted = count(folder.path(), &Log::Standard).unwrap().unwrap();
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
