//! The operations of [`FakeGitHub`] over HTTP, for programs: `POST /_fake/...` with JSON. Each change sends the event
//! that GitHub would send to the configured webhook URL.

use crate::fake::FakeGitHub;
use crate::fault::Plan;
use crate::webhook::{Delivery, Signing};
use crate::world::{Level, NewPullRequest};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) fn router(fake: FakeGitHub) -> Router {
    Router::new()
        .route("/_fake/installations", post(install))
        .route("/_fake/repositories", post(add_repository))
        .route("/_fake/collaborators", post(allow))
        .route("/_fake/branches", post(push_branch))
        .route("/_fake/pulls", post(open))
        .route("/_fake/pushes", post(push))
        .route("/_fake/comments", post(comment).get(comments))
        .route("/_fake/check-runs", get(check_runs))
        .route("/_fake/faults", post(fault))
        .route("/_fake/clock", post(advance))
        .with_state(fake)
}

type Answer = Result<Json<Value>, (StatusCode, String)>;

#[derive(Deserialize)]
struct NewRepository {
    full_name: String,
    #[serde(default)]
    private: bool,
    installation: u64,
}

#[derive(Deserialize)]
struct Collaborator {
    repository: String,
    login: String,
    level: Level,
}

#[derive(Deserialize)]
struct Push {
    repository: String,
    /// For a push to a pull request.
    #[serde(default)]
    number: u64,
    /// For a push to a branch.
    #[serde(default)]
    branch: String,
    sha: String,
}

#[derive(Deserialize)]
struct Opened {
    repository: String,
    #[serde(flatten)]
    new: NewPullRequest,
}

#[derive(Deserialize)]
struct NewComment {
    repository: String,
    number: u64,
    login: String,
    body: String,
    #[serde(default)]
    signing: Signing,
}

#[derive(Deserialize)]
struct Filter {
    repository: String,
    #[serde(default)]
    number: u64,
    #[serde(default)]
    sha: String,
}

async fn install(State(fake): State<FakeGitHub>, Json(body): Json<Value>) -> Answer {
    let id = fake.install(body["account"].as_str().unwrap_or("acme"));
    deliver(&fake, fake.installation_event(id, "created"), Signing::Right, json!({"id": id})).await
}

async fn add_repository(State(fake): State<FakeGitHub>, Json(new): Json<NewRepository>) -> Answer {
    let id = fake.add_repository(&new.full_name, new.private, Some(new.installation));
    let event = fake.installation_repositories_event(new.installation, "added");
    deliver(&fake, event, Signing::Right, json!({"id": id})).await
}

async fn allow(State(fake): State<FakeGitHub>, Json(new): Json<Collaborator>) -> Json<Value> {
    fake.allow(&new.repository, &new.login, new.level);
    Json(json!({}))
}

async fn push_branch(State(fake): State<FakeGitHub>, Json(push): Json<Push>) -> Answer {
    fake.push_branch(&push.repository, &push.branch, &push.sha);
    deliver(&fake, fake.push_event(&push.repository, &push.branch), Signing::Right, json!({})).await
}

async fn open(State(fake): State<FakeGitHub>, Json(opened): Json<Opened>) -> Answer {
    let number = opened.new.number;
    fake.open(&opened.repository, opened.new);
    let event = fake.pull_request_event(&opened.repository, number, "opened");
    deliver(&fake, event, Signing::Right, json!({})).await
}

async fn push(State(fake): State<FakeGitHub>, Json(push): Json<Push>) -> Answer {
    fake.push(&push.repository, push.number, &push.sha);
    let event = fake.pull_request_event(&push.repository, push.number, "synchronize");
    deliver(&fake, event, Signing::Right, json!({})).await
}

async fn comment(State(fake): State<FakeGitHub>, Json(new): Json<NewComment>) -> Answer {
    let id = fake.comment(&new.repository, new.number, &new.login, &new.body);
    deliver(&fake, fake.comment_event(&new.repository, id), new.signing, json!({"id": id})).await
}

async fn comments(State(fake): State<FakeGitHub>, Query(filter): Query<Filter>) -> Json<Value> {
    Json(json!(fake.app_comments(&filter.repository, filter.number)))
}

async fn check_runs(State(fake): State<FakeGitHub>, Query(filter): Query<Filter>) -> Json<Value> {
    Json(json!(fake.check_runs(&filter.repository, &filter.sha)))
}

async fn fault(State(fake): State<FakeGitHub>, Json(plan): Json<Plan>) -> Json<Value> {
    fake.plan(plan);
    Json(json!({}))
}

async fn advance(State(fake): State<FakeGitHub>, Json(body): Json<Value>) -> Json<Value> {
    fake.advance(body["seconds"].as_i64().unwrap_or(0));
    Json(json!({"now": fake.now()}))
}

/// Sends an event if a webhook URL is configured, and adds the response status to the answer.
async fn deliver(fake: &FakeGitHub, delivery: Delivery, signing: Signing, mut answer: Value) -> Answer {
    if let Some(url) = &fake.shared.settings.webhook_url {
        let sent = fake.send(url, &delivery, signing).await;
        let status = sent.map_err(|error| (StatusCode::BAD_GATEWAY, format!("{url}: {error:#}")))?;
        answer["webhook_status"] = json!(status);
    }
    Ok(Json(answer))
}
