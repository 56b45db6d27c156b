//! Failed deliveries: retries and their limits.

use super::receiver::{Reaction, Received, Receiver};
use super::{CHANNELS, NotifyFixture};
use crate::support::at;
use chrono::{TimeDelta, Utc};
use roundtrip_domain::notify::{Notifier, Settings};
use serde_json::{Value, json};
use std::process::Command;

/// Runs the documentation's Python program for verifying a message.
fn verify(secret: &str, received: &Received) -> bool {
    let documented = include_str!("../../../../docs/reference/webhook.md");
    let (_, code) = documented.split_once("```python\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let call = "import json, sys\ngiven = json.load(sys.stdin)\nverify(given['secret'], given['headers'], bytes(given['body']))\n";
    let mut python = Command::new("python3")
        .args(["-c", &format!("{code}\n{call}")])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let given = json!({"secret": secret, "headers": received.headers, "body": received.body});
    std::io::Write::write_all(&mut python.stdin.take().unwrap(), given.to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || errors.contains("not signed with the secret"), "{errors}");
    output.status.success()
}

#[database_test]
async fn documented_program_verifies_signatures(fixture: NotifyFixture) {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("this test does not apply: python3 is missing");
        return;
    }
    let receiver = Receiver::start();
    let (_, secret) = fixture.channel("ours", &receiver, &["regressed"]).await;
    fixture.insert_regression("").await;
    fixture.send_due().await;
    let received = receiver.take().remove(0);
    assert_eq!(received.headers["webhook-id"], received.json()["message_id"].as_str().unwrap());
    assert!(verify(&secret, &received));
    let mut forged = received.clone();
    forged.body[0] = b' ';
    assert!(!verify(&secret, &forged));
    let mut replayed = received;
    replayed.headers.insert("webhook-id".into(), "another".into());
    assert!(!verify(&secret, &replayed));
}

#[database_test]
async fn retries_with_the_same_id_and_body(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed"]).await;
    fixture.insert_regression("").await;
    let mut now = Utc::now() + TimeDelta::minutes(3);
    for (reaction, why) in [
        (Reaction::Answer(500, ""), "status 500: what"),
        (Reaction::Close, "no answer"),
        (Reaction::Answer(429, "retry-after: 7200\r\n"), "status 429: what"),
    ] {
        receiver.react(reaction);
        fixture.send_due_at(now).await;
        let channel = fixture.read_channel("ours").await;
        assert!(channel["failure"].as_str().unwrap().starts_with(why), "{channel}");
        // Later events wait for this one.
        fixture.insert_regression("").await;
        fixture.send_due_at(now + TimeDelta::seconds(10)).await;
        now += TimeDelta::minutes(90);
    }
    receiver.react(Reaction::Answer(204, ""));
    fixture.send_due_at(now).await;
    assert_eq!(receiver.received().len(), 2, "the receiver asked for two hours");
    now += TimeDelta::minutes(90);
    fixture.send_due_at(now).await;
    let received = receiver.take();
    let ids: Vec<&str> = received.iter().map(|one| one.headers["webhook-id"].as_str()).collect();
    assert_eq!((ids.len(), ids[0] == ids[1] && ids[1] == ids[2] && ids[2] != ids[3]), (4, true), "{ids:?}");
    assert_eq!(received[0].body, received[2].body);
    assert_eq!(received[3].json()["count"], 3, "later events are sent together");
    let channel = fixture.read_channel("ours").await;
    assert_eq!(at(&channel, "enabled,disabled_because"), json!([true, null]));
    assert_ne!(channel["last_success_at"], Value::Null);
}

