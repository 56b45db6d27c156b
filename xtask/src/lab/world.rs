//! [`World`]: who takes part: GitHub as `github-fake` plays it, the server that is its App, and an agent for each machine.

use super::program::Program;
use super::repository::{PROJECT, REPOSITORY, Repository};
use crate::programs::{self, Built};
use crate::screen::Step;
use crate::server::{self, Server};
use crate::tool::Tool;
use crate::{enrolment, http, interrupt, platform};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The machines, with who runs there what commits build when this program is root. An agent ends all that its user still
/// runs, so that no two may have the same one, nor one that somebody has: nobody gives out these numbers
/// (systemd, "Users, Groups, UIDs and GIDs on systemd systems": 65520…65533, unused).
pub(super) const MACHINES: [(&str, &str); 2] = [("lab-1", "65520"), ("lab-2", "65521")];
/// Who may write to the repository.
pub(super) const WRITER: &str = "ada";
/// The App, and what its events are signed with.
const APP_ID: &str = "123456";
const WEBHOOK_SECRET: &str = "0123456789abcdef0123456789abcdef";
/// Whatever is waited for takes a minute at most, on a machine that does nothing else.
const IN_VAIN: Duration = Duration::from_secs(300);
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// So much of the server's log is shown when something fails.
const LOG_LINES: usize = 60;

/// Who takes part; they end in this order.
pub(super) struct World {
    agents: Vec<Program>,
    server: Server,
    /// Where it is.
    pub(super) url: String,
    github: Program,
    /// Where that is.
    pub(super) github_url: String,
    /// What is measured.
    pub(super) repository: Repository,
    folder: TempDir,
}

impl World {
    /// Starts everybody.
    ///
    /// # Errors
    /// A program is missing, does not start, or does not do as it is told.
    pub(super) fn make(built: &Built, step: &Step) -> Result<Self> {
        let (server_program, agent) = (built.program(programs::SERVER)?, built.program("roundtrip")?);
        let fake = built.program("github-fake")?;
        let folder = server::reachable_folder()?;
        let path = |name: &str| folder.path().join(name);
        let repository = Repository::make(&path("courier"), &path("github"))?;

        step.message("starting GitHub and the server");
        let port = http::free_port()?;
        let webhooks = format!("http://127.0.0.1:{port}/api/v1/github/webhooks");
        let github = Tool::at(&fake)
            .arguments(["--address", "127.0.0.1:0", "--app-id", APP_ID, "--webhook-secret", WEBHOOK_SECRET])
            .arguments(["--webhook-url", &webhooks, "--git-dir"])
            .arguments([&path("github")])
            .arguments(["--write-key"])
            .arguments([&path("app.pem")]);
        let github = Program::start("GitHub", github)?;
        let said = github.first_line()?;
        let github_url = said.split([' ', ',']).find(|word| word.starts_with("http://"));
        let github_url = github_url.with_context(|| format!("GitHub says {said:?}, and no address"))?;
        write(&path("webhook.secret"), WEBHOOK_SECRET)?;
        let (key, secret) = (path("app.pem"), path("webhook.secret"));
        let [key, secret] = [&key, &secret].map(|path| path.to_string_lossy());
        let serve = ["serve", "--port", &port.to_string(), "--github-url", github_url];
        let app = ["--github-app-id", APP_ID, "--github-app-key-file", &key];
        let serve = [&serve[..], &app, &["--github-webhook-secret-file", &secret]].concat();
        let server = server::start_alone(&server_program, &serve, &path("data"), step)?;
        let mut world = Self {
            agents: Vec::new(),
            url: server.address()?,
            server,
            github,
            github_url: github_url.to_owned(),
            repository,
            folder,
        };
        step.message("setting up the project");
        world.set_up(&server_program)?;
        step.message("enrolling the agents");
        world.start_agents(&server_program, &agent)?;
        Ok(world)
    }

    /// The App is installed in the repository, which is the project's.
    fn set_up(&self, server_program: &Path) -> Result<()> {
        let installation = self.github("installations", &json!({"account": "acme"}))?;
        let repository = json!({"full_name": REPOSITORY, "installation": installation["id"]});
        self.github("repositories", &repository)?;
        let collaborator = json!({"repository": REPOSITORY, "login": WRITER, "level": "write"});
        self.github("collaborators", &collaborator)?;
        let administrator = server::administrator(server_program, &self.data_folder(), "setup")?;
        let url = format!("{}/{REPOSITORY}.git", self.github_url);
        let project = json!({"project": PROJECT, "repository_url": url, "default_branch": "main"});
        self.ask("projects", &administrator, &project)?;
        self.until("the server knows the repository", || {
            let link = ["github", "link", "--project", PROJECT, "--repository", REPOSITORY];
            let linked = server::verb(server_program, &self.data_folder(), &link).run_silently()?;
            Ok(linked.status.success().then_some(()))
        })
    }

