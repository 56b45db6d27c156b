//! What follows from events: what is noted, and who is obeyed.

use super::{REPOSITORY, STRANGER, WRITER, World, new, sha};
use roundtrip_github_fake::{Fault, Level, NewPullRequest};

/// What is known of pull request 7.
async fn known(world: &World) -> (String, String, bool, Option<String>) {
    world
        .app
        .row("select state, head_sha, is_fork, approved_sha from github_pull_request where number = 7")
        .await
}

/// Lets somebody comment on pull request 7, handles it, and returns the comment's number.
async fn comment(world: &World, login: &str, body: &str) -> u64 {
    let comment = world.github.comment(REPOSITORY, 7, login, body);
    world.hear(&world.github.comment_event(REPOSITORY, comment)).await;
    comment
}

async fn commands(world: &World) -> Vec<(String, Option<String>, Vec<String>, Option<String>, String)> {
    let columns = "kind, preset, machines, reason, requested_by";
    world.app.rows(&format!("select {columns} from github_command order by github_command_id")).await
}

#[database_test]
async fn whatever_the_order_of_events_a_pull_request_is_what_github_says(world: World) {
    world.open(7, '1').await;
    let opened = world.github.pull_request_event(REPOSITORY, 7, "opened");
    world.github.push(REPOSITORY, 7, &sha('2'));
    let pushed = world.github.pull_request_event(REPOSITORY, 7, "synchronize");
    world.github.set_open(REPOSITORY, 7, false);
    let closed = world.github.pull_request_event(REPOSITORY, 7, "closed");
    for event in [&closed, &pushed, &opened, &pushed, &closed, &opened] {
        world.hear(event).await;
        assert_eq!(known(&world).await, ("closed".into(), sha('2'), false, None));
    }
    assert_eq!(world.scalar::<i64>("select count(*) from github_pull_request").await, 1);
}

#[database_test]
async fn a_pull_request_of_another_repository_is_a_fork(world: World) {
    let foreign = NewPullRequest {
        author: STRANGER.into(),
        head_branch: "`@all` | <!-- x -->".into(),
        fork: Some("mallory/libfoo".into()),
        ..new(7, &sha('1'))
    };
    world.github.open(REPOSITORY, foreign);
    world.hear(&world.github.pull_request_event(REPOSITORY, 7, "opened")).await;
    assert_eq!(known(&world).await, ("open".into(), sha('1'), true, None));
}

#[database_test]
async fn what_is_queued_is_the_very_commit_that_was_seen_and_a_push_takes_it_back(world: World) {
    world.open(7, '1').await;
    let asked = comment(&world, WRITER, "Please:\n\n/roundtrip queue preset=quick machine=lab-1").await;
    assert_eq!(known(&world).await.3, Some(sha('1')));
    let machines = vec!["lab-1".to_owned()];
    let queued = ("queue".to_owned(), Some("quick".to_owned()), machines, None, WRITER.to_owned());
    assert_eq!(commands(&world).await, std::slice::from_ref(&queued));
    assert_eq!(world.github.reactions(REPOSITORY, asked), ["eyes"]);

    world.github.push(REPOSITORY, 7, &sha('2'));
    world.hear(&world.github.pull_request_event(REPOSITORY, 7, "synchronize")).await;
    assert_eq!(known(&world).await.3, None);
    // The old comment once more does not approve what came after it.
    let mut replayed = world.github.comment_event(REPOSITORY, asked);
    world.tell(&replayed).await;
    replayed.id = uuid::Uuid::now_v7().to_string();
    world.hear(&replayed).await;
    assert_eq!(known(&world).await.3, None);
    assert_eq!(commands(&world).await, [queued]);
}

#[database_test]
async fn a_commit_that_was_pushed_behind_the_back_of_who_comments_is_not_approved(world: World) {
    world.open(7, '1').await;
    let asked = world.github.comment(REPOSITORY, 7, WRITER, "/roundtrip queue");
    world.github.advance(1);
    world.github.push(REPOSITORY, 7, &sha('2'));
    // The push is told of late, or never.
    world.hear(&world.github.comment_event(REPOSITORY, asked)).await;
    assert_eq!(known(&world).await, ("open".into(), sha('2'), false, None));
    let replies = world.github.app_comments(REPOSITORY, 7);
    assert_eq!(replies.len(), 1);
    assert!(replies[0].contains("has changed meanwhile. Its newest commit is 2222222"), "{replies:?}");
    assert!(commands(&world).await.is_empty());
    // Whoever has seen it by now may say so.
    world.github.advance(60);
    comment(&world, WRITER, "/roundtrip queue").await;
    assert_eq!(known(&world).await.3, Some(sha('2')));
}

