//! What is taken of GitHub and what is not.

use super::{REPOSITORY, World, sha};
use crate::support::TestApp;
use roundtrip_github_fake::webhook::signature;
use roundtrip_github_fake::{Delivery, Settings, Signing};
use serde_json::json;
use sqlx::PgPool;

const PATH: &str = "/api/v1/github/webhooks";
const SECRET: &str = "It's a Secret to Everybody";
const STORED: &str = "select count(*) from github_delivery";

#[database_test]
async fn nothing_is_taken_without_the_right_signature(world: World) {
    world.github.push_branch(REPOSITORY, "main", &sha('1'));
    let stored: i64 = world.scalar(STORED).await;
    let mut refused = 0;
    for signing in [Signing::None, Signing::Wrong, Signing::Sha1] {
        let event = world.github.push_event(REPOSITORY, "main");
        assert_eq!(world.send(&event, signing).await, 401, "{signing:?}");
        refused += 1;
        // Nor is its name remembered: the true one of that name is taken.
        assert_eq!(world.scalar::<i64>(STORED).await, stored);
    }
    let event = world.github.push_event(REPOSITORY, "main");
    let (headers, mut body) = event.request(SECRET, Signing::Right);
    body.push(b' ');
    world.app.send_bytes("POST", PATH, &headers, body).await.assert_problem(401, "unauthenticated");
    refused += 1;
    println!("{refused} of {refused} deliveries without the right signature refused");
    assert_eq!(world.scalar::<i64>(STORED).await, stored);
    assert_eq!(world.send(&event, Signing::Right).await, 202);
    assert_eq!(world.scalar::<i64>(STORED).await, stored + 1);
}

#[database_test]
async fn a_delivery_that_is_replayed_is_kept_once(world: World) {
    world.github.push_branch(REPOSITORY, "main", &sha('1'));
    let event = world.github.push_event(REPOSITORY, "main");
    let stored: i64 = world.scalar(STORED).await;
    for _ in 0..20 {
        world.tell(&event).await;
    }
    assert_eq!(world.scalar::<i64>(STORED).await, stored + 1);
    assert_eq!(world.handle().await, 1);
    world.tell(&event).await;
    assert_eq!(world.handle().await, 0, "what was handled is known");
}

#[database_test]
async fn events_that_nothing_follows_from_are_acknowledged_and_not_kept(world: World) {
    let stored: i64 = world.scalar(STORED).await;
    world.tell(&world.github.ping()).await;
    let unknown = Delivery { event: "sponsorship".into(), ..world.github.ping() };
    world.tell(&unknown).await;
    world.open(7, '1').await;
    assert_eq!(world.scalar::<i64>(STORED).await, stored + 1);
    let talk = world.github.comment(REPOSITORY, 7, "grace", "Looks good to me");
    world.tell(&world.github.comment_event(REPOSITORY, talk)).await;
    assert_eq!(world.scalar::<i64>(STORED).await, stored + 1);
}

/// A signed request with this body.
async fn signed(
    app: &TestApp,
    change: impl FnOnce(&mut Vec<(&'static str, String)>),
    body: Vec<u8>,
) -> crate::support::Answer {
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
async fn what_is_signed_and_yet_wrong_is_named(pool: PgPool) {
    let world = World::with(pool, Settings::default()).await;
    let app = &world.app;
    signed(app, |_| (), b"{".to_vec()).await.assert_problem(400, "invalid-json");
    let without_reference = json!({"installation": {"id": 1}, "repository": {"id": 1}}).to_string();
    let problem = signed(app, |_| (), without_reference.into_bytes()).await;
    assert!(problem.assert_problem(400, "invalid-json").detail.contains("`ref`"));
    let unnamed = signed(app, |headers| headers[2].1 = "1".into(), b"{}".to_vec()).await;
    assert!(unnamed.assert_problem(400, "invalid-parameter").detail.contains("x-github-delivery"));
    let form =
        signed(app, |headers| headers[0].1 = "application/x-www-form-urlencoded".into(), b"{}".to_vec())
            .await;
    form.assert_problem(415, "unsupported-media-type");
}

#[database_test]
async fn a_body_above_githubs_own_limit_is_turned_away(pool: PgPool) {
    let world = World::with(pool, Settings::default()).await;
    let stated =
        signed(&world.app, |headers| headers.push(("content-length", (26 << 20).to_string())), Vec::new())
            .await;
    stated.assert_problem(413, "body-too-large");
    let arrived = signed(&world.app, |_| (), vec![b' '; (25 << 20) + 1]).await;
    arrived.assert_problem(413, "body-too-large");
    // One that is just as large as may be is read.
    let mut largest = br#"{"zen": "#.to_vec();
    largest.resize((25 << 20) - 2, b' ');
    largest.extend(b"1}");
    assert_eq!(signed(&world.app, |_| (), largest).await.status, 202);
}

#[database_test]
async fn a_server_that_is_no_app_has_no_webhooks(app: TestApp) {
    signed(&app, |_| (), b"{}".to_vec()).await.assert_problem(404, "unknown-github-app");
}

#[database_test]
async fn while_the_database_is_away_github_is_asked_to_come_back(world: World) {
    world.github.push_branch(REPOSITORY, "main", &sha('1'));
    let (headers, body) = world.github.push_event(REPOSITORY, "main").request(SECRET, Signing::Right);
    world.app.pool.close().await;
    let answer = world.app.send_bytes("POST", PATH, &headers, body).await;
    answer.assert_problem(503, "unavailable");
    assert!(answer.headers.contains_key("retry-after"));
}
