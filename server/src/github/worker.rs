//! [`Worker`]: handles what GitHub told, one event at a time. An event is a hint: what is so is read again from GitHub, so that
//! it does not matter how often it is told, or in which order.

use super::app::{App, PER_PAGE, Reach};
use super::client::GitHubError;
use super::command::{self, Command};
use super::intake::{self, Asked};
use super::repository::{PullRequest, Repository};
use super::webhook::{Event, Place};
use crate::db::github::delivery::{self, Waiting};
use crate::db::github::{installation, pull_request};
use crate::db::task;
use crate::tasks::LEASE;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use sqlx::{Acquire as _, PgConnection, PgPool};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Other servers take events in as well, and tell nobody here of it.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// An event that failed so often is given up.
const ATTEMPTS_MAX: i32 = 12;
/// GitHub sends an event again for three days; older ones need not be known again.
const KEPT: TimeDelta = TimeDelta::days(14);
/// How often all pull requests are read, also those of which nobody told: what GitHub cannot deliver it does not send again.
const SWEEP_INTERVAL: Duration = Duration::from_secs(3_600);
const SWEEP: &str = "github";
/// How a reply begins, so that it is given once.
const REPLY_MARKER: &str = "<!-- roundtrip:v1 reply-to=";

/// Handles what GitHub told; cheap to clone.
#[derive(Clone, Debug)]
pub struct Worker {
    app: Arc<App>,
    pool: PgPool,
}

#[derive(Debug, Deserialize)]
struct InstallationAnswer {
    account: Account,
    suspended_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize)]
struct Numbered {
    id: i64,
}

#[derive(Debug, Deserialize)]
struct Account {
    login: String,
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

/// A comment with commands.
struct Comment<'a> {
    number: i64,
    id: i64,
    author: &'a str,
    body: &'a str,
    created_at: DateTime<Utc>,
}

impl Worker {
    /// Of an App.
    pub fn new(app: Arc<App>, pool: PgPool) -> Self {
        Self { app, pool }
    }

