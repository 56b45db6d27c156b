//! Serves repositories for `git fetch` with `git http-backend`.

use crate::auth;
use crate::state::Shared;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{OriginalUri, Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use base64::{Engine, prelude::BASE64_STANDARD};
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

pub(crate) fn router() -> Router<Arc<Shared>> {
    Router::new().route("/{owner}/{repo}/{*path}", any(serve))
}

/// Runs `git http-backend` like a web server.
async fn serve(
    State(shared): State<Arc<Shared>>,
    Path((owner, repo, path)): Path<(String, String, String)>,
    OriginalUri(uri): OriginalUri,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Response> {
    let Some(root) = &shared.settings.git_dir else { return Err(auth::not_found()) };
    let name = format!("{owner}/{}", repo.strip_suffix(".git").unwrap_or(&repo));
    if !may_read(&shared, &name, &headers) {
        let ask = [(header::WWW_AUTHENTICATE, "Basic realm=\"GitHub\"")];
        return Err((StatusCode::UNAUTHORIZED, ask, "Repository not found.").into_response());
    }
    let text =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let failed = |_| StatusCode::INTERNAL_SERVER_ERROR.into_response();
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{name}.git/{path}"))
        .env("QUERY_STRING", uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", method.as_str())
        .env("CONTENT_TYPE", text("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", text("content-encoding"))
        .env("GIT_PROTOCOL", text("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut input = child.stdin.take().unwrap();
    let feed = tokio::spawn(async move {
        // The program may close its input before it has read everything.
        let _ = input.write_all(&body).await;
    });
    let output = child.wait_with_output().await.map_err(failed)?;
    let _ = feed.await;
    Ok(response(&output.stdout))
}

fn may_read(shared: &Shared, name: &str, headers: &HeaderMap) -> bool {
    let mut world = shared.world();
    let Some(repository) = world.repositories.get(name) else { return false };
    if !repository.private {
        return true;
    }
    let basic = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let decoded = basic.strip_prefix("Basic ").and_then(|text| BASE64_STANDARD.decode(text).ok());
    let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let Some(token) = decoded.strip_prefix("x-access-token:") else { return false };
    auth::repository(&mut world, token, shared.now(), name, ("contents", "read")).is_ok()
}

/// Converts the output of a CGI program to a response.
fn response(printed: &[u8]) -> Response {
    let end = printed.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(printed.len());
    let (head, body) = printed.split_at(end);
    let mut response = body.get(4..).unwrap_or_default().to_vec().into_response();
    response.headers_mut().remove(header::CONTENT_TYPE);
    for line in String::from_utf8_lossy(head).lines() {
        let Some((name, value)) = line.split_once(": ") else { continue };
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|code| code.parse().ok());
            *response.status_mut() = code.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        } else if let (Ok(name), Ok(value)) = (name.parse::<header::HeaderName>(), value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Points `refs/pull/N/head` to a commit, if the repository exists.
pub(crate) fn set_pull_head(shared: &Shared, repository: &str, number: u64, sha: &str) {
    let Some(root) = &shared.settings.git_dir else { return };
    let folder = root.join(format!("{repository}.git"));
    if folder.exists() {
        let reference = format!("refs/pull/{number}/head");
        let run = std::process::Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["update-ref", &reference, sha])
            .status();
        assert!(run.is_ok_and(|status| status.success()), "git knows no commit {sha}");
    }
}
