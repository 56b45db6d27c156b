//! The `roundtrip` command: runs benchmarks on this machine and uploads the results.
//!
//! # Codemap
//! - `cli`: arguments.
//! - `init`: prepares a repository for measurements.
//! - `run`: measures, prints and shows.  `selection`: selects cases of presets.
//! - `delivery`: creates, saves and uploads reports.  `spool`: saved reports; one agent per spool.
//! - `upload`: uploads one report.  `ledger`: counts acknowledged reports.  `uploader`: uploads the reports of a spool.
//! - `remote`: projects and jobs of a server.  `site`: static pages, with the server's program.
//! - `mcp`: tools for coding agents.
//! - `enrol`: enrols this machine in a lab.  `lab`: runs jobs of the server's queue.
//! - `agent`: measures each new commit of a checkout.  `service`: runs an agent as a system service.
//! - `http`: requests to a server, and delays between attempts.  `stop`: stop signals.  `log`: the agent's log.
//! - `platform`: everything specific to an operating system.
//! - `comment`: posts a summary on a pull or merge request.
//! - `ci`: pull request and OIDC token of a CI job.  `summary`: Markdown for its page.
//! - `presets`: reads presets and definitions.  `repository`: the checked-out commit.  `settings`: `roundtrip.toml`.  `build`: builds a repository's programs.
//! - `revision`: a commit in a temporary folder.  `history`: the order in which `agent` measures old commits.
//! - `programs`: the measured programs: their place in definitions, their files, and whether they come from the commit.
//! - `doctor`: sources of noise.  `list`: transports, scenarios and presets.  `suite_page`: the same for the docs.
//! - `table`: the report as text.  `ranking`: its last lines.  `node`: which `node` to measure.
//! - `import`: results of other tools.  `criterion_dir`: Criterion's folder as one file.  `input`: reads files.
//! - `ab`: alternates two builds.  `compare`: compares two reports.  `comparison`: output of both.
//!   `rounds`: compares the results of a repository's commands.
//! - `bisect`: finds the commit that made a case slower.
//! - `explain`: why a case changed between two builds.
//! - `export`: points as a Parquet file, from a server or from reports.
//! - `advise`: ranks transports for message sizes.  `sizes`: reads message-size histograms.
//! - `detect`: finds change points in a CSV file.
//! - `matrix`: round trips between each pair of CPUs.  `probe_effect`: how a probe changes results.
//! - `profile`: call stacks of the ends.
//! - `libraries`: programs that use other IPC libraries.
//! - `record`: message sizes of a running process.
//! - `format`: numbers with units.  `output`: standard output, and progress on standard error.
//! - `failure`: every failure and its exit code.

mod ab;
mod advice;
mod advise;
mod agent;
mod bisect;
mod budget;
mod build;
mod ci;
mod cli;
mod comment;
mod compare;
mod comparison;
mod criterion_dir;
mod delivery;
mod detect;
mod doctor;
mod enrol;
mod explain;
mod export;
mod failure;
mod format;
mod history;
mod http;
mod import;
mod init;
mod input;
mod lab;
mod ledger;
mod libraries;
mod list;
mod log;
mod matrix;
mod mcp;
mod node;
mod output;
mod platform;
mod presets;
mod probe_effect;
mod profile;
mod programs;
mod ranking;
mod record;
mod remote;
mod report_file;
mod repository;
mod revision;
mod rounds;
mod run;
mod selection;
mod service;
mod settings;
mod site;
mod sizes;
mod spool;
mod stop;
mod suite_page;
mod summary;
mod table;
mod upload;
mod uploader;
mod usage;

use clap::CommandFactory;
use cli::{Cli, Command};
use failure::{Failure, OnDisk};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Cli { command, quiet, verbose, progress_lines } = Cli::of_process();
    if progress_lines {
        output::print_progress();
    }
    if quiet {
        output::hide_progress();
    }
    if verbose {
        output::show_details();
    }
    let result = match command {
        Command::Init(arguments) => init::init(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Show(arguments) => run::show(&arguments),
        Command::Site(arguments) => site::site(&arguments),
        Command::Upload(arguments) => run::upload(&arguments),
        Command::Exchange(arguments) => ci::token::exchange(&arguments),
        Command::Project(command) => remote::projects(&command),
        Command::Job(command) => remote::jobs(&command),
        Command::Agent(arguments) => agent::agent(arguments),
        Command::Enrol(arguments) => enrol::enrol(&arguments),
        Command::Confine(arguments) => lab::runner::become_confined(&arguments),
        Command::Service(command) => service::service(&command),
        Command::Matrix(arguments) => matrix::matrix(&arguments),
        Command::ProbeEffect(arguments) => probe_effect::probe_effect(&arguments),
        Command::Profile(arguments) => profile::profile(&arguments),
        Command::Ab(arguments) => ab::ab(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Bisect(arguments) => bisect::bisect(&arguments),
        Command::Import(arguments) => import::import(&arguments),
        Command::Advise(arguments) => advise::advise(&arguments),
        Command::Comment(arguments) => comment::comment(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Detect(arguments) => detect::detect(&arguments),
        Command::Sizes(arguments) => sizes::sizes(&arguments),
        Command::Record(arguments) => record::record(&arguments),
        Command::RecordProbe => record::probe(),
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::List(arguments) => list::list(&arguments),
        Command::Mcp(arguments) => mcp::mcp(&arguments),
        Command::Libraries(arguments) => libraries::libraries(&arguments),
        Command::Schema => output::print_json(&settings::schema()),
        Command::Transports => suite_page::print(),
        Command::Manual(manual) => roundtrip_manual::write(Cli::command(), &manual).on_disk("the manual"),
        Command::Peer { arguments } => return roundtrip_bench::peer::main(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::Printed) {
                eprintln!("error: {failure}");
            }
            ExitCode::from(failure.code())
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
