//! Handling of events: stored state, and permissions for commands.

use super::{AppFixture, REPOSITORY, STRANGER, WRITER, pull_request, sha};
use roundtrip_github_fake::{Fault, Level, NewPullRequest};

/// The stored state of pull request 7.
async fn known(fixture: &AppFixture) -> (String, String, bool, Option<String>) {
    fixture
        .app
        .row("select state, head_sha, is_fork, approved_sha from github_pull_request where number = 7")
        .await
}

/// Kind, preset, machines, reason and user of each command.
type Commands = Vec<(String, Option<String>, Vec<String>, Option<String>, String)>;

async fn commands(fixture: &AppFixture) -> Commands {
    let columns = "kind, preset, machines, reason, requested_by";
    fixture.app.rows(&format!("select {columns} from github_command order by github_command_id")).await
}

#[database_test]
async fn event_order_does_not_matter(fixture: AppFixture) {
    fixture.open(7, '1').await;
    let opened = fixture.github.pull_request_event(REPOSITORY, 7, "opened");
    fixture.github.push(REPOSITORY, 7, &sha('2'));
    let pushed = fixture.github.pull_request_event(REPOSITORY, 7, "synchronize");
    fixture.github.set_open(REPOSITORY, 7, false);
    let closed = fixture.github.pull_request_event(REPOSITORY, 7, "closed");
    for event in [&closed, &pushed, &opened, &pushed, &closed, &opened] {
        fixture.deliver(event).await;
        assert_eq!(known(&fixture).await, ("closed".into(), sha('2'), false, None));
    }
    assert_eq!(fixture.scalar::<i64>("select count(*) from github_pull_request").await, 1);
}

#[database_test]
async fn recognises_a_fork(fixture: AppFixture) {
    let foreign = NewPullRequest {
        author: STRANGER.into(),
        head_branch: "`@all` | <!-- x -->".into(),
        fork: Some("mallory/libfoo".into()),
        ..pull_request(7, &sha('1'))
    };
    fixture.github.open(REPOSITORY, foreign);
    fixture.deliver_pull_request(7, "opened").await;
    assert_eq!(known(&fixture).await, ("open".into(), sha('1'), true, None));
}

#[database_test]
async fn queue_approves_one_commit_and_a_push_revokes_it(fixture: AppFixture) {
    fixture.open(7, '1').await;
    let asked = fixture.comment(WRITER, "Please:\n\n/roundtrip queue preset=quick machine=lab-1").await;
    assert_eq!(known(&fixture).await.3, Some(sha('1')));
    let machines = vec!["lab-1".to_owned()];
    let queued = ("queue".to_owned(), Some("quick".to_owned()), machines, None, WRITER.to_owned());
    assert_eq!(commands(&fixture).await, std::slice::from_ref(&queued));
    assert_eq!(fixture.github.reactions(REPOSITORY, asked), ["eyes"]);

    fixture.push('2').await;
    assert_eq!(known(&fixture).await.3, None);
    // Replaying the old comment does not approve later commits.
    let mut replayed = fixture.github.comment_event(REPOSITORY, asked);
    fixture.send_accepted(&replayed).await;
    replayed.id = uuid::Uuid::now_v7().to_string();
    fixture.deliver(&replayed).await;
    assert_eq!(known(&fixture).await.3, None);
    assert_eq!(commands(&fixture).await, [queued]);
}

#[database_test]
async fn unseen_push_is_not_approved(fixture: AppFixture) {
    fixture.open(7, '1').await;
    let asked = fixture.github.comment(REPOSITORY, 7, WRITER, "/roundtrip queue");
    fixture.github.advance(1);
    fixture.github.push(REPOSITORY, 7, &sha('2'));
    // The event of the push is late or lost.
    fixture.deliver(&fixture.github.comment_event(REPOSITORY, asked)).await;
    assert_eq!(known(&fixture).await, ("open".into(), sha('2'), false, None));
    let replies = fixture.github.app_comments(REPOSITORY, 7);
    assert_eq!(replies.len(), 1);
    assert!(replies[0].contains("new commits were pushed. Review 2222222"), "{replies:?}");
    assert!(commands(&fixture).await.is_empty());
    // A new command approves the commit.
    fixture.github.advance(60);
    fixture.comment(WRITER, "/roundtrip queue").await;
    assert_eq!(known(&fixture).await.3, Some(sha('2')));
}

