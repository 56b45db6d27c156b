//! The `roundtrip-server` program: command line, embedded PostgreSQL and the life of the process. What it serves is
//! the library of this package.
//!
//! # Codemap
//! - [`cli`]: arguments only. [`config`]: what follows from them and from the environment.
//! - [`commands`]: one file a verb. [`database`]: the way to PostgreSQL, whoever runs it.
//! - [`backup`]: all that a database holds, as one file.
//! - [`postgres`]: the embedded PostgreSQL. [`shutdown`]: what asks this program to end.

mod backup;
mod cli;
mod commands;
mod config;
mod database;
mod postgres;
mod shutdown;
mod telemetry;
mod tls;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser};
use cli::{Cli, Command, LogFormat};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

const FAILURE: u8 = 1;
const USAGE: u8 = 2;
/// How long threads may go on after their verb has ended.
const THREADS_TIMEOUT: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // Whoever closed standard error does not want to know.
            let _ = writeln!(std::io::stderr(), "error: {}", sentence(&error));
            ExitCode::from(if error.is::<config::UsageError>() { USAGE } else { FAILURE })
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    let format = cli.log_format;
    match cli.command {
        // It runs beside the server, whose log is not its own.
        Command::PostgresGuard(arguments) => return postgres::guard::run(&arguments),
        Command::Openapi => print(roundtrip_server::router::document_json().trim_end())?,
        Command::Manual(manual) => {
            roundtrip_manual::write(Cli::command(), &manual).context("cannot write the manual")?;
        }
        Command::Serve(arguments) => in_runtime(format, commands::serve::serve(*arguments))?,
        Command::Postgres(arguments) => in_runtime(format, commands::postgres::postgres(arguments))?,
        Command::Migrate(arguments) => in_runtime(format, commands::migrate::migrate(arguments))?,
        Command::Backup(arguments) => in_runtime(format, commands::backup::backup(arguments))?,
        Command::Restore(arguments) => in_runtime(format, commands::restore::restore(arguments))?,
        Command::Prune(arguments) => in_runtime(format, commands::prune::prune(arguments))?,
        Command::Github { command } => in_runtime(format, commands::github::github(command))?,
        Command::Retention(arguments) => in_runtime(format, commands::retention::retention(arguments))?,
        Command::Seed(arguments) => in_runtime(format, commands::seed::seed(arguments))?,
        Command::Token { command } => in_runtime(format, commands::token::token(command))?,
        Command::Trust { command } => in_runtime(format, commands::trust::trust(command))?,
        Command::Account { command } => in_runtime(format, commands::account::account(command))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn in_runtime(format: LogFormat, verb: impl Future<Output = Result<()>>) -> Result<()> {
    // Dropped last: it sends what the verb did.
    let _traces = telemetry::start(format)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let result = runtime.block_on(verb);
    // A thread that waits for standard input has nothing to tidy up, and may wait for ever.
    runtime.shutdown_timeout(THREADS_TIMEOUT);
    result
}

/// Prints a line for the program that reads this one's output, at once.
fn print(line: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).context("cannot write to standard output")
}

/// What went wrong and why, in one line, so that another program can pass it on.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Some errors name their cause themselves, and some bring line breaks along.
        let cause = cause.split_whitespace().collect::<Vec<_>>().join(" ");
        if sentence.is_empty() {
            sentence = cause;
        } else if !sentence.contains(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_and_names_each_cause_once() {
        let error =
            anyhow::anyhow!("refused\n  by it").context("no answer: refused by it").context("no data");
        assert_eq!(sentence(&error), "no data: no answer: refused by it");
    }
}
