//! OIDC for CI jobs: which jobs a project trusts, and the exchange of their tokens for ours.

use super::permitted;
use super::projects::ProjectPath;
use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, NoFilter, Page, Paged, Path};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use chrono::{DateTime, Utc};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::tokens;
use roundtrip_domain::error::Kind;
use roundtrip_domain::oidc::{Invalid, Verifier};
use roundtrip_storage as db;
use roundtrip_storage::access::Scope;
use roundtrip_storage::oidc::{New, OidcTrust, Patterns};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

const TEXT_BYTES_MAX: usize = 500;

/// A CI job's signed token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExchangeRequest {
    /// A JSON web token of the configured issuer, whose audience is this server.
    pub token: String,
    /// The project to upload to. Required if several trust the job.
    pub project: Option<Slug>,
}

/// A server token for a job.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExchangedToken {
    /// The secret for the header `authorization: Bearer`. It is shown only once.
    pub token: String,
    /// The project that the token is restricted to.
    pub project: String,
    /// The scopes.
    pub scopes: Vec<Scope>,
    /// The expiry time.
    pub expires_at: DateTime<Utc>,
}

/// Jobs that a project trusts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OidcTrustList {
    /// The trusts, in the order of creation.
    pub trusts: Vec<OidcTrust>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// CI jobs to trust. In a pattern, `*` matches any characters.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OidcTrustRequest {
    /// The repository's name, for display only.
    #[schema(max_length = 500, example = "octo/lib")]
    pub repository: String,
    /// The repository's number: `gh api repos/octo/lib --jq .id`.
    pub repository_id: i64,
    /// The id of the repository's owner: `gh api repos/octo/lib --jq .owner.id`.
    pub repository_owner_id: i64,
    /// Pattern for the workflow's file and ref. The default is any.
    #[schema(max_length = 500, example = "octo/lib/.github/workflows/*@refs/heads/main")]
    pub workflow_ref: Option<String>,
    /// Pattern for the job's ref. The default is any.
    #[schema(max_length = 500, example = "refs/heads/*")]
    pub git_ref: Option<String>,
    /// Pattern for the job's environment. The default is any, or none.
    #[schema(max_length = 500, example = "lab")]
    pub environment: Option<String>,
}

/// A trust in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OidcTrustPath {
    /// The project's name.
    pub project: Slug,
    /// The trust's number.
    pub oidc_trust_id: i64,
}

/// Exchanges a CI job's token for a server token that is valid for 15 minutes. Each job token can be exchanged once. Jobs
/// for `workflow_run` may follow code from a fork: their token only uploads quarantined runs.
#[utoipa::path(post, path = "/api/v1/oidc/exchange", tag = "tokens", request_body = ExchangeRequest, security(()),
    responses(
    (status = 201, description = "A token of the kind `ci`, bound to the project", body = ExchangedToken),
    (status = 400, description = "`invalid-parameter`: several projects trust the job; name one"),
    (status = 401, description = "The job's token is invalid, expired or already exchanged"),
    (status = 403, description = "No project trusts the job, or its event can run untrusted code"),
    (status = 404, description = "Not configured on this server"),
    (status = 503, description = "The issuer's keys cannot be read"),
))]
pub(crate) async fn exchange(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<ExchangeRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let verifier = verifier(&state)?;
    state.auth.limits.check_failures(caller.client())?;
    let wrong = |why| state.auth.limits.failed(caller.client(), why);
    let claims = verifier.verify(&request.token).await.map_err(|invalid| match invalid {
        Invalid::Token(why) => wrong(why),
        Invalid::Issuer(cause) => ApiError::unavailable(cause),
    })?;
    let project = request.project.as_ref().map(Slug::as_str);
    let exchanged =
        tokens::exchange_token(&state.pool, &caller.by(), verifier.issuer(), &claims, project).await?;
    let Some(exchanged) = exchanged else {
        return Err(wrong("the job's token was already exchanged: request another one"));
    };
    let exchanged = ExchangedToken {
        token: exchanged.secret.expose().to_owned(),
        project: exchanged.project,
        scopes: exchanged.scopes.to_vec(),
        expires_at: exchanged.expires_at,
    };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, no_store())], Json(exchanged)))
}

/// The jobs that a project trusts.
#[utoipa::path(get, path = "/api/v1/projects/{project}/oidc-trusts", tag = "tokens", params(ProjectPath, Page),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 200, description = "The trusts, in the order of creation", body = OidcTrustList))
)]
pub(crate) async fn list_oidc_trusts(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<NoFilter, i64>,
) -> Result<Json<OidcTrustList>, ApiError> {
    let project = permitted::project(&state, &caller, Action::ManageTokens, &path.project).await?;
    let after = paged.after.unwrap_or_default();
    let rows = db::oidc::list(&state.pool, Some(&project.project), after, paged.row_limit()).await?;
    let (trusts, next_after) = paged.cut(rows, |row| row.oidc_trust_id);
    Ok(Json(OidcTrustList { trusts, next_after }))
}

/// Trusts jobs of a repository: they may upload to the project.
#[utoipa::path(post, path = "/api/v1/projects/{project}/oidc-trusts", tag = "tokens", params(ProjectPath),
    request_body = OidcTrustRequest, security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The trust", body = OidcTrust),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
    (status = 404, description = "The project does not exist, or this is not configured"),
))]
pub(crate) async fn create_oidc_trust(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(request): Body<OidcTrustRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let project = permitted::project(&state, &caller, Action::ManageTokens, &path.project).await?;
    let verifier = verifier(&state)?;
    let OidcTrustRequest {
        repository,
        repository_id,
        repository_owner_id,
        workflow_ref,
        git_ref,
        environment,
    } = request;
    check_text("repository", Some(&repository))?;
    check_text("workflow_ref", workflow_ref.as_ref())?;
    check_text("git_ref", git_ref.as_ref())?;
    check_text("environment", environment.as_ref())?;
    let new = New {
        project: &project.project,
        issuer: verifier.issuer(),
        repository: &repository,
        repository_id,
        repository_owner_id,
        patterns: &Patterns { workflow_ref, git_ref, environment },
    };
    let trust = tokens::create_oidc_trust(&state.pool, &caller.by(), &new).await?;
    Ok((StatusCode::CREATED, Json(trust)))
}

/// Removes a trust and revokes its tokens.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/oidc-trusts/{oidc_trust_id}", tag = "tokens", params(OidcTrustPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "The trust is removed, and its tokens are revoked"))
)]
pub(crate) async fn delete_oidc_trust(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OidcTrustPath>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::ManageTokens, &path.project).await?;
    let is_meant = |row: &OidcTrust| row.project == project.project;
    let trust = path.oidc_trust_id;
    tokens::delete_oidc_trust(&state.pool, &caller.by(), trust, is_meant)
        .await?
        .ok_or_else(|| ApiError::unknown(Kind::OidcTrust, trust))?;
    Ok(StatusCode::NO_CONTENT)
}

fn verifier(state: &AppState) -> Result<Arc<Verifier>, ApiError> {
    state.oidc.clone().ok_or_else(|| ApiError::unknown(Kind::SignIn, "OIDC is not configured on this server"))
}

fn check_text(name: &str, text: Option<&String>) -> Result<(), ApiError> {
    let is_right =
        |text: &String| (1..=TEXT_BYTES_MAX).contains(&text.len()) && !text.contains(char::is_control);
    if text.is_none_or(is_right) {
        return Ok(());
    }
    let detail = format!("expected 1 to {TEXT_BYTES_MAX} bytes without control characters");
    Err(ApiError::parameter(name, detail))
}
