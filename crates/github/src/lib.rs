//! GitHub: where people sign in, and whose pull requests are measured.
//!
//! # Codemap
//! - [`sign_in`]: who someone is, by an OAuth app.
//! - [`app`]: the GitHub App, which this server is there: its settings, its proofs, its tokens.
//! - [`client`]: requests to the REST API, and [`client::GitHubError`], with which they fail. [`repository`]: those about one
//!   repository.
//! - [`webhook`]: whether GitHub sent an event, and what it says. [`commands`]: what people ask for, and who is obeyed.
//! - [`worker`]: handles what was told, one event at a time. [`intake`]: what is noted of it.
//! - [`sweep`]: reads what nobody told of.
//! - [`report`]: from what became of these to what there is to say.
//! - [`comment`]: what is said on a pull request. [`reconcile`]: makes GitHub say it.

pub mod app;
pub mod client;
pub mod commands;
pub mod comment;
pub mod intake;
pub mod reconcile;
pub mod report;
pub mod repository;
pub mod sign_in;
mod signature;
pub mod sweep;
pub mod webhook;
pub mod worker;

pub use app::App;
pub use sign_in::{GitHub, Settings};

use anyhow::{Result, ensure};
use std::time::Duration;
use ureq::http::{Request, Response};
use ureq::tls::{RootCerts, TlsConfig};

const API_VERSION: &str = "2022-11-28";

/// An address without what may stand at its end.
fn checked_url(url: &str) -> Result<&str> {
    let url = url.trim_end_matches('/');
    ensure!(
        url.starts_with("https://") || url.starts_with("http://"),
        "`{url}` is no address of GitHub: expected https://HOST"
    );
    Ok(url)
}

fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(timeout))
        // A GitHub of one's own often has a certificate of one's own authority, which the system knows.
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .user_agent(concat!("roundtrip-server/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

fn send(
    agent: &ureq::Agent,
    request: Request<Vec<u8>>,
    answer_bytes_max: u64,
) -> Result<Response<Vec<u8>>, ureq::Error> {
    let (parts, mut body) = agent.run(request)?.into_parts();
    let body = body.with_config().limit(answer_bytes_max).read_to_vec()?;
    Ok(Response::from_parts(parts, body))
}
