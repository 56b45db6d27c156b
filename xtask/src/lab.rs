//! `lab`: runs a pull request from push to comment: a server that is a GitHub App, two agents that build and
//! measure pushed commits, and the resulting comments and checks. `github-fake` simulates GitHub.

use crate::fixture::{Daemon, Repository};
use crate::programs::{self, Built};
use crate::screen::{self, Step};
use crate::server::{self, Server};
use crate::tally::{self, Outcome, Tally};
use crate::tool::{self, Tool};
use crate::{http, interrupt, platform, workspace};
use anyhow::{Context, Result, anyhow, ensure};
use fs_err as fs;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tempfile::TempDir;

/// The machines, with the users for repository commands when this program is root. An agent ends all
/// processes of its user, so each needs a separate and unused one. These numbers are not assigned (systemd,
/// "Users, Groups, UIDs and GIDs on systemd systems": 65520…65533, unused).
const MACHINES: [(&str, &str); 2] = [("lab-1", "65520"), ("lab-2", "65521")];
/// The project and measured program, and its repository on GitHub.
const PROJECT: &str = "courier";
const REPOSITORY: &str = "acme/courier";
/// A user with write access to the repository, and one with read access.
const WRITER: &str = "ada";
const STRANGER: &str = "mallory";
/// The pull request that slows messages down, and one without a measurable change.
const SLOWER: u64 = 1;
const SAME: u64 = 2;
/// The first line of the comment that is updated.
const MARKER: &str = "<!-- roundtrip:v1 project=courier -->";
/// The server's answers to accepted deliveries, and to those without GitHub's signature.
const ACCEPTED: u64 = 202;
const UNAUTHORIZED: u64 = 401;
const APP_ID: &str = "123456";
const WEBHOOK_SECRET: &str = "0123456789abcdef0123456789abcdef";
/// On an idle machine, every wait takes at most a minute.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Lines of the server's log shown after a failure.
const LOG_LINES: usize = 60;

/// Code in front of the suite's C example, which is the measured program. Each message waits for a
/// millisecond, and the slower version waits longer. The result depends on the clock, not on the machine or
/// on the other agent.
const PACE: &str = include_str!("../lab/pace.h");
/// The pull request makes messages a quarter slower.
const SLOWER_PACE: [&str; 2] = ["PACE_NS 1000000", "PACE_NS 1250000"];
const SETTINGS: &str = include_str!("../lab/roundtrip.toml");
/// A repetition takes a ninth of a second, so that a comparison of sixty pairs takes less than a minute.
const DEFINITION: &str = include_str!("../lab/courier.toml");

type Check = fn(&Fixture, &Step) -> Result<()>;
const CHECKS: [(&str, Check); 4] = [
    ("lab: push", measures_a_push_on_every_machine),
    ("lab: unauthorized", measures_nothing_without_permission),
    ("lab: slower", reports_a_slowdown_once),
    ("lab: no change", comments_only_on_changes),
];

pub(crate) fn lab() -> Result<ExitCode> {
    tally::verb(|tally| match tally.prepare("programs", programs::tests)? {
        Some(built) => run(&built.programs, tally),
        None => Ok(()),
    })
}

/// Runs all checks with the programs built for the tests.
pub(crate) fn run(built: &Built, tally: &mut Tally) -> Result<()> {
    if let Some(reason) = cannot_run() {
        return tally.skip("lab", &reason);
    }
    let fixture = tally.prepare("lab", |step| Fixture::start(built, step))?;
    let Some(fixture) = fixture else { return Ok(()) };
    if tally.checks(CHECKS, |check, step| check(&fixture, step), || fixture.logs())? {
        tally.step("lab: end", |_| fixture.end().map(|()| Outcome::Passed))?;
    }
    Ok(())
}

fn cannot_run() -> Option<String> {
    if !matches!(std::env::consts::OS, "linux" | "macos") {
        return Some("the server does not support this system".into());
    }
    if platform::is_root() && std::env::consts::OS != "linux" {
        return Some("running as root needs Linux, because commits run as another user".into());
    }
    tool::missing("cc git")
}

