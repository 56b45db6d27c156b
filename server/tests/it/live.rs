//! `/api/v1/projects/{project}/events`, over one database and several servers.

use crate::support::{TestApp, factory};
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use http_body_util::BodyExt;
use roundtrip_domain::live::NewRuns;
use roundtrip_storage::access::{Binding, Role, Scope, TokenKind};
use roundtrip_wire::RunReport;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// Much longer than any test takes. A test that reaches it has failed.
const DEADLINE: Duration = Duration::from_secs(60);

/// A stream of events, as a browser reads it.
struct Events {
    body: Body,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
struct Event {
    name: String,
    data: String,
}

impl Events {
    async fn open(app: &TestApp, project: &str) -> Self {
        Self::open_as(app, project, None).await
    }

    async fn open_as(app: &TestApp, project: &str, token: Option<&str>) -> Self {
        let response = app.open(&format!("/api/v1/projects/{project}/events"), token).await;
        Self::of(response).await
    }

    async fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(response.headers()["cache-control"].to_str().unwrap().ends_with("no-cache"));
        assert!(!response.headers().contains_key("etag"));
        let mut events = Self { body: response.into_body(), text: String::new() };
        assert_eq!(events.block().await.unwrap(), "retry: 3000");
        events
    }

    /// The events after the first run, which creates the project.
    async fn after_first_run(app: &TestApp) -> Self {
        app.store(&factory::report()).await;
        app.live.flush().await;
        Self::open(app, "libfoo").await
    }

    /// The text up to the next empty line; `None` at the end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let frame = tokio::time::timeout(DEADLINE, self.body.frame())
                .await
                .expect("no event before the deadline")?;
            self.text += std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap();
        }
    }

    async fn next(&mut self) -> Event {
        let block = self.block().await.expect("the stream has ended");
        let field = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("no {name} in {block}")).trim().to_owned()
        };
        Event { name: field("event:"), data: field("data:") }
    }

    /// Waits for the end, before which no event comes.
    async fn end(&mut self) {
        while let Some(block) = self.block().await {
            assert!(block.starts_with(':'), "an event after the access ended: {block}");
        }
    }

    async fn new_runs(&mut self) -> NewRuns {
        let event = self.next().await;
        assert_eq!(event.name, "runs", "{event:?}");
        serde_json::from_str(&event.data).unwrap()
    }
}

#[database_test]
async fn another_server_announces_the_upload(one: TestApp) {
    let mut own_events = Events::after_first_run(&one).await;
    let other = one.another();
    let mut events = Events::open(&other, "libfoo").await;
    let second = factory::nth(7);
    one.store(&second).await;

    let expected = json!({
        "run_count": 1,
        "runs": [{"run_id": second.run_id, "machine": "lab-1", "commit_ordinal": 7}],
    });
    for events in [&mut events, &mut own_events] {
        assert_eq!(serde_json::to_value(events.new_runs().await).unwrap(), expected);
    }
}

#[database_test]
async fn announces_each_run_of_the_project_once(one: TestApp) {
    const RUNS: usize = 12;
    let other = one.another();
    one.store(&factory::report()).await;
    one.live.flush().await;
    let mut events = Events::open(&other, "libfoo").await;
    let mut expected = BTreeSet::new();
    for number in 0..RUNS {
        let mut report = factory::report();
        if number % 3 == 0 {
            report = factory::of_project("another");
        } else {
            expected.insert(report.run_id.as_uuid());
        }
        one.store(&report).await;
        // A repeated upload is not new.
        one.put(&report).await;
    }
    let mut announced = BTreeSet::new();
    while announced.len() < expected.len() {
        let new = events.new_runs().await;
        assert_eq!(new.run_count, new.runs.len());
        for run in new.runs {
            assert!(announced.insert(run.run_id), "announced twice");
        }
    }
    assert_eq!(announced, expected);
}

#[database_test]
async fn batch_names_the_newest_run_and_the_count(app: TestApp) {
    let mut events = Events::after_first_run(&app).await;
    let mut newest = None;
    for _ in 0..45 {
        let report = factory::report();
        app.store(&report).await;
        newest = Some(report.run_id.as_uuid());
    }
    app.live.flush().await;
    let run_ids: Vec<uuid::Uuid> = app.scalars("select run_id from run").await;
    for run_id in run_ids {
        app.live.announce(run_id);
    }
    loop {
        let new = events.new_runs().await;
        // Runs announced during the uploads come first.
        if new.run_count == 46 {
            assert_eq!(new.runs.len(), 40);
            assert_eq!(Some(new.runs[0].run_id), newest);
            break;
        }
    }
}

