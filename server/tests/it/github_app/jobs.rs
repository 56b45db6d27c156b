//! From GitHub events to jobs, and from results to comments and checks.

use super::{AppFixture, REPOSITORY, STRANGER, WRITER, reconcile, sha};
use crate::lab::{Lab, LabAgent};
use crate::support::{Fixture, factory};
use roundtrip_domain::queue::github_jobs;
use roundtrip_github::reconcile::Reconciler;
use roundtrip_github::report::LabReports;
use roundtrip_wire::lab::Assignment;
use roundtrip_wire::{Commit, CommitSha, Repetition, RunReport};
use serde_json::Value;
use sqlx::PgPool;
use std::sync::Arc;

/// An [`AppFixture`] with a project that agents work for.
struct LabFixture {
    github_app: AppFixture,
    lab: Lab,
}

impl Fixture for LabFixture {
    async fn new(pool: PgPool) -> Self {
        let github_app = AppFixture::new(pool).await;
        let app = github_app.app.another();
        let admin = github_app.app.account("root", true).await;
        let lab = Lab { app, admin };
        let url = serde_json::json!({"repository_url": "https://git.example.org/libfoo.git"});
        assert_eq!(lab.ask("PATCH", "/api/v1/projects/libfoo", url).await.status, 200);
        Self { github_app, lab }
    }
}

impl LabFixture {
    /// Posts a comment, and handles it. Returns the number of queued jobs.
    async fn comment(&self, login: &str, body: &str) -> u64 {
        self.github_app.comment(login, body).await;
        self.github_app.github.advance(60);
        self.act().await
    }

    async fn act(&self) -> u64 {
        github_jobs::handle_pending(&self.github_app.app.pool).await.unwrap()
    }

    /// Updates the comment and the check from the jobs' results.
    async fn report_results(&self) {
        let github_app = &self.github_app;
        // Longer than the interval between updates.
        github_app.github.advance(3_600);
        self.act().await;
        let reports = LabReports::new(github_app.app.state.pool.clone(), "https://perf.example.org/");
        let app = github_app.app.state.github_app.clone().unwrap();
        let reconciler = Reconciler::new(app, github_app.app.pool.clone(), Arc::new(reports));
        reconcile(&reconciler, &github_app.github).await;
    }

    /// Measures a job: base and head with these times, slightly different in each repetition.
    async fn measure(&self, agent: &LabAgent, job: &Assignment, machine: &str, [base, head]: [u64; 2]) {
        for (commit, times) in [(job.base_sha.as_ref().unwrap(), base), (&job.commit_sha, head)] {
            let answer = self.lab.app.put_as(&agent.token, &measured(job, commit, machine, times)).await;
            assert_eq!(answer.status, 201, "{answer:?}");
        }
        assert_eq!(self.lab.finish(agent, job, "done").await.status, 204);
    }

    fn check(&self, digit: char) -> Value {
        let checks = self.github_app.github.check_runs(REPOSITORY, &sha(digit));
        assert_eq!(checks.len(), 1);
        checks[0].clone()
    }
}

fn measured(job: &Assignment, sha: &CommitSha, machine: &str, ns: u64) -> RunReport {
    let repetition = |index: u64| -> Repetition {
        let of = ns + (index * 7) % 13;
        factory::repetition(u32::try_from(index).unwrap(), &[of, of + 20, of + 40])
    };
    let report = RunReport {
        job: Some(job.lease()),
        branch: None,
        pull_request: job.pull_request,
        results: vec![factory::result("courier", 64, (0..20).map(repetition).collect())],
        ..factory::report_at(Commit { sha: sha.clone(), ..factory::commit(1, None) })
    };
    factory::on(machine, report)
}

