//! Accounts, managed by the server's administrators.

use super::session::no_store;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Json as Body, NoFilter, Page, Paged, Path};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use roundtrip_domain::audited;
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_storage as db;
use roundtrip_storage::account::AccountSummary;
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum length of a GitHub login. It leaves room for an enterprise's suffix.
const LOGIN_BYTES_MAX: usize = 100;

/// All accounts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AccountList {
    /// By name.
    pub accounts: Vec<AccountSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<String>>,
}

/// A new account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountRequest {
    /// The account's name.
    pub name: Slug,
    /// The GitHub login. Without one, the answer contains a token.
    #[schema(example = "ada-lovelace")]
    pub github_login: Option<String>,
    /// Whether the account is an administrator of this server.
    #[serde(default)]
    pub is_admin: bool,
}

/// A new account.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewAccount {
    /// The account.
    pub account: AccountSummary,
    /// A token with all permissions of the account, valid for 90 days and shown only once; null for sign-in with
    /// GitHub.
    #[schema(required)]
    pub token: Option<String>,
}

/// An account in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AccountPath {
    /// The account's name.
    pub account: Slug,
}

/// All accounts.
#[utoipa::path(get, path = "/api/v1/accounts", tag = "accounts", params(Page),
    security(("token" = ["admin"]), ("session" = [])),
    responses((status = 200, description = "All accounts, by name", body = AccountList))
)]
pub(crate) async fn list_accounts(
    State(state): State<AppState>,
    caller: Caller,
    paged: Paged<NoFilter, String>,
) -> Result<Json<AccountList>, ApiError> {
    caller.check_server_admin()?;
    let after = paged.after.as_deref().unwrap_or_default();
    let rows = db::account::list(&state.pool, after, paged.row_limit()).await?;
    let (accounts, next_after) = paged.cut(rows, |row| row.name.clone());
    Ok(Json(AccountList { accounts, next_after }))
}

/// Creates an account. Signing in does not create one.
#[utoipa::path(post, path = "/api/v1/accounts", tag = "accounts", request_body = AccountRequest,
    security(("token" = ["admin"]), ("session" = [])),
    responses(
    (status = 201, description = "The account", body = NewAccount),
    (status = 409, description = "`taken`: another account has the name or the login"),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn create_account(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<AccountRequest>,
) -> Result<impl IntoResponse, ApiError> {
    caller.check_server_admin()?;
    if let Some(login) = &request.github_login {
        check_login(login)?;
    }
    let created = audited::create_account(
        &state.pool,
        &caller.by(),
        request.name.as_str(),
        request.github_login.as_deref(),
        request.is_admin,
    )
    .await?;
    let (account, token) = created.ok_or_else(|| {
        DomainError::Taken(format!("the name {} or the login is another account's", request.name))
    })?;
    let token = token.map(|issued| issued.secret.expose().to_owned());
    let answer = NewAccount { account, token };
    Ok((StatusCode::CREATED, [(header::CACHE_CONTROL, no_store())], Json(answer)))
}

/// Deletes an account with its tokens, sessions and roles.
#[utoipa::path(delete, path = "/api/v1/accounts/{account}", tag = "accounts", params(AccountPath),
    security(("token" = ["admin"]), ("session" = [])),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete_account(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AccountPath>,
) -> Result<StatusCode, ApiError> {
    caller.check_server_admin()?;
    if !audited::delete_account(&state.pool, &caller.by(), path.account.as_str()).await? {
        return Err(ApiError::unknown(Kind::Account, &path.account));
    }
    Ok(StatusCode::NO_CONTENT)
}

fn check_login(login: &str) -> Result<(), ApiError> {
    let is_login = (1..=LOGIN_BYTES_MAX).contains(&login.len())
        && login.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_login {
        return Ok(());
    }
    Err(ApiError::parameter("github_login", "expected a GitHub login: letters, digits, - and _"))
}
