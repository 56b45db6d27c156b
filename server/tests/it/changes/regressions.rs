//! `/api/v1/projects/{project}/regressions`: causes of changes, grouping and triage.

use super::{noisy, search};
use crate::support::{Answer, TestApp, factory};
use roundtrip_storage::access::Role;
use roundtrip_wire::{Canary, CaseResult, Machine, RunReport, TransportInfo};
use serde_json::{Value, json};

const LIST: &str = "/api/v1/projects/libfoo/regressions";

/// A report with series by name and time. Names that begin with `control` are controls.
pub(crate) fn run(machine: &str, commit: u64, series: &[(&str, u64)], canary_ns: u64) -> RunReport {
    let mut report = factory::nth(commit);
    report.machine = Machine { slug: factory::slug(machine), ..report.machine };
    report.canaries = vec![Canary {
        slug: factory::slug("wake"),
        p50_ns: Some(canary_ns * (1_000 + commit % 3) / 1_000),
        min_ns: None,
        count: 100,
        unsupported: None,
    }];
    let result = |&(name, ns): &(&str, u64)| -> CaseResult {
        let plain = factory::result(name, 64, noisy(commit, ns));
        CaseResult {
            transport: TransportInfo { control: name.starts_with("control"), ..plain.transport },
            ..plain
        }
    };
    report.results = series.iter().map(result).collect();
    report
}

/// 40 commits, of which the last ten are different.
async fn step(app: &TestApp, machine: &str, before: (&[(&str, u64)], u64), after: (&[(&str, u64)], u64)) {
    for commit in 1..=40 {
        let (series, canary_ns) = if commit <= 30 { before } else { after };
        app.store(&run(machine, commit, series, canary_ns)).await;
    }
    search(app).await;
}

async fn list(app: &TestApp, query: &str) -> Vec<Value> {
    app.read(&format!("{LIST}{query}")).await["regressions"].as_array().unwrap().clone()
}

async fn detail(app: &TestApp, regression: &Value) -> Value {
    app.read(&format!("{LIST}/{}", regression["regression_id"])).await
}

#[database_test]
async fn groups_series_into_one_regression_with_a_culprit(app: TestApp) {
    let before = [("ring", 1_000), ("queue", 5_000), ("control-pipe", 4_000), ("control-tcp", 9_000)];
    let after = [("ring", 1_200), ("queue", 5_500), ("control-pipe", 4_000), ("control-tcp", 9_000)];
    step(&app, "lab-1", (&before, 700), (&after, 700)).await;
    let all = list(&app, "").await;
    let [regression] = &all[..] else { panic!("{all:?}") };
    let field = |name: &str| regression[name].clone();
    assert_eq!(field("direction"), "regressed");
    assert_eq!((field("state"), field("cause")), ("new".into(), "commit".into()));
    assert_eq!((field("series_count"), field("machines")), (2.into(), serde_json::json!(["lab-1"])));
    assert_eq!(regression["after_commit"]["ordinal"], 30);
    assert_eq!(regression["until_commit"]["ordinal"], 31);
    assert!((regression["worst_change"].as_f64().unwrap() - 0.2).abs() < 0.01, "{regression}");
    let detail = detail(&app, regression).await;
    assert_eq!(detail["culprits"].as_array().unwrap().len(), 1);
    assert_eq!(detail["culprits"][0]["commit"]["ordinal"], 31);
    // p50 and p99 of two series.
    assert_eq!(detail["change_points"].as_array().unwrap().len(), 4);
    let witnesses = detail["change_points"][0]["witnesses"].to_string();
    assert!(witnesses.contains("canary wake stable"), "{witnesses}");
    assert!(witnesses.contains("control control-pipe roundtrip same-cpu 64 B stable"), "{witnesses}");
}

