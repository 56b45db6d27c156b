//! `bench`: measures the budgets. Prints one row per budget with its ratio to a peer from the same run. Exit
//! code 3 for a miss.

mod agents;
mod explain;
mod journey;
mod web;

use crate::postgres_binaries::Binaries;
use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::{server, tool, workspace};
use anyhow::{Context, Result, ensure};
use roundtrip_budget::{BarIs, Peer, Row};
use std::process::{Command, ExitCode};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Budgets to measure.
    #[arg(value_enum)]
    budgets: Budgets,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fewer repetitions and less data: under three minutes, less precise.
    #[arg(long)]
    quick: bool,
    /// Only this part: for harness, rings and time-budget, a transport; explain: defects, same or a defect; journey: culprit, unchanged, lab, server; server: ingest, reads, analysis,
    /// claims, advice, soak; verdicts: changes, scenarios, tails, first-run, comparisons, crossovers, speed; advisor: intervals, mix, speed; web: charts,
    /// hover, transfer, memory.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// Comparisons of a program with itself in `explain` [default: 100; with --quick, 10].
    #[arg(long, value_name = "COUNT")]
    same: Option<u32>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Budgets {
    /// Accuracy and cost of transport rankings.
    Advisor,
    /// False positives, power and cost of comparing two `node` builds.
    Ab,
    /// Upload of three days of stored reports.
    Agents,
    /// How often `roundtrip explain` names the cause of a seeded defect, and explains a program compared with itself.
    Explain,
    /// Overhead of the harness compared with a C loop.
    Harness,
    /// Time and commands from a clone to the slow commit, from nothing to a lab's first job, and until a server names a commit.
    Journey,
    /// Shared-memory rings compared with C loops.
    Rings,
    /// Upload and read performance of the server.
    Server,
    /// Residue of the time budgets of messages on one CPU.
    TimeBudget,
    /// Error rates and cost of verdicts.
    Verdicts,
    /// Speed, transfer and memory of the web interface with ten million points.
    Web,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Json,
}

pub(crate) fn bench(options: &Options) -> Result<ExitCode> {
    // The benchmarks of a package and their parts.
    let (package, bench, parts): (_, _, &[&str]) = match options.budgets {
        Budgets::Ab => return harness("ab", options),
        Budgets::Harness => return harness("harness", options),
        Budgets::Rings => return harness("rings", options),
        Budgets::TimeBudget => return harness("time-budget", options),
        Budgets::Agents => return agents::measure(options),
        Budgets::Explain => return explain::measure(options),
        Budgets::Journey => return journey::measure(options),
        Budgets::Web => return web::measure(options),
        Budgets::Advisor => ("roundtrip-advisor", "advice", &["intervals", "mix", "speed"]),
        Budgets::Server => {
            (programs::SERVER, "budgets", &["ingest", "reads", "analysis", "claims", "advice", "soak"])
        }
        Budgets::Verdicts => (
            "roundtrip-stats",
            "verdicts",
            &["changes", "scenarios", "tails", "first-run", "comparisons", "crossovers", "speed"],
        ),
    };
    options.part_of(parts)?;
    let mut command = Command::new("cargo");
    command.args(["bench", "--quiet", "--package", package, "--bench", bench, "--"]);
    let folder = server::disk_folder()?;
    if package == programs::SERVER {
        let binaries = Step::quietly("server", |step| {
            let program =
                programs::build(step, &[programs::SERVER], Profile::Release)?.program(programs::SERVER)?;
            Binaries::find_or_fetch(&program, folder.path(), step)
        })?;
        command.env("TMPDIR", folder.path()).envs(binaries.variable());
    }
    options.run(command, None)
}

/// Runs the budgets of the suite, which are a separate program.
fn harness(budgets: &str, options: &Options) -> Result<ExitCode> {
    let built =
        Step::quietly("programs", |step| programs::build(step, &["roundtrip-bench"], Profile::Release))?;
    let mut command = Command::new(built.program("bench")?);
    command.arg(budgets);
    options.run(command, Some("--only"))
}

impl Options {
    /// Runs a benchmark program with the options of this command. The part follows `name`, if it has one.
    fn run(&self, mut command: Command, name: Option<&str>) -> Result<ExitCode> {
        if let Some(only) = &self.only {
            command.args(name).arg(only);
        }
        command.args(self.quick.then_some("--quick"));
        if self.format == Format::Json {
            command.args(["--format", "json"]);
        }
        let status = command.current_dir(workspace::root()).status();
        Ok(tool::exit_code(status.context("cannot start the benchmark")?))
    }

    /// The requested part, if any. It must be one of these.
    fn part_of(&self, parts: &[&str]) -> Result<Option<&str>> {
        let only = self.only.as_deref();
        ensure!(
            only.is_none_or(|only| parts.contains(&only)),
            "unknown part in --only: expected one of {}",
            parts.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" or ")
        );
        Ok(only)
    }

    fn print(&self, rows: &[Row]) -> Result<ExitCode> {
        roundtrip_budget::print(rows, self.format == Format::Json).context("cannot print the rows")
    }
}

/// A row in milliseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "far below the maximum")]
fn timed(title: String, seconds: f64, peer: String, of_peer: f64, seconds_max: f64) -> Row {
    let value = (seconds * 1e3) as u64;
    Row::new(
        title,
        value,
        "ms",
        Peer { name: peer, value: of_peer * 1e3 },
        BarIs::ValueAtMost,
        seconds_max * 1e3,
    )
}
