//! One comment on a pull request, whatever fails, comes twice or happens at once.

use super::{REPOSITORY, WRITER, World, reconcile, report, sha};
use roundtrip_domain::comparison::Verdict;
use roundtrip_github::comment::{Leg, LegState, PullRequestReport};
use roundtrip_github::reconcile::{Reconciler, Reports};
use roundtrip_github_fake::Fault;
use std::sync::Arc;

#[database_test]
async fn a_regression_is_one_comment_that_is_updated_and_a_check_of_each_commit(world: World) {
    world.say(7, report(Verdict::Regressed));
    world.open(7, '1').await;
    assert_eq!(world.reconcile().await, 1);
    let first = world.sticky(7);
    assert_eq!(first.len(), 1);
    assert!(first[0].contains("### ▲ Slower: 1 of 1 series, by up to 10.0\u{a0}%"), "{first:?}");
    let checks = world.github.check_runs(REPOSITORY, &sha('1'));
    assert_eq!(checks.len(), 1);
    assert_eq!(
        (&checks[0]["name"], &checks[0]["conclusion"]),
        (&"Roundtrip (libfoo)".into(), &"success".into())
    );

    world.github.push(REPOSITORY, 7, &sha('2'));
    world.say(7, report(Verdict::NoChange));
    world.hear(&world.github.pull_request_event(REPOSITORY, 7, "synchronize")).await;
    assert_eq!(world.reconcile().await, 0, "what changes within half a minute is written once");
    world.github.advance(31);
    assert_eq!(world.reconcile().await, 1);
    let second = world.sticky(7);
    assert_eq!(second.len(), 1);
    assert!(second[0].contains("### No change in 1 series"), "{second:?}");
    assert_eq!(world.github.check_runs(REPOSITORY, &sha('2')).len(), 1);
    assert_eq!(world.github.check_runs(REPOSITORY, &sha('1')).len(), 1);
}

#[database_test]
async fn what_is_said_already_is_not_written_again(world: World) {
    world.say(7, report(Verdict::Regressed));
    world.open(7, '1').await;
    world.reconcile().await;
    let writes = world.github.record().iter().filter(|one| one.write).count();
    for _ in 0..5 {
        world.touch_all().await;
        assert_eq!(world.reconcile().await, 1);
    }
    assert_eq!(world.github.record().iter().filter(|one| one.write).count(), writes);
}

#[database_test]
async fn what_changed_nothing_is_a_check_and_no_comment(world: World) {
    for (number, verdict, conclusion) in [
        (1, Verdict::NoChange, "success"),
        (2, Verdict::Inconclusive, "neutral"),
        (3, Verdict::NotComparable, "neutral"),
    ] {
        world.say(number, report(verdict));
        world
            .open(number.cast_unsigned(), char::from_digit(u32::try_from(number).unwrap(), 10).unwrap())
            .await;
        world.reconcile().await;
        let digit = char::from_digit(u32::try_from(number).unwrap(), 10).unwrap();
        assert_eq!(world.github.check_runs(REPOSITORY, &sha(digit))[0]["conclusion"], conclusion);
    }
    assert_eq!(world.github.count("POST", "/comments"), 0);
}

#[database_test]
async fn while_a_machine_measures_the_check_says_so_and_the_comment_waits(world: World) {
    let mut waiting = report(Verdict::Regressed);
    waiting.legs.push(Leg { machine: "lab-2".into(), state: LegState::Waiting, reason: None });
    world.say(7, waiting);
    world.open(7, '1').await;
    world.reconcile().await;
    let check = world.github.check_runs(REPOSITORY, &sha('1')).remove(0);
    assert_eq!((&check["status"], &check["conclusion"]), (&"in_progress".into(), &serde_json::Value::Null));
    assert_eq!(check["output"]["title"], "Waiting for 1 of 2 machines");
    assert!(world.sticky(7).is_empty());
    world.say(7, report(Verdict::Regressed));
    world.touch_all().await;
    world.reconcile().await;
    assert_eq!(world.sticky(7).len(), 1);
    let checks = world.github.check_runs(REPOSITORY, &sha('1'));
    assert_eq!((checks.len(), &checks[0]["status"]), (1, &"completed".into()));
}

