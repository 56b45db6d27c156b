//! The web UI: embedded in release builds, read from `web/dist` in others.

use crate::error::ApiError;
use anyhow::{Context, Result};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use roundtrip_domain::error::Kind;
use rust_embed::{Embed, EmbeddedFile};
use std::borrow::Cow;

const NOT_BUILT: &str = "This server was built without its web interface. Run `cargo xtask up`, or run `npm ci` and \
     `npm run build` in web/ and build the server again. The API is under /api/v1.\n";

const INDEX: &str = "index.html";
/// Tells the web interface to read the files of a site instead of asking a server.
const SITE_MARK: &str = r#"<meta name="roundtrip-site" content="./data/" />"#;

/// Files with a digest of their content in the name.
const HASHED: &str = "assets/";

/// The encodings of files compressed at build time, with their file extensions, smallest first.
const ENCODINGS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

#[derive(Embed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct WebInterface;

/// Returns the file at `path`, compressed if accepted; `None` for the path of a page.
pub(crate) fn file(path: &str, request: &HeaderMap) -> Option<Response> {
    let path = path.trim_start_matches('/');
    if let Some((encoding, file)) = compressed(path, request) {
        let mut response = answer(path, file.data);
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        return Some(response);
    }
    if let Some(file) = WebInterface::get(path) {
        return Some(answer(path, file.data));
    }
    path.starts_with(HASHED).then(|| ApiError::unknown(Kind::Asset, path).into_response())
}

/// Returns `index.html`, which shows the page of every path, with these tags in its head.
pub(crate) fn index(tags: &str) -> Response {
    let Some(file) = WebInterface::get(INDEX) else {
        return (StatusCode::NOT_FOUND, NOT_BUILT).into_response();
    };
    let html = match std::str::from_utf8(&file.data) {
        Ok(html) => html.replacen("</head>", &format!("{tags}</head>"), 1),
        Err(error) => return ApiError::internal(error).into_response(),
    };
    answer(INDEX, html.into_bytes().into())
}

/// The files for a site, with relative addresses, so that any folder of any host can serve them.
///
/// # Errors
/// This program was built without its web interface.
pub(crate) fn site() -> Result<Vec<(String, Vec<u8>)>> {
    let index = WebInterface::get(INDEX).context(NOT_BUILT.trim_end())?;
    let index = std::str::from_utf8(&index.data).context("index.html is not UTF-8")?;
    let relative = index.replace("=\"/", "=\"./");
    let relative = relative.replacen("<head>", &format!("<head>\n    {SITE_MARK}"), 1);
    let is_needed = |path: &str| {
        let is_compressed = ENCODINGS.iter().any(|(_, ending)| path.ends_with(ending));
        path != INDEX && !is_compressed && !path.starts_with(".vite/")
    };
    let files = WebInterface::iter().filter(|path| is_needed(path)).filter_map(|path| {
        let file = WebInterface::get(&path)?;
        Some((path.into_owned(), file.data.into_owned()))
    });
    Ok(files.chain([(INDEX.to_owned(), relative.into_bytes())]).collect())
}

fn answer(path: &str, data: Cow<'static, [u8]>) -> Response {
    let media_type = mime_guess::from_path(path).first_or_octet_stream();
    let caching = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, media_type.as_ref()), (header::CACHE_CONTROL, caching)];
    (headers, data).into_response()
}

/// The file in the first accepted encoding.
fn compressed(path: &str, request: &HeaderMap) -> Option<(&'static str, EmbeddedFile)> {
    ENCODINGS.into_iter().filter(|(encoding, _)| is_accepted(encoding, request)).find_map(
        |(encoding, ending)| WebInterface::get(&format!("{path}{ending}")).map(|file| (encoding, file)),
    )
}

/// Whether a request accepts an encoding by name (RFC 9110, section 12.5.3).
fn is_accepted(encoding: &str, request: &HeaderMap) -> bool {
    let lists = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|entry| {
        let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(encoding) && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_named_encodings_unless_refused() {
        let accepted = |list: &'static str| {
            let mut request = HeaderMap::new();
            request.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(list));
            ENCODINGS.map(|(encoding, _)| is_accepted(encoding, &request))
        };
        assert_eq!(accepted("gzip, deflate, br, zstd"), [true, true]);
        assert_eq!(accepted("gzip;q=0.5, br;q=0"), [false, true]);
        assert_eq!(accepted("br;q=0.000,GZIP ; q=1"), [false, true]);
        assert_eq!(accepted("identity"), [false, false]);
    }
}