#[database_test]
async fn only_writers_can_give_commands(fixture: AppFixture) {
    fixture.open(7, '1').await;
    for (login, level) in [("reader", Level::Read), ("triager", Level::Triage)] {
        fixture.github.allow(REPOSITORY, login, level);
        fixture.comment(login, "/roundtrip queue").await;
    }
    fixture.comment(STRANGER, "/roundtrip cancel").await;
    let asked = fixture.github.comment(REPOSITORY, 7, STRANGER, "/roundtrip ack it is fine");
    for _ in 0..3 {
        fixture.deliver(&fixture.github.comment_event(REPOSITORY, asked)).await;
    }
    assert!(commands(&fixture).await.is_empty());
    let replies = fixture.github.app_comments(REPOSITORY, 7);
    assert_eq!(replies.len(), 4, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.contains("write access")), "{replies:?}");
    assert!(fixture.github.reactions(REPOSITORY, asked).is_empty());
    for (login, level) in [("maintainer", Level::Maintain), ("admin", Level::Admin)] {
        fixture.github.allow(REPOSITORY, login, level);
        fixture.comment(login, "/roundtrip retry").await;
    }
    assert_eq!(commands(&fixture).await.len(), 2);
}

#[database_test]
async fn unknown_command_gets_help_and_a_bots_command_no_reply(fixture: AppFixture) {
    fixture.open(7, '1').await;
    fixture.github.allow(REPOSITORY, "robot[bot]", Level::Admin);
    fixture.comment("robot[bot]", "/roundtrip queue").await;
    assert!(commands(&fixture).await.is_empty());
    assert!(fixture.github.app_comments(REPOSITORY, 7).is_empty());
    fixture.comment(WRITER, "/roundtrip qeue").await;
    let replies = fixture.github.app_comments(REPOSITORY, 7);
    assert_eq!(replies.len(), 1);
    assert!(replies[0].contains("Use `/roundtrip queue`"), "{replies:?}");
    assert!(commands(&fixture).await.is_empty());
}

#[database_test]
async fn replies_once_after_a_lost_answer(fixture: AppFixture) {
    fixture.open(7, '1').await;
    fixture.github.fail("POST", "/comments", Fault::CutAfter, 1);
    fixture.comment(STRANGER, "/roundtrip queue").await;
    fixture.github.fail("POST", "/reactions", Fault::CutAfter, 2);
    let asked = fixture.comment(WRITER, "/roundtrip ack measured twice").await;
    fixture.settle().await;
    assert_eq!(fixture.github.failures_left(), 0);
    assert_eq!(fixture.github.app_comments(REPOSITORY, 7).len(), 1);
    assert_eq!(fixture.github.reactions(REPOSITORY, asked), ["eyes"]);
    let reason = Some("measured twice".to_owned());
    assert_eq!(commands(&fixture).await, [("ack".into(), None, Vec::new(), reason, WRITER.into())]);
}

#[database_test]
async fn rerequested_check_retries_for_writers(fixture: AppFixture) {
    fixture.open(7, '1').await;
    for login in [STRANGER, WRITER] {
        let event = fixture.github.check_suite_event(REPOSITORY, &sha('1'), "rerequested", login);
        fixture.send_accepted(&event).await;
        fixture.deliver(&event).await;
    }
    assert_eq!(commands(&fixture).await, [("retry".into(), None, Vec::new(), None, WRITER.into())]);
}

#[database_test]
async fn push_records_the_current_head(fixture: AppFixture) {
    fixture.github.push_branch(REPOSITORY, "main", &sha('1'));
    let older = fixture.github.push_event(REPOSITORY, "main");
    fixture.github.push_branch(REPOSITORY, "main", &sha('2'));
    let newer = fixture.github.push_event(REPOSITORY, "main");
    fixture.github.push_branch(REPOSITORY, "topic", &sha('3'));
    for event in [newer, older, fixture.github.push_event(REPOSITORY, "topic")] {
        fixture.deliver(&event).await;
        let noted: Option<String> = fixture.scalar("select default_branch_sha from github_repository").await;
        assert_eq!(noted, Some(sha('2')));
    }
}

#[database_test]
async fn rereads_installations_after_any_event(fixture: AppFixture) {
    let usable =
        "select count(*) from github_repository r join github_installation i using (github_installation_id)
                  where r.removed_at is null and i.removed_at is null and i.suspended_at is null";
    for number in 0..120 {
        fixture.github.add_repository(&format!("acme/r{number}"), true, Some(fixture.installation));
    }
    let created = fixture.github.installation_event(fixture.installation, "created");
    let usable_after = async |event| {
        fixture.deliver(&event).await;
        fixture.scalar::<i64>(usable).await
    };
    let repositories = |action| fixture.github.installation_repositories_event(fixture.installation, action);
    let installation = |action| fixture.github.installation_event(fixture.installation, action);
    assert_eq!(usable_after(repositories("added")).await, 121, "two pages of repositories");
    fixture.github.remove_from_installation("acme/r7");
    assert_eq!(usable_after(repositories("removed")).await, 120);
    fixture.github.suspend(fixture.installation, true);
    assert_eq!(usable_after(installation("suspend")).await, 0);
    fixture.github.suspend(fixture.installation, false);
    assert_eq!(usable_after(installation("unsuspend")).await, 120);
    fixture.github.uninstall(fixture.installation);
    assert_eq!(usable_after(created).await, 0, "an old event does not restore it");
    let linked = "select count(*) from github_repository where project_id is not null";
    assert_eq!(fixture.scalar::<i64>(linked).await, 1);
}

