//! The `roundtrip-server` program: command line, embedded PostgreSQL and the life of the process. What it serves is
//! the library of this package.
//!
//! # Codemap
//! - [`cli`]: arguments only. [`config`]: what follows from them and from the environment.
//! - [`commands`]: one file a verb. [`database`]: the way to PostgreSQL, whoever runs it.
//! - [`postgres`]: the embedded PostgreSQL. [`lifeline`]: what asks this program to end.

mod cli;
mod commands;
mod config;
mod database;
mod lifeline;
mod postgres;
mod telemetry;

use anyhow::{Context, Result};
use clap::Parser;
use cli::{Cli, Command};
use std::io::Write;
use std::process::ExitCode;

const FAILURE: u8 = 1;
const USAGE: u8 = 2;

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // A cause may bring line breaks along. What went wrong is one line, so that it can be passed on.
            let sentence = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
            // Whoever closed standard error does not want to know.
            let _ = writeln!(std::io::stderr(), "error: {sentence}");
            ExitCode::from(if error.is::<config::UsageError>() { USAGE } else { FAILURE })
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        // It runs beside the server, whose log is not its own.
        Command::PostgresGuard(arguments) => return postgres::guard::run(&arguments),
        Command::Openapi => print(roundtrip_server::openapi::document_json().trim_end())?,
        Command::Serve(arguments) => in_runtime(commands::serve::serve(arguments))?,
        Command::Postgres(arguments) => in_runtime(commands::postgres::postgres(arguments))?,
        Command::Migrate(arguments) => in_runtime(commands::migrate::migrate(arguments))?,
        Command::Token { command } => in_runtime(commands::token::token(command))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn in_runtime(verb: impl Future<Output = Result<()>>) -> Result<()> {
    telemetry::start();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?
        .block_on(verb)
}

/// Prints a line for the program that reads this one's output, at once.
fn print(line: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).context("cannot write to standard output")
}
