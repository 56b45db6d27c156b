//! From what GitHub tells to jobs, and from what agents measure to what is said on the pull request.

use super::{REPOSITORY, STRANGER, WRITER, World, reconcile, sha};
use crate::lab::{Lab, LabAgent};
use crate::support::{Fixture, factory};
use roundtrip_domain::queue::github_jobs;
use roundtrip_github::reconcile::Reconciler;
use roundtrip_github::report::LabReports;
use roundtrip_wire::lab::Assignment;
use roundtrip_wire::{Commit, CommitSha, Repetition, RunId, RunReport};
use serde_json::Value;
use sqlx::PgPool;
use std::sync::Arc;

/// A World whose project agents work for.
struct Shop {
    world: World,
    lab: Lab,
}

impl Fixture for Shop {
    async fn of(pool: PgPool) -> Self {
        let world = World::of(pool).await;
        let app = world.app.another();
        let admin = world.app.account("root", true).await;
        let lab = Lab { app, admin };
        let url = serde_json::json!({"repository_url": "https://git.example.org/libfoo.git"});
        assert_eq!(lab.ask("PATCH", "/api/v1/projects/libfoo", url).await.status, 200);
        Self { world, lab }
    }
}

impl Shop {
    /// Somebody comments, and it is acted upon.
    async fn comment(&self, login: &str, body: &str) -> u64 {
        let world = &self.world;
        let comment = world.github.comment(REPOSITORY, 7, login, body);
        world.hear(&world.github.comment_event(REPOSITORY, comment)).await;
        world.github.advance(60);
        self.act().await
    }

    async fn act(&self) -> u64 {
        github_jobs::act(&self.world.app.pool).await.unwrap()
    }

    /// Lets the comment and the check say what the jobs have found.
    async fn say(&self) {
        let world = &self.world;
        // Longer than what is written once.
        world.github.advance(3_600);
        self.act().await;
        let reports = LabReports::new(world.app.state.pool.clone(), "https://perf.example.org/");
        let app = world.app.state.github_app.clone().unwrap();
        let reconciler = Reconciler::new(app, world.app.pool.clone(), Arc::new(reports));
        reconcile(&reconciler, &world.github).await;
    }

    /// Measures a job: base and head with these times, of which each repetition differs a little.
    async fn measure(&self, agent: &LabAgent, job: &Assignment, machine: &str, [base, head]: [u64; 2]) {
        for (commit, times) in [(job.base_sha.as_ref().unwrap(), base), (&job.commit_sha, head)] {
            let answer = self.lab.app.put_as(&agent.token, &measured(job, commit, machine, times)).await;
            assert_eq!(answer.status, 201, "{answer:?}");
        }
        assert_eq!(self.lab.finish(agent, job, "done").await.status, 204);
    }

    fn check(&self, digit: char) -> Value {
        let checks = self.world.github.check_runs(REPOSITORY, &sha(digit));
        assert_eq!(checks.len(), 1);
        checks[0].clone()
    }
}

fn measured(job: &Assignment, sha: &CommitSha, machine: &str, ns: u64) -> RunReport {
    let repetition = |index: u64| -> Repetition {
        let of = ns + (index * 7) % 13;
        factory::repetition(u32::try_from(index).unwrap(), &[of, of + 20, of + 40])
    };
    let commit = Commit { sha: sha.clone(), ..factory::commit(1, None) };
    let mut report = RunReport {
        run_id: RunId::draw(),
        job: Some(job.lease()),
        branch: None,
        pull_request: job.pull_request,
        results: vec![factory::result("courier", 64, (0..20).map(repetition).collect())],
        ..factory::report_at(commit)
    };
    report.machine.slug = factory::slug(machine);
    report
}

#[database_test]
async fn a_commit_that_a_writer_asked_for_is_compared_and_what_is_slower_is_said(shop: Shop) {
    let agent = shop.lab.agent("lab-7", &[]).await;
    shop.world.open(7, 'a').await;
    assert_eq!(shop.act().await, 0, "nobody has asked");
    assert_eq!(shop.comment(STRANGER, "/roundtrip queue").await, 0);
    assert_eq!(shop.comment(WRITER, "/roundtrip queue").await, 1);
    let job = shop.lab.claim(&agent).await.unwrap();
    assert_eq!((job.commit_sha.as_str(), job.pull_request), (sha('a').as_str(), Some(7)));
    assert_eq!(job.base_sha.as_ref().unwrap().as_str(), sha('b'));
    shop.say().await;
    assert_eq!((shop.check('a')["status"].as_str(), shop.world.sticky(7).len()), (Some("in_progress"), 0));

    shop.measure(&agent, &job, "lab-7", [1_000, 1_400]).await;
    shop.say().await;
    let comments = shop.world.sticky(7);
    assert_eq!(comments.len(), 1);
    for told in
        ["1 of 1 series", "slower", "courier", "lab-7", "https://perf.example.org/libfoo/pull-requests/7"]
    {
        assert!(comments[0].contains(told), "{told}: {}", comments[0]);
    }
    assert_eq!(shop.check('a')["status"], "completed");
    // Neither run is part of the trend.
    let trend = "select count(*) from point where mainline and run_id in (select run_id from run where job_id is not null)";
    assert_eq!(shop.world.scalar::<i64>(trend).await, 0);

    // Branch protection is the project's to decide.
    assert_eq!(shop.check('a')["conclusion"], "success");
    let fails = serde_json::json!({"fails_on_regression": true});
    assert_eq!(shop.lab.ask("PATCH", "/api/v1/projects/libfoo", fails).await.status, 200);
    shop.say().await;
    assert_eq!(shop.check('a')["conclusion"], "failure");

    assert_eq!(shop.comment(WRITER, "/roundtrip ack we trade it for safety").await, 0);
    shop.say().await;
    let comments = shop.world.sticky(7);
    assert!(comments.len() == 1 && comments[0].contains("we trade it for safety"), "{comments:?}");
    assert_eq!(shop.check('a')["conclusion"], "success", "it was accepted");
}

