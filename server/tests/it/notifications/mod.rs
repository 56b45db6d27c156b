//! Notifications: from detected changes to messages at receivers.

mod channels;
mod delivery;
pub(crate) mod receiver;

use crate::support::{Fixture, TestApp, at, factory, texts};
use chrono::{DateTime, TimeDelta, Utc};
use receiver::Receiver;
use roundtrip_domain::notify::{Notifier, Settings};
use roundtrip_storage::access::Role;
use roundtrip_storage::notification::outbox;
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;

/// A server that may send to this machine, and a maintainer of its project.
struct NotifyFixture {
    app: TestApp,
    token: String,
}

const CHANNELS: &str = "/api/v1/projects/libfoo/channels";

impl Fixture for NotifyFixture {
    async fn new(pool: PgPool) -> Self {
        let settings = Settings {
            public_url: "https://roundtrip.example.org/".into(),
            allow_private_targets: true,
            mail: None,
        };
        let app = TestApp::configured(pool, |state| state.with_notifications(settings)).await;
        // The first run creates the project.
        app.store(&run("lab-1", 1, &[("ring", 1_000)])).await;
        let token = app.member("mara", "libfoo", Role::Maintainer).await;
        Self { app, token }
    }
}

impl NotifyFixture {
    fn notifier(&self) -> &Notifier {
        self.app.state.notifier()
    }

    /// Starts a receiver, and creates the webhook `ours` for these events.
    async fn receiver(&self, events: &[&str]) -> Receiver {
        let receiver = Receiver::start();
        self.channel("ours", &receiver, events).await;
        receiver
    }

