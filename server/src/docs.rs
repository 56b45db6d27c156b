//! The documentation as Markdown under `/docs/`, and its list `/llms.txt`, for coding agents.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use roundtrip_mcp::docs::{self, Page};

/// The page at this path, or the list; `None` for other paths.
pub(crate) fn serve(path: &str) -> Option<Response> {
    let (media_type, text) = match path {
        "/llms.txt" => ("text/plain; charset=utf-8", docs::llms_txt()),
        path => {
            let page = path.strip_prefix("/docs/").filter(|page| page.ends_with(".md"))?;
            ("text/markdown; charset=utf-8", Page::read(page)?.text)
        }
    };
    Some(([(header::CONTENT_TYPE, media_type)], text).into_response())
}
