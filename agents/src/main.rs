//! The `roundtrip` command: runs the transport suite on this machine and uploads what it measured.
//!
//! # Codemap
//! - `cli`: arguments, and nothing else.
//! - `run`: measures, and prints.  `delivery`: what a report is of, and where it goes.  `spool`: reports on disk, and one agent a spool.
//! - `upload`: one report to a server.  `ledger`: how many reports servers have acknowledged.
//! - `uploader`: what waits in a spool, to a server.
//! - `enrol`: lets this machine into a lab.  `lab`: measures what the server's queue asks for.
//! - `http`: requests to a server, and pauses between attempts.
//! - `agent`: measures commit after commit until it is told to stop.  `service`: lets the system keep an agent running.
//! - `stop`: whether an agent is to stop, and waiting meanwhile.  `log`: an agent's.
//! - `platform`: what differs between operating systems.
//! - `ci`: what a job of continuous integration is for, and its proof of who it is.  `summary`: what stands on its page.
//! - `repository`: what the git repository says of the commit.  `settings`: `roundtrip.toml`.
//! - `doctor`: what makes this machine noisy.  `list`: what there is to measure.
//! - `table`: the report for people.
//! - `node`: which `node`s are measured.  `build`: what builds a repository's programs.
//! - `import`: what other tools have measured.
//! - `ab`: two sides measured in turn.  `compare`: two reports.  `comparison`: what both print.
//! - `advise`: which transport is best for messages of given sizes.
//! - `detect`: where the values of a CSV file change.
//! - `sizes`: message sizes that somebody has counted.
//! - `matrix`: a round trip between every two processors.  `probe_effect`: what a probe does to the figures.
//! - `record`: the sizes of the messages of a running process.
//! - `format`: times and sizes with their units.  `output`: standard output, and what stands on stderr while the suite runs.
//! - `failure`: every failure and its exit code.

mod ab;
mod advise;
mod agent;
mod build;
mod ci;
mod cli;
mod compare;
mod comparison;
mod delivery;
mod detect;
mod doctor;
mod enrol;
mod failure;
mod format;
mod http;
mod import;
mod lab;
mod ledger;
mod list;
mod log;
mod matrix;
mod node;
mod output;
mod platform;
mod probe_effect;
mod record;
mod repository;
mod run;
mod service;
mod settings;
mod sizes;
mod spool;
mod stop;
mod suite_page;
mod summary;
mod table;
mod upload;
mod uploader;

use clap::{CommandFactory, Parser};
use cli::{Cli, Command};
use failure::{Failure, OnDisk};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Upload(arguments) => run::upload(&arguments),
        Command::Exchange(arguments) => ci::token::exchange(&arguments),
        Command::Agent(arguments) => agent::agent(arguments),
        Command::Enrol(arguments) => enrol::enrol(&arguments),
        Command::Confine(arguments) => lab::runner::become_confined(&arguments),
        Command::Service(command) => service::service(&command),
        Command::Matrix(arguments) => matrix::matrix(&arguments),
        Command::ProbeEffect(arguments) => probe_effect::probe_effect(&arguments),
        Command::Ab(arguments) => ab::ab(&arguments),
        Command::Import(arguments) => import::import(&arguments),
        Command::Advise(arguments) => advise::advise(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Detect(arguments) => detect::detect(&arguments),
        Command::Sizes(arguments) => sizes::sizes(&arguments),
        Command::Record(arguments) => record::record(&arguments),
        Command::RecordProbe => record::probe(),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Schema => output::print_json(&settings::schema()),
        Command::Transports => suite_page::print(),
        Command::Manual(manual) => roundtrip_manual::write(Cli::command(), &manual).on_disk("the manual"),
        Command::Peer { arguments } => return roundtrip_bench::peer::main(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("roundtrip: {failure}");
            failure.exit_code()
        }
    }
}

type Result<T> = std::result::Result<T, Failure>;

/// A report with a result of every kind, for tests.
#[cfg(test)]
fn golden_report() -> roundtrip_wire::RunReport {
    let full = include_str!("../../crates/wire/tests/golden/v1/full.json");
    serde_json::from_str(full).expect("a golden file is a report")
}
