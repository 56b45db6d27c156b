//! The `roundtrip-server` program: command line, embedded PostgreSQL, start and stop. The library of this package
//! handles requests.
//!
//! # Codemap
//! - [`cli`]: arguments. [`config`]: settings derived from arguments and environment.
//! - [`commands`]: one file per command. [`database`]: connections to PostgreSQL.
//! - [`backup`]: the format of backups.
//! - [`postgres`]: the embedded PostgreSQL. [`shutdown`]: signals that stop the program.

mod backup;
mod cli;
mod commands;
mod config;
mod connections;
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
/// The maximum wait for threads after the command has ended.
const THREADS_TIMEOUT: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    return_large_blocks();
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "error: {}", sentence(&error));
            ExitCode::from(if error.is::<config::UsageError>() { USAGE } else { FAILURE })
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    let Cli { log_format: format, data, command } = cli;
    match command {
        // It does not use the server's log.
        Command::PostgresGuard(arguments) => return postgres::guard::run(&arguments),
        Command::Openapi => print(roundtrip_server::router::document_json().trim_end())?,
        Command::Manual(manual) => {
            roundtrip_manual::write(Cli::command(), &manual).context("cannot write the manual")?;
        }
        Command::Serve(arguments) => in_runtime(format, commands::serve::serve(*arguments, &data))?,
        Command::Postgres(arguments) => in_runtime(format, commands::postgres::postgres(arguments, &data))?,
        Command::Migrate { distributed } => {
            in_runtime(format, commands::migrate::migrate(distributed, &data))?;
        }
        Command::Backup(arguments) => in_runtime(format, commands::backup::backup(arguments, &data))?,
        Command::Restore(arguments) => in_runtime(format, commands::restore::restore(arguments, &data))?,
        Command::Prune { dry_run } => in_runtime(format, commands::prune::prune(dry_run, &data))?,
        Command::Github { command } => in_runtime(format, commands::github::github(command, &data))?,
        Command::Retention(arguments) => {
            in_runtime(format, commands::retention::retention(arguments, &data))?;
        }
        Command::Site(arguments) => in_runtime(format, commands::site::site(arguments))?,
        Command::ImportSite(arguments) => in_runtime(format, commands::site::import_site(arguments, &data))?,
        Command::Seed(plan) => in_runtime(format, commands::seed::seed(plan, &data))?,
        Command::Token { command } => in_runtime(format, commands::token::token(command, &data))?,
        Command::Trust { command } => in_runtime(format, commands::trust::trust(command, &data))?,
        Command::Account { command } => in_runtime(format, commands::account::account(command, &data))?,
        Command::Project { command } => in_runtime(format, commands::lab::project(command, &data))?,
        Command::Enrolment { command } => in_runtime(format, commands::lab::enrolment(command, &data))?,
        Command::Agent { command } => in_runtime(format, commands::lab::agent(command, &data))?,
        Command::Job { command } => in_runtime(format, commands::lab::job(command, &data))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes glibc return each freed block of 4 MiB or more to the system.
///
/// glibc raises that size to that of the largest block freed so far, up to 32 MiB (mallopt(3)). The bodies of uploads then
/// come from the heap, where smaller blocks keep freed ones resident: up to 426 MiB under attack, instead of 300 MiB.
#[cfg(all(unix, target_env = "gnu"))]
fn return_large_blocks() {
    // Ordinary uploads still come from the heap: at 1 MiB, one of 2.3 MB took 12 % longer.
    const LARGE_BYTES: libc::c_int = 4 * 1024 * 1024;
    // SAFETY: no other thread allocates yet, and both parameters take any size up to 32 MiB.
    #[expect(unsafe_code, reason = "the allocator has no other interface")]
    let are_set = unsafe {
        // The ratio of the defaults: fewer bytes at the end of a heap are kept.
        [
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES),
            libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * LARGE_BYTES),
        ]
    };
    debug_assert_eq!(are_set, [1, 1]);
}

#[cfg(not(all(unix, target_env = "gnu")))]
fn return_large_blocks() {}

fn in_runtime(format: LogFormat, command: impl Future<Output = Result<()>>) -> Result<()> {
    // Dropped last, because dropping sends the traces.
    let _traces = telemetry::start(format)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let result = runtime.block_on(command);
    // A thread that reads standard input may block forever.
    runtime.shutdown_timeout(THREADS_TIMEOUT);
    result
}

/// Prints a line to standard output and flushes it.
fn print(line: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).context("cannot write to standard output")
}

/// The error and its causes in one line.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        // Some errors repeat their cause, and some contain line breaks.
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
    fn failure_is_one_line_with_each_cause_once() {
        let error =
            anyhow::anyhow!("refused\n  by it").context("no answer: refused by it").context("no data");
        assert_eq!(sentence(&error), "no data: no answer: refused by it");
    }
}