/// GitHub, the server that is its App, and an agent for each machine. They end in the order of the fields.
struct Fixture {
    agents: Vec<Daemon>,
    server: Server,
    url: String,
    github: GitHub,
    commits: Commits,
    folder: TempDir,
}

struct Commits {
    /// The newest commit of the main branch.
    main: String,
    /// A commit that slows messages down, and the next one on the same branch.
    slower: String,
    slower_again: String,
    /// A commit that does not change the program.
    documented: String,
}

impl Commits {
    /// Creates a repository, and serves it with all branches as `OWNER/NAME.git` below another folder.
    fn make(checkout: &Path, served: &Path) -> Result<Self> {
        let repository = Repository::init(checkout)?;
        for name in ["roundtrip.h", "unix_socket.c"] {
            fs::copy(workspace::root().join("benches/external/c").join(name), checkout.join(name))?;
        }
        let slower_pace = PACE.replace(SLOWER_PACE[0], SLOWER_PACE[1]);
        ensure!(slower_pace != PACE, "cannot find the pace: {}", SLOWER_PACE[0]);
        let files = [
            ("pace.h", PACE),
            ("roundtrip.toml", SETTINGS),
            ("courier.toml", DEFINITION),
            ("README.md", "# Courier\n"),
        ];
        let main = repository.commit("Messages with a pace", &files)?;
        repository.git("checkout --quiet -b slower")?;
        let slower = repository.commit("Wait longer between messages", &[("pace.h", &slower_pace)])?;
        let readme = [("README.md", "# Courier\n\nMessages with a pace.\n")];
        let slower_again = repository.commit("Describe courier", &readme)?;
        repository.git("checkout --quiet -b documented main")?;
        let readme = [("README.md", "# Courier\n\nMessages with a pace, between two processes.\n")];
        let documented = repository.commit("Document courier", &readme)?;
        let bare = served.join(format!("{REPOSITORY}.git"));
        tool::git(checkout, &["clone", "--quiet", "--bare", ".", &bare.to_string_lossy()])?;
        Ok(Self { main, slower, slower_again, documented })
    }
}

/// The simulated GitHub.
struct GitHub {
    daemon: Daemon,
    url: String,
}

impl GitHub {
    /// Starts it with the repositories of a folder and an address for webhooks. Writes its App's key.
    fn start(program: &Path, repositories: &str, webhooks: &str, key: &str) -> Result<Self> {
        let tool = Tool::at(program)
            .arguments(["--address", "127.0.0.1:0", "--app-id", APP_ID, "--webhook-secret", WEBHOOK_SECRET])
            .arguments(["--webhook-url", webhooks, "--git-dir", repositories, "--write-key", key]);
        let daemon = Daemon::start("GitHub", tool)?;
        let line = daemon.next_line()?;
        let url = line.split([' ', ',']).find(|word| word.starts_with("http://"));
        let url =
            url.with_context(|| format!("the simulated GitHub printed {line:?} instead of an address"))?;
        Ok(Self { daemon, url: url.to_owned() })
    }

    /// Triggers an event. The answer includes the server's answer if it was notified.
    fn post(&self, what: &str, event: &Value) -> Result<Value> {
        http::post(&format!("{}/_fake/{what}", self.url), None, event, 200)
    }

    /// Triggers an event; the server must accept the notification.
    fn notify(&self, what: &str, event: &Value) -> Result<()> {
        let status = &self.post(what, event)?["webhook_status"];
        ensure!(*status == ACCEPTED, "the server returned status {status} for the delivery of {what}");
        Ok(())
    }

    fn read<T: DeserializeOwned>(&self, what: &str) -> Result<Vec<T>> {
        let answer = http::json(&format!("{}/_fake/{what}", self.url))?;
        serde_json::from_value(answer)
            .with_context(|| format!("the simulated GitHub returned no list for {what}"))
    }

    fn comments(&self, number: u64) -> Result<Vec<String>> {
        self.read(&format!("comments?repository={REPOSITORY}&number={number}"))
    }

    /// The comments on a pull request that report results. Others answer users.
    fn reports(&self, number: u64) -> Result<Vec<String>> {
        let mut comments = self.comments(number)?;
        comments.retain(|text| text.starts_with(MARKER));
        Ok(comments)
    }

