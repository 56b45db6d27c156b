//! `/api/v1/projects/{project}/suspicions`: from the first run of a slow commit to a paired comparison and an alert.

use super::search;
use crate::lab::{Lab, LabAgent};
use crate::notifications::receiver::Receiver;
use crate::support::{Fixture, TestApp, at, factory};
use chrono::{TimeDelta, Utc};
use roundtrip_domain::notify::Settings;
use roundtrip_wire::lab::Assignment;
use roundtrip_wire::{Canary, CaseResult, RunReport, TransportInfo};
use serde_json::{Value, json};
use sqlx::PgPool;

const LIST: &str = "/api/v1/projects/libfoo/suspicions";
const BEFORE_NS: u64 = 10_000;
const SLOW_NS: u64 = 12_100;

/// A result of ten repetitions. Names that begin with `control` are controls.
fn result(name: &str, commit: u64, ns: u64) -> CaseResult {
    let plain = factory::steady(name, 64, ns + ns * (commit * 7 % 5) / 1_000);
    CaseResult {
        transport: TransportInfo { control: name.starts_with("control"), ..plain.transport },
        ..plain
    }
}

/// A run with two cases, of which `ring` takes this long.
fn run(commit: u64, ns: u64) -> RunReport {
    let results =
        vec![result("ring", commit, ns), result("queue", commit, 20_000), result("control", commit, 5_000)];
    with_canary(factory::nth_with(commit, results), 700)
}

fn with_canary(report: RunReport, ns: u64) -> RunReport {
    let canary =
        Canary { slug: factory::slug("wake"), p50_ns: Some(ns), min_ns: None, count: 100, unsupported: None };
    RunReport { canaries: vec![canary], ..report }
}

/// A lab with a channel, and a project of thirty equal commits.
struct History {
    lab: Lab,
    receiver: Receiver,
}

impl Fixture for History {
    async fn new(pool: PgPool) -> Self {
        let settings = Settings {
            public_url: "https://roundtrip.example.org/".into(),
            allow_private_targets: true,
            mail: None,
        };
        let app = TestApp::configured(pool, |state| state.with_notifications(settings)).await;
        let lab = Lab::from_app(app).await;
        let receiver = Receiver::start();
        let channel = json!({
            "name": "ours", "kind": "webhook", "target": receiver.url(), "events": ["regressed", "improved", "fixed"],
        });
        assert_eq!(lab.ask("POST", "/api/v1/projects/libfoo/channels", channel).await.status, 201);
        let history = Self { lab, receiver };
        history.measure(1..=30, BEFORE_NS).await;
        history
    }
}

impl History {
    async fn measure(&self, commits: impl IntoIterator<Item = u64>, ns: u64) {
        for commit in commits {
            self.lab.app.store(&run(commit, ns)).await;
        }
        search(&self.lab.app).await;
    }

    async fn suspicions(&self, query: &str) -> Vec<Value> {
        let list = self.lab.app.read(&format!("{LIST}{query}")).await;
        list["suspicions"].as_array().unwrap().clone()
    }

    /// The only suspicion.
    async fn suspicion(&self) -> Value {
        let all = self.suspicions("").await;
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }

    async fn regressions(&self) -> Vec<Value> {
        super::regressions::list(&self.lab.app, "").await
    }

    /// The events of all messages that are due by now.
    async fn notified(&self) -> Vec<Value> {
        let soon = Utc::now() + TimeDelta::minutes(3);
        self.lab.app.state.notifier().send_due(soon).await.unwrap();
        self.receiver.take().iter().map(|message| message.json()["event"].clone()).collect()
    }

    /// Measures both sides of a claimed job as an agent does, with this time of the head.
    async fn measure_pair(&self, agent: &LabAgent, job: &Assignment, head_ns: u64) {
        let head = u64::from_str_radix(job.commit_sha.as_str(), 16).unwrap();
        let base = u64::from_str_radix(job.base_sha.as_ref().unwrap().as_str(), 16).unwrap();
        for (commit, ns) in [(base, BEFORE_NS), (head, head_ns)] {
            let report = RunReport { job: Some(job.lease()), ..run(commit, ns) };
            self.lab.store(agent, &report).await;
        }
        self.lab.finish(agent, job, "done").await;
        search(&self.lab.app).await;
    }

    /// The same, in pairs while the machine becomes three times slower.
    async fn measure_alternated(&self, agent: &LabAgent, job: &Assignment, factor: f64) {
        let sides = factory::alternated("ring", 10_000.0, factor);
        for (sha, side) in [job.base_sha.as_ref().unwrap(), &job.commit_sha].into_iter().zip(sides) {
            let commit = u64::from_str_radix(sha.as_str(), 16).unwrap();
            let report = RunReport { job: Some(job.lease()), ..factory::nth_with(commit, vec![side]) };
            self.lab.store(agent, &report).await;
        }
        self.lab.finish(agent, job, "done").await;
        search(&self.lab.app).await;
    }

