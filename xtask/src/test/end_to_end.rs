//! Tests the product like a user: `up` in a process, a real browser, a kill, a second `up`, Ctrl-C.

use super::Context;
use crate::measure::{REPORT, read_report, run_id};
use crate::screen::Step;
use crate::tally::{Outcome, Tally};
use crate::tool::{Line, Running, Tool};
use crate::{chromium, http, interrupt, platform, programs, server, web, workspace};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The timeout of an `up` with built programs: a new database and the quick preset.
const UP_TIMEOUT: Duration = Duration::from_secs(600);

/// Runs the steps with the programs built for the tests; each needs the one before.
pub(super) fn run(context: &Context, tally: &mut Tally) -> Result<()> {
    let product = tally.prepare("chromium", |step| {
        let browser = chromium::find_or_install(step)?;
        let built = &context.tests()?.programs;
        let (server, agent) = (built.program(programs::SERVER)?, built.program("roundtrip")?);
        Ok(Product { xtask: context.program.clone(), server, agent, browser })
    })?;
    let Some(product) = product else { return Ok(()) };
    let started = tally.make("first up", Outcome::Passed, |step| {
        let folder = server::test_folder()?;
        let first = product.up(&folder.path().join("data"), 0, step)?;
        Ok((folder, first))
    })?;
    let Some((folder, first)) = started else { return Ok(()) };
    let data_folder = folder.path().join("data");
    tally.step("browser", |step| browser_tests(&product, &first.url, &data_folder, step))?;
    let second = tally
        .make("kill, up", Outcome::Passed, |step| survives_a_kill(&product, &first, &data_folder, step))?;
    match second {
        Some(second) => tally.step("ctrl-c", |_| stops_all_it_started(&second, &data_folder)),
        None => Ok(()),
    }
}

/// Runs `up` like the README: it builds its programs, serves its results, and stops.
pub(super) fn up_builds_its_programs(context: &Context, step: &Step) -> Result<Outcome> {
    let folder = server::test_folder()?;
    let data_folder = folder.path().join("data");
    let up = Up::start(up_command(&context.program, &data_folder, 0), step)?;
    up.stored_run(&last_run_id(&data_folder)?)?;
    stops_all_it_started(&up, &data_folder)
}

/// The tested programs, and the browser for their pages.
struct Product {
    xtask: PathBuf,
    server: PathBuf,
    agent: PathBuf,
    browser: PathBuf,
}

impl Product {
    /// Starts `up` with these programs instead of building them.
    fn up(&self, data_folder: &Path, port: u16, step: &Step) -> Result<Up> {
        let command =
            up_command(&self.xtask, data_folder, port).arguments(["--server"]).arguments([&self.server]);
        Up::start(command.arguments(["--agent"]).arguments([&self.agent]), step)
    }
}

fn up_command(xtask: &Path, data_folder: &Path, port: u16) -> Tool {
    Tool::at(xtask)
        .arguments(["up", "--port", &port.to_string(), "--data-dir"])
        .arguments([data_folder])
        .without_variable("DATABASE_URL")
}

/// A running `cargo xtask up`.
struct Up {
    running: Running,
    url: String,
    log: String,
}

impl Up {
    /// Starts it and waits for the address that it prints.
    fn start(command: Tool, step: &Step) -> Result<Self> {
        let running = command.spawn()?;
        let deadline = Instant::now() + UP_TIMEOUT;
        let mut log = String::new();
        loop {
            match running.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    step.message(line.text());
                    log.push_str(line.text());
                    log.push('\n');
                    if let Line::Output(text) = &line
                        && let Some(url) = address(text)
                    {
                        return Ok(Self { running, url, log });
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = running.wait()?;
                    interrupt::check()?;
                    bail!("`up` exited ({status}) without printing an address\n{log}");
                }
                Err(RecvTimeoutError::Timeout) => {
                    bail!("`up` printed no address within {} s\n{log}", UP_TIMEOUT.as_secs());
                }
            }
        }
    }

    fn port(&self) -> Result<u16> {
        let port = self.url.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        port.with_context(|| format!("{} has no port", self.url))
    }

    /// The stored run of the last report, from the server's API.
    fn stored_run(&self, run_id: &str) -> Result<String> {
        http::get(&format!("{}api/v1/runs/{run_id}", self.url))
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // Usually it has already ended. Its server stops when it ends.
        let _ = self.running.child.kill();
        let _ = self.running.child.wait();
    }
}

