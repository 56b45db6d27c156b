//! The settings of a project and their consequences, and the deletion of a project.

use super::project::{self, OrderLock};
use crate::access::Visibility;
use sqlx::PgConnection;

/// The settings of a project.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the columns of table project, described there")]
pub struct Settings {
    pub visibility: Visibility,
    pub default_branch: Option<String>,
    pub repository_url: Option<String>,
    pub commit_url: Option<String>,
    pub fails_on_regression: bool,
    pub least_change: Option<f64>,
}

/// The settings of a project, locked until the transaction ends. No upload to it is stored meanwhile.
pub async fn lock(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<Settings> {
    // Uploads take this lock before they read the default branch, and hold it until they are stored.
    project::lock_order(&mut *connection, project_id, OrderLock::Exclusive).await?;
    sqlx::query_as!(
        Settings,
        r#"select visibility as "visibility: Visibility", default_branch, repository_url, commit_url,
                  fails_on_regression, least_change
           from project where project_id = $1 for update"#,
        project_id,
    )
    .fetch_one(connection)
    .await
}

/// Changes the settings of a locked project.
pub async fn change(connection: &mut PgConnection, project_id: i64, settings: &Settings) -> sqlx::Result<()> {
    sqlx::query!(
        "update project
         set visibility = $2, default_branch = $3, repository_url = $4, commit_url = $5,
             fails_on_regression = $6, least_change = $7
         where project_id = $1",
        project_id,
        settings.visibility.as_ref(),
        settings.default_branch,
        settings.repository_url,
        settings.commit_url,
        settings.fails_on_regression,
        settings.least_change,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Recomputes which points and summaries of a project are on the main line, and returns how many changed. It
/// reads the project's whole history, but default branches seldom change.
pub async fn recompute_mainline(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<u64> {
    macro_rules! recompute {
        ($table:literal, $machine_id:expr) => {
            sqlx::query!(
                "with of_project as (
                     select run.run_id, commit.ordinal,
                            run.pull_request is null and not run.superseded and not run.quarantined
                                and (project.default_branch is null or run.branch is null
                                     or run.branch = project.default_branch) as mainline
                     from run
                     join project on project.project_id = run.project_id
                     join commit on commit.commit_id = run.commit_id
                     where run.project_id = $1 and run.machine_id = $2
                 )
                 update " + $table + " as measured set mainline = of_project.mainline
                 from of_project
                 join series on series.project_id = $1 and series.machine_id = $2
                 where measured.machine_id = $2 and measured.series_id = series.series_id
                   and measured.commit_ordinal = of_project.ordinal and measured.run_id = of_project.run_id
                   and measured.mainline <> of_project.mainline",
                project_id,
                $machine_id,
            )
        };
    }
    let mut changed = 0;
    for machine_id in machines(connection, project_id).await? {
        changed += recompute!("point", machine_id).execute(&mut *connection).await?.rows_affected();
        changed += recompute!("summary", machine_id).execute(&mut *connection).await?.rows_affected();
    }
    super::analysis::add_of_project(connection, project_id).await?;
    Ok(changed)
}

/// The machines with results of a project.
async fn machines(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!("select machine_id from project_machine where project_id = $1", project_id)
        .fetch_all(connection)
        .await
}

/// The amount of deleted data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// Its runs.
    pub runs: u64,
    /// Its points.
    pub points: u64,
    /// The revoked tokens that were bound to it.
    pub tokens: u64,
}

/// Deletes a locked project with all its results. Nothing cascades: tables that can be distributed have no
/// foreign keys, and in the others a mistaken delete must not remove more rows.
pub async fn delete(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<Deleted> {
    macro_rules! delete {
        ($statement:literal $(+ $more:literal)* $(, $machine_id:expr)?) => {
            sqlx::query!($statement $(+ $more)*, project_id $(, $machine_id)?)
                .execute(&mut *connection)
                .await?
                .rows_affected()
        };
    }
    // Deletes a machine's rows, by series or run.
    macro_rules! delete_of_machine {
        ($table:literal, $key:literal, $of:literal, $machine_id:expr) => {
            delete!(
                "delete from "
                    + $table
                    + " using "
                    + $of
                    + " as own where own.project_id = $1 and "
                    + $table
                    + ".machine_id = $2 and "
                    + $table
                    + "."
                    + $key
                    + " = own."
                    + $key,
                $machine_id
            )
        };
    }
    let tokens = delete!(
        "update token set revoked_at = now() from project
         where project.project_id = $1 and token.project = project.slug and token.revoked_at is null"
    );
    delete!(
        "delete from oidc_use using oidc_trust, project
         where project.project_id = $1 and oidc_trust.project = project.slug
           and oidc_use.oidc_trust_id = oidc_trust.oidc_trust_id"
    );
    delete!(
        "delete from oidc_trust using project where project.project_id = $1 and oidc_trust.project = project.slug"
    );
    let mut points = 0;
    for machine_id in machines(connection, project_id).await? {
        points += delete_of_machine!("point", "series_id", "series", machine_id);
        delete_of_machine!("point_histogram", "run_id", "run", machine_id);
        delete_of_machine!("summary", "series_id", "series", machine_id);
        delete_of_machine!("run_result", "run_id", "run", machine_id);
        delete_of_machine!("run_upload", "run_id", "run", machine_id);
        delete_of_machine!("run_original", "run_id", "run", machine_id);
    }
    delete!(
        "delete from analysis_due using run where run.project_id = $1 and analysis_due.run_id = run.run_id"
    );
    delete!(
        "delete from change_point using series
         where series.project_id = $1 and change_point.series_id = series.series_id"
    );
    delete!("delete from suspicion where project_id = $1");
    delete!("delete from commit_note where project_id = $1");
    delete!("delete from explanation where project_id = $1");
    delete!("delete from github_pull_request where project_id = $1");
    delete!("update github_repository set project_id = null where project_id = $1");
    delete!("delete from job where project_id = $1");
    delete!("delete from schedule where project_id = $1");
    delete!(
        "delete from notification using notification_channel as channel
         where channel.project_id = $1 and notification.notification_channel_id = channel.notification_channel_id"
    );
    delete!(
        "delete from notification_message using notification_channel as channel
         where channel.project_id = $1
           and notification_message.notification_channel_id = channel.notification_channel_id"
    );
    delete!("delete from notification_channel where project_id = $1");
    delete!(
        "delete from regression_comment using regression
         where regression.project_id = $1 and regression_comment.regression_id = regression.regression_id"
    );
    delete!("delete from regression where project_id = $1");
    delete!("delete from machine_error_rate where project_id = $1");
    delete!("delete from project_machine where project_id = $1");
    delete!("delete from project_transport where project_id = $1");
    let runs = delete!("delete from run where project_id = $1");
    delete!("delete from series where project_id = $1");
    delete!("delete from commit where project_id = $1");
    delete!("delete from membership where project_id = $1");
    delete!("delete from project where project_id = $1");
    Ok(Deleted { runs, points, tokens })
}
