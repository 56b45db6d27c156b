//! Claims, leases and priorities of jobs.

use super::{Lab, sha};
use crate::distributed_tidy::queries;
use crate::support::at;
use roundtrip_wire::lab::Assignment;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};
use std::time::Duration;

fn commits(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(sha).collect()
}

#[database_test]
async fn jobs_are_claimed_once_in_order(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let ids =
        lab.request("libfoo", json!({"commits": commits(1..=3), "preset": "quick", "branch": "main"})).await;
    let first = lab.claim(&agent).await.unwrap();
    assert_eq!((first.job_id, first.fence, first.commit_sha.as_str()), (ids[0], 1, sha(1).as_str()));
    assert_eq!((first.preset.as_deref(), first.branch.as_deref()), (Some("quick"), Some("main")));
    let url = "https://git.example.org/libfoo.git";
    assert_eq!((first.lease_seconds, first.repository_url.as_str()), (120, url));
    let second = lab.claim(&agent).await.unwrap();
    assert_eq!(second.job_id, ids[1]);
    // The outcome is repeated after a lost answer.
    for _ in 0..2 {
        assert_eq!(lab.finish(&agent, &first, "done").await.status, 204);
    }
    lab.finish(&agent, &first, "failed").await.assert_problem(409, "lease-lost");
    assert_eq!(lab.finish(&agent, &second, "failed").await.status, 204);
    for (id, status) in ids.iter().zip(["done", "failed", "queued"]) {
        assert_eq!(lab.job(*id).await["status"], status);
    }
    let stored = lab.job(ids[0]).await;
    assert_eq!(at(&stored, "attempts/0/machine,attempts/0/output"), json!(["lab-1", "cc -O2 bench.c\n"]));
    assert_eq!(lab.claim(&agent).await.unwrap().job_id, ids[2]);
    assert!(lab.claim(&agent).await.is_none());
}

#[database_test]
async fn expired_job_is_reclaimed_and_its_late_result_rejected(lab: Lab) {
    let (one, other) = (lab.agent("lab-1", &["lab"]).await, lab.agent("lab-2", &["lab"]).await);
    lab.request("libfoo", json!({"commits": [sha(1)], "labels": ["lab"], "on_any": true})).await;
    let stale = lab.claim(&one).await.unwrap();
    assert!(lab.claim(&other).await.is_none(), "the job is leased");
    assert_eq!(lab.heartbeat(&one, &stale).await.json::<Value>()["lease_seconds"], 120);
    lab.expire().await;
    // A late agent still has the job if no other took it.
    assert_eq!(lab.heartbeat(&one, &stale).await.status, 200);
    assert!(lab.claim(&other).await.is_none());
    lab.expire().await;
    let taken = lab.claim(&other).await.unwrap();
    assert_eq!((taken.job_id, taken.fence), (stale.job_id, stale.fence + 1));
    lab.heartbeat(&one, &stale).await.assert_problem(409, "lease-lost");
    lab.finish(&one, &stale, "done").await.assert_problem(409, "lease-lost");
    lab.heartbeat(&one, &taken).await.assert_problem(409, "lease-lost");
    assert_eq!(lab.finish(&other, &taken, "done").await.status, 204);
    let stored = lab.job(taken.job_id).await;
    let summary = at(&stored, "attempts/0/outcome,attempts/1/outcome,machine");
    assert_eq!(summary, json!(["lost", "done", "lab-2"]));
}

#[database_test]
async fn waiting_agent_gets_an_expired_job(pool: PgPool) {
    let lab = Lab::with_lease(pool, Duration::from_secs(1)).await;
    let (one, other) = (lab.agent("lab-1", &[]).await, lab.agent("lab-2", &[]).await);
    lab.request("libfoo", json!({"commits": [sha(1)], "on_any": true})).await;
    let stale = lab.claim(&one).await.unwrap();
    // Only the clock ends the lease.
    let answer = lab.claim_as(&other, json!({"wait_seconds": 30})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let taken: Assignment = answer.json();
    assert_eq!((taken.job_id, taken.fence), (stale.job_id, stale.fence + 1));
    // By the database's clock, and long before its maximum wait.
    let is_soon = "select job.started_at < job_attempt.started_at + interval '11 seconds'
                   from job join job_attempt using (job_id)";
    assert!(lab.app.scalar::<bool>(is_soon).await);
    lab.finish(&one, &stale, "done").await.assert_problem(409, "lease-lost");
    assert_eq!(lab.finish(&other, &taken, "done").await.status, 204);
}

#[database_test]
async fn claiming_uses_the_index_even_without_statistics(lab: Lab) {
    for part in 0..3 {
        let commits = commits(1_000 * part..1_000 * (part + 1));
        lab.request("libfoo", json!({"commits": commits, "on_any": true})).await;
    }
    let is_taking = |query: &String| query.contains("insert into job_attempt") && query.contains("limit 1\n");
    let taking: Vec<String> = queries().into_iter().filter(is_taking).collect();
    assert_eq!(taking.len(), 1, "{taking:?}");
    let mut connection = lab.app.pool.acquire().await.unwrap();
    // As planned by the server's connections.
    let prepare = format!("set plan_cache_mode = force_generic_plan; prepare taking as {}", taking[0]);
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut *connection).await.unwrap();
    let explain = "explain execute taking ('{1}', 3::smallint, 120)";
    let plan: Vec<String> = sqlx::query_scalar(explain).fetch_all(&mut *connection).await.unwrap();
    let plan = plan.join("\n");
    let next = plan.split_once("CTE next").unwrap().1.split_once("CTE given").unwrap().0;
    assert!(next.contains("Index Scan using job_queue_idx") && !next.contains("Sort"), "{plan}");
}

