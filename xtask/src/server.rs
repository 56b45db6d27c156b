//! A running server: a child that stops when its standard input closes, even if this process is killed.

use crate::interrupt::{self, STOP_TIMEOUT};
use crate::postgres_binaries::Binaries;
use crate::screen::Step;
use crate::tool::Tool;
use crate::{http, platform};
use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use serde_json::json;
use shared_child::SharedChild;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use tempfile::TempDir;

/// The timeout of the start. A new database takes a few seconds.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// Twice the size of the databases of concurrent tests.
const MEMORY_BYTES_MIN: u64 = 4 << 30;

/// A server that is ready.
pub(crate) struct Server {
    child: Arc<SharedChild>,
    /// The line that it printed when it was ready.
    pub(crate) ready: String,
}

impl Server {
    /// Starts a command of the server with a log file, and waits until it is ready. If the command ends
    /// first, the error is the last line of its log.
    pub(crate) fn start(verb: Tool, log_path: &Path) -> Result<Self> {
        let mut log = fs::OpenOptions::new().create(true).read(true).append(true).open(log_path)?;
        let log_before = log.seek(SeekFrom::End(0))?;
        let errors = log.file().try_clone().context("cannot share the server's log")?;
        let running = verb.arguments(["--stop-with-stdin"]).until_input_closes().with_log(errors).spawn()?;
        match running.lines.recv_timeout(START_TIMEOUT) {
            Ok(line) => Ok(Self { child: running.child, ready: line.text().to_owned() }),
            Err(RecvTimeoutError::Disconnected) => {
                running.wait()?;
                interrupt::check()?;
                log.seek(SeekFrom::Start(log_before))?;
                let mut written = String::new();
                log.read_to_string(&mut written)?;
                bail!("{}", last_sentence(&written));
            }
            Err(RecvTimeoutError::Timeout) => {
                running.child.kill().context("cannot kill the server")?;
                let seconds = START_TIMEOUT.as_secs();
                bail!("the server was not ready after {seconds} s; see its log: {}", log_path.display());
            }
        }
    }

    /// The server's URL, without a slash at the end.
    pub(crate) fn address(&self) -> Result<String> {
        let url = self.ready.split_whitespace().last().filter(|word| word.starts_with("http://"));
        url.map(str::to_owned)
            .with_context(|| format!("the server printed {:?} instead of an address", self.ready))
    }

    pub(crate) fn wait(&self) -> Result<ExitStatus> {
        self.child.wait().context("cannot wait for the server")
    }

    /// Stops the server, which must exit successfully, and kills it after a timeout.
    pub(crate) fn stop(self) -> Result<()> {
        self.close_input();
        let status = self.wait()?;
        ensure!(status.success(), "the server did not stop cleanly ({status})");
        Ok(())
    }

    fn close_input(&self) {
        drop(self.child.take_stdin());
        interrupt::kill_after(&self.child, STOP_TIMEOUT);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close_input();
    }
}

/// Starts a server with an embedded PostgreSQL in `data_folder`, ignoring `DATABASE_URL`, and waits until it
/// is ready. `arguments` are its command and options. Its log is `server.log`, next to the folder.
pub(crate) fn start_alone(
    program: &Path,
    arguments: &[&str],
    data_folder: &Path,
    step: &Step,
) -> Result<Server> {
    let binaries = Binaries::find_or_fetch(program, data_folder, step)?;
    let verb = verb(program, data_folder, arguments).variables(binaries.variable());
    Server::start(verb, &data_folder.with_file_name("server.log"))
}

/// A temporary folder on disk. If this user is root, PostgreSQL's user can enter it.
pub(crate) fn disk_folder() -> Result<TempDir> {
    reachable_folder(&std::env::temp_dir())
}

/// Like [`disk_folder`], but in memory if possible. Not for measurements: PostgreSQL never waits for a disk.
pub(crate) fn test_folder() -> Result<TempDir> {
    reachable_folder(&memory_folder().unwrap_or_else(std::env::temp_dir))
}

