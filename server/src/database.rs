//! The way to PostgreSQL, whoever runs it: connections, and the sentences for when there are none.

use crate::cli::DataArguments;
use crate::config;
use crate::postgres::{self, Embedded};
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

/// Who somebody is whom no address names.
const UNNAMED: &str = "anonymous";
/// PostgreSQL's code for a lock that was waited for too long.
const LOCK_NOT_AVAILABLE: &str = "55P03";
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a server asks whether another one has finished migrating.
const MIGRATION_POLL: Duration = Duration::from_millis(500);

/// A database that can be used, and the PostgreSQL behind it if this program started one.
pub(crate) struct Database {
    pub(crate) pool: PgPool,
    pub(crate) embedded: Option<Embedded>,
}

impl Database {
    /// Connects to `DATABASE_URL`, or starts the embedded PostgreSQL in the data directory, and applies all migrations.
    ///
    /// # Errors
    /// There is no database, or a migration fails. What was started is stopped again.
    pub(crate) async fn open(data: &DataArguments) -> Result<Self> {
        let database = match config::database_url() {
            Some(url) => Self::of(reachable(&url).await?, None),
            None => Self::start(&config::data_dir(data)?).await?,
        };
        database.migrated().await
    }

    /// The database of a verb that runs beside a server or without one, as [`Database::reach`] finds it. Only a running
    /// server migrates its own.
    ///
    /// # Errors
    /// There is no database, a migration fails, or the running server is an older one.
    pub(crate) async fn join(data: &DataArguments) -> Result<Self> {
        let database = Self::reach(data).await?;
        if config::database_url().is_some() || database.embedded.is_some() {
            return database.migrated().await;
        }
        let missing = schema::missing_migrations(&database.pool, &MIGRATOR).await;
        if !missing.context("cannot read the database")?.is_empty() {
            bail!(
                "the server that runs on {} is an older one: stop it first",
                config::data_dir(data)?.display()
            );
        }
        Ok(database)
    }

    /// The database as it is: `DATABASE_URL`, the PostgreSQL of the server that runs on the data directory, or that PostgreSQL
    /// started for the time being. Its statements are about many rows: none is noted for being slow.
    ///
    /// # Errors
    /// There is no database.
    pub(crate) async fn reach(data: &DataArguments) -> Result<Self> {
        let data_dir = config::data_dir(data)?;
        let options = match config::database_url() {
            Some(url) => Some(reachable(&url).await?),
            None => postgres::find_running(&data_dir).await?,
        };
        let (options, embedded) = match options {
            Some(options) => (options, None),
            None => {
                let embedded = Embedded::start(&data_dir).await?;
                (embedded.connect_options(), Some(embedded))
            }
        };
        Ok(Self::of(options.disable_statement_logging(), embedded))
    }

    async fn start(data_dir: &Path) -> Result<Self> {
        let embedded = Embedded::start(data_dir).await?;
        Ok(Self::of(embedded.connect_options(), Some(embedded)))
    }

    fn of(options: PgConnectOptions, embedded: Option<Embedded>) -> Self {
        Self { pool: pool(options), embedded }
    }

