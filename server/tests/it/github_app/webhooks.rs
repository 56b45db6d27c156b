//! Acceptance and rejection of webhook deliveries.

use super::{AppFixture, REPOSITORY, sha};
use crate::support::{Answer, TestApp};
use axum::body::Body;
use axum::http::Request;
use futures_util::future::select_all;
use futures_util::{StreamExt as _, stream};
use roundtrip_github_fake::webhook::signature;
use roundtrip_github_fake::{Delivery, Settings, Signing};
use serde_json::json;
use sqlx::PgPool;
use std::task::Poll;

const PATH: &str = "/api/v1/github/webhooks";
const SECRET: &str = "It's a Secret to Everybody";
const STORED: &str = "select count(*) from github_delivery";

#[database_test]
async fn rejects_invalid_signatures(fixture: AppFixture) {
    fixture.github.push_branch(REPOSITORY, "main", &sha('1'));
    let stored: i64 = fixture.scalar(STORED).await;
    for signing in [Signing::None, Signing::Wrong, Signing::Sha1] {
        let event = fixture.github.push_event(REPOSITORY, "main");
        assert_eq!(fixture.send(&event, signing).await, 401, "{signing:?}");
        // The rejected delivery's id is not stored, so the real one is accepted.
        assert_eq!(fixture.scalar::<i64>(STORED).await, stored);
    }
    let event = fixture.github.push_event(REPOSITORY, "main");
    let (headers, mut body) = event.request(SECRET, Signing::Right);
    body.push(b' ');
    fixture.app.send_bytes("POST", PATH, &headers, body).await.assert_problem(401, "unauthenticated");
    println!("4 of 4 deliveries without the right signature refused");
    assert_eq!(fixture.scalar::<i64>(STORED).await, stored);
    assert_eq!(fixture.send(&event, Signing::Right).await, 202);
    assert_eq!(fixture.scalar::<i64>(STORED).await, stored + 1);
}

#[database_test]
async fn stores_a_replayed_delivery_once(fixture: AppFixture) {
    fixture.github.push_branch(REPOSITORY, "main", &sha('1'));
    let event = fixture.github.push_event(REPOSITORY, "main");
    let stored: i64 = fixture.scalar(STORED).await;
    for _ in 0..20 {
        fixture.send_accepted(&event).await;
    }
    assert_eq!(fixture.scalar::<i64>(STORED).await, stored + 1);
    assert_eq!(fixture.handle().await, 1);
    fixture.send_accepted(&event).await;
    assert_eq!(fixture.handle().await, 0, "a handled delivery is not handled again");
}

#[database_test]
async fn acknowledges_irrelevant_events_without_storing(fixture: AppFixture) {
    let stored: i64 = fixture.scalar(STORED).await;
    fixture.send_accepted(&fixture.github.ping()).await;
    let unknown = Delivery { event: "sponsorship".into(), ..fixture.github.ping() };
    fixture.send_accepted(&unknown).await;
    fixture.open(7, '1').await;
    assert_eq!(fixture.scalar::<i64>(STORED).await, stored + 1);
    let talk = fixture.github.comment(REPOSITORY, 7, "grace", "Looks good to me");
    fixture.send_accepted(&fixture.github.comment_event(REPOSITORY, talk)).await;
    assert_eq!(fixture.scalar::<i64>(STORED).await, stored + 1);
}

/// A signed request with this body.
async fn signed(app: &TestApp, change: impl FnOnce(&mut Vec<(&str, String)>), body: Vec<u8>) -> Answer {
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        ("x-github-event", "push".to_owned()),
        ("x-github-delivery", uuid::Uuid::now_v7().to_string()),
        ("x-hub-signature-256", signature(SECRET, &body)),
    ];
    change(&mut headers);
    app.send_bytes("POST", PATH, &headers, body).await
}

