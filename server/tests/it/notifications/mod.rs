//! Who is told what happens, when, and how often: from what the search for changes finds to what receivers get.

mod channels;
mod delivery;
pub(crate) mod receiver;

use crate::support::{Fixture, TestApp, at, factory};
use chrono::{DateTime, TimeDelta, Utc};
use receiver::Receiver;
use roundtrip_domain::notify::{Notifier, Settings};
use roundtrip_storage::access::Role;
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;

/// A server that may tell receivers of this machine, and a maintainer of its project.
struct Told {
    app: TestApp,
    token: String,
}

const CHANNELS: &str = "/api/v1/projects/libfoo/channels";

impl Fixture for Told {
    async fn of(pool: PgPool) -> Self {
        let settings = Settings {
            public_url: "https://roundtrip.example.org/".into(),
            allow_private_targets: true,
            mail: None,
        };
        let app = TestApp::made(pool, |state| state.with_notifications(settings)).await;
        // The project begins with its first run.
        app.store(&run("lab-1", 1, &[("ring", 1_000)])).await;
        let token = app.member("mara", "libfoo", Role::Maintainer).await;
        Self { app, token }
    }
}

impl Told {
    fn notifier(&self) -> &Notifier {
        self.app.state.notifier()
    }

    /// Makes a webhook that is told of these events, and tells its number and its key.
    async fn channel(&self, name: &str, receiver: &Receiver, events: &[&str]) -> (i64, String) {
        let request = json!({"name": name, "kind": "webhook", "target": receiver.url(), "events": events});
        let answer = self.app.send("POST", CHANNELS, &self.token, Some(request)).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let made: Value = answer.json();
        (made["channel"]["channel_id"].as_i64().unwrap(), made["secret"].as_str().unwrap().to_owned())
    }

    /// Uploads commits up to one, whose series take so long, and searches them.
    async fn measure(&self, commits: impl IntoIterator<Item = u64>, series: &[(&str, u64)]) {
        for commit in commits {
            self.app.store(&run("lab-1", commit, series)).await;
        }
        self.app.state.analyst().search().await.unwrap();
    }

    /// Sends what is due in three minutes: all that was found until now.
    async fn tell(&self) {
        self.tell_at(Utc::now() + TimeDelta::minutes(3)).await;
    }

    async fn tell_at(&self, now: DateTime<Utc>) {
        self.notifier().tell(now).await.unwrap();
    }

