//! `postgres`: runs only the embedded PostgreSQL, for `psql` and for tests.

use crate::cli::PostgresArguments;
use crate::config;
use crate::lifeline::Shutdown;
use crate::postgres::Embedded;
use anyhow::Result;

/// Runs the verb.
///
/// # Errors
/// PostgreSQL does not start, or ends by itself.
pub(crate) async fn postgres(arguments: PostgresArguments) -> Result<()> {
    let shutdown = Shutdown::watch(arguments.lifeline.stop_with_stdin)?;
    let data_dir = config::data_dir(&arguments.data)?;
    let Some(embedded) = shutdown.unless_requested(Embedded::start(&data_dir)).await else {
        return Ok(());
    };
    let mut embedded = embedded?;
    crate::print(&embedded.url())?;
    tokio::select! {
        () = shutdown.requested() => {
            embedded.announce_stop();
            Ok(())
        }
        error = embedded.ended() => Err(error),
    }
}