    /// Creates a webhook for these events. Returns its id and its key.
    async fn channel(&self, name: &str, receiver: &Receiver, events: &[&str]) -> (i64, String) {
        let request = json!({"name": name, "kind": "webhook", "target": receiver.url(), "events": events});
        let answer = self.app.send("POST", CHANNELS, &self.token, Some(request)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let made: Value = answer.json();
        (made["channel"]["channel_id"].as_i64().unwrap(), made["secret"].as_str().unwrap().to_owned())
    }

    /// Uploads commits whose series have these times, and runs change detection.
    async fn measure(&self, commits: impl IntoIterator<Item = u64>, series: &[(&str, u64)]) {
        for commit in commits {
            self.app.store(&run("lab-1", commit, series)).await;
        }
        self.app.state.analyst().search().await.unwrap();
    }

    /// Sends messages due in three minutes: everything found so far.
    async fn send_due(&self) {
        self.send_due_at(Utc::now() + TimeDelta::minutes(3)).await;
    }

    async fn send_due_at(&self, now: DateTime<Utc>) {
        self.notifier().send_due(now).await.unwrap();
    }

    async fn read_channel(&self, name: &str) -> Value {
        let list = self.app.read_as(&self.token, CHANNELS).await;
        list["channels"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
    }

    /// Inserts a regression without change detection, and queues its notifications.
    async fn insert_regression(&self, change: &str) -> i64 {
        let regression_id = self.app.regression(change).await;
        self.queue_found(regression_id).await;
        regression_id
    }

    async fn queue_found(&self, regression_id: i64) {
        let mut connection = self.app.pool.acquire().await.unwrap();
        outbox::queue_found(&mut connection, &[regression_id], Utc::now()).await.unwrap();
    }
}

/// A report with these series and a stable canary.
fn run(machine: &str, commit: u64, series: &[(&str, u64)]) -> RunReport {
    crate::changes::regressions::run(machine, commit, series, 700)
}

fn events(received: &[receiver::Received]) -> Vec<String> {
    received.iter().map(|one| one.json()["event"].as_str().unwrap().to_owned()).collect()
}

#[database_test]
async fn regression_and_fix_are_sent_once(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed", "fixed"]).await;
    let (quiet, controls) = (Receiver::start(), [("control-a", 4_000), ("control-b", 9_000)]);
    fixture.channel("quiet", &quiet, &["improved", "machine"]).await;
    let with = |ring: u64, queue: u64| [&[("ring", ring), ("queue", queue)], &controls[..]].concat();
    fixture.measure(2..=30, &with(1_000, 5_000)).await;
    fixture.measure(31..=40, &with(1_200, 5_500)).await;
    fixture.send_due_at(Utc::now()).await;
    assert!(receiver.received().is_empty(), "changes of one cause are collected first");
    fixture.send_due().await;
    fixture.send_due().await;
    let received = receiver.take();
    assert_eq!(events(&received), ["regressed"]);
    let message = received[0].json();
    assert_eq!((&message["version"], &message["count"]), (&json!(1), &json!(1)), "{message}");
    let regression = &message["regressions"][0];
    assert_eq!(at(regression, "series_count,commit_count"), json!([2, 1]), "{regression}");
    assert_eq!(regression["until_commit"]["sha"], factory::sha(31).as_str());
    let id = regression["regression_id"].as_i64().unwrap();
    assert_eq!(regression["url"], format!("https://roundtrip.example.org/libfoo/regressions/{id}"));
    fixture.measure(41..=52, &with(1_000, 5_000)).await;
    fixture.send_due().await;
    let received = receiver.take();
    assert_eq!(events(&received), ["fixed"]);
    let fixed = &received[0].json()["regressions"][0];
    assert_eq!(at(fixed, "regression_id,fixed_by_commit/sha"), json!([id, factory::sha(41)]));
    assert!(quiet.received().is_empty(), "{:?}", quiet.received());
}

#[database_test]
async fn changes_of_the_tail_are_not_sent(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed", "improved", "fixed", "machine"]).await;
    for commit in 2..=96 {
        let permille = if commit <= 30 || commit > 60 { 1_500 } else { 2_000 };
        fixture.app.store(&crate::changes::tail::uneven(commit, permille)).await;
    }
    fixture.app.state.analyst().search().await.unwrap();
    let found: Vec<(String, i64)> =
        fixture.app.rows("select figure, count(*) from change_point where matters group by figure").await;
    assert_eq!(found, [("tail".to_owned(), 2)]);
    fixture.send_due().await;
    assert!(receiver.received().is_empty(), "{:?}", receiver.received());
    assert_eq!(fixture.app.scalar::<i64>("select count(*) from notification").await, 0);
}

#[database_test]
async fn new_channel_gets_no_old_events(fixture: NotifyFixture) {
    let id = fixture.insert_regression("").await;
    let count = async || fixture.app.scalar::<i64>("select count(*) from notification").await;
    assert_eq!(count().await, 0);
    fixture.receiver(&["regressed"]).await;
    fixture.queue_found(id).await;
    assert_eq!(count().await, 0);
    fixture.insert_regression("").await;
    assert_eq!(count().await, 1);
}

#[database_test]
async fn machine_doubtful_muted_and_closed_changes_are_not_sent(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed", "fixed", "improved", "machine"]).await;
    for change in [
        "cause = 'machine', state = 'machine'",
        "cause = 'unknown'",
        "held_because = 'its machine is suspect'",
        "muted_until_at = now() + interval '1 day'",
        "state = 'invalid'",
    ] {
        fixture.insert_regression(change).await;
    }
    fixture.send_due().await;
    assert!(receiver.received().is_empty(), "{:?}", events(&receiver.received()));
    // An expired muting has no effect.
    fixture.insert_regression("muted_until_at = now() - interval '1 day'").await;
    fixture.send_due().await;
    assert_eq!(events(&receiver.take()), ["regressed"]);
}

#[database_test]
async fn regression_fixed_before_sending_is_never_sent(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed", "fixed"]).await;
    let [fixed, muted] = [fixture.insert_regression("").await, fixture.insert_regression("").await];
    let update = async |change: &str, id: i64| {
        let update = format!("update regression set {change} where regression_id = {id}");
        fixture.app.execute(&update).await;
    };
    update("state = 'fixed'", fixed).await;
    update("muted_until_at = now() + interval '1 day'", muted).await;
    let mut connection = fixture.app.pool.acquire().await.unwrap();
    outbox::queue_fixed(&mut connection, &[fixed], Utc::now()).await.unwrap();
    fixture.send_due().await;
    assert!(receiver.received().is_empty(), "{:?}", receiver.received());
    assert_eq!(fixture.read_channel("ours").await["last_success_at"], Value::Null);
}

#[database_test]
async fn storm_sends_ten_messages_an_hour_then_a_summary(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed"]).await;
    let begin = Utc::now();
    for minute in 1..=15 {
        fixture.insert_regression("").await;
        fixture.send_due_at(begin + TimeDelta::minutes(3) + TimeDelta::seconds(minute)).await;
    }
    assert_eq!(receiver.take().len(), 10);
    // Some more, and the hour ends.
    for _ in 0..60 {
        fixture.insert_regression("").await;
    }
    fixture.send_due_at(begin + TimeDelta::minutes(50)).await;
    assert_eq!(receiver.received().len(), 0);
    fixture.send_due_at(begin + TimeDelta::minutes(64)).await;
    let received = receiver.take();
    assert_eq!(received.len(), 1);
    let message = received[0].json();
    assert_eq!((&message["count"], message["regressions"].as_array().unwrap().len()), (&json!(65), 50));
}

#[database_test]
async fn subscribed_channels_get_improvements_and_suspect_machines(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["improved", "machine"]).await;
    fixture.insert_regression("direction = 'improved'").await;
    let mut connection = fixture.app.pool.acquire().await.unwrap();
    let suspect = "is suspect: results shifted without a code change";
    let now = Utc::now();
    for days in [0, 1, 6, 8] {
        let now = now + TimeDelta::days(days);
        outbox::queue_machine(&mut connection, 1, 1, suspect, now).await.unwrap();
        fixture.send_due_at(now + TimeDelta::minutes(3)).await;
    }
    let received = receiver.take();
    assert_eq!(events(&received), ["improved", "machine", "machine"]);
    assert_eq!(received[1].json()["machines"], json!([{"machine": "lab-1", "why": suspect}]));
}

#[database_test]
async fn silent_machine_is_reported_once(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["machine"]).await;
    for hours in 1..=4 {
        let mut report = run("lab-1", 1, &[("ring", 1_000)]);
        report.started_at += TimeDelta::hours(2 * hours);
        report.finished_at = report.started_at;
        fixture.app.store(&report).await;
    }
    let newest_at = factory::report().started_at + TimeDelta::hours(8);
    for hours in [5, 7, 8, 24 * 6, 24 * 9, 24 * 30] {
        let now = newest_at + TimeDelta::hours(hours);
        roundtrip_domain::tasks::silence::notify_overdue(&fixture.app.pool, now).await.unwrap();
        fixture.send_due_at(now + TimeDelta::minutes(3)).await;
        assert_eq!(receiver.received().len(), usize::from(hours > 6), "after {hours} h");
    }
    let why = receiver.take()[0].json()["machines"][0]["why"].as_str().unwrap().to_owned();
    assert!(why.starts_with("is overdue: no run since ") && why.ends_with("expected every 2 h"), "{why}");
}

