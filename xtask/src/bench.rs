//! `bench`: the budgets, measured. One row a bar with its ratio to a peer of the same run; exit code 3 for a miss.

mod agents;
mod browser;
mod stock;

use crate::postgres_binaries::Search;
use crate::screen::Step;
use crate::{platform, programs, tool, workspace};
use anyhow::{Context, Result, ensure};
use std::process::{Command, ExitCode, ExitStatus};

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
    /// One part alone: a transport by its slug; of the server, `ingest`, `reads`, `analysis`, `claims`, `advice` or
    /// `soak`; of verdicts, `changes`, `comparisons`, `crossovers` or `speed`; of the advisor, `intervals`, `mix` or `speed`; of the web, `charts`, `hover`, `transfer` or
    /// `memory`.
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

/// Runs the verb.
///
/// # Errors
/// The benchmark does not build or start.
pub(crate) fn bench(options: &Options) -> Result<ExitCode> {
    let budgets = match options.budgets {
        Budgets::Advisor => {
            return of_package(
                "roundtrip-advisor",
                "advice",
                &["intervals", "mix", "speed"],
                options,
                |_| (),
            )
            .map(tool::exit_code);
        }
        Budgets::Ab => "ab",
        Budgets::Agents => return agents::measure(options),
        Budgets::Harness => "harness",
        Budgets::Rings => "rings",
        Budgets::Server => return server(options),
        Budgets::Verdicts => return verdicts(options),
        Budgets::Web => return browser::measure(options),
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

/// The verdicts' budgets are a benchmark of the statistics, which nothing else is needed for.
fn verdicts(options: &Options) -> Result<ExitCode> {
    of_package(
        "roundtrip-stats",
        "verdicts",
        &["changes", "comparisons", "crossovers", "speed"],
        options,
        |_| (),
    )
    .map(tool::exit_code)
}

/// The server's budgets are a benchmark of its package, because its program is needed.
fn server(options: &Options) -> Result<ExitCode> {
    Ok(tool::exit_code(of_server(options)?))
}

/// Whether the server stays what it is while it runs.
///
/// # Errors
/// The benchmark does not build or start.
pub(crate) fn soak() -> Result<ExitStatus> {
    of_server(&Options {
        budgets: Budgets::Server,
        format: Format::Human,
        quick: false,
        only: Some("soak".into()),
    })
}

fn of_server(options: &Options) -> Result<ExitStatus> {
    let step = Step::start("server");
    let folder = crate::server::reachable_folder()?;
    let search = Search::of_this_machine(folder.path());
    let binaries = search.installed_or_fetched(&platform::cache_folder()?, &step)?;
    step.clear();
    of_package(
        programs::SERVER,
        "budgets",
        &["ingest", "reads", "analysis", "claims", "advice", "soak"],
        options,
        |command| {
            command.env("TMPDIR", folder.path());
            if let Some(fetched) = binaries.fetched() {
                command.env(crate::postgres_binaries::VARIABLE, fetched);
            }
        },
    )
}

/// Runs a benchmark of a package that has these parts.
fn of_package(
    package: &str,
    bench: &str,
    parts: &[&str],
    options: &Options,
    prepare: impl FnOnce(&mut Command),
) -> Result<ExitStatus> {
    let only = part_of(parts, options)?;
    let mut command = Command::new("cargo");
    command.args(["bench", "--quiet", "--package", package, "--bench", bench, "--"]);
    command.current_dir(workspace::root()).args(only);
    prepare(&mut command);
    if options.quick {
        command.arg("--quick");
    }
    if options.format == Format::Json {
        command.args(["--format", "json"]);
    }
    command.status().context("the benchmark does not start")
}

/// The part that alone is wanted, if one is; it must be one of these.
fn part_of<'a>(parts: &[&str], options: &'a Options) -> Result<Option<&'a str>> {
    let only = options.only.as_deref();
    ensure!(
        only.is_none_or(|only| parts.contains(&only)),
        "--only names a part of these budgets: {}",
        parts.iter().map(|part| format!("`{part}`")).collect::<Vec<_>>().join(" or ")
    );
    Ok(only)
}
