//! [`Reconciler`]: makes GitHub say what there is to say of each pull request: one comment that is written anew, and one check.
//!
//! Nothing is remembered but what the tables hold, and what they do not hold is looked for at GitHub: an answer that was lost
//! after the comment was made costs a search, not a second comment. A server has a lease on what it looks after, so that two do
//! not both find nothing; no transaction is open while GitHub is asked.

use crate::app::App;
use crate::client::GitHubError;
use crate::comment::{self, PullRequestReport};
use crate::repository::Repository;
use anyhow::Result;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::github::installation;
use roundtrip_storage::github::pull_request::{self, Row, Written};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often it is looked whether something is due.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// A pull request of which nothing can be said now is asked for again so much later.
const REPORT_PAUSE: TimeDelta = TimeDelta::minutes(5);

/// How long a server has a pull request to itself: far longer than all requests to GitHub for it take.
const LEASE: TimeDelta = TimeDelta::minutes(5);

/// What there is to say of pull requests.
#[async_trait]
pub trait Reports: Send + Sync {
    /// Of this one; nothing yet, or nothing ever.
    ///
    /// # Errors
    /// It cannot be found out now.
    async fn report(&self, pull_request: &Row) -> Result<Option<PullRequestReport>>;
}

/// Makes GitHub say what there is to say; cheap to clone.
#[derive(Clone)]
pub struct Reconciler {
    app: Arc<App>,
    pool: PgPool,
    reports: Arc<dyn Reports>,
}

impl Reconciler {
    /// Of an App.
    pub fn new(app: Arc<App>, pool: PgPool, reports: Arc<dyn Reports>) -> Self {
        Self { app, pool, reports }
    }

    /// Looks after whatever is due, until `stop` becomes true.
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
                // It stays due; whoever serves requests tells of a database that does not answer.
                Err(error) => tracing::warn!(error.cause = %error, "pull requests wait for the database"),
            }
            tokio::select! {
                // A dropped sender means the end as well.
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
            }
        }
    }

    /// Looks after one pull request that is due, if there is one that no other server looks after.
    pub async fn reconcile_next(&self, now: DateTime<Utc>) -> sqlx::Result<bool> {
        let taken = pull_request::take(&self.pool, now, now + LEASE).await?;
        let Some((row, lease)) = taken else { return Ok(false) };
        let report = match self.reports.report(&row).await {
            Ok(report) => report,
            Err(error) => {
                tracing::warn!(
                    error.cause = format!("{error:#}"),
                    "nothing can be said of a pull request now"
                );
                let why = format!("{error:#}");
                pull_request::put_off(&self.pool, lease, now + REPORT_PAUSE, Some(&why)).await?;
                return Ok(true);
            }
        };
        let mut written = Written::default();
        let outcome = match &report {
            Some(report) => self.say(&row, report, &mut written, now).await,
            None => Ok(()),
        };
        // Also of an attempt that failed half-way: what was written need not be looked for.
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
                    "a pull request was given up"
                );
                pull_request::finish(&self.pool, lease, Some(&why)).await?;
            }
        }
        Ok(true)
    }

    async fn say(
        &self,
        row: &Row,
        report: &PullRequestReport,
        written: &mut Written,
        now: DateTime<Utc>,
    ) -> Result<(), GitHubError> {
        let known = {
            let mut connection = self.pool.acquire().await?;
            installation::repository(&mut connection, row.github_repository_id).await?
        };
        let Some(known) = known else {
            // The App may not be there any more: nobody is to be told.
            return Ok(());
        };
        let repository = Repository::new(&self.app, &self.pool, &known, now);
        say_check(repository, row, report, written).await?;
        say_comment(repository, row, report, written).await
    }
}

/// The check of the newest commit: found by what is stored, else at GitHub, else made.
async fn say_check(
    repository: Repository<'_>,
    row: &Row,
    report: &PullRequestReport,
    written: &mut Written,
) -> Result<(), GitHubError> {
    let check = comment::check(report);
    let said = Sha256::digest(check.to_string()).to_vec();
    let stored = row.check_run_id.filter(|_| row.check_head_sha.as_ref() == Some(&report.head_sha));
    if stored.is_some() && row.check_sha256.as_ref() == Some(&said) {
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
    written.check = Some((id, report.head_sha.clone(), said));
    Ok(())
}

/// The comment: found by what is stored, else by its first line among what this App wrote, else made if it is worth it.
async fn say_comment(
    repository: Repository<'_>,
    row: &Row,
    report: &PullRequestReport,
    written: &mut Written,
) -> Result<(), GitHubError> {
    if report.is_waiting() {
        // It is written when everything is there; until then the check tells how far it is.
        return Ok(());
    }
    let body = comment::body(report);
    let said = Sha256::digest(&body).to_vec();
    if row.comment_id.is_some() && row.comment_sha256.as_ref() == Some(&said) {
        return Ok(());
    }
    if let Some(id) = row.comment_id {
        match repository.update_comment(id, &body).await {
            Ok(()) => {
                written.comment = Some((id, said));
                return Ok(());
            }
            // Somebody has deleted it: it is looked for, and made again where there is something to say.
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
    written.comment = Some((id, said));
    Ok(())
}

impl std::fmt::Debug for Reconciler {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reconciler").field("app", &self.app).finish_non_exhaustive()
    }
}