#[database_test]
async fn only_who_may_push_is_obeyed_and_others_are_answered_once(world: World) {
    world.open(7, '1').await;
    for (login, level) in [("reader", Level::Read), ("triager", Level::Triage)] {
        world.github.allow(REPOSITORY, login, level);
        comment(&world, login, "/roundtrip queue").await;
    }
    comment(&world, STRANGER, "/roundtrip cancel").await;
    let asked = world.github.comment(REPOSITORY, 7, STRANGER, "/roundtrip ack it is fine");
    for _ in 0..3 {
        world.hear(&world.github.comment_event(REPOSITORY, asked)).await;
    }
    assert!(commands(&world).await.is_empty());
    let replies = world.github.app_comments(REPOSITORY, 7);
    assert_eq!(replies.len(), 4, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.contains("write access")), "{replies:?}");
    assert!(world.github.reactions(REPOSITORY, asked).is_empty());
    for (login, level) in [("maintainer", Level::Maintain), ("admin", Level::Admin)] {
        world.github.allow(REPOSITORY, login, level);
        comment(&world, login, "/roundtrip retry").await;
    }
    assert_eq!(commands(&world).await.len(), 2);
}

#[database_test]
async fn programs_are_not_answered(world: World) {
    world.open(7, '1').await;
    world.github.allow(REPOSITORY, "robot[bot]", Level::Admin);
    comment(&world, "robot[bot]", "/roundtrip queue").await;
    assert!(commands(&world).await.is_empty());
    assert!(world.github.app_comments(REPOSITORY, 7).is_empty());
}

#[database_test]
async fn a_command_that_is_none_is_answered_with_what_is_expected(world: World) {
    world.open(7, '1').await;
    comment(&world, WRITER, "/roundtrip qeue").await;
    let replies = world.github.app_comments(REPOSITORY, 7);
    assert_eq!(replies.len(), 1);
    assert!(replies[0].contains("expected `/roundtrip queue`"), "{replies:?}");
    assert!(commands(&world).await.is_empty());
}

#[database_test]
async fn a_reply_whose_answer_was_lost_is_given_once_and_a_command_is_noted_once(world: World) {
    world.open(7, '1').await;
    world.github.fail("POST", "/comments", Fault::CutAfter, 1);
    comment(&world, STRANGER, "/roundtrip queue").await;
    world.github.fail("POST", "/reactions", Fault::CutAfter, 2);
    let asked = comment(&world, WRITER, "/roundtrip ack measured twice").await;
    world.settle().await;
    assert_eq!(world.github.failures_left(), 0);
    assert_eq!(world.github.app_comments(REPOSITORY, 7).len(), 1);
    assert_eq!(world.github.reactions(REPOSITORY, asked), ["eyes"]);
    let reason = Some("measured twice".to_owned());
    assert_eq!(commands(&world).await, [("ack".into(), None, Vec::new(), reason, WRITER.into())]);
}

#[database_test]
async fn a_check_that_is_asked_for_again_is_a_retry_of_who_may_push(world: World) {
    world.open(7, '1').await;
    for login in [STRANGER, WRITER] {
        let event = world.github.check_suite_event(REPOSITORY, &sha('1'), "rerequested", login);
        world.tell(&event).await;
        world.hear(&event).await;
    }
    assert_eq!(commands(&world).await, [("retry".into(), None, Vec::new(), None, WRITER.into())]);
}

#[database_test]
async fn a_push_to_the_default_branch_is_noted_as_github_has_it_now(world: World) {
    world.github.push_branch(REPOSITORY, "main", &sha('1'));
    let older = world.github.push_event(REPOSITORY, "main");
    world.github.push_branch(REPOSITORY, "main", &sha('2'));
    let newer = world.github.push_event(REPOSITORY, "main");
    world.github.push_branch(REPOSITORY, "topic", &sha('3'));
    for event in [newer, older, world.github.push_event(REPOSITORY, "topic")] {
        world.hear(&event).await;
        let noted: Option<String> = world.scalar("select default_branch_sha from github_repository").await;
        assert_eq!(noted, Some(sha('2')));
    }
}

#[database_test]
async fn installations_are_read_again_whatever_an_event_says(world: World) {
    let usable =
        "select count(*) from github_repository r join github_installation i using (github_installation_id)
                  where r.removed_at is null and i.removed_at is null and i.suspended_at is null";
    for number in 0..120 {
        world.github.add_repository(&format!("acme/r{number}"), true, Some(world.installation));
    }
    let created = world.github.installation_event(world.installation, "created");
    world.hear(&world.github.installation_repositories_event(world.installation, "added")).await;
    assert_eq!(world.scalar::<i64>(usable).await, 121, "two pages of them");
    world.github.remove_from_installation("acme/r7");
    world.hear(&world.github.installation_repositories_event(world.installation, "removed")).await;
    assert_eq!(world.scalar::<i64>(usable).await, 120);
    world.github.suspend(world.installation, true);
    world.hear(&world.github.installation_event(world.installation, "suspend")).await;
    assert_eq!(world.scalar::<i64>(usable).await, 0);
    world.github.suspend(world.installation, false);
    world.hear(&world.github.installation_event(world.installation, "unsuspend")).await;
    assert_eq!(world.scalar::<i64>(usable).await, 120);
    world.github.uninstall(world.installation);
    // The event of long ago does not bring it back.
    world.hear(&created).await;
    assert_eq!(world.scalar::<i64>(usable).await, 0);
    assert_eq!(
        world.scalar::<i64>("select count(*) from github_repository where project_id is not null").await,
        1
    );
}

