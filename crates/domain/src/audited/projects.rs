//! Projects: settings, members and schedules.

use super::jobs::check_preset;
use super::{commit, is_web_address, present};
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

/// The maximum length of a branch name, in bytes. Git's own limit is that of a file name.
const BRANCH_BYTES_MAX: usize = 255;
const URL_BYTES_MAX: usize = 1_000;

/// A new project.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectRequest {
    /// Its name.
    #[schema(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// The visibility. The default is the server's setting for new projects.
    pub visibility: Option<Visibility>,
    /// The branch whose runs form the trend. The default comes from the first run.
    #[schema(max_length = 255, example = "main")]
    pub default_branch: Option<String>,
    /// Where agents fetch its commits from.
    #[schema(max_length = 1000, example = "https://git.example.org/libfoo.git")]
    pub repository_url: Option<String>,
}

/// A change. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectChange {
    /// The visibility.
    pub visibility: Option<Visibility>,
    /// The branch whose runs form the trend; null for all runs without a pull request.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 255, example = "main")]
    pub default_branch: Option<Option<String>>,
    /// The repository from which agents fetch commits; null for none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, max_length = 1000, example = "https://git.example.org/libfoo.git")]
    pub repository_url: Option<Option<String>>,
    /// The address of a commit at its host, with `{sha}` in place of the SHA; null to derive it from `repository_url`.
    #[serde(default, deserialize_with = "present")]
    #[schema(
        value_type = Option<String>, max_length = 1000, example = "https://git.example.org/libfoo/commit/{sha}"
    )]
    pub commit_url: Option<Option<String>>,
    /// Whether the check of a pull request fails on an unacknowledged slowdown.
    pub fails_on_regression: Option<bool>,
    /// The smallest change that is reported from now on, as a share above 0 and below 1; null for the default.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<f64>, exclusive_minimum = 0.0, exclusive_maximum = 1.0, example = 0.02)]
    pub least_change: Option<Option<f64>>,
}

/// Creates a project before its first run.
///
/// # Errors
/// A field is invalid, or the project already exists.
pub async fn create_project(
    pool: &PgPool,
    by: &By,
    new: &ProjectRequest,
    visibility: Visibility,
) -> Result<(), DomainError> {
    let name = new.project.as_str();
    let (default_branch, repository_url) = (new.default_branch.as_deref(), new.repository_url.as_deref());
    default_branch.map_or(Ok(()), check_branch)?;
    repository_url.map_or(Ok(()), check_url)?;
    let mut transaction = pool.begin().await?;
    let made = project::create(&mut transaction, name, visibility, default_branch, repository_url).await?;
    made.ok_or_else(|| DomainError::Taken(format!("project {name} already exists")))?;
    let details = json!({
        "visibility": visibility, "default_branch": default_branch, "repository_url": repository_url,
    });
    Ok(commit(transaction, by, Action::ProjectCreate, ("project", name), details).await?)
}

/// Changes a project's settings, and returns the new ones. A new default branch recomputes which points are
/// on the main line.
pub async fn change_project(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    change: ProjectChange,
) -> Result<Settings, DomainError> {
    change.default_branch.as_ref().and_then(Option::as_deref).map_or(Ok(()), check_branch)?;
    change.repository_url.as_ref().and_then(Option::as_deref).map_or(Ok(()), check_url)?;
    change.commit_url.as_ref().and_then(Option::as_deref).map_or(Ok(()), check_commit_url)?;
    change.least_change.flatten().map_or(Ok(()), check_least_change)?;
    let mut transaction = pool.begin().await?;
    let before = settings::lock(&mut transaction, project.project_id).await?;
    let after = Settings {
        visibility: change.visibility.unwrap_or(before.visibility),
        default_branch: change.default_branch.unwrap_or_else(|| before.default_branch.clone()),
        repository_url: change.repository_url.unwrap_or_else(|| before.repository_url.clone()),
        commit_url: change.commit_url.unwrap_or_else(|| before.commit_url.clone()),
        fails_on_regression: change.fails_on_regression.unwrap_or(before.fails_on_regression),
        least_change: change.least_change.unwrap_or(before.least_change),
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
        "commit_url": {"from": before.commit_url, "to": after.commit_url},
        "fails_on_regression": {"from": before.fails_on_regression, "to": after.fails_on_regression},
        "least_change": {"from": before.least_change, "to": after.least_change},
        "points_changed": points,
    });
    commit(transaction, by, Action::ProjectChange, ("project", &project.project), details).await?;
    Ok(after)
}

