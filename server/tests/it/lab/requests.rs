//! Requests for jobs, and schedules.

use super::{Lab, sha};
use crate::support::{at, factory};
use roundtrip_storage::access::Role;
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

#[database_test]
async fn only_contributors_queue_jobs(lab: Lab) {
    lab.agent("lab-1", &[]).await;
    let contributor = lab.app.member("joe", "libfoo", Role::Contributor).await;
    let viewer = lab.app.member("eve", "libfoo", Role::Viewer).await;
    let path = "/api/v1/projects/libfoo/jobs";
    let ask = async |token: &str| lab.app.send("POST", path, token, Some(json!({"commits": [sha(1)]}))).await;
    ask("").await.assert_problem(401, "unauthenticated");
    ask(&viewer).await.assert_problem(403, "forbidden");
    ask(&lab.app.token).await.assert_problem(403, "forbidden");
    assert_eq!(ask(&contributor).await.status, 201);
    let jobs = lab.app.read(path).await;
    let job = &jobs["jobs"][0];
    assert_eq!(at(job, "requested_by,reason,commit_ordinal"), json!(["account:joe", "request", null]));
    let cancel = format!("{path}/{}", job["job_id"]);
    lab.app.send("DELETE", &cancel, &viewer, None).await.assert_problem(403, "forbidden");
}

#[database_test]
async fn duplicate_job_is_queued_once_until_done(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let asked = json!({"commits": [sha(1)]});
    let comparison = json!({"commits": [sha(1)], "base": sha(2)});
    let with_preset = json!({"commits": [sha(1)], "preset": "quick"});
    for (asked, new_count) in [(&asked, 1), (&asked, 0), (&comparison, 1), (&with_preset, 1)] {
        assert_eq!(lab.request("libfoo", asked.clone()).await.len(), new_count, "{asked}");
    }
    for _ in 0..3 {
        let job = lab.claim(&agent).await.unwrap();
        lab.finish(&agent, &job, "done").await;
    }
    assert_eq!(lab.request("libfoo", asked).await.len(), 1);
}

#[database_test]
async fn pull_request_is_measured_against_its_base(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let path = "/api/v1/projects/libfoo/jobs";
    let alone = json!({"commits": [sha(2)], "pull_request": 42});
    lab.ask("POST", path, alone).await.assert_invalid("base");
    let asked = json!({"commits": [sha(2)], "base": sha(1), "pull_request": 42});
    let ids = lab.request("libfoo", asked.clone()).await;
    let facts = "reason,pull_request,base_sha,is_fork";
    assert_eq!(at(&lab.job(ids[0]).await, facts), json!(["pull-request", 42, sha(1), false]));
    let job = lab.claim(&agent).await.unwrap();
    lab.finish(&agent, &job, "done").await;

    // A run of a fork makes later jobs of the pull request quarantined, too.
    lab.app.store(&RunReport { pull_request: Some(42), ..factory::nth(2) }).await;
    lab.app.execute("update run set quarantined = true").await;
    let ids = lab.request("libfoo", asked).await;
    assert_eq!(at(&lab.job(ids[0]).await, facts), json!(["pull-request", 42, sha(1), true]));
}

#[database_test]
async fn lists_the_jobs_of_a_commit(lab: Lab) {
    lab.agent("lab-1", &[]).await;
    lab.request("libfoo", json!({"commits": [sha(1), sha(2)]})).await;
    let found = lab.app.read(&format!("/api/v1/projects/libfoo/jobs?commit={}", sha(2))).await;
    assert_eq!(at(&found, "jobs/*/commit_sha"), json!([sha(2)]));
}

#[database_test]
async fn range_queues_unmeasured_commits_only(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    lab.agent("lab-2", &[]).await;
    let history = (1..9).rev().map(|number| factory::commit(number, Some(number))).collect();
    lab.app.store(&RunReport { history, ..factory::nth(9) }).await;
    let ids = lab.request("libfoo", json!({"after": sha(6), "until": sha(9)})).await;
    assert_eq!(ids.len(), 2 + 3, "lab-1 has already measured the last commit");
    assert_eq!(lab.claim(&agent).await.unwrap().commit_sha.as_str(), sha(7));
    let ask = async |asked: Value| lab.ask("POST", "/api/v1/projects/libfoo/jobs", asked).await;
    ask(json!({"after": sha(77), "until": sha(9)})).await.assert_problem(404, "unknown-commit");
    let on_any = json!({"after": sha(1), "until": sha(2), "on_any": true});
    for asked in [json!({"after": sha(1)}), on_any] {
        ask(asked).await.assert_problem(400, "invalid-parameter");
    }
}

