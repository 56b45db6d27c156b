//! Results of jobs.

use super::{Lab, LabAgent};
use crate::support::{at, factory};
use roundtrip_wire::lab::{Assignment, Lease};
use roundtrip_wire::{RunId, RunReport};
use serde_json::json;

/// A report of this agent for this job.
fn measured(job: &Assignment, machine: &str) -> RunReport {
    let mut report = RunReport { run_id: RunId::draw(), job: Some(job.lease()), ..factory::report() };
    report.machine.slug = factory::slug(machine);
    report
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
    assert_eq!(lab.app.put_as(&agent.token, &report).await.status, 201);
    assert_eq!(lab.job(job.job_id).await["status"], "running", "the job runs until its agent ends it");
    lab.finish(&agent, &job, "done").await;
    let stored = lab.job(job.job_id).await;
    assert_eq!(at(&stored, "status,done_by_run_id"), json!(["done", report.run_id.to_string()]));
    let run = lab.app.read(&format!("/api/v1/runs/{}", report.run_id)).await["run"].clone();
    assert_eq!((&run["job_id"], &run["superseded"]), (&job.job_id.into(), &false.into()), "{run}");
}

#[database_test]
async fn superseded_run_is_stored_outside_the_trend(lab: Lab) {
    let (one, other) = (lab.agent("lab-1", &[]).await, lab.agent("lab-2", &[]).await);
    let stale = claimed(&lab, &one).await;
    lab.expire().await;
    let taken = lab.claim(&other).await.unwrap();
    let late = measured(&stale, "lab-1");
    assert_eq!(lab.app.put_as(&one.token, &late).await.status, 201, "late results are stored");
    let run = lab.app.read(&format!("/api/v1/runs/{}", late.run_id)).await["run"].clone();
    assert_eq!((&run["job_id"], &run["superseded"]), (&stale.job_id.into(), &true.into()));
    lab.finish(&other, &taken, "released").await;
    let again = lab.claim(&one).await.unwrap();
    assert_eq!(again.job_id, stale.job_id);
    let later = measured(&stale, "lab-1");
    assert_eq!(lab.app.put_as(&one.token, &later).await.status, 201);
    let run = lab.app.read(&format!("/api/v1/runs/{}", later.run_id)).await["run"].clone();
    assert_eq!((&run["job_id"], &run["superseded"]), (&stale.job_id.into(), &true.into()));
    let mainline = async |report: &RunReport| {
        let query = sqlx::query_scalar::<_, bool>("select bool_and(mainline) from point where run_id = $1");
        query.bind(report.run_id.as_uuid()).fetch_one(&lab.app.pool).await.unwrap()
    };
    assert!(!mainline(&later).await);
    let fresh = measured(&again, "lab-1");
    lab.app.put_as(&one.token, &fresh).await;
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
    let mut other = measured(&job, "lab-1");
    other.commit = factory::commit(2, Some(2));
    let unknown = RunReport { job: Some(Lease { job_id: 999, fence: 1 }), ..measured(&job, "lab-1") };
    for report in [other, unknown] {
        assert_eq!(lab.app.put_as(&agent.token, &report).await.status, 201);
        let run = lab.app.read(&format!("/api/v1/runs/{}", report.run_id)).await["run"].clone();
        assert!(run["job_id"].is_null() && run["superseded"] == false, "{run}");
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
