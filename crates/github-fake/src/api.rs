//! The API endpoints, grouped by subject.

use crate::auth::{self, bearer, not_found, problem};
use crate::state::{APP_LOGIN, Shared};
use crate::world::{self, Comment, Level, Repository, Token, World};
use axum::extract::{FromRequestParts, OriginalUri, Path, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::{Json, Router};
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The largest and the default page size.
const PAGE_MAX: usize = 100;
const PAGE_DEFAULT: usize = 30;

pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/app", get(get_app))
        .route("/app/installations", get(list_installations))
        .route("/app/installations/{id}", get(get_installation))
        .route("/app/installations/{id}/access_tokens", post(create_token))
        .route("/installation/repositories", get(list_repositories))
        .route("/repos/{owner}/{repo}", get(get_repository))
        .route("/repos/{owner}/{repo}/pulls", get(list_pulls))
        .route("/repos/{owner}/{repo}/pulls/{number}", get(get_pull))
        .route("/repos/{owner}/{repo}/commits/{sha}", get(get_commit))
        .route("/repos/{owner}/{repo}/collaborators/{user}/permission", get(get_permission))
        .route("/repos/{owner}/{repo}/issues/{number}/comments", get(list_comments).post(create_comment))
        .route("/repos/{owner}/{repo}/issues/comments/{id}", patch(update_comment))
        .route("/repos/{owner}/{repo}/issues/comments/{id}/reactions", post(create_reaction))
        .route("/repos/{owner}/{repo}/check-runs", post(create_check_run))
        .route("/repos/{owner}/{repo}/check-runs/{id}", patch(update_check_run))
        .route("/repos/{owner}/{repo}/commits/{sha}/check-runs", get(list_check_runs))
}

type Answer = Result<Response, Response>;

/// The data of a request.
struct Call {
    shared: Arc<Shared>,
    uri: Uri,
    headers: HeaderMap,
    query: HashMap<String, String>,
    /// The path parameters.
    parameters: HashMap<String, String>,
}

impl FromRequestParts<Arc<Shared>> for Call {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Response> {
        let uri = OriginalUri::from_request_parts(parts, shared).await.unwrap().0;
        let Query(query) =
            Query::from_request_parts(parts, shared).await.map_err(IntoResponse::into_response)?;
        let Path(parameters) =
            Path::from_request_parts(parts, shared).await.map_err(IntoResponse::into_response)?;
        Ok(Self { shared: Arc::clone(shared), uri, headers: parts.headers.clone(), query, parameters })
    }
}

impl Call {
    /// Returns the repository of the path if the token has this permission.
    fn repository<'a>(
        &self,
        world: &'a mut World,
        permission: (&str, &str),
    ) -> Result<&'a mut Repository, Response> {
        let name = format!("{}/{}", self.parameters["owner"], self.parameters["repo"]);
        auth::repository(world, bearer(&self.headers), self.shared.now(), &name, permission)
    }

    /// Parses a number of the path.
    fn number(&self, name: &str) -> Result<u64, Response> {
        self.parameters[name].parse().map_err(|_| not_found())
    }

    /// Returns the requested page of a list, with the `link` header to the next one.
    fn page(&self, entries: Vec<Value>, wrap: impl FnOnce(Vec<Value>) -> Value) -> Answer {
        let number = |name: &str, usual: usize| match self.query.get(name) {
            Some(text) => {
                text.parse().map_err(|_| problem(StatusCode::BAD_REQUEST, "Problems parsing the query"))
            }
            None => Ok(usual),
        };
        let per_page = number("per_page", PAGE_DEFAULT)?.clamp(1, PAGE_MAX);
        let page = number("page", 1)?.max(1);
        let count = entries.len();
        let entries = entries.into_iter().skip((page - 1) * per_page).take(per_page).collect();
        let mut headers = HeaderMap::new();
        if page * per_page < count {
            let others = self.uri.query().unwrap_or_default().split('&');
            let others = others.filter(|part| !part.starts_with("page=") && !part.is_empty());
            let mut query: Vec<String> = others.map(str::to_owned).collect();
            query.push(format!("page={}", page + 1));
            let base = self.shared.origin();
            let link = format!("<{base}{}?{}>; rel=\"next\"", self.uri.path(), query.join("&"));
            headers.insert(header::LINK, HeaderValue::from_str(&link).unwrap());
        }
        Ok((headers, Json(wrap(entries))).into_response())
    }
}

