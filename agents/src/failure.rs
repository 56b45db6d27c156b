//! Every failure of the command, with the exit code that scripts rely on.

use std::path::PathBuf;

/// The exit code of a command that a signal stopped: a shell's code for a command ended by Ctrl-C.
pub(crate) const STOPPED: u8 = 130;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A failure that a retry does not fix: exit code 1.
    #[error("{0}")]
    Other(String),
    /// The printed answer is bad: exit code 1, without another message.
    #[error("see above")]
    Printed,
    /// Invalid arguments: exit code 2, like clap's own errors.
    #[error("{0}")]
    Usage(String),
    /// A regression, with `--fail-on regressed`: exit code 3.
    #[error("{0}")]
    Regressed(String),
    /// An inconclusive case, with `--fail-on inconclusive`, or a search that found no commit: exit code 4.
    #[error("{0}")]
    Inconclusive(String),
    /// The server rejects the token: exit code 5.
    #[error("{0}")]
    Authentication(String),
    /// Measured and saved, but not uploaded: exit code 6.
    #[error("{reason}\nThe report was saved: {}\nUpload it with: {retry}", kept.display())]
    Spooled {
        reason: String,
        kept: PathBuf,
        /// The command that uploads it, to paste.
        retry: String,
    },
    /// Something was not imported, with `--strict`: exit code 7.
    #[error("{0}")]
    Incomplete(String),
    /// The results are not comparable: exit code 9.
    #[error("{0}")]
    NotComparable(String),
    /// This machine or commit must not be measured: exit code 9.
    #[error("{0}")]
    Refused(String),
    /// Stopped by a signal: exit code 130.
    #[error("{0}")]
    Stopped(String),
    /// A file cannot be written: exit code 8.
    #[error("cannot write {}: {source}", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
}

/// Adds the path to an I/O error.
pub(crate) trait OnDisk<T> {
    fn on_disk(self, path: impl Into<PathBuf>) -> crate::Result<T>;
}

impl<T> OnDisk<T> for std::io::Result<T> {
    fn on_disk(self, path: impl Into<PathBuf>) -> crate::Result<T> {
        self.map_err(|source| Failure::Disk { path: path.into(), source })
    }
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Other(_) | Self::Printed => 1,
            Self::Usage(_) => 2,
            Self::Regressed(_) => 3,
            Self::Inconclusive(_) => 4,
            Self::Authentication(_) => 5,
            Self::Spooled { .. } => 6,
            Self::Incomplete(_) => 7,
            Self::Disk { .. } => 8,
            Self::NotComparable(_) | Self::Refused(_) => 9,
            Self::Stopped(_) => STOPPED,
        }
    }
}
