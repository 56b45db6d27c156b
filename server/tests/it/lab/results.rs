//! Results of jobs.

use super::{Lab, LabAgent};
use crate::support::{at, factory};
use roundtrip_wire::RunReport;
use roundtrip_wire::lab::{Assignment, Lease};
use serde_json::json;

/// A report of this agent for this job.
fn measured(job: &Assignment, machine: &str) -> RunReport {
    factory::on(machine, RunReport { job: Some(job.lease()), ..factory::report() })
}

async fn claimed(lab: &Lab, agent: &LabAgent) -> Assignment {
    let commit = factory::report().commit.sha.to_string();
    lab.request("libfoo", json!({"commits": [commit], "on_any": true})).await;
    lab.claim(agent).await.unwrap()
}

#[database_test]
async fn run_shows_its_job(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let job = claimed(&lab, &agent).await;
    let report = measured(&job, "lab-1");
    lab.store(&agent, &report).await;
    assert_eq!(lab.job(job.job_id).await["status"], "running", "the job runs until its agent ends it");
    lab.finish(&agent, &job, "done").await;
    let stored = lab.job(job.job_id).await;
    assert_eq!(at(&stored, "status,done_by_run_id"), json!(["done", report.run_id.to_string()]));
    let run = lab.app.run(&report).await;
    assert_eq!(at(&run, "run/job_id,run/superseded"), json!([job.job_id, false]), "{run}");
}

#[database_test]
async fn superseded_run_is_stored_outside_the_trend(lab: Lab) {
    let (one, other) = (lab.agent("lab-1", &[]).await, lab.agent("lab-2", &[]).await);
    let stale = claimed(&lab, &one).await;
    lab.expire().await;
    let taken = lab.claim(&other).await.unwrap();
    let late = measured(&stale, "lab-1");
    let run = lab.store(&one, &late).await;
    assert_eq!(at(&run, "job_id,superseded"), json!([stale.job_id, true]), "late results are stored");
    lab.finish(&other, &taken, "released").await;
    let again = lab.claim(&one).await.unwrap();
    assert_eq!(again.job_id, stale.job_id);
    let later = measured(&stale, "lab-1");
    let run = lab.store(&one, &later).await;
    assert_eq!(at(&run, "job_id,superseded"), json!([stale.job_id, true]));
    let mainline = async |report: &RunReport| {
        let query = format!("select bool_and(mainline) from point where run_id = '{}'", report.run_id);
        lab.app.scalar::<bool>(&query).await
    };
    assert!(!mainline(&later).await);
    let fresh = measured(&again, "lab-1");
    lab.store(&one, &fresh).await;
    assert!(mainline(&fresh).await);
    // Changing the default branch moves other points on and off the main line, but not these.
    lab.ask("PATCH", "/api/v1/projects/libfoo", json!({"default_branch": "other"})).await;
    lab.ask("PATCH", "/api/v1/projects/libfoo", json!({"default_branch": "main"})).await;
    assert!(mainline(&fresh).await && !mainline(&later).await);
}

#[database_test]
async fn run_with_an_unknown_job_is_stored(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let job = claimed(&lab, &agent).await;
    let other = RunReport { commit: factory::commit(2, Some(2)), ..measured(&job, "lab-1") };
    let unknown = RunReport { job: Some(Lease { job_id: 999, fence: 1 }), ..measured(&job, "lab-1") };
    for report in [other, unknown] {
        let run = lab.store(&agent, &report).await;
        assert_eq!(at(&run, "job_id,superseded"), json!([null, false]), "{run}");
    }
}

#[database_test]
async fn unrequested_run_completes_a_queued_job(lab: Lab) {
    lab.agent("lab-1", &[]).await;
    let commit = factory::report().commit.sha.to_string();
    let ids = lab.request("libfoo", json!({"commits": [commit]})).await;
    lab.app.store(&factory::report()).await;
    lab.app.state.analyst().search().await.unwrap();
    assert_eq!(lab.job(ids[0]).await["status"], "done");
}
