//! Repositories, background programs and a PostgreSQL for checks and tests.

use crate::interrupt::{self, STOP_TIMEOUT};
use crate::programs::{self, Profile, TestPrograms};
use crate::screen::Step;
use crate::server::{self, Server};
use crate::tally::Tally;
use crate::tool::{self, Line, Running, Tool};
use crate::{platform, python, web, workspace};
use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Long enough for an unoptimised program that generates keys.
const LINE_TIMEOUT: Duration = Duration::from_secs(120);

/// Builds the agent and the server, with the embedded web interface.
pub(crate) fn build(tally: &mut Tally) -> Result<()> {
    tally.prepare("web UI", web::build)?;
    tally.prepare("programs", |step| programs::build(step, &programs::BOTH, Profile::Dev)).map(drop)
}

pub(crate) struct Repository {
    pub(crate) root: PathBuf,
}

impl Repository {
    /// Creates an empty repository on the branch `main`.
    pub(crate) fn init(root: &Path) -> Result<Self> {
        fs::create_dir_all(root)?;
        let repository = Self { root: root.to_owned() };
        repository.git("init --quiet --initial-branch main")?;
        Ok(repository)
    }

    /// Runs git with arguments that contain no spaces.
    pub(crate) fn git(&self, words: &str) -> Result<String> {
        tool::git(&self.root, &words.split_whitespace().collect::<Vec<_>>())
    }

    /// Writes files and commits everything. Returns the commit.
    pub(crate) fn commit(&self, subject: &str, files: &[(&str, &str)]) -> Result<String> {
        files.iter().try_for_each(|(name, text)| fs::write(self.root.join(name), text))?;
        self.git("add --all")?;
        tool::git(&self.root, &["commit", "--quiet", "--message", subject])?;
        self.head()
    }

    pub(crate) fn head(&self) -> Result<String> {
        Ok(self.git("rev-parse HEAD")?.trim().to_owned())
    }
}

/// Services for the tests of a run: a PostgreSQL, deleted afterwards, and a Python with a mail server.
pub(crate) struct Services {
    postgres: Server,
    python: PathBuf,
    _folder: TempDir,
}

impl Services {
    pub(crate) fn start(programs: &TestPrograms, step: &Step) -> Result<Self> {
        let folder = server::test_folder()?;
        let verb = ["postgres", "--for-tests"];
        let postgres = server::start_alone(&programs.server()?, &verb, &folder.path().join("data"), step);
        let postgres = postgres.context("cannot start PostgreSQL for the tests")?;
        Ok(Self { postgres, python: python::mail_server(step)?, _folder: folder })
    }

    /// A test program as cargo would run it, in the folder of its package.
    pub(crate) fn tests(&self, program: &Path, package: &str) -> Tool {
        let folder = workspace::root().join(package);
        Tool::at(program)
            .folder(&folder)
            .variable("CARGO_MANIFEST_DIR", &folder)
            .variable("DATABASE_URL", &self.postgres.ready)
            .variables(server::memory_folder().map(|folder| ("ROUNDTRIP_TEST_FOLDER", folder)))
            .variable(python::MAIL_SERVER_VARIABLE, &self.python)
    }

    pub(crate) fn stop(self) -> Result<()> {
        self.postgres.stop().context("the test PostgreSQL")
    }
}

/// A program in the background. Dropping it ends the program and all of its descendants.
pub(crate) struct Daemon {
    name: String,
    pub(crate) running: Running,
}

impl Daemon {
    pub(crate) fn start(name: &str, tool: Tool) -> Result<Self> {
        Ok(Self { name: name.to_owned(), running: tool.with_descendants().spawn()? })
    }

    pub(crate) fn next_line(&self) -> Result<String> {
        match self.running.lines.recv_timeout(LINE_TIMEOUT) {
            Ok(Line::Output(line)) => Ok(line),
            Ok(Line::Error(line)) => bail!("{}: {line}", self.name),
            Err(_) => bail!("no output from {}", self.name),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let ended = self.running.child.try_wait().with_context(|| format!("cannot check {}", self.name))?;
        ended.map_or(Ok(()), |status| bail!("{} exited ({status})", self.name))
    }

    /// The output since the last call, with the program's name.
    pub(crate) fn log(&self) -> String {
        let lines = self.running.lines.try_iter().map(|line| format!("  {}\n", line.text()));
        format!("{}:\n{}", self.name, lines.collect::<String>())
    }

    /// Stops it as Ctrl-C does. It must exit successfully.
    pub(crate) fn stop(self) -> Result<()> {
        platform::send_interrupt(self.running.child.id())?;
        let status = self.running.child.wait_timeout(STOP_TIMEOUT);
        let status = status.with_context(|| format!("cannot wait for {}", self.name))?;
        let status = status.with_context(|| format!("{} did not stop\n{}", self.name, self.log()))?;
        ensure!(status.success(), "{} exited with {status}\n{}", self.name, self.log());
        Ok(())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let child = &self.running.child;
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        // After an interrupt, it is already stopping.
        if !interrupt::requested() {
            platform::end_process_group(child, false);
        }
        if matches!(child.wait_timeout(STOP_TIMEOUT), Ok(None)) {
            platform::end_process_group(child, true);
            let _ = child.wait();
        }
    }
}