    fn expect_reports(&self, number: u64, expected: usize) -> Result<()> {
        let count = self.reports(number)?.len();
        ensure!(count == expected, "#{number} has {count} comments with results: expected {expected}");
        Ok(())
    }
}

impl Fixture {
    fn start(built: &Built, step: &Step) -> Result<Self> {
        let (server_program, agent) = (built.program(programs::SERVER)?, built.program("roundtrip")?);
        let folder = server::test_folder()?;
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let commits = Commits::make(path("courier").as_ref(), path("github").as_ref())?;

        step.message("starting GitHub and the server");
        let (key, secret) = (path("app.pem"), path("webhook.secret"));
        fs::write(&secret, WEBHOOK_SECRET)?;
        let port = http::free_port()?.to_string();
        let webhooks = format!("http://127.0.0.1:{port}/api/v1/github/webhooks");
        let github = GitHub::start(&built.program("github-fake")?, &path("github"), &webhooks, &key)?;
        let serve = ["serve", "--port", &port, "--github-url", &github.url, "--github-app-id", APP_ID];
        let files = ["--github-app-key-file", &key, "--github-webhook-secret-file", &secret];
        let data_folder = folder.path().join("data");
        let server =
            server::start_alone(&server_program, &[&serve[..], &files].concat(), &data_folder, step)?;
        let mut fixture =
            Self { agents: Vec::new(), url: server.address()?, server, github, commits, folder };
        let administrator = server::administrator(&server_program, &data_folder, "setup")?;
        step.message("setting up the project");
        fixture.set_up(&server_program, &administrator)?;
        step.message("enrolling the agents");
        fixture.start_agents(&agent, &administrator)?;
        Ok(fixture)
    }

    /// Installs the App in the repository, and links the repository to the project.
    fn set_up(&self, server_program: &Path, administrator: &str) -> Result<()> {
        let installation = self.github.post("installations", &json!({"account": "acme"}))?;
        let repository = json!({"full_name": REPOSITORY, "installation": installation["id"]});
        self.github.post("repositories", &repository)?;
        let collaborator = json!({"repository": REPOSITORY, "login": WRITER, "level": "write"});
        self.github.post("collaborators", &collaborator)?;
        let url = format!("{}/{REPOSITORY}.git", self.github.url);
        let project = json!({"project": PROJECT, "repository_url": url, "default_branch": "main"});
        http::post(&format!("{}/api/v1/projects", self.url), Some(administrator), &project, 201)?;
        let data_folder = self.folder.path().join("data");
        self.until("the link to the repository", || {
            let link = ["github", "link", "--project", PROJECT, "--repository", REPOSITORY];
            let linked = server::verb(server_program, &data_folder, &link).run_silently()?;
            Ok(linked.status.success().then_some(()))
        })
    }

    fn start_agents(&mut self, agent: &Path, administrator: &str) -> Result<()> {
        for (machine, user) in MACHINES {
            let state = self.folder.path().join(machine);
            fs::create_dir_all(&state)?;
            let rights = if platform::is_root() {
                platform::make_reachable(&state)?;
                &["--job-user", user][..]
            } else {
                &["--trust-repositories"]
            };
            server::enrol(agent, &self.url, administrator, machine, &state)?;
            let work = Tool::at(agent).arguments(["agent", "--state"]).arguments([&state]).arguments(rights);
            // This program may run in a CI job, but the simulated GitHub has no such job.
            self.agents.push(Daemon::start(machine, work.without_variable("GITHUB_ACTIONS"))?);
        }
        Ok(())
    }

    fn list(&self, path: &str, member: &str) -> Result<Vec<Value>> {
        let mut answer = http::json(&format!("{}/api/v1/{path}", self.url))?;
        serde_json::from_value(answer[member].take()).with_context(|| format!("no list {member} in {path}"))
    }

    /// Polls until there is a value, while all programs run.
    fn until<T>(&self, what: &str, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
        interrupt::poll(what, TIMEOUT, Duration::from_secs(1), || {
            self.daemons().try_for_each(Daemon::check)?;
            look()
        })
    }

