//! Connections to PostgreSQL, embedded or external.

use crate::cli::DataArguments;
use crate::config;
use crate::postgres::{self, Durability, Embedded};
use crate::shutdown::Shutdown;
use anyhow::{Context, Result, bail};
use nix::unistd::{Uid, User};
use roundtrip_server::MIGRATOR;
use roundtrip_storage::baseline::{self, Replaced};
use roundtrip_storage::pool::{pool, try_connection};
use roundtrip_storage::schema;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection, PgPool, Postgres};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// The user name that sqlx assumes by default.
const SQLX_DEFAULT_USER: &str = "anonymous";
/// SQLSTATE of a lock timeout.
const LOCK_NOT_AVAILABLE: &str = "55P03";
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval at which a server checks whether another one has finished migrating.
const MIGRATION_POLL: Duration = Duration::from_millis(500);

/// A usable database, with the embedded PostgreSQL if this program started it.
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    pub(crate) embedded: Option<Embedded>,
}

impl Database {
    /// Connects to `DATABASE_URL`, or starts the embedded PostgreSQL in the data directory, and applies all migrations.
    /// If it fails, an embedded PostgreSQL is stopped again.
    pub(crate) async fn open(data: &DataArguments) -> Result<Self> {
        let (options, embedded) = match config::database_url() {
            Some(url) => (reachable(&url).await?, None),
            None => start(&config::data_dir(data)?).await?,
        };
        Self { pool: pool(options), embedded }.migrated().await
    }

    /// A database of its own in a new folder, which a crash may leave incomplete. It never uses `DATABASE_URL`.
    pub(crate) async fn temporary(folder: &Path) -> Result<Self> {
        let embedded = Embedded::start(folder, Durability::None).await?;
        let options = embedded.connect_options().disable_statement_logging();
        Self { pool: pool(options), embedded: Some(embedded) }.migrated().await
    }

    /// The database for a command that runs next to a server or without one, from [`Database::reach`]. Migrates it
    /// unless a server is running. Fails if the running server is older.
    pub(crate) async fn join(data: &DataArguments) -> Result<Self> {
        let database = Self::reach(data).await?;
        if config::database_url().is_some() || database.embedded.is_some() {
            return database.migrated().await;
        }
        let missing = schema::missing_migrations(&database.pool, &MIGRATOR).await;
        if !missing.context("cannot read the database")?.is_empty() {
            bail!(
                "the running server on {} has an older version. Stop it first",
                config::data_dir(data)?.display()
            );
        }
        Ok(database)
    }

    /// The database without migrations: `DATABASE_URL`, the PostgreSQL of the server running on the data directory,
    /// or that PostgreSQL started temporarily. Slow statements are not logged, because commands process many rows.
    pub(crate) async fn reach(data: &DataArguments) -> Result<Self> {
        let data_dir = config::data_dir(data)?;
        let options = match config::database_url() {
            Some(url) => Some(reachable(&url).await?),
            None => postgres::find_running(&data_dir).await?,
        };
        let (options, embedded) = match options {
            Some(options) => (options, None),
            None => start(&data_dir).await?,
        };
        Ok(Self { pool: pool(options.disable_statement_logging()), embedded })
    }

    async fn migrated(self) -> Result<Self> {
        match migrate(&self.pool).await {
            Ok(()) => Ok(self),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// An error with advice, if the embedded PostgreSQL caused it.
    pub(crate) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.embedded {
            Some(embedded) => embedded.explain(error),
            None => error,
        }
    }

    /// Opens a database, runs `work` and closes it. Does nothing after a stop signal.
    pub(crate) async fn with(
        opened: impl Future<Output = Result<Self>>,
        work: impl AsyncFnOnce(&Self, &Shutdown) -> Result<()>,
    ) -> Result<()> {
        let shutdown = Shutdown::watch(false)?;
        let Some(database) = shutdown.unless_requested(opened).await else { return Ok(()) };
        let database = database?;
        let result = work(&database, &shutdown).await.map_err(|error| database.explain(error));
        database.close().await;
        result
    }

    /// Closes all connections and stops an embedded PostgreSQL.
    pub(crate) async fn close(self) {
        if tokio::time::timeout(CLOSE_TIMEOUT, self.pool.close()).await.is_err() {
            tracing::warn!("closed connections to the database that were still busy");
        }
        drop(self.embedded);
    }
}

async fn start(data_dir: &Path) -> Result<(PgConnectOptions, Option<Embedded>)> {
    let embedded = Embedded::start(data_dir, Durability::Full).await?;
    Ok((embedded.connect_options(), Some(embedded)))
}

/// The options from `DATABASE_URL`, checked with one connection.
pub(crate) async fn reachable(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url)
        .context("DATABASE_URL is invalid: expected postgres://user:password@host:port/database")?;
    let options = with_default_user(options, url);
    try_connection(&options)
        .await
        .with_context(|| format!("cannot connect to {} from DATABASE_URL", name(&options)))?;
    Ok(options)
}

