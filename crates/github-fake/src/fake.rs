//! [`FakeGitHub`]: a running fake, with operations and queries for tests.

use crate::fault::Plan;
use crate::state::{Recorded, Shared};
use crate::world::{Comment, Installation, Level, NewPullRequest, Pull, Repository, World};
use crate::{Fault, git};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard};

const MINUTE: TimeDelta = TimeDelta::seconds(60);

/// A running fake GitHub; cheap to clone.
#[derive(Clone, Debug)]
pub struct FakeGitHub {
    pub(crate) shared: Arc<Shared>,
}

impl FakeGitHub {
    /// The URL of the web server.
    pub fn url(&self) -> String {
        self.shared.origin()
    }

    /// The URL of the API.
    pub fn api_url(&self) -> String {
        format!("{}{}", self.url(), self.shared.settings.prefix)
    }

    /// The current time of its clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.shared.now()
    }

    /// Moves its clock forward.
    pub fn advance(&self, seconds: i64) {
        *self.shared.clock_offset.lock().unwrap() += TimeDelta::seconds(seconds);
    }

    /// Makes the next `times` requests with this method and a path that contains `path` fail.
    pub fn fail(&self, method: &str, path: &str, fault: Fault, times: u32) {
        self.plan(Plan { method: method.to_owned(), path: path.to_owned(), fault, times });
    }

    pub(crate) fn plan(&self, plan: Plan) {
        self.shared.plans.lock().unwrap().push(plan);
    }

    /// The number of planned faults that have not happened yet.
    pub fn failures_left(&self) -> u32 {
        self.shared.plans.lock().unwrap().iter().map(|plan| plan.times).sum()
    }

    /// Installs the App in an account with all permissions that it needs; returns the installation's ID.
    pub fn install(&self, account: &str) -> u64 {
        let granted =
            [("checks", "write"), ("contents", "read"), ("metadata", "read"), ("pull_requests", "write")];
        let permissions = granted.map(|(name, level)| (name.to_owned(), level.to_owned()));
        let mut world = self.world();
        let id = world.next_id();
        let installation =
            Installation { account: account.to_owned(), suspended: false, permissions: permissions.into() };
        world.installations.insert(id, installation);
        id
    }

    /// Removes a permission from an installation.
    pub fn withdraw(&self, installation: u64, permission: &str) {
        self.world().installations.get_mut(&installation).unwrap().permissions.remove(permission);
        self.world().tokens.clear();
    }

    /// Suspends or resumes an installation.
    pub fn suspend(&self, installation: u64, suspended: bool) {
        self.world().installations.get_mut(&installation).unwrap().suspended = suspended;
    }

    /// Removes an installation.
    pub fn uninstall(&self, installation: u64) {
        let mut world = self.world();
        world.installations.remove(&installation);
        for repository in world.repositories.values_mut() {
            repository.installation = repository.installation.filter(|id| *id != installation);
        }
    }

    /// Creates a repository, optionally in an installation, and returns its ID.
    pub fn add_repository(&self, full_name: &str, private: bool, installation: Option<u64>) -> u64 {
        let mut world = self.world();
        let id = world.next_id();
        let repository = Repository {
            id,
            full_name: full_name.to_owned(),
            private,
            default_branch: "main".to_owned(),
            installation,
            ..Repository::default()
        };
        world.repositories.insert(full_name.to_owned(), repository);
        id
    }

    /// Removes a repository from its installation.
    pub fn remove_from_installation(&self, repository: &str) {
        self.world().repository(repository).installation = None;
    }

    /// Renames a repository. The old name is then not found.
    pub fn rename(&self, repository: &str, full_name: &str) {
        let mut world = self.world();
        let mut renamed = world.repositories.remove(repository).unwrap();
        renamed.full_name = full_name.to_owned();
        world.repositories.insert(full_name.to_owned(), renamed);
    }

    /// Deletes the App's comments on a pull request.
    pub fn delete_app_comments(&self, repository: &str, number: u64) {
        let app_id = Some(self.shared.settings.app_id);
        let mut world = self.world();
        let comments = &mut world.repository(repository).comments;
        comments.retain(|_, comment| comment.issue != number || comment.app_id != app_id);
    }

    /// Sets the permission level of a user in a repository.
    pub fn allow(&self, repository: &str, login: &str, level: Level) {
        self.world().repository(repository).levels.insert(login.to_owned(), level);
    }

    /// Moves a branch to a commit.
    pub fn push_branch(&self, repository: &str, branch: &str, sha: &str) {
        self.world().repository(repository).branches.insert(branch.to_owned(), sha.to_owned());
    }

    /// Opens a pull request.
    pub fn open(&self, repository: &str, new: NewPullRequest) {
        let updated_at = self.now();
        git::set_pull_head(&self.shared, repository, new.number, &new.head_sha);
        let pull = Pull { new, open: true, updated_at };
        self.world().repository(repository).pulls.insert(pull.new.number, pull);
    }

    /// Pushes to a pull request.
    pub fn push(&self, repository: &str, number: u64, sha: &str) {
        let now = self.now();
        git::set_pull_head(&self.shared, repository, number, sha);
        let mut world = self.world();
        let pull = world.repository(repository).pulls.get_mut(&number).unwrap();
        pull.new.head_sha = sha.to_owned();
        pull.updated_at = now;
    }

    /// Closes or reopens a pull request.
    pub fn set_open(&self, repository: &str, number: u64, open: bool) {
        let mut world = self.world();
        world.repository(repository).pulls.get_mut(&number).unwrap().open = open;
    }

    /// Comments on a pull request and returns the comment's ID.
    pub fn comment(&self, repository: &str, number: u64, login: &str, body: &str) -> u64 {
        let created_at = self.now();
        let mut world = self.world();
        let id = world.next_id();
        let (login, body) = (login.to_owned(), body.to_owned());
        let app_id = login.ends_with("[bot]").then_some(1);
        let comment = Comment { id, issue: number, login, app_id, body, created_at, reactions: Vec::new() };
        world.repository(repository).comments.insert(id, comment);
        id
    }

    /// The App's comments on a pull request, oldest first.
    pub fn app_comments(&self, repository: &str, number: u64) -> Vec<String> {
        let app_id = Some(self.shared.settings.app_id);
        let mut world = self.world();
        let all = world.repository(repository).comments.values();
        all.filter(|comment| comment.issue == number && comment.app_id == app_id)
            .map(|comment| comment.body.clone())
            .collect()
    }

    /// The reactions to a comment.
    pub fn reactions(&self, repository: &str, comment: u64) -> Vec<String> {
        self.world().repository(repository).comments[&comment].reactions.clone()
    }

    /// The check runs of a commit, as in the API.
    pub fn check_runs(&self, repository: &str, sha: &str) -> Vec<Value> {
        let mut world = self.world();
        let all = world.repository(repository).check_runs.values();
        all.filter(|run| run["head_sha"] == sha).cloned().collect()
    }

    /// Expires all tokens.
    pub fn expire_tokens(&self) {
        self.world().tokens.clear();
    }

    /// All recorded requests.
    pub fn record(&self) -> Vec<Recorded> {
        self.shared.record.lock().unwrap().clone()
    }

    /// All JWTs and tokens that were sent.
    pub fn bearers(&self) -> BTreeSet<String> {
        self.shared.bearers.lock().unwrap().clone()
    }

    /// The number of requests with this method and a path that contains `path`.
    pub fn count(&self, method: &str, path: &str) -> usize {
        self.record().iter().filter(|one| one.method == method && one.path.contains(path)).count()
    }

    /// The largest number of write requests within a minute.
    pub fn writes_in_busiest_minute(&self) -> usize {
        let times: Vec<_> = self.record().iter().filter(|one| one.write).map(|one| one.at).collect();
        let from = |at: &DateTime<Utc>| {
            times.iter().filter(|other| **other >= *at && **other - *at < MINUTE).count()
        };
        times.iter().map(from).max().unwrap_or(0)
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.shared.world()
    }
}