/// Deletes a project with all its results, and revokes the tokens bound to it.
pub async fn delete_project(pool: &PgPool, by: &By, project: &ProjectRow) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    settings::lock(&mut transaction, project.project_id).await?;
    let deleted = settings::delete(&mut transaction, project.project_id).await?;
    let details = json!({
        "runs": deleted.runs, "points": deleted.points, "tokens_revoked": deleted.tokens,
    });
    Ok(commit(transaction, by, Action::ProjectDelete, ("project", &project.project), details).await?)
}

/// Sets an account's role in a project.
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
    Ok(commit(transaction, by, Action::MembershipSet, ("project", &project.project), details).await?)
}

/// Removes an account from a project.
///
/// # Errors
/// It is not a member.
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
    let details = json!({"account": name});
    Ok(commit(transaction, by, Action::MembershipRemove, ("project", &project.project), details).await?)
}

/// Creates a schedule, and returns its id.
pub async fn create_schedule(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    new: &New<'_>,
) -> Result<i64, DomainError> {
    check_preset(new.preset)?;
    let mut transaction = pool.begin().await?;
    let schedule_id = schedule::create(&mut transaction, project.project_id, new).await?;
    let details =
        json!({"project": project.project, "cron": new.cron, "preset": new.preset, "labels": new.labels});
    commit(transaction, by, Action::ScheduleCreate, ("schedule", schedule_id), details).await?;
    Ok(schedule_id)
}

/// Deletes a schedule.
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
    Ok(commit(transaction, by, Action::ScheduleDelete, ("schedule", schedule_id), details).await?)
}

/// Checks that a repository address cannot make git run a program, and contains no secret.
fn check_url(url: &str) -> Result<(), DomainError> {
    let rest = ["https://", "http://", "ssh://", "git://", "file://"]
        .into_iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let is_plain = url.len() <= URL_BYTES_MAX && !url.contains(|c: char| c.is_control() || c.is_whitespace());
    let authority = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let has_secret = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
    if rest.is_some_and(|rest| !rest.is_empty()) && is_plain && !has_secret {
        return Ok(());
    }
    let detail =
        "expected https://, ssh://, git:// or file:// and a path, without a password (agents have their own)";
    Err(DomainError::parameter("repository_url", detail))
}

fn check_commit_url(url: &str) -> Result<(), DomainError> {
    if is_web_address(url, URL_BYTES_MAX) && url.contains("{sha}") {
        return Ok(());
    }
    let detail = format!(
        "expected an address of at most {URL_BYTES_MAX} bytes that begins with https:// or http:// and contains {{sha}}"
    );
    Err(DomainError::parameter("commit_url", detail))
}

fn check_least_change(least: f64) -> Result<(), DomainError> {
    if 0.0 < least && least < 1.0 {
        return Ok(());
    }
    let detail = format!("{least}: expected a share above 0 and below 1, for example 0.02 for 2 %, or null");
    Err(DomainError::parameter("least_change", detail))
}

fn check_branch(branch: &str) -> Result<(), DomainError> {
    if (1..=BRANCH_BYTES_MAX).contains(&branch.len()) && !branch.contains(char::is_control) {
        return Ok(());
    }
    let detail = format!("expected 1 to {BRANCH_BYTES_MAX} bytes without control characters, or null");
    Err(DomainError::parameter("default_branch", detail))
}
