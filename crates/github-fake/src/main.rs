//! `github-fake`: a GitHub for demonstrations, told by HTTP what happens there.

use anyhow::{Context, Result};
use clap::Parser;
use roundtrip_github_fake::{APP_KEY, FakeGitHub, Settings};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A GitHub for tests and demonstrations. `POST /_fake/...` says what happens there.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:7980")]
    address: SocketAddr,
    /// Below which path the API is.
    #[arg(long, default_value = "/api/v3")]
    prefix: String,
    /// The number of the App.
    #[arg(long, default_value_t = 123_456)]
    app_id: u64,
    /// With which events are signed.
    #[arg(long, default_value = "It's a Secret to Everybody")]
    webhook_secret: String,
    /// Where events are sent to.
    #[arg(long, value_name = "URL")]
    webhook_url: Option<String>,
    /// Bare repositories, OWNER/NAME.git.
    #[arg(long, value_name = "DIR")]
    git_dir: Option<PathBuf>,
    /// Write the private key of the App there.
    #[arg(long, value_name = "FILE")]
    write_key: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(file) = &arguments.write_key {
        std::fs::write(file, APP_KEY).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let fake = FakeGitHub::start(Settings {
        address: arguments.address,
        prefix: arguments.prefix,
        app_id: arguments.app_id,
        webhook_secret: arguments.webhook_secret,
        git_dir: arguments.git_dir,
        webhook_url: arguments.webhook_url,
    });
    println!("GitHub is at {}, its API at {}", fake.url(), fake.api_url());
    loop {
        std::thread::park();
    }
}
