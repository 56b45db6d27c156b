//! [`Worker`]: handles GitHub's deliveries one by one. A delivery is only a hint: the current state is read from
//! GitHub, so repetition and order do not matter.

use crate::app::App;
use crate::client::GitHubError;
use crate::commands::{self, Command, CommandOrigin, Comment, handle_command};
use crate::intake;
use crate::repository::Repository;
use crate::sweep;
use crate::webhook::{Event, Place};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_domain::tasks::LEASE;
use roundtrip_storage::github::delivery::{self, Waiting};
use roundtrip_storage::github::{installation, pull_request};
use roundtrip_storage::task;
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Other servers receive deliveries as well, without notifying this one.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// The duration of a lease: far longer than all requests to GitHub for an event.
const EVENT_LEASE: TimeDelta = TimeDelta::minutes(5);
/// The number of failures after which an event is given up.
const ATTEMPTS_MAX: i32 = 12;
/// The time for which handled events are remembered. GitHub redelivers for three days.
const KEPT: TimeDelta = TimeDelta::days(14);
/// The interval at which all pull requests are read, because GitHub does not repeat failed deliveries.
const SWEEP_INTERVAL: Duration = Duration::from_secs(3_600);

/// Handles GitHub's deliveries; cheap to clone.
#[derive(Clone, Debug)]
pub struct Worker {
    app: Arc<App>,
    pool: PgPool,
}

impl Worker {
    /// A worker for an App.
    pub fn new(app: Arc<App>, pool: PgPool) -> Self {
        Self { app, pool }
    }