    async fn channel_now(&self, name: &str) -> Value {
        let list: Value = self.app.send("GET", CHANNELS, &self.token, None).await.json();
        list["channels"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
    }

    /// Writes a regression that is like one that was found, behind the search's back, and has channels told of it.
    async fn find(&self, change: &str) -> i64 {
        let regression_id = self.app.regression(change).await;
        let mut connection = self.app.pool.acquire().await.unwrap();
        roundtrip_storage::notification::outbox::tell_found(&mut connection, &[regression_id], Utc::now())
            .await
            .unwrap();
        regression_id
    }
}

/// What a run measures, whose canary stays as it was.
fn run(machine: &str, commit: u64, series: &[(&str, u64)]) -> RunReport {
    crate::changes::regressions::run(machine, commit, series, 700)
}

fn events(received: &[receiver::Received]) -> Vec<String> {
    received.iter().map(|one| one.json()["event"].as_str().unwrap().to_owned()).collect()
}

#[database_test]
async fn a_commit_that_slows_several_series_is_sent_once_to_who_asked_and_its_fix_after_it(told: Told) {
    let receiver = Receiver::start();
    told.channel("ours", &receiver, &["regressed", "fixed"]).await;
    let (quiet, controls) = (Receiver::start(), [("control-a", 4_000), ("control-b", 9_000)]);
    told.channel("quiet", &quiet, &["improved", "machine"]).await;
    let with = |ring: u64, queue: u64| [&[("ring", ring), ("queue", queue)], &controls[..]].concat();
    told.measure(2..=30, &with(1_000, 5_000)).await;
    told.measure(31..=40, &with(1_200, 5_500)).await;
    told.tell_at(Utc::now()).await;
    assert!(receiver.received().is_empty(), "what belongs together is waited for");
    told.tell().await;
    told.tell().await;
    let received = receiver.take();
    assert_eq!(events(&received), ["regressed"]);
    let message = received[0].json();
    assert_eq!((&message["version"], &message["count"]), (&json!(1), &json!(1)), "{message}");
    let regression = &message["regressions"][0];
    assert_eq!(at(regression, "series_count,commit_count"), json!([2, 1]), "{regression}");
    assert_eq!(regression["until_commit"]["sha"], factory::sha(31).as_str());
    let id = regression["regression_id"].as_i64().unwrap();
    assert_eq!(regression["url"], format!("https://roundtrip.example.org/libfoo/regressions/{id}"));
    told.measure(41..=52, &with(1_000, 5_000)).await;
    told.tell().await;
    let received = receiver.take();
    assert_eq!(events(&received), ["fixed"]);
    let fixed = &received[0].json()["regressions"][0];
    assert_eq!(at(fixed, "regression_id,fixed_by_commit/sha"), json!([id, factory::sha(41)]));
    assert!(quiet.received().is_empty(), "{:?}", quiet.received());
}

#[database_test]
async fn a_project_without_a_channel_sends_nothing_and_a_new_channel_gets_nothing_old(told: Told) {
    let id = told.find("").await;
    let outbox = "select count(*) from notification";
    let count = async || told.app.scalar::<i64>(outbox).await;
    assert_eq!(count().await, 0);
    let receiver = Receiver::start();
    told.channel("late", &receiver, &["regressed"]).await;
    let mut connection = told.app.pool.acquire().await.unwrap();
    roundtrip_storage::notification::outbox::tell_found(&mut connection, &[id], Utc::now()).await.unwrap();
    assert_eq!(count().await, 0);
    told.find("").await;
    assert_eq!(count().await, 1);
}

#[database_test]
async fn nothing_is_sent_of_what_a_machine_made_is_doubted_muted_or_closed(told: Told) {
    let receiver = Receiver::start();
    told.channel("ours", &receiver, &["regressed", "fixed", "improved", "machine"]).await;
    for change in [
        "cause = 'machine', state = 'machine'",
        "cause = 'unknown'",
        "held_because = 'its machine is suspect'",
        "muted_until_at = now() + interval '1 day'",
        "state = 'invalid'",
    ] {
        told.find(change).await;
    }
    told.tell().await;
    assert!(receiver.received().is_empty(), "{:?}", events(&receiver.received()));
    // A muting that is over keeps nobody from being told, and so does none.
    told.find("muted_until_at = now() - interval '1 day'").await;
    told.tell().await;
    assert_eq!(events(&receiver.take()), ["regressed"]);
}

#[database_test]
async fn what_is_over_before_it_is_sent_is_never_sent_nor_is_its_end(told: Told) {
    let receiver = Receiver::start();
    told.channel("ours", &receiver, &["regressed", "fixed"]).await;
    let [fixed, muted] = [told.find("").await, told.find("").await];
    let update = async |change: &str, id: i64| {
        let update = format!("update regression set {change} where regression_id = {id}");
        told.app.execute(&update).await;
    };
    update("state = 'fixed'", fixed).await;
    update("muted_until_at = now() + interval '1 day'", muted).await;
    let mut connection = told.app.pool.acquire().await.unwrap();
    roundtrip_storage::notification::outbox::tell_fixed(&mut connection, &[fixed], Utc::now()).await.unwrap();
    told.tell().await;
    assert!(receiver.received().is_empty(), "{:?}", receiver.received());
    assert_eq!(told.channel_now("ours").await["last_success_at"], Value::Null);
}

#[database_test]
async fn a_storm_is_ten_messages_an_hour_and_then_one_that_counts_the_rest(told: Told) {
    let receiver = Receiver::start();
    told.channel("ours", &receiver, &["regressed"]).await;
    let begin = Utc::now();
    for minute in 1..=15 {
        told.find("").await;
        told.tell_at(begin + TimeDelta::minutes(3) + TimeDelta::seconds(minute)).await;
    }
    assert_eq!(receiver.take().len(), 10);
    // Some more of it, and the hour is over.
    for _ in 0..60 {
        told.find("").await;
    }
    told.tell_at(begin + TimeDelta::minutes(50)).await;
    assert_eq!(receiver.received().len(), 0);
    told.tell_at(begin + TimeDelta::minutes(64)).await;
    let received = receiver.take();
    assert_eq!(received.len(), 1);
    let message = received[0].json();
    assert_eq!((&message["count"], message["regressions"].as_array().unwrap().len()), (&json!(65), 50));
}

#[database_test]
async fn channels_that_ask_get_improvements_and_once_a_week_a_suspect_machine(told: Told) {
    let receiver = Receiver::start();
    told.channel("all", &receiver, &["improved", "machine"]).await;
    told.find("direction = 'improved'").await;
    let mut connection = told.app.pool.acquire().await.unwrap();
    let suspect = "is suspect: it made changes by itself";
    let now = Utc::now();
    for days in [0, 1, 6, 8] {
        let now = now + TimeDelta::days(days);
        roundtrip_storage::notification::outbox::tell_machine(&mut connection, 1, 1, suspect, now)
            .await
            .unwrap();
        told.tell_at(now + TimeDelta::minutes(3)).await;
    }
    let received = receiver.take();
    assert_eq!(events(&received), ["improved", "machine", "machine"]);
    assert_eq!(received[1].json()["machines"], json!([{"machine": "lab-1", "why": suspect}]));
}

#[database_test]
async fn a_machine_that_falls_silent_is_reported_once(told: Told) {
    let receiver = Receiver::start();
    told.channel("machines", &receiver, &["machine"]).await;
    for hours in 1..=4 {
        let mut report = run("lab-1", 1, &[("ring", 1_000)]);
        report.started_at += TimeDelta::hours(2 * hours);
        report.finished_at = report.started_at;
        told.app.store(&report).await;
    }
    let newest_at = factory::report().started_at + TimeDelta::hours(8);
    for hours in [5, 7, 8, 24 * 6, 24 * 9, 24 * 30] {
        let now = newest_at + TimeDelta::hours(hours);
        roundtrip_domain::tasks::silence::tell(&told.app.pool, now).await.unwrap();
        told.tell_at(now + TimeDelta::minutes(3)).await;
        assert_eq!(receiver.received().len(), usize::from(hours > 6), "after {hours} h");
    }
    let said = receiver.take()[0].json()["machines"][0]["why"].as_str().unwrap().to_owned();
    assert!(said.starts_with("has uploaded nothing since ") && said.ends_with("begin every 2 h"), "{said}");
}

#[database_test]
async fn a_machine_that_often_changes_by_itself_is_reported_once_and_what_changes_on_it_is_not(told: Told) {
    let receiver = Receiver::start();
    told.channel("all", &receiver, &["regressed", "fixed", "improved", "machine"]).await;
    // Three times the machine gets slower, with all that it runs; then the ring alone.
    let mut ns = (1_000, 4_000, 700);
    for commit in 2..=60 {
        if [16, 28, 40].contains(&commit) {
            ns = (ns.0 * 11 / 10, ns.1 * 11 / 10, ns.2 * 11 / 10);
        }
        let ring = if commit >= 51 { ns.0 * 12 / 10 } else { ns.0 };
        let mut report = run("lab-1", commit, &[("ring", ring), ("control-pipe", ns.1)]);
        report.canaries[0].p50_ns = Some(ns.2 * (1_000 + commit % 3) / 1_000);
        told.app.store(&report).await;
        told.app.state.analyst().search().await.unwrap();
        told.tell().await;
    }
    let received = receiver.take();
    assert_eq!(events(&received), ["machine"]);
    let machine = &received[0].json()["machines"][0];
    assert_eq!(machine["machine"], "lab-1");
    assert!(
        machine["why"].as_str().unwrap().starts_with("is suspect: it made changes by itself at 3"),
        "{machine}"
    );
}

#[database_test]
async fn with_its_project_all_that_it_tells_goes(told: Told) {
    told.channel("ours", &Receiver::start(), &["regressed"]).await;
    told.find("").await;
    told.tell().await;
    told.find("").await;
    let admin = told.app.account("root", true).await;
    assert_eq!(told.app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await.status, 204);
    let rows = told.app.row_counts().await;
    for table in ["notification_channel", "notification_message", "notification"] {
        assert_eq!(rows[table], 0, "{table}");
    }
}
