//! Receivers that do not take a message: when it comes again, and when it does not.

use super::receiver::{Reaction, Received, Receiver};
use super::{CHANNELS, Told};
use chrono::{TimeDelta, Utc};
use roundtrip_domain::notify::{Notifier, Settings};
use serde_json::{Value, json};
use std::process::Command;

/// What verifies a message in the documentation, run by Python as it stands there.
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
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || said.contains("not signed with the secret"), "{said}");
    output.status.success()
}

#[database_test]
async fn the_documented_program_verifies_a_message_and_nothing_else(told: Told) {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("this test does not apply: python3 is missing");
        return;
    }
    let receiver = Receiver::start();
    let (_, secret) = told.channel("ours", &receiver, &["regressed"]).await;
    told.find("").await;
    told.tell().await;
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
async fn what_was_not_taken_comes_again_with_the_same_identity_and_body_until_it_is(told: Told) {
    let receiver = Receiver::start();
    told.channel("ours", &receiver, &["regressed"]).await;
    told.find("").await;
    let mut now = Utc::now() + TimeDelta::minutes(3);
    for (reaction, why) in [
        (Reaction::Answer(500, ""), "it answered 500: what"),
        (Reaction::Close, "no answer"),
        (Reaction::Answer(429, "retry-after: 7200\r\n"), "it answered 429: what"),
    ] {
        receiver.react(reaction);
        told.tell_at(now).await;
        let channel = told.channel_now("ours").await;
        assert!(channel["failure"].as_str().unwrap().starts_with(why), "{channel}");
        // Others are found meanwhile: they wait for this one.
        told.find("").await;
        told.tell_at(now + TimeDelta::seconds(10)).await;
        now += TimeDelta::minutes(90);
    }
    receiver.react(Reaction::Answer(204, ""));
    told.tell_at(now).await;
    assert_eq!(receiver.received().len(), 2, "it wanted two hours");
    now += TimeDelta::minutes(90);
    told.tell_at(now).await;
    let received = receiver.take();
    let ids: Vec<&str> = received.iter().map(|one| one.headers["webhook-id"].as_str()).collect();
    assert_eq!((ids.len(), ids[0] == ids[1] && ids[1] == ids[2] && ids[2] != ids[3]), (4, true), "{ids:?}");
    assert_eq!(received[0].body, received[2].body);
    assert_eq!(received[3].json()["count"], 3, "what was found meanwhile goes together");
    let channel = told.channel_now("ours").await;
    assert_eq!((&channel["enabled"], &channel["disabled_because"]), (&json!(true), &Value::Null));
    assert_ne!(channel["last_success_at"], Value::Null);
}

#[database_test]
async fn a_channel_that_refuses_again_and_again_is_turned_off_and_says_why(told: Told) {
    let receiver = Receiver::start();
    let (id, _) = told.channel("ours", &receiver, &["regressed"]).await;
    receiver.react(Reaction::Answer(410, ""));
    told.find("").await;
    for attempt in 1..=8 {
        told.tell_at(Utc::now() + TimeDelta::hours(2 * attempt)).await;
    }
    assert_eq!(receiver.take().len(), 5);
    let channel = told.channel_now("ours").await;
    let because = "it refused 5 times in a row, the last time because it answered 410: what";
    assert_eq!((&channel["enabled"], &channel["disabled_because"]), (&json!(false), &json!(because)));
    let audit = "select actor, subject from audit_event where action = 'channel.change'";
    let told_of: Vec<(String, String)> = told.app.rows(audit).await;
    assert_eq!(told_of, [("server".to_owned(), format!("channel:{id}"))]);
    // Turned on again, it is told of what happens from then on.
    receiver.react(Reaction::Answer(200, ""));
    told.find("").await;
    let path = format!("{CHANNELS}/{id}");
    let answer = told.app.send("PATCH", &path, &told.token, Some(json!({"enabled": true}))).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json::<Value>()["disabled_because"].clone()),
        (200, Value::Null)
    );
    told.find("").await;
    told.tell().await;
    let received = receiver.take();
    assert_eq!((received.len(), &received[0].json()["count"]), (1, &json!(1)));
}

#[database_test]
async fn a_redirect_is_not_followed_and_an_answer_without_end_is_not_read(told: Told) {
    let (receiver, elsewhere) = (Receiver::start(), Receiver::start());
    told.channel("ours", &receiver, &["regressed"]).await;
    let location: &'static str = format!("location: {}\r\n", elsewhere.url()).leak();
    receiver.react(Reaction::Answer(307, location));
    told.find("").await;
    told.tell().await;
    let channel = told.channel_now("ours").await;
    assert!(channel["failure"].as_str().unwrap().contains("a redirect, which is not followed"), "{channel}");
    assert!(elsewhere.received().is_empty());
    receiver.react(Reaction::Endless);
    told.tell_at(Utc::now() + TimeDelta::hours(1)).await;
    assert_ne!(told.channel_now("ours").await["last_success_at"], Value::Null);
}

#[database_test]
async fn a_receiver_that_never_answers_holds_up_no_other(told: Told) {
    let (slow, quick) = (Receiver::start(), Receiver::start());
    told.channel("slow", &slow, &["regressed"]).await;
    told.channel("quick", &quick, &["regressed"]).await;
    slow.react(Reaction::Hang);
    told.find("").await;
    told.tell().await;
    assert_eq!((slow.received().len(), quick.received().len()), (1, 1));
    let channel = told.channel_now("slow").await;
    assert_eq!(channel["failure"], "no answer within 5 s");
}

#[database_test]
async fn what_is_not_taken_for_a_day_is_given_up_and_the_next_goes_on(told: Told) {
    let receiver = Receiver::start();
    told.channel("ours", &receiver, &["regressed"]).await;
    receiver.react(Reaction::Answer(503, ""));
    told.find("").await;
    told.tell().await;
    told.tell_at(Utc::now() + TimeDelta::hours(25)).await;
    receiver.react(Reaction::Answer(200, ""));
    let given_up = receiver.take();
    assert_eq!(given_up.len(), 2);
    told.find("").await;
    told.tell_at(Utc::now() + TimeDelta::hours(26)).await;
    let received = receiver.take();
    assert_eq!(received.len(), 1);
    assert_ne!(received[0].headers["webhook-id"], given_up[0].headers["webhook-id"]);
}

#[database_test]
async fn two_servers_tell_everybody_exactly_once(told: Told) {
    let receivers: Vec<Receiver> = (0..12).map(|_| Receiver::start()).collect();
    for (nth, receiver) in receivers.iter().enumerate() {
        told.channel(&format!("nr {nth}"), receiver, &["regressed"]).await;
    }
    let other = Notifier::new(
        told.app.another().pool,
        Settings { allow_private_targets: true, ..Settings::default() },
    );
    for _ in 0..3 {
        told.find("").await;
    }
    let now = Utc::now() + TimeDelta::minutes(3);
    let (one, two) = tokio::join!(told.notifier().tell(now), other.tell(now));
    one.and(two).unwrap();
    for receiver in &receivers {
        let received = receiver.take();
        assert_eq!((received.len(), &received[0].json()["count"]), (1, &json!(3)));
    }
}
