//! Tokens: made, listed, rotated, revoked. The secret is in the answer that makes it, and nowhere else.

use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Everything, Json as Body, Page, Paged, Path, within};
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

/// The longest name, in bytes.
const NAME_BYTES_MAX: usize = 100;

/// Tokens that have not been revoked.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenList {
    /// In the order of their making.
    pub tokens: Vec<TokenSummary>,
    /// What to pass as `after` for those that follow; null when there are none.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// A token that has just been made, or has a new secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct IssuedToken {
    /// The token.
    pub token: TokenSummary,
    /// What to send after `Bearer`. It cannot be shown again.
    pub secret: String,
}

/// A token to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// What it is for, in a person's words.
    #[schema(min_length = 1, max_length = 100, example = "lab-3")]
    pub name: String,
    /// Who uses it. A user's token has the rights of your account.
    pub kind: TokenKind,
    /// What it allows. Absent: `ingest:write` for agents, `read` and that for CI, both and `project:write` for users.
    pub scopes: Option<Vec<Scope>>,
    /// The only project that it is good for. Tokens of agents and of CI need one, unless an administrator makes them.
    pub project: Option<Slug>,
    /// The only machine that it uploads for. Of agents alone.
    pub machine: Option<Slug>,
    /// When it ceases to be valid.
    #[schema(minimum = 1, maximum = 3650, default = 90)]
    pub expires_in_days: Option<u32>,
}

/// How to rotate a token.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateRequest {
    /// How long the secret of now is accepted beside the new one.
    #[schema(minimum = 0, maximum = 168, default = 24)]
    pub overlap_hours: Option<u32>,
}

/// A token in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TokenPath {
    /// The token's number.
    pub token_id: i64,
}

/// The tokens that you may manage: your own, those of the projects that you maintain, all as an administrator.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "tokens", params(Page),
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 200, description = "The tokens", body = TokenList))
)]
pub(crate) async fn list_tokens(
    State(state): State<AppState>,
    caller: Caller,
    asked: Paged<Everything, i64>,
) -> Result<Json<TokenList>, ApiError> {
    let after = asked.after.unwrap_or_default();
    let rows = db::token::list(&state.pool, &caller.token_sight()?, after, asked.row_limit()).await?;
    let (tokens, next_after) = asked.cut(rows, |row| row.token_id);
    Ok(Json(TokenList { tokens, next_after }))
}

/// Makes a token.
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
        return Err(ApiError::parameter(
            "scopes",
            "a token that allows nothing: expected at least one scope",
        ));
    }
    if machine.is_some() && kind != TokenKind::Agent {
        return Err(ApiError::parameter("machine", "only the tokens of agents are bound to a machine"));
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

/// Gives a token another secret, for as long as it was valid at first. The secret of now is accepted for the overlap.
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

/// Revokes a token: from the next request on it is refused, and the sessions that began with it are over.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{token_id}", tag = "tokens", params(TokenPath),
    security(("token" = ["admin", "project:write"]), ("session" = [])),
    responses((status = 204, description = "It is revoked"))
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
