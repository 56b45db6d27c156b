//! The way to PostgreSQL, whoever runs it: connections, and the sentences for when there are none.

use crate::postgres::Embedded;
use anyhow::{Context, Result};
use roundtrip_server::MIGRATOR;
use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// Fits into the embedded PostgreSQL's limit with room for `psql` beside it.
const CONNECTIONS_MAX: u32 = 20;
/// How long a request waits for a free connection before its client is told to come back.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one attempt to reach a database may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A database that can be used, and the PostgreSQL behind it if this program started one.
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    pub(crate) embedded: Option<Embedded>,
}

impl Database {
    /// Connects to `url`, or starts the embedded PostgreSQL in `data_dir`, and applies all migrations.
    ///
    /// # Errors
    /// There is no database, or a migration fails. What was started is stopped again.
    pub(crate) async fn open(url: Option<&str>, data_dir: &Path) -> Result<Self> {
        let (options, embedded) = match url {
            Some(url) => (reachable(url).await?, None),
            None => {
                let embedded = Embedded::start(data_dir).await?;
                (embedded.connect_options(), Some(embedded))
            }
        };
        let database = Self { pool: pool(options), embedded };
        match MIGRATOR.run(&database.pool).await.map_err(not_migrated) {
            Ok(()) => Ok(database),
            Err(error) => Err(database.explain(error)),
        }
    }

    /// The error of something that was done with it, in the words of whoever can mend it.
    pub(crate) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.embedded {
            Some(embedded) => embedded.explain(error),
            None => error,
        }
    }

    /// Closes all connections and stops what was started.
    pub(crate) async fn close(self) {
        if tokio::time::timeout(CLOSE_TIMEOUT, self.pool.close()).await.is_err() {
            tracing::warn!("connections to the database are still busy and were cut off");
        }
        drop(self.embedded);
    }
}

/// Connections that are made when they are needed.
pub(crate) fn pool(options: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_lazy_with(options)
}

/// What `DATABASE_URL` says, after one connection was made with it.
///
/// # Errors
/// It is no address, or nothing answers there.
pub(crate) async fn reachable(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url).context(
        "DATABASE_URL is no address of a PostgreSQL: expected postgres://user:password@host:port/database",
    )?;
    connect(&options)
        .await
        .with_context(|| format!("cannot connect to {}, which DATABASE_URL names", name(&options)))?;
    Ok(options)
}

/// Makes one connection and closes it.
///
/// # Errors
/// Nothing answers in time, or it refuses.
pub(crate) async fn connect(options: &PgConnectOptions) -> sqlx::Result<()> {
    let connection = tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options))
        .await
        .map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
    connection.close().await
}

fn not_migrated(error: MigrateError) -> anyhow::Error {
    match error {
        MigrateError::VersionMissing(version) => anyhow::anyhow!(
            "the database was used by a newer server (its migration {version} is unknown to this one): start that \
             server or a newer one"
        ),
        error => anyhow::Error::new(error).context("cannot bring the database's tables up to date"),
    }
}

/// The database without its password.
fn name(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or(options.get_username());
    match options.get_socket() {
        Some(socket) => format!("the database {database} in {}", socket.display()),
        None => format!("the database {database} on {}:{}", options.get_host(), options.get_port()),
    }
}