#[database_test]
async fn rejects_invalid_job_requests(lab: Lab) {
    let ask = async |asked: Value| lab.ask("POST", "/api/v1/projects/libfoo/jobs", asked).await;
    ask(json!({"commits": [sha(1)]})).await.assert_invalid("enrol an agent");
    lab.agent("lab-1", &["lab"]).await;
    ask(json!({"commits": []})).await.assert_invalid("1 to 1000");
    ask(json!({"commits": [sha(1)], "labels": ["arm"]})).await.assert_invalid("labels");
    ask(json!({"commits": [sha(1)], "machines": ["lab-9"]})).await.assert_invalid("lab-9 has no agent");
    for preset in ["", "../x.toml", "/etc/passwd", "--help", "a/../b.toml"] {
        let answer = ask(json!({"commits": [sha(1)], "preset": preset})).await;
        let problem = answer.assert_problem(400, "invalid-parameter");
        assert!(problem.detail.contains("path within the repository"), "{preset}: {problem:?}");
    }
    let unreadable = ask(json!({"commits": ["main"]})).await;
    assert!(unreadable.problem().detail.contains("commits"), "{unreadable:?}");
    let unknown = lab.ask("POST", "/api/v1/projects/nothing/jobs", json!({"commits": [sha(1)]})).await;
    unknown.assert_problem(404, "unknown-project");
}

#[database_test]
async fn estimates_when_jobs_start(lab: Lab) {
    let agent = lab.agent("lab-1", &[]).await;
    let ids = lab.request("libfoo", json!({"commits": [sha(1), sha(2), sha(3)]})).await;
    assert!(lab.job(ids[0]).await["starts_at"].is_string(), "now");
    assert!(lab.job(ids[1]).await["starts_at"].is_null(), "the duration of the first job is unknown");
    let job = lab.claim(&agent).await.unwrap();
    lab.finish(&agent, &job, "done").await;
    lab.app.execute("update job_attempt set started_at = ended_at - interval '10 minutes'").await;
    let estimate: chrono::DateTime<chrono::Utc> =
        lab.job(ids[2]).await["starts_at"].as_str().unwrap().parse().unwrap();
    let wait = estimate - chrono::Utc::now();
    assert!((540..=600).contains(&wait.num_seconds()), "{wait}");
}

#[database_test]
async fn schedule_queues_the_newest_commit_once_when_due(lab: Lab) {
    let agent = lab.agent("lab-1", &["night"]).await;
    lab.agent("lab-2", &[]).await;
    let path = "/api/v1/projects/libfoo/schedules";
    lab.ask("POST", path, json!({"cron": "every night"})).await.assert_invalid("five fields");
    let nightly = json!({"cron": "30 2 * * *", "preset": "full", "labels": ["night"]});
    let made = lab.ask("POST", path, nightly).await;
    assert_eq!(made.status, 201, "{made:?}");
    lab.app.store(&factory::report()).await;
    let due = "update schedule set next_at = now() - interval '1 second'";
    lab.sweep().await;
    assert!(lab.claim(&agent).await.is_none(), "it is not due");
    for _ in 0..2 {
        lab.app.execute(due).await;
        lab.sweep().await;
        lab.app.another().state.queue.sweep().await.unwrap();
    }
    let job = lab.claim(&agent).await.unwrap();
    assert_eq!((job.commit_sha, job.preset.as_deref()), (factory::report().commit.sha, Some("full")));
    assert!(lab.claim(&agent).await.is_none());
    let listed = lab.app.read(path).await;
    let schedule = &listed["schedules"][0];
    assert!(schedule["next_at"].as_str().unwrap() > chrono::Utc::now().to_rfc3339().as_str());
    let one = format!("{path}/{}", schedule["schedule_id"]);
    assert_eq!(lab.delete(&one).await.status, 204);
    lab.delete(&one).await.assert_problem(404, "unknown-schedule");
}

#[database_test]
async fn rejects_unsafe_repository_urls(lab: Lab) {
    let path = "/api/v1/projects/libfoo";
    for url in [
        "ext::sh -c x",
        "--upload-pack=x",
        "https://ada:secret@example.org/x",
        "/srv/x.git",
        "https://",
        "https://a b/",
    ] {
        let answer = lab.ask("PATCH", path, json!({"repository_url": url})).await;
        answer.assert_problem(400, "invalid-parameter");
    }
    let url = "ssh://git@example.org/libfoo.git";
    assert_eq!(lab.ask("PATCH", path, json!({"repository_url": url})).await.status, 200);
    assert_eq!(lab.app.read(path).await["repository_url"], url);
    lab.ask("POST", "/api/v1/projects", json!({"project": "libfoo"})).await.assert_problem(409, "taken");
}
