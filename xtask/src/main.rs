//! `cargo xtask <verb>`: the project's automation, in Rust because it must run on four operating systems.
//!
//! # Codemap
//! Verbs import what is below them, never each other; only `test` also runs the checks of other verbs, and `gen` writes the page
//! of promises.
//! - Verbs: [`up`], [`mod@test`], [`chaos`], [`cross`], [`mod@bench`], [`screenshots`], [`action`], [`lab`], [`compose`],
//!   [`docs`], [`fmt`], [`tidy`], [`generate`].
//! - Verbs of checks: [`fixture`] is what they run on; [`linters`], [`workflow`]: GitHub's files.
//! - Built or fetched, each only when its inputs changed ([`stamp`]): [`web`], [`programs`], [`postgres_binaries`], [`chromium`],
//!   [`debian`], [`python`].
//! - Of `up`: [`preflight`], [`server`], [`measure`].
//! - Steps that pass or fail, and their sum: [`tally`], [`counts`].
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
mod linters;
mod measure;
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

/// Builds, runs and checks Roundtrip.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build everything, start the server, measure the checked-out commit and serve until Ctrl-C.
    Up(up::Options),
    /// Format, lint and test what changed and what depends on it.
    Check,
    /// Run what a pull request needs; `--all` runs everything. The last line is `N passed, N failed`.
    Test(test::Options),
    /// Inject faults and report which promises held; ends with what was lost.
    Chaos(chaos::Options),
    /// Lint, link and, under emulators, test the programs for other systems; needs Debian 12 on x86-64.
    Cross(cross::Options),
    /// Measure the budgets; exit code 3 when one is missed.
    Bench(bench::Options),
    /// Take screenshots of every page for the docs, with results that are measured here.
    Screenshots(screenshots::Options),
    /// Lint workflows and actions, and run the action for GitHub against a local server.
    Action,
    /// Run the loop of a pull request: a server, two agents that measure, and a simulated GitHub.
    Lab,
    /// Bring `docker-compose.yml` up with podman: upload, replace servers under load, measure in a container, restore; needs
    /// Debian 12 and root.
    Compose,
    /// Run the commands of the docs on machines that are thrown away; needs Debian 12 and root.
    Docs(docs::Options),
    /// Format the Rust and web sources.
    Fmt,
    /// Check the rules of the tree that no compiler holds.
    Tidy,
    /// Regenerate the API document and the web client's types from the server.
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