// The App: installations, tokens and repositories.

#[derive(Debug, Default, Deserialize)]
struct TokenRequest {
    repository_ids: Option<Vec<u64>>,
    permissions: Option<BTreeMap<String, String>>,
}

async fn get_app(call: Call) -> Answer {
    auth::app(&call.shared, &call.headers)?;
    let id = call.shared.settings.app_id;
    Ok(Json(json!({"id": id, "slug": "roundtrip", "name": "Roundtrip"})).into_response())
}

async fn list_installations(call: Call) -> Answer {
    auth::app(&call.shared, &call.headers)?;
    let world = call.shared.world();
    let all = world.installations.iter();
    let all = all.map(|(id, installation)| installation.json(*id, call.shared.settings.app_id)).collect();
    call.page(all, Value::Array)
}

async fn get_installation(call: Call) -> Answer {
    auth::app(&call.shared, &call.headers)?;
    let world = call.shared.world();
    let id = call.number("id")?;
    let installation = world.installations.get(&id).ok_or_else(not_found)?;
    Ok(Json(installation.json(id, call.shared.settings.app_id)).into_response())
}

/// Creates a token with only the requested permissions. Rejects permissions that the installation does not have.
async fn create_token(call: Call, body: Option<Json<TokenRequest>>) -> Answer {
    auth::app(&call.shared, &call.headers)?;
    let requested = body.map(|Json(requested)| requested).unwrap_or_default();
    let id = call.number("id")?;
    let mut world = call.shared.world();
    let installation = world.installations.get(&id).ok_or_else(not_found)?;
    if installation.suspended {
        return Err(problem(StatusCode::FORBIDDEN, "This installation has been suspended"));
    }
    let granted = |name: &String, level: &String| {
        let has = installation.permissions.get(name).map(String::as_str);
        has == Some("write") || has == Some(level.as_str())
    };
    let permissions = requested.permissions.unwrap_or_else(|| installation.permissions.clone());
    if !permissions.iter().all(|(name, level)| granted(name, level)) {
        let why = "The permissions requested are not granted to this installation.";
        return Err(invalid(why));
    }
    let has = |id_of: &u64| world.of_installation(id).any(|repository| repository.id == *id_of);
    if !requested.repository_ids.iter().flatten().all(has) {
        let why = "There is at least one repository that does not exist or is not accessible to the parent installation.";
        return Err(invalid(why));
    }
    let secret = format!("ghs_{}", uuid::Uuid::new_v4().simple());
    let expires_at = call.shared.now() + TimeDelta::hours(1);
    let token = Token {
        installation: id,
        expires_at,
        repository_ids: requested.repository_ids,
        permissions: permissions.clone(),
    };
    world.tokens.insert(secret.clone(), token);
    let body = json!({
        "token": secret, "permissions": permissions,
        "expires_at": expires_at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
    });
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

async fn list_repositories(call: Call) -> Answer {
    let world = call.shared.world();
    let token = auth::token(&world, bearer(&call.headers), call.shared.now())?;
    let all: Vec<Value> = world
        .of_installation(token.installation)
        .filter(|repository| token.repository_ids.as_ref().is_none_or(|ids| ids.contains(&repository.id)))
        .map(|repository| repository.json())
        .collect();
    let count = all.len();
    call.page(all, |all| json!({"total_count": count, "repositories": all}))
}

// Check runs.

const SUMMARY_LENGTH_MAX: usize = 65_535;
const STATES: [&str; 3] = ["queued", "in_progress", "completed"];
const CONCLUSIONS: [&str; 7] =
    ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"];
const WRITE: (&str, &str) = ("checks", "write");

async fn create_check_run(call: Call, Json(body): Json<Value>) -> Answer {
    let mut world = call.shared.world();
    let id = world.next_id();
    let repository = call.repository(&mut world, WRITE)?;
    let has = |member: &str| body[member].as_str().is_some_and(|text| !text.is_empty());
    if !has("name") || !has("head_sha") {
        return Err(invalid("Invalid request. \"name\", \"head_sha\" weren't supplied."));
    }
    let mut run = json!({
        "id": id, "status": "queued", "conclusion": null, "details_url": null, "external_id": "",
        "app": {"id": call.shared.settings.app_id, "slug": "roundtrip"},
    });
    merge(&mut run, &body)?;
    repository.check_runs.insert(id, run.clone());
    Ok((StatusCode::CREATED, Json(run)).into_response())
}

async fn update_check_run(call: Call, Json(body): Json<Value>) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, WRITE)?;
    let run = repository.check_runs.get_mut(&call.number("id")?).ok_or_else(not_found)?;
    if !body["head_sha"].is_null() {
        return Err(invalid("Invalid request. \"head_sha\" is not a permitted key."));
    }
    merge(run, &body)?;
    Ok(Json(run.clone()).into_response())
}

