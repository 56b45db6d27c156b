//! Where reports of jobs belong.

use super::*;
use std::collections::HashMap;

const HEAD: &str = "1111111111111111111111111111111111111111";
const MERGE: &str = "2222222222222222222222222222222222222222";

/// A job for a pull request of this repository, with this checked out.
struct World {
    folder: tempfile::TempDir,
    variables: HashMap<String, String>,
}

impl World {
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
fn a_job_for_a_pull_request_files_its_head_under_it() {
    let own = World::pull_request(repository(1, "octo"));
    assert_eq!(own.place(HEAD, None).unwrap(), place(Some(12), Some("main")));
}

#[test]
fn the_branch_of_a_fork_has_its_owner_before_it() {
    let fork = World::pull_request(repository(2, "stranger"));
    assert_eq!(fork.place(HEAD, None).unwrap(), place(Some(12), Some("stranger:main")));
    let gone = World::pull_request(serde_json::Value::Null);
    assert_eq!(gone.place(HEAD, None).unwrap(), place(Some(12), Some("unknown:main")));
}

#[test]
fn the_merge_that_nobody_sees_is_refused_with_what_to_check_out() {
    let failure = World::pull_request(repository(1, "octo")).place(MERGE, None).unwrap_err();
    assert_eq!(failure.code(), 9);
    let said = failure.to_string();
    assert!(said.contains("the merge that GitHub makes") && said.contains("pull request 12"), "{said}");
    assert!(said.contains("ref: ${{ github.event.pull_request.head.sha }}"), "{said}");
    let other = World::pull_request(repository(1, "octo")).place(&"4".repeat(40), None).unwrap_err();
    assert!(other.to_string().contains("another commit"), "{other}");
}

#[test]
fn a_push_is_of_the_branch_that_was_pushed() {
    let push = World::new(&[
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_REF", "refs/heads/fix/queue"),
        ("GITHUB_SHA", HEAD),
    ]);
    assert_eq!(push.place(HEAD, None).unwrap(), place(None, Some("fix/queue")));
    // Somebody checked out another commit: the branch is not known to hold it.
    assert_eq!(push.place(MERGE, None).unwrap(), place(None, None));
    let tag =
        World::new(&[("GITHUB_EVENT_NAME", "push"), ("GITHUB_REF", "refs/tags/v1"), ("GITHUB_SHA", HEAD)]);
    assert_eq!(tag.place(HEAD, None).unwrap(), place(None, None));
}

#[test]
fn a_job_that_follows_another_must_say_what_a_foreign_commit_is_of() {
    let follows = World::new(&[
        ("GITHUB_EVENT_NAME", "workflow_run"),
        ("GITHUB_REF", "refs/heads/main"),
        ("GITHUB_SHA", HEAD),
    ]);
    assert_eq!(follows.place(HEAD, None).unwrap(), place(None, Some("main")));
    assert_eq!(follows.place(MERGE, None).unwrap_err().code(), 9);
    assert_eq!(follows.place(MERGE, Some(7)).unwrap(), place(Some(7), None));
}

#[test]
fn elsewhere_only_what_is_said_counts() {
    let elsewhere = World { variables: HashMap::new(), ..World::new(&[]) };
    assert_eq!(elsewhere.place(HEAD, None).unwrap(), Place::default());
    assert_eq!(elsewhere.place(HEAD, Some(7)).unwrap(), place(Some(7), None));
}

#[test]
fn an_event_that_cannot_be_read_is_named() {
    let world = World::new(&[("GITHUB_EVENT_NAME", "pull_request")]);
    let missing = world.place(HEAD, None).unwrap_err().to_string();
    assert!(missing.contains("event.json"), "{missing}");
    std::fs::write(world.folder.path().join("event.json"), r#"{"pull_request": {"number": 1}}"#).unwrap();
    let wrong = world.place(HEAD, None).unwrap_err().to_string();
    assert!(wrong.contains("not the event of a pull request") && wrong.contains("head"), "{wrong}");
}
