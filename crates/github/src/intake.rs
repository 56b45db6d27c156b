//! Stores GitHub's deliveries in tables. Queueing jobs and [`super::reconcile`] work from the tables, not
//! from the events.

use crate::repository::PullRequest;
use chrono::{DateTime, Utc};
use roundtrip_domain::queue::github_jobs::DEBOUNCE;
use roundtrip_storage::github::installation::Repository;
use roundtrip_storage::github::pull_request::{self, Read};
use sqlx::PgPool;

/// Stores the state of a pull request.
pub(crate) async fn note_pull_request(
    pool: &PgPool,
    repository: &Repository,
    project_id: i64,
    read: &PullRequest,
    head_pushed_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let row = Read {
        number: read.number,
        is_open: read.state == "open",
        author: read.author(),
        head_sha: &read.head.sha,
        head_pushed_at,
        base_sha: &read.base.sha,
        base_branch: &read.base.name,
        is_fork: read.is_fork(),
    };
    let mut connection = pool.acquire().await?;
    pull_request::store(&mut connection, project_id, repository.github_repository_id, &row, now + DEBOUNCE)
        .await
}
