//! Reads all pull requests at GitHub, because GitHub does not repeat failed deliveries.

use crate::app::{App, PER_PAGE, TokenScope};
use crate::client::{Account, GitHubError, Numbered};
use crate::intake;
use crate::repository::{PullRequest, Repository};
use chrono::{DateTime, Utc};
use roundtrip_storage::github::{installation, pull_request};
use serde::Deserialize;
use sqlx::PgPool;

/// The name of this background task.
pub const TASK: &str = "github";

#[derive(Debug, Deserialize)]
struct InstallationAnswer {
    account: Account,
    suspended_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize)]
struct RepositoryList {
    repositories: Vec<RepositoryAnswer>,
}

#[derive(Debug, Deserialize)]
struct RepositoryAnswer {
    id: i64,
    full_name: String,
    private: bool,
    default_branch: String,
}

/// Reads all repositories, and their open pull requests.
pub(super) async fn sweep(app: &App, pool: &PgPool, now: DateTime<Utc>) -> Result<(), GitHubError> {
    // Includes known ones that no longer exist.
    let mut ids = installation::present(&mut *pool.acquire().await?).await?;
    for page in 1.. {
        let path = format!("/app/installations?per_page={PER_PAGE}&page={page}");
        let answer = app.ask("GET", &path, None, now).await?;
        ids.extend(answer.read::<Vec<Numbered>>()?.into_iter().map(|numbered| numbered.id));
        if !answer.has_next {
            break;
        }
    }
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        read_installation(app, pool, id, now).await?;
    }
    let mut outcome = Ok(());
    let projects = installation::of_projects(&mut *pool.acquire().await?).await?;
    for (known, project_id) in projects {
        let repository = Repository::new(app, pool, &known, now);
        let read = read_pull_requests(pool, repository, &known, project_id, now).await;
        // Continue with the others if one cannot be read.
        if let Err(error @ (GitHubError::Limited { .. } | GitHubError::Database(_))) = read {
            return Err(error);
        }
        outcome = outcome.and(read);
    }
    outcome
}

async fn read_pull_requests(
    pool: &PgPool,
    repository: Repository<'_>,
    known: &installation::Repository,
    project_id: i64,
    now: DateTime<Utc>,
) -> Result<(), GitHubError> {
    let mut not_open = pull_request::open_numbers(&mut *pool.acquire().await?, project_id).await?;
    for read in repository.open_pull_requests().await? {
        not_open.retain(|number| *number != read.number);
        note_if_new(pool, known, project_id, &read, now).await?;
    }
    for number in not_open {
        let read = repository.pull_request(number).await?;
        note_if_new(pool, known, project_id, &read, now).await?;
    }
    Ok(())
}

/// Skips known ones.
async fn note_if_new(
    pool: &PgPool,
    repository: &installation::Repository,
    project_id: i64,
    read: &PullRequest,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let known = pull_request::find(&mut *pool.acquire().await?, project_id, read.number).await?;
    if known.is_some_and(|known| known.head_sha == read.head.sha && known.state == read.state) {
        return Ok(());
    }
    intake::note_pull_request(pool, repository, project_id, read, now, now).await
}

/// Reads the repositories of an installation, or records that it was deleted.
pub(super) async fn read_installation(
    app: &App,
    pool: &PgPool,
    id: i64,
    now: DateTime<Utc>,
) -> Result<(), GitHubError> {
    let path = format!("/app/installations/{id}");
    let answer: InstallationAnswer = match app.ask("GET", &path, None, now).await {
        Ok(answer) => answer.read()?,
        Err(GitHubError::Gone(_)) => {
            let mut transaction = pool.begin().await?;
            installation::remove(&mut transaction, id, now).await?;
            return Ok(transaction.commit().await?);
        }
        Err(error) => return Err(error),
    };
    let read = installation::Installation {
        github_installation_id: id,
        account: answer.account.login,
        suspended_at: answer.suspended_at,
    };
    // A suspended installation cannot be read.
    let repositories = match read.suspended_at {
        None => repositories(app, id, now).await?,
        Some(_) => Vec::new(),
    };
    let mut transaction = pool.begin().await?;
    installation::store(&mut transaction, &read, &repositories, now).await?;
    Ok(transaction.commit().await?)
}

async fn repositories(
    app: &App,
    installation: i64,
    now: DateTime<Utc>,
) -> Result<Vec<(i64, String, bool, String)>, GitHubError> {
    let mut repositories = Vec::new();
    for page in 1.. {
        let path = format!("/installation/repositories?per_page={PER_PAGE}&page={page}");
        let answer = app.ask_as(TokenScope::Installation(installation), "GET", &path, None, now).await?;
        let list: RepositoryList = answer.read()?;
        let rows = list.repositories.into_iter();
        repositories.extend(rows.map(|one| (one.id, one.full_name, one.private, one.default_branch)));
        if !answer.has_next {
            break;
        }
    }
    Ok(repositories)
}
