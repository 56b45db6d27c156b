//! The `roundtrip` command: runs the transport suite on this machine and uploads what it measured.
//!
//! # Codemap
//! - `cli`: arguments, and nothing else.
//! - `run`: measures, prints, spools, uploads.  `upload`: one report to a server.  `spool`: reports on disk.
//! - `repository`: what the git repository says of the commit.  `project`: `roundtrip.toml`.
//! - `table`: the report for people.  `progress`: what stands on stderr meanwhile.
//! - `failure`: every failure and its exit code.

mod cli;
mod failure;
mod progress;
mod project;
mod repository;
mod run;
mod spool;
mod table;
mod upload;

use clap::Parser;
use cli::{Cli, Command};
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Upload(arguments) => run::upload(&arguments),
        Command::Peer => return roundtrip_bench::peer::main(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("roundtrip: {failure}");
            failure.exit_code()
        }
    }
}

/// What every verb returns.
type Result<T> = std::result::Result<T, Failure>;