#[database_test]
async fn a_comment_whose_number_was_lost_is_found_among_many_and_those_of_others_are_left_alone(
    world: World,
) {
    world.say(7, report(Verdict::Regressed));
    world.open(7, '1').await;
    let marker = "<!-- roundtrip:v1 project=libfoo -->\nmine";
    let forged = [("mallory", marker), ("robot[bot]", marker)];
    let forged: Vec<u64> =
        forged.iter().map(|(login, body)| world.github.comment(REPOSITORY, 7, login, body)).collect();
    for number in 0..230 {
        world.github.comment(REPOSITORY, 7, "grace", &format!("remark {number}"));
    }
    world.reconcile().await;
    assert_eq!(world.sticky(7).len(), 1);
    world.app.execute("update github_pull_request set comment_id = null, comment_sha256 = null").await;
    world.say(7, report(Verdict::Improved));
    world.touch_all().await;
    world.reconcile().await;
    let comments = world.sticky(7);
    assert_eq!(comments.len(), 1);
    assert!(comments[0].contains("▼ Faster"), "{comments:?}");
    for comment in forged {
        assert_eq!(world.github.count("PATCH", &format!("/comments/{comment}")), 0);
    }
}

#[database_test]
async fn faults_of_every_kind_at_every_request_leave_one_comment_and_one_check(world: World) {
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
            world.say(number, report(Verdict::Regressed));
            let head = format!("{number:040x}");
            world.open_at(number.cast_unsigned(), &head).await;
            world.github.expire_tokens();
            // What was written before the connection was cut is found, not written a second time.
            let happens = matches!(fault, Fault::Slow(_)) || (fault == Fault::CutAfter && method == "POST");
            let times = if happens { 1 } else { 2 };
            world.github.fail(method, path, fault, times);
            world.settle().await;
            assert_eq!(world.github.failures_left(), 0, "{method} {path} {fault:?}");
            assert_eq!(world.sticky(number.cast_unsigned()).len(), 1, "{method} {path} {fault:?}");
            assert_eq!(world.github.check_runs(REPOSITORY, &head).len(), 1, "{method} {path} {fault:?}");
        }
    }
    let impatient = world.github.record().iter().filter(|one| one.impatient).count();
    assert_eq!(impatient, 0, "nobody asks before the time that GitHub says");
    let comments: usize = (1..=number).map(|number| world.sticky(number.cast_unsigned()).len()).sum();
    println!("{comments} comments on {number} pull requests, after 9 kinds of faults at 5 requests");
    assert_eq!(comments, 45);
}

#[database_test]
async fn a_deleted_comment_comes_back_when_there_is_something_to_say_again(world: World) {
    world.say(7, report(Verdict::Regressed));
    world.open(7, '1').await;
    world.reconcile().await;
    for (verdict, count) in [(Verdict::NoChange, 0), (Verdict::Improved, 1)] {
        world.github.delete_app_comments(REPOSITORY, 7);
        world.say(7, report(verdict));
        world.touch_all().await;
        world.reconcile().await;
        assert_eq!(world.sticky(7).len(), count, "{verdict:?}");
    }
}

#[database_test]
async fn an_update_that_is_cut_off_is_repeated(world: World) {
    world.say(7, report(Verdict::Regressed));
    world.open(7, '1').await;
    world.reconcile().await;
    for fault in [Fault::CutAfter, Fault::CutBefore, Fault::Status(502)] {
        for verdict in [Verdict::Improved, Verdict::Regressed] {
            world.say(7, report(verdict));
            world.github.fail("PATCH", "/issues/comments", fault, 1);
            world.touch_all().await;
            world.settle().await;
            let word = if verdict == Verdict::Improved { "▼ Faster" } else { "▲ Slower" };
            assert!(world.sticky(7)[0].contains(word), "{fault:?}");
        }
    }
    assert_eq!(world.github.failures_left(), 0);
    assert_eq!(world.sticky(7).len(), 1);
}