    /// Handles events until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            match self.handle_next(Utc::now()).await {
                Ok(true) => {
                    if *stop.borrow() {
                        return;
                    }
                    continue;
                }
                Ok(false) => {
                    if let Err(error) = self.sweep_if_due().await {
                        tracing::warn!(error.cause = %error, "cannot sweep GitHub's pull requests: database error");
                    }
                }
                // Retry later. `/readyz` reports the database's state.
                Err(error) => {
                    tracing::warn!(error.cause = %error, "cannot read GitHub deliveries: database error");
                }
            }
            tokio::select! {
                // A dropped sender also means stop.
                _ = stop.wait_for(|stop| *stop) => return,
                _ = tokio::time::timeout(LOOK_INTERVAL, self.app.wake.notified()) => {}
            }
        }
    }

    /// Handles one due event, unless another server does. False if there is none.
    pub async fn handle_next(&self, now: DateTime<Utc>) -> sqlx::Result<bool> {
        let Some(waiting) = delivery::take(&self.pool, now, now + EVENT_LEASE).await? else {
            delivery::forget(&self.pool, now - KEPT).await?;
            return Ok(false);
        };
        // A retry repeats what a failed attempt stored, without further effect.
        let Err(error) = self.handle(&waiting, now).await else {
            delivery::finish(&self.pool, &waiting, now, None).await?;
            return Ok(true);
        };
        let again_at = error.again_at(waiting.attempts, now);
        match again_at.filter(|_| waiting.attempts < ATTEMPTS_MAX) {
            Some(due_at) => {
                let why = error.is_failure().then(|| error.to_string());
                delivery::put_off(&self.pool, &waiting, due_at, why.as_deref()).await?;
            }
            None => {
                let delivery = waiting.github_delivery_id;
                tracing::warn!(%delivery, error.cause = %error, "gave up on a GitHub delivery");
                delivery::finish(&self.pool, &waiting, now, Some(&error.to_string())).await?;
            }
        }
        Ok(true)
    }

    /// Reads all open pull requests, unless a server is doing so or did within the last hour.
    async fn sweep_if_due(&self) -> sqlx::Result<()> {
        task::ensure(&self.pool, sweep::TASK).await?;
        let Some(lease) = task::claim(&self.pool, sweep::TASK, LEASE).await? else { return Ok(()) };
        let failure = self.sweep(Utc::now()).await.err().map(|error| error.to_string());
        if let Some(why) = &failure {
            tracing::warn!(error.cause = why, "the sweep of GitHub's pull requests is incomplete");
        }
        task::finish(&self.pool, lease, SWEEP_INTERVAL, failure.as_deref()).await
    }

    /// Reads all open pull requests.
    pub async fn sweep(&self, now: DateTime<Utc>) -> Result<(), GitHubError> {
        sweep::sweep(&self.app, &self.pool, now).await
    }

    async fn handle(&self, waiting: &Waiting, now: DateTime<Utc>) -> Result<(), GitHubError> {
        // It may have been stored by another version of this server.
        let Ok(event) = serde_json::from_value(waiting.payload.clone()) else { return Ok(()) };
        let place = match &event {
            Event::Installation { installation } => {
                return sweep::read_installation(&self.app, &self.pool, *installation, now).await;
            }
            Event::Push { place, .. }
            | Event::PullRequest { place, .. }
            | Event::Comment { place, .. }
            | Event::Rerequested { place, .. } => place,
        };
        let Some(known) = self.repository(place, now).await? else { return Ok(()) };
        let Some(project_id) = known.project_id else { return Ok(()) };
        let repository = Repository::new(&self.app, &self.pool, &known, now);
        match event {
            Event::Installation { .. } => Ok(()),
            Event::Push { branch, .. } if branch == known.default_branch => {
                let sha = repository.head_of(&branch).await?;
                let mut transaction = self.pool.begin().await?;
                installation::move_default_branch(&mut transaction, known.github_repository_id, &sha, now)
                    .await?;
                Ok(transaction.commit().await?)
            }
            Event::Push { .. } => Ok(()),
            Event::PullRequest { number, head_sha, updated_at, .. } => {
                let read = repository.pull_request(number).await?;
                // A later commit has no delivery yet.
                let pushed_at = if read.head.sha == head_sha { updated_at } else { now };
                Ok(intake::note_pull_request(&self.pool, &known, project_id, &read, pushed_at, now).await?)
            }
            Event::Comment { number, comment, author, body, created_at, .. } => {
                let read = repository.pull_request(number).await?;
                intake::note_pull_request(&self.pool, &known, project_id, &read, now, now).await?;
                let comment = Comment { number, id: comment, author: &author, body: &body, created_at };
                handle_command(&self.pool, repository, project_id, &comment, now).await
            }
            Event::Rerequested { head_sha, login, .. } => {
                if !repository.is_writer(&login).await? {
                    return Ok(());
                }
                let rows = {
                    let mut connection = self.pool.acquire().await?;
                    pull_request::of_head(&mut connection, project_id, &head_sha).await?
                };
                for row in rows {
                    let source = format!("check:{}:{}", waiting.github_delivery_id, row.number);
                    let asked = CommandOrigin { source: &source, by: &login, at: now };
                    let retry = Command::Retry { machines: Vec::new() };
                    commands::note_command(&self.pool, &row, &asked, &retry, now).await?;
                }
                Ok(())
            }
        }
    }

    /// The repository of an event, even if it or its new name is not known yet.
    async fn repository(
        &self,
        place: &Place,
        now: DateTime<Utc>,
    ) -> Result<Option<installation::Repository>, GitHubError> {
        let known = self.known(place).await?;
        let is_known = |known: &installation::Repository| {
            known.github_installation_id == place.installation && known.full_name == place.full_name
        };
        if known.as_ref().is_some_and(is_known) {
            return Ok(known);
        }
        sweep::read_installation(&self.app, &self.pool, place.installation, now).await?;
        Ok(self.known(place).await?)
    }

    async fn known(&self, place: &Place) -> sqlx::Result<Option<installation::Repository>> {
        let mut connection = self.pool.acquire().await?;
        installation::repository(&mut connection, place.repository).await
    }
}
