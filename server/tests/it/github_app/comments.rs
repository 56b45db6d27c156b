//! One comment per pull request, despite failures, replays and concurrency.

use super::{AppFixture, REPOSITORY, WRITER, reconcile, report, sha};
use crate::support::at;
use roundtrip_domain::comparison::Verdict;
use roundtrip_github::comment::{Leg, LegState, PullRequestReport};
use roundtrip_github_fake::Fault;
use serde_json::json;

#[database_test]
async fn regression_has_one_comment_and_a_check_per_commit(fixture: AppFixture) {
    fixture.set_report(7, report(Verdict::Regressed));
    fixture.open(7, '1').await;
    assert_eq!(fixture.reconcile().await, 1);
    let first = fixture.sticky(7);
    assert_eq!(first.len(), 1);
    assert!(first[0].contains("### 🔴 Slower: 1 of 1 series, by up to 10.0\u{a0}%"), "{first:?}");
    let checks = fixture.github.check_runs(REPOSITORY, &sha('1'));
    assert_eq!(checks.len(), 1);
    assert_eq!(at(&checks[0], "name,conclusion"), json!(["Roundtrip (libfoo)", "success"]));

    fixture.set_report(7, report(Verdict::NoChange));
    fixture.push('2').await;
    assert_eq!(fixture.reconcile().await, 0, "changes within half a minute are written together");
    fixture.github.advance(31);
    assert_eq!(fixture.reconcile().await, 1);
    let second = fixture.sticky(7);
    assert_eq!(second.len(), 1);
    assert!(second[0].contains("### No change in 1 series; detects 2.4 %"), "{second:?}");
    assert_eq!(fixture.github.check_runs(REPOSITORY, &sha('2')).len(), 1);
    assert_eq!(fixture.github.check_runs(REPOSITORY, &sha('1')).len(), 1);
}

#[database_test]
async fn does_not_rewrite_unchanged_text(fixture: AppFixture) {
    fixture.open_reported(Verdict::Regressed).await;
    let writes = fixture.github.record().iter().filter(|one| one.write).count();
    for _ in 0..5 {
        fixture.make_all_due().await;
        assert_eq!(fixture.reconcile().await, 1);
    }
    assert_eq!(fixture.github.record().iter().filter(|one| one.write).count(), writes);
}

#[database_test]
async fn no_change_is_a_check_without_a_comment(fixture: AppFixture) {
    for (number, digit, verdict, conclusion) in [
        (1, '1', Verdict::NoChange, "success"),
        (2, '2', Verdict::Inconclusive, "neutral"),
        (3, '3', Verdict::NotComparable, "neutral"),
    ] {
        fixture.set_report(number, report(verdict));
        fixture.open(number, digit).await;
        fixture.reconcile().await;
        assert_eq!(fixture.github.check_runs(REPOSITORY, &sha(digit))[0]["conclusion"], conclusion);
    }
    assert_eq!(fixture.github.count("POST", "/comments"), 0);
}

#[database_test]
async fn running_job_shows_in_the_check_only(fixture: AppFixture) {
    let mut waiting = report(Verdict::Regressed);
    waiting.legs.push(Leg { machine: "lab-2".into(), state: LegState::Waiting, reason: None, took: None });
    fixture.set_report(7, waiting);
    fixture.open(7, '1').await;
    fixture.reconcile().await;
    let check = fixture.github.check_runs(REPOSITORY, &sha('1')).remove(0);
    let expected = json!(["in_progress", null, "Waiting for 1 of 2 machines"]);
    assert_eq!(at(&check, "status,conclusion,output/title"), expected);
    assert!(fixture.sticky(7).is_empty());
    fixture.change_report(Verdict::Regressed).await;
    assert_eq!(fixture.sticky(7).len(), 1);
    let checks = fixture.github.check_runs(REPOSITORY, &sha('1'));
    assert_eq!((checks.len(), &checks[0]["status"]), (1, &"completed".into()));
}

