//! [`World`]: what jobs find when they run: a server that trusts them, whoever signs for them, a release, and a repository.

use super::document::{self, Action};
use crate::programs::{self, Built};
use crate::screen::Step;
use crate::server::{self, Server};
use crate::tool::{Line, Running, Tool};
use crate::{http, tool, workspace};
use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// The project that is measured.
pub(super) const PROJECT: &str = "courier";
/// The release that jobs install.
pub(super) const VERSION: &str = "0.0.0-test";
/// Where the action is in the repository.
const ACTION: &str = ".github/actions/roundtrip";
/// A case that takes a moment.
const SMALL: &str = "about = 'One case.'\ndeadline_seconds = 20\n[[case]]\nscenario = 'roundtrip'\ntransports = ['pipe']\n\
    message_bytes = [64]\nmodes = ['2proc']\nplacements = ['free']\noperations = 50\nwarmup = 5\nrepetitions = 2\n";
/// The program of the repository, which each commit has in its own form.
const FORMATS: &str = "about = 'A program.'\ndeadline_seconds = 60\n[[program]]\nslug = 'courier'\ntitle = 'Courier'\n\
    family = 'program'\nsemantics = 'Sends values.'\ncommand = ['sh', 'send.sh']\n[[case]]\nscenario = 'roundtrip'\n\
    transports = ['courier']\nmessage_bytes = [65536]\nmodes = ['2proc']\nplacements = ['free']\noperations = 30\n\
    warmup = 5\nrepetitions = 1\n";
/// How long the issuer may take to draw its keys, unoptimised as it is.
const ISSUER_TIMEOUT: Duration = Duration::from_secs(120);

/// What jobs find.
pub(super) struct World {
    /// The action.
    pub(super) action: Action,
    /// Where it is.
    pub(super) action_folder: PathBuf,
    /// The server's address, which is what it calls itself, too.
    pub(super) url: String,
    /// Whoever signs for jobs.
    pub(super) issuer: Issuer,
    /// The repository that is measured.
    pub(super) repository: Repository,
    /// Where releases are.
    pub(super) mirror: PathBuf,
    /// A token for uploads to any project.
    pub(super) token: String,
    _server: Server,
    folder: TempDir,
}

/// A running one.
pub(super) struct Issuer {
    /// Who it says it is.
    url: String,
    /// Where jobs ask for their tokens, and with what.
    pub(super) request: [String; 2],
    running: Running,
    input: Mutex<ChildStdin>,
}

/// A repository with a main branch, and a pull request as GitHub has it.
pub(super) struct Repository {
    /// The checkout.
    pub(super) root: PathBuf,
    /// The newest commit of the main branch.
    pub(super) main: String,
    /// The head of the pull request.
    pub(super) head: String,
    /// What GitHub makes of both.
    pub(super) merge: String,
}

impl World {
    /// Makes all of it.
    ///
    /// # Errors
    /// A program is missing or fails.
    pub(super) fn make(built: &Built, step: &Step) -> Result<Self> {
        let issuer = Issuer::start(&built.program("oidc-issuer")?)?;
        let folder = server::reachable_folder()?;
        let data_folder = folder.path().join("data");
        let (program, agent) = (built.program(programs::SERVER)?, built.program("roundtrip")?);
        step.message("starting a server");
        let port = http::free_port()?;
        let url = format!("http://127.0.0.1:{port}");
        let arguments =
            ["serve", "--port", &port.to_string(), "--oidc-issuer", &issuer.url, "--oidc-audience", &url];
        let server = server::start_alone(&program, &arguments, &data_folder, step)?;
        ensure!(server.address()? == url, "the server listens elsewhere than it was told");
        let trust = Tool::at(&program)
            .arguments(["trust", "create", "--project", PROJECT, "--repository", "octo/lib"])
            .arguments(["--repository-id", "101", "--owner-id", "7", "--issuer", &issuer.url])
            .arguments(["--workflow-ref", "octo/lib/.github/workflows/*@refs/heads/main", "--data-dir"])
            .arguments([&data_folder])
            .without_variable("DATABASE_URL");
        trust.run_silently()?.successful()?;
        let mirror = folder.path().join("mirror");
        release(&agent, &mirror)?;
        let token = data_folder.join("agent.token");
        let token =
            std::fs::read_to_string(&token).with_context(|| format!("cannot read {}", token.display()))?;
        Ok(Self {
            action: document::read(&workspace::root().join(ACTION).join("action.yml"))?,
            action_folder: workspace::root().join(ACTION),
            url,
            issuer,
            repository: Repository::make(&folder.path().join("lib"), &agent)?,
            mirror,
            token: token.trim().to_owned(),
            _server: server,
            folder,
        })
    }

