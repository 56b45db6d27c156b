//! GitHub: sign-in, and results on pull requests.
//!
//! # Codemap
//! - `sign_in`: authenticates users with an OAuth app.
//! - [`app`]: the GitHub App of this server: settings, JWTs and tokens.
//! - `client`: requests to the REST API, and [`GitHubError`], their errors. `repository`: requests about one repository.
//! - [`webhook`]: verifies and parses deliveries. `commands`: commands in comments, and who may use them.
//! - [`worker`]: handles deliveries, one at a time. `intake`: stores their results.
//! - [`sweep`]: reads the state that no delivery reported.
//! - [`report`]: builds the report of a pull request from its jobs.
//! - [`comment`]: the texts of comments and checks. [`reconcile`]: writes them to GitHub.

pub mod app;
mod client;
mod commands;
pub mod comment;
mod intake;
pub mod reconcile;
pub mod report;
mod repository;
mod sign_in;
mod signature;
pub mod sweep;
pub mod webhook;
pub mod worker;

pub use app::App;
pub use client::GitHubError;
pub use sign_in::{GitHub, Settings};
pub use signature::Signature;

use anyhow::{Result, ensure};
use std::time::Duration;
use ureq::http::{Request, Response};
use ureq::tls::{RootCerts, TlsConfig};

const API_VERSION: &str = "2022-11-28";

/// An address without a trailing slash.
fn checked_url(url: &str) -> Result<&str> {
    let url = url.trim_end_matches('/');
    ensure!(
        url.starts_with("https://") || url.starts_with("http://"),
        "`{url}` is not a valid GitHub address: expected https://HOST"
    );
    Ok(url)
}

fn agent(timeout: Duration) -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(timeout))
        // A self-hosted GitHub often has a certificate from a private authority, which the system trusts.
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