#[database_test]
async fn control_and_canary_changes_are_the_machines(app: TestApp) {
    let before = [("ring", 1_000), ("control-pipe", 4_000)];
    let after = [("ring", 1_100), ("control-pipe", 4_400)];
    step(&app, "lab-1", (&before, 700), (&after, 770)).await;
    let all = list(&app, "").await;
    let [regression] = &all[..] else { panic!("{all:?}") };
    assert_eq!((&regression["state"], &regression["cause"]), (&"machine".into(), &"machine".into()));
    let detail = detail(&app, regression).await;
    assert_eq!(detail["culprits"], json!([]));
    let witnesses = detail["change_points"].to_string();
    assert!(witnesses.contains("canary wake also changed: +10"), "{witnesses}");
    assert!(witnesses.contains("commits of this repository cannot change it"), "{witnesses}");
}

#[database_test]
async fn second_machine_decides_the_cause(app: TestApp) {
    let (before, after) = ([("ring", 1_000)], [("ring", 1_200)]);
    // No usable canary, and no control.
    for commit in 1..=40 {
        for (machine, series) in [("lab-1", &after), ("lab-2", &before)] {
            let series = if commit <= 30 { &before } else { series };
            let mut report = run(machine, commit, series, 700);
            report.canaries.clear();
            app.store(&report).await;
        }
    }
    search(&app).await;
    let all = list(&app, "").await;
    let [regression] = &all[..] else { panic!("{all:?}") };
    assert_eq!(regression["cause"], "machine", "{regression}");
    let witnesses = detail(&app, regression).await["change_points"].to_string();
    assert!(witnesses.contains("same case on lab-2 stable"), "{witnesses}");
}

#[database_test]
async fn undecided_causes_are_reconsidered(app: TestApp) {
    let (before, after) = ([("ring", 1_000)], [("ring", 1_200)]);
    let silent = |machine: &str, commit: u64| {
        let mut report = run(machine, commit, if commit <= 30 { &before } else { &after }, 700);
        report.canaries.clear();
        report
    };
    for commit in 1..=40 {
        app.store(&silent("lab-1", commit)).await;
    }
    search(&app).await;
    assert_eq!(list(&app, "").await[0]["cause"], "unknown");
    // Another machine later measures the same change.
    for commit in 1..=40 {
        app.store(&silent("lab-2", commit)).await;
    }
    search(&app).await;
    let all = list(&app, "").await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(
        (&all[0]["cause"], &all[0]["machines"]),
        (&"commit".into(), &serde_json::json!(["lab-1", "lab-2"]))
    );
}

#[database_test]
async fn reverting_a_change_is_a_fix(app: TestApp) {
    let at = |commit: u64| if (31..=40).contains(&commit) { 1_200 } else { 1_000 };
    for commit in 1..=40 {
        app.store(&run("lab-1", commit, &[("ring", at(commit))], 700)).await;
    }
    search(&app).await;
    assert_eq!(list(&app, "").await[0]["state"], "new");
    for commit in 41..=50 {
        app.store(&run("lab-1", commit, &[("ring", at(commit))], 700)).await;
    }
    search(&app).await;
    let all = list(&app, "").await;
    let [regression] = &all[..] else { panic!("{all:?}") };
    assert_eq!((&regression["state"], &regression["direction"]), (&"fixed".into(), &"regressed".into()));
    assert_eq!(regression["fixed_by_commit"], json!({ "sha": factory::sha(41), "ordinal": 41 }));
    assert_eq!(list(&app, "?state=new,acknowledged").await, [] as [Value; 0]);
}

#[database_test]
async fn recurring_change_is_a_new_regression(app: TestApp) {
    // Slow, fixed and slow again: detected together, or one after the other.
    let at = |commit: u64| if (31..=40).contains(&commit) || commit > 50 { 1_200 } else { 1_000 };
    for commit in 1..=60 {
        app.store(&run("lab-1", commit, &[("ring", at(commit))], 700)).await;
        app.store(&run("lab-2", commit, &[("queue", at(commit))], 700)).await;
        if commit % 2 == 0 {
            continue;
        }
        search(&app).await;
    }
    search(&app).await;
    let all = json!(list(&app, "").await);
    let summary = crate::support::at(&all, "*/state,until_commit/ordinal,series_count");
    assert_eq!(summary, json!([["new", 51, 2], ["fixed", 31, 2]]));
}

