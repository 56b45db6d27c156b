//! [`pool()`]: the connections that requests and background work share.

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool};
use std::time::Duration;

/// Fits into the embedded PostgreSQL's limit with room for `psql` beside it.
const CONNECTIONS_MAX: u32 = 20;
/// How long a request waits for a free connection before its client is told to come back.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection that was used this recently is taken to be there still.
const IDLE_TRUSTED: Duration = Duration::from_secs(1);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes one connection and closes it.
///
/// # Errors
/// Nothing answers in time, or it refuses.
pub async fn try_connection(options: &PgConnectOptions) -> sqlx::Result<()> {
    let connection = tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options))
        .await
        .map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
    connection.close().await
}

/// Connections that are made when they are needed.
///
/// Each plans a statement once, not knowing its parameters. Otherwise PostgreSQL may plan each time it is asked, which takes
/// longer than most of the statements, or change to another plan after the fifth.
///
/// None keeps the room that its largest statement took: that is as much as the largest upload, as many times as there are
/// connections.
pub fn pool(options: PgConnectOptions) -> PgPool {
    let options = options.options([("plan_cache_mode", "force_generic_plan")]);
    PgPoolOptions::new()
        .max_connections(CONNECTIONS_MAX)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        // Asking each time whether it is still there takes as long as many a statement.
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
