//! [`Repository`]: requests about one repository. Writes are counted, so that all servers together stay below GitHub's
//! limits.

use crate::app::{App, PER_PAGE, TokenScope};
use crate::client::{Account, Answer, GitHubError, Numbered};
use chrono::{DateTime, Utc};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use roundtrip_storage as db;
use roundtrip_storage::github::installation;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sqlx::PgPool;

/// GitHub allows 80 writes per minute and 500 per hour. The margin allows for requests that arrive late.
const WRITES_PER_MINUTE: i64 = 70;
const WRITES_PER_HOUR: i64 = 450;
/// GitHub's roles that can run commands.
const WRITERS: [&str; 3] = ["admin", "maintain", "write"];

/// A repository at GitHub, now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repository<'a> {
    app: &'a App,
    pool: &'a PgPool,
    full_name: &'a str,
    scope: TokenScope,
    now: DateTime<Utc>,
}

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PullRequest {
    /// Its number.
    pub number: i64,
    /// `open` or `closed`.
    pub state: String,
    /// The author; none if the account was deleted.
    user: Option<Account>,
    /// The head branch.
    pub head: Branch,
    /// The base branch.
    pub base: Branch,
}

/// The head or base of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Branch {
    /// Its newest commit.
    pub sha: String,
    /// Its name.
    #[serde(rename = "ref")]
    pub name: String,
    /// Its repository; none if deleted.
    repo: Option<Numbered>,
}

#[derive(Debug, Deserialize)]
struct Comment {
    id: i64,
    body: Option<String>,
    performed_via_github_app: Option<AppNumber>,
}

#[derive(Debug, Deserialize)]
struct AppNumber {
    id: u64,
}

#[derive(Debug, Deserialize)]
struct CheckRun {
    id: i64,
    app: AppNumber,
}

#[derive(Debug, Deserialize)]
struct CheckRuns {
    check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
struct Commit {
    sha: String,
}

#[derive(Debug, Deserialize)]
struct Permission {
    permission: String,
    #[serde(default)]
    role_name: String,
}

impl PullRequest {
    /// The author's login.
    pub(crate) fn author(&self) -> &str {
        self.user.as_ref().map_or("ghost", |user| &user.login)
    }

    /// Whether its head is in another repository, or in a deleted one.
    pub(crate) fn is_fork(&self) -> bool {
        let id = |branch: &Branch| branch.repo.as_ref().map(|repo| repo.id);
        id(&self.head).is_none() || id(&self.head) != id(&self.base)
    }
}

impl<'a> Repository<'a> {
    /// A repository that the App may use.
    pub(crate) fn new(
        app: &'a App,
        pool: &'a PgPool,
        repository: &'a installation::Repository,
        now: DateTime<Utc>,
    ) -> Self {
        let scope = TokenScope::Repository {
            installation: repository.github_installation_id,
            repository: repository.github_repository_id,
        };
        Self { app, pool, full_name: &repository.full_name, scope, now }
    }

    /// The current state of a pull request.
    pub(crate) async fn pull_request(&self, number: i64) -> Result<PullRequest, GitHubError> {
        self.get(&format!("pulls/{number}")).await
    }

    /// All open pull requests.
    pub(crate) async fn open_pull_requests(&self) -> Result<Vec<PullRequest>, GitHubError> {
        let mut all = Vec::new();
        for page in 1.. {
            let answer =
                self.ask("GET", &format!("pulls?state=open&per_page={PER_PAGE}&page={page}"), None).await?;
            all.extend(answer.read::<Vec<PullRequest>>()?);
            if !answer.has_next {
                break;
            }
        }
        Ok(all)
    }

    /// The newest commit of a branch.
    pub(crate) async fn head_of(&self, branch: &str) -> Result<String, GitHubError> {
        let reference = format!("heads/{branch}");
        let reference = utf8_percent_encode(&reference, NON_ALPHANUMERIC);
        let commit: Commit = self.get(&format!("commits/{reference}")).await?;
        Ok(commit.sha)
    }

    /// Whether a user has write access.
    pub(crate) async fn is_writer(&self, login: &str) -> Result<bool, GitHubError> {
        let login = utf8_percent_encode(login, NON_ALPHANUMERIC);
        match self.get::<Permission>(&format!("collaborators/{login}/permission")).await {
            Ok(has) => {
                Ok([has.permission, has.role_name].iter().any(|name| WRITERS.contains(&name.as_str())))
            }
            // The user does not exist.
            Err(GitHubError::Gone(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The oldest comment of this App on a pull request that begins with this text.
    pub(crate) async fn find_comment(
        &self,
        number: i64,
        beginning: &str,
    ) -> Result<Option<i64>, GitHubError> {
        for page in 1.. {
            let path = format!("issues/{number}/comments?per_page={PER_PAGE}&page={page}");
            let answer = self.ask("GET", &path, None).await?;
            let comments: Vec<Comment> = answer.read()?;
            let found = comments.into_iter().find(|comment| {
                let app = comment.performed_via_github_app.as_ref().map(|app| app.id);
                app == Some(self.app.app_id())
                    && comment.body.as_ref().is_some_and(|body| body.starts_with(beginning))
            });
            if found.is_some() || !answer.has_next {
                return Ok(found.map(|comment| comment.id));
            }
        }
        Ok(None)
    }

    pub(crate) async fn create_comment(&self, number: i64, body: &str) -> Result<i64, GitHubError> {
        let body = json!({ "body": body });
        let made: Numbered = self.write("POST", &format!("issues/{number}/comments"), &body).await?.read()?;
        Ok(made.id)
    }

    /// Replaces the text of a comment.
    pub(crate) async fn update_comment(&self, comment: i64, body: &str) -> Result<(), GitHubError> {
        let body = json!({ "body": body });
        self.write("PATCH", &format!("issues/comments/{comment}"), &body).await.map(drop)
    }

    /// Adds a reaction to a comment. Idempotent.
    pub(crate) async fn react(&self, comment: i64) -> Result<(), GitHubError> {
        let body = json!({"content": "eyes"});
        self.write("POST", &format!("issues/comments/{comment}/reactions"), &body).await.map(drop)
    }

    /// This App's check of a commit with this name.
    pub(crate) async fn find_check(&self, sha: &str, name: &str) -> Result<Option<i64>, GitHubError> {
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        let path = format!("commits/{sha}/check-runs?check_name={name}&per_page={PER_PAGE}");
        let found: CheckRuns = self.get(&path).await?;
        let ours = found.check_runs.into_iter().find(|run| run.app.id == self.app.app_id());
        Ok(ours.map(|run| run.id))
    }

    pub(crate) async fn create_check(&self, check: &Value) -> Result<i64, GitHubError> {
        let made: Numbered = self.write("POST", "check-runs", check).await?.read()?;
        Ok(made.id)
    }

    pub(crate) async fn update_check(&self, id: i64, check: &Value) -> Result<(), GitHubError> {
        self.write("PATCH", &format!("check-runs/{id}"), check).await.map(drop)
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, GitHubError> {
        self.ask("GET", path, None).await?.read()
    }

    async fn write(&self, method: &'static str, path: &str, body: &Value) -> Result<Answer, GitHubError> {
        let until = db::github::write::take(self.pool, self.now, WRITES_PER_MINUTE, WRITES_PER_HOUR).await?;
        match until {
            Some(until) => Err(GitHubError::Limited { until: Some(until) }),
            None => self.ask(method, path, Some(body)).await,
        }
    }

    async fn ask(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, GitHubError> {
        let path = format!("/repos/{}/{path}", self.full_name);
        self.app.ask_as(self.scope, method, &path, body, self.now).await
    }
}
