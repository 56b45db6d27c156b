//! Continuous integration: finds the pull request and branch of a GitHub Actions job.
//!
//! - [`token`]: the job's proof of who it is, exchanged for a token of a server.

use crate::failure::Failure;
use crate::repository::Repository;
use roundtrip_wire::CommitSha;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub(crate) mod token;

/// The metadata of a report that comes from a CI job, besides its commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pull_request: Option<u64>,
    /// The branch, if the job knows it better than git.
    pub(crate) branch: Option<String>,
}

struct Job<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    head: &'a CommitSha,
}

/// The parts of GitHub's event that the command reads.
#[derive(Debug, Deserialize)]
struct Event {
    pull_request: PullRequest,
}

#[derive(Debug, Deserialize)]
struct PullRequest {
    number: u64,
    head: Side,
    base: Side,
}

#[derive(Debug, Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    branch: String,
    sha: CommitSha,
    /// None when a fork was deleted.
    repo: Option<RepositoryOfSide>,
}

#[derive(Debug, Deserialize)]
struct RepositoryOfSide {
    id: u64,
    owner: Owner,
}

#[derive(Debug, Deserialize)]
struct Owner {
    login: String,
}

impl PullRequest {
    fn is_of_fork(&self) -> bool {
        let id = |side: &Side| side.repo.as_ref().map(|repository| repository.id);
        id(&self.head) != id(&self.base)
    }

    /// Its branch. For a fork, prefixed with the owner, because forks have branches of the same names.
    fn branch(&self) -> String {
        let branch = &self.head.branch;
        match &self.head.repo {
            _ if !self.is_of_fork() => branch.clone(),
            Some(repository) => format!("{}:{branch}", repository.owner.login),
            None => format!("unknown:{branch}"),
        }
    }
}

/// The pull request and branch of the checkout, from this process's environment.
pub(crate) fn place(asked: Option<u64>, repository: &Repository) -> crate::Result<Place> {
    Job { variable: &variable, head: &repository.commit.sha }.place(asked)
}

/// A variable of the environment, unless it is empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

pub(crate) fn is_github_actions() -> bool {
    variable("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The event of a job in GitHub Actions, or in those of Gitea or Forgejo.
pub(crate) fn event<A: DeserializeOwned>(path: &str) -> crate::Result<A> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Other(format!("cannot read the job's event file {path}: {error}")))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::Other(format!("{path} is not a pull request event: {error}")))
}

impl Job<'_> {
    fn place(&self, asked: Option<u64>) -> crate::Result<Place> {
        if self.variable("GITHUB_ACTIONS").as_deref() != Some("true") {
            return Ok(Place { pull_request: asked, branch: None });
        }
        let event = self.variable("GITHUB_EVENT_NAME").unwrap_or_default();
        let is_for_pull_request = event.starts_with("pull_request");
        match (asked, is_for_pull_request) {
            // An explicit number is trusted to match the checkout.
            (Some(_), false) => Ok(Place { pull_request: asked, branch: None }),
            (_, true) => {
                let pull_request = self.pull_request()?;
                if asked.is_some_and(|number| number != pull_request.number) {
                    return Ok(Place { pull_request: asked, branch: None });
                }
                self.check_head(&pull_request)?;
                Ok(Place { pull_request: Some(pull_request.number), branch: Some(pull_request.branch()) })
            }
            (None, false) => self.of_ref(&event),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name)
    }

    fn pull_request(&self) -> crate::Result<PullRequest> {
        let path = self.variable("GITHUB_EVENT_PATH").ok_or_else(|| {
            Failure::Other("GITHUB_EVENT_PATH is not set, so the pull request of this job is unknown".into())
        })?;
        event::<Event>(&path).map(|event| event.pull_request)
    }

    /// Requires the head of the pull request. By default, GitHub checks out a merge commit that is in no
    /// branch's history, so its results would not show up anywhere.
    fn check_head(&self, pull_request: &PullRequest) -> crate::Result<()> {
        let (number, head) = (pull_request.number, &pull_request.head.sha);
        if head == self.head {
            return Ok(());
        }
        let is_merge = self.variable("GITHUB_SHA").as_deref() == Some(self.head.as_str());
        let what = if is_merge { "the merge commit" } else { "another commit" };
        Err(Failure::Refused(format!(
            "{} ({what}) is checked out instead of {}, the head of pull request {number}. Give actions/checkout \
             `ref: ${{{{ github.event.pull_request.head.sha }}}}`",
            self.head.short(),
            head.short()
        )))
    }

    /// The branch of a job's ref: a job's checkout has a detached HEAD.
    fn of_ref(&self, event: &str) -> crate::Result<Place> {
        if self.variable("GITHUB_SHA").as_deref() != Some(self.head.as_str()) {
            return match event {
                // The ref is the default branch, regardless of the checkout.
                "workflow_run" | "issue_comment" => Err(Failure::Refused(format!(
                    "{} is checked out, but a job for {event} belongs to the default branch. Pass \
                     --pull-request NUMBER to name the commit's pull request.",
                    self.head.short()
                ))),
                _ => Ok(Place::default()),
            };
        }
        let branch =
            self.variable("GITHUB_REF").and_then(|name| Some(name.strip_prefix("refs/heads/")?.to_owned()));
        Ok(Place { pull_request: None, branch })
    }
}

#[cfg(test)]
mod tests;
