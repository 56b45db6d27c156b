//! Comments on regressions, and their timeline.

use super::regressions::ring;
use super::search;
use crate::support::{TestApp, at};
use roundtrip_storage::access::Role;
use serde_json::{Value, json};

const REGRESSION: &str = "/api/v1/projects/libfoo/regressions/1";

async fn regression(app: &TestApp) {
    for commit in 1..=40 {
        app.store(&ring("lab-1", commit, if commit <= 30 { 1_000 } else { 1_200 })).await;
    }
    search(app).await;
}

/// Comments, and returns the number of the comment.
async fn comment(app: &TestApp, token: &str, text: &str) -> i64 {
    let path = format!("{REGRESSION}/comments");
    let answer = app.send("POST", &path, token, Some(json!({ "text": text }))).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json::<Value>()["comment_id"].as_i64().unwrap()
}

async fn entries(app: &TestApp) -> Vec<Value> {
    app.read(&format!("{REGRESSION}/timeline")).await["entries"].as_array().unwrap().clone()
}

#[database_test]
async fn timeline_has_comments_and_triage(app: TestApp) {
    regression(&app).await;
    assert_eq!(entries(&app).await, [] as [Value; 0]);
    let ada = app.member("ada", "libfoo", Role::Contributor).await;
    comment(&app, &ada, " seen\n").await;
    let triage = json!({ "state": "acknowledged", "assignee": "ada", "note": "secret" });
    let answer = app.send("PATCH", REGRESSION, &ada, Some(triage)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let entries = entries(&app).await;
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!(at(&entries[0], "actor,comment/text,changes"), json!(["account:ada", "seen", []]));
    let assigned = json!([
        { "field": "assignee", "from": null, "to": "ada" },
        { "field": "note", "from": null, "to": null },
        { "field": "state", "from": "new", "to": "acknowledged" },
    ]);
    assert_eq!(at(&entries[1], "actor,comment,changes"), json!(["account:ada", null, assigned]));
}

#[database_test]
async fn only_authors_and_maintainers_delete_comments(app: TestApp) {
    regression(&app).await;
    let ada = app.member("ada", "libfoo", Role::Contributor).await;
    let ben = app.member("ben", "libfoo", Role::Contributor).await;
    let maintainer = app.member("mia", "libfoo", Role::Maintainer).await;
    let delete = async |token: &str, id: i64| {
        app.send("DELETE", &format!("{REGRESSION}/comments/{id}"), token, None).await
    };
    let first = comment(&app, &ada, "first").await;
    let second = comment(&app, &ada, "second").await;
    delete(&ben, first).await.assert_problem(403, "forbidden");
    assert_eq!(entries(&app).await.len(), 2);
    assert_eq!(delete(&ada, first).await.status, 204);
    assert_eq!(delete(&maintainer, second).await.status, 204);
    assert_eq!(entries(&app).await, [] as [Value; 0]);
    delete(&ada, first).await.assert_problem(404, "unknown-comment");
}

#[database_test]
async fn rejects_invalid_comments(app: TestApp) {
    regression(&app).await;
    let ada = app.member("ada", "libfoo", Role::Contributor).await;
    let viewer = app.member("bob", "libfoo", Role::Viewer).await;
    let path = format!("{REGRESSION}/comments");
    for (text, part) in [
        (" \n".to_owned(), "parameter text: 0 characters"),
        ("x".repeat(4_001), "parameter text: 4001 characters"),
        ("a\0b".to_owned(), "parameter text: expected text without a NUL character"),
    ] {
        app.send("POST", &path, &ada, Some(json!({ "text": text }))).await.assert_invalid(part);
    }
    let note = json!({ "note": "a\0b" });
    app.send("PATCH", REGRESSION, &ada, Some(note))
        .await
        .assert_invalid("parameter note: expected text without");
    let some = || Some(json!({ "text": "seen" }));
    app.send("POST", &path, &viewer, some()).await.assert_problem(403, "forbidden");
    app.send("POST", &path, "", some()).await.assert_problem(401, "unauthenticated");
    let other = "/api/v1/projects/libfoo/regressions/99/comments";
    app.send("POST", other, &ada, some()).await.assert_problem(404, "unknown-regression");
}