/// Without a user in the address or `PGUSER`, uses the operating system's user, like libpq ("Parameter Key Words":
/// `user`). sqlx would use `anonymous`.
fn with_default_user(options: PgConnectOptions, url: &str) -> PgConnectOptions {
    let is_named = options.get_username() != SQLX_DEFAULT_USER || url.contains(SQLX_DEFAULT_USER);
    match User::from_uid(Uid::effective()) {
        Ok(Some(user)) if !is_named => options.username(&user.name),
        _ => options,
    }
}

/// Applies missing migrations, while no other server does.
pub(crate) async fn migrate(pool: &PgPool) -> Result<()> {
    let mut migration = Migration::begin(pool).await?;
    let applied = migration.apply(|_| true).await;
    migration.end().await?;
    applied
}

/// A lock on migrations, held by one program at a time.
pub(crate) struct Migration {
    connection: PoolConnection<Postgres>,
}

impl Migration {
    /// Takes the lock, and adopts the tables of the version before the baseline.
    pub(crate) async fn begin(pool: &PgPool) -> Result<Self> {
        let mut connection = pool.acquire().await.context("cannot connect to the database")?;
        // The connection holds the lock, so it is released however this program ends.
        connection.close_on_drop();
        schema::limit_lock_waits(&mut connection).await.context("cannot set the lock timeout")?;
        // sqlx would wait inside the database. That would be a transaction, and a concurrent index build would wait
        // for it.
        while !schema::try_lock(&mut connection).await.context("cannot lock the database's tables")? {
            tracing::info!("waiting for another server to apply migrations");
            tokio::time::sleep(MIGRATION_POLL).await;
        }
        take_over(&mut connection).await?;
        Ok(Self { connection })
    }

    /// Applies missing migrations with the given versions.
    pub(crate) async fn apply(&mut self, is_wanted: impl Fn(i64) -> bool) -> Result<()> {
        let wanted = MIGRATOR.iter().filter(|migration| is_wanted(migration.version)).cloned().collect();
        schema::apply(&mut self.connection, Migrator::with_migrations(wanted)).await.map_err(not_migrated)
    }

    /// Releases the lock.
    pub(crate) async fn end(mut self) -> Result<()> {
        schema::unlock(&mut self.connection).await.context("cannot unlock the database's tables")
    }
}

async fn take_over(connection: &mut PgConnection) -> Result<()> {
    match Replaced::find(connection).await.context("cannot read the database")? {
        Replaced::None => Ok(()),
        Replaced::Complete => {
            tracing::info!("adopting the tables of the previous version");
            baseline::take_over(connection, &MIGRATOR)
                .await
                .context("cannot adopt the tables of the previous version")
        }
        Replaced::Incomplete { last } => bail!(
            "the database is too old: its last migration is {last}, expected {}. Start the previous version of the server on \
             it once, then this one",
            baseline::LAST_REPLACED
        ),
        Replaced::Edited => bail!(
            "the database's migrations up to {} differ from the published ones. Back it up, and find the change",
            baseline::LAST_REPLACED
        ),
    }
}

fn not_migrated(error: MigrateError) -> anyhow::Error {
    match error {
        MigrateError::VersionMissing(version) => anyhow::anyhow!(
            "the database was migrated by a newer server (migration {version}). Start that version or a newer one"
        ),
        MigrateError::ExecuteMigration(sqlx::Error::Database(error), version)
            if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) =>
        {
            anyhow::anyhow!(
                "migration {version} timed out waiting for a lock. Stop other servers, backups or psql sessions on the \
                 database, then start again"
            )
        }
        error => anyhow::Error::new(error).context("cannot apply migrations"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_user_is_the_current_user() {
        let user = |url: &str| {
            let options = PgConnectOptions::from_str(url).unwrap();
            with_default_user(options, url).get_username().to_owned()
        };
        assert_eq!(user("postgres://ada@host/roundtrip"), "ada");
        assert_eq!(user("postgres://anonymous@host/roundtrip"), "anonymous");
        assert_eq!(user("postgres://host/roundtrip?user=ada"), "ada");
        if std::env::var_os("PGUSER").is_none() {
            let own = User::from_uid(Uid::effective()).unwrap().unwrap().name;
            assert_eq!(user("postgres://host/roundtrip"), own);
        }
    }
}
