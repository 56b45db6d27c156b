//! Tokens: creation, lists, rotation and revocation. A secret is only in the response that creates it.

use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, NoFilter, Page, Paged, Path, within};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use chrono::{TimeDelta, Utc};
use roundtrip_domain::access::{
    OVERLAP_HOURS_DEFAULT, OVERLAP_HOURS_MAX, TOKEN_DAYS_DEFAULT, TOKEN_DAYS_MAX,
};
use roundtrip_domain::audited::tokens::{self, Changer};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::access::ManagedToken;
use roundtrip_storage::access::{Binding, Scope, TokenKind};
use roundtrip_storage::token::{NewToken, TokenSummary};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const NAME_BYTES_MAX: usize = 100;

/// Tokens that have not been revoked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenList {
    /// The tokens, in the order of creation.
    pub tokens: Vec<TokenSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A new token, or one with a new secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IssuedToken {
    /// The token.
    pub token: TokenSummary,
    /// The secret for the header `authorization: Bearer`. It is shown only once.
    pub secret: String,
}

/// A new token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenRequest {
    /// A descriptive name.
    #[schema(min_length = 1, max_length = 100, example = "lab-3")]
    pub name: String,
    /// The kind. A user's token has the permissions of your account.
    pub kind: TokenKind,
    /// The scopes. The default is `ingest:write` for agents, also `read` for CI, and also `project:write` for users.
    pub scopes: Option<Vec<Scope>>,
    /// The project that it is restricted to. Agents and CI need one, unless an administrator creates the token.
    pub project: Option<Slug>,
    /// The machine that an agent's token is restricted to.
    pub machine: Option<Slug>,
    /// The lifetime in days.
    #[schema(minimum = 1, maximum = 3650, default = 90)]
    pub expires_in_days: Option<u32>,
}

/// How to rotate a token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RotateRequest {
    /// How long the old secret stays valid.
    #[schema(minimum = 0, maximum = 168, default = 24)]
    pub overlap_hours: Option<u32>,
}

/// A token in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TokenPath {
    /// The token's number.
    pub token_id: i64,
}

/// The tokens that you can manage: your own, those of projects that you maintain, and all as an administrator.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "tokens", params(Page),
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 200, description = "The tokens", body = TokenList))
)]
pub(crate) async fn list_tokens(
    State(state): State<AppState>,
    caller: Caller,
    paged: Paged<NoFilter, i64>,
) -> Result<Json<TokenList>, ApiError> {
    let after = paged.after.unwrap_or_default();
    let rows = db::token::list(&state.pool, &caller.visible_tokens()?, after, paged.row_limit()).await?;
    let (tokens, next_after) = paged.cut(rows, |row| row.token_id);
    Ok(Json(TokenList { tokens, next_after }))
}

/// Creates a token.
#[utoipa::path(post, path = "/api/v1/tokens", tag = "tokens", request_body = TokenRequest,
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The token, with its secret, shown once", body = IssuedToken),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn create_token(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<TokenRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let TokenRequest { name, kind, scopes, project, machine, expires_in_days } = request;
    let name = parsed_name(&name)?;
    let scopes = scopes.unwrap_or_else(|| kind.default_scopes().to_vec());
    if let Some(foreign) = scopes.iter().find(|scope| !kind.scopes().contains(scope)) {
        return Err(ApiError::parameter(
            "scopes",
            format!("a token of the kind {kind} cannot have {foreign}"),
        ));
    }
    if scopes.is_empty() {
        return Err(ApiError::parameter("scopes", "no scopes: expected at least one"));
    }
    if machine.is_some() && kind != TokenKind::Agent {
        return Err(ApiError::parameter("machine", "only agents' tokens can be bound to a machine"));
    }
    let days = within("expires_in_days", expires_in_days.unwrap_or(TOKEN_DAYS_DEFAULT), 1..=TOKEN_DAYS_MAX)?;
    let visibility = match &project {
        Some(project) => {
            db::access::owner::project(&state.pool, project.as_str()).await?.map(|found| found.visibility)
        }
        None => None,
    };
    let text = |slug: &Option<Slug>| slug.as_ref().map(ToString::to_string);
    let binding = Binding { project: text(&project), machine: text(&machine) };
    let account_id = match kind {
        TokenKind::User => Some(caller.check_account(Scope::Admin)?.account_id),
        TokenKind::Agent | TokenKind::Ci => None,
    };
    let managed =
        ManagedToken { kind, account_id, scopes: &scopes, project: binding.project.as_deref(), visibility };
    let unknown = binding.project.as_deref().unwrap_or_default();
    caller.check_issue(&managed).map_err(|refusal| ApiError::refused(refusal, Kind::Project, unknown))?;

    let expires_at = Some(Utc::now() + TimeDelta::days(days.into()));
    let new = NewToken { name, kind, account_id, scopes: &scopes, binding: &binding, expires_at };
    let (token, issued) = tokens::issue_token(&state.pool, &caller.by(), &new).await?;
    let answer = IssuedToken { token, secret: issued.secret.expose().to_owned() };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, no_store())], Json(answer)))
}

/// Replaces a token's secret and renews its lifetime. The old secret stays valid during the overlap.
#[utoipa::path(
    post, path = "/api/v1/tokens/{token_id}/rotate", tag = "tokens", params(TokenPath), request_body = RotateRequest,
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses(
    (status = 200, description = "The token, with its new secret, shown once", body = IssuedToken),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn rotate_token(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<TokenPath>,
    Body(request): Body<RotateRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let hours = within(
        "overlap_hours",
        request.overlap_hours.unwrap_or(OVERLAP_HOURS_DEFAULT),
        0..=OVERLAP_HOURS_MAX,
    )?;
    let overlap = TimeDelta::hours(hours.into());
    let (by, changer) = (caller.by(), Changer::Caller(&caller));
    let (token, issued) = tokens::rotate_token(&state.pool, changer, &by, path.token_id, overlap).await?;
    let answer = IssuedToken { token, secret: issued.secret.expose().to_owned() };
    Ok(([(header::CACHE_CONTROL, no_store())], Json(answer)))
}

/// Revokes a token immediately, and ends its sessions.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{token_id}", tag = "tokens", params(TokenPath),
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 204, description = "The token is revoked"))
)]
pub(crate) async fn revoke_token(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<TokenPath>,
) -> Result<StatusCode, ApiError> {
    tokens::revoke_token(&state.pool, Changer::Caller(&caller), &caller.by(), path.token_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn parsed_name(name: &str) -> Result<&str, ApiError> {
    if (1..=NAME_BYTES_MAX).contains(&name.len()) && !name.contains(char::is_control) {
        return Ok(name);
    }
    let detail = format!("expected 1 to {NAME_BYTES_MAX} bytes without control characters");
    Err(ApiError::parameter("name", detail))
}