#[database_test]
async fn reads_an_unknown_repository_on_its_first_event(fixture: AppFixture) {
    fixture.github.add_repository("acme/late", false, Some(fixture.installation));
    fixture.github.push_branch("acme/late", "main", &sha('1'));
    fixture.deliver(&fixture.github.push_event("acme/late", "main")).await;
    assert_eq!(fixture.scalar::<i64>("select count(*) from github_repository").await, 2);
}

#[database_test]
async fn renamed_repository_keeps_its_identity(fixture: AppFixture) {
    fixture.open(7, '1').await;
    fixture.github.rename(REPOSITORY, "acme/libbar");
    fixture.github.push("acme/libbar", 7, &sha('2'));
    fixture.deliver(&fixture.github.pull_request_event("acme/libbar", 7, "synchronize")).await;
    assert_eq!(known(&fixture).await.1, sha('2'));
    assert_eq!(fixture.scalar::<i64>("select count(*) from github_repository").await, 1);
}

#[database_test]
async fn detects_a_removed_installation(fixture: AppFixture) {
    let gone = "select count(*) from github_installation where removed_at is not null";
    fixture.worker().sweep(fixture.now()).await.unwrap();
    assert_eq!(fixture.scalar::<i64>(gone).await, 0);
    fixture.github.uninstall(fixture.installation);
    fixture.worker().sweep(fixture.now()).await.unwrap();
    assert_eq!(fixture.scalar::<i64>(gone).await, 1);
}

#[database_test]
async fn retries_events_and_gives_up_on_permanent_failures(fixture: AppFixture) {
    for fault in [Fault::Status(502), Fault::Status(500), Fault::CutBefore] {
        fixture.github.fail("GET", "/pulls/7", fault, 1);
    }
    fixture.open(7, '1').await;
    let waiting = "select count(*) from github_delivery where handled_at is null";
    assert_eq!(fixture.scalar::<i64>(waiting).await, 1);
    fixture.settle().await;
    assert_eq!(fixture.scalar::<i64>(waiting).await, 0);
    assert_eq!(known(&fixture).await.1, sha('1'));
    // An event for a missing pull request, as after recreating the repository.
    let mut gone = fixture.github.pull_request_event(REPOSITORY, 7, "opened");
    gone.payload["pull_request"]["number"] = 8.into();
    fixture.deliver(&gone).await;
    assert_eq!(fixture.scalar::<i64>(waiting).await, 0);
    let failure: Option<String> =
        fixture.scalar("select failure from github_delivery order by received_at desc limit 1").await;
    assert!(failure.unwrap().contains("/pulls/8"));
}

#[database_test]
async fn polling_finds_changes_without_events(fixture: AppFixture) {
    fixture.open(7, '1').await;
    fixture.open(8, '1').await;
    fixture.comment(WRITER, "/roundtrip queue").await;
    for number in 9..=130 {
        fixture.github.open(REPOSITORY, pull_request(number, &sha('3')));
    }
    fixture.github.push(REPOSITORY, 7, &sha('2'));
    fixture.github.set_open(REPOSITORY, 8, false);
    fixture.worker().sweep(fixture.now()).await.unwrap();
    assert_eq!(known(&fixture).await, ("open".into(), sha('2'), false, None), "the approval is revoked");
    let open = "select count(*) from github_pull_request where state = 'open'";
    assert_eq!(fixture.scalar::<i64>(open).await, 123, "two pages, and one is closed");
    // Repeating the sweep changes nothing and schedules nothing.
    fixture.app.execute("update github_pull_request set due_at = null").await;
    fixture.worker().sweep(fixture.now()).await.unwrap();
    assert_eq!(fixture.scalar::<i64>("select count(due_at) from github_pull_request").await, 0);
}

#[database_test]
async fn deleting_a_project_keeps_the_repository(fixture: AppFixture) {
    fixture.open(7, '1').await;
    fixture.comment(WRITER, "/roundtrip queue").await;
    let admin = fixture.app.account("root", true).await;
    let answer = fixture.app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await;
    assert!(answer.status.is_success(), "{answer:?}");
    for table in ["github_pull_request", "github_command"] {
        assert_eq!(fixture.scalar::<i64>(&format!("select count(*) from {table}")).await, 0, "{table}");
    }
    let unlinked = "select count(*) from github_repository where project_id is null";
    assert_eq!(fixture.scalar::<i64>(unlinked).await, 1);
}
