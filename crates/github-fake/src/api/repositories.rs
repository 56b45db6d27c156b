//! Repositories, their pull requests and who may do what in them.

use super::Page;
use crate::auth::{self, not_found};
use crate::state::Shared;
use crate::world;
use axum::Json;
use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) async fn get_repository(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("metadata", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    Ok(Json(repository.json()).into_response())
}

pub(super) async fn list_pulls(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo)): Path<(String, String)>,
    OriginalUri(uri): OriginalUri,
    Query(page): Query<Page>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("pull_requests", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    let state = query.get("state").map_or("open", String::as_str);
    let all = repository.pulls.values().rev().map(|pull| repository.pull_json(pull));
    let all = all.filter(|pull| state == "all" || pull["state"] == state).collect();
    Ok(page.cut(&uri, &shared.origin(), all, Value::Array))
}

pub(super) async fn get_pull(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("pull_requests", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    let pull = repository.pulls.get(&number).ok_or_else(not_found)?;
    Ok(Json(repository.pull_json(pull)).into_response())
}

/// A commit, or the newest one of a branch: `heads/main`.
pub(super) async fn get_commit(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, sha)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("contents", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    let branch = repository.branches.get(sha.strip_prefix("heads/").unwrap_or(&sha));
    let is_known = |sha: &String| {
        repository.branches.values().any(|known| known == sha)
            || repository.pulls.values().any(|pull| &pull.new.head_sha == sha || &pull.new.base_sha == sha)
    };
    let sha = match branch {
        Some(newest) => newest.clone(),
        None if is_known(&sha) => sha,
        None => {
            return Err(auth::problem(
                StatusCode::UNPROCESSABLE_ENTITY,
                &format!("No commit found for SHA: {sha}"),
            ));
        }
    };
    Ok(Json(json!({"sha": sha, "commit": {"message": "A change"}, "parents": []})).into_response())
}

pub(super) async fn pulls_of_commit(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, sha)): Path<(String, String, String)>,
    OriginalUri(uri): OriginalUri,
    Query(page): Query<Page>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("pull_requests", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    let of_commit = repository.pulls.values().filter(|pull| pull.new.head_sha == sha);
    let all = of_commit.map(|pull| repository.pull_json(pull)).collect();
    Ok(page.cut(&uri, &shared.origin(), all, Value::Array))
}

/// Whoever is no collaborator can read what is public.
pub(super) async fn get_permission(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, login)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("metadata", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    let level = repository.levels.get(&login).copied();
    let none = if repository.private { "none" } else { "read" };
    let (permission, role) = level.map_or((none, none), |level| (level.permission(), level.role()));
    let user = world::user(&login, "User");
    Ok(Json(json!({"permission": permission, "role_name": role, "user": user})).into_response())
}
