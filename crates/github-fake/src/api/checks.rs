//! Check runs and commit statuses.

use super::Page;
use crate::auth::{self, not_found, problem};
use crate::state::Shared;
use axum::Json;
use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Characters of a check's summary.
const SUMMARY_LENGTH_MAX: usize = 65_535;
const STATES: [&str; 3] = ["queued", "in_progress", "completed"];
const CONCLUSIONS: [&str; 7] =
    ["action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"];
const WRITE: (&str, &str) = ("checks", "write");

pub(super) async fn create_check_run(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo)): Path<(String, String)>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let id = world.draw_id();
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), WRITE)?;
    let has = |member: &str| body[member].as_str().is_some_and(|text| !text.is_empty());
    if !has("name") || !has("head_sha") {
        return Err(invalid("Invalid request. \"name\", \"head_sha\" weren't supplied."));
    }
    let mut run = json!({
        "id": id, "status": "queued", "conclusion": null, "details_url": null, "external_id": "",
        "app": {"id": shared.settings.app_id, "slug": "roundtrip"},
    });
    merge(&mut run, &body)?;
    repository.check_runs.insert(id, run.clone());
    Ok((StatusCode::CREATED, Json(run)).into_response())
}

pub(super) async fn get_check_run(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("checks", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    Ok(Json(repository.check_runs.get(&id).ok_or_else(not_found)?).into_response())
}

pub(super) async fn update_check_run(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), WRITE)?;
    let run = repository.check_runs.get_mut(&id).ok_or_else(not_found)?;
    if !body["head_sha"].is_null() {
        return Err(invalid("Invalid request. \"head_sha\" is not a permitted key."));
    }
    merge(run, &body)?;
    Ok(Json(run.clone()).into_response())
}

pub(super) async fn list_check_runs(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, sha)): Path<(String, String, String)>,
    OriginalUri(uri): OriginalUri,
    Query(page): Query<Page>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("checks", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    let of_name = |run: &&Value| query.get("check_name").is_none_or(|name| run["name"] == name.as_str());
    let of_commit = repository.check_runs.values().filter(|run| run["head_sha"] == sha.as_str());
    let all: Vec<Value> = of_commit.filter(of_name).cloned().collect();
    let count = all.len();
    Ok(page.cut(&uri, &shared.origin(), all, |all| json!({"total_count": count, "check_runs": all})))
}

pub(super) async fn create_status(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, sha)): Path<(String, String, String)>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("statuses", "write");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    if !["error", "failure", "pending", "success"].contains(&body["state"].as_str().unwrap_or_default()) {
        return Err(invalid("Validation Failed: state is not included in the list"));
    }
    let status = json!({"sha": sha, "state": body["state"], "context": body["context"]});
    repository.statuses.push(status.clone());
    Ok((StatusCode::CREATED, Json(status)).into_response())
}

/// Takes over what GitHub lets one say of a check.
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