#[database_test]
async fn queued_commit_is_compared_and_reported(fixture: LabFixture) {
    let agent = fixture.lab.agent("lab-7", &[]).await;
    fixture.github_app.open(7, 'a').await;
    assert_eq!(fixture.act().await, 0, "no one has requested a job");
    assert_eq!(fixture.comment(STRANGER, "/roundtrip queue").await, 0);
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue").await, 1);
    let job = fixture.lab.claim(&agent).await.unwrap();
    assert_eq!((job.commit_sha.as_str(), job.pull_request), (sha('a').as_str(), Some(7)));
    assert_eq!(job.base_sha.as_ref().unwrap().as_str(), sha('b'));
    fixture.report_results().await;
    assert_eq!(fixture.check('a')["status"], "in_progress");
    assert_eq!(fixture.github_app.sticky(7).len(), 0);

    fixture.measure(&agent, &job, "lab-7", [1_000, 1_400]).await;
    fixture.report_results().await;
    let comments = fixture.github_app.sticky(7);
    assert_eq!(comments.len(), 1);
    for text in
        ["1 of 1 series", "slower", "courier", "lab-7", "https://perf.example.org/libfoo/pull-requests/7"]
    {
        assert!(comments[0].contains(text), "{text}: {}", comments[0]);
    }
    assert_eq!(fixture.check('a')["status"], "completed");
    // Neither run is part of the trend.
    let trend = "select count(*) from point where mainline and run_id in (select run_id from run where job_id is not null)";
    assert_eq!(fixture.github_app.scalar::<i64>(trend).await, 0);

    // The check fails only if the project enables it.
    assert_eq!(fixture.check('a')["conclusion"], "success");
    let fails = serde_json::json!({"fails_on_regression": true});
    assert_eq!(fixture.lab.ask("PATCH", "/api/v1/projects/libfoo", fails).await.status, 200);
    fixture.report_results().await;
    assert_eq!(fixture.check('a')["conclusion"], "failure");

    assert_eq!(fixture.comment(WRITER, "/roundtrip ack we trade it for safety").await, 0);
    fixture.report_results().await;
    let comments = fixture.github_app.sticky(7);
    assert!(comments.len() == 1 && comments[0].contains("we trade it for safety"), "{comments:?}");
    assert_eq!(fixture.check('a')["conclusion"], "success", "the regression is acknowledged");
}

#[database_test]
async fn command_without_machines_gets_a_reply(fixture: LabFixture) {
    fixture.github_app.open(7, 'a').await;
    let replies = || fixture.github_app.github.app_comments(REPOSITORY, 7);
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue").await, 0);
    assert_eq!(replies().len(), 1);
    assert!(replies()[0].contains("No job queued: this project has no machine"), "{:?}", replies());
    fixture.lab.agent("lab-7", &[]).await;
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue machine=lab-8").await, 0);
    assert_eq!(replies().len(), 2);
    assert!(replies()[1].contains("this project has no machine named `lab-8`"), "{:?}", replies());
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue machine=lab-7").await, 1);
    assert_eq!(fixture.comment(WRITER, "/roundtrip cancel").await, 0);
    assert_eq!(replies().len(), 2, "successful commands get no reply");
}

#[database_test]
async fn unchanged_pull_request_gets_a_check_only(fixture: LabFixture) {
    let agents = [fixture.lab.agent("lab-7", &[]).await, fixture.lab.agent("lab-8", &[]).await];
    fixture.github_app.open(7, 'a').await;
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue").await, 2, "one job per machine");
    for (agent, machine) in agents.iter().zip(["lab-7", "lab-8"]) {
        let job = fixture.lab.claim(agent).await.unwrap();
        fixture.measure(agent, &job, machine, [1_000, 1_000]).await;
        fixture.report_results().await;
    }
    assert_eq!(fixture.github_app.sticky(7).len(), 0);
    assert_eq!(fixture.check('a')["conclusion"], "success", "{:#}", fixture.check('a'));
}

#[database_test]
async fn push_and_cancel_end_queued_jobs(fixture: LabFixture) {
    let agent = fixture.lab.agent("lab-7", &[]).await;
    fixture.github_app.open(7, 'a').await;
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue").await, 1);
    fixture.github_app.push('c').await;
    fixture.github_app.github.advance(60);
    assert_eq!(fixture.act().await, 0);
    assert!(fixture.lab.claim(&agent).await.is_none(), "no writer has approved the new commit");
    assert_eq!(fixture.comment(WRITER, "/roundtrip queue machine=lab-7").await, 1);
    fixture.comment(WRITER, "/roundtrip cancel").await;
    assert!(fixture.lab.claim(&agent).await.is_none());
    fixture.report_results().await;
    assert!(fixture.github_app.sticky(7)[0].contains("lab-7"), "a machine without results is listed");
}

#[database_test]
async fn default_branch_push_is_measured_once_per_machine(fixture: LabFixture) {
    let agents = [fixture.lab.agent("lab-7", &[]).await, fixture.lab.agent("lab-8", &["arm"]).await];
    for digit in ['d', 'd', 'e'] {
        fixture.github_app.github.push_branch(REPOSITORY, "main", &sha(digit));
        fixture.github_app.deliver(&fixture.github_app.github.push_event(REPOSITORY, "main")).await;
        fixture.act().await;
    }
    for agent in &agents {
        for digit in ['d', 'e'] {
            let job = fixture.lab.claim(agent).await.unwrap();
            assert_eq!((job.commit_sha.as_str(), job.branch.as_deref()), (sha(digit).as_str(), Some("main")));
            assert_eq!((job.base_sha, job.pull_request), (None, None));
        }
        assert!(fixture.lab.claim(agent).await.is_none());
    }
}
