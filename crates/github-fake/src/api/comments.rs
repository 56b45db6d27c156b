//! Comments on pull requests, and reactions to them.

use super::Page;
use crate::auth::{self, not_found, problem};
use crate::state::{APP_LOGIN, Shared};
use crate::world::Comment;
use axum::Json;
use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Characters of a comment.
const BODY_LENGTH_MAX: usize = 65_536;
const WRITE: (&str, &str) = ("pull_requests", "write");

#[derive(Deserialize)]
pub(super) struct Body {
    body: String,
}

#[derive(Deserialize)]
pub(super) struct Reaction {
    content: String,
}

pub(super) async fn list_comments(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    OriginalUri(uri): OriginalUri,
    Query(page): Query<Page>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let wanted = ("pull_requests", "read");
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), wanted)?;
    if !repository.pulls.contains_key(&number) {
        return Err(not_found());
    }
    let all = repository.comments.values().filter(|comment| comment.issue == number);
    Ok(page.cut(&uri, &shared.origin(), all.map(Comment::json).collect(), Value::Array))
}

pub(super) async fn create_comment(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Response, Response> {
    let now = shared.now();
    let mut world = shared.world();
    let id = world.draw_id();
    let repository = auth::repository(&mut world, &headers, now, (&owner, &repo), WRITE)?;
    if !repository.pulls.contains_key(&number) {
        return Err(not_found());
    }
    check(&body.body)?;
    let comment = Comment {
        id,
        issue: number,
        login: APP_LOGIN.to_owned(),
        app_id: Some(shared.settings.app_id),
        body: body.body,
        created_at: now,
        reactions: Vec::new(),
    };
    let answer = comment.json();
    repository.comments.insert(id, comment);
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

pub(super) async fn update_comment(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), WRITE)?;
    let comment = repository.comments.get_mut(&id).ok_or_else(not_found)?;
    if comment.app_id != Some(shared.settings.app_id) {
        return Err(problem(StatusCode::FORBIDDEN, "Resource not accessible by integration"));
    }
    check(&body.body)?;
    comment.body = body.body;
    Ok(Json(comment.json()).into_response())
}

/// The same reaction again changes nothing.
pub(super) async fn create_reaction(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
    Json(reaction): Json<Reaction>,
) -> Result<Response, Response> {
    let mut world = shared.world();
    let repository = auth::repository(&mut world, &headers, shared.now(), (&owner, &repo), WRITE)?;
    let comment = repository.comments.get_mut(&id).ok_or_else(not_found)?;
    const CONTENTS: [&str; 8] = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];
    if !CONTENTS.contains(&reaction.content.as_str()) {
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, "Validation Failed"));
    }
    let is_new = !comment.reactions.contains(&reaction.content);
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let answer = json!({"id": id + 900_000, "content": &reaction.content});
    if is_new {
        comment.reactions.push(reaction.content);
    }
    Ok((status, Json(answer)).into_response())
}

fn check(body: &str) -> Result<(), Response> {
    if body.trim().is_empty() || body.chars().count() > BODY_LENGTH_MAX {
        let why = "Validation Failed: body is too long (maximum is 65536 characters)";
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, why));
    }
    Ok(())
}