fn address(line: &str) -> Option<String> {
    let url = line.trim().strip_prefix("Overview")?.trim();
    url.starts_with("http://").then(|| url.to_owned())
}

fn browser_tests(product: &Product, url: &str, data_folder: &Path, step: &Step) -> Result<Outcome> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let admin_token = folder.path().join("admin.token");
    std::fs::write(&admin_token, server::administrator(&product.server, data_folder, "e2e")?)
        .context("cannot keep the administrator's token")?;
    let report = folder.path().join("playwright.json");
    let finished = web::npm(&["run", "e2e", "--", "--reporter=line,json"])?
        .variable("PLAYWRIGHT_JSON_OUTPUT_FILE", &report)
        .variable("ROUNDTRIP_URL", url.trim_end_matches('/'))
        .variable("ROUNDTRIP_REPORT", data_folder.join(REPORT))
        .variable("ROUNDTRIP_AGENT", &product.agent)
        .variable("ROUNDTRIP_SERVER_PROGRAM", &product.server)
        .variable("ROUNDTRIP_TOKEN_FILE", data_folder.join("agent.token"))
        .variable("ROUNDTRIP_ADMIN_TOKEN_FILE", admin_token)
        .variable(chromium::VARIABLE, &product.browser)
        // The agent imports into this server, also inside a pull request's job.
        .without_variable("GITHUB_ACTIONS")
        .run(step)?;
    Outcome::from_report(finished, &report)
}

/// Kills `up` without cleanup and immediately restarts it, with the same port and data.
fn survives_a_kill(product: &Product, first: &Up, data_folder: &Path, step: &Step) -> Result<Up> {
    let run_id = last_run_id(data_folder)?;
    let before = first.stored_run(&run_id)?;
    first.running.child.kill().context("cannot kill `up`")?;
    first.running.wait()?;
    let second = product.up(data_folder, first.port()?, step)?;
    let after = second.stored_run(&run_id)?;
    ensure!(before == after, "the run {run_id} changed:\n{before}\n{after}");
    let measured_again = last_run_id(data_folder)? != run_id;
    if !workspace::checkout()?.modified {
        ensure!(!measured_again, "the second `up` measured the same commit again:\n{}", second.log);
    }
    Ok(second)
}

fn stops_all_it_started(up: &Up, data_folder: &Path) -> Result<Outcome> {
    if cfg!(windows) {
        return Ok(Outcome::Skipped("not run: this system cannot send Ctrl-C to a single program".into()));
    }
    ensure!(
        !postmaster_files(data_folder)?.is_empty(),
        "no PostgreSQL is running in {}",
        data_folder.display()
    );
    platform::send_interrupt(up.running.child.id())?;
    let status =
        up.running.child.wait_timeout(2 * interrupt::STOP_TIMEOUT).context("cannot wait for `up`")?;
    let status = status.context("`up` is still running after Ctrl-C")?;
    ensure!(status.success(), "`up` exited with {status} after Ctrl-C");
    ensure!(up.stored_run("any").is_err(), "the server still responds after Ctrl-C");
    let left = postmaster_files(data_folder)?;
    ensure!(left.is_empty(), "PostgreSQL was not stopped: {} still exists", left[0].display());
    Ok(Outcome::Passed)
}

fn last_run_id(data_folder: &Path) -> Result<String> {
    run_id(&read_report(&data_folder.join(REPORT))?).map(str::to_owned)
}

/// Files in PostgreSQL's data folder that exist while it runs.
fn postmaster_files(data_folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in data_folder.read_dir().with_context(|| format!("cannot list {}", data_folder.display()))? {
        let file = entry?.path().join("postmaster.pid");
        if file.is_file() {
            found.push(file);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_the_address() {
        assert_eq!(address("  Overview  http://127.0.0.1:7979/"), Some("http://127.0.0.1:7979/".to_owned()));
        assert_eq!(address("pipe  roundtrip  http://x/"), None);
    }
}
