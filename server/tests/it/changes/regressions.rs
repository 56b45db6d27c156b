//! `/api/v1/projects/{project}/regressions`: causes of changes, grouping and triage.

use super::{noisy, search};
use crate::support::{Answer, TestApp, at, factory};
use roundtrip_storage::access::Role;
use roundtrip_wire::{
    Canary, CaseResult, Explanation, Finding, ProfileComparison, RunReport, Suspect, TransportInfo,
};
use serde_json::{Value, json};

const LIST: &str = "/api/v1/projects/libfoo/regressions";

/// A report with series by name and time. Names that begin with `control` are controls.
pub(crate) fn run(machine: &str, commit: u64, series: &[(&str, u64)], canary_ns: u64) -> RunReport {
    let mut report = factory::on(machine, factory::nth(commit));
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

/// A run of the series `ring`.
pub(crate) fn ring(machine: &str, commit: u64, ns: u64) -> RunReport {
    run(machine, commit, &[("ring", ns)], 700)
}

/// A run with the unmeasured commits before it.
pub(crate) fn with_history(count: u64, report: RunReport) -> RunReport {
    let newest = report.commit.first_parent_ordinal.unwrap();
    let history = (newest + 1 - count..newest).rev().map(|number| factory::commit(number, Some(number)));
    RunReport { history: history.collect(), ..report }
}

/// Measures queued jobs until there are none, and returns their commits.
async fn measure_jobs(
    app: &TestApp,
    measure: impl Fn(u64) -> RunReport,
    check: impl Fn(&Value, &[u64]),
) -> Vec<u64> {
    let mut measured = Vec::new();
    loop {
        let jobs = app.read("/api/v1/projects/libfoo/jobs?done=false").await["jobs"].clone();
        let jobs = jobs.as_array().unwrap();
        if jobs.is_empty() {
            return measured;
        }
        for job in jobs {
            check(job, &measured);
            let commit = job["commit_ordinal"].as_u64().unwrap();
            measured.push(commit);
            app.store(&measure(commit)).await;
        }
        search(app).await;
    }
}

/// 40 commits, of which the last ten are different.
async fn step(app: &TestApp, machine: &str, before: (&[(&str, u64)], u64), after: (&[(&str, u64)], u64)) {
    for commit in 1..=40 {
        let (series, canary_ns) = if commit <= 30 { before } else { after };
        app.store(&run(machine, commit, series, canary_ns)).await;
    }
    search(app).await;
}

pub(crate) async fn list(app: &TestApp, query: &str) -> Vec<Value> {
    app.read(&format!("{LIST}{query}")).await["regressions"].as_array().unwrap().clone()
}

/// The only regression.
async fn only(app: &TestApp) -> Value {
    let all = list(app, "").await;
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

async fn detail(app: &TestApp, regression: &Value) -> Value {
    app.read(&format!("{LIST}/{}", regression["regression_id"])).await
}

#[database_test]
async fn groups_series_into_one_regression_with_a_culprit(app: TestApp) {
    let before = [("ring", 1_000), ("queue", 5_000), ("control-pipe", 4_000), ("control-tcp", 9_000)];
    let after = [("ring", 1_200), ("queue", 5_500), ("control-pipe", 4_000), ("control-tcp", 9_000)];
    step(&app, "lab-1", (&before, 700), (&after, 700)).await;
    let regression = only(&app).await;
    let summary = at(&regression, "direction,state,cause,series_count,machines");
    assert_eq!(summary, json!(["regressed", "new", "commit", 2, ["lab-1"]]));
    assert_eq!(at(&regression, "after_commit/ordinal,until_commit/ordinal"), json!([30, 31]));
    assert!((regression["worst_change"].as_f64().unwrap() - 0.2).abs() < 0.01, "{regression}");
    let detail = detail(&app, &regression).await;
    assert_eq!(at(&detail, "culprits/*/commit/ordinal"), json!([31]));
    // p50 and p99 of two series.
    assert_eq!(detail["change_points"].as_array().unwrap().len(), 4);
    let witnesses = detail["change_points"][0]["witnesses"].to_string();
    assert!(witnesses.contains("canary wake did not follow"), "{witnesses}");
    assert!(witnesses.contains("control control-pipe roundtrip same-cpu 64 B did not follow"), "{witnesses}");
}

#[database_test]
async fn paired_comparison_of_the_culprit_explains_a_regression(app: TestApp) {
    let (before, after) = ([("ring", 1_000), ("queue", 5_000)], [("ring", 1_200), ("queue", 5_000)]);
    step(&app, "lab-1", (&before, 700), (&after, 700)).await;
    assert_eq!(only(&app).await["explanation"], Value::Null);
    let explained = |name: &str, commit: u64, text: &str| {
        let mut report = run("lab-1", commit, &[(name, 1_200)], 700);
        report.branch = Some("try".into());
        // The results of pairs are in parts.
        report.results[0].methodology.parts = Some(50);
        report.results[0].explanation = Some(Explanation {
            base_sha: factory::sha(30),
            change_ns: 200,
            findings: vec![Finding {
                rule: factory::slug("extra-call"),
                text: text.into(),
                explains_ns: Some(180),
                explains_range_ns: Some([170, 190]),
                function: None,
            }],
            unexplained_ns: 20,
            notes: Vec::new(),
            suspects: vec![Suspect { sha: factory::sha(31), names: vec!["sendmsg".into()] }],
            has_profile: true,
        });
        report.results[0].profile = Some(factory::profile());
        report
    };
    // Of another case, and of another commit.
    app.store(&explained("queue", 31, "another case")).await;
    app.store(&explained("ring", 33, "another commit")).await;
    assert_eq!(only(&app).await["explanation"], Value::Null);
    app.store(&explained("ring", 31, "+1.00 `sendmsg` per round trip")).await;
    let explanation = only(&app).await["explanation"].clone();
    assert_eq!(
        explanation,
        json!({
            "base_sha": factory::sha(30), "change_ns": 200, "unexplained_ns": 20,
            "findings": [
                { "rule": "extra-call", "text": "+1.00 `sendmsg` per round trip", "explains_ns": 180, "explains_range_ns": [170, 190] },
            ],
            "suspects": [{ "sha": factory::sha(31), "names": ["sendmsg"] }], "has_profile": true,
        })
    );
    let detail = detail(&app, &only(&app).await).await;
    assert_eq!(at(&detail, "culprits/0/commit/ordinal,culprits/0/names/0"), json!([31, "sendmsg"]));
    let mut long = explained("ring", 31, "");
    let findings = &mut long.results[0].explanation.as_mut().unwrap().findings;
    *findings = vec![findings[0].clone(); 21];
    let refused = app.put(&long).await.assert_problem(422, "invalid-report");
    assert!(refused.detail.contains("21 entries: expected at most 20"), "{refused:?}");
}

#[database_test]
async fn profile_of_an_explained_regression_has_four_formats(app: TestApp) {
    let (before, after) = ([("ring", 1_000), ("queue", 5_000)], [("ring", 1_200), ("queue", 5_000)]);
    step(&app, "lab-1", (&before, 700), (&after, 700)).await;
    let regression_id = only(&app).await["regression_id"].clone();
    let path = format!("{LIST}/{regression_id}/profile");
    app.get(&path).await.assert_problem(404, "unknown-profile");
    let mut report = run("lab-1", 31, &[("ring", 1_200)], 700);
    report.branch = Some("try".into());
    report.results[0].methodology.parts = Some(50);
    report.results = report.results.into_iter().map(factory::explained).collect();
    app.store(&report).await;
    assert_eq!(app.get(&path).await.json::<ProfileComparison>(), factory::profile());
    let folded = app.get(&format!("{path}?format=folded")).await;
    let expected = "base;initiator;on CPU;main 500\nhead;initiator;on CPU;main 1000\n\
        head;initiator;on CPU;main;sendmsg_[k] 600\nhead;initiator;waiting;main;sendmsg_[k] 40\n";
    assert_eq!(String::from_utf8(folded.body.to_vec()).unwrap(), expected);
    let name = format!("attachment; filename=\"regression-{regression_id}.folded\"");
    assert_eq!(folded.header("content-disposition"), name);
    let firefox: Value = app.get(&format!("{path}?format=firefox")).await.json();
    assert_eq!(firefox["threads"][0]["processName"], "base");
    // It is compressed with gzip.
    assert!(app.get(&format!("{path}?format=pprof")).await.body.starts_with(&[0x1f, 0x8b]));
    app.get(&format!("{path}?format=svg")).await.assert_problem(400, "invalid-parameter");

    let mut invalid = factory::profile();
    invalid.ends[0].parents[0] = Some(1);
    report.results[0].profile = Some(invalid);
    report.run_id = run("lab-1", 31, &[], 700).run_id;
    let refused = app.put(&report).await.assert_problem(422, "invalid-report");
    assert!(refused.detail.contains("position of an earlier frame"), "{refused:?}");
}

#[database_test]
async fn control_and_canary_changes_are_the_machines(app: TestApp) {
    let before = [("ring", 1_000), ("control-pipe", 4_000)];
    let after = [("ring", 1_100), ("control-pipe", 4_400)];
    step(&app, "lab-1", (&before, 700), (&after, 770)).await;
    let regression = only(&app).await;
    assert_eq!(at(&regression, "state,cause"), json!(["machine", "machine"]));
    let detail = detail(&app, &regression).await;
    assert_eq!(detail["culprits"], json!([]));
    let witnesses = detail["change_points"].to_string();
    assert!(witnesses.contains("canary wake also changed: +10"), "{witnesses}");
    assert!(witnesses.contains("commits of this repository cannot change it"), "{witnesses}");
}

#[database_test]
async fn second_machine_decides_the_cause(app: TestApp) {
    // No usable canary, and no control.
    for commit in 1..=40 {
        for (machine, later_ns) in [("lab-1", 1_200), ("lab-2", 1_000)] {
            let report = ring(machine, commit, if commit <= 30 { 1_000 } else { later_ns });
            app.store(&RunReport { canaries: Vec::new(), ..report }).await;
        }
    }
    search(&app).await;
    let regression = only(&app).await;
    assert_eq!(regression["cause"], "machine", "{regression}");
    let witnesses = detail(&app, &regression).await["change_points"].to_string();
    assert!(witnesses.contains("same case on lab-2 did not follow"), "{witnesses}");
}

#[database_test]
async fn undecided_causes_are_reconsidered(app: TestApp) {
    // Another machine later measures the same change.
    for (machine, expected) in
        [("lab-1", json!(["unknown", ["lab-1"]])), ("lab-2", json!(["commit", ["lab-1", "lab-2"]]))]
    {
        for commit in 1..=40 {
            let report = ring(machine, commit, if commit <= 30 { 1_000 } else { 1_200 });
            app.store(&RunReport { canaries: Vec::new(), ..report }).await;
        }
        search(&app).await;
        assert_eq!(at(&only(&app).await, "cause,machines"), expected);
    }
}

#[database_test]
async fn reverting_a_change_is_a_fix(app: TestApp) {
    let ns = |commit: u64| if (31..=40).contains(&commit) { 1_200 } else { 1_000 };
    for (commits, state) in [(1..=40, "new"), (41..=50, "fixed")] {
        for commit in commits {
            app.store(&ring("lab-1", commit, ns(commit))).await;
        }
        search(&app).await;
        assert_eq!(at(&only(&app).await, "state,direction"), json!([state, "regressed"]));
    }
    assert_eq!(only(&app).await["fixed_by_commit"], json!({ "sha": factory::sha(41), "ordinal": 41 }));
    assert_eq!(list(&app, "?state=new,acknowledged").await, [] as [Value; 0]);
    for (commit, count) in [(30, 0), (31, 1), (40, 0), (41, 1)] {
        let found = list(&app, &format!("?commit={}", factory::sha(commit))).await;
        assert_eq!(found.len(), count, "commit {commit}");
    }
}

#[database_test]
async fn undoing_an_improvement_is_a_regression_unless_the_machine_did(app: TestApp) {
    // Faster between these commits, on one machine because of a commit, on the other because of the machine.
    let is_faster = |commit: u64| (21..=40).contains(&commit);
    for commit in 1..=60 {
        let ns = if is_faster(commit) { 800 } else { 1_000 };
        app.store(&run("lab-1", commit, &[("ring", ns), ("control-pipe", 4_000)], 700)).await;
        let canary_ns = if is_faster(commit) { 560 } else { 700 };
        app.store(&run("lab-2", commit, &[("queue", ns * 5), ("control-tcp", ns * 9)], canary_ns)).await;
    }
    search(&app).await;
    let all = json!(list(&app, "").await);
    let summary = at(&all, "*/state,direction,cause,until_commit/ordinal,machines");
    let expected = json!([
        ["new", "regressed", "commit", 41, ["lab-1"]],
        ["fixed", "improved", "machine", 21, ["lab-2"]],
        ["new", "improved", "commit", 21, ["lab-1"]],
    ]);
    let sorted = |value: &Value| {
        let mut rows: Vec<String> = value.as_array().unwrap().iter().map(Value::to_string).collect();
        rows.sort();
        rows
    };
    assert_eq!(sorted(&summary), sorted(&expected));
}

#[database_test]
async fn recurring_change_is_a_new_regression(app: TestApp) {
    // Slow, fixed and slow again: detected together, or one after the other.
    let ns = |commit: u64| if (31..=40).contains(&commit) || commit > 50 { 1_200 } else { 1_000 };
    for commit in 1..=60 {
        app.store(&ring("lab-1", commit, ns(commit))).await;
        app.store(&run("lab-2", commit, &[("queue", ns(commit))], 700)).await;
        if commit % 2 == 1 {
            search(&app).await;
        }
    }
    search(&app).await;
    let all = json!(list(&app, "").await);
    let summary = at(&all, "*/state,until_commit/ordinal,series_count");
    assert_eq!(summary, json!([["new", 51, 2], ["fixed", 31, 2]]));
}

#[database_test]
async fn unmeasured_commits_share_the_probability(app: TestApp) {
    for nth in 1..=40_u64 {
        let report = ring("lab-1", 10 * nth, if nth <= 30 { 1_000 } else { 1_200 });
        app.store(&with_history(10, report)).await;
    }
    search(&app).await;
    let culprits = detail(&app, &list(&app, "").await[0]).await["culprits"].clone();
    assert_eq!(at(&culprits, "*/commit/ordinal"), json!((301..=310).collect::<Vec<_>>()));
    for one in culprits.as_array().unwrap() {
        assert!((one["probability"].as_f64().unwrap() - 0.1).abs() < 0.01, "{culprits}");
    }
    assert_eq!(at(&culprits, "0/measured,9/measured"), json!([false, true]));
    // Measuring one of them halves the candidates.
    app.store(&ring("lab-1", 305, 1_000)).await;
    search(&app).await;
    let regression = only(&app).await;
    assert_eq!(regression["after_commit"]["ordinal"], 305);
    assert_eq!(detail(&app, &regression).await["culprits"].as_array().unwrap().len(), 5);
}

#[database_test]
async fn bisects_to_the_culprit(app: TestApp) {
    const CULPRIT: u64 = 1_337;
    let measure = |commit| ring("lab-1", commit, if commit < CULPRIT { 1_000 } else { 1_200 });
    for nth in 1..=40_u64 {
        app.store(&with_history(50, measure(50 * nth))).await;
    }
    search(&app).await;
    let check = |job: &Value, measured: &[u64]| {
        assert_eq!(at(job, "machine,regression_id"), json!(["lab-1", 1]));
        let commit = job["commit_ordinal"].as_u64().unwrap();
        assert!((1_301..1_350).contains(&commit) && !measured.contains(&commit), "{commit} {measured:?}");
    };
    let measured = measure_jobs(&app, measure, check).await;
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
    let measure = |commit: u64, is_again: bool| {
        let level = if commit <= 30 { 1_000 } else { 1_060 };
        let ns = if commit == 30 && !is_again { 1_025 } else { level + commit * 7_919 % 41 - 20 };
        ring("lab-1", commit, ns)
    };
    for commit in 1..=50 {
        app.store(&measure(commit, false)).await;
    }
    search(&app).await;
    let most_probable = async || detail(&app, &list(&app, "").await[0]).await["culprits"][0].clone();
    let before = most_probable().await;
    assert!(before["probability"].as_f64().unwrap() < 0.9, "{before}");
    let check = |job: &Value, _: &[u64]| assert_eq!(job["reason"], "repeat");
    let measured = measure_jobs(&app, |commit| measure(commit, true), check).await;
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
        with_history(10, run("lab-1", 10 * nth, series, canary_ns))
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
    let log = app.read_as(&admin, "/api/v1/audit").await;
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
        change(&app, &member, triage).await.assert_invalid(part);
    }
    change(&app, &viewer, json!({ "state": "invalid" })).await.assert_problem(403, "forbidden");
    change(&app, "", json!({ "state": "invalid" })).await.assert_problem(401, "unauthenticated");
    app.send("PATCH", &format!("{LIST}/99"), &member, Some(json!({})))
        .await
        .assert_problem(404, "unknown-regression");
    app.get(&format!("{LIST}/99")).await.assert_problem(404, "unknown-regression");
    app.get(&format!("{LIST}?state=open")).await.assert_problem(400, "invalid-parameter");
}
