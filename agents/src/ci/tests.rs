//! Tests of the pull request and branch of a job's reports.

use super::*;
use std::collections::HashMap;

const HEAD: &str = "1111111111111111111111111111111111111111";
const MERGE: &str = "2222222222222222222222222222222222222222";

/// A job for a pull request of this repository, with this commit checked out.
struct JobEnvironment {
    folder: tempfile::TempDir,
    variables: HashMap<String, String>,
}

impl JobEnvironment {
    fn new(variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("event.json");
        let given = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let always = [
            ("GITHUB_ACTIONS".to_owned(), "true".to_owned()),
            ("GITHUB_EVENT_PATH".to_owned(), path.display().to_string()),
        ];
        Self { folder, variables: always.into_iter().chain(given).collect() }
    }

    fn pull_request(head_repository: serde_json::Value) -> Self {
        let world = Self::new(&[
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_REF", "refs/pull/12/merge"),
            ("GITHUB_SHA", MERGE),
        ]);
        let event = serde_json::json!({
            "action": "synchronize",
            "pull_request": {
                "number": 12,
                "head": {"ref": "main", "sha": HEAD, "repo": head_repository},
                "base": {"ref": "main", "sha": "3".repeat(40), "repo": repository(1, "octo")},
            },
        });
        std::fs::write(world.folder.path().join("event.json"), event.to_string()).unwrap();
        world
    }

    fn place(&self, head: &str, asked: Option<u64>) -> crate::Result<Place> {
        let head = CommitSha::parse(head).unwrap();
        Job { variable: &|name| self.variables.get(name).cloned(), head: &head }.place(asked)
    }
}

fn repository(id: u64, owner: &str) -> serde_json::Value {
    serde_json::json!({"id": id, "name": "lib", "owner": {"login": owner}})
}

fn place(pull_request: Option<u64>, branch: Option<&str>) -> Place {
    Place { pull_request, branch: branch.map(str::to_owned) }
}

#[test]
fn files_the_head_of_a_pull_request() {
    let own = JobEnvironment::pull_request(repository(1, "octo"));
    assert_eq!(own.place(HEAD, None).unwrap(), place(Some(12), Some("main")));
}

#[test]
fn prefixes_fork_branches_with_the_owner() {
    let fork = JobEnvironment::pull_request(repository(2, "stranger"));
    assert_eq!(fork.place(HEAD, None).unwrap(), place(Some(12), Some("stranger:main")));
    let gone = JobEnvironment::pull_request(serde_json::Value::Null);
    assert_eq!(gone.place(HEAD, None).unwrap(), place(Some(12), Some("unknown:main")));
}

#[test]
fn rejects_githubs_merge_commit() {
    let failure = JobEnvironment::pull_request(repository(1, "octo")).place(MERGE, None).unwrap_err();
    assert_eq!(failure.code(), 9);
    let text = failure.to_string();
    assert!(text.contains("the merge commit") && text.contains("pull request 12"), "{text}");
    assert!(text.contains("ref: ${{ github.event.pull_request.head.sha }}"), "{text}");
    let other = JobEnvironment::pull_request(repository(1, "octo")).place(&"4".repeat(40), None).unwrap_err();
    assert!(other.to_string().contains("another commit"), "{other}");
}

#[test]
fn files_a_push_under_its_branch() {
    let push = JobEnvironment::new(&[
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_REF", "refs/heads/fix/queue"),
        ("GITHUB_SHA", HEAD),
    ]);
    assert_eq!(push.place(HEAD, None).unwrap(), place(None, Some("fix/queue")));
    // Another commit is checked out, and the branch may not contain it.
    assert_eq!(push.place(MERGE, None).unwrap(), place(None, None));
    let tag = JobEnvironment::new(&[
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_REF", "refs/tags/v1"),
        ("GITHUB_SHA", HEAD),
    ]);
    assert_eq!(tag.place(HEAD, None).unwrap(), place(None, None));
}

#[test]
fn following_jobs_must_name_the_pull_request() {
    let follows = JobEnvironment::new(&[
        ("GITHUB_EVENT_NAME", "workflow_run"),
        ("GITHUB_REF", "refs/heads/main"),
        ("GITHUB_SHA", HEAD),
    ]);
    assert_eq!(follows.place(HEAD, None).unwrap(), place(None, Some("main")));
    assert_eq!(follows.place(MERGE, None).unwrap_err().code(), 9);
    assert_eq!(follows.place(MERGE, Some(7)).unwrap(), place(Some(7), None));
}

#[test]
fn uses_only_arguments_outside_of_jobs() {
    let elsewhere = JobEnvironment { variables: HashMap::new(), ..JobEnvironment::new(&[]) };
    assert_eq!(elsewhere.place(HEAD, None).unwrap(), Place::default());
    assert_eq!(elsewhere.place(HEAD, Some(7)).unwrap(), place(Some(7), None));
}

#[test]
fn names_an_unreadable_event() {
    let world = JobEnvironment::new(&[("GITHUB_EVENT_NAME", "pull_request")]);
    let missing = world.place(HEAD, None).unwrap_err().to_string();
    assert!(missing.contains("event.json"), "{missing}");
    std::fs::write(world.folder.path().join("event.json"), r#"{"pull_request": {"number": 1}}"#).unwrap();
    let wrong = world.place(HEAD, None).unwrap_err().to_string();
    assert!(wrong.contains("not a pull request event") && wrong.contains("head"), "{wrong}");
}
