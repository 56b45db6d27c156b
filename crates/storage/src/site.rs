//! The database behind a site without a server.

use sqlx::PgPool;

/// Replaces every time of this server's clock that the API shows by a time of the runs, so that the same runs always give the
/// same answers.
///
/// # Errors
/// The database does not answer.
pub async fn settle_times(pool: &PgPool) -> sqlx::Result<()> {
    let mut transaction = pool.begin().await?;
    let connection = &mut *transaction;
    sqlx::query!("update run set received_at = finished_at").execute(&mut *connection).await?;
    sqlx::query!(
        "update project set created_at = first.at
         from (select project_id, min(started_at) as at from run group by project_id) as first
         where first.project_id = project.project_id",
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update change_point set found_at = first.at
         from (select commit_id, min(finished_at) as at from run group by commit_id) as first
         where first.commit_id = change_point.commit_id",
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update regression set created_at = first.at, updated_at = first.at
         from (select commit_id, min(finished_at) as at from run group by commit_id) as first
         where first.commit_id = regression.until_commit_id",
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update explanation set created_at = run.finished_at from run where run.run_id = explanation.run_id",
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update machine_error_rate set computed_at = last.at
         from (select project_id, machine_id, max(finished_at) as at from run group by project_id, machine_id) as last
         where last.project_id = machine_error_rate.project_id and last.machine_id = machine_error_rate.machine_id",
    )
    .execute(&mut *connection)
    .await?;
    transaction.commit().await
}