async fn list_check_runs(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("checks", "read"))?;
    let of_name = |run: &&Value| call.query.get("check_name").is_none_or(|name| run["name"] == name.as_str());
    let of_commit = repository.check_runs.values().filter(|run| run["head_sha"] == call.parameters["sha"]);
    let all: Vec<Value> = of_commit.filter(of_name).cloned().collect();
    let count = all.len();
    call.page(all, |all| json!({"total_count": count, "check_runs": all}))
}

/// Merges the allowed fields into a check run.
fn merge(run: &mut Value, body: &Value) -> Result<(), Response> {
    let members = ["name", "head_sha", "status", "conclusion", "details_url", "external_id", "output"];
    let Some(body) = body.as_object() else { return Err(invalid("Problems parsing JSON")) };
    for (name, value) in body {
        if !members.contains(&name.as_str()) {
            return Err(invalid(&format!("Invalid request. \"{name}\" is not a permitted key.")));
        }
        run[name] = value.clone();
    }
    let one_of = |name: &str, all: &[&str]| run[name].as_str().is_none_or(|text| all.contains(&text));
    if !one_of("status", &STATES) || !one_of("conclusion", &CONCLUSIONS) {
        return Err(invalid("Invalid request. status or conclusion is not a member of the list."));
    }
    if !run["conclusion"].is_null() {
        run["status"] = json!("completed");
    } else if run["status"] == "completed" {
        return Err(invalid("Invalid request. \"conclusion\" wasn't supplied."));
    }
    let output = &run["output"];
    let text = |name: &str| output[name].as_str().unwrap_or_default();
    if !output.is_null() && (text("title").is_empty() || text("summary").is_empty()) {
        return Err(invalid("Invalid request. \"title\", \"summary\" weren't supplied."));
    }
    if text("summary").chars().count() > SUMMARY_LENGTH_MAX {
        return Err(invalid("Invalid request. summary exceeds a maximum length of 65535."));
    }
    Ok(())
}

fn invalid(message: &str) -> Response {
    problem(StatusCode::UNPROCESSABLE_ENTITY, message)
}

// Comments on pull requests, and reactions to them.

const BODY_LENGTH_MAX: usize = 65_536;
const WRITE_COMMENTS: (&str, &str) = ("pull_requests", "write");

#[derive(Deserialize)]
struct Body {
    body: String,
}

#[derive(Deserialize)]
struct Reaction {
    content: String,
}

async fn list_comments(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("pull_requests", "read"))?;
    let number = call.number("number")?;
    if !repository.pulls.contains_key(&number) {
        return Err(not_found());
    }
    let all = repository.comments.values().filter(|comment| comment.issue == number);
    call.page(all.map(Comment::json).collect(), Value::Array)
}

