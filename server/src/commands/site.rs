//! `site`: turns reports into static pages. `import-site`: stores the same reports on a server.

use crate::cli::{DataArguments, ReportArguments, SiteArguments};
use crate::config::UsageError;
use crate::database::Database;
use crate::shutdown::Shutdown;
use anyhow::{Context, Result, bail};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use roundtrip_domain::ingest::Stored;
use roundtrip_domain::units::counted;
use roundtrip_server::AppState;
use roundtrip_server::site::reports::{self, ReportFile};
use roundtrip_server::site::{self, Written};
use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const INTERRUPTED: &str = "interrupted: the site is incomplete. Repeat the command";
const ONLY_OWNER: u32 = 0o700;
/// Root runs PostgreSQL as another user, who must be able to enter the folder.
const ENTERED_BY_ALL: u32 = 0o711;

pub(crate) async fn site(arguments: SiteArguments) -> Result<()> {
    let shutdown = Shutdown::watch(false)?;
    let reports = Reports::open(&arguments.reports)?;
    let files = reports::find(&reports.folder)?;
    site::check_folder(&arguments.output)?;
    let folder = temporary(ENTERED_BY_ALL)?;
    let data_dir = folder.path().join("data");
    let opened = Database::temporary(&data_dir);
    let database = shutdown.unless_requested(opened).await.context(INTERRUPTED)?;
    let database = database.with_context(|| {
        format!("cannot create a database in {}: set TMPDIR to another folder", data_dir.display())
    })?;
    let state = site::state(database.pool.clone());
    let written = shutdown.unless_requested(async {
        store(&state, &files).await?;
        site::analyse(&state).await?;
        site::write(&state, &arguments.output).await
    });
    let written = written.await.map(|written| written.map_err(|error| database.explain(error)));
    database.close().await;
    let Written { file_count, byte_count, changed_count, removed_count } = written.context(INTERRUPTED)??;
    crate::print(&format!(
        "{}: {}, {}, {}; {changed_count} written, {removed_count} removed",
        arguments.output.display(),
        counted(files.len(), "report"),
        counted(file_count, "file"),
        HumanBytes(byte_count)
    ))
}

pub(crate) async fn import_site(arguments: ReportArguments, data: &DataArguments) -> Result<()> {
    let reports = Reports::open(&arguments)?;
    let files = reports::find(&reports.folder)?;
    Database::with(Database::join(data), async |database, shutdown| {
        let state = AppState::new(database.pool.clone());
        let Some(new_count) = shutdown.unless_requested(store(&state, &files)).await else {
            bail!("interrupted: repeat the command to store the other reports");
        };
        let new_count = new_count?;
        let projects: BTreeSet<&str> = files.iter().map(|file| file.project.as_str()).collect();
        let projects = projects.into_iter().collect::<Vec<_>>().join(", ");
        let known_count = files.len() - new_count;
        crate::print(&format!(
            "{projects}: {} stored, {known_count} stored before",
            counted(new_count, "run")
        ))
    })
    .await
}

/// Stores all reports, and returns the number of new ones.
async fn store(state: &AppState, files: &[ReportFile]) -> Result<usize> {
    let bar = ProgressBar::new(files.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar:.dim} {pos}/{len} reports  {eta} left") {
        bar.set_style(style.progress_chars("━╸─"));
    }
    let mut new_count = 0;
    // One after the other, so that the numbers of series and projects depend only on the reports.
    for file in files {
        new_count += usize::from(reports::store(state, file).await? == Stored::Created);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(new_count)
}

/// The folder of reports, which is temporary if they are from a Git revision.
struct Reports {
    folder: PathBuf,
    _temporary: Option<TempDir>,
}

impl Reports {
    fn open(arguments: &ReportArguments) -> Result<Self> {
        match (&arguments.reports, &arguments.revision) {
            (Some(folder), None) => Ok(Self { folder: folder.clone(), _temporary: None }),
            (folder, Some(revision)) => {
                let temporary = temporary(ONLY_OWNER)?;
                let repository = folder.as_deref().unwrap_or(Path::new("."));
                reports::check_out(repository, revision, temporary.path())?;
                Ok(Self { folder: temporary.path().to_owned(), _temporary: Some(temporary) })
            }
            (None, None) => {
                Err(UsageError::new("reports are missing: pass their folder, or --revision with a branch")
                    .into())
            }
        }
    }
}

/// A folder that is removed in the end.
fn temporary(mode: u32) -> Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("roundtrip-site-").permissions(Permissions::from_mode(mode));
    builder.tempdir().context("cannot create a temporary folder")
}