    async fn migrated(self) -> Result<Self> {
        match migrate(&self.pool).await {
            Ok(()) => Ok(self),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// The error of something that was done with it, in the words of whoever can mend it.
    pub(crate) fn explain(&self, error: anyhow::Error) -> anyhow::Error {
        match &self.embedded {
            Some(embedded) => embedded.explain(error),
            None => error,
        }
    }

    /// Does something with a database that is opened for it, and closed after; nothing where this program was asked to end first.
    ///
    /// # Errors
    /// There is none, or what is done fails.
    pub(crate) async fn with(
        opened: impl Future<Output = Result<Self>>,
        shutdown: &Shutdown,
        work: impl AsyncFnOnce(&Self) -> Result<()>,
    ) -> Result<()> {
        let Some(database) = shutdown.unless_requested(opened).await else { return Ok(()) };
        let database = database?;
        let result = work(&database).await.map_err(|error| database.explain(error));
        database.close().await;
        result
    }

    /// Closes all connections and stops what was started.
    pub(crate) async fn close(self) {
        if tokio::time::timeout(CLOSE_TIMEOUT, self.pool.close()).await.is_err() {
            tracing::warn!("connections to the database are still busy and were cut off");
        }
        drop(self.embedded);
    }
}

/// What `DATABASE_URL` says, after one connection was made with it.
///
/// # Errors
/// It is no address, or nothing answers there.
pub(crate) async fn reachable(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url).context(
        "DATABASE_URL is no address of a PostgreSQL: expected postgres://user:password@host:port/database",
    )?;
    let options = as_who_runs_this(options, url);
    try_connection(&options)
        .await
        .with_context(|| format!("cannot connect to {}, which DATABASE_URL names", name(&options)))?;
    Ok(options)
}

/// Where neither the address nor `PGUSER` names a user, it is the one of the system who runs this, as everywhere with PostgreSQL
/// (libpq, "Parameter Key Words": `user`). The address was read as if it were somebody called `anonymous`.
fn as_who_runs_this(options: PgConnectOptions, url: &str) -> PgConnectOptions {
    let is_named = options.get_username() != UNNAMED || url.contains(UNNAMED);
    match User::from_uid(Uid::effective()) {
        Ok(Some(user)) if !is_named => options.username(&user.name),
        _ => options,
    }
}

/// Applies the migrations that are missing, when no other server does.
///
/// # Errors
/// The database does not answer, or a migration fails.
pub(crate) async fn migrate(pool: &PgPool) -> Result<()> {
    let mut migration = Migration::begin(pool).await?;
    let applied = migration.apply(|_| true).await;
    migration.end().await?;
    applied
}

/// The right to migrate: only one program has it at a time.
pub(crate) struct Migration {
    connection: PoolConnection<Postgres>,
}

impl Migration {
    /// Waits for the right, and takes over the tables of the version before the baseline.
    ///
    /// # Errors
    /// The database does not answer, or its tables are older than those that are taken over.
    pub(crate) async fn begin(pool: &PgPool) -> Result<Self> {
        let mut connection = pool.acquire().await.context("cannot connect to the database")?;
        // The right is the connection's: whatever becomes of this program, it ends with it.
        connection.close_on_drop();
        schema::limit_lock_waits(&mut connection).await.context("cannot ask for a limit of waiting")?;
        // Waiting inside the database, as sqlx does by itself, would be a transaction that an index which is being made
        // concurrently waits for.
        while !schema::try_lock(&mut connection).await.context("cannot lock the database's tables")? {
            tracing::info!("another server brings the tables up to date");
            tokio::time::sleep(MIGRATION_POLL).await;
        }
        take_over(&mut connection).await?;
        Ok(Self { connection })
    }

    /// Applies those migrations that are missing and wanted, by their versions.
    ///
    /// # Errors
    /// One fails, or the database knows one that is not wanted.
    pub(crate) async fn apply(&mut self, is_wanted: impl Fn(i64) -> bool) -> Result<()> {
        let wanted = MIGRATOR.iter().filter(|migration| is_wanted(migration.version)).cloned().collect();
        schema::apply(&mut self.connection, Migrator::with_migrations(wanted)).await.map_err(not_migrated)
    }

    /// Gives the right back.
    ///
    /// # Errors
    /// The database does not answer.
    pub(crate) async fn end(mut self) -> Result<()> {
        schema::unlock(&mut self.connection).await.context("cannot unlock the database's tables")
    }
}

async fn take_over(connection: &mut PgConnection) -> Result<()> {
    match Replaced::find(connection).await.context("cannot read the database")? {
        Replaced::None => Ok(()),
        Replaced::Complete => {
            tracing::info!("the tables are those of the version before: they are taken over");
            baseline::take_over(connection, &MIGRATOR).await.context("cannot take over the database's tables")
        }
        Replaced::Incomplete { last } => bail!(
            "the database's tables are too old (their last migration is {last}, and this server takes over those up to \
             {}): start the version before this one on it once, or restore its backup there; then start this one",
            baseline::LAST_REPLACED
        ),
        Replaced::Edited => bail!(
            "the database's migrations up to {} are not the published ones: back it up, and look for what was changed",
            baseline::LAST_REPLACED
        ),
    }
}

fn not_migrated(error: MigrateError) -> anyhow::Error {
    match error {
        MigrateError::VersionMissing(version) => anyhow::anyhow!(
            "the database was used by a newer server (its migration {version} is unknown to this one): start that \
             server or a newer one"
        ),
        MigrateError::ExecuteMigration(sqlx::Error::Database(error), version)
            if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) =>
        {
            anyhow::anyhow!(
                "tables are in use, and migration {version} does not wait longer: end what works on the database (another \
                 server, a backup, a psql) or let it end, and start again"
            )
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whom_no_address_names_is_the_user_who_runs_this() {
        let user = |url: &str| {
            let options = PgConnectOptions::from_str(url).unwrap();
            as_who_runs_this(options, url).get_username().to_owned()
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
