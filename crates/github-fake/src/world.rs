//! The objects of the fake GitHub, and their JSON in the API.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The permission level of a user in a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Read the repository.
    Read,
    /// Manage issues.
    Triage,
    /// Push.
    Write,
    /// Manage the repository.
    Maintain,
    /// Full access.
    Admin,
}

/// A pull request to open.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct NewPullRequest {
    /// Its number.
    pub number: u64,
    /// Login of the author.
    pub author: String,
    /// SHA of its newest commit.
    pub head_sha: String,
    /// SHA of the commit to merge into.
    pub base_sha: String,
    /// The name of its branch.
    pub head_branch: String,
    /// The fork that contains its branch, if any.
    #[serde(default)]
    pub fork: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct World {
    last_id: u64,
    pub(crate) installations: BTreeMap<u64, Installation>,
    pub(crate) repositories: BTreeMap<String, Repository>,
    pub(crate) tokens: HashMap<String, Token>,
}

#[derive(Debug)]
pub(crate) struct Installation {
    pub(crate) account: String,
    pub(crate) suspended: bool,
    pub(crate) permissions: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
pub(crate) struct Repository {
    pub(crate) id: u64,
    pub(crate) full_name: String,
    pub(crate) private: bool,
    pub(crate) default_branch: String,
    pub(crate) installation: Option<u64>,
    pub(crate) branches: BTreeMap<String, String>,
    pub(crate) levels: BTreeMap<String, Level>,
    pub(crate) pulls: BTreeMap<u64, Pull>,
    pub(crate) comments: BTreeMap<u64, Comment>,
    pub(crate) check_runs: BTreeMap<u64, Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Pull {
    pub(crate) new: NewPullRequest,
    pub(crate) open: bool,
    pub(crate) updated_at: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) issue: u64,
    pub(crate) login: String,
    /// The App that wrote it, if any.
    pub(crate) app_id: Option<u64>,
    pub(crate) body: String,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) reactions: Vec<String>,
}

/// An installation's token: limited to an hour, some repositories and some permissions.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) installation: u64,
    pub(crate) expires_at: DateTime<Utc>,
    /// `None` means all of the installation.
    pub(crate) repository_ids: Option<Vec<u64>>,
    pub(crate) permissions: BTreeMap<String, String>,
}

impl World {
    pub(crate) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        1_000_000 + self.last_id
    }

    pub(crate) fn repository(&mut self, full_name: &str) -> &mut Repository {
        self.repositories.get_mut(full_name).unwrap_or_else(|| panic!("there is no repository {full_name}"))
    }

    pub(crate) fn of_installation(&self, installation: u64) -> impl Iterator<Item = &Repository> {
        self.repositories.values().filter(move |repository| repository.installation == Some(installation))
    }
}

impl Level {
    /// The value of the older field `permission`, which knows only these levels.
    pub(crate) fn permission(self) -> &'static str {
        match self {
            Self::Read | Self::Triage => "read",
            Self::Write | Self::Maintain => "write",
            Self::Admin => "admin",
        }
    }
}

impl Installation {
    pub(crate) fn json(&self, id: u64, app_id: u64) -> Value {
        json!({
            "id": id, "app_id": app_id, "target_type": "Organization", "repository_selection": "selected",
            "account": user(&self.account, "Organization"), "permissions": self.permissions,
            "events": ["check_run", "issue_comment", "pull_request", "push"],
            "suspended_at": self.suspended.then_some("2026-11-25T00:00:00Z"),
        })
    }
}

impl Repository {
    pub(crate) fn json(&self) -> Value {
        let (owner, name) = self.full_name.split_once('/').unwrap_or_default();
        json!({
            "id": self.id, "name": name, "full_name": self.full_name, "private": self.private,
            "owner": user(owner, "Organization"), "default_branch": self.default_branch, "fork": false,
        })
    }

    /// The short form in installation events.
    pub(crate) fn short_json(&self) -> Value {
        let name = self.full_name.split_once('/').unwrap_or_default().1;
        json!({"id": self.id, "name": name, "full_name": self.full_name, "private": self.private})
    }

    pub(crate) fn pull_json(&self, pull: &Pull) -> Value {
        let new = &pull.new;
        let head_repo = match &new.fork {
            None => self.json(),
            Some(fork) => json!({"id": self.id + 500_000, "full_name": fork, "fork": true, "private": false}),
        };
        json!({
            "id": self.id * 1_000 + new.number, "number": new.number, "title": "A change",
            "state": if pull.open { "open" } else { "closed" }, "draft": false,
            "user": user(&new.author, "User"), "updated_at": pull.updated_at,
            "head": {"ref": new.head_branch, "sha": new.head_sha, "repo": head_repo},
            "base": {"ref": self.default_branch, "sha": new.base_sha, "repo": self.json()},
        })
    }
}

impl Comment {
    pub(crate) fn json(&self) -> Value {
        let kind = if self.app_id.is_some() { "Bot" } else { "User" };
        json!({
            "id": self.id, "body": self.body, "user": user(&self.login, kind), "created_at": self.created_at,
            "performed_via_github_app": self.app_id.map(|id| json!({"id": id, "slug": "roundtrip"})),
            "author_association": "NONE",
        })
    }
}

pub(crate) fn user(login: &str, kind: &str) -> Value {
    let id: u64 = login.bytes().map(u64::from).sum::<u64>() + 10_000;
    json!({"login": login, "id": id, "type": kind, "site_admin": false})
}
