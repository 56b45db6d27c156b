//! The endpoints, by what they are about.

mod app;
mod checks;
mod comments;
mod repositories;

use crate::state::Shared;
use axum::Router;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use axum::{Json, http::Uri};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// The most entries of a page, and how many there are unless it is said.
const PAGE_MAX: usize = 100;
const PAGE_DEFAULT: usize = 30;

pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/app", get(app::get_app))
        .route("/app/installations", get(app::list_installations))
        .route("/app/installations/{id}", get(app::get_installation))
        .route("/app/installations/{id}/access_tokens", post(app::create_token))
        .route("/installation/repositories", get(app::list_repositories))
        .route("/repos/{owner}/{repo}", get(repositories::get_repository))
        .route("/repos/{owner}/{repo}/pulls", get(repositories::list_pulls))
        .route("/repos/{owner}/{repo}/pulls/{number}", get(repositories::get_pull))
        .route("/repos/{owner}/{repo}/commits/{sha}", get(repositories::get_commit))
        .route("/repos/{owner}/{repo}/commits/{sha}/pulls", get(repositories::pulls_of_commit))
        .route("/repos/{owner}/{repo}/collaborators/{user}/permission", get(repositories::get_permission))
        .route(
            "/repos/{owner}/{repo}/issues/{number}/comments",
            get(comments::list_comments).post(comments::create_comment),
        )
        .route("/repos/{owner}/{repo}/issues/comments/{id}", patch(comments::update_comment))
        .route("/repos/{owner}/{repo}/issues/comments/{id}/reactions", post(comments::create_reaction))
        .route("/repos/{owner}/{repo}/check-runs", post(checks::create_check_run))
        .route(
            "/repos/{owner}/{repo}/check-runs/{id}",
            get(checks::get_check_run).patch(checks::update_check_run),
        )
        .route("/repos/{owner}/{repo}/commits/{sha}/check-runs", get(checks::list_check_runs))
        .route("/repos/{owner}/{repo}/statuses/{sha}", post(checks::create_status))
}

/// Which page of a list is asked for.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Page {
    per_page: Option<usize>,
    page: Option<usize>,
}

impl Page {
    /// That page, with the header that leads to the next one.
    fn cut(
        &self,
        uri: &Uri,
        base: &str,
        entries: Vec<Value>,
        wrap: impl Fn(Vec<Value>) -> Value,
    ) -> Response {
        let per_page = self.per_page.unwrap_or(PAGE_DEFAULT).clamp(1, PAGE_MAX);
        let page = self.page.unwrap_or(1).max(1);
        let count = entries.len();
        let entries = entries.into_iter().skip((page - 1) * per_page).take(per_page).collect();
        let mut headers = HeaderMap::new();
        if page * per_page < count {
            let others = uri.query().unwrap_or_default().split('&');
            let others = others.filter(|part| !part.starts_with("page=") && !part.is_empty());
            let mut query: Vec<String> = others.map(str::to_owned).collect();
            query.push(format!("page={}", page + 1));
            let link = format!("<{base}{}?{}>; rel=\"next\"", uri.path(), query.join("&"));
            headers.insert(header::LINK, HeaderValue::from_str(&link).unwrap());
        }
        (headers, Json(wrap(entries))).into_response()
    }
}