    async fn research(&self) {
        self.lab.app.execute("insert into analysis_due select run_id, machine_id, now() from run").await;
        search(&self.lab.app).await;
    }
}

#[database_test]
async fn slow_commit_is_confirmed_by_a_paired_job(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    history.measure([31], SLOW_NS).await;
    let suspicion = history.suspicion().await;
    assert_eq!(
        at(&suspicion, "state,machine,commit/ordinal,base_commit/ordinal,job_status,regression_id"),
        json!(["waiting", "lab-1", 31, 30, "queued", null])
    );
    assert_eq!(suspicion["cases"].as_array().unwrap().len(), 1, "{suspicion}");
    assert!((suspicion["cases"][0]["change"].as_f64().unwrap() - 0.21).abs() < 0.01, "{suspicion}");
    assert!(history.regressions().await.is_empty() && history.notified().await.is_empty());

    let job = history.lab.claim(&agent).await.unwrap();
    let stored = history.lab.job(job.job_id).await;
    assert_eq!(at(&stored, "reason,branch,job_id"), json!(["confirm", "main", suspicion["job_id"]]));
    history.measure_pair(&agent, &job, SLOW_NS).await;

    let suspicion = history.suspicion().await;
    assert_eq!(suspicion["state"], "confirmed", "{suspicion}");
    let regressions = history.regressions().await;
    assert_eq!(regressions.len(), 1, "{regressions:?}");
    assert_eq!(
        at(&regressions[0], "regression_id,state,cause,after_commit/ordinal,until_commit/ordinal"),
        json!([suspicion["regression_id"], "new", "commit", 30, 31])
    );
    let path = format!("/api/v1/projects/libfoo/regressions/{}", suspicion["regression_id"]);
    let detail = history.lab.app.read(&path).await;
    assert_eq!(at(&detail, "culprits/*/commit/ordinal"), json!([31]));
    let witnesses = detail["change_points"][0]["witnesses"][0].as_str().unwrap().to_owned();
    assert!(witnesses.starts_with(&format!("paired comparison of job {} with the base: +21", job.job_id)));
    assert_eq!(history.notified().await, ["regressed"]);
    assert_eq!(history.suspicions("?state=waiting").await, [] as [Value; 0]);
}

#[database_test]
async fn pairs_confirm_a_change_on_a_drifting_machine(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    history.measure([31], SLOW_NS).await;
    let job = history.lab.claim(&agent).await.unwrap();
    history.measure_alternated(&agent, &job, 1.21).await;
    let suspicion = history.suspicion().await;
    assert_eq!(suspicion["state"], "confirmed", "{suspicion}");
    let change = suspicion["cases"][0]["confirmed_change"].as_f64().unwrap();
    assert!((change - 0.21).abs() < 0.005, "{suspicion}");
}

#[database_test]
async fn pairs_of_equal_sides_withdraw_a_suspicion_on_a_drifting_machine(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    history.measure([31], SLOW_NS).await;
    let job = history.lab.claim(&agent).await.unwrap();
    history.measure_alternated(&agent, &job, 1.0).await;
    assert_eq!(history.suspicion().await["state"], "withdrawn");
    assert!(history.regressions().await.is_empty());
}

#[database_test]
async fn later_searches_keep_a_confirmed_change(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    history.measure([31], SLOW_NS).await;
    let job = history.lab.claim(&agent).await.unwrap();
    history.measure_pair(&agent, &job, SLOW_NS).await;
    assert_eq!(history.notified().await, ["regressed"]);
    let changes = async || {
        let query = "select change_point_id, figure, commit.ordinal, withdrawn_at is null from change_point
                     join commit using (commit_id) where figure = 'p50' order by change_point_id";
        history.lab.app.rows::<(i64, String, i64, bool)>(query).await
    };
    let confirmed = changes().await;
    assert_eq!(confirmed.len(), 1, "{confirmed:?}");
    for commit in 32..=50 {
        history.measure([commit], SLOW_NS).await;
    }
    history.research().await;
    // The detector finds the p99 later; it joins the regression.
    assert_eq!(changes().await, confirmed);
    let regressions = history.regressions().await;
    assert_eq!(regressions.len(), 1, "{regressions:?}");
    assert_eq!(at(&regressions[0], "after_commit/ordinal,until_commit/ordinal"), json!([30, 31]));
    assert_eq!((history.suspicions("").await.len(), history.notified().await.len()), (1, 0));
}

#[database_test]
async fn equal_pairs_withdraw_a_suspicion(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    history.measure([31], SLOW_NS).await;
    let job = history.lab.claim(&agent).await.unwrap();
    history.measure_pair(&agent, &job, BEFORE_NS).await;
    let suspicion = history.suspicion().await;
    assert_eq!(suspicion["state"], "withdrawn", "{suspicion}");
    let because = format!("no change in the paired comparison of job {}", job.job_id);
    assert_eq!(suspicion["decided_because"], because);
    assert!(history.regressions().await.is_empty() && history.notified().await.is_empty());
    history.research().await;
    assert_eq!(history.suspicion().await["state"], "withdrawn");
    assert!(history.lab.claim(&agent).await.is_none(), "each commit is compared once");
}