#[database_test]
async fn gives_up_after_too_many_lost_leases(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let ids = lab.request("libfoo", json!({"commits": [sha(1)]})).await;
    for _ in 0..5 {
        let job = lab.claim(&agent).await.unwrap();
        assert_eq!(lab.finish(&agent, &job, "released").await.status, 204);
    }
    for _ in 0..3 {
        assert_eq!(lab.job(ids[0]).await["status"], "queued");
        assert!(lab.claim(&agent).await.is_some());
        lab.expire().await;
        lab.sweep().await;
    }
    let stored = lab.job(ids[0]).await;
    assert_eq!(at(&stored, "status,attempt"), json!(["failed", 3]), "{stored}");
    assert!(stored["failure"].as_str().unwrap().contains("lost contact"));
    assert!(lab.claim(&agent).await.is_none());
}

#[database_test]
async fn swept_lease_can_still_finish(lab: Lab) {
    // Results from the days that the server was down are not measured again.
    let agent = lab.agent("lab-1", &[]).await;
    lab.request("libfoo", json!({"commits": [sha(1)]})).await;
    let job = lab.claim(&agent).await.unwrap();
    lab.expire().await;
    lab.sweep().await;
    assert_eq!(lab.job(job.job_id).await["status"], "queued");
    assert_eq!(lab.finish(&agent, &job, "done").await.status, 204);
    assert_eq!(lab.job(job.job_id).await["status"], "done");
    assert!(lab.claim(&agent).await.is_none());
}

#[database_test]
async fn jobs_match_machine_or_labels(lab: Lab) {
    let (small, big) = (lab.agent("lab-1", &["lab"]).await, lab.agent("lab-2", &["big", "lab"]).await);
    lab.project("another").await;
    let bound = lab.enrol("lab-3", json!({"project": "another", "labels": ["big"]})).await;
    lab.request("libfoo", json!({"commits": [sha(1)], "labels": ["big"], "on_any": true})).await;
    let named = lab.request("libfoo", json!({"commits": [sha(2)], "machines": ["lab-1"]})).await;
    let all = lab.request("libfoo", json!({"commits": [sha(3)], "labels": ["lab"]})).await;
    assert_eq!(all.len(), 2, "one job per machine with the labels");
    assert!(lab.claim(&bound).await.is_none(), "its agent is bound to another project");
    assert_eq!(lab.claim(&big).await.unwrap().commit_sha.as_str(), sha(1));
    assert_eq!(lab.claim(&small).await.unwrap().job_id, named[0]);
    for agent in [&small, &big] {
        assert_eq!(lab.claim(agent).await.unwrap().commit_sha.as_str(), sha(3));
        assert!(lab.claim(agent).await.is_none());
    }
}

#[database_test]
async fn projects_alternate_and_requested_jobs_come_first(lab: Lab) {
    lab.project("busy").await;
    let agent = lab.agent("lab-1", &[]).await;
    let ask = |numbers: std::ops::Range<u64>, is_push: bool| json!({"commits": commits(numbers), "is_push": is_push});
    lab.request("busy", ask(100..106, true)).await;
    lab.request("libfoo", ask(1..3, true)).await;
    let take = async |count: usize| {
        let mut taken = Vec::new();
        for _ in 0..count {
            let job = lab.claim(&agent).await.unwrap();
            taken.push(u64::from_str_radix(job.commit_sha.as_str(), 16).unwrap());
            assert_eq!(lab.finish(&agent, &job, "done").await.status, 204);
        }
        taken
    };
    assert_eq!(take(4).await, [100, 1, 101, 2], "a project with few jobs does not wait for one with many");
    lab.request("libfoo", ask(3..4, true)).await;
    lab.request("libfoo", ask(9..10, false)).await;
    assert_eq!(take(3).await, [9, 102, 3], "jobs that a user requested come before pushed commits");
    assert_eq!(take(3).await, [103, 104, 105]);
}

