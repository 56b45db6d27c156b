//! The embedded PostgreSQL: an installed PostgreSQL with its files in the data directory, started and stopped with
//! the server.
//!
//! # Codemap
//! - [`locate`]: PostgreSQL's programs. [`account`]: the user that runs them. [`layout`]: paths in the data
//!   directory.
//! - [`lock`]: allows one server per directory, and shows when all PostgreSQL processes have ended.
//! - [`cluster`]: creates the database files.
//! - [`guard`]: the small process between the server and PostgreSQL. [`guarded`]: the server's handle of it.
//! - [`diagnostics`]: turns PostgreSQL's log into an error message.

mod account;
mod cluster;
mod diagnostics;
pub(crate) mod guard;
mod guarded;
mod layout;
mod locate;
mod lock;

use account::Account;
use anyhow::{Context, Result, bail};
use guarded::Guarded;
use layout::Layout;
use locate::Programs;
use lock::{ServerLock, TreeLock};
use roundtrip_storage::pool::try_connection;
use sqlx::migrate::MigrateDatabase;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// The name of the database and of its superuser.
const NAME: &str = "roundtrip";
/// The port in the socket's name. PostgreSQL does not listen on TCP.
const PORT: u16 = 5432;
/// The timeout for starting PostgreSQL, which replays its log after a crash.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
const READY_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The timeout for processes of an earlier PostgreSQL to end.
const END_TIMEOUT: Duration = Duration::from_secs(30);

/// SQLSTATE for a missing database.
const INVALID_CATALOG_NAME: &str = "3D000";

/// The data that a crash of the machine can lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// A crash loses nothing.
    Full,
    /// A crash can lose the whole database. For tests.
    None,
}

impl Durability {
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Full => &["fsync=on"],
            Self::None => &["fsync=off", "full_page_writes=off", "synchronous_commit=off"],
        }
    }
}

/// A PostgreSQL started by this process. Dropping it stops it and waits for the end of its last process.
pub(crate) struct Embedded {
    layout: Layout,
    server_lock: ServerLock,
    guarded: Guarded,
}

impl Embedded {
    /// Starts the PostgreSQL of `data_dir`, and creates its files if there are none. If it fails, nothing is left
    /// running.
    pub(crate) async fn start(data_dir: &Path, durability: Durability) -> Result<Self> {
        Self::start_or_fail(data_dir, durability).await.map_err(|error| diagnostics::explain(error, data_dir))
    }

    async fn start_or_fail(data_dir: &Path, durability: Durability) -> Result<Self> {
        let account = Account::for_cluster(&layout::cluster_of(data_dir))?;
        let layout = Layout::prepare(data_dir, &account)?;
        let server_lock = ServerLock::take(&layout.server_lock()).await?;
        let tree_lock = TreeLock::take(&layout, END_TIMEOUT).await?;
        let version = cluster::version(&layout.cluster())?;
        let programs = Programs::find(&account, version)?;
        match version {
            Some(version) => cluster::check_version(&layout.cluster(), version, &programs)?,
            None => cluster::create(&layout, &account, &programs, &tree_lock).await?,
        }
        layout.remove_stale_files()?;
        let log = layout.start_log()?;
        let guarded = start_postmaster(&layout, &account, &programs, durability, &tree_lock, log)?;
        // From here on, only the guard and PostgreSQL hold the lock, so it is free when they have ended.
        drop(tree_lock);
        let mut embedded = Self { layout, server_lock, guarded };
        embedded.wait_until_ready().await?;
        Ok(embedded)
    }

    pub(crate) fn connect_options(&self) -> PgConnectOptions {
        connect_options(&self.layout.socket_dir)
    }

    /// The address for any program of the same user.
    pub(crate) fn url(&self) -> String {
        url(&self.layout.socket_dir)
    }

    /// Waits until PostgreSQL ends unexpectedly, and returns the error.
    pub(crate) async fn ended(&mut self) -> anyhow::Error {
        let status = self.guarded.ended().await;
        let log = self.layout.log();
        anyhow::anyhow!("PostgreSQL ended unexpectedly ({status}). See its log {}", log.display())
    }

    /// Returns the error, or advice about a full disk if that caused it.
    pub(crate) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        diagnostics::explain(error, &self.layout.data_dir)
    }

    /// Announces to a waiting server that this directory will soon be free.
    pub(crate) fn announce_stop(&mut self) {
        self.server_lock.announce_stop();
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let options = self.connect_options();
        let started = Instant::now();
        loop {
            let error = match try_connection(&options).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let code = error.as_database_error().and_then(|error| error.code());
            if code.is_some_and(|code| code == INVALID_CATALOG_NAME) {
                // This is the first start, or the first start was interrupted.
                sqlx::Postgres::create_database(&self.url())
                    .await
                    .with_context(|| format!("cannot create the database {NAME}"))?;
                continue;
            }
            if let Some(status) = self.guarded.status() {
                return Err(self.failed_to_start(status));
            }
            if started.elapsed() > READY_TIMEOUT {
                let log = self.layout.log();
                return Err(error).with_context(|| {
                    format!(
                        "PostgreSQL did not answer within {} s. See its log {}",
                        READY_TIMEOUT.as_secs(),
                        log.display()
                    )
                });
            }
            tokio::time::sleep(READY_POLL_INTERVAL).await;
        }
    }

    fn failed_to_start(&self, status: ExitStatus) -> anyhow::Error {
        let log = self.layout.log();
        // An unreadable log counts as empty.
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        if diagnostics::is_disk_full(&text, &self.layout.data_dir) {
            return diagnostics::disk_full(&self.layout.data_dir);
        }
        match diagnostics::last(&text) {
            Some(complaint) => {
                anyhow::anyhow!("PostgreSQL did not start: {complaint}. See its log {}", log.display())
            }
            None => anyhow::anyhow!("PostgreSQL did not start ({status}). See its log {}", log.display()),
        }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.guarded.stop();
        // A killed guard could not stop PostgreSQL.
        if let Err(error) = lock::end_tree(&self.layout, END_TIMEOUT) {
            tracing::error!("{error:#}");
        }
        self.layout.remove_outer_socket_dir();
    }
}