#[database_test]
async fn suspect_machine_is_reported_once_and_raises_no_alert(fixture: NotifyFixture) {
    let receiver = fixture.receiver(&["regressed", "fixed", "improved", "machine"]).await;
    // The machine slows down three times, with all its series; then only the ring.
    let mut ns = (1_000, 4_000, 700);
    for commit in 2..=60 {
        if [16, 28, 40].contains(&commit) {
            ns = (ns.0 * 11 / 10, ns.1 * 11 / 10, ns.2 * 11 / 10);
        }
        let ring = if commit >= 51 { ns.0 * 12 / 10 } else { ns.0 };
        let mut report = run("lab-1", commit, &[("ring", ring), ("control-pipe", ns.1)]);
        report.canaries[0].p50_ns = Some(ns.2 * (1_000 + commit % 3) / 1_000);
        fixture.app.store(&report).await;
        fixture.app.state.analyst().search().await.unwrap();
        fixture.send_due().await;
    }
    let received = receiver.take();
    assert_eq!(events(&received), ["machine"]);
    let machine = &received[0].json()["machines"][0];
    assert_eq!(machine["machine"], "lab-1");
    let shifted = "results shifted without a code change at 3";
    assert!(machine["why"].as_str().unwrap().starts_with(&format!("is suspect: {shifted}")), "{machine}");

    let regressions = async |query: &str| {
        let path = format!("/api/v1/projects/libfoo/regressions?state=new{query}");
        fixture.app.read(&path).await["regressions"].clone()
    };
    assert_eq!(regressions("").await, json!([]));
    let held = texts(&regressions("&quiet=true").await, "*/held_because");
    let machines = fixture.app.read("/api/v1/projects/libfoo/machines").await;
    let because = machines["machines"][0]["suspect_because"].as_str().unwrap();
    assert!(because.starts_with(&format!("{shifted} commits (last 50 runs)")), "{because}");
    assert_eq!(held, [format!("its machine is suspect: {because}")]);
}

#[database_test]
async fn deleting_a_project_deletes_its_notifications(fixture: NotifyFixture) {
    fixture.receiver(&["regressed"]).await;
    fixture.insert_regression("").await;
    fixture.send_due().await;
    fixture.insert_regression("").await;
    let admin = fixture.app.account("root", true).await;
    assert_eq!(fixture.app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await.status, 204);
    let rows = fixture.app.row_counts().await;
    for table in ["notification_channel", "notification_message", "notification"] {
        assert_eq!(rows[table], 0, "{table}");
    }
}
