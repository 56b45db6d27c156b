//! The App itself: its installations, their tokens and repositories.

use super::Page;
use crate::auth::{self, not_found, problem};
use crate::state::Shared;
use crate::world::Token;
use axum::Json;
use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Default, Deserialize)]
pub(super) struct TokenRequest {
    repository_ids: Option<Vec<u64>>,
    permissions: Option<BTreeMap<String, String>>,
}

pub(super) async fn get_app(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    auth::app(&shared, &headers)?;
    let id = shared.settings.app_id;
    Ok(Json(json!({"id": id, "slug": "roundtrip", "name": "Roundtrip"})).into_response())
}

pub(super) async fn list_installations(
    State(shared): State<Arc<Shared>>,
    OriginalUri(uri): OriginalUri,
    Query(page): Query<Page>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    auth::app(&shared, &headers)?;
    let world = shared.world();
    let all = world.installations.iter();
    let all = all.map(|(id, installation)| installation.json(*id, shared.settings.app_id)).collect();
    Ok(page.cut(&uri, &shared.origin(), all, Value::Array))
}

pub(super) async fn get_installation(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<u64>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    auth::app(&shared, &headers)?;
    let world = shared.world();
    let installation = world.installations.get(&id).ok_or_else(not_found)?;
    Ok(Json(installation.json(id, shared.settings.app_id)).into_response())
}

/// A token for no more than is asked for. Asking for what the installation does not have is refused.
pub(super) async fn create_token(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<u64>,
    headers: HeaderMap,
    body: Option<Json<TokenRequest>>,
) -> Result<Response, Response> {
    auth::app(&shared, &headers)?;
    let asked = body.map(|Json(asked)| asked).unwrap_or_default();
    let mut world = shared.world();
    let installation = world.installations.get(&id).ok_or_else(not_found)?;
    if installation.suspended {
        return Err(problem(StatusCode::FORBIDDEN, "This installation has been suspended"));
    }
    let granted = |name: &String, level: &String| {
        let has = installation.permissions.get(name).map(String::as_str);
        has == Some("write") || has == Some(level.as_str())
    };
    let permissions = asked.permissions.unwrap_or_else(|| installation.permissions.clone());
    if !permissions.iter().all(|(name, level)| granted(name, level)) {
        let why = "The permissions requested are not granted to this installation.";
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, why));
    }
    let has = |id_of: &u64| world.of_installation(id).any(|repository| repository.id == *id_of);
    if !asked.repository_ids.iter().flatten().all(has) {
        let why = "There is at least one repository that does not exist or is not accessible to the parent installation.";
        return Err(problem(StatusCode::UNPROCESSABLE_ENTITY, why));
    }
    let secret = format!("ghs_{}", uuid::Uuid::new_v4().simple());
    let expires_at = shared.now() + TimeDelta::hours(1);
    let token = Token {
        installation: id,
        expires_at,
        repository_ids: asked.repository_ids,
        permissions: permissions.clone(),
    };
    world.tokens.insert(secret.clone(), token);
    let body = json!({
        "token": secret, "permissions": permissions,
        "expires_at": expires_at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
    });
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

pub(super) async fn list_repositories(
    State(shared): State<Arc<Shared>>,
    OriginalUri(uri): OriginalUri,
    Query(page): Query<Page>,
    headers: HeaderMap,
) -> Result<Response, Response> {
    let world = shared.world();
    let token = auth::token(&world, &headers, shared.now())?;
    let all: Vec<Value> = world
        .of_installation(token.installation)
        .filter(|repository| token.repository_ids.as_ref().is_none_or(|ids| ids.contains(&repository.id)))
        .map(|repository| repository.json())
        .collect();
    let count = all.len();
    Ok(page.cut(&uri, &shared.origin(), all, |all| json!({"total_count": count, "repositories": all})))
}
