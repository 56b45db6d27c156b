//! Short links to pages of the web UI with their settings.

use super::previews;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, http::Uri};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::access::Scope;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

const PATH_BYTES_MAX: usize = 2_000;
/// The number of digits of a code, for 40 bits.
const CODE_DIGITS: usize = 10;

/// A page to link to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkRequest {
    /// The path and query, as in the address bar after the server's name. At most 2,000 bytes.
    #[schema(value_type = String, pattern = "^/", max_length = 2000, example = "/libfoo/series/7?tables=trend")]
    pub path: PagePath,
}

/// A short link.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Link {
    /// The code, the same for the same path.
    #[schema(example = "3fa9c01b2e")]
    pub code: String,
    /// The path to share, to be appended to the server's address.
    #[schema(example = "/l/3fa9c01b2e")]
    pub url: String,
}

/// A short link in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct LinkPath {
    /// The code.
    #[param(example = "3fa9c01b2e")]
    pub code: String,
}

/// The path and query of a page on this server, never another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PagePath(String);

/// The reason why a text is not a page's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidPagePath {
    /// It does not begin with `/`, or browsers would read it as another server's name.
    #[error("expected a path on this server that begins with one `/`")]
    Elsewhere,
    /// The API has no pages.
    #[error("expected a page of the web interface")]
    NoPage,
    /// It has a character that is not allowed in addresses.
    #[error("expected printable ASCII without `\\`; percent-encode other characters")]
    Character,
    /// It is too long.
    #[error("expected at most {PATH_BYTES_MAX} bytes")]
    TooLong,
}

/// Creates a short link, for users with an account. The same path always gets the same link.
#[utoipa::path(post, path = "/api/v1/links", tag = "links", request_body = LinkRequest,
    security(("token" = ["read"]), ("session" = [])), responses(
    (status = 201, description = "Created", body = Link),
    (status = 200, description = "The link already existed", body = Link),
))]
pub(crate) async fn create_link(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<LinkRequest>,
) -> Result<(StatusCode, Json<Link>), ApiError> {
    // Links stay, so strangers and programs must not be able to store them.
    caller.check_account(Scope::Read)?;
    for code in codes(&request.path) {
        if let Some(is_new) = db::link::keep(&state.pool, &code, &request.path.0).await? {
            let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
            return Ok((status, Json(Link { url: format!("/l/{code}"), code })));
        }
    }
    Err(ApiError::internal(anyhow::anyhow!("other paths have all codes of {}", request.path.0)))
}

/// Redirects to the page of a short link. The status is 302, because browsers keep permanent redirects, and pages may
/// move.
#[utoipa::path(get, path = "/l/{code}", tag = "links", params(LinkPath), responses(
    (status = 302, description = "To the page", headers(("location" = String, description = "Path and query"))),
    (status = 200, description = "A page of the project named `l`", body = String, content_type = "text/html"),
))]
pub(crate) async fn follow_link(
    State(state): State<AppState>,
    Path(path): Path<LinkPath>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // A text that cannot be a code is a page of the project named `l`.
    if path.code.len() != CODE_DIGITS || !path.code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(previews::page(&state, &uri, &headers).await);
    }
    let code = path.code.to_ascii_lowercase();
    let page = db::link::find(&state.pool, &code).await?;
    let page = page.ok_or_else(|| ApiError::unknown(Kind::Link, path.code))?;
    Ok((StatusCode::FOUND, [(header::LOCATION, page)]).into_response())
}

/// The candidate codes of a path. It gets the first free one, permanently.
fn codes(path: &PagePath) -> Vec<String> {
    let digits = hex::encode(Sha256::digest(&path.0));
    digits
        .as_bytes()
        .chunks_exact(CODE_DIGITS)
        .map(|digits| String::from_utf8_lossy(digits).into_owned())
        .collect()
}

impl TryFrom<String> for PagePath {
    type Error = InvalidPagePath;

    fn try_from(path: String) -> Result<Self, InvalidPagePath> {
        if path.len() > PATH_BYTES_MAX {
            return Err(InvalidPagePath::TooLong);
        }
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(InvalidPagePath::Elsewhere);
        }
        // Browsers read `\` as `/`.
        if !path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
            return Err(InvalidPagePath::Character);
        }
        let first = path[1..].split(['/', '?', '#']).next();
        if matches!(first, Some("api" | "l")) { Err(InvalidPagePath::NoPage) } else { Ok(Self(path)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str) -> Result<PagePath, InvalidPagePath> {
        PagePath::try_from(path.to_owned())
    }

    #[test]
    fn accepts_only_pages_of_this_server() {
        for path in ["/", "/libfoo", "/libfoo/series/7?tables=trend#top", "/api-tools", "/a?next=//b", "/%2F"]
        {
            assert!(parse(path).is_ok(), "{path}");
        }
        for path in ["", "libfoo", "//evil.example", "https://evil.example", "javascript:alert(1)"] {
            assert_eq!(parse(path), Err(InvalidPagePath::Elsewhere), "{path}");
        }
        for path in ["/\\evil.example", "/a b", "/a\r\nx-header: b", "/ä", "/\u{7f}"] {
            assert_eq!(parse(path), Err(InvalidPagePath::Character), "{path}");
        }
        for path in ["/api", "/api/v1/projects", "/api?x", "/l/3fa9c01b2e"] {
            assert_eq!(parse(path), Err(InvalidPagePath::NoPage), "{path}");
        }
        assert!(parse(&format!("/{}", "a".repeat(1_999))).is_ok());
        assert_eq!(parse(&format!("/{}", "a".repeat(2_000))), Err(InvalidPagePath::TooLong));
    }

    #[test]
    fn path_has_several_candidate_codes() {
        let codes = codes(&parse("/libfoo").unwrap());
        assert_eq!(codes.len(), 6);
        assert!(codes.iter().all(|code| code.len() == CODE_DIGITS));
    }
}
