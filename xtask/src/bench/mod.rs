//! `bench`: the budgets, measured. One row a budget with its ratio to a peer of the same run; exit code 3 for a miss.

mod agents;
mod web;

use crate::postgres_binaries::Binaries;
use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::{server, tool, workspace};
use anyhow::{Context, Result, ensure};
use std::process::{Command, ExitCode};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which budgets.
    #[arg(value_enum)]
    budgets: Budgets,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fewer repetitions: under three minutes, a wider spread; of the web interface, with less stored.
    #[arg(long)]
    quick: bool,
    /// One part alone: a transport by its slug; of the server, `ingest`, `reads`, `analysis`, `claims`, `advice` or `soak`; of
    /// verdicts, `changes`, `comparisons`, `crossovers` or `speed`; of the advisor, `intervals`, `mix` or `speed`; of the web,
    /// `charts`, `hover`, `transfer` or `memory`.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Budgets {
    /// How true advice on transports is, and what it costs.
    Advisor,
    /// What comparisons of two `node`s find, and what they take.
    Ab,
    /// What agents have kept for a server that was away for days, and how soon it is there.
    Agents,
    /// What the harness adds to a bare C loop.
    Harness,
    /// The shared-memory ring against bare C loops, and its streams.
    Rings,
    /// What the server takes in, and how fast it answers.
    Server,
    /// How often verdicts are right, and what they cost.
    Verdicts,
    /// How fast the web interface is with ten million points stored, what it fetches and what it keeps.
    Web,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Json,
}

pub(crate) fn bench(options: &Options) -> Result<ExitCode> {
    // Benchmarks of a package, with the parts that they have.
    let (package, bench, parts): (_, _, &[&str]) = match options.budgets {
        Budgets::Ab => return harness("ab", options),
        Budgets::Harness => return harness("harness", options),
        Budgets::Rings => return harness("rings", options),
        Budgets::Agents => return agents::measure(options),
        Budgets::Web => return web::measure(options),
        Budgets::Advisor => ("roundtrip-advisor", "advice", &["intervals", "mix", "speed"]),
        Budgets::Server => {
            (programs::SERVER, "budgets", &["ingest", "reads", "analysis", "claims", "advice", "soak"])
        }
        Budgets::Verdicts => {
            ("roundtrip-stats", "verdicts", &["changes", "comparisons", "crossovers", "speed"])
        }
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

/// The budgets of the suite are a program of its own.
fn harness(budgets: &str, options: &Options) -> Result<ExitCode> {
    let built =
        Step::quietly("programs", |step| programs::build(step, &["roundtrip-bench"], Profile::Release))?;
    let mut command = Command::new(built.program("bench")?);
    command.arg(budgets);
    options.run(command, Some("--only"))
}

impl Options {
    /// Runs a benchmark with what it shares with this verb; the part follows `name`, if it has one.
    fn run(&self, mut command: Command, name: Option<&str>) -> Result<ExitCode> {
        if let Some(only) = &self.only {
            command.args(name).arg(only);
        }
        command.args(self.quick.then_some("--quick"));
        if self.format == Format::Json {
            command.args(["--format", "json"]);
        }
        let status = command.current_dir(workspace::root()).status();
        Ok(tool::exit_code(status.context("the benchmark does not start")?))
    }

    /// The one part that is wanted, if one is; it must be one of these.
    fn part_of(&self, parts: &[&str]) -> Result<Option<&str>> {
        let only = self.only.as_deref();
        ensure!(
            only.is_none_or(|only| parts.contains(&only)),
            "--only names a part of these budgets: {}",
            parts.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" or ")
        );
        Ok(only)
    }

    fn print(&self, rows: &[roundtrip_budget::Row]) -> Result<ExitCode> {
        roundtrip_budget::print(rows, self.format == Format::Json).context("the rows cannot be printed")
    }
}