#[database_test]
async fn unmeasured_commits_share_the_probability(app: TestApp) {
    for nth in 1..=40_u64 {
        let history = (1..10).map(|back| factory::commit(10 * nth - back, Some(10 * nth - back))).collect();
        let series = [("ring", if nth <= 30 { 1_000 } else { 1_200 })];
        app.store(&RunReport { history, ..run("lab-1", 10 * nth, &series, 700) }).await;
    }
    search(&app).await;
    let culprits = detail(&app, &list(&app, "").await[0]).await["culprits"].as_array().unwrap().clone();
    let named: Vec<i64> = culprits.iter().map(|one| one["commit"]["ordinal"].as_i64().unwrap()).collect();
    assert_eq!(named, (301..=310).collect::<Vec<_>>());
    assert!(
        culprits.iter().all(|one| (one["probability"].as_f64().unwrap() - 0.1).abs() < 0.01),
        "{culprits:?}"
    );
    assert_eq!((&culprits[0]["measured"], &culprits[9]["measured"]), (&false.into(), &true.into()));
    // Measuring one of them halves the candidates.
    app.store(&run("lab-1", 305, &[("ring", 1_000)], 700)).await;
    search(&app).await;
    let all = list(&app, "").await;
    assert_eq!((all.len(), &all[0]["after_commit"]["ordinal"]), (1, &305.into()));
    assert_eq!(detail(&app, &all[0]).await["culprits"].as_array().unwrap().len(), 5);
}

#[database_test]
async fn bisects_to_the_culprit(app: TestApp) {
    const CULPRIT: u64 = 1_337;
    let ring =
        |commit: u64| run("lab-1", commit, &[("ring", if commit < CULPRIT { 1_000 } else { 1_200 })], 700);
    for nth in 1..=40_u64 {
        let history = (1..50).map(|back| factory::commit(50 * nth - back, Some(50 * nth - back))).collect();
        app.store(&RunReport { history, ..ring(50 * nth) }).await;
    }
    search(&app).await;
    let mut measured = Vec::new();
    loop {
        let jobs =
            app.read("/api/v1/projects/libfoo/jobs?done=false").await["jobs"].as_array().unwrap().clone();
        if jobs.is_empty() {
            break;
        }
        for job in jobs {
            assert_eq!((&job["machine"], &job["regression_id"]), (&"lab-1".into(), &1.into()));
            let commit = job["commit_ordinal"].as_u64().unwrap();
            assert!((1_301..1_350).contains(&commit) && !measured.contains(&commit), "{commit} {measured:?}");
            measured.push(commit);
            app.store(&ring(commit)).await;
        }
        search(&app).await;
    }
    // Three jobs divide 49 commits into quarters, three more divide the rest, and then all are queued.
    assert!(measured.len() <= 14, "{measured:?}");
    let detail = detail(&app, &list(&app, "").await[0]).await;
    assert_eq!(detail["culprits"][0]["commit"]["ordinal"], CULPRIT);
    assert!(detail["culprits"][0]["probability"].as_f64().unwrap() > 0.9, "{detail}");
    let done = app.read("/api/v1/projects/libfoo/jobs?done=true&regression=1").await;
    assert_eq!(done["jobs"].as_array().unwrap().len(), measured.len());
    assert!(done["jobs"].as_array().unwrap().iter().all(|job| job["done_by_run_id"].is_string()), "{done}");
}