fn reachable_folder(parent: &Path) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("roundtrip-test-").tempdir_in(parent);
    let folder = folder.with_context(|| format!("cannot create a folder in {}", parent.display()))?;
    if platform::is_root() {
        platform::make_reachable(folder.path())?;
    }
    Ok(folder)
}

/// The folder for files in memory, if it has space. Tests create and remove a thousand small files for each
/// database. ext4 is slow at this, because it searches for an inode that was not freed in the last seconds.
pub(crate) fn memory_folder() -> Option<PathBuf> {
    let memory = Path::new("/dev/shm");
    let has_room = fs4::available_space(memory).is_ok_and(|bytes| bytes > MEMORY_BYTES_MIN);
    has_room.then(|| memory.to_owned())
}

/// A command of the server on a data folder.
pub(crate) fn verb(program: &Path, data_folder: &Path, words: &[&str]) -> Tool {
    let tool = Tool::at(program).arguments(words).arguments(["--data-dir"]).arguments([data_folder]);
    tool.without_variable("DATABASE_URL")
}

/// Creates an administrator, and returns its token.
pub(crate) fn administrator(program: &Path, data_folder: &Path, name: &str) -> Result<String> {
    let create = ["account", "create", "--name", name, "--admin"];
    Ok(verb(program, data_folder, &create).output()?.trim().to_owned())
}

/// Enrols an agent as a machine; `state` then has its key and settings.
pub(crate) fn enrol(agent: &Path, url: &str, administrator: &str, machine: &str, state: &Path) -> Result<()> {
    let enrolments = format!("{url}/api/v1/enrolments");
    let answer = http::post(&enrolments, Some(administrator), &json!({"machine": machine}), 201)?;
    let file = state.with_extension("code");
    fs::write(&file, answer["code"].as_str().context("no code in the response")?)?;
    let enrol = Tool::at(agent).arguments(["enrol", "--server", url, "--machine", machine, "--code-file"]);
    enrol.arguments([&file]).arguments(["--state"]).arguments([state]).output().map(drop)
}

/// A server with persistent data, and with metrics about the progress of its change search.
pub(crate) struct Observed {
    pub(crate) server: Server,
    metrics: String,
}

impl Observed {
    /// Starts it on a free port, with an embedded PostgreSQL in `data_folder`.
    pub(crate) fn start(program: &Path, data_folder: &Path, step: &Step) -> Result<Self> {
        let metrics = format!("127.0.0.1:{}", http::free_port()?);
        // More requests than a single client may normally send.
        let serve = ["serve", "--port", "0", "--requests-per-minute", "1000000", "--metrics", &metrics];
        let server = start_alone(program, &serve, data_folder, step)?;
        Ok(Self { server, metrics: format!("http://{metrics}/metrics") })
    }

    /// Waits until the change search is complete.
    pub(crate) fn until_searched(&self, step: &Step) -> Result<()> {
        const WAITING: &str = "roundtrip_analysis_runs_waiting ";
        const TIMEOUT: Duration = Duration::from_hours(24);
        interrupt::poll("change detection of all runs", TIMEOUT, Duration::from_millis(500), || {
            let metrics = http::get(&self.metrics)?;
            let waiting = metrics.lines().find_map(|line| line.strip_prefix(WAITING));
            let count = waiting.with_context(|| format!("the server's metrics lack {WAITING}"))?;
            step.message(&format!("{count} runs waiting for change detection"));
            Ok((count == "0").then_some(()))
        })
    }
}

/// The last line of a failed program, without its prefix.
fn last_sentence(log: &str) -> String {
    let last = log.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.unwrap_or("the server exited without a message");
    ["error: ", "Error: "].iter().find_map(|mark| last.strip_prefix(mark)).unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_the_last_line_of_a_failed_server() {
        let log = "INFO starting\nerror: the data directory /d is in use by another server\n\n";
        assert_eq!(last_sentence(log), "the data directory /d is in use by another server");
        assert_eq!(last_sentence(""), "the server exited without a message");
    }
}
