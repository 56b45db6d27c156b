//! The search for a regression's culprit in paired jobs.

use super::search;
use super::tail::tailed;
use crate::lab::{Lab, LabAgent};
use crate::support::{at, factory};
use roundtrip_wire::lab::Assignment;
use roundtrip_wire::{CaseResult, MeasuredProgram, ProgramOrigin, RunReport, TransportInfo};
use serde_json::{Value, json};

const REGRESSION: &str = "/api/v1/projects/libfoo/regressions/1";
const CULPRIT: u64 = 307;

/// A run with a program of its commit.
fn run(commit: u64, result: CaseResult) -> RunReport {
    let program = MeasuredProgram {
        transport: result.transport.slug.clone(),
        variant: None,
        origin: ProgramOrigin::Commit,
        files: [("./bench".into(), "0".repeat(64))].into(),
        code: [].into(),
    };
    RunReport { programs: vec![program], ..factory::nth_with(commit, vec![result]) }
}

/// Every tenth of 400 commits is measured. The culprit makes `ring` a fifth slower.
async fn history(lab: &Lab) -> LabAgent {
    let plain = |nth: u64| {
        let ns = if 10 * nth < CULPRIT { 10_000 } else { 12_000 };
        factory::steady("ring", 64, ns + ns * (nth * 7 % 5) / 1_000)
    };
    measured(lab, plain).await
}

/// Every tenth of 400 commits has one of these results.
async fn measured(lab: &Lab, result: impl Fn(u64) -> CaseResult) -> LabAgent {
    let agent = lab.agent("lab-1", &[]).await;
    for nth in 1..=40_u64 {
        let commit = 10 * nth;
        let plain = result(nth);
        let result = CaseResult { transport: TransportInfo { control: false, ..plain.transport }, ..plain };
        let unmeasured = (commit - 9..commit).rev().map(|number| factory::commit(number, Some(number)));
        lab.app.store(&RunReport { history: unmeasured.collect(), ..run(commit, result) }).await;
    }
    search(&lab.app).await;
    agent
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
        measure(&lab, &agent, &job).await;
        search(&lab.app).await;
    }
    assert_eq!(jobs.first(), Some(&[310, 300]), "the ends of the range come first: {jobs:?}");
    assert_eq!(jobs.last(), Some(&[CULPRIT, CULPRIT - 1]), "the parent confirms it: {jobs:?}");
    let detail = lab.app.read(REGRESSION).await;
    assert_eq!(at(&detail, "culprits/*/commit/ordinal"), json!([CULPRIT]));
    assert!(detail["culprits"][0]["probability"].as_f64().unwrap() > 0.99, "{detail}");
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
    let agent = measured(&lab, |nth| {
        let permille = if 10 * nth < CULPRIT { 1_500 } else { 2_250 };
        factory::result("ring", 64, tailed(100_000 + nth % 3, permille + nth * 7 % 5 * 10))
    })
    .await;
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