#[database_test]
async fn failing_channel_is_disabled_with_a_reason(fixture: NotifyFixture) {
    let receiver = Receiver::start();
    let (id, _) = fixture.channel("ours", &receiver, &["regressed"]).await;
    receiver.react(Reaction::Answer(410, ""));
    fixture.insert_regression("").await;
    for attempt in 1..=8 {
        fixture.send_due_at(Utc::now() + TimeDelta::hours(2 * attempt)).await;
    }
    assert_eq!(receiver.take().len(), 5);
    let channel = fixture.read_channel("ours").await;
    let because = "it rejected 5 messages in a row, the last one with: status 410: what";
    assert_eq!(at(&channel, "enabled,disabled_because"), json!([false, because]));
    let audit = "select actor, subject from audit_event where action = 'channel.change'";
    let audited: Vec<(String, String)> = fixture.app.rows(audit).await;
    assert_eq!(audited, [("server".to_owned(), format!("channel:{id}"))]);
    // When enabled again, it gets events from then on.
    receiver.react(Reaction::Answer(200, ""));
    fixture.insert_regression("").await;
    let path = format!("{CHANNELS}/{id}");
    let answer = fixture.app.send("PATCH", &path, &fixture.token, Some(json!({"enabled": true}))).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json::<Value>()["disabled_because"], Value::Null);
    fixture.insert_regression("").await;
    fixture.send_due().await;
    let received = receiver.take();
    assert_eq!((received.len(), &received[0].json()["count"]), (1, &json!(1)));
}

#[database_test]
async fn ignores_redirects_and_endless_answers(fixture: NotifyFixture) {
    let (receiver, elsewhere) = (Receiver::start(), Receiver::start());
    fixture.channel("ours", &receiver, &["regressed"]).await;
    let location: &'static str = format!("location: {}\r\n", elsewhere.url()).leak();
    receiver.react(Reaction::Answer(307, location));
    fixture.insert_regression("").await;
    fixture.send_due().await;
    let channel = fixture.read_channel("ours").await;
    assert!(channel["failure"].as_str().unwrap().contains("redirects are not followed"), "{channel}");
    assert!(elsewhere.received().is_empty());
    receiver.react(Reaction::Endless);
    fixture.send_due_at(Utc::now() + TimeDelta::hours(1)).await;
    assert_ne!(fixture.read_channel("ours").await["last_success_at"], Value::Null);
}

#[database_test]
async fn hanging_receiver_delays_no_other(fixture: NotifyFixture) {
    let (slow, quick) = (Receiver::start(), Receiver::start());
    fixture.channel("slow", &slow, &["regressed"]).await;
    fixture.channel("quick", &quick, &["regressed"]).await;
    slow.react(Reaction::Hang);
    fixture.insert_regression("").await;
    fixture.send_due().await;
    assert_eq!((slow.received().len(), quick.received().len()), (1, 1));
    let channel = fixture.read_channel("slow").await;
    assert_eq!(channel["failure"], "no answer within 5 s");
}

#[database_test]
async fn gives_up_a_message_after_a_day(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed"]).await;
    receiver.react(Reaction::Answer(503, ""));
    fixture.insert_regression("").await;
    fixture.send_due().await;
    fixture.send_due_at(Utc::now() + TimeDelta::hours(25)).await;
    receiver.react(Reaction::Answer(200, ""));
    let given_up = receiver.take();
    assert_eq!(given_up.len(), 2);
    fixture.insert_regression("").await;
    fixture.send_due_at(Utc::now() + TimeDelta::hours(26)).await;
    let received = receiver.take();
    assert_eq!(received.len(), 1);
    assert_ne!(received[0].headers["webhook-id"], given_up[0].headers["webhook-id"]);
}

#[database_test]
async fn two_servers_notify_exactly_once(fixture: NotifyFixture) {
    let receivers: Vec<Receiver> = (0..12).map(|_| Receiver::start()).collect();
    for (nth, receiver) in receivers.iter().enumerate() {
        fixture.channel(&format!("nr {nth}"), receiver, &["regressed"]).await;
    }
    let settings = Settings { allow_private_targets: true, ..Settings::default() };
    let other = Notifier::new(fixture.app.another().pool, settings);
    for _ in 0..3 {
        fixture.insert_regression("").await;
    }
    let now = Utc::now() + TimeDelta::minutes(3);
    let (one, two) = tokio::join!(fixture.notifier().send_due(now), other.send_due(now));
    one.and(two).unwrap();
    for receiver in &receivers {
        let received = receiver.take();
        assert_eq!((received.len(), &received[0].json()["count"]), (1, &json!(3)));
    }
}