#[database_test]
async fn names_errors_in_signed_events(pool: PgPool) {
    let fixture = AppFixture::with_github(pool, Settings::default()).await;
    let app = &fixture.app;
    signed(app, |_| (), b"{".to_vec()).await.assert_problem(400, "invalid-json");
    let without_reference = json!({"installation": {"id": 1}, "repository": {"id": 1}}).to_string();
    let problem = signed(app, |_| (), without_reference.into_bytes()).await;
    assert!(problem.assert_problem(400, "invalid-json").detail.contains("`ref`"));
    let unnamed = signed(app, |headers| headers[2].1 = "1".into(), b"{}".to_vec()).await;
    unnamed.assert_invalid("x-github-delivery");
    let form = "application/x-www-form-urlencoded";
    let form = signed(app, |headers| headers[0].1 = form.into(), b"{}".to_vec()).await;
    form.assert_problem(415, "unsupported-media-type");
}

#[database_test]
async fn rejects_bodies_over_githubs_limit(pool: PgPool) {
    let fixture = AppFixture::with_github(pool, Settings::default()).await;
    let length = ("content-length", (26 << 20).to_string());
    let stated = signed(&fixture.app, |headers| headers.push(length), Vec::new()).await;
    stated.assert_problem(413, "body-too-large");
    let arrived = signed(&fixture.app, |_| (), vec![b' '; (25 << 20) + 1]).await;
    arrived.assert_problem(413, "body-too-large");
    // A body of exactly the limit is read.
    let mut largest = br#"{"zen": "#.to_vec();
    largest.resize((25 << 20) - 2, b' ');
    largest.extend(b"1}");
    assert_eq!(signed(&fixture.app, |_| (), largest).await.status, 202);
}

#[database_test]
async fn unsigned_bodies_do_not_block_signed_events(fixture: AppFixture) {
    fixture.github.push_branch(REPOSITORY, "main", &sha('1'));
    let event = fixture.github.push_event(REPOSITORY, "main");
    let stalled = |size: usize| {
        let parts = stream::iter([Ok::<_, std::io::Error>(vec![b' '; size])]).chain(stream::pending());
        let request = Request::post(PATH).header("x-hub-signature-256", signature(SECRET, b"other"));
        request.body(Body::from_stream(parts)).unwrap()
    };
    // Two and a half of the largest size fit. The third is rejected at once, so all have arrived.
    let three = (0..3).map(|_| Box::pin(fixture.app.call(stalled(25 << 20))));
    let (answer, _, two) = select_all(three).await;
    answer.assert_problem(503, "busy");
    let (headers, body) = event.request(SECRET, Signing::Right);
    let mut rest = std::pin::pin!(fixture.app.call(stalled(14 << 20)));
    assert!(std::future::poll_fn(|context| Poll::Ready(rest.as_mut().poll(context).is_pending())).await);
    assert_eq!(fixture.app.send_bytes("POST", PATH, &headers, body).await.status, 202);
    drop(two);
}

#[database_test]
async fn names_nul_characters_in_signed_events(pool: PgPool) {
    let fixture = AppFixture::with_github(pool, Settings::default()).await;
    let body = json!({
        "ref": "refs/heads/a\0", "installation": {"id": 1}, "repository": {"id": 1, "full_name": "acme/libfoo"},
    });
    let problem = signed(&fixture.app, |_| (), body.to_string().into_bytes()).await;
    assert!(problem.assert_problem(400, "invalid-json").detail.contains("NUL"));
}

#[database_test]
async fn server_without_an_app_has_no_webhooks(app: TestApp) {
    signed(&app, |_| (), b"{}".to_vec()).await.assert_problem(404, "unknown-github-app");
}

#[database_test]
async fn unavailable_database_asks_github_to_retry(fixture: AppFixture) {
    fixture.github.push_branch(REPOSITORY, "main", &sha('1'));
    let (headers, body) = fixture.github.push_event(REPOSITORY, "main").request(SECRET, Signing::Right);
    fixture.app.pool.close().await;
    let answer = fixture.app.send_bytes("POST", PATH, &headers, body).await;
    answer.assert_problem(503, "unavailable");
    assert!(answer.headers.contains_key("retry-after"));
}