    /// Handles whatever comes, until `stop` becomes true.
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
                        tracing::warn!(error.cause = %error, "the pull requests at GitHub wait for the database");
                    }
                }
                // It waits; whoever serves requests tells of a database that does not answer.
                Err(error) => tracing::warn!(error.cause = %error, "what GitHub told waits for the database"),
            }
            tokio::select! {
                // A dropped sender means the end as well.
                _ = stop.wait_for(|stop| *stop) => return,
                _ = tokio::time::timeout(LOOK_INTERVAL, self.app.wake.notified()) => {}
            }
        }
    }

    /// Handles one event that is due, if there is one that no other server handles.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn handle_next(&self, now: DateTime<Utc>) -> sqlx::Result<bool> {
        let mut transaction = self.pool.begin().await?;
        let Some(waiting) = delivery::take(&mut transaction, now).await? else {
            transaction.rollback().await?;
            delivery::forget(&self.pool, now - KEPT).await?;
            return Ok(false);
        };
        let id = waiting.github_delivery_id;
        // What half an attempt wrote goes; that the event is ours stays.
        let mut attempt = transaction.begin().await?;
        let outcome = self.handle(&mut attempt, &waiting, now).await;
        match &outcome {
            Ok(()) => attempt.commit().await?,
            Err(_) => attempt.rollback().await?,
        }
        match outcome {
            Ok(()) => delivery::finish(&mut transaction, id, now, None).await?,
            Err(error) => {
                let again_at = error.again_at(waiting.attempts, now);
                match again_at.filter(|_| waiting.attempts < ATTEMPTS_MAX) {
                    Some(due_at) => {
                        delivery::put_off(&mut transaction, id, due_at, &error.to_string()).await?;
                    }
                    None => {
                        tracing::warn!(delivery = %id, error.cause = %error, "what GitHub told was given up");
                        delivery::finish(&mut transaction, id, now, Some(&error.to_string())).await?;
                    }
                }
            }
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Reads all that is open, unless another server does or did within the last hour.
    async fn sweep_if_due(&self) -> sqlx::Result<()> {
        task::ensure(&self.pool, SWEEP).await?;
        let Some(lease) = task::claim(&self.pool, SWEEP, LEASE).await? else { return Ok(()) };
        let failure = self.sweep(Utc::now()).await.err().map(|error| error.to_string());
        if let Some(why) = &failure {
            tracing::warn!(error.cause = why, "not all pull requests at GitHub could be read");
        }
        task::finish(&self.pool, lease, SWEEP_INTERVAL, failure.as_deref()).await
    }

    /// Reads which repositories there are and which of their pull requests are open, as if GitHub had told of each.
    ///
    /// # Errors
    /// [`GitHubError`]; what was read before stays.
    pub async fn sweep(&self, now: DateTime<Utc>) -> Result<(), GitHubError> {
        let mut connection = self.pool.acquire().await?;
        for page in 1.. {
            let path = format!("/app/installations?per_page={PER_PAGE}&page={page}");
            let answer = self.app.ask("GET", &path, None, now).await?;
            for Numbered { id } in answer.read::<Vec<Numbered>>()? {
                self.read_installation(&mut connection, id, now).await?;
            }
            if !answer.has_next {
                break;
            }
        }
        for (known, project_id) in installation::of_projects(&mut connection).await? {
            let repository = Repository::new(&self.app, &self.pool, &known, now);
            let open = repository.open_pull_requests().await?;
            let mut closed = pull_request::open_numbers(&mut connection, project_id).await?;
            for read in &open {
                closed.retain(|number| *number != read.number);
                self.note_if_new(&mut connection, &known, project_id, read, now).await?;
            }
            for number in closed {
                let read = repository.pull_request(number).await?;
                self.note_if_new(&mut connection, &known, project_id, &read, now).await?;
            }
        }
        Ok(())
    }

    /// Notes what is not known: what is known need not be looked at again.
    async fn note_if_new(
        &self,
        connection: &mut PgConnection,
        repository: &installation::Repository,
        project_id: i64,
        read: &PullRequest,
        now: DateTime<Utc>,
    ) -> sqlx::Result<()> {
        let known = pull_request::find(connection, project_id, read.number).await?;
        if known.is_some_and(|known| known.head_sha == read.head.sha && known.state == read.state) {
            return Ok(());
        }
        intake::note_pull_request(connection, repository, project_id, read, now, now).await
    }

    async fn handle(
        &self,
        connection: &mut PgConnection,
        waiting: &Waiting,
        now: DateTime<Utc>,
    ) -> Result<(), GitHubError> {
        // Another version of this server may have kept it.
        let Ok(event) = serde_json::from_value(waiting.payload.clone()) else { return Ok(()) };
        let place = match &event {
            Event::Installation { installation } => {
                return self.read_installation(connection, *installation, now).await;
            }
            Event::Push { place, .. }
            | Event::PullRequest { place, .. }
            | Event::Comment { place, .. }
            | Event::Rerequested { place, .. } => place,
        };
        let Some(known) = self.repository(connection, place, now).await? else { return Ok(()) };
        let Some(project_id) = known.project_id else { return Ok(()) };
        let repository = Repository::new(&self.app, &self.pool, &known, now);
        match event {
            Event::Installation { .. } => Ok(()),
            Event::Push { branch, .. } if branch == known.default_branch => {
                let sha = repository.head_of(&branch).await?;
                Ok(intake::note_push(connection, &known, &sha, now).await?)
            }
            Event::Push { .. } => Ok(()),
            Event::PullRequest { number, head_sha, updated_at, .. } => {
                let read = repository.pull_request(number).await?;
                // Of a commit that came later nobody has told yet.
                let pushed_at = if read.head.sha == head_sha { updated_at } else { now };
                Ok(intake::note_pull_request(connection, &known, project_id, &read, pushed_at, now).await?)
            }
            Event::Comment { number, comment, author, body, created_at, .. } => {
                let read = repository.pull_request(number).await?;
                intake::note_pull_request(connection, &known, project_id, &read, now, now).await?;
                let comment = Comment { number, id: comment, author: &author, body: &body, created_at };
                self.obey(connection, repository, project_id, &comment, now).await
            }
            Event::Rerequested { head_sha, login, .. } => {
                if !repository.is_writer(&login).await? {
                    return Ok(());
                }
                for row in pull_request::of_head(connection, project_id, &head_sha).await? {
                    let source = format!("check:{}:{}", waiting.github_delivery_id, row.number);
                    let asked = Asked { source: &source, by: &login, at: now };
                    let retry = Command::Retry { machines: Vec::new() };
                    intake::note_command(connection, &row, &asked, &retry, now).await?;
                }
                Ok(())
            }
        }
    }

    /// Does what a comment asks for, and lets whoever wrote it know: by a reaction, or a reply that says why not.
    async fn obey(
        &self,
        connection: &mut PgConnection,
        repository: Repository<'_>,
        project_id: i64,
        comment: &Comment<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), GitHubError> {
        let Some(row) = pull_request::find(connection, project_id, comment.number).await? else {
            return Ok(());
        };
        let commands = command::find(comment.body);
        let refusal = if !repository.is_writer(comment.author).await? {
            Some("this takes write access to the repository.".to_owned())
        } else if row.state != "open" {
            Some("the pull request is closed.".to_owned())
        } else if row.head_pushed_at >= comment.created_at {
            // Whoever asks for a commit to be measured on somebody's machines must have seen it.
            let sha = row.head_sha.get(..7).unwrap_or(&row.head_sha);
            Some(format!(
                "the pull request has changed meanwhile. Its newest commit is {sha}: comment again if you mean that."
            ))
        } else {
            commands.iter().find_map(|command| command.as_ref().err()).map(|why| format!("{why}."))
        };
        if let Some(why) = refusal {
            return self.reply(repository, comment, &why).await;
        }
        for (place, command) in commands.iter().flatten().enumerate() {
            let source = format!("comment:{}:{place}", comment.id);
            let asked = Asked { source: &source, by: comment.author, at: comment.created_at };
            intake::note_command(connection, &row, &asked, command, now).await?;
        }
        repository.react(comment.id).await
    }

    /// Says why something is not done, once.
    async fn reply(
        &self,
        repository: Repository<'_>,
        comment: &Comment<'_>,
        why: &str,
    ) -> Result<(), GitHubError> {
        let marker = format!("{REPLY_MARKER}{} -->", comment.id);
        if repository.find_comment(comment.number, &marker).await?.is_none() {
            let body = format!("{marker}\nNothing was done: {why}");
            repository.create_comment(comment.number, &body).await?;
        }
        Ok(())
    }

    /// The repository of an event, also when nobody has told of it before.
    async fn repository(
        &self,
        connection: &mut PgConnection,
        place: &Place,
        now: DateTime<Utc>,
    ) -> Result<Option<installation::Repository>, GitHubError> {
        let known = installation::repository(connection, place.repository).await?;
        if known.as_ref().is_some_and(|known| known.github_installation_id == place.installation) {
            return Ok(known);
        }
        self.read_installation(connection, place.installation, now).await?;
        Ok(installation::repository(connection, place.repository).await?)
    }

    /// Reads which repositories an installation has.
    async fn read_installation(
        &self,
        connection: &mut PgConnection,
        id: i64,
        now: DateTime<Utc>,
    ) -> Result<(), GitHubError> {
        let path = format!("/app/installations/{id}");
        let answer: InstallationAnswer = match self.app.ask("GET", &path, None, now).await {
            Ok(answer) => answer.read()?,
            Err(GitHubError::Gone(_)) => return Ok(installation::remove(connection, id, now).await?),
            Err(error) => return Err(error),
        };
        let mut repositories = Vec::new();
        let mut pages = if answer.suspended_at.is_some() { 0..0 } else { 1..usize::MAX };
        while let Some(page) = pages.next() {
            let path = format!("/installation/repositories?per_page={PER_PAGE}&page={page}");
            let answer = self.app.ask_as(Reach::Installation(id), "GET", &path, None, now).await?;
            let list: RepositoryList = answer.read()?;
            let rows = list.repositories.into_iter();
            repositories.extend(rows.map(|one| (one.id, one.full_name, one.private, one.default_branch)));
            if !answer.has_next {
                break;
            }
        }
        let read = installation::Installation {
            github_installation_id: id,
            account: answer.account.login,
            suspended_at: answer.suspended_at,
        };
        Ok(installation::store(connection, &read, &repositories, now).await?)
    }
}