async fn create_comment(call: Call, Json(body): Json<Body>) -> Answer {
    let now = call.shared.now();
    let mut world = call.shared.world();
    let id = world.next_id();
    let repository = call.repository(&mut world, WRITE_COMMENTS)?;
    let number = call.number("number")?;
    if !repository.pulls.contains_key(&number) {
        return Err(not_found());
    }
    check_body(&body.body)?;
    let comment = Comment {
        id,
        issue: number,
        login: APP_LOGIN.to_owned(),
        app_id: Some(call.shared.settings.app_id),
        body: body.body,
        created_at: now,
        reactions: Vec::new(),
    };
    let answer = comment.json();
    repository.comments.insert(id, comment);
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

async fn update_comment(call: Call, Json(body): Json<Body>) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, WRITE_COMMENTS)?;
    let comment = repository.comments.get_mut(&call.number("id")?).ok_or_else(not_found)?;
    if comment.app_id != Some(call.shared.settings.app_id) {
        return Err(problem(StatusCode::FORBIDDEN, "Resource not accessible by integration"));
    }
    check_body(&body.body)?;
    comment.body = body.body;
    Ok(Json(comment.json()).into_response())
}

/// Repeating a reaction has no effect.
async fn create_reaction(call: Call, Json(reaction): Json<Reaction>) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, WRITE_COMMENTS)?;
    let comment = repository.comments.get_mut(&call.number("id")?).ok_or_else(not_found)?;
    const CONTENTS: [&str; 8] = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];
    if !CONTENTS.contains(&reaction.content.as_str()) {
        return Err(invalid("Validation Failed"));
    }
    let is_new = !comment.reactions.contains(&reaction.content);
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let answer = json!({"id": comment.id + 900_000, "content": &reaction.content});
    if is_new {
        comment.reactions.push(reaction.content);
    }
    Ok((status, Json(answer)).into_response())
}

fn check_body(body: &str) -> Result<(), Response> {
    if body.trim().is_empty() || body.chars().count() > BODY_LENGTH_MAX {
        return Err(invalid("Validation Failed: body is too long (maximum is 65536 characters)"));
    }
    Ok(())
}

// Repositories, pull requests and permissions.

async fn get_repository(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("metadata", "read"))?;
    Ok(Json(repository.json()).into_response())
}

async fn list_pulls(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("pull_requests", "read"))?;
    let state = call.query.get("state").map_or("open", String::as_str);
    let all = repository.pulls.values().rev().map(|pull| repository.pull_json(pull));
    let all = all.filter(|pull| state == "all" || pull["state"] == state).collect();
    call.page(all, Value::Array)
}

async fn get_pull(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("pull_requests", "read"))?;
    let pull = repository.pulls.get(&call.number("number")?).ok_or_else(not_found)?;
    Ok(Json(repository.pull_json(pull)).into_response())
}

/// Returns a commit, or the newest one of a branch: `heads/main`.
async fn get_commit(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("contents", "read"))?;
    let requested = &call.parameters["sha"];
    let of_pulls = repository.pulls.values().flat_map(|pull| [&pull.new.head_sha, &pull.new.base_sha]);
    let mut known = repository.branches.values().chain(of_pulls);
    let branch = repository.branches.get(requested.strip_prefix("heads/").unwrap_or(requested));
    let found = branch.or_else(|| known.find(|sha| *sha == requested));
    let sha = found.ok_or_else(|| invalid(&format!("No commit found for SHA: {requested}")))?;
    Ok(Json(json!({"sha": sha, "commit": {"message": "A change"}, "parents": []})).into_response())
}

/// Users who are not collaborators can read public repositories.
async fn get_permission(call: Call) -> Answer {
    let mut world = call.shared.world();
    let repository = call.repository(&mut world, ("metadata", "read"))?;
    let login = &call.parameters["user"];
    let level = repository.levels.get(login).copied();
    let none = if repository.private { "none" } else { "read" };
    let permission = level.map_or(none, Level::permission);
    let role = level.map_or(json!(none), |level| json!(level));
    let user = world::user(login, "User");
    Ok(Json(json!({"permission": permission, "role_name": role, "user": user})).into_response())
}