    /// A folder that goes with the world.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(path)
    }
}

impl Issuer {
    fn start(program: &Path) -> Result<Self> {
        let running = Tool::at(program).with_input().spawn()?;
        let input = running.child.take_stdin().context("the issuer hears nothing")?;
        match running.lines.recv_timeout(ISSUER_TIMEOUT) {
            Ok(Line::Output(line)) => {
                let mut words = line.split_whitespace().map(str::to_owned);
                let mut word = || words.next().context("the issuer did not say where it is");
                Ok(Self { url: word()?, request: [word()?, word()?], running, input: Mutex::new(input) })
            }
            _ => bail!("the issuer did not say where it is"),
        }
    }

    /// Signs for jobs of this event from now on.
    ///
    /// # Errors
    /// It has ended.
    pub(super) fn set_event(&self, event: &str) -> Result<()> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(input, "{event}").context("the issuer has ended")?;
        match self.running.lines.recv_timeout(ISSUER_TIMEOUT) {
            Ok(Line::Output(line)) if line == event => Ok(()),
            _ => bail!("the issuer did not hear of the event {event}"),
        }
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        let _ = self.running.child.kill();
        let _ = self.running.child.wait();
    }
}

impl Repository {
    fn make(root: &Path, agent: &Path) -> Result<Self> {
        std::fs::create_dir_all(root).with_context(|| format!("cannot make {}", root.display()))?;
        let write = |name: &str, text: &str| {
            std::fs::write(root.join(name), text).with_context(|| format!("cannot write {name}"))
        };
        tool::git(root, &["init", "--quiet", "--initial-branch", "main"])?;
        write("roundtrip.toml", &format!("project = \"{PROJECT}\"\npresets = [\"formats.toml\"]\n"))?;
        write("small.toml", SMALL)?;
        write("formats.toml", FORMATS)?;
        // Two of the wire formats that come with the suite, of which JSON is slower for large messages.
        let sends = |format: &str| format!("exec '{}' peer framing {format}\n", agent.display());
        write("send.sh", &sends("advanced"))?;
        let commit = |subject: &str| -> Result<String> {
            tool::git(root, &["add", "--all"])?;
            tool::git(root, &["commit", "--quiet", "--message", subject])?;
            Ok(tool::git(root, &["rev-parse", "HEAD"])?.trim().to_owned())
        };
        commit("Send values as they are")?;
        write("README", "courier\n")?;
        let main = commit("Say what it is")?;
        tool::git(root, &["checkout", "--quiet", "-b", "change"])?;
        write("send.sh", &sends("json"))?;
        let head = commit("Send values as JSON")?;
        tool::git(root, &["checkout", "--quiet", "--detach", "main"])?;
        tool::git(root, &["merge", "--quiet", "--no-ff", "--message", "Merge", &head])?;
        let merge = tool::git(root, &["rev-parse", "HEAD"])?.trim().to_owned();
        Ok(Self { root: root.to_owned(), main, head, merge })
    }

    /// Checks a commit out, as jobs have it.
    ///
    /// # Errors
    /// Git fails.
    pub(super) fn check_out(&self, commit: &str) -> Result<()> {
        tool::git(&self.root, &["checkout", "--quiet", "--detach", commit]).map(drop)
    }
}

/// Makes the release of a program: its archive, and the file with the checksum.
fn release(agent: &Path, mirror: &Path) -> Result<()> {
    let folder = mirror.join(format!("v{VERSION}"));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let target = match std::env::consts::OS {
        "macos" => "universal-apple-darwin".to_owned(),
        _ => format!("{}-unknown-linux-musl", std::env::consts::ARCH),
    };
    let stem = format!("roundtrip-{VERSION}-{target}");
    let inside = mirror.join(&stem);
    std::fs::create_dir_all(&inside).with_context(|| format!("cannot make {}", inside.display()))?;
    std::fs::copy(agent, inside.join("roundtrip")).context("cannot copy the program")?;
    let archive = format!("{stem}.tar.gz");
    let tar = Tool::named("tar")?.arguments(["-czf"]).arguments([folder.join(&archive)]).arguments(["-C"]);
    tar.arguments([mirror]).arguments([stem]).run_silently()?.successful()?;
    let bytes = std::fs::read(folder.join(&archive)).context("cannot read the archive")?;
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let checksum = folder.join(format!("{archive}.sha256"));
    std::fs::write(&checksum, format!("{digest}  {archive}\n"))
        .with_context(|| format!("cannot write {}", checksum.display()))
}
