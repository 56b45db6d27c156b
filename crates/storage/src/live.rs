//! Messages between servers, by NOTIFY and LISTEN.

use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgListener, PgNotification};
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use uuid::Uuid;

/// The channel of new runs, the same in all versions.
const CHANNEL: &str = "roundtrip_runs";
/// The channel of changes that can end access, likewise.
const ACCESS_CHANNEL: &str = "roundtrip_access";

/// A stored run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewRun {
    /// Its id.
    pub run_id: Uuid,
    /// Its machine.
    pub machine: String,
    /// Its commit's ordinal.
    pub commit_ordinal: i64,
}

/// Runs by id, each with its project. Unknown ones are skipped.
pub async fn stored(pool: &PgPool, run_ids: &[Uuid]) -> sqlx::Result<Vec<(String, NewRun)>> {
    sqlx::query!(
        "select run.run_id, project.slug as project, machine.slug as machine, commit.ordinal as commit_ordinal
         from run
         join project on project.project_id = run.project_id
         join machine on machine.machine_id = run.machine_id
         join commit on commit.commit_id = run.commit_id
         where run.run_id = any ($1)",
        run_ids,
    )
    .map(|row| {
        let run = NewRun { run_id: row.run_id, machine: row.machine, commit_ordinal: row.commit_ordinal };
        (row.project, run)
    })
    .fetch_all(pool)
    .await
}

/// Notifies all servers.
///
/// # Errors
/// A text is too long.
pub async fn notify(pool: &PgPool, payloads: &[String]) -> sqlx::Result<()> {
    sqlx::query!("select pg_notify($1, payload) from unnest($2::text[]) as payload", CHANNEL, payloads)
        .execute(pool)
        .await?;
    Ok(())
}

/// Notifies all servers, when the transaction commits, that access may have ended.
pub(super) async fn notify_access(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!("select pg_notify($1, '')", ACCESS_CHANNEL).execute(connection).await?;
    Ok(())
}

/// Whether a notification says that access may have ended. All others are about runs.
pub fn is_about_access(notification: &PgNotification) -> bool {
    notification.channel() == ACCESS_CHANNEL
}

/// A connection that receives notifications of all servers from now on.
pub async fn listen(pool: &PgPool) -> sqlx::Result<PgListener> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen_all([CHANNEL, ACCESS_CHANNEL]).await?;
    Ok(listener)
}

/// Checks the connection.
///
/// # Errors
/// The connection is broken.
pub async fn check(listener: &mut PgListener) -> sqlx::Result<()> {
    sqlx::query!("select 1 as answer").fetch_one(listener).await?;
    Ok(())
}