#[database_test]
async fn quick_revert_fixes_a_confirmed_regression(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    history.measure([31], SLOW_NS).await;
    let job = history.lab.claim(&agent).await.unwrap();
    history.measure_pair(&agent, &job, SLOW_NS).await;
    assert_eq!(history.notified().await, ["regressed"]);
    for commit in 32..=35 {
        assert_eq!(history.regressions().await[0]["state"], "new");
        history.measure([commit], BEFORE_NS).await;
    }
    let regressions = history.regressions().await;
    assert_eq!(at(&regressions[0], "state,fixed_by_commit/ordinal"), json!(["fixed", 32]), "{regressions:?}");
    assert_eq!(history.notified().await, ["fixed"]);
}

#[database_test]
async fn moved_machine_raises_no_suspicion(history: History) {
    history.lab.agent("lab-1", &[]).await;
    history.lab.app.store(&with_canary(run(31, SLOW_NS), 850)).await;
    search(&history.lab.app).await;
    assert!(history.suspicions("").await.is_empty());
    // The control moved, too.
    let results = vec![result("ring", 32, SLOW_NS), result("control", 32, 6_000)];
    history.lab.app.store(&RunReport { canaries: Vec::new(), ..factory::nth_with(32, results) }).await;
    search(&history.lab.app).await;
    assert!(history.suspicions("").await.is_empty());
}

#[database_test]
async fn old_commits_and_short_histories_raise_no_suspicion(history: History) {
    history.lab.agent("lab-1", &[]).await;
    history.measure([34], BEFORE_NS).await;
    history.measure([32], SLOW_NS).await;
    assert!(history.suspicions("").await.is_empty(), "commit 34 is measured already");
    for commit in 1..=8 {
        let ns = if commit < 8 { BEFORE_NS } else { SLOW_NS };
        history.lab.app.store(&factory::on("lab-2", run(commit, ns))).await;
        search(&history.lab.app).await;
    }
    assert!(history.suspicions("").await.is_empty());
}

#[database_test]
async fn later_commits_decide_without_an_agent(history: History) {
    history.measure([31], SLOW_NS).await;
    let suspicion = history.suspicion().await;
    assert_eq!(at(&suspicion, "state,job_id,job_seconds"), json!(["waiting", null, null]));
    history.measure([32], BEFORE_NS).await;
    let suspicion = history.suspicion().await;
    assert_eq!(
        at(&suspicion, "state,decided_because"),
        json!(["withdrawn", "a later commit is back at the level before"])
    );
    for commit in 33..=50 {
        history.measure([commit], SLOW_NS).await;
    }
    let suspicions = history.suspicions("").await;
    let states: Vec<Value> = suspicions.iter().map(|one| at(one, "state,commit/ordinal")).collect();
    assert_eq!(states, [json!(["confirmed", 33]), json!(["withdrawn", 31])]);
    assert_eq!(history.notified().await, ["regressed"]);
}

#[database_test]
async fn failed_searches_and_two_servers_raise_a_suspicion_once(history: History) {
    let agent = history.lab.agent("lab-1", &[]).await;
    let app = &history.lab.app;
    app.execute("alter table job add constraint job_test_check check (reason <> 'confirm')").await;
    app.store(&run(31, SLOW_NS)).await;
    assert!(app.state.analyst().search().await.is_err());
    assert!(history.suspicions("").await.is_empty(), "nothing is stored before the job");
    app.execute("alter table job drop constraint job_test_check").await;
    let other = app.another();
    let (one, two) = tokio::join!(app.state.analyst().search(), other.state.analyst().search());
    assert_eq!(one.unwrap().run_count + two.unwrap().run_count, 1);
    assert_eq!(history.suspicion().await["state"], "waiting");
    history.research().await;
    assert_eq!(history.suspicion().await["state"], "waiting");
    let job = history.lab.claim(&agent).await.unwrap();
    assert!(history.lab.claim(&agent).await.is_none());

    // The decision fails, then two servers decide.
    app.execute("alter table regression add constraint regression_test_check check (state <> 'new')").await;
    for (commit, ns) in [(30, BEFORE_NS), (31, SLOW_NS)] {
        history.lab.store(&agent, &RunReport { job: Some(job.lease()), ..run(commit, ns) }).await;
    }
    history.lab.finish(&agent, &job, "done").await;
    assert!(app.state.analyst().search().await.is_err());
    assert_eq!(history.suspicion().await["state"], "waiting");
    app.execute("alter table regression drop constraint regression_test_check").await;
    let (one, two) = tokio::join!(app.state.analyst().search(), other.state.analyst().search());
    assert!(one.is_ok() && two.is_ok());
    assert_eq!(history.suspicion().await["state"], "confirmed");
    assert_eq!((history.regressions().await.len(), history.notified().await.len()), (1, 1));
}