#[database_test]
async fn unknown_announcement_and_lost_connection_send_a_gap(app: TestApp) {
    let mut events = Events::after_first_run(&app).await;
    app.execute("select pg_notify('roundtrip_runs', 'something else')").await;
    assert_eq!(events.next().await.name, "gap");
    // PostgreSQL closes the listening connection.
    let end = "select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%'";
    assert!(app.scalar::<bool>(end).await);
    assert_eq!(events.next().await, Event { name: "gap".into(), data: "{}".into() });
    let report = factory::report();
    app.store(&report).await;
    assert_eq!(events.new_runs().await.runs[0].run_id, report.run_id.as_uuid());
}

#[database_test]
async fn stopping_the_server_ends_the_stream(app: TestApp) {
    let mut events = Events::after_first_run(&app).await;
    app.live.close();
    assert_eq!(events.block().await, None);
    let answer = app.get("/api/v1/projects/libfoo/events").await;
    answer.assert_problem(503, "unavailable");
    assert_eq!(answer.headers["retry-after"], "5");
}

/// The project of the streams that end.
const PRIVATE: &str = "secret";

/// A server with a private project, another server, and the token of an administrator.
async fn with_private_project(one: &TestApp) -> (TestApp, String) {
    one.store(&factory::of_project(PRIVATE)).await;
    one.live.flush().await;
    one.hide(PRIVATE).await;
    (one.another(), one.account("root", true).await)
}

/// Sends a change to a server, which must succeed.
async fn change(app: &TestApp, method: &str, path: &str, token: &str, body: Option<serde_json::Value>) {
    let answer = app.send(method, path, token, body).await;
    assert!(answer.status.is_success(), "{answer:?}");
}

#[database_test]
async fn attack_streams_end_with_the_access_of_their_reader(one: TestApp) {
    let (other, root) = with_private_project(&one).await;
    let mut kept = Events::open_as(&one, PRIVATE, Some(&root)).await;
    let members = format!("/api/v1/projects/{PRIVATE}/members");

    let removed = one.member("removed", PRIVATE, Role::Viewer).await;
    let mut stream = Events::open_as(&one, PRIVATE, Some(&removed)).await;
    change(&other, "DELETE", &format!("{members}/removed"), &root, None).await;
    stream.end().await;

    let deleted = one.member("deleted", PRIVATE, Role::Viewer).await;
    let mut stream = Events::open_as(&one, PRIVATE, Some(&deleted)).await;
    change(&other, "DELETE", "/api/v1/accounts/deleted", &root, None).await;
    stream.end().await;

    let binding = Binding { project: Some(PRIVATE.into()), machine: None };
    for (verb, body) in [("", None), ("/rotate", Some(json!({"overlap_hours": 0})))] {
        let token = one.program_token(TokenKind::Ci, &[Scope::Read], &binding).await;
        let token_id: i64 = one.scalar("select max(token_id) from token").await;
        let mut stream = Events::open_as(&one, PRIVATE, Some(&token)).await;
        let method = if body.is_none() { "DELETE" } else { "POST" };
        change(&other, method, &format!("/api/v1/tokens/{token_id}{verb}"), &root, body).await;
        stream.end().await;
    }

    let own_page = [("x-roundtrip-csrf", "1"), ("sec-fetch-site", "same-origin")];
    let body = Some(json!({"token": root}));
    let signed_in = one.send_with("POST", "/api/v1/session", &own_page, body).await;
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap();
    let request = Request::get(format!("/api/v1/projects/{PRIVATE}/events")).header("cookie", cookie);
    let mut stream = Events::of(one.answer(request.body(Body::empty()).unwrap()).await).await;
    let [csrf, site] = own_page;
    let answer = other.send_with("DELETE", "/api/v1/session", &[csrf, site, ("cookie", cookie)], None).await;
    assert_eq!(answer.status, 204);
    stream.end().await;

    let report = RunReport { project: factory::slug(PRIVATE), ..factory::nth(7) };
    one.store(&report).await;
    assert_eq!(kept.new_runs().await.runs[0].run_id, report.run_id.as_uuid(), "the access did not end");
    change(&other, "DELETE", &format!("/api/v1/projects/{PRIVATE}"), &root, None).await;
    kept.end().await;
}

#[database_test]
async fn attack_streams_of_strangers_end_when_the_project_becomes_private(one: TestApp) {
    let mut stream = Events::after_first_run(&one).await;
    let (other, root) = (one.another(), one.account("root", true).await);
    let private = Some(json!({"visibility": "private"}));
    change(&other, "PATCH", "/api/v1/projects/libfoo", &root, private).await;
    stream.end().await;
}

#[database_test]
async fn attack_no_event_is_sent_after_an_unannounced_change(app: TestApp) {
    let mut stream = Events::after_first_run(&app).await;
    // Directly in the database, as by an operator.
    app.hide("libfoo").await;
    app.store(&factory::nth(7)).await;
    stream.end().await;
}