#[database_test]
async fn two_servers_at_once_write_one_comment(world: World) {
    for number in 1..=12 {
        world.say(number, report(Verdict::Regressed));
        world.open(number.cast_unsigned(), '1').await;
    }
    // So that both are at work on it at the same time.
    world.github.fail("GET", "/comments", Fault::Slow(30), 24);
    world.github.fail("POST", "/comments", Fault::Slow(30), 24);
    let another = world.app.another();
    let app = super::app_of(&world.github, b"It's a Secret to Everybody");
    let reports = Arc::clone(&world.said) as Arc<dyn Reports>;
    let second = Reconciler::new(Arc::new(app), another.pool.clone(), reports);
    let first = world.reconciler();
    let (by_first, by_second) =
        tokio::join!(reconcile(&first, &world.github), reconcile(&second, &world.github));
    assert!(by_first > 0 && by_second > 0, "{by_first} and {by_second}");
    assert_eq!(by_first + by_second, 12);
    for number in 1..=12 {
        assert_eq!(world.sticky(number).len(), 1, "{number}");
    }
}

#[database_test]
async fn replays_and_disorder_while_requests_fail_leave_one_comment_on_each_pull_request(world: World) {
    let mut events = Vec::new();
    for number in 1..=8_u64 {
        world.say(number.cast_signed(), report(Verdict::Regressed));
        world.open(number, '1').await;
        events.push(world.github.pull_request_event(REPOSITORY, number, "opened"));
        let asked = world.github.comment(REPOSITORY, number, WRITER, "/roundtrip retry");
        events.push(world.github.comment_event(REPOSITORY, asked));
        world.github.push(REPOSITORY, number, &sha('2'));
        events.push(world.github.pull_request_event(REPOSITORY, number, "synchronize"));
    }
    let faults = [Fault::Status(502), Fault::CutAfter, Fault::CutBefore, Fault::Status(500)];
    for (place, fault) in faults.iter().cycle().take(24).enumerate() {
        let path = ["/comments", "/pulls/", "/check-runs", "/permission"][place % 3];
        world.github.fail("", path, *fault, 1);
    }
    // Backwards, thrice, with others between.
    for round in 0..3 {
        for event in events.iter().rev().skip(round) {
            world.tell(event).await;
        }
        world.handle().await;
        world.reconcile().await;
        world.settle().await;
    }
    world.settle().await;
    assert_eq!(world.github.failures_left(), 0);
    for number in 1..=8 {
        assert_eq!(world.sticky(number).len(), 1, "{number}");
        assert_eq!(world.github.check_runs(REPOSITORY, &sha('2')).len(), 1, "{number}");
    }
    let waiting = "select count(*) from github_delivery where handled_at is null";
    assert_eq!(world.scalar::<i64>(waiting).await, 0);
    let heads = "select count(distinct head_sha) from github_pull_request";
    assert_eq!(world.scalar::<i64>(heads).await, 1);
}

#[database_test]
async fn five_thousand_series_fit_into_a_comment_and_a_check_that_github_takes(world: World) {
    let one = report(Verdict::Regressed);
    let rows = one.rows.iter().cycle().take(5_000).cloned().collect();
    world.say(7, PullRequestReport { rows, ..one });
    world.open(7, '1').await;
    world.reconcile().await;
    let comment = world.sticky(7).remove(0);
    assert!(comment.len() < 60_000, "{}", comment.len());
    assert!(comment.contains("Slower: 5,000 of 5,000 series"));
    assert_eq!(world.github.check_runs(REPOSITORY, &sha('1')).len(), 1);
}

#[database_test]
async fn an_app_that_was_removed_or_may_not_write_gives_up_and_says_why(world: World) {
    world.say(7, report(Verdict::Regressed));
    world.open(7, '1').await;
    world.github.withdraw(world.installation, "checks");
    assert_eq!(world.reconcile().await, 1);
    let failure: Option<String> = world.scalar("select failure from github_pull_request").await;
    assert!(failure.clone().unwrap().contains("permissions"), "{failure:?}");
    assert_eq!(world.reconcile().await, 0);
    world.github.uninstall(world.installation);
    world.hear(&world.github.installation_event(world.installation, "deleted")).await;
    world.touch_all().await;
    let before = world.github.record().len();
    assert_eq!(world.reconcile().await, 1);
    assert_eq!(world.github.record().len(), before, "nobody is asked any more");
}
