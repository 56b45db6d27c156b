//! What projects are set to.

use super::record;
use crate::error::DomainError;
use roundtrip_storage::access::Visibility;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::settings::{self, Settings};
use roundtrip_storage::{github, project};
use serde_json::json;
use sqlx::PgPool;

/// A project to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewProject<'a> {
    /// Its name.
    pub name: &'a str,
    /// Who may read it.
    pub visibility: Visibility,
    /// The branch whose runs make the trend.
    pub default_branch: Option<&'a str>,
    /// Where agents fetch it from.
    pub repository_url: Option<&'a str>,
}

/// What of a project's settings is to change; what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct SettingsChange {
    /// Who may read it.
    pub visibility: Option<Visibility>,
    /// The branch whose runs make the trend, or none.
    pub default_branch: Option<Option<String>>,
    /// Where agents fetch it from, or nowhere.
    pub repository_url: Option<Option<String>>,
    /// Whether the check of a pull request fails when it makes something slower.
    pub fails_on_regression: Option<bool>,
}

/// Makes a project before its first run.
///
/// # Errors
/// There is one of that name, or the database does not answer.
pub async fn create_project(pool: &PgPool, by: &By, new: NewProject<'_>) -> Result<(), DomainError> {
    let NewProject { name, visibility, default_branch, repository_url } = new;
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
///
/// # Errors
/// The database does not answer.
pub async fn change_project(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    change: SettingsChange,
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
///
/// # Errors
/// The database does not answer.
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