#[database_test]
async fn a_repository_without_an_event_before_is_read_when_something_happens_in_it(world: World) {
    world.github.add_repository("acme/late", false, Some(world.installation));
    world.github.push_branch("acme/late", "main", &sha('1'));
    world.hear(&world.github.push_event("acme/late", "main")).await;
    assert_eq!(world.scalar::<i64>("select count(*) from github_repository").await, 2);
}

#[database_test]
async fn a_repository_that_was_renamed_is_the_same_one(world: World) {
    world.open(7, '1').await;
    world.github.rename(REPOSITORY, "acme/libbar");
    world.github.push("acme/libbar", 7, &sha('2'));
    world.hear(&world.github.pull_request_event("acme/libbar", 7, "synchronize")).await;
    assert_eq!(known(&world).await.1, sha('2'));
    assert_eq!(world.scalar::<i64>("select count(*) from github_repository").await, 1);
}

#[database_test]
async fn an_installation_that_went_without_a_word_is_found_to_be_gone(world: World) {
    let gone = "select count(*) from github_installation where removed_at is not null";
    world.worker().sweep(world.now()).await.unwrap();
    assert_eq!(world.scalar::<i64>(gone).await, 0);
    world.github.uninstall(world.installation);
    world.worker().sweep(world.now()).await.unwrap();
    assert_eq!(world.scalar::<i64>(gone).await, 1);
}

#[database_test]
async fn an_event_during_a_failure_is_handled_later_and_a_hopeless_one_is_given_up(world: World) {
    for fault in [Fault::Status(502), Fault::Status(500), Fault::CutBefore] {
        world.github.fail("GET", "/pulls/7", fault, 1);
    }
    world.open(7, '1').await;
    let waiting = "select count(*) from github_delivery where handled_at is null";
    assert_eq!(world.scalar::<i64>(waiting).await, 1);
    world.settle().await;
    assert_eq!(world.scalar::<i64>(waiting).await, 0);
    assert_eq!(known(&world).await.1, sha('1'));
    // Of a pull request that is not there, as of a repository that was made anew.
    let mut gone = world.github.pull_request_event(REPOSITORY, 7, "opened");
    gone.payload["pull_request"]["number"] = 8.into();
    world.hear(&gone).await;
    assert_eq!(world.scalar::<i64>(waiting).await, 0);
    let failure: Option<String> =
        world.scalar("select failure from github_delivery order by received_at desc limit 1").await;
    assert!(failure.unwrap().contains("/pulls/8"));
}

#[database_test]
async fn changes_without_an_event_are_found_by_reading_all_that_is_open(world: World) {
    world.open(7, '1').await;
    world.open(8, '1').await;
    comment(&world, WRITER, "/roundtrip queue").await;
    for number in 9..=130 {
        world.github.open(REPOSITORY, new(number, &sha('3')));
    }
    world.github.push(REPOSITORY, 7, &sha('2'));
    world.github.set_open(REPOSITORY, 8, false);
    world.worker().sweep(world.now()).await.unwrap();
    assert_eq!(known(&world).await, ("open".into(), sha('2'), false, None), "with the approval gone");
    let open = "select count(*) from github_pull_request where state = 'open'";
    assert_eq!(world.scalar::<i64>(open).await, 123, "two pages of them, and one is closed");
    // Again it changes nothing, and lets nothing be due.
    world.app.execute("update github_pull_request set due_at = null").await;
    world.worker().sweep(world.now()).await.unwrap();
    assert_eq!(world.scalar::<i64>("select count(due_at) from github_pull_request").await, 0);
}

#[database_test]
async fn a_project_that_is_deleted_takes_its_pull_requests_along_and_leaves_the_repository(world: World) {
    world.open(7, '1').await;
    comment(&world, WRITER, "/roundtrip queue").await;
    let admin = world.app.account("root", true).await;
    let answer = world.app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await;
    assert!(answer.status.is_success(), "{answer:?}");
    for table in ["github_pull_request", "github_command"] {
        assert_eq!(world.scalar::<i64>(&format!("select count(*) from {table}")).await, 0, "{table}");
    }
    assert_eq!(
        world.scalar::<i64>("select count(*) from github_repository where project_id is null").await,
        1
    );
}