    fn daemons(&self) -> impl Iterator<Item = &Daemon> {
        self.agents.iter().chain([&self.github.daemon])
    }

    fn logs(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
        let server = screen::last_lines(&log, LOG_LINES).replace('\n', "\n  ");
        self.daemons().map(Daemon::log).fold(format!("server:\n  {server}\n"), |logs, log| logs + &log)
    }

    /// Stops agents and server, which must succeed and leave no processes, and checks the final comments.
    fn end(self) -> Result<()> {
        self.agents.into_iter().try_for_each(Daemon::stop)?;
        self.server.stop()?;
        self.github.expect_reports(SLOWER, 1)?;
        self.github.expect_reports(SAME, 0)?;
        drop(self.github);
        self.folder.close().map_err(|error| anyhow!("cleanup failed: {error}"))
    }

    /// Opens a pull request. Waits a second, because comments from the second of its creation are rejected.
    fn open(&self, number: u64, sha: &str, branch: &str) -> Result<()> {
        let opened = json!({
            "repository": REPOSITORY, "number": number, "author": "grace", "head_branch": branch, "head_sha": sha,
            "base_sha": self.commits.main,
        });
        self.github.notify("pulls", &opened)?;
        self.github.post("clock", &json!({"seconds": 2})).map(drop)
    }

    /// Waits until every machine has finished its job for a commit, and returns the jobs.
    fn measured(&self, filter: &str, sha: &str) -> Result<Vec<Value>> {
        self.until("results of both machines", || {
            let mut jobs = self.jobs(filter)?;
            jobs.retain(|job| job["commit_sha"] == sha);
            ensure!(jobs.len() <= MACHINES.len(), "a commit has {} jobs: {jobs:?}", jobs.len());
            let has_failed = |job: &&Value| job["status"] == "failed" || job["status"] == "cancelled";
            let failed = jobs.iter().find(has_failed);
            ensure!(failed.is_none(), "a job failed: {failed:?}");
            let is_done =
                |machine: &str| jobs.iter().any(|job| job["machine"] == machine && job["status"] == "done");
            Ok(MACHINES.iter().all(|(machine, _)| is_done(machine)).then_some(jobs))
        })
    }

    fn jobs(&self, filter: &str) -> Result<Vec<Value>> {
        self.list(&format!("projects/{PROJECT}/jobs?{filter}"), "jobs")
    }

    /// Requests a comparison as a writer, waits for both machines, and returns the completed check.
    fn compared(&self, number: u64, sha: &str, step: &Step) -> Result<Value> {
        self.github.notify("comments", &request(number, WRITER, "right"))?;
        step.message("waiting for both machines to measure base and head");
        let jobs = self.measured(&format!("pull_request={number}"), sha)?;
        let other = jobs.iter().find(|job| job["base_sha"] != self.commits.main.as_str());
        ensure!(other.is_none(), "compared with the wrong base: {other:?}");
        step.message("waiting for the check");
        self.until("the completed check", || {
            let checks: Vec<Value> =
                self.github.read(&format!("check-runs?repository={REPOSITORY}&sha={sha}"))?;
            ensure!(checks.len() <= 1, "more than one check: {checks:?}");
            Ok(checks.into_iter().find(|check| check["status"] == "completed"))
        })
    }

    /// Asserts that the pull request has jobs for exactly these commits.
    fn expect_jobs(&self, number: u64, expected: &[&String]) -> Result<()> {
        let jobs = self.jobs(&format!("pull_request={number}"))?;
        let commits: Vec<&Value> = jobs.iter().map(|job| &job["commit_sha"]).collect();
        ensure!(commits == expected, "pull request {number} has jobs for {commits:?}: expected {expected:?}");
        Ok(())
    }

