//! Who may upload.

use crate::support::{TestApp, factory};
use chrono::{TimeDelta, Utc};
use roundtrip_server::db::token;
use sqlx::PgPool;

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn an_upload_without_a_valid_token_is_refused_and_changes_nothing(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let scopes = ["ingest:write".to_owned()];
    let expired =
        token::create(&app.pool, "old", &scopes, Some(Utc::now() - TimeDelta::seconds(1))).await.unwrap();
    let revoked = token::create(&app.pool, "lost", &scopes, None).await.unwrap();
    sqlx::query("update token set revoked_at = now() where token_id = $1")
        .bind(revoked.token_id)
        .execute(&app.pool)
        .await
        .unwrap();
    let other_scope = token::create(&app.pool, "reader", &["read".into()], None).await.unwrap();
    let deleted = token::create(&app.pool, "gone", &scopes, None).await.unwrap();
    sqlx::query("delete from token where token_id = $1")
        .bind(deleted.token_id)
        .execute(&app.pool)
        .await
        .unwrap();
    let before = app.row_counts().await;

    let report = factory::report();
    let body = serde_json::to_vec(&report).unwrap();
    let bearer = |secret: &str| format!("Bearer {secret}");
    // Its last character is another one.
    let (rest, last) = app.token.split_at(app.token.len() - 1);
    let mistyped = format!("{rest}{}", if last == "x" { "y" } else { "x" });
    for (name, header, status, code) in [
        ("no token", String::new(), 401, "unauthenticated"),
        ("another scheme", format!("Basic {}", app.token), 401, "unauthenticated"),
        ("malformed", bearer("secret"), 401, "unauthenticated"),
        ("mistyped", bearer(&mistyped), 401, "unauthenticated"),
        ("unknown", bearer(&deleted.secret), 401, "unauthenticated"),
        ("expired", bearer(&expired.secret), 401, "unauthenticated"),
        ("revoked", bearer(&revoked.secret), 401, "unauthenticated"),
        ("another scope", bearer(&other_scope.secret), 403, "forbidden"),
    ] {
        let answer =
            app.put_bytes(&report.run_id.to_string(), &[("authorization", &header)], body.clone()).await;
        let problem = answer.problem();
        assert_eq!((problem.status, problem.code.as_str()), (status, code), "{name}: {problem:?}");
        assert_eq!(answer.headers.contains_key("www-authenticate"), status == 401, "{name}");
        assert_eq!(app.row_counts().await, before, "{name}");
    }
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_stranger_is_refused_before_the_body_is_looked_at(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let run_id = factory::report().run_id.to_string();
    let answer = app.put_bytes(&run_id, &[("authorization", ""), ("content-type", "")], vec![0; 100]).await;
    answer.assert_problem(401, "unauthenticated");
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_token_that_is_still_valid_is_accepted_and_its_use_noted(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let scopes = ["ingest:write".to_owned(), "read".to_owned()];
    let token =
        token::create(&app.pool, "new", &scopes, Some(Utc::now() + TimeDelta::hours(1))).await.unwrap();
    let report = factory::report();
    let header = format!("bearer {}", token.secret);
    let body = serde_json::to_vec(&report).unwrap();
    let answer = app.put_bytes(&report.run_id.to_string(), &[("authorization", &header)], body).await;
    assert_eq!(answer.status, 201);
    let is_noted: bool = sqlx::query_scalar("select last_used_at is not null from token where token_id = $1")
        .bind(token.token_id)
        .fetch_one(&app.pool)
        .await
        .unwrap();
    assert!(is_noted);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn the_secret_is_nowhere_in_the_database(pool: PgPool) {
    assert!(!token::any_exist(&pool).await.unwrap());
    let made = token::create(&pool, "agent", &["ingest:write".into()], None).await.unwrap();
    assert!(token::any_exist(&pool).await.unwrap());
    let row: String = sqlx::query_scalar("select token::text from token").fetch_one(&pool).await.unwrap();
    assert!(row.contains(&made.secret[..9]) && !row.contains(&made.secret[..12]), "{row}");
    assert!(!format!("{made:?}").contains(&made.secret));
}
