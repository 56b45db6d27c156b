//! [`pool()`]: the connections shared by requests and background work.

use crate::distribution;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool};
use std::time::Duration;

/// Below the embedded PostgreSQL's limit, with room for `psql`.
const CONNECTIONS_MAX: u32 = 20;
/// A request that waits longer for a free connection fails with 503.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection used this recently is assumed to be alive.
const IDLE_TRUSTED: Duration = Duration::from_secs(1);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens a connection and closes it.
///
/// # Errors
/// The database does not answer in time, or rejects the connection.
pub async fn try_connection(options: &PgConnectOptions) -> sqlx::Result<()> {
    let connection = tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options))
        .await
        .map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
    connection.close().await
}

/// A pool that opens connections when needed.
///
/// Each connection plans a statement once, with a generic plan. Otherwise PostgreSQL may plan each execution,
/// which takes longer than most statements, or change the plan after the fifth. Distributed tables are the
/// exception: only the values of parameters tell which node a statement is for.
///
/// No connection keeps the buffer of its largest statement, which would be the size of the largest upload for
/// every connection.
pub fn pool(options: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move {
                if !distribution::is_possible(&mut *connection).await? {
                    sqlx::raw_sql("set plan_cache_mode = force_generic_plan").execute(connection).await?;
                }
                Ok(())
            })
        })
        // Testing before each use takes as long as many statements.
        .test_before_acquire(false)
        .before_acquire(|connection, metadata| {
            Box::pin(async move {
                if metadata.idle_for > IDLE_TRUSTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_release(|connection, _| {
            connection.shrink_buffers();
            Box::pin(std::future::ready(Ok(true)))
        })
        .connect_lazy_with(options)
}
