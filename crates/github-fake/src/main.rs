//! `github-fake`: a fake GitHub for demonstrations, controlled over HTTP.

use anyhow::{Context, Result};
use clap::Parser;
use roundtrip_github_fake::{APP_KEY, FakeGitHub, Settings};
use std::path::PathBuf;

/// Run a fake GitHub, controlled by `POST /_fake/...`.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
    /// Write the App's private key to this file.
    #[arg(long, value_name = "FILE")]
    write_key: Option<PathBuf>,
}

fn main() -> Result<()> {
    let Arguments { settings, write_key } = Arguments::parse();
    if let Some(file) = write_key {
        std::fs::write(&file, APP_KEY).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let fake = FakeGitHub::start(settings);
    println!("GitHub is at {}, its API at {}", fake.url(), fake.api_url());
    loop {
        std::thread::park();
    }
}
