//! `/api/v1/projects/{project}/notes`: notes of users on commits.

use crate::support::{TestApp, at, factory};
use roundtrip_storage::access::Role;
use serde_json::{Value, json};

const LIST: &str = "/api/v1/projects/libfoo/notes";

async fn add(app: &TestApp, token: &str, commit: u64, text: &str) -> crate::support::Answer {
    let path = format!("/api/v1/projects/libfoo/commits/{}/notes", factory::sha(commit));
    app.send("POST", &path, token, Some(json!({"text": text}))).await
}

#[database_test]
async fn contributors_add_notes_and_delete_their_own(app: TestApp) {
    app.store(&factory::nth(3)).await;
    app.store(&factory::nth(7)).await;
    let viewer = app.member("vera", "libfoo", Role::Viewer).await;
    let carol = app.member("carol", "libfoo", Role::Contributor).await;
    let dan = app.member("dan", "libfoo", Role::Contributor).await;
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    add(&app, "", 3, "x").await.assert_problem(401, "unauthenticated");
    add(&app, &viewer, 3, "x").await.assert_problem(403, "forbidden");
    add(&app, &carol, 404, "x").await.assert_problem(404, "unknown-commit");
    for text in ["", "  \n", &"x".repeat(2_001)] {
        add(&app, &carol, 3, text).await.assert_invalid("expected 1 to 2000");
    }
    let mut paths = Vec::new();
    for (commit, text) in [(3, " New allocator. "), (7, "New kernel.")] {
        let answer = add(&app, &carol, commit, text).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        paths.push(format!("{LIST}/{}", answer.json::<Value>()["note_id"]));
    }
    let all = app.read(LIST).await;
    let shown = at(&all, "notes/*/text,created_by,commit/ordinal");
    let expected = json!([["New kernel.", "account:carol", 7], ["New allocator.", "account:carol", 3]]);
    assert_eq!(shown, expected);
    for query in [format!("?commit={}", factory::sha(3)), "?to=6".to_owned(), "?from=2&to=3".to_owned()] {
        let found = app.read(&format!("{LIST}{query}")).await;
        assert_eq!(at(&found, "notes/*/text"), json!(["New allocator."]), "{query}");
    }

    app.send("DELETE", &paths[0], &dan, None).await.assert_problem(403, "forbidden");
    assert_eq!(app.send("DELETE", &paths[0], &carol, None).await.status, 204);
    assert_eq!(app.send("DELETE", &paths[1], &maintainer, None).await.status, 204);
    app.send("DELETE", &paths[1], &maintainer, None).await.assert_problem(404, "unknown-note");
    assert_eq!(app.read(LIST).await["notes"], json!([]));
}

#[database_test]
async fn notes_go_with_their_project(app: TestApp) {
    app.store(&factory::nth(3)).await;
    let admin = app.member("ada", "libfoo", Role::Admin).await;
    assert_eq!(add(&app, &admin, 3, "New kernel.").await.status, 201);
    assert_eq!(app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await.status, 204);
    assert_eq!(app.scalar::<i64>("select count(*) from commit_note").await, 0);
}