#[database_test]
async fn waiting_jobs_gain_priority_daily(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let old = lab.request("libfoo", json!({"commits": [sha(1)], "is_push": true})).await;
    lab.app.execute("update job set created_at = now() - interval '50 hours'").await;
    let asked = lab.request("libfoo", json!({"commits": [sha(2)]})).await;
    for _ in 0..5 {
        lab.sweep().await;
    }
    let priority = format!("select priority from job where job_id = '{}'", old[0]);
    let priority: i16 = lab.app.scalar(&priority).await;
    assert_eq!(priority, 4, "two steps in two days, regardless of the number of sweeps");
    for id in [old[0], asked[0]] {
        assert_eq!(lab.claim(&agent).await.unwrap().job_id, id);
    }
}

#[database_test]
async fn waiting_agent_gets_a_new_job(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    // Much longer than the test takes if the agent is woken.
    let waiting = lab.claim_as(&agent, json!({"wait_seconds": 25}));
    let asking = async {
        // The agent waits once the server has seen it.
        let heard = "select exists (select from agent where version is not null)";
        while !lab.app.scalar::<bool>(heard).await {
            tokio::task::yield_now().await;
        }
        lab.request("libfoo", json!({"commits": [sha(1)]})).await
    };
    let (answer, ids) = tokio::join!(waiting, asking);
    assert_eq!(answer.json::<Value>()["job_id"], ids[0]);
}

#[database_test]
async fn cancelling_ends_the_agents_lease(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let ids = lab.request("libfoo", json!({"commits": commits(1..=2)})).await;
    let job = lab.claim(&agent).await.unwrap();
    for id in &ids {
        let path = format!("/api/v1/projects/libfoo/jobs/{id}");
        assert_eq!(lab.delete(&path).await.status, 204);
        assert_eq!(lab.job(*id).await["status"], "cancelled");
    }
    lab.heartbeat(&agent, &job).await.assert_problem(409, "lease-lost");
    assert!(lab.claim(&agent).await.is_none());
    let again = lab.request("libfoo", json!({"commits": [sha(1)]})).await;
    assert_eq!(again.len(), 1, "the job can be queued again");
}

#[database_test]
async fn concurrent_claims_reach_jobs_deep_in_the_queue(lab: Lab) {
    let mut agents = lab.agents(20, &["fast"]).await;
    agents.push(lab.agent("slow", &[]).await);
    let for_fast = json!({"commits": commits(1..=60), "on_any": true, "labels": ["fast"]});
    let ids = lab.request("libfoo", for_fast).await;
    let for_slow = lab.request("libfoo", json!({"commits": [sha(61)], "machines": ["slow"]})).await;
    let answers = futures_util::future::join_all(agents.iter().map(|agent| lab.claim(agent))).await;
    let mut taken: Vec<i64> = answers.into_iter().map(|job| job.unwrap().job_id).collect();
    assert_eq!(taken.pop(), Some(for_slow[0]));
    taken.sort_unstable();
    assert_eq!(taken, ids[..20]);
}

#[database_test]
async fn disabled_waiting_agent_gets_nothing(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    lab.request("libfoo", json!({"commits": [sha(1)]})).await;
    lab.app.execute("update agent set is_enabled = false").await;
    // As if it had been authenticated before.
    let taken = lab.app.state.queue.take(agent.agent_id, Duration::ZERO).await.unwrap();
    assert!(taken.is_none(), "{taken:?}");
}

#[database_test]
async fn job_for_a_disconnected_agent_stays_queued(lab: Lab) {
    let (gone, next) = (lab.agent("lab-1", &[]).await, lab.agent("lab-2", &[]).await);
    lab.request("libfoo", json!({"commits": [sha(1)], "on_any": true})).await;
    // The agent disconnects before the answer.
    let asking = lab.app.state.queue.take(gone.agent_id, Duration::ZERO);
    assert!(futures_util::FutureExt::now_or_never(asking).is_none());
    let job = loop {
        if let Some(job) = lab.claim(&next).await {
            break job;
        }
        tokio::task::yield_now().await;
    };
    let stored = lab.job(job.job_id).await;
    assert_eq!(at(&stored, "attempts/0/outcome,attempt"), json!(["released", 1]), "{stored}");
}

#[database_test]
async fn concurrent_agents_claim_each_job_once(lab: Lab) {
    let agents = lab.agents(8, &[]).await;
    let ids = lab.request("libfoo", json!({"commits": commits(1..=100), "on_any": true})).await;
    let work = agents.iter().map(async |agent| {
        let mut taken = Vec::new();
        while let Some(job) = lab.claim(agent).await {
            assert_eq!((job.fence, lab.finish(agent, &job, "done").await.status.as_u16()), (1, 204));
            taken.push(job.job_id);
        }
        taken
    });
    let mut taken: Vec<i64> = futures_util::future::join_all(work).await.into_iter().flatten().collect();
    taken.sort_unstable();
    assert_eq!(taken, ids);
}