#[database_test]
async fn finds_its_own_comment_among_many(fixture: AppFixture) {
    fixture.set_report(7, report(Verdict::Regressed));
    fixture.open(7, '1').await;
    let marker = "<!-- roundtrip:v1 project=libfoo -->\nmine";
    let forged = ["mallory", "robot[bot]"].map(|login| fixture.github.comment(REPOSITORY, 7, login, marker));
    for number in 0..230 {
        fixture.github.comment(REPOSITORY, 7, "grace", &format!("remark {number}"));
    }
    fixture.reconcile().await;
    assert_eq!(fixture.sticky(7).len(), 1);
    fixture.app.execute("update github_pull_request set comment_id = null, comment_sha256 = null").await;
    fixture.change_report(Verdict::Improved).await;
    let comments = fixture.sticky(7);
    assert_eq!(comments.len(), 1);
    assert!(comments[0].contains("🟢 Faster"), "{comments:?}");
    for comment in forged {
        assert_eq!(fixture.github.count("PATCH", &format!("/comments/{comment}")), 0);
    }
}

#[database_test]
async fn faults_leave_one_comment_and_one_check(fixture: AppFixture) {
    let faults = [
        Fault::SecondaryLimit { retry_after_seconds: Some(90) },
        Fault::SecondaryLimit { retry_after_seconds: None },
        Fault::TooManyRequests { retry_after_seconds: 120 },
        Fault::PrimaryLimit { reset_seconds: 600 },
        Fault::Status(500),
        Fault::Status(502),
        Fault::CutBefore,
        Fault::CutAfter,
        Fault::Slow(20),
    ];
    let requests = [
        ("POST", "/access_tokens"),
        ("GET", "/check-runs"),
        ("POST", "/check-runs"),
        ("GET", "/comments"),
        ("POST", "/comments"),
    ];
    let mut number = 0;
    for fault in faults {
        for (method, path) in requests {
            number += 1;
            fixture.set_report(number, report(Verdict::Regressed));
            let head = format!("{number:040x}");
            fixture.open_at(number, &head).await;
            fixture.github.expire_tokens();
            // A comment written before the connection was cut is found, not written again.
            let happens = matches!(fault, Fault::Slow(_)) || (fault == Fault::CutAfter && method == "POST");
            let times = if happens { 1 } else { 2 };
            fixture.github.fail(method, path, fault, times);
            fixture.settle().await;
            assert_eq!(fixture.github.failures_left(), 0, "{method} {path} {fault:?}");
            assert_eq!(fixture.sticky(number).len(), 1, "{method} {path} {fault:?}");
            assert_eq!(fixture.github.check_runs(REPOSITORY, &head).len(), 1, "{method} {path} {fault:?}");
        }
    }
    let impatient = fixture.github.record().iter().filter(|one| one.impatient).count();
    assert_eq!(impatient, 0, "no request is sent before GitHub's retry time");
    let comments: usize = (1..=number).map(|number| fixture.sticky(number).len()).sum();
    println!("{comments} comments on {number} pull requests, after 9 kinds of faults at 5 requests");
    assert_eq!(comments, 45);
}

#[database_test]
async fn recreates_a_deleted_comment_on_the_next_change(fixture: AppFixture) {
    fixture.open_reported(Verdict::Regressed).await;
    for (verdict, count) in [(Verdict::NoChange, 0), (Verdict::Improved, 1)] {
        fixture.github.delete_app_comments(REPOSITORY, 7);
        fixture.change_report(verdict).await;
        assert_eq!(fixture.sticky(7).len(), count, "{verdict:?}");
    }
}

#[database_test]
async fn repeats_an_interrupted_update(fixture: AppFixture) {
    fixture.open_reported(Verdict::Regressed).await;
    for fault in [Fault::CutAfter, Fault::CutBefore, Fault::Status(502)] {
        for verdict in [Verdict::Improved, Verdict::Regressed] {
            fixture.set_report(7, report(verdict));
            fixture.github.fail("PATCH", "/issues/comments", fault, 1);
            fixture.make_all_due().await;
            fixture.settle().await;
            let word = if verdict == Verdict::Improved { "🟢 Faster" } else { "🔴 Slower" };
            assert!(fixture.sticky(7)[0].contains(word), "{fault:?}");
        }
    }
    assert_eq!(fixture.github.failures_left(), 0);
    assert_eq!(fixture.sticky(7).len(), 1);
}

