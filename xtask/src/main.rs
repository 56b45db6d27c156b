//! `cargo xtask <verb>`: the project's automation. In Rust, because it runs on four operating systems.
//!
//! # Codemap
//! Verbs import the modules below them, never each other. Exceptions: `test` also runs the checks of other
//! verbs, and `gen` writes the page of promises.
//! - Verbs: [`up`], [`mod@test`], [`chaos`], [`cross`], [`mod@bench`], [`screenshots`], [`action`], [`lab`],
//!   [`compose`], [`libraries`], [`notebooks`], [`docs`], [`fmt`], [`tidy`], [`generate`].
//! - For checks: [`fixture`], their environment; [`linters`]; [`workflow`], GitHub's files.
//! - Built or fetched, only after a change of inputs ([`stamp`]): [`web`], [`programs`],
//!   [`postgres_binaries`], [`chromium`], [`debian`], [`python`].
//! - For `up`: [`preflight`], [`server`], [`measure`].
//! - Results of steps: [`tally`], [`counts`].
//! - Programs and the machine: [`tool`], [`interrupt`], [`screen`], [`workspace`], [`platform`], [`http`].

mod action;
mod bench;
mod chaos;
mod chromium;
mod compose;
mod counts;
mod cross;
mod debian;
mod docs;
mod fixture;
mod fmt;
mod generate;
mod http;
mod interrupt;
mod lab;
mod libraries;
mod linters;
mod measure;
mod notebooks;
mod platform;
mod postgres_binaries;
mod preflight;
mod programs;
mod python;
mod screen;
mod screenshots;
mod server;
mod stamp;
mod tally;
mod test;
mod tidy;
mod tool;
mod up;
mod web;
mod workflow;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Build, run and test Roundtrip.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build everything, measure the checked-out commit and serve the results.
    Up(up::Options),
    /// Format, lint and test changes and their dependents.
    Check,
    /// Run the tests for a pull request, or all tests with --all.
    Test(test::Options),
    /// Inject faults and report broken durability promises.
    Chaos(chaos::Options),
    /// Lint, link and test for other systems (Debian 12, x86-64).
    Cross(cross::Options),
    /// Measure performance budgets; exit code 3 if one is missed.
    Bench(bench::Options),
    /// Take the screenshots for the docs, with results from this machine.
    Screenshots(screenshots::Options),
    /// Lint workflows and run the GitHub action against a local server.
    Action,
    /// Run a pull request from push to comment, with a simulated GitHub.
    Lab,
    /// Test docker-compose.yml with podman (Debian 12, root).
    Compose,
    /// Build programs that use IPC libraries, and check that they deliver every message.
    Libraries(libraries::Options),
    /// Test `roundtrip export` and the Python client with a server.
    Notebooks,
    /// Run the commands of the docs on throw-away machines (Debian 12, root).
    Docs(docs::Options),
    /// Format Rust and web sources.
    Fmt,
    /// Check project rules that no compiler or linter covers.
    Tidy,
    /// Regenerate the API document, types, schema and reference pages.
    Gen,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = interrupt::install().and_then(|()| match arguments.verb {
        Verb::Up(options) => up::up(&options),
        Verb::Check => test::check(),
        Verb::Test(options) => test::test(&options),
        Verb::Chaos(options) => chaos::chaos(&options),
        Verb::Cross(options) => cross::cross(&options),
        Verb::Bench(options) => bench::bench(&options),
        Verb::Screenshots(options) => screenshots::screenshots(&options),
        Verb::Action => action::action(),
        Verb::Lab => lab::lab(),
        Verb::Compose => compose::compose(),
        Verb::Libraries(options) => libraries::libraries(&options),
        Verb::Notebooks => notebooks::notebooks(),
        Verb::Docs(options) => docs::docs(&options),
        Verb::Fmt => fmt::fmt(),
        Verb::Tidy => tidy::tidy(),
        Verb::Gen => generate::generate(),
    });
    match outcome {
        Ok(code) => code,
        Err(_) if interrupt::requested() => ExitCode::from(interrupt::EXIT_CODE),
        Err(error) => {
            screen::error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
