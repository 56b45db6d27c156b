//! Webhook events as GitHub sends them, with valid and invalid signatures.

use crate::fake::FakeGitHub;
use crate::world::user;
use anyhow::Result;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

/// An event to send, once or several times.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Its `x-github-delivery`.
    pub id: String,
    /// Its `x-github-event`.
    pub event: String,
    /// Its body.
    pub payload: Value,
}

/// How a delivery is signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signing {
    /// The correct signature.
    #[default]
    Right,
    /// A signature with another secret.
    Wrong,
    /// No signature.
    None,
    /// Only the old SHA-1 signature.
    Sha1,
}

impl Delivery {
    fn new(event: &str, payload: Value) -> Self {
        Self { id: uuid::Uuid::new_v4().to_string(), event: event.to_owned(), payload }
    }

    /// Returns the headers and the body.
    pub fn request(&self, secret: &str, signing: Signing) -> (Vec<(&'static str, String)>, Vec<u8>) {
        let body = self.payload.to_string().into_bytes();
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("user-agent", "GitHub-Hookshot/0f8a1c2".to_owned()),
            ("x-github-delivery", self.id.clone()),
            ("x-github-event", self.event.clone()),
            ("x-github-hook-id", "1".to_owned()),
        ];
        match signing {
            Signing::Right => headers.push(("x-hub-signature-256", signature(secret, &body))),
            Signing::Wrong => headers.push(("x-hub-signature-256", signature("another secret", &body))),
            Signing::Sha1 => headers.push(("x-hub-signature", format!("sha1={}", "0".repeat(40)))),
            Signing::None => {}
        }
        (headers, body)
    }
}

/// Computes the value of `x-hub-signature-256`.
pub fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    format!("sha256={}", hex::encode(digest))
}

impl FakeGitHub {
    /// Sends a delivery and returns the response status.
    ///
    /// # Errors
    /// The address does not respond.
    pub async fn send(&self, url: &str, delivery: &Delivery, signing: Signing) -> Result<u16> {
        let (headers, body) = delivery.request(&self.shared.settings.webhook_secret, signing);
        let url = url.to_owned();
        let send = move || {
            let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
            let post = headers.iter().fold(agent.post(&url), |post, (name, value)| post.header(*name, value));
            anyhow::Ok(post.send(&body[..])?.status().as_u16())
        };
        tokio::task::spawn_blocking(send).await?
    }

    /// `ping`, sent after the App is registered.
    pub fn ping(&self) -> Delivery {
        let hook = json!({"type": "App", "id": 1, "active": true, "events": ["pull_request", "push"]});
        Delivery::new("ping", json!({"zen": "Design for failure.", "hook_id": 1, "hook": hook}))
    }

    /// `push` to a branch.
    pub fn push_event(&self, repository: &str, branch: &str) -> Delivery {
        let mut payload = self.event_fields(repository, "pusher");
        let mut world = self.world();
        let after = world.repository(repository).branches.get(branch).cloned();
        drop(world);
        payload["ref"] = json!(format!("refs/heads/{branch}"));
        payload["before"] = json!("0".repeat(40));
        payload["deleted"] = json!(after.is_none());
        payload["after"] = json!(after.unwrap_or_else(|| "0".repeat(40)));
        payload["commits"] = json!([]);
        Delivery::new("push", payload)
    }

    /// `pull_request`: opened, synchronize, reopened, closed.
    pub fn pull_request_event(&self, repository: &str, number: u64, action: &str) -> Delivery {
        let mut world = self.world();
        let of = world.repository(repository);
        let pull = of.pull_json(&of.pulls[&number]);
        let author = of.pulls[&number].new.author.clone();
        drop(world);
        let mut payload = self.event_fields(repository, &author);
        payload["action"] = json!(action);
        payload["number"] = json!(number);
        payload["pull_request"] = pull;
        Delivery::new("pull_request", payload)
    }

    /// `issue_comment`: created.
    pub fn comment_event(&self, repository: &str, comment: u64) -> Delivery {
        let mut world = self.world();
        let of = world.repository(repository);
        let comment = of.comments[&comment].clone();
        let pull = of.pull_json(&of.pulls[&comment.issue]);
        drop(world);
        let mut payload = self.event_fields(repository, &comment.login);
        payload["action"] = json!("created");
        payload["comment"] = comment.json();
        payload["issue"] = json!({
            "number": comment.issue, "state": pull["state"], "user": pull["user"],
            "pull_request": {"url": format!("{}/repos/{repository}/pulls/{}", self.api_url(), comment.issue)},
        });
        Delivery::new("issue_comment", payload)
    }

    /// `check_suite`: requested, rerequested, completed.
    pub fn check_suite_event(&self, repository: &str, head_sha: &str, action: &str, login: &str) -> Delivery {
        let mut payload = self.event_fields(repository, login);
        payload["action"] = json!(action);
        payload["check_suite"] = json!({
            "id": 5, "head_sha": head_sha, "app": {"id": self.shared.settings.app_id}, "pull_requests": [],
        });
        Delivery::new("check_suite", payload)
    }

    /// `installation`: created, deleted, suspend, unsuspend.
    pub fn installation_event(&self, installation: u64, action: &str) -> Delivery {
        let world = self.world();
        let repositories: Vec<Value> =
            world.of_installation(installation).map(|repository| repository.short_json()).collect();
        let app_id = self.shared.settings.app_id;
        let known = world.installations.get(&installation).map(|known| known.json(installation, app_id));
        let known = known.unwrap_or_else(|| json!({"id": installation}));
        drop(world);
        Delivery::new(
            "installation",
            json!({"action": action, "installation": known, "repositories": repositories, "sender": user("owner", "User")}),
        )
    }

    /// `installation_repositories`: added, removed.
    pub fn installation_repositories_event(&self, installation: u64, action: &str) -> Delivery {
        let mut delivery = self.installation_event(installation, action);
        delivery.event = "installation_repositories".to_owned();
        delivery.payload["repositories_added"] = json!([]);
        delivery.payload["repositories_removed"] = json!([]);
        delivery
    }

    /// The common fields of every event about a repository.
    fn event_fields(&self, repository: &str, sender: &str) -> Value {
        let mut world = self.world();
        let of = world.repository(repository);
        let kind = if sender.ends_with("[bot]") { "Bot" } else { "User" };
        json!({
            "repository": of.json(), "sender": user(sender, kind),
            "installation": {"id": of.installation.unwrap_or_default()},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_matches_the_official_example() {
        let signed = signature("It's a Secret to Everybody", b"Hello, World!");
        assert_eq!(signed, "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
    }
}
