//! `up`: from a clone to a page with this machine's latencies, then serves until Ctrl-C.

use crate::measure::{Measuring, PRESET};
use crate::postgres_binaries::Binaries;
use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::server::Server;
use crate::tool::Tool;
use crate::{interrupt, platform, preflight, web, workspace};
use anyhow::{Context, Result, bail};
use console::style;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The time for a stopping server to release its port and data.
const PREDECESSOR_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Serve without measuring.
    #[arg(long)]
    no_run: bool,
    /// Port on 127.0.0.1; 0 selects a free one.
    #[arg(long, default_value_t = 7979)]
    port: u16,
    /// Data directory [default: /var/lib/roundtrip as root, else in the user's data folder].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Start this server instead of building one; for tests.
    #[arg(long, value_name = "PROGRAM", hide = true, requires = "agent")]
    server: Option<PathBuf>,
    /// Measure with this agent instead of building one; for tests.
    #[arg(long, value_name = "PROGRAM", hide = true, requires = "server")]
    agent: Option<PathBuf>,
}

pub(crate) fn up(options: &Options) -> Result<ExitCode> {
    let data_folder = match &options.data_dir {
        Some(folder) => std::path::absolute(folder).context("invalid path in --data-dir")?,
        None => platform::data_folder()?,
    };
    preflight::tools()?;
    if !options.no_run {
        workspace::checkout()?;
    }
    check_port(options.port)?;
    preflight::data_folder(&data_folder)?;
    preflight::disk(&data_folder)?;
    if options.server.is_none() {
        workspace::claim_target_folder()?;
    }
    build_web()?;
    let (server, agent) = match (&options.server, &options.agent) {
        (Some(server), Some(agent)) => (server.clone(), agent.clone()),
        // The dev profile optimises only the code that measures this machine, so it starts sooner than a release.
        _ => {
            let step = Step::start("build");
            let built = programs::build(&step, &programs::BOTH, Profile::Dev)?;
            step.done(if built.changed { "server and agent built" } else { "up to date" });
            (built.program(programs::SERVER)?, built.program(programs::program_of(programs::AGENT))?)
        }
    };
    let server = serve(options, &data_folder, &server)?;
    let url = server.address()?;
    let measured = if options.no_run { Ok(()) } else { measure(&agent, &url, &data_folder) };
    if let Err(error) = &measured {
        interrupt::check()?;
        screen::warning(&format!("{error:#}; the server is still running"));
    }
    announce(&url);
    let stopped = server.wait()?;
    if interrupt::requested() {
        screen::note("stopped");
    } else {
        bail!(
            "the server exited unexpectedly ({stopped}); see its log: {}",
            log_file(&data_folder).display()
        );
    }
    Ok(if measured.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_port(port: u16) -> Result<()> {
    let mut step = None;
    let free = preflight::port(port, PREDECESSOR_TIMEOUT, |text| {
        step.get_or_insert_with(|| Step::start("port")).message(text);
    });
    if let Some(step) = step {
        step.clear();
    }
    free
}

fn build_web() -> Result<()> {
    let step = Step::start("web UI");
    let changed = web::build(&step)?;
    step.done(if changed { "built" } else { "up to date" });
    Ok(())
}

fn serve(options: &Options, data_folder: &Path, program: &Path) -> Result<Server> {
    let serve = ["serve", "--port", &options.port.to_string(), "--data-dir"];
    let mut serve = Tool::at(program).arguments(serve).arguments([data_folder]);
    let step = Step::start("PostgreSQL");
    if std::env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty()) {
        step.done("the database of DATABASE_URL");
    } else {
        let binaries = Binaries::find_or_fetch(program, data_folder, &step)?;
        step.done(&binaries.place);
        serve = serve.variables(binaries.variable());
    }
    let step = Step::start("server");
    let log = log_file(data_folder);
    let server = Server::start(serve, &log)?;
    step.done(&format!("data in {}", data_folder.display()));
    screen::note(&format!("log: {}", log.display()));
    Ok(server)
}

fn measure(agent: &Path, url: &str, data_folder: &Path) -> Result<()> {
    let checkout = &workspace::checkout()?;
    let measuring = Measuring { agent, url, data_folder, checkout };
    let commit = format!("{:.10} {}", checkout.sha, checkout.subject);
    if measuring.is_done() {
        Step::start("measured").done(&format!("{commit} already measured with preset {PRESET}"));
        return Ok(());
    }
    let changes = if checkout.modified { " with uncommitted changes" } else { "" };
    screen::note(&format!("measuring {commit}{changes}, preset {PRESET}"));
    measuring.run()
}

fn log_file(data_folder: &Path) -> PathBuf {
    data_folder.join("server.log")
}

fn announce(url: &str) {
    eprintln!();
    screen::note("Press Ctrl-C to stop. Your data is kept.");
    println!("  {}  {}", style("Overview").bold(), style(format!("{url}/")).cyan().underlined());
}
