//! `backup`: writes the whole database to one file.

use crate::backup::dump::dump;
use crate::cli::{BackupArguments, DataArguments};
use crate::config::UsageError;
use crate::database::Database;
use anyhow::{Context, Result};
use indicatif::{DecimalBytes, ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// The file name for standard output or input.
pub(super) const STANDARD: &str = "-";
const SPINNER_INTERVAL: Duration = Duration::from_millis(120);

/// If it fails, an existing file is unchanged.
pub(crate) async fn backup(arguments: BackupArguments, data: &DataArguments) -> Result<()> {
    let output = Output::begin(&arguments.file)?;
    let mut written = Ok(());
    Database::with(Database::reach(data), async |database, shutdown| {
        let bar = spinner("backing up");
        let dumped = shutdown.unless_requested(dump(&database.pool, output, |bytes| bar.set_position(bytes)));
        let (output, size) = dumped.await.context("interrupted: no backup was written")??;
        // Not explained as a database error, because the file may be on another disk.
        written = output.finish().map(|path| {
            bar.finish_and_clear();
            eprintln!(
                "wrote {} tables, {} rows, {} uncompressed to {path}",
                size.table_count,
                size.row_count,
                DecimalBytes(size.byte_count)
            );
        });
        Ok(())
    })
    .await?;
    written
}

/// A progress display, if standard error is a terminal.
pub(super) fn spinner(prefix: &'static str) -> ProgressBar {
    let bar = ProgressBar::no_length().with_prefix(prefix);
    let template = "{spinner} {prefix} {decimal_bytes}  {decimal_bytes_per_sec:.dim}  {elapsed:.dim}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(SPINNER_INTERVAL);
    bar
}

/// The destination of a backup.
enum Output {
    Standard(std::io::Stdout),
    /// A temporary name until it is complete. Only its owner can read it.
    File(NamedTempFile, PathBuf),
}

impl Output {
    fn begin(path: &Path) -> Result<Self> {
        if path == Path::new(STANDARD) {
            let output = std::io::stdout();
            if output.is_terminal() {
                let message = "standard output is a terminal. Redirect it, or pass a file name";
                return Err(UsageError::new(message).into());
            }
            return Ok(Self::Standard(output));
        }
        let file = NamedTempFile::with_prefix_in(".roundtrip-backup-", folder(path))
            .with_context(|| format!("cannot create a file next to {}", path.display()))?;
        Ok(Self::File(file, path.to_owned()))
    }

    /// Completes the output and returns its name. A file is synced to disk and renamed.
    fn finish(self) -> Result<String> {
        match self {
            Self::Standard(mut output) => {
                output.flush().context("cannot write to standard output")?;
                Ok("standard output".to_owned())
            }
            Self::File(file, path) => {
                let named = file.as_file().sync_all().and_then(|()| {
                    file.persist(&path).map_err(|error| error.error)?;
                    File::open(folder(&path))?.sync_all()
                });
                named.with_context(|| format!("cannot write {}", path.display()))?;
                Ok(path.display().to_string())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Standard(output) => output.write(bytes),
            Self::File(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Standard(output) => output.flush(),
            Self::File(file, _) => file.flush(),
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
