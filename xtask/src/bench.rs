//! `bench`: the budgets, measured. One row a bar with its ratio to a peer of the same run; exit code 3 for a miss.

use crate::screen::Step;
use crate::{programs, tool, workspace};
use anyhow::{Context, Result};
use std::process::{Command, ExitCode};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Which budgets.
    #[arg(value_enum)]
    budgets: Budgets,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fewer repetitions: under two minutes, a wider spread.
    #[arg(long)]
    quick: bool,
    /// One transport alone, by its slug.
    #[arg(long, value_name = "TRANSPORT")]
    only: Option<String>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Budgets {
    /// What comparisons of two `node`s find, and what they take.
    Ab,
    /// What the harness adds to a bare C loop.
    Harness,
    /// The shared-memory ring against bare C loops, and its streams.
    Rings,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Json,
}

/// Runs the verb.
///
/// # Errors
/// The benchmark does not build or start.
pub(crate) fn bench(options: &Options) -> Result<ExitCode> {
    let budgets = match options.budgets {
        Budgets::Ab => "ab",
        Budgets::Harness => "harness",
        Budgets::Rings => "rings",
    };
    let step = Step::start("programs");
    let built = programs::build(&step, &["roundtrip-bench"], "release")?;
    step.clear();
    let mut command = Command::new(built.program("bench")?);
    command.arg(budgets).current_dir(workspace::root());
    if options.quick {
        command.arg("--quick");
    }
    if let Some(transport) = &options.only {
        command.args(["--only", transport]);
    }
    if options.format == Format::Json {
        command.args(["--format", "json"]);
    }
    let status = command.status().context("the benchmark does not start")?;
    Ok(tool::exit_code(status))
}