#[database_test]
async fn repeats_inconclusive_commits(app: TestApp) {
    // 2 % noise, a step of 6 % at commit 31, and a first run of commit 30 between both levels.
    let ring = |commit: u64, is_again: bool| {
        let level = if commit <= 30 { 1_000 } else { 1_060 };
        let ns = if commit == 30 && !is_again { 1_025 } else { level + commit * 7_919 % 41 - 20 };
        run("lab-1", commit, &[("ring", ns)], 700)
    };
    for commit in 1..=50 {
        app.store(&ring(commit, false)).await;
    }
    search(&app).await;
    let most_probable = async || detail(&app, &list(&app, "").await[0]).await["culprits"][0].clone();
    let before = most_probable().await;
    assert!(before["probability"].as_f64().unwrap() < 0.9, "{before}");
    let mut measured: Vec<u64> = Vec::new();
    loop {
        let jobs = app.read("/api/v1/projects/libfoo/jobs?done=false").await["jobs"].clone();
        let jobs: Vec<&Value> = jobs.as_array().unwrap().iter().collect();
        if jobs.is_empty() {
            break;
        }
        for job in jobs {
            assert_eq!(job["reason"], "repeat");
            let commit = job["commit_ordinal"].as_u64().unwrap();
            measured.push(commit);
            app.store(&ring(commit, true)).await;
        }
        search(&app).await;
    }
    assert!(measured.contains(&30) && measured.contains(&31), "{measured:?}");
    let most_often = measured.iter().map(|one| measured.iter().filter(|other| *other == one).count()).max();
    assert!(most_often <= Some(2), "{measured:?}");
    let after = most_probable().await;
    assert_eq!(after["commit"]["ordinal"], 31);
    assert!(after["probability"].as_f64().unwrap() > 0.9, "{before} {after} {measured:?}");
}

#[database_test]
async fn does_not_bisect_machine_or_closed_regressions(app: TestApp) {
    let waiting =
        async || app.read("/api/v1/projects/libfoo/jobs?done=false").await["jobs"].as_array().unwrap().len();
    let sparse = |nth: u64, series: &[(&str, u64)], canary_ns| {
        let history = (1..10).map(|back| factory::commit(10 * nth - back, Some(10 * nth - back))).collect();
        RunReport { history, ..run("lab-1", 10 * nth, series, canary_ns) }
    };
    for nth in 1..=40 {
        let (control, canary_ns) = if nth <= 30 { (4_000, 700) } else { (4_400, 770) };
        app.store(&sparse(nth, &[("control-pipe", control)], canary_ns)).await;
    }
    search(&app).await;
    assert_eq!((list(&app, "").await.len(), waiting().await), (1, 0));
    for nth in 41..=75 {
        app.store(&sparse(nth, &[("ring", if nth <= 65 { 1_000 } else { 1_200 })], 770)).await;
    }
    search(&app).await;
    assert_eq!(waiting().await, 3);
    let member = app.member("ada", "libfoo", Role::Contributor).await;
    let path = format!("{LIST}/{}", list(&app, "?state=new").await[0]["regression_id"]);
    let answer = app.send("PATCH", &path, &member, Some(json!({ "state": "invalid" }))).await;
    assert_eq!((answer.status.as_u16(), waiting().await), (200, 0));
}

#[database_test]
async fn suspect_machine_raises_no_alert(app: TestApp) {
    // The machine slows down three times, with all its series; then only the ring.
    let mut ns = (1_000, 4_000, 700);
    for commit in 1..=60 {
        if [16, 28, 40].contains(&commit) {
            ns = (ns.0 * 11 / 10, ns.1 * 11 / 10, ns.2 * 11 / 10);
        }
        let ring = if commit >= 51 { ns.0 * 12 / 10 } else { ns.0 };
        app.store(&run("lab-1", commit, &[("ring", ring), ("control-pipe", ns.1)], ns.2)).await;
        search(&app).await;
    }
    let shown = list(&app, "?state=new").await;
    assert_eq!(shown, [] as [Value; 0]);
    let held = list(&app, "?state=new&quiet=true").await;
    assert_eq!(held.len(), 1, "{held:?}");
    let why = held[0]["held_because"].as_str().unwrap();
    assert!(
        why.starts_with(
            "its machine is suspect: results shifted without a code change at 3 commits (last 50 runs)"
        ),
        "{why}"
    );
    let machines = app.read("/api/v1/projects/libfoo/machines").await;
    let because = machines["machines"][0]["suspect_because"].as_str().unwrap();
    assert_eq!(why, format!("its machine is suspect: {because}"));
}

