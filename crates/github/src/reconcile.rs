//! [`Reconciler`]: updates the comment and the check of each pull request at GitHub.
//!
//! All state is in tables. Missing state is searched at GitHub: a response lost after creating a comment
//! costs a search, not a second comment. A lease prevents two servers from doing this at the same time. No
//! transaction is open during requests.

use crate::app::App;
use crate::client::GitHubError;
use crate::comment::{self, PullRequestReport};
use crate::repository::Repository;
use anyhow::Result;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::github::installation;
use roundtrip_storage::github::pull_request::{self, PullRequestRow, Written};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The interval of searches for due pull requests.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// The delay before a failed report is retried.
const REPORT_PAUSE: TimeDelta = TimeDelta::minutes(5);

/// The duration of a lease: far longer than all requests to GitHub for a pull request.
const LEASE: TimeDelta = TimeDelta::minutes(5);

/// Builds reports of pull requests.
#[async_trait]
pub trait Reports: Send + Sync {
    /// The report of this pull request; none if there is nothing to report yet or at all.
    ///
    /// # Errors
    /// It cannot be built now.
    async fn report(&self, pull_request: &PullRequestRow) -> Result<Option<PullRequestReport>>;
}

/// Updates comments and checks at GitHub; cheap to clone.
#[derive(Clone)]
pub struct Reconciler {
    app: Arc<App>,
    pool: PgPool,
    reports: Arc<dyn Reports>,
}

impl Reconciler {
    /// A reconciler for an App.
    pub fn new(app: Arc<App>, pool: PgPool, reports: Arc<dyn Reports>) -> Self {
        Self { app, pool, reports }
    }

    /// Handles due pull requests until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            match self.reconcile_next(Utc::now()).await {
                Ok(true) => {
                    if *stop.borrow() {
                        return;
                    }
                    continue;
                }
                Ok(false) => {}
                // It stays due. `/readyz` reports the database's state.
                Err(error) => {
                    tracing::warn!(error.cause = %error, "cannot update pull requests: database error");
                }
            }
            tokio::select! {
                // A dropped sender also means stop.
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
            }
        }
    }

    /// Handles one due pull request, unless another server does. False if there is none.
    pub async fn reconcile_next(&self, now: DateTime<Utc>) -> sqlx::Result<bool> {
        let taken = pull_request::take(&self.pool, now, now + LEASE).await?;
        let Some((row, lease)) = taken else { return Ok(false) };
        let report = match self.reports.report(&row).await {
            Ok(report) => report,
            Err(error) => {
                tracing::warn!(
                    error.cause = format!("{error:#}"),
                    "cannot build the report of a pull request; will retry"
                );
                let why = format!("{error:#}");
                pull_request::put_off(&self.pool, lease, now + REPORT_PAUSE, Some(&why)).await?;
                return Ok(true);
            }
        };
        let mut written = Written::default();
        let outcome = match &report {
            Some(report) => self.update(&row, report, &mut written, now).await,
            None => Ok(()),
        };
        // Also after a partial failure, so that what was written need not be searched.
        pull_request::remember(&self.pool, lease, &written).await?;
        let Err(error) = outcome else {
            pull_request::finish(&self.pool, lease, None).await?;
            return Ok(true);
        };
        let why = error.to_string();
        match error.again_at(row.attempts, now) {
            Some(due_at) => {
                let why = error.is_failure().then_some(why.as_str());
                pull_request::put_off(&self.pool, lease, due_at, why).await?;
            }
            None => {
                tracing::warn!(
                    project = row.project,
                    number = row.number,
                    error.cause = why,
                    "gave up on a pull request"
                );
                pull_request::finish(&self.pool, lease, Some(&why)).await?;
            }
        }
        Ok(true)
    }

    async fn update(
        &self,
        row: &PullRequestRow,
        report: &PullRequestReport,
        written: &mut Written,
        now: DateTime<Utc>,
    ) -> Result<(), GitHubError> {
        let known = {
            let mut connection = self.pool.acquire().await?;
            installation::repository(&mut connection, row.github_repository_id).await?
        };
        let Some(known) = known else {
            // The App was removed, so there is nothing to report to.
            return Ok(());
        };
        let repository = Repository::new(&self.app, &self.pool, &known, now);
        update_check(repository, row, report, written).await?;
        update_comment(repository, row, report, written).await
    }
}

/// The check of the head commit: stored, found at GitHub, or created.
async fn update_check(
    repository: Repository<'_>,
    row: &PullRequestRow,
    report: &PullRequestReport,
    written: &mut Written,
) -> Result<(), GitHubError> {
    let check = comment::check(report);
    let digest = Sha256::digest(check.to_string()).to_vec();
    let stored = row.check_run_id.filter(|_| row.check_head_sha.as_ref() == Some(&report.head_sha));
    if stored.is_some() && row.check_sha256.as_ref() == Some(&digest) {
        return Ok(());
    }
    let known = match stored {
        Some(id) => Some(id),
        None => repository.find_check(&report.head_sha, &comment::check_name(report)).await?,
    };
    let id = match known {
        Some(id) => {
            repository.update_check(id, &check).await?;
            id
        }
        None => {
            let mut whole: Value = check;
            whole["head_sha"] = json!(report.head_sha);
            repository.create_check(&whole).await?
        }
    };
    written.check = Some((id, report.head_sha.clone(), digest));
    Ok(())
}

/// The comment: stored, found by its first line, or created if needed.
async fn update_comment(
    repository: Repository<'_>,
    row: &PullRequestRow,
    report: &PullRequestReport,
    written: &mut Written,
) -> Result<(), GitHubError> {
    if report.is_waiting() {
        // It is written once all machines have finished. Until then the check shows the progress.
        return Ok(());
    }
    let body = comment::body(report);
    let digest = Sha256::digest(&body).to_vec();
    if row.comment_id.is_some() && row.comment_sha256.as_ref() == Some(&digest) {
        return Ok(());
    }
    if let Some(id) = row.comment_id {
        match repository.update_comment(id, &body).await {
            Ok(()) => {
                written.comment = Some((id, digest));
                return Ok(());
            }
            // The comment was deleted. Search for it, and create it again if needed.
            Err(GitHubError::Gone(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let marker = comment::marker(&report.project);
    let id = match repository.find_comment(row.number, &marker).await? {
        Some(id) => {
            repository.update_comment(id, &body).await?;
            id
        }
        None if report.worth_a_comment() => repository.create_comment(row.number, &body).await?,
        None => return Ok(()),
    };
    written.comment = Some((id, digest));
    Ok(())
}
