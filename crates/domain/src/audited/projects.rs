//! Projects: what they are set to, who their members are, and when they are measured.

use super::{present, record};
use crate::error::{DomainError, Kind};
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::access::{Role, Visibility};
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::schedule::{self, New};
use roundtrip_storage::settings::{self, Settings};
use roundtrip_storage::{account, github, project};
use roundtrip_wire::Slug;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgPool;
use utoipa::ToSchema;

/// A project to make, before its first run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectRequest {
    /// Its name.
    #[schema(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// Who may read it. Absent: as the server's new projects are.
    pub visibility: Option<Visibility>,
    /// The branch whose runs make the trend. Absent: what the first run says.
    #[schema(max_length = 255, example = "main")]
    pub default_branch: Option<String>,
    /// Where agents fetch its commits from.
    #[schema(max_length = 1000, example = "https://git.example.org/libfoo.git")]
    pub repository_url: Option<String>,
}

/// What is to change; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectChange {
    /// Who may read it.
    pub visibility: Option<Visibility>,
    /// The branch whose runs make the trend; null: all runs without a pull request do.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 255, example = "main")]
    pub default_branch: Option<Option<String>>,
    /// Where agents fetch its commits from; null: nowhere.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1000, example = "https://git.example.org/libfoo.git")]
    pub repository_url: Option<Option<String>>,
    /// Whether the check of a pull request fails when it makes something slower and this was not accepted.
    pub fails_on_regression: Option<bool>,
}

/// Makes a project before its first run.
pub async fn create_project(
    pool: &PgPool,
    by: &By,
    new: &ProjectRequest,
    visibility: Visibility,
) -> Result<(), DomainError> {
    let name = new.project.as_str();
    let (default_branch, repository_url) = (new.default_branch.as_deref(), new.repository_url.as_deref());
    let mut transaction = pool.begin().await?;
    let made = project::create(&mut transaction, name, visibility, default_branch, repository_url).await?;
    made.ok_or_else(|| DomainError::Taken(format!("there is a project {name}")))?;
    let details = json!({
        "visibility": visibility, "default_branch": default_branch, "repository_url": repository_url,
    });
    record(&mut transaction, by, Action::ProjectCreate, format!("project:{name}"), details).await?;
    Ok(transaction.commit().await?)
}

/// Changes what a project is set to, and tells what it is set to now. Another default branch says of all its points again
/// whether they are on the main line.
pub async fn change_project(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    change: ProjectChange,
) -> Result<Settings, DomainError> {
    let mut transaction = pool.begin().await?;
    let before = settings::lock(&mut transaction, project.project_id).await?;
    let after = Settings {
        visibility: change.visibility.unwrap_or(before.visibility),
        default_branch: change.default_branch.unwrap_or_else(|| before.default_branch.clone()),
        repository_url: change.repository_url.unwrap_or_else(|| before.repository_url.clone()),
        fails_on_regression: change.fails_on_regression.unwrap_or(before.fails_on_regression),
    };
    if after == before {
        return Ok(after);
    }
    settings::change(&mut transaction, project.project_id, &after).await?;
    let points = if after.default_branch == before.default_branch {
        0
    } else {
        settings::recompute_mainline(&mut transaction, project.project_id).await?
    };
    if after.fails_on_regression != before.fails_on_regression {
        github::pull_request::touch_open(&mut transaction, project.project_id).await?;
    }
    let details = json!({
        "visibility": {"from": before.visibility, "to": after.visibility},
        "default_branch": {"from": before.default_branch, "to": after.default_branch},
        "repository_url": {"from": before.repository_url, "to": after.repository_url},
        "fails_on_regression": {"from": before.fails_on_regression, "to": after.fails_on_regression},
        "points_changed": points,
    });
    let subject = format!("project:{}", project.project);
    record(&mut transaction, by, Action::ProjectChange, subject, details).await?;
    transaction.commit().await?;
    Ok(after)
}

/// Deletes a project with all that was measured of it, and revokes the tokens that are bound to it.
pub async fn delete_project(pool: &PgPool, by: &By, project: &ProjectRow) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    settings::lock(&mut transaction, project.project_id).await?;
    let deleted = settings::delete(&mut transaction, project.project_id).await?;
    let details = json!({
        "runs": deleted.runs, "points": deleted.points, "tokens_revoked": deleted.tokens,
    });
    let subject = format!("project:{}", project.project);
    record(&mut transaction, by, Action::ProjectDelete, subject, details).await?;
    Ok(transaction.commit().await?)
}

/// Gives an account a role in a project, in place of the one it has.
pub async fn set_member(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    name: &str,
    role: Role,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let account_id = account::key(&mut transaction, name).await?;
    let account_id = account_id.ok_or_else(|| DomainError::unknown(Kind::Account, name))?;
    let before = account::role(&mut transaction, project.project_id, account_id).await?;
    account::set_role(&mut transaction, project.project_id, account_id, role).await?;
    let details = json!({"account": name, "from": before, "to": role});
    let subject = format!("project:{}", project.project);
    record(&mut transaction, by, Action::MembershipSet, subject, details).await?;
    Ok(transaction.commit().await?)
}

/// Takes an account out of a project.
///
/// # Errors
/// It is no member.
pub async fn remove_member(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    name: &str,
) -> Result<(), DomainError> {
    let unknown = || DomainError::unknown(Kind::Member, name);
    let mut transaction = pool.begin().await?;
    let account_id = account::key(&mut transaction, name).await?.ok_or_else(unknown)?;
    if !account::remove_role(&mut transaction, project.project_id, account_id).await? {
        return Err(unknown());
    }
    let subject = format!("project:{}", project.project);
    record(&mut transaction, by, Action::MembershipRemove, subject, json!({"account": name})).await?;
    Ok(transaction.commit().await?)
}

/// Makes a schedule, and tells its number.
pub async fn create_schedule(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    new: &New<'_>,
) -> Result<i64, DomainError> {
    let mut transaction = pool.begin().await?;
    let schedule_id = schedule::create(&mut transaction, project.project_id, new).await?;
    let details =
        json!({"project": project.project, "cron": new.cron, "preset": new.preset, "labels": new.labels});
    record(&mut transaction, by, Action::ScheduleCreate, format!("schedule:{schedule_id}"), details).await?;
    transaction.commit().await?;
    Ok(schedule_id)
}

/// Ends a schedule.
pub async fn delete_schedule(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    schedule_id: i64,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    if !schedule::delete(&mut transaction, project.project_id, schedule_id).await? {
        return Err(DomainError::unknown(Kind::Schedule, schedule_id));
    }
    let details = json!({"project": project.project});
    record(&mut transaction, by, Action::ScheduleDelete, format!("schedule:{schedule_id}"), details).await?;
    Ok(transaction.commit().await?)
}