async fn change(app: &TestApp, token: &str, change: Value) -> Answer {
    app.send("PATCH", &format!("{LIST}/1"), token, Some(change)).await
}

#[database_test]
async fn triage_is_stored_and_audited(app: TestApp) {
    step(&app, "lab-1", (&[("ring", 1_000)], 700), (&[("ring", 1_200)], 700)).await;
    let member = app.member("ada", "libfoo", Role::Contributor).await;
    let triage = json!({
        "state": "acknowledged", "assignee": "ada", "note": "the new lock", "bug_url": "https://bugs.example.org/7",
        "muted_until": "2100-01-01T00:00:00Z",
    });
    let answer = change(&app, &member, triage.clone()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let now: Value = answer.json();
    for (name, value) in triage.as_object().unwrap() {
        assert_eq!(&now["regression"][name], value, "{name}");
    }
    assert_eq!(list(&app, "").await, [] as [Value; 0]);
    assert_eq!(list(&app, "?quiet=true&state=acknowledged&direction=regressed").await.len(), 1);
    let answer = change(&app, &member, json!({ "assignee": null, "muted_until": null, "note": null })).await;
    let now: Value = answer.json();
    assert_eq!(now["regression"]["assignee"], Value::Null);
    assert_eq!(now["regression"]["bug_url"], "https://bugs.example.org/7");
    let admin = app.account("root", true).await;
    let log: Value = app.send("GET", "/api/v1/audit", &admin, None).await.json();
    let events = log["events"].as_array().unwrap();
    let changed: Vec<&Value> = events.iter().filter(|event| event["action"] == "regression.change").collect();
    assert_eq!((changed.len(), &changed[0]["actor"]), (2, &"account:ada".into()), "{log}");
    assert_eq!(changed[0]["details"]["to"]["note"], Value::Null);
}

#[database_test]
async fn rejects_invalid_triage(app: TestApp) {
    step(&app, "lab-1", (&[("ring", 1_000)], 700), (&[("ring", 1_200)], 700)).await;
    let member = app.member("ada", "libfoo", Role::Contributor).await;
    let viewer = app.member("bob", "libfoo", Role::Viewer).await;
    for (triage, part) in [
        (json!({ "assignee": "nobody" }), "parameter assignee: account not found: nobody"),
        (json!({ "bug_url": "javascript:alert(1)" }), "parameter bug_url: expected an address"),
        (json!({ "note": "x".repeat(4_001) }), "parameter note: 4001 characters"),
        (json!({ "state": "gone" }), "parameter state: unknown variant `gone`"),
        (json!({ "owner": "ada" }), "unknown field `owner`"),
    ] {
        let problem = change(&app, &member, triage).await.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.contains(part), "{problem:?}");
    }
    change(&app, &viewer, json!({ "state": "invalid" })).await.assert_problem(403, "forbidden");
    change(&app, "", json!({ "state": "invalid" })).await.assert_problem(401, "unauthenticated");
    app.send("PATCH", &format!("{LIST}/99"), &member, Some(json!({})))
        .await
        .assert_problem(404, "unknown-regression");
    app.get(&format!("{LIST}/99")).await.assert_problem(404, "unknown-regression");
    app.get(&format!("{LIST}?state=open")).await.assert_problem(400, "invalid-parameter");
}