    /// Asserts that the main branch's trend has only the push, once per machine. Comparisons have another
    /// methodology, so they are in other series.
    fn expect_trend(&self) -> Result<()> {
        let mut trend: Vec<Vec<Value>> = Vec::new();
        for series in self.list(&format!("projects/{PROJECT}/series?transport={PROJECT}"), "series")? {
            let points = self.list(&format!("points?series={}&lines=main", series["series_id"]), "series")?;
            let points = points.first().and_then(|series| series["points"].as_array());
            trend.push(points.into_iter().flatten().map(|point| point["commit_sha"].clone()).collect());
        }
        trend.retain(|commits| !commits.is_empty());
        let expected = vec![vec![json!(self.commits.main)]; MACHINES.len()];
        ensure!(trend == expected, "the trend of the series is {trend:?}: expected {expected:?}");
        Ok(())
    }
}

fn measures_a_push_on_every_machine(fixture: &Fixture, step: &Step) -> Result<()> {
    let sha = &fixture.commits.main;
    fixture.github.notify("branches", &json!({"repository": REPOSITORY, "branch": "main", "sha": sha}))?;
    step.message("waiting for both machines to measure the push");
    let jobs = fixture.measured("", sha)?;
    let other = jobs.iter().find(|job| job["reason"] != "push" || !job["base_sha"].is_null());
    ensure!(other.is_none(), "not a job for a push: {other:?}");
    fixture.expect_trend()
}

fn measures_nothing_without_permission(fixture: &Fixture, step: &Step) -> Result<()> {
    let Fixture { github, commits, .. } = fixture;
    fixture.open(SLOWER, &commits.slower, "slower")?;
    for signing in ["none", "wrong", "sha1"] {
        let status = &github.post("comments", &request(SLOWER, WRITER, signing))?["webhook_status"];
        ensure!(*status == UNAUTHORIZED, "a delivery with the signature {signing} returned {status}");
    }
    github.notify("comments", &request(SLOWER, STRANGER, "right"))?;
    step.message("waiting for the reply to an unauthorised user");
    fixture.until("the reply to an unauthorised user", || {
        Ok((!github.comments(SLOWER)?.is_empty()).then_some(()))
    })?;
    fixture.expect_jobs(SLOWER, &[])
}

fn reports_a_slowdown_once(fixture: &Fixture, step: &Step) -> Result<()> {
    let check = fixture.compared(SLOWER, &fixture.commits.slower, step)?;
    step.message("waiting for the comment");
    let comment = fixture.until("the comment", || Ok(fixture.github.reports(SLOWER)?.pop()))?;
    for (machine, _) in MACHINES {
        let row = comment.lines().find(|line| line.starts_with('|') && line.contains(machine));
        let row = row.with_context(|| format!("the comment has no row for {machine}: {comment}"))?;
        ensure!(row.contains("slower"), "the comment does not report {machine} as slower: {comment}");
    }
    ensure!(check["conclusion"] == "success", "the check failed, but must not: {check}");
    let title = check["output"]["title"].as_str().unwrap_or_default();
    ensure!(title.starts_with("🔴 Slower: 2 of 2 series"), "the check does not report it: {check}");
    fixture.github.expect_reports(SLOWER, 1)
}

fn comments_only_on_changes(fixture: &Fixture, step: &Step) -> Result<()> {
    let Fixture { github, commits, .. } = fixture;
    // No comment requests a measurement of this push to the other pull request. The server handles deliveries
    // in order, so it has handled this one before the next.
    let pushed = json!({"repository": REPOSITORY, "number": SLOWER, "sha": commits.slower_again});
    github.notify("pushes", &pushed)?;
    fixture.open(SAME, &commits.documented, "documented")?;
    let check = fixture.compared(SAME, &commits.documented, step)?;
    // Only Linux reports that the programs are identical.
    let expected = if std::env::consts::OS == "linux" { "neutral" } else { "success" };
    ensure!(check["conclusion"] == expected, "the check is not {expected} without a change: {check}");
    github.expect_reports(SAME, 0)?;
    github.expect_reports(SLOWER, 1)?;
    fixture.expect_jobs(SLOWER, &[&commits.slower; MACHINES.len()])?;
    // Pull requests are not part of the trend.
    fixture.expect_trend()
}

/// A comment that requests a measurement, with a valid or invalid signature.
fn request(number: u64, login: &str, signing: &str) -> Value {
    json!({
        "repository": REPOSITORY, "number": number, "login": login, "body": "/roundtrip queue", "signing": signing,
    })
}
