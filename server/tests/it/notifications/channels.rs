//! `/api/v1/projects/{project}/channels`: permissions and validation.

use super::receiver::{Reaction, Receiver};
use super::{CHANNELS, NotifyFixture};
use crate::support::{TestApp, at, factory};
use roundtrip_storage::access::Role;
use serde_json::{Value, json};

fn webhook(name: &str, target: &str) -> Value {
    json!({"name": name, "kind": "webhook", "target": target})
}

#[database_test]
async fn channel_changes_are_audited(fixture: NotifyFixture) {
    let (app, token) = (&fixture.app, &fixture.token);
    let list = async || app.read_as(token, CHANNELS).await;
    assert_eq!(list().await, json!({"channels": [], "kinds": ["slack", "webhook"]}));
    let secret_url = "https://hooks.slack.com/services/T00000000/B00000000/verysecretpart";
    let request = json!({"name": "chat", "kind": "slack", "target": secret_url});
    let answer = app.send("POST", CHANNELS, token, Some(request)).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let made: Value = answer.json();
    let summary = at(&made, "secret,channel/events,channel/target,channel/created_by");
    assert_eq!(summary, json!([null, ["regressed"], "hooks.slack.com/…part", "account:mara"]));
    let path = format!("{CHANNELS}/{}", made["channel"]["channel_id"]);
    let change = json!({"name": "our chat", "events": ["fixed", "regressed", "fixed"], "enabled": false});
    let changed: Value = app.send("PATCH", &path, token, Some(change)).await.json();
    let expected = json!(["our chat", false, ["regressed", "fixed"]]);
    assert_eq!(at(&changed, "name,enabled,events"), expected);
    assert_eq!(list().await["channels"][0], changed);
    let everything = format!("{answer:?} {changed} {}", list().await);
    assert!(!everything.contains("verysecret"), "{everything}");
    assert_eq!(app.send("DELETE", &path, token, None).await.status, 204);
    app.send("DELETE", &path, token, None).await.assert_problem(404, "unknown-channel");
    let audit = "select actor || ' ' || action || ' ' || details::text from audit_event
                 where action like 'channel.%' order by audit_event_id";
    let logged: Vec<String> = app.scalars(audit).await;
    let begins =
        ["account:mara channel.create", "account:mara channel.change", "account:mara channel.delete"];
    assert_eq!(logged.len(), 3, "{logged:?}");
    for (line, begin) in logged.iter().zip(begins) {
        assert!(line.starts_with(begin) && !line.contains("verysecret"), "{line}");
    }
}

#[database_test]
async fn only_maintainers_manage_channels(fixture: NotifyFixture) {
    let receiver = Receiver::start();
    let (id, _) = fixture.channel("ours", &receiver, &["regressed"]).await;
    let contributor = fixture.app.member("carl", "libfoo", Role::Contributor).await;
    let path = format!("{CHANNELS}/{id}");
    for (method, path, body) in [
        ("GET", CHANNELS.to_owned(), None),
        ("POST", CHANNELS.to_owned(), Some(webhook("mine", &receiver.url()))),
        ("PATCH", path.clone(), Some(json!({"enabled": false}))),
        ("POST", format!("{path}/test"), None),
        ("DELETE", path.clone(), None),
    ] {
        fixture.app.send(method, &path, &contributor, body.clone()).await.assert_problem(403, "forbidden");
        fixture.app.send(method, &path, "", body).await.assert_problem(401, "unauthenticated");
    }
    assert!(receiver.received().is_empty());
    // A maintainer of another project has no access.
    fixture.app.store(&factory::of_project("other")).await;
    let stranger = fixture.app.member("oscar", "other", Role::Maintainer).await;
    for (method, rest, body) in
        [("PATCH", "", Some(json!({"enabled": false}))), ("DELETE", "", None), ("POST", "/test", None)]
    {
        let path = format!("/api/v1/projects/other/channels/{id}{rest}");
        fixture.app.send(method, &path, &stranger, body).await.assert_problem(404, "unknown-channel");
    }
}

#[database_test]
async fn test_message_reports_its_result(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed"]).await;
    let path = format!("{CHANNELS}/{}/test", fixture.read_channel("ours").await["channel_id"]);
    let test = async || fixture.app.send("POST", &path, &fixture.token, None).await.json::<Value>();
    assert_eq!(test().await, json!({"delivered": true, "detail": "Delivered."}));
    assert_eq!(receiver.take()[0].json()["event"], "test");
    receiver.react(Reaction::Answer(404, ""));
    let failed = json!({"delivered": false, "detail": "Not delivered: status 404: what."});
    assert_eq!(test().await, failed);
    let channel = fixture.read_channel("ours").await;
    assert_eq!(at(&channel, "failure,enabled"), json!(["status 404: what", true]));
}

#[database_test]
async fn rejects_invalid_channels(app: TestApp) {
    // With the default settings of servers.
    app.store(&factory::report()).await;
    let token = app.member("mara", "libfoo", Role::Maintainer).await;
    let post = async |body: Value| app.send("POST", CHANNELS, &token, Some(body)).await;
    let private = "is not an address of the public internet";
    let no_events = json!({"name": "a", "kind": "webhook", "target": "https://example.org/", "events": []});
    let email = json!({"name": "a", "kind": "email", "target": "ada@example.org"});
    let pager = json!({"name": "a", "kind": "pager", "target": "https://example.org/"});
    for (body, parameter, expected) in [
        (webhook("a", "http://example.org/hook"), "target", "expected https://HOST and a path"),
        (webhook("a", "https://169.254.169.254/latest"), "target", private),
        (webhook("a", "https://[::1]/"), "target", private),
        (webhook("", "https://example.org/hook"), "name", "expected 1 to 100 characters"),
        (no_events, "events", "expected at least one"),
        (email, "target", "e-mail is not set up on this server"),
        (pager, "kind", "unknown variant"),
    ] {
        let problem = post(body.clone()).await.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.starts_with(&format!("parameter {parameter}: ")), "{body}: {problem:?}");
        assert!(problem.detail.contains(expected), "{body}: {problem:?}");
    }
    assert_eq!(post(webhook("a", "https://example.org/hook")).await.status, 201);
    post(webhook("a", "https://example.org/other")).await.assert_problem(409, "taken");
    for nth in 2..=20 {
        assert_eq!(post(webhook(&format!("nr {nth}"), "https://example.org/hook")).await.status, 201);
    }
    post(webhook("one more", "https://example.org/hook")).await.assert_invalid("20 channels");
}
