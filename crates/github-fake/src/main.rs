//! `github-fake`: a GitHub for demonstrations, controlled by HTTP.

use anyhow::{Context, Result};
use clap::Parser;
use roundtrip_github_fake::{APP_KEY, FakeGitHub, Settings};
use std::path::PathBuf;

/// A GitHub for tests and demonstrations, controlled by `POST /_fake/...`.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
    /// Write the private key of the App there.
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
