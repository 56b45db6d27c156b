//! Deliveries from GitHub, parsed after the signature is checked. Only what is needed to query GitHub again is kept,
//! because deliveries can be repeated, late and out of order.

use crate::client::Numbered;
use chrono::{DateTime, Utc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The most bytes of a body, GitHub's own limit.
pub const BODY_BYTES_MAX: usize = 25 * 1024 * 1024;

/// An event that has an effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are called as in GitHub's events")]
pub enum Event {
    /// The App was installed or removed, or its repositories changed.
    Installation { installation: i64 },
    /// A branch moved.
    Push { place: Place, branch: String },
    /// A pull request was opened, closed, pushed to, or changed otherwise.
    PullRequest {
        place: Place,
        number: i64,
        head_sha: String,
        /// When this became its head.
        updated_at: DateTime<Utc>,
    },
    /// A comment with a command on a pull request.
    Comment {
        place: Place,
        number: i64,
        comment: i64,
        author: String,
        body: String,
        created_at: DateTime<Utc>,
    },
    /// A check was requested again.
    Rerequested { place: Place, head_sha: String, login: String },
}

/// A repository of an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The id of the installation.
    pub installation: i64,
    /// The id of the repository.
    pub repository: i64,
    /// The owner and name at that time.
    pub full_name: String,
}

#[derive(Deserialize)]
struct Repository {
    id: i64,
    #[serde(default, deserialize_with = "text")]
    full_name: String,
}

#[derive(Deserialize)]
struct User {
    #[serde(deserialize_with = "text")]
    login: String,
    #[serde(default, rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Head {
    #[serde(deserialize_with = "text")]
    sha: String,
}

#[derive(Deserialize)]
struct About {
    #[serde(default)]
    action: String,
    installation: Option<Numbered>,
    repository: Option<Repository>,
    sender: Option<User>,
}

#[derive(Deserialize)]
struct PullRequestEvent {
    pull_request: PullRequest,
}

