//! GitHub's limits, and tokens: by the fake's own record, whose clock the tests move.

use super::{REPOSITORY, World, app_of, new, reconcile, report};
use chrono::SubsecRound as _;
use roundtrip_domain::comparison::Verdict;
use roundtrip_github::reconcile::{Reconciler, Reports};
use roundtrip_github::{App, app};
use roundtrip_github_fake::{Fault, OTHER_APP_KEY, Settings};
use sqlx::PgPool;
use std::sync::Arc;

/// Opens so many pull requests that have something to be said of.
async fn open_many(world: &World, count: u64) {
    for number in 1..=count {
        world.say(number.cast_signed(), report(Verdict::Regressed));
        world.github.open(REPOSITORY, new(number, &format!("{number:040x}")));
        world.tell(&world.github.pull_request_event(REPOSITORY, number, "opened")).await;
    }
    world.handle().await;
    world.github.advance(60);
}

#[database_test]
async fn two_servers_together_never_write_more_than_eighty_times_a_minute(world: World) {
    open_many(&world, 100).await;
    let another = world.app.another();
    let app = app_of(&world.github, b"It's a Secret to Everybody");
    let reports = Arc::clone(&world.said) as Arc<dyn Reports>;
    let second = Reconciler::new(Arc::new(app), another.pool.clone(), reports);
    let first = world.reconciler();
    let mut minutes = 0;
    // 200 writes, a comment and a check each; the clock goes on in steps that divide no minute.
    while world.github.count("POST", "/comments") + world.github.count("POST", "/check-runs") < 200 {
        tokio::join!(reconcile(&first, &world.github), reconcile(&second, &world.github));
        world.github.advance(7);
        minutes += 1;
        assert!(minutes < 200, "it never gets done");
    }
    let busiest = world.github.writes_in_busiest_minute();
    println!("200 writes on 100 pull requests by two servers, {busiest} in the busiest minute");
    assert!(busiest <= 80, "{busiest}");
    assert!(busiest >= 65, "{busiest}: what is allowed is used");
    let refused = world.github.record().iter().filter(|one| one.status == 403).count();
    assert_eq!(refused, 0, "GitHub had nothing to say");
    for number in 1..=100 {
        assert_eq!(world.sticky(number).len(), 1, "{number}");
    }
}

#[database_test]
async fn within_an_hour_there_are_no_more_than_five_hundred_writes(world: World) {
    // Databases keep no nanoseconds.
    let now = world.now().trunc_subsecs(0);
    let mut allowed = 0;
    for second in 0..3_600 {
        let at = now + chrono::TimeDelta::seconds(second);
        if roundtrip_storage::github::write::take(&world.app.pool, at, 70, 450).await.unwrap().is_none() {
            allowed += 1;
        } else if allowed == 450 {
            break;
        }
    }
    assert_eq!(allowed, 450);
    let later = now + chrono::TimeDelta::seconds(3_500);
    let until = roundtrip_storage::github::write::take(&world.app.pool, later, 70, 450).await.unwrap();
    let wait = until.unwrap() - now;
    assert_eq!(wait.num_seconds(), 3_600, "until the first of them is an hour old");
    let then = now + chrono::TimeDelta::seconds(3_601);
    assert!(roundtrip_storage::github::write::take(&world.app.pool, then, 70, 450).await.unwrap().is_none());
}

#[database_test]
async fn after_a_limit_nothing_at_all_is_asked_until_its_end(world: World) {
    open_many(&world, 5).await;
    world.github.fail("POST", "/comments", Fault::SecondaryLimit { retry_after_seconds: Some(300) }, 1);
    world.reconcile().await;
    assert_eq!(world.github.failures_left(), 0);
    let asked = world.github.record().len();
    world.github.advance(290);
    world.reconcile().await;
    world.hear(&world.github.pull_request_event(REPOSITORY, 1, "edited")).await;
    assert_eq!(world.github.record().len(), asked);
    world.github.advance(11);
    world.handle().await;
    world.reconcile().await;
    for number in 1..=5 {
        assert_eq!(world.sticky(number).len(), 1, "{number}");
    }
    assert_eq!(world.github.record().iter().filter(|one| one.impatient).count(), 0);
}

#[database_test]
async fn a_token_is_for_one_repository_and_the_least_and_is_used_until_shortly_before_its_end(world: World) {
    open_many(&world, 3).await;
    world.reconcile().await;
    let tokens = world.github.record().into_iter().filter(|one| one.path.contains("access_tokens"));
    let asked: Vec<_> = tokens.map(|one| one.body).collect();
    // One to read which repositories there are, and one for all that is done in the repository.
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(asked[0], serde_json::json!({"permissions": {"metadata": "read"}}));
    let least = serde_json::json!({"checks": "write", "contents": "read", "metadata": "read", "pull_requests": "write"});
    assert_eq!(asked[1]["permissions"], least);
    assert_eq!(asked[1]["repository_ids"].as_array().map(Vec::len), Some(1));
    let again = async |seconds: i64| {
        world.github.advance(seconds);
        world.touch_all().await;
        world.say(1, report(if seconds > 1_800 { Verdict::Improved } else { Verdict::NoChange }));
        world.reconcile().await;
        world.github.count("POST", "access_tokens")
    };
    assert_eq!(again(1_000).await, 2);
    assert_eq!(again(2_500).await, 3, "five minutes before it ends there is another");
    world.github.expire_tokens();
    assert_eq!(again(1).await, 4, "what ended early is replaced");
    assert_eq!(world.sticky(1).len(), 1);
}

#[database_test]
async fn the_key_of_another_app_opens_nothing_and_what_is_no_key_is_refused(pool: PgPool) {
    let world = World::with(pool, Settings::default()).await;
    let settings = app::Settings {
        api_url: world.github.api_url(),
        app_id: 123_456,
        private_key_pem: OTHER_APP_KEY.as_bytes().to_vec(),
        webhook_secret: b"secret".to_vec(),
    };
    let stranger = Arc::new(App::new(settings.clone()).unwrap());
    world.say(1, report(Verdict::Regressed));
    world.open(1, '1').await;
    let reports = Arc::clone(&world.said) as Arc<dyn Reports>;
    let reconciler = Reconciler::new(stranger, world.app.pool.clone(), reports);
    reconciler.reconcile_next(world.now()).await.unwrap();
    assert!(world.sticky(1).is_empty());
    let failure: Option<String> = world.scalar("select failure from github_pull_request").await;
    assert!(failure.unwrap().contains("token"));
    let no_key = app::Settings { private_key_pem: b"nonsense".to_vec(), ..settings.clone() };
    assert!(App::new(no_key).unwrap_err().to_string().contains("an RSA key in PEM"));
    let no_secret = app::Settings { webhook_secret: Vec::new(), ..settings };
    assert!(App::new(no_secret).unwrap_err().to_string().contains("webhook secret"));
}