    fn start_agents(&mut self, server_program: &Path, agent: &Path) -> Result<()> {
        let administrator = server::administrator(server_program, &self.data_folder(), "enrolment")?;
        for (machine, user) in MACHINES {
            let state = self.folder.path().join(machine);
            fs::create_dir_all(&state).with_context(|| format!("cannot make {}", state.display()))?;
            if platform::is_root() {
                platform::make_reachable(&state)?;
            }
            enrolment::enrol(agent, &self.url, &administrator, machine, &state)?;
            let confined = ["--job-user", user];
            let rights = if platform::is_root() { &confined[..] } else { &["--trust-repositories"] };
            let work = Tool::at(agent).arguments(["agent", "--state"]).arguments([&state]).arguments(rights);
            // What is run in a job of continuous integration is no job of GitHub's here.
            self.agents.push(Program::start(machine, work.without_variable("GITHUB_ACTIONS"))?);
        }
        Ok(())
    }

    /// Tells GitHub what happens there. Returns its answer, in which is how the server answered if it was told.
    ///
    /// # Errors
    /// It refuses.
    pub(super) fn github(&self, what: &str, happens: &Value) -> Result<Value> {
        let (status, answer) = http::post(&format!("{}/_fake/{what}", self.github_url), None, happens)?;
        ensure!(status == 200, "GitHub answers {what} with status {status}: {answer}");
        serde_json::from_str(&answer).with_context(|| format!("GitHub answers {what} with {answer:?}"))
    }

    /// What there is at GitHub.
    ///
    /// # Errors
    /// It does not tell.
    pub(super) fn at_github(&self, what: &str) -> Result<Vec<Value>> {
        let answer = http::get(&format!("{}/_fake/{what}", self.github_url))?;
        serde_json::from_str(&answer).with_context(|| format!("GitHub answers {what} with {answer:?}"))
    }

    /// Reads from the server's API.
    ///
    /// # Errors
    /// It does not answer.
    pub(super) fn read(&self, path: &str) -> Result<Value> {
        let answer = http::get(&format!("{}/api/v1/{path}", self.url))?;
        serde_json::from_str(&answer).with_context(|| format!("the server answers {path} with {answer:?}"))
    }

    /// Waits until there is what is looked for.
    ///
    /// # Errors
    /// It is waited for in vain, or somebody has ended who takes part.
    pub(super) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
        let patience = Instant::now() + IN_VAIN;
        loop {
            interrupt::check()?;
            self.agents.iter().chain([&self.github]).try_for_each(Program::check)?;
            if let Some(found) = look()? {
                return Ok(found);
            }
            ensure!(Instant::now() < patience, "waited {} s in vain until {what}", IN_VAIN.as_secs());
            std::thread::sleep(LOOK_INTERVAL);
        }
    }

    /// What everybody wrote.
    pub(super) fn logs(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
        let log = console::strip_ansi_codes(&log);
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(LOG_LINES)..].iter();
        let server = format!("server:\n{}", last.map(|line| format!("  {line}\n")).collect::<String>());
        self.agents.iter().chain([&self.github]).map(Program::log).fold(server, |logs, log| logs + &log)
    }

    /// Ends agents and server, and asks GitHub for what was written to the very end.
    ///
    /// # Errors
    /// They do not end well, or leave something, or `check` fails.
    pub(super) fn end(
        self,
        check: impl FnOnce(&dyn Fn(&str) -> Result<Vec<Value>>) -> Result<()>,
    ) -> Result<()> {
        let Self { agents, server, github, github_url, folder, .. } = self;
        for agent in agents {
            agent.stop()?;
        }
        let status = server.stop()?;
        ensure!(status.success(), "the server ended with {status}");
        check(&|what| {
            let answer = http::get(&format!("{github_url}/_fake/{what}"))?;
            serde_json::from_str(&answer).context("GitHub's answer is not JSON")
        })?;
        drop(github);
        folder.close().map_err(|error| anyhow!("something was left behind: {error}"))
    }

    fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn ask(&self, path: &str, administrator: &str, asked: &Value) -> Result<Value> {
        let (status, answer) =
            http::post(&format!("{}/api/v1/{path}", self.url), Some(administrator), asked)?;
        ensure!(status == 201, "the server answers {path} with status {status}: {answer}");
        serde_json::from_str(&answer).with_context(|| format!("the server answers {path} with {answer:?}"))
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