#[database_test]
async fn two_servers_write_one_comment(fixture: AppFixture) {
    for number in 1..=12 {
        fixture.set_report(number, report(Verdict::Regressed));
        fixture.open(number, '1').await;
    }
    // Slow answers make both work on it at the same time.
    fixture.github.fail("GET", "/comments", Fault::Slow(30), 24);
    fixture.github.fail("POST", "/comments", Fault::Slow(30), 24);
    let (first, second) = (fixture.reconciler(), fixture.second_reconciler());
    let (by_first, by_second) =
        tokio::join!(reconcile(&first, &fixture.github), reconcile(&second, &fixture.github));
    assert!(by_first > 0 && by_second > 0, "{by_first} and {by_second}");
    assert_eq!(by_first + by_second, 12);
    for number in 1..=12 {
        assert_eq!(fixture.sticky(number).len(), 1, "{number}");
    }
}

#[database_test]
async fn replays_and_failures_leave_one_comment_per_pull_request(fixture: AppFixture) {
    let mut events = Vec::new();
    for number in 1..=8_u64 {
        fixture.set_report(number, report(Verdict::Regressed));
        fixture.open(number, '1').await;
        events.push(fixture.github.pull_request_event(REPOSITORY, number, "opened"));
        let asked = fixture.github.comment(REPOSITORY, number, WRITER, "/roundtrip retry");
        events.push(fixture.github.comment_event(REPOSITORY, asked));
        fixture.github.push(REPOSITORY, number, &sha('2'));
        events.push(fixture.github.pull_request_event(REPOSITORY, number, "synchronize"));
    }
    let faults = [Fault::Status(502), Fault::CutAfter, Fault::CutBefore, Fault::Status(500)];
    for (place, fault) in faults.iter().cycle().take(24).enumerate() {
        let path = ["/comments", "/pulls/", "/check-runs", "/permission"][place % 3];
        fixture.github.fail("", path, *fault, 1);
    }
    // In reverse order, three times, interleaved with others.
    for round in 0..3 {
        for event in events.iter().rev().skip(round) {
            fixture.send_accepted(event).await;
        }
        fixture.handle().await;
        fixture.reconcile().await;
        fixture.settle().await;
    }
    fixture.settle().await;
    assert_eq!(fixture.github.failures_left(), 0);
    for number in 1..=8 {
        assert_eq!(fixture.sticky(number).len(), 1, "{number}");
        assert_eq!(fixture.github.check_runs(REPOSITORY, &sha('2')).len(), 1, "{number}");
    }
    let waiting = "select count(*) from github_delivery where handled_at is null";
    assert_eq!(fixture.scalar::<i64>(waiting).await, 0);
    let heads = "select count(distinct head_sha) from github_pull_request";
    assert_eq!(fixture.scalar::<i64>(heads).await, 1);
}

#[database_test]
async fn comment_on_5000_series_fits_githubs_limits(fixture: AppFixture) {
    let one = report(Verdict::Regressed);
    let rows = one.rows.iter().cycle().take(5_000).cloned().collect();
    fixture.set_report(7, PullRequestReport { rows, ..one });
    fixture.open(7, '1').await;
    fixture.reconcile().await;
    let comment = fixture.sticky(7).remove(0);
    assert!(comment.len() < 60_000, "{}", comment.len());
    assert!(comment.contains("Slower: 5,000 of 5,000 series"));
    assert_eq!(fixture.github.check_runs(REPOSITORY, &sha('1')).len(), 1);
}

#[database_test]
async fn gives_up_without_permission(fixture: AppFixture) {
    fixture.set_report(7, report(Verdict::Regressed));
    fixture.open(7, '1').await;
    fixture.github.withdraw(fixture.installation, "checks");
    assert_eq!(fixture.reconcile().await, 1);
    let failure: Option<String> = fixture.scalar("select failure from github_pull_request").await;
    assert!(failure.clone().unwrap().contains("permissions"), "{failure:?}");
    assert_eq!(fixture.reconcile().await, 0);
    fixture.github.uninstall(fixture.installation);
    fixture.deliver(&fixture.github.installation_event(fixture.installation, "deleted")).await;
    fixture.make_all_due().await;
    let before = fixture.github.record().len();
    assert_eq!(fixture.reconcile().await, 1);
    assert_eq!(fixture.github.record().len(), before, "no request is sent after the uninstall");
}