#[derive(Deserialize)]
struct PullRequest {
    number: i64,
    head: Head,
    updated_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct PushEvent {
    #[serde(rename = "ref", deserialize_with = "text")]
    reference: String,
    #[serde(default)]
    deleted: bool,
}

#[derive(Deserialize)]
struct CommentEvent {
    issue: Issue,
    comment: Comment,
}

#[derive(Deserialize)]
struct Issue {
    number: i64,
    /// Absent for issues.
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Comment {
    id: i64,
    body: Option<String>,
    user: Option<User>,
    created_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct CheckEvent {
    #[serde(alias = "check_suite")]
    check_run: Check,
}

#[derive(Deserialize)]
struct Check {
    #[serde(deserialize_with = "text")]
    head_sha: String,
    app: Numbered,
}

/// Text that PostgreSQL can store.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.contains('\0') {
        Err(D::Error::custom("expected text without a NUL character"))
    } else {
        Ok(text)
    }
}

/// Parses an event; `None` for events that are not handled.
///
/// # Errors
/// A handled event lacks a field.
pub fn read(event: &str, body: &[u8], app_id: u64) -> serde_json::Result<Option<Event>> {
    const KNOWN: [&str; 7] = [
        "check_run",
        "check_suite",
        "installation",
        "installation_repositories",
        "issue_comment",
        "pull_request",
        "push",
    ];
    if !KNOWN.contains(&event) {
        return Ok(None);
    }
    let about: About = serde_json::from_slice(body)?;
    let Some(installation) = about.installation.map(|numbered| numbered.id) else { return Ok(None) };
    if event.starts_with("installation") {
        return Ok(Some(Event::Installation { installation }));
    }
    let Some(repository) = about.repository else { return Ok(None) };
    let place = Place { installation, repository: repository.id, full_name: repository.full_name };
    let action = about.action.as_str();
    Ok(match event {
        "push" => {
            let PushEvent { reference, deleted } = serde_json::from_slice(body)?;
            let branch = reference.strip_prefix("refs/heads/").filter(|_| !deleted);
            branch.map(|branch| Event::Push { place, branch: branch.to_owned() })
        }
        "pull_request" => {
            const ACTIONS: [&str; 6] =
                ["opened", "synchronize", "reopened", "closed", "edited", "ready_for_review"];
            let event: PullRequestEvent = serde_json::from_slice(body)?;
            let PullRequest { number, head, updated_at } = event.pull_request;
            let event = Event::PullRequest { place, number, head_sha: head.sha, updated_at };
            ACTIONS.contains(&action).then_some(event)
        }
        "issue_comment" if action == "created" => {
            let CommentEvent { issue, comment } = serde_json::from_slice(body)?;
            comment_event(place, issue, comment)
        }
        "check_run" | "check_suite" if action == "rerequested" => {
            let CheckEvent { check_run } = serde_json::from_slice(body)?;
            let is_ours = u64::try_from(check_run.app.id) == Ok(app_id);
            let person = about.sender.filter(|sender| is_ours && sender.is_person());
            person.map(|sender| Event::Rerequested {
                place,
                head_sha: check_run.head_sha,
                login: sender.login,
            })
        }
        _ => None,
    })
}

/// Keeps only comments with commands.
fn comment_event(place: Place, issue: Issue, comment: Comment) -> Option<Event> {
    let author = comment.user.filter(User::is_person)?.login;
    // PostgreSQL does not allow NUL in text.
    let body = comment.body.unwrap_or_default().replace('\0', "");
    let is_command = issue.pull_request.is_some() && !super::commands::find(&body).is_empty();
    let (number, comment, created_at) = (issue.number, comment.id, comment.created_at);
    is_command.then_some(Event::Comment { place, number, comment, author, body, created_at })
}

impl User {
    /// Ignores bots, because programs could answer each other forever.
    fn is_person(&self) -> bool {
        self.kind != "Bot" && !self.login.ends_with("[bot]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(name: &str, change: serde_json::Value) -> Option<Event> {
        let mut body = json!({
            "action": "created", "installation": {"id": 3}, "repository": {"id": 4},
            "sender": {"login": "ada", "type": "User"},
        });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        read(name, body.to_string().as_bytes(), 7).unwrap()
    }

    fn comment(kind: &str, body: &str) -> Option<Event> {
        let user = json!({"login": "ada", "type": kind});
        event(
            "issue_comment",
            json!({
                "issue": {"number": 5, "pull_request": {"url": "https://..."}},
                "comment": {"id": 6, "body": body, "user": user, "created_at": "2026-11-25T10:00:00Z"},
            }),
        )
    }

    #[test]
    fn accepts_and_ignores_other_events() {
        assert_eq!(read("star", b"{not even JSON", 7).unwrap(), None);
        assert_eq!(event("ping", json!({})), None);
        assert_eq!(event("check_run", json!({"action": "created"})), None);
        assert_eq!(event("push", json!({"ref": "refs/tags/v1"})), None);
        assert_eq!(event("push", json!({"ref": "refs/heads/gone", "deleted": true})), None);
        assert!(read("push", b"{not even JSON", 7).is_err());
    }

    #[test]
    fn keeps_only_commands_from_people() {
        assert!(comment("User", "/roundtrip queue").is_some());
        assert_eq!(comment("Bot", "/roundtrip queue"), None);
        assert_eq!(comment("User", "Looks good"), None);
        assert!(
            matches!(comment("User", "/roundtrip ack a\0b"), Some(Event::Comment { body, .. }) if !body.contains('\0'))
        );
    }

    #[test]
    fn ignores_checks_of_other_apps() {
        let check =
            |app: u64| json!({"action": "rerequested", "check_run": {"head_sha": "a1", "app": {"id": app}}});
        assert!(event("check_run", check(7)).is_some());
        assert_eq!(event("check_run", check(8)), None);
    }

    #[test]
    fn rejects_text_that_cannot_be_stored() {
        for (name, change) in [
            ("push", json!({"ref": "refs/heads/a\0"})),
            ("push", json!({"ref": "refs/heads/a", "repository": {"id": 4, "full_name": "a\0/b"}})),
            ("issue_comment", json!({"sender": {"login": "ada\0"}})),
        ] {
            let mut body = json!({"installation": {"id": 3}, "repository": {"id": 4}});
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let error = read(name, body.to_string().as_bytes(), 7).unwrap_err();
            assert!(error.to_string().contains("NUL"), "{change}: {error}");
        }
    }

    #[test]
    fn stored_events_round_trip() {
        let kept = comment("User", "/roundtrip cancel").unwrap();
        let stored = serde_json::to_value(&kept).unwrap();
        assert_eq!(serde_json::from_value::<Event>(stored).unwrap(), kept);
    }
}