/// The folder of the programs for the PostgreSQL of `data_dir`; `None` without suitable programs.
pub(crate) fn programs_for(data_dir: &Path) -> Result<Option<PathBuf>> {
    let cluster = layout::cluster_of(data_dir);
    let account = Account::for_cluster(&cluster)?;
    let version = cluster::version(&cluster)?;
    let programs = Programs::find(&account, version).ok();
    let programs = programs.filter(|programs| version.is_none_or(|version| version == programs.version));
    Ok(programs.map(|programs| programs.folder))
}

/// The options to connect to the PostgreSQL that another process runs in `data_dir`.
pub(crate) async fn running(data_dir: &Path) -> Result<PgConnectOptions> {
    find_running(data_dir).await?.with_context(|| {
        format!(
            "no server is running on {}. Start it with `roundtrip-server serve`, or set DATABASE_URL",
            data_dir.display()
        )
    })
}

/// The options to connect to the PostgreSQL that another process runs in `data_dir`, if any.
pub(crate) async fn find_running(data_dir: &Path) -> Result<Option<PgConnectOptions>> {
    let shown = data_dir.display();
    let Ok(data_dir) = data_dir.canonicalize() else { return Ok(None) };
    let options = connect_options(&layout::socket_dir_of(&data_dir));
    match try_connection(&options).await {
        Ok(()) => Ok(Some(options)),
        Err(sqlx::Error::Io(error)) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            bail!("the server on {shown} belongs to another user. Run this as that user or as root")
        }
        Err(sqlx::Error::Io(_)) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot connect to the PostgreSQL of {shown}")),
    }
}

fn start_postmaster(
    layout: &Layout,
    account: &Account,
    programs: &Programs,
    durability: Durability,
    lock: &TreeLock,
    log: File,
) -> Result<Guarded> {
    // The directory is quoted, because the setting is a list.
    let socket_dir = layout.socket_dir.display().to_string().replace('"', "\"\"");
    let settings = [
        "listen_addresses=".to_owned(),
        format!("unix_socket_directories=\"{socket_dir}\""),
        "unix_socket_permissions=0700".to_owned(),
        "logging_collector=off".to_owned(),
        "log_destination=stderr".to_owned(),
        "log_line_prefix=%m ".to_owned(),
        "log_checkpoints=off".to_owned(),
        "max_connections=50".to_owned(),
        "shared_buffers=256MB".to_owned(),
        // After a checkpoint, the first change of a page logs the whole page, and each series has its own pages.
        // Frequent checkpoints under load would write most pages repeatedly. Only a busy server reaches this log
        // size.
        "max_wal_size=4GB".to_owned(),
    ];
    let mut command: Vec<OsString> = vec![
        programs.folder.join("postgres").into(),
        "-D".into(),
        layout.cluster().into(),
        "-p".into(),
        PORT.to_string().into(),
    ];
    for setting in settings.into_iter().chain(durability.settings().iter().map(ToString::to_string)) {
        command.extend(["-c".into(), setting.into()]);
    }
    let errors = log.try_clone().context("cannot duplicate the handle of PostgreSQL's log")?;
    Guarded::spawn(account, &command, lock, log.into(), errors.into())
}

fn connect_options(socket_dir: &Path) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(socket_dir)
        .port(PORT)
        .username(NAME)
        .database(NAME)
        .ssl_mode(PgSslMode::Disable)
}

fn url(socket_dir: &Path) -> String {
    let directory = socket_dir.to_string_lossy();
    let host = percent_encoding::utf8_percent_encode(&directory, percent_encoding::NON_ALPHANUMERIC);
    format!("postgresql:///{NAME}?host={host}&port={PORT}&user={NAME}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    #[test]
    fn url_works_for_any_directory() {
        let directory = Path::new("/srv/my data/50%/a&b/run");
        let options = PgConnectOptions::from_str(&url(directory)).unwrap();
        assert_eq!(options.get_socket().map(PathBuf::as_path), Some(directory));
        assert_eq!(options.get_database(), Some(NAME));
        assert_eq!(options.get_username(), NAME);
        assert_eq!(options.get_port(), PORT);
    }
}
