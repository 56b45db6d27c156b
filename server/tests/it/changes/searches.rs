//! The search for a regression's culprit in paired jobs.

use super::search;
use super::tail::tailed;
use crate::lab::{Lab, LabAgent};
use crate::support::{at, factory};
use roundtrip_wire::lab::Assignment;
use roundtrip_wire::{CaseResult, MeasuredProgram, ProgramOrigin, RunReport};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

const REGRESSION: &str = "/api/v1/projects/libfoo/regressions/1";
const CULPRIT: u64 = 307;

/// A run with a program of its commit, which is no control.
fn run(commit: u64, mut result: CaseResult) -> RunReport {
    result.transport.control = false;
    let program = MeasuredProgram {
        transport: result.transport.slug.clone(),
        variant: None,
        origin: ProgramOrigin::Commit,
        files: [("./bench".into(), "0".repeat(64))].into(),
        code: [].into(),
    };
    RunReport { programs: vec![program], ..factory::nth_with(commit, vec![result]) }
}

/// The culprit makes `ring` a fifth slower.
fn slower(nth: u64) -> CaseResult {
    let ns = if 10 * nth < CULPRIT { 10_000 } else { 12_000 };
    factory::steady("ring", 64, ns + ns * (nth * 7 % 5) / 1_000)
}

/// Every tenth of 400 commits is measured.
async fn history(lab: &Lab) -> LabAgent {
    let agent = lab.agent("lab-1", &[]).await;
    store(lab, 1..=40, slower).await;
    agent
}

/// Stores a run of every tenth commit.
async fn store(lab: &Lab, tenths: RangeInclusive<u64>, result: impl Fn(u64) -> CaseResult) {
    for nth in tenths {
        let commit = 10 * nth;
        let unmeasured = (commit - 9..commit).rev().map(|number| factory::commit(number, Some(number)));
        lab.app.store(&RunReport { history: unmeasured.collect(), ..run(commit, result(nth)) }).await;
    }
    search(&lab.app).await;
}

/// The commit of a job and its base.
fn sides(job: &Assignment) -> Option<[u64; 2]> {
    let number = |sha: &str| u64::from_str_radix(sha, 16).unwrap();
    Some([number(job.commit_sha.as_str()), number(job.base_sha.as_ref()?.as_str())])
}

/// Measures both sides of a job in pairs, as an agent does.
async fn measure(lab: &Lab, agent: &LabAgent, job: &Assignment) {
    let [head, base] = sides(job).unwrap();
    let is_slower = base < CULPRIT && head >= CULPRIT;
    let results = factory::alternated("ring", 10_000.0, if is_slower { 1.2 } else { 1.0 });
    for (commit, result) in [base, head].into_iter().zip(results) {
        lab.store(agent, &RunReport { job: Some(job.lease()), ..run(commit, result) }).await;
    }
    lab.finish(agent, job, "done").await;
}

#[database_test]
async fn paired_jobs_find_the_culprit_of_a_regression(lab: Lab) {
    let agent = history(&lab).await;
    let mut jobs = Vec::new();
    while let Some(job) = lab.claim(&agent).await {
        jobs.push(sides(&job).expect("paired jobs only"));
        assert!(jobs.len() < 10, "{jobs:?}");
        let stored = lab.job(job.job_id).await;
        assert_eq!(at(&stored, "reason,regression_id,machine"), json!(["bisect", 1, "lab-1"]));
        let CaseResult { transport, case, .. } = slower(1);
        assert_eq!(job.case_sha256, Some(hex::encode(case.digest(&transport.slug))));
        measure(&lab, &agent, &job).await;
        search(&lab.app).await;
    }
    assert_eq!(jobs.first(), Some(&[310, 300]), "the ends of the range come first: {jobs:?}");
    assert_eq!(jobs.last(), Some(&[CULPRIT, CULPRIT - 1]), "the parent confirms it: {jobs:?}");
    let detail = lab.app.read(REGRESSION).await;
    assert_eq!(at(&detail, "culprits/*/commit/ordinal"), json!([CULPRIT]));
    let listed = super::regressions::list(&lab.app, "").await;
    assert_eq!(listed[0]["culprit_commit"]["ordinal"], CULPRIT);
    assert!(detail["culprits"][0]["probability"].as_f64().unwrap() > 0.99, "{detail}");
}

