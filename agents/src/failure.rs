//! Every way in which the command fails, with the exit code that scripts rely on.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something that no retry mends: exit code 1.
    #[error("{0}")]
    Other(String),
    /// The arguments ask for what does not exist: exit code 2, as clap's own errors.
    #[error("{0}")]
    Usage(String),
    /// A comparison found what it was told to fail on: exit code 3.
    #[error("{0}")]
    Regressed(String),
    /// A comparison could not tell, and was told to fail then: exit code 4.
    #[error("{0}")]
    Inconclusive(String),
    /// The server refuses who we are: exit code 5.
    #[error("{0}")]
    Authentication(String),
    /// Measured, kept on disk, not uploaded: exit code 6.
    #[error(
        "{reason}\nNothing is lost: the report is kept at {}. Send it with: roundtrip upload {} --upload {server}{}",
        kept.display(), as_argument(kept), if *quarantined { " --quarantined" } else { "" }
    )]
    Spooled {
        reason: String,
        kept: PathBuf,
        server: String,
        /// Whether nobody vouches for it.
        quarantined: bool,
    },
    /// What was measured in one way cannot be compared with what was measured in another: exit code 9.
    #[error("{0}")]
    NotComparable(String),
    /// This machine, or what it runs, is not to be measured: exit code 9.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be written: exit code 8.
    #[error("cannot write {}: {source}", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
}

/// A path as it is typed: the folder in which reports wait has a space in its name on macOS.
fn as_argument(path: &Path) -> String {
    let path = path.to_string_lossy();
    if !cfg!(windows) {
        return shell_words::quote(&path).into_owned();
    }
    if path.contains(' ') { format!("\"{path}\"") } else { path.into_owned() }
}

/// What fails on the disk, by its path.
pub(crate) trait OnDisk<T> {
    fn on_disk(self, path: impl Into<PathBuf>) -> crate::Result<T>;
}

impl<T> OnDisk<T> for std::io::Result<T> {
    fn on_disk(self, path: impl Into<PathBuf>) -> crate::Result<T> {
        self.map_err(|source| Failure::Disk { path: path.into(), source })
    }
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Other(_) => 1,
            Self::Usage(_) => 2,
            Self::Regressed(_) => 3,
            Self::Inconclusive(_) => 4,
            Self::Authentication(_) => 5,
            Self::Spooled { .. } => 6,
            Self::Disk { .. } => 8,
            Self::NotComparable(_) | Self::Refused(_) => 9,
        }
    }
}
