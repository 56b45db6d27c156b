//! The running server: a child that stops when its standard input closes, whatever closes it.

use crate::interrupt::{self, Guarded, STOP_TIMEOUT, Way};
use crate::platform;
use crate::postgres_binaries::Search;
use crate::screen::Step;
use crate::tool::Tool;
use anyhow::{Context, Result, bail};
use shared_child::SharedChild;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tempfile::TempDir;

/// How long it may take until it says that it is ready; a new database takes a few seconds.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// A server program that said it is ready.
pub(crate) struct Server {
    child: Arc<SharedChild>,
    guarded: Guarded,
    /// The line with which it said so.
    pub(crate) ready: String,
}

/// How to start it.
pub(crate) struct Start<'a> {
    /// The server program.
    pub(crate) program: &'a Path,
    /// Its verb and options.
    pub(crate) arguments: Vec<String>,
    /// Whether it uses no other database than its own, even where `DATABASE_URL` names one.
    pub(crate) own_database: bool,
    /// Where PostgreSQL's programs are, if it must be told.
    pub(crate) postgres: Option<&'a Path>,
    /// The file its log goes to.
    pub(crate) log: PathBuf,
}

impl Start<'_> {
    /// Starts it and waits until it is ready.
    ///
    /// # Errors
    /// It ended first: the error is the sentence it left. Or it took too long, or an interrupt ended it.
    pub(crate) fn start(&self) -> Result<Server> {
        interrupt::check()?;
        let mut log = open_log(&self.log)?;
        let log_before = log.seek(SeekFrom::End(0)).context("cannot read the server's log")?;
        let mut command = Command::new(self.program);
        command.args(&self.arguments).arg("--stop-with-stdin").stdin(Stdio::piped()).stdout(Stdio::piped());
        // A file and no pipe: the server can still write after this process was killed.
        command.stderr(log.try_clone().context("cannot share the server's log")?);
        if self.own_database {
            command.env_remove("DATABASE_URL");
        }
        if let Some(postgres) = self.postgres {
            command.env(crate::postgres_binaries::VARIABLE, postgres);
        }
        platform::in_own_process_group(&mut command);
        let child = SharedChild::spawn(&mut command)
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let child = Arc::new(child);
        let guarded = interrupt::guard(&child, Way::CloseLifeline(child.take_stdin()));
        let output = child.take_stdout().context("the server has no standard output")?;
        match first_line(output).recv_timeout(START_TIMEOUT) {
            Ok(ready) => Ok(Server { child, guarded, ready }),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                child.wait().context("cannot wait for the server")?;
                interrupt::check()?;
                log.seek(SeekFrom::Start(log_before)).context("cannot read the server's log")?;
                let mut written = String::new();
                log.read_to_string(&mut written).context("cannot read the server's log")?;
                bail!("{}", last_sentence(&written));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                child.kill().context("cannot kill the server")?;
                bail!(
                    "the server was not ready after {} s; its log is {}",
                    START_TIMEOUT.as_secs(),
                    self.log.display()
                );
            }
        }
    }
}

impl Server {
    /// The address it serves at, without a slash at the end.
    ///
    /// # Errors
    /// It named none.
    pub(crate) fn address(&self) -> Result<String> {
        let url = self.ready.split_whitespace().last().filter(|word| word.starts_with("http://"));
        Ok(url.with_context(|| format!("the server said {:?} and no address", self.ready))?.to_owned())
    }

    /// Waits until it has ended, by itself or by an interrupt.
    ///
    /// # Errors
    /// The system cannot tell.
    pub(crate) fn wait(&self) -> Result<ExitStatus> {
        self.child.wait().context("cannot wait for the server")
    }

    /// Stops it in order, and kills it if that takes too long.
    ///
    /// # Errors
    /// The system cannot tell how it ended.
    pub(crate) fn stop(self) -> Result<ExitStatus> {
        self.guarded.close_lifeline();
        interrupt::kill_after(&self.child, STOP_TIMEOUT);
        self.wait()
    }
}

/// Starts one with a PostgreSQL of its own in `data_folder`, whatever `DATABASE_URL` names, and waits until it is ready.
/// `arguments` are its verb and options. Its log is `server.log`, beside the folder.
///
/// # Errors
/// As [`Start::start`], or there are no programs of PostgreSQL.
pub(crate) fn start_alone(
    program: &Path,
    arguments: &[&str],
    data_folder: &Path,
    step: &Step,
) -> Result<Server> {
    let search = Search::of_this_machine(data_folder);
    let binaries = search.installed_or_fetched(&platform::cache_folder()?, step)?;
    let arguments = arguments.iter().map(|argument| (*argument).to_owned());
    let start = Start {
        program,
        arguments: arguments.chain(["--data-dir".into(), data_folder.display().to_string()]).collect(),
        own_database: true,
        postgres: binaries.fetched(),
        log: data_folder.with_file_name("server.log"),
    };
    start.start()
}

/// A temporary folder that PostgreSQL's user can enter when this one is root.
pub(crate) fn reachable_folder() -> Result<TempDir> {
    let folder =
        tempfile::Builder::new().prefix("roundtrip-test-").tempdir().context("no temporary folder")?;
    if platform::is_root() {
        platform::make_reachable(folder.path())?;
    }
    Ok(folder)
}

impl Drop for Server {
    fn drop(&mut self) {
        self.guarded.close_lifeline();
        interrupt::kill_after(&self.child, STOP_TIMEOUT);
    }
}

fn open_log(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot write the server's log {}", path.display()))
}

/// A verb of the server's program about the data of a folder.
pub(crate) fn verb(program: &Path, data_folder: &Path, words: &[&str]) -> Tool {
    Tool::at(program)
        .arguments(words)
        .arguments(["--data-dir"])
        .arguments([data_folder])
        .without_variable("DATABASE_URL")
}

/// The token of a new administrator.
///
/// # Errors
/// The server makes none.
pub(crate) fn administrator(program: &Path, data_folder: &Path, name: &str) -> Result<String> {
    let create = ["account", "create", "--name", name, "--admin"];
    let made = verb(program, data_folder, &create).run_silently()?.successful()?;
    Ok(made.output.trim().to_owned())
}

/// Sends the first line and reads on, so that the server never waits for a reader.
fn first_line(output: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        if let Some(first) = lines.next() {
            // The receiver may have given up waiting.
            let _ = sender.send(first);
        }
        drop(sender);
        lines.for_each(drop);
    });
    receiver
}

/// What a program that gave up said last, without the word that marks it.
fn last_sentence(log: &str) -> String {
    let log = console::strip_ansi_codes(log);
    let last = log.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let last = last.unwrap_or("the server ended without a word");
    ["error: ", "Error: "].iter().find_map(|mark| last.strip_prefix(mark)).unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_of_a_server_that_gave_up_is_passed_on() {
        let log = "INFO starting\nerror: the data directory /d is in use by another server\n\n";
        assert_eq!(last_sentence(log), "the data directory /d is in use by another server");
        assert_eq!(last_sentence(""), "the server ended without a word");
    }
}
