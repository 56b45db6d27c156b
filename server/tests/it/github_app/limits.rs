//! GitHub's limits and tokens, checked in the fake's log. The tests move its clock.

use super::{AppFixture, REPOSITORY, app_settings, pull_request, reconcile, report};
use chrono::{SubsecRound as _, TimeDelta};
use roundtrip_domain::comparison::Verdict;
use roundtrip_github::{App, app};
use roundtrip_github_fake::{Fault, OTHER_APP_KEY, Settings};
use roundtrip_storage::github::write;
use sqlx::PgPool;
use std::sync::Arc;

/// Opens pull requests that each have a report.
async fn open_many(fixture: &AppFixture, count: u64) {
    for number in 1..=count {
        fixture.set_report(number, report(Verdict::Regressed));
        fixture.github.open(REPOSITORY, pull_request(number, &format!("{number:040x}")));
        fixture.send_accepted(&fixture.github.pull_request_event(REPOSITORY, number, "opened")).await;
    }
    fixture.handle().await;
    fixture.github.advance(60);
}

#[database_test]
async fn two_servers_share_the_minute_limit(fixture: AppFixture) {
    open_many(&fixture, 100).await;
    let (first, second) = (fixture.reconciler(), fixture.second_reconciler());
    let mut minutes = 0;
    // 200 writes, a comment and a check each. The clock advances in steps that do not divide a minute.
    while fixture.github.count("POST", "/comments") + fixture.github.count("POST", "/check-runs") < 200 {
        tokio::join!(reconcile(&first, &fixture.github), reconcile(&second, &fixture.github));
        fixture.github.advance(7);
        minutes += 1;
        assert!(minutes < 200, "the writes never finish");
    }
    let busiest = fixture.github.writes_in_busiest_minute();
    println!("200 writes on 100 pull requests by two servers, {busiest} in the busiest minute");
    assert!(busiest <= 80, "{busiest}");
    assert!(busiest >= 65, "{busiest}: the limit is used");
    let refused = fixture.github.record().iter().filter(|one| one.status == 403).count();
    assert_eq!(refused, 0, "GitHub rejects no request");
    for number in 1..=100 {
        assert_eq!(fixture.sticky(number).len(), 1, "{number}");
    }
}

#[database_test]
async fn at_most_500_writes_an_hour(fixture: AppFixture) {
    // The database stores no nanoseconds.
    let now = fixture.now().trunc_subsecs(0);
    let take = async |second: i64| {
        let at = now + TimeDelta::seconds(second);
        write::take(&fixture.app.pool, at, 70, 450).await.unwrap()
    };
    let mut allowed = 0;
    for second in 0..3_600 {
        if take(second).await.is_none() {
            allowed += 1;
        } else if allowed == 450 {
            break;
        }
    }
    assert_eq!(allowed, 450);
    let wait = take(3_500).await.unwrap() - now;
    assert_eq!(wait.num_seconds(), 3_600, "until the first write is an hour old");
    assert!(take(3_601).await.is_none());
}

#[database_test]
async fn sends_nothing_until_a_limit_ends(fixture: AppFixture) {
    open_many(&fixture, 5).await;
    fixture.github.fail("POST", "/comments", Fault::SecondaryLimit { retry_after_seconds: Some(300) }, 1);
    fixture.reconcile().await;
    assert_eq!(fixture.github.failures_left(), 0);
    let asked = fixture.github.record().len();
    fixture.github.advance(290);
    fixture.reconcile().await;
    fixture.deliver_pull_request(1, "edited").await;
    assert_eq!(fixture.github.record().len(), asked);
    fixture.github.advance(11);
    fixture.handle().await;
    fixture.reconcile().await;
    for number in 1..=5 {
        assert_eq!(fixture.sticky(number).len(), 1, "{number}");
    }
    assert_eq!(fixture.github.record().iter().filter(|one| one.impatient).count(), 0);
}

#[database_test]
async fn tokens_are_minimal_and_reused_until_expiry(fixture: AppFixture) {
    open_many(&fixture, 3).await;
    fixture.reconcile().await;
    let tokens = fixture.github.record().into_iter().filter(|one| one.path.contains("access_tokens"));
    let asked: Vec<_> = tokens.map(|one| one.body).collect();
    // One to list the repositories, and one for all requests to the repository.
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(asked[0], serde_json::json!({"permissions": {"metadata": "read"}}));
    let least = serde_json::json!({"checks": "write", "contents": "read", "metadata": "read", "pull_requests": "write"});
    assert_eq!(asked[1]["permissions"], least);
    assert_eq!(asked[1]["repository_ids"].as_array().map(Vec::len), Some(1));
    let again = async |seconds: i64| {
        fixture.github.advance(seconds);
        fixture.make_all_due().await;
        fixture.set_report(1, report(if seconds > 1_800 { Verdict::Improved } else { Verdict::NoChange }));
        fixture.reconcile().await;
        fixture.github.count("POST", "access_tokens")
    };
    assert_eq!(again(1_000).await, 2);
    assert_eq!(again(2_500).await, 3, "a token is replaced five minutes before it expires");
    fixture.github.expire_tokens();
    assert_eq!(again(1).await, 4, "a token that expired early is replaced");
    assert_eq!(fixture.sticky(1).len(), 1);
}

#[database_test]
async fn rejects_invalid_and_foreign_keys(pool: PgPool) {
    let fixture = AppFixture::with_github(pool, Settings::default()).await;
    let right = app_settings(&fixture.github);
    let settings = app::Settings { private_key_pem: OTHER_APP_KEY.as_bytes().to_vec(), ..right };
    let stranger = Arc::new(App::new(settings.clone()).unwrap());
    fixture.set_report(1, report(Verdict::Regressed));
    fixture.open(1, '1').await;
    let reconciler = fixture.reconciler_of(stranger, fixture.app.pool.clone());
    reconciler.reconcile_next(fixture.now()).await.unwrap();
    assert!(fixture.sticky(1).is_empty());
    let failure: Option<String> = fixture.scalar("select failure from github_pull_request").await;
    assert!(failure.unwrap().contains("token"));
    let no_key = app::Settings { private_key_pem: b"nonsense".to_vec(), ..settings.clone() };
    assert!(App::new(no_key).unwrap_err().to_string().contains("an RSA key in PEM"));
    let no_secret = app::Settings { webhook_secret: Vec::new(), ..settings };
    assert!(App::new(no_secret).unwrap_err().to_string().contains("webhook secret"));
}