#[database_test]
async fn single_suspect_is_confirmed_by_one_paired_job(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    for commit in 300..=320 {
        let ns = if commit < CULPRIT { 10_000 } else { 12_000 };
        let result = factory::steady("ring", 64, ns + ns * (commit * 7 % 5) / 1_000);
        lab.app.store(&run(commit, result)).await;
    }
    search(&lab.app).await;
    let job = lab.claim(&agent).await.expect("a paired job");
    assert_eq!(sides(&job), Some([CULPRIT, CULPRIT - 1]));
    measure(&lab, &agent, &job).await;
    search(&lab.app).await;
    let listed = super::regressions::list(&lab.app, "").await;
    assert_eq!(listed[0]["culprit_commit"]["ordinal"], CULPRIT);
    assert!(lab.claim(&agent).await.is_none());
}

#[database_test]
async fn two_servers_continue_a_search_once(lab: Lab) {
    let agent = history(&lab).await;
    let job = lab.claim(&agent).await.unwrap();
    let other = lab.app.another();
    measure(&lab, &agent, &job).await;
    tokio::join!(search(&other), search(&lab.app));
    let open = lab.app.read("/api/v1/projects/libfoo/jobs?done=false").await;
    assert_eq!(at(&open, "jobs/*/reason"), json!(["bisect"]));
}

/// Measures the job of the suspicious commit 310, and checks that the search for the culprit continues from it.
async fn continue_from_suspicion(lab: &Lab, agent: &LabAgent) {
    let confirm = lab.claim(agent).await.unwrap();
    assert_eq!((sides(&confirm), &confirm.case_sha256), (Some([310, 300]), &None));
    measure(lab, agent, &confirm).await;
    search(&lab.app).await;
    assert_eq!(at(&lab.job(confirm.job_id).await, "reason,regression_id"), json!(["confirm", 1]));
    let next = lab.claim(agent).await.expect("the search continues");
    let [head, base] = sides(&next).unwrap();
    assert!(base == 300 && (301..310).contains(&head), "the ends are compared already: {next:?}");
}

#[database_test]
async fn confirmed_suspicion_begins_the_search(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    store(&lab, 1..=30, slower).await;
    store(&lab, 31..=31, slower).await;
    continue_from_suspicion(&lab, &agent).await;
}

#[database_test]
async fn search_uses_the_open_job_of_a_suspicion(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    store(&lab, 1..=30, slower).await;
    store(&lab, 31..=31, slower).await;
    // Later commits show the change before the job is done.
    store(&lab, 32..=40, slower).await;
    assert_eq!(super::regressions::list(&lab.app, "").await.len(), 1);
    continue_from_suspicion(&lab, &agent).await;
}

#[database_test]
async fn commits_that_cannot_be_paired_are_measured_alone(lab: Lab) {
    let agent = history(&lab).await;
    let job = lab.claim(&agent).await.unwrap();
    lab.finish(&agent, &job, "failed").await;
    search(&lab.app).await;
    let next = lab.claim(&agent).await.unwrap();
    assert_eq!(next.base_sha, None);
    assert!((301..310).contains(&u64::from_str_radix(next.commit_sha.as_str(), 16).unwrap()), "{next:?}");
}

#[database_test]
async fn commits_with_a_slower_p99_alone_are_measured_alone(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let tail = |nth| {
        let permille = if 10 * nth < CULPRIT { 1_500 } else { 2_250 };
        factory::result("ring", 64, tailed(100_000 + nth % 3, permille + nth * 7 % 5 * 10))
    };
    store(&lab, 1..=40, tail).await;
    let regressed = lab.app.read(REGRESSION).await;
    assert_eq!(at(&regressed, "change_points/*/figure"), json!(["p99"]));
    assert_eq!(lab.claim(&agent).await.unwrap().base_sha, None);
}

#[database_test]
async fn search_ends_if_the_pairs_show_no_change(lab: Lab) {
    let agent = history(&lab).await;
    let job = lab.claim(&agent).await.unwrap();
    for (commit, result) in [300, 310].into_iter().zip(factory::alternated("ring", 10_000.0, 1.0)) {
        lab.store(&agent, &RunReport { job: Some(job.lease()), ..run(commit, result) }).await;
    }
    lab.finish(&agent, &job, "done").await;
    search(&lab.app).await;
    assert!(lab.claim(&agent).await.is_none());
    let culprits: Value = lab.app.read(REGRESSION).await["culprits"].clone();
    assert_eq!(culprits.as_array().unwrap().len(), 10, "without pairs, all stay suspects: {culprits}");
}