#[database_test]
async fn a_command_where_no_machine_works_is_answered_with_that(shop: Shop) {
    shop.world.open(7, 'a').await;
    let replies = || shop.world.github.app_comments(REPOSITORY, 7);
    assert_eq!(shop.comment(WRITER, "/roundtrip queue").await, 0);
    assert_eq!(replies().len(), 1);
    assert!(
        replies()[0].contains("Nothing is measured: no machine works for this project"),
        "{:?}",
        replies()
    );
    shop.lab.agent("lab-7", &[]).await;
    assert_eq!(shop.comment(WRITER, "/roundtrip queue machine=lab-8").await, 0);
    assert_eq!(replies().len(), 2);
    assert!(replies()[1].contains("no machine called `lab-8` works for this project"), "{:?}", replies());
    assert_eq!(shop.comment(WRITER, "/roundtrip queue machine=lab-7").await, 1);
    assert_eq!(shop.comment(WRITER, "/roundtrip cancel").await, 0);
    assert_eq!(replies().len(), 2, "what is done is not replied to");
}

#[database_test]
async fn of_a_pull_request_that_changes_nothing_the_check_says_so_and_no_comment_is_written(shop: Shop) {
    let agents = [shop.lab.agent("lab-7", &[]).await, shop.lab.agent("lab-8", &[]).await];
    shop.world.open(7, 'a').await;
    assert_eq!(shop.comment(WRITER, "/roundtrip queue").await, 2, "one for each machine");
    for (agent, machine) in agents.iter().zip(["lab-7", "lab-8"]) {
        let job = shop.lab.claim(agent).await.unwrap();
        shop.measure(agent, &job, machine, [1_000, 1_000]).await;
        shop.say().await;
    }
    assert_eq!(shop.world.sticky(7).len(), 0);
    assert_eq!(shop.check('a')["conclusion"], "success", "{:#}", shop.check('a'));
}

#[database_test]
async fn a_push_voids_what_was_asked_for_before_and_a_cancel_ends_it(shop: Shop) {
    let agent = shop.lab.agent("lab-7", &[]).await;
    shop.world.open(7, 'a').await;
    assert_eq!(shop.comment(WRITER, "/roundtrip queue").await, 1);
    shop.world.github.push(REPOSITORY, 7, &sha('c'));
    shop.world.tell(&shop.world.github.pull_request_event(REPOSITORY, 7, "synchronize")).await;
    shop.world.handle().await;
    shop.world.github.advance(60);
    assert_eq!(shop.act().await, 0);
    assert!(shop.lab.claim(&agent).await.is_none(), "nobody has seen the new commit");
    assert_eq!(shop.comment(WRITER, "/roundtrip queue machine=lab-7").await, 1);
    shop.comment(WRITER, "/roundtrip cancel").await;
    assert!(shop.lab.claim(&agent).await.is_none());
    shop.say().await;
    assert!(shop.world.sticky(7)[0].contains("lab-7"), "a machine that did not measure is told");
}

#[database_test]
async fn what_is_pushed_to_the_default_branch_is_measured_on_every_machine_once(shop: Shop) {
    let agents = [shop.lab.agent("lab-7", &[]).await, shop.lab.agent("lab-8", &["arm"]).await];
    for digit in ['d', 'd', 'e'] {
        shop.world.github.push_branch(REPOSITORY, "main", &sha(digit));
        shop.world.tell(&shop.world.github.push_event(REPOSITORY, "main")).await;
        shop.world.handle().await;
        shop.act().await;
    }
    for agent in &agents {
        for digit in ['d', 'e'] {
            let job = shop.lab.claim(agent).await.unwrap();
            assert_eq!((job.commit_sha.as_str(), job.branch.as_deref()), (sha(digit).as_str(), Some("main")));
            assert_eq!((job.base_sha, job.pull_request), (None, None));
        }
        assert!(shop.lab.claim(agent).await.is_none());
    }
}
