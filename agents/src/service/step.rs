//! What installing or removing a service consists of: steps that can be printed or taken.

use super::template::shell_words;
use crate::failure::Failure;
use crate::platform::{self, ServiceRequest};
use crate::spool;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

/// One change to the system.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Makes a folder.
    Folder(PathBuf),
    /// Writes a file for all to read.
    Write {
        /// Where.
        path: PathBuf,
        /// Permissions, where the system has such.
        mode: u32,
        /// What.
        text: String,
    },
    /// Removes a file, if it is there.
    Remove(PathBuf),
    /// Runs a program.
    Run(Vec<String>),
    /// Asks the service control manager of Windows.
    Ask(ServiceRequest),
}

impl Step {
    /// A program with its arguments.
    pub(super) fn run<const N: usize>(words: [&str; N]) -> Self {
        Self::Run(words.map(str::to_owned).into())
    }

    /// Takes the step.
    ///
    /// # Errors
    /// What failed, with what the program said.
    pub(super) fn take(&self) -> crate::Result<()> {
        let disk = |path: &PathBuf, source| Failure::Disk { path: path.clone(), source };
        match self {
            Self::Folder(path) => fs::create_dir_all(path).map_err(|source| disk(path, source)),
            Self::Write { path, mode, text } => {
                spool::write(path, text.as_bytes())?;
                platform::set_mode(path, *mode).map_err(|source| disk(path, source))
            }
            Self::Remove(path) => match fs::remove_file(path) {
                Err(source) if source.kind() != ErrorKind::NotFound => Err(disk(path, source)),
                _ => Ok(()),
            },
            Self::Run(words) => run(words),
            Self::Ask(request) => platform::control(request),
        }
    }
}

fn run(words: &[String]) -> crate::Result<()> {
    let failed = |why: &str| Failure::Other(format!("{}: {why}", shell_words(words)));
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| failed(&error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    Err(failed(&format!("{}: {}", output.status, said.trim())))
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => writeln!(formatter, "# make the folder {}", path.display()),
            Self::Write { path, mode, text } => {
                write!(formatter, "# write {}, mode {mode:04o}:\n{text}", path.display())
            }
            Self::Remove(path) => writeln!(formatter, "# remove {}", path.display()),
            Self::Run(words) => writeln!(formatter, "# run:\n{}", shell_words(words)),
            Self::Ask(request) => request.fmt(formatter),
        }
    }
}

/// All steps, for people.
pub(super) fn listing(steps: &[Step]) -> String {
    steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
