//! `action`: runs the GitHub action and the steps of our workflows against a local server, in checkouts of a
//! small repository, with the files and variables of a runner ([`runner`]). Only GitHub is simulated.

mod runner;

use crate::fixture::{Daemon, Repository};
use crate::programs::{self, Built, VERSION};
use crate::screen::Step;
use crate::server::{self, Server};
use crate::tally::{self, Outcome};
use crate::tool::{self, Tool};
use crate::workflow::{self, Action, Workflow, WorkflowStep};
use crate::{http, linters, measure, platform, workspace};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use runner::{Job, Values, evaluate};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ExitCode};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// The measured project.
const PROJECT: &str = "courier";
const ACTION: &str = ".github/actions/roundtrip";
const PAGE: &str = "docs/how-to/github-actions.md";
/// The number of the pull request.
const NUMBER: u64 = 12;
/// The program of the repository, different in each commit.
const FORMATS: &str = include_str!("../../action/formats.toml");

/// The address of the comment.
const COMMENT: &str = "https://github.com/octo/lib/pull/12#issuecomment-1";

/// A definition with a program that fails.
const BROKEN: &str = r#"about = "A program that exits, and a pipe."
deadline_seconds = 20

[[program]]
slug = "broken"
title = "Broken"
family = "pipe"
semantics = "It exits without an answer."
command = ["false"]

[[case]]
scenario = "roundtrip"
transports = ["broken", "pipe"]
message_bytes = [64]
modes = ["2proc"]
placements = ["free"]
operations = 100
warmup = 10
repetitions = 3
"#;

type Check = fn(&Fixture) -> Result<()>;
const CHECKS: [(&str, Check); 13] = [
    ("measures a push, writes a summary and uploads without a secret", uploads_a_push),
    ("rejects changed, renamed and wrongly signed releases", rejects_wrong_releases),
    ("reports a missing id-token permission", fails_without_permission),
    ("refuses a token to a pull request job", refuses_tokens_to_pull_requests),
    ("uploads a regression, then fails the job", fails_the_job_on_a_regression),
    ("stops a comparison at its budget", stops_at_its_budget),
    ("uploads the other cases of a failed run, then fails the job", uploads_a_failed_run),
    ("compares a pull request and keeps one comment", comments_on_a_pull_request),
    ("comments for a fork as untrusted text", comments_for_a_fork),
    ("measures and uploads a pull request in two steps", measures_pull_requests_in_two_steps),
    ("saves and uploads the report of a pull request with a failed case", saves_a_failed_pull_request),
    ("rejects a report that contradicts GitHub", rejects_false_reports),
    ("adds each report to a branch and builds a site of all", publishes_a_site),
];

pub(crate) fn action() -> Result<ExitCode> {
    tally::verb(|tally| {
        tally.step("workflows", linters::workflows)?;
        tally.step("actions", linters::actions)?;
        tally.step("action", |step| runs(&programs::tests(step)?.programs, step))
    })
}

/// Runs all checks with the programs built for the tests.
pub(crate) fn runs(built: &Built, step: &Step) -> Result<Outcome> {
    // GitHub has no runner for FreeBSD, and Roundtrip no server for Windows.
    if !matches!(std::env::consts::OS, "linux" | "macos") {
        return Ok(Outcome::Skipped("not run: no GitHub runner or no server for this system".into()));
    }
    if let Some(reason) = tool::missing("bash curl git tar") {
        return Ok(Outcome::Skipped(format!("not run: {reason}, which the action uses")));
    }
    let fixture = Fixture::start(built, step)?;
    for (name, check) in CHECKS {
        step.message(name);
        check(&fixture).context(name)?;
    }
    Ok(Outcome::Passed)
}

/// A server that trusts the jobs, an issuer of their tokens, a release, and a repository.
struct Fixture {
    action: Action,
    /// The server's address.
    url: String,
    issuer: Issuer,
    repository: Repository,
    /// The newest commit of the main branch, the head of the pull request, and GitHub's merge of both.
    main: String,
    head: String,
    merge: String,
    /// The folder of releases.
    mirror: PathBuf,
    /// A token for uploads to any project.
    token: String,
    _server: Server,
    folder: TempDir,
}

impl Fixture {
    fn start(built: &Built, step: &Step) -> Result<Self> {
        let issuer = Issuer::start(&built.program("oidc-issuer")?)?;
        let folder = server::test_folder()?;
        let path = |name: &str| folder.path().join(name);
        let (program, agent) = (built.program(programs::SERVER)?, built.program("roundtrip")?);
        step.message("starting a server");
        let port = http::free_port()?.to_string();
        let url = format!("http://127.0.0.1:{port}");
        let serve = ["serve", "--port", &port, "--oidc-issuer", &issuer.url, "--oidc-audience", &url];
        let server = server::start_alone(&program, &serve, &path("data"), step)?;
        ensure!(server.address()? == url, "the server is listening on {}: expected {url}", server.ready);
        let trust =
            ["trust", "create", "--project", PROJECT, "--repository", "octo/lib", "--issuer", &issuer.url];
        server::verb(&program, &path("data"), &trust)
            .words("--repository-id 101 --owner-id 7 --workflow-ref octo/lib/.github/workflows/*@refs/heads/main")
            .output()?;
        release([&agent, &program], &path("mirror"))?;

        let repository = Repository::init(&path("lib"))?;
        // Two wire formats of the suite; JSON is slower for large messages.
        let sends = |format: &str| format!("exec '{}' peer framing {format}\n", agent.display());
        let settings = format!("project = \"{PROJECT}\"\npresets = [\"formats.toml\"]\n");
        let files = [
            ("roundtrip.toml", settings.as_str()),
            ("small.toml", measure::SMALL),
            ("formats.toml", FORMATS),
            ("send.sh", &sends("advanced")),
        ];
        repository.commit("Send values as they are", &files)?;
        let main = repository.commit("Describe courier", &[("README", "courier\n")])?;
        repository.git("checkout --quiet -b change")?;
        let head = repository.commit("Send values as JSON", &[("send.sh", &sends("json"))])?;
        repository.git("checkout --quiet --detach main")?;
        repository.git(&format!("merge --quiet --no-ff --message Merge {head}"))?;
        let token = fs::read_to_string(path("data/agent.token"))?.trim().to_owned();
        Ok(Self {
            action: workflow::read(&workspace::root().join(ACTION).join("action.yml"))?,
            url,
            issuer,
            main,
            head,
            merge: repository.head()?,
            repository,
            mirror: path("mirror"),
            token,
            _server: server,
            folder,
        })
    }

    fn check_out(&self, commit: &str) -> Result<()> {
        self.repository.git(&format!("checkout --quiet --detach {commit}")).map(drop)
    }

    /// A job started by this event, with the main branch checked out.
    fn main_job(&self, event: &str) -> Result<Job<'_>> {
        self.check_out(&self.main)?;
        let mut job = self.job(event, "refs/heads/main", &self.main, "{}")?;
        self.permit(&mut job);
        Ok(job)
    }

    /// A job for a pull request from a fork, which has no permissions.
    fn pull_request(&self) -> Result<Job<'_>> {
        let repository = |id: u64, owner: &str| json!({"id": id, "name": "lib", "owner": {"login": owner}});
        let event = json!({
            "action": "opened",
            "number": NUMBER,
            "pull_request": {
                "number": NUMBER,
                "head": {"ref": "change", "sha": self.head, "repo": repository(102, "stranger")},
                "base": {"ref": "main", "sha": self.main, "repo": repository(101, "octo")},
            },
        });
        self.job("pull_request", "refs/pull/12/merge", &self.merge, &event.to_string())
    }

    fn job(&self, event: &str, git_ref: &str, sha: &str, payload: &str) -> Result<Job<'_>> {
        let event = [("GITHUB_EVENT_NAME", event), ("GITHUB_REF", git_ref), ("GITHUB_SHA", sha)];
        Job::new(&self.repository.root, &event, payload)
    }

    /// `permissions: id-token: write`.
    fn permit(&self, job: &mut Job<'_>) {
        let names = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];
        job.variables.extend(names.map(str::to_owned).into_iter().zip(self.issuer.request.clone()));
    }

    /// The inputs of a workflow's step for the action, with our release and these changes.
    fn inputs(&self, job: &Job<'_>, step: &WorkflowStep, changes: &[(&str, &str)]) -> Result<Values> {
        let mut inputs = Values::new();
        for (name, value) in &step.with {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            inputs.insert(name.clone(), evaluate(&text, &job.values)?);
        }
        inputs.extend(self.release(changes));
        Ok(inputs)
    }

    /// Inputs that make the action measure and upload one small case, with these changes.
    fn measuring(&self, job: &Job<'_>, changes: &[(&str, &str)]) -> Values {
        let report = job.report().display().to_string();
        let small = [("preset", "small.toml"), ("report", &report), ("server", &self.url)];
        self.release(&[&small, changes].concat())
    }

    /// These inputs, with our release.
    fn release(&self, inputs: &[(&str, &str)]) -> Values {
        let mirror = format!("file://{}", self.mirror.display());
        runner::values([("version", VERSION), ("mirror", &mirror)].iter().chain(inputs).copied())
    }

    /// Runs the action, and checks its exit code and output.
    fn expect(&self, job: &mut Job<'_>, inputs: &Values, code: i32, output: &str) -> Result<()> {
        let found = job.run_action(&workspace::root().join(ACTION), &self.action, inputs)?;
        ensure!(found == code, "exit code {found}, expected {code}\n{}", job.log);
        ensure!(job.log.contains(output), "expected {output:?} in\n{}", job.log);
        Ok(())
    }

    /// Runs the first of the two workflows for pull requests, and returns the report if there is one.
    fn measure_pull_request(&self, commit: &str, preset: &str, code: i32, output: &str) -> Result<String> {
        self.check_out(commit)?;
        let mut job = self.pull_request()?;
        let workflow = workflow("measure-pull-request.yml")?;
        let inputs = self.inputs(&job, workflow.step("Measure")?, &[("preset", preset)])?;
        self.expect(&mut job, &inputs, code, output)?;
        Ok(fs::read_to_string(job.report()).unwrap_or_default())
    }

    /// A job that follows another workflow's run for the pull request.
    fn following_job(&self) -> Result<Job<'_>> {
        let mut job = self.main_job("workflow_run")?;
        job.values.extend(runner::values([
            ("github.event.workflow_run.head_branch", "change"),
            ("github.event.workflow_run.head_repository.owner.login", "stranger"),
            ("github.event.workflow_run.head_sha", &self.head),
            ("vars.ROUNDTRIP_SERVER", &self.url),
        ]));
        Ok(job)
    }

    /// Runs the second of the two workflows until it has the report. GitHub answers that the head belongs
    /// to these pull requests.
    fn follow(&self, numbers: &str) -> Result<Job<'_>> {
        let mut job = self.following_job()?;
        let query =
            "api --method GET repos/octo/lib/pulls --field state=open --raw-field head=stranger:change --jq";
        job.paths.push(github_command(&job, query, numbers)?);
        let code = job.run(&workflow("upload-pull-request.yml")?.step("Find the pull request")?.script()?)?;
        ensure!(code == 0, "exit code {code}\n{}", job.log);
        Ok(job)
    }

    /// Runs the second of the two workflows with a report.
    fn upload(&self, report: &str, code: i32, output: &str) -> Result<String> {
        let mut job = self.follow("12")?;
        let folder = job.temp().join("artifact");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("roundtrip-report.json"), report)?;
        let inputs = self.inputs(&job, workflow("upload-pull-request.yml")?.step("Upload")?, &[])?;
        self.expect(&mut job, &inputs, code, output)?;
        Ok(job.log)
    }

    /// The newest run on the server; null without runs.
    fn newest_run(&self) -> Result<Value> {
        let runs = http::json(&format!("{}/api/v1/projects/{PROJECT}/runs?limit=1", self.url))?;
        Ok(runs["runs"][0].clone())
    }
}

fn uploads_a_push(fixture: &Fixture) -> Result<()> {
    fixture.issuer.set_event("push")?;
    let mut job = fixture.main_job("push")?;
    job.values.extend(runner::values([
        ("inputs.server", fixture.url.as_str()),
        ("inputs.project", ""),
        ("inputs.preset", "small.toml"),
        ("matrix.machine", "lab-1"),
    ]));
    let inputs = fixture.inputs(&job, workflow("measure.yml")?.step("Measure and upload")?, &[])?;
    fixture.expect(&mut job, &inputs, 0, "::add-mask::rtc_")?;
    ensure!(job.summary.starts_with(&format!("### {PROJECT} at ")), "the summary is {:?}", job.summary);
    ensure!(job.summary.contains("| tcp | 64 B |"), "the summary is {:?}", job.summary);
    let link = format!("\n[Results]({}/{PROJECT}/runs/", fixture.url);
    ensure!(job.summary.contains(&link), "the summary is {:?}: expected {link:?}", job.summary);
    ensure!(!job.temp().join("roundtrip/token").exists(), "the token file was not deleted\n{}", job.log);
    let run = fixture.newest_run()?;
    let is_right = run["branch"] == "main"
        && run["pull_request"].is_null()
        && run["quarantined"] == false
        && run["machine"] == "lab-1"
        && run["commit"]["sha"] == fixture.main.as_str();
    ensure!(is_right, "the run arrived as {run}\n{}", job.log);
    Ok(())
}

fn rejects_wrong_releases(fixture: &Fixture) -> Result<()> {
    let mirror = fixture.folder.path().join("another-mirror");
    // This release with a changed archive, and under the names of a newer one.
    let [changed, renamed] = [VERSION, "9.9.8"].map(|version| mirror.join(format!("download/v{version}")));
    fs::create_dir_all(&changed)?;
    fs::create_dir_all(&renamed)?;
    for path in workspace::sorted(&fixture.mirror.join(format!("download/v{VERSION}")))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let new_name = renamed.join(name.replace(VERSION, "9.9.8"));
        let mut bytes = fs::read(&path)?;
        if name.ends_with(".gz") {
            fs::write(new_name, &bytes)?;
            bytes.push(0);
        } else {
            fs::write(new_name, String::from_utf8_lossy(&bytes).replace(VERSION, "9.9.8"))?;
        }
        fs::write(changed.join(name), bytes)?;
    }
    fs::write(changed.join("SHA256SUMS.minisig"), "of another key")?;
    let mirror = format!("file://{}", mirror.display());
    for (version, key, output) in [
        (VERSION, "", "does not match SHA256SUMS"),
        (VERSION, "a-key", "SHA256SUMS is not signed by the key a-key"),
        ("9.9.8", "", "is damaged or has no roundtrip-9.9.8-"),
        ("9.9.9", "", "check that the release exists"),
        ("../1", "", "invalid ROUNDTRIP_VERSION"),
    ] {
        let mut job = fixture.main_job("push")?;
        job.variables.insert("ROUNDTRIP_KEY".into(), key.into());
        let minisign = fake(&job, "minisign", "#!/bin/sh\nexit 1\n")?;
        job.paths.push(minisign);
        let inputs = runner::values([("version", version), ("mirror", &mirror)]);
        fixture.expect(&mut job, &inputs, 1, output)?;
        ensure!(
            !job.temp().join("roundtrip/bin/roundtrip").exists(),
            "the archive was unpacked\n{}",
            job.log
        );
    }
    Ok(())
}

fn fails_without_permission(fixture: &Fixture) -> Result<()> {
    let mut job = fixture.main_job("push")?;
    job.variables.insert("ACTIONS_ID_TOKEN_REQUEST_URL".into(), String::new());
    let inputs = fixture.measuring(&job, &[]);
    fixture.expect(&mut job, &inputs, 5, "Give it `permissions: id-token: write`")
}

fn refuses_tokens_to_pull_requests(fixture: &Fixture) -> Result<()> {
    fixture.issuer.set_event("pull_request")?;
    fixture.check_out(&fixture.head)?;
    let mut job = fixture.pull_request()?;
    fixture.permit(&mut job);
    let inputs = fixture.measuring(&job, &[]);
    fixture.expect(&mut job, &inputs, 5, "jobs for the event pull_request can run code from forks")
}

fn fails_the_job_on_a_regression(fixture: &Fixture) -> Result<()> {
    let mut job = fixture.main_job("push")?;
    let changes = [
        ("mode", "ab"),
        ("base", "main"),
        ("head", "change"),
        ("fail-on", "regressed"),
        ("preset", "formats.toml"),
        ("token", &fixture.token),
    ];
    let inputs = fixture.measuring(&job, &changes);
    fixture.expect(&mut job, &inputs, 3, &format!("::add-mask::{}", fixture.token))?;
    ensure!(job.summary.starts_with("### 1 of 1 cases regressed\n"), "the summary is {:?}", job.summary);
    let run = fixture.newest_run()?;
    ensure!(run["preset"] == "formats", "the run that arrived is {run}\n{}", job.log);
    Ok(())
}

fn stops_at_its_budget(fixture: &Fixture) -> Result<()> {
    let mut job = fixture.main_job("push")?;
    let changes = [
        ("mode", "ab"),
        ("base", "main"),
        ("head", "change"),
        ("fail-on", "inconclusive"),
        ("preset", "formats.toml"),
        // Too short for a pair.
        ("budget", "1ms"),
        ("token", &fixture.token),
    ];
    let inputs = fixture.measuring(&job, &changes);
    fixture.expect(&mut job, &inputs, 4, "time budget used: has 0 pairs")?;
    ensure!(
        job.summary.starts_with("### None of 1 cases regressed, 1 inconclusive\n"),
        "the summary is {:?}",
        job.summary
    );
    Ok(())
}

fn uploads_a_failed_run(fixture: &Fixture) -> Result<()> {
    let mut job = fixture.main_job("push")?;
    fs::write(fixture.repository.root.join("broken.toml"), BROKEN)?;
    let inputs = fixture.measuring(&job, &[("preset", "broken.toml"), ("token", &fixture.token)]);
    fixture.expect(&mut job, &inputs, 1, "Uploaded: ")?;
    let run = fixture.newest_run()?;
    ensure!(run["preset"] == "broken", "the run that arrived is {run}\n{}", job.log);
    Ok(())
}

fn comments_on_a_pull_request(fixture: &Fixture) -> Result<()> {
    fixture.check_out(&fixture.merge)?;
    let workflow = workflow::in_page(&workspace::root().join(PAGE), "roundtrip")?;
    let inputs = fixture.inputs(&fixture.pull_request()?, workflow.step_using(ACTION)?, &[])?;
    let comments = fixture.folder.path().join("comments");
    let mut bodies = Vec::new();
    for _ in 0..2 {
        let mut job = fixture.pull_request()?;
        job.paths.push(comments_api(&job, &comments)?);
        fixture.expect(&mut job, &inputs, 3, "")?;
        let bytes = fs::read_to_string(comments.join("1"))?;
        // The summary has the text of the comment, and a link to it.
        let link = format!("\n[Comment on pull request 12]({COMMENT})\n");
        let text = job.summary.strip_suffix(&link);
        let text = text.with_context(|| format!("the summary is {:?}: expected {link:?}", job.summary))?;
        ensure!(bytes.contains(text.trim()), "the comment is {bytes:?}, expected {text:?}");
        bodies.push(bytes);
    }
    let base = format!("Base {}, head {}.", fixture.main, fixture.head);
    for body in &bodies {
        ensure!(body.contains("### 1 of 1 cases regressed") && body.contains(&base), "{body}");
        ensure!(body.contains("[Job](https://github.com/octo/lib/actions/runs/7)"), "{body}");
    }
    ensure!(!comments.join("2").exists(), "a second comment was posted");
    // A fork's token can only read: the result is in the summary.
    let mut job = fixture.pull_request()?;
    job.paths.push(fake(&job, "gh", "#!/bin/sh\necho 'HTTP 403: Resource not accessible' >&2\nexit 1\n")?);
    fixture.expect(&mut job, &inputs, 3, "::warning::cannot comment on pull request 12")?;
    ensure!(job.summary.starts_with("### 1 of 1 cases regressed\n"), "the summary is {:?}", job.summary);
    // Elsewhere, the base must be named.
    let mut job = fixture.main_job("push")?;
    fixture.expect(&mut job, &inputs, 2, "::error::base is missing")
}

fn comments_for_a_fork(fixture: &Fixture) -> Result<()> {
    let workflow = workflow::in_page(&workspace::root().join(PAGE), "roundtrip comment")?;
    let comments = fixture.folder.path().join("fork-comments");
    let mut job = fixture.following_job()?;
    job.paths.push(github_command(
        &job,
        "api --method GET repos/octo/lib/pulls --raw-field head=stranger:change --jq",
        "12",
    )?);
    let code = job.run(&workflow.step_of_id("pull-request")?.script()?)?;
    ensure!(code == 0, "exit code {code}\n{}", job.log);
    let inputs = fixture.inputs(&job, workflow.step_using(ACTION)?, &[])?;
    job.paths = vec![comments_api(&job, &comments)?];
    let text = fixture.repository.root.join(&inputs["report"]);
    fs::write(&text, "1 regressed\n```\n@octo ![](https://example.org/a.png)\n")?;
    fixture.expect(&mut job, &inputs, 0, "")?;
    let body = fs::read_to_string(comments.join("1"))?;
    let block = "```text\n1 regressed\n\n@octo ![](https://example.org/a.png)\n\n```\n";
    ensure!(body.contains(block), "the comment is {body:?}");
    let is_same = job.summary.contains(block) && job.summary.contains(COMMENT);
    ensure!(is_same, "the summary is {:?}", job.summary);
    let inputs = runner::values([("mode", "comment"), ("report", &inputs["report"])]);
    fixture.expect(&mut job, &inputs, 2, "::error::no pull request to comment on")
}

fn measures_pull_requests_in_two_steps(fixture: &Fixture) -> Result<()> {
    // GitHub's default checkout is a merge commit that is in no branch's history.
    let output = "Give actions/checkout `ref: ${{ github.event.pull_request.head.sha }}`";
    fixture.measure_pull_request(&fixture.merge, "small.toml", 9, output)?;
    let report = fixture.measure_pull_request(&fixture.head, "small.toml", 0, "")?;
    fixture.issuer.set_event("workflow_run")?;
    let log = fixture.upload(&report, 0, "Uploaded: ")?;
    let run = fixture.newest_run()?;
    let is_right = run["pull_request"] == NUMBER
        && run["quarantined"] == true
        && run["branch"] == "stranger:change"
        && run["commit"]["sha"] == fixture.head.as_str();
    ensure!(is_right, "the run arrived as {run}\n{log}");
    Ok(())
}

fn saves_a_failed_pull_request(fixture: &Fixture) -> Result<()> {
    fs::write(fixture.repository.root.join("broken.toml"), BROKEN)?;
    let report = fixture.measure_pull_request(&fixture.head, "broken.toml", 1, "1 case failed")?;
    // GitHub would skip these steps and this job after a failure.
    let measuring = workflow("measure-pull-request.yml")?;
    let saves = measuring.step("Save the report")?.condition.as_deref();
    ensure!(saves == Some("${{ !cancelled() }}"), "the report is saved if {saves:?}");
    let uploading = workflow("upload-pull-request.yml")?;
    let follows = |condition: &str| condition.contains(r#"fromJSON('["success", "failure"]')"#);
    ensure!(uploading.conditions().all(follows), "the upload does not follow a failed measurement");
    fixture.issuer.set_event("workflow_run")?;
    let log = fixture.upload(&report, 0, "Uploaded: ")?;
    let run = fixture.newest_run()?;
    ensure!(run["preset"] == "broken" && run["quarantined"] == true, "the run arrived as {run}\n{log}");
    Ok(())
}

fn rejects_false_reports(fixture: &Fixture) -> Result<()> {
    let report = fixture.measure_pull_request(&fixture.head, "small.toml", 0, "")?;
    let report: Value = serde_json::from_str(&report).context("the report is not JSON")?;
    fixture.issuer.set_event("workflow_run")?;
    let before = fixture.newest_run()?;
    for (member, value, code, output) in [
        ("/pull_request", json!(13), 9, "is for pull request 13, expected 12"),
        ("/pull_request", Value::Null, 9, "is for no pull request, expected 12"),
        ("/commit", Value::Null, 1, "is not a report"),
        ("/commit/sha", json!(fixture.main), 9, &format!("expected {}", fixture.head)),
    ] {
        let mut changed = report.clone();
        *changed.pointer_mut(member).with_context(|| format!("the report has no {member}"))? = value;
        fixture.upload(&changed.to_string(), code, output)?;
    }
    // The head of several pull requests, or of no open one.
    for numbers in ["12\n13", ""] {
        let failure = fixture.follow(numbers).err().context("a pull request was found")?;
        let expected = "is not the head of exactly one open pull request";
        ensure!(format!("{failure:#}").contains(expected), "{failure:#}");
    }
    ensure!(fixture.newest_run()? == before, "the server stored a report");
    Ok(())
}

fn publishes_a_site(fixture: &Fixture) -> Result<()> {
    let origin = fixture.folder.path().join("origin.git");
    fixture.repository.git(&format!("init --quiet --bare {}", origin.display()))?;
    fixture.repository.git(&format!("remote add origin {}", origin.display()))?;
    let publishing = workflow("publish-site.yml")?;
    let site = fixture.folder.path().join("site").display().to_string();
    for (run, output) in [("8", ": 1 report, "), ("9", ": 2 reports, ")] {
        let mut job = fixture.main_job("push")?;
        job.variables.insert("GITHUB_RUN_ID".into(), run.into());
        job.values.extend(runner::values([
            ("inputs.preset", "small.toml"),
            ("inputs.machine", "bench-1"),
            ("inputs.branch", "benchmarks"),
        ]));
        let inputs = fixture.inputs(&job, publishing.step("Measure")?, &[])?;
        fixture.expect(&mut job, &inputs, 0, "")?;
        // The artifact arrives in the next job.
        fs::create_dir_all(job.temp().join("report"))?;
        fs::copy(job.temp().join("report.json"), job.temp().join("report/report.json"))?;
        let code = job.run(&publishing.step("Add the report")?.script()?)?;
        ensure!(code == 0, "exit code {code}\n{}", job.log);
        // A repeated job adds nothing.
        let store = job.temp().join("reports").display().to_string();
        fixture.repository.git(&format!("worktree remove --force {store}"))?;
        let code = job.run(&publishing.step("Add the report")?.script()?)?;
        ensure!(code == 0, "exit code {code}\n{}", job.log);
        // The last job checks out the branch.
        let inputs = fixture.inputs(&job, publishing.step("Build the site")?, &[("site", &site)])?;
        let checkout = fixture.repository.root.join(&inputs["report"]);
        fs::create_dir_all(&checkout)?;
        for report in workspace::sorted(&job.temp().join("reports/reports"))? {
            fs::copy(&report, checkout.join(report.file_name().unwrap_or_default()))?;
        }
        fixture.expect(&mut job, &inputs, 0, output)?;
        fs::remove_dir_all(&checkout)?;
        ensure!(job.summary.contains(output), "the summary is {:?}", job.summary);
        fixture.repository.git(&format!("worktree remove --force {store}"))?;
        fixture.repository.git("branch --delete --force --quiet benchmarks").ok();
    }
    let files = Tool::named("git")?.folder(&origin).words("ls-tree -r --name-only benchmarks").output()?;
    let is_report =
        |name: &str| name.starts_with(&format!("reports/{}-", fixture.main)) && name.ends_with(".json.gz");
    ensure!(files.lines().count() == 2 && files.lines().all(is_report), "the branch has {files}");
    let index = fs::read_to_string(Path::new(&site).join("index.html"))?;
    ensure!(index.contains("roundtrip-site") && !index.contains("=\"/"), "index.html is {index}");
    Ok(())
}

/// A `gh` that answers only this query, with these numbers.
fn github_command(job: &Job<'_>, query: &str, numbers: &str) -> Result<PathBuf> {
    let script = format!(
        "#!/bin/sh\nwanted='{query}'\n\
         case \"$*\" in \"$wanted \"*) ;; *) echo \"unexpected call of gh: $*\" >&2; exit 1 ;; esac\n\
         test \"$GH_TOKEN\" = github-token || exit 4\nprintf '%s' '{numbers}'\n"
    );
    fake(job, "gh", &script)
}

/// A `gh` that keeps the comment on the pull request in a folder, and rejects all other calls.
fn comments_api(job: &Job<'_>, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let script = format!(
        r#"#!/bin/bash
set -euo pipefail
test "$GH_TOKEN" = github-token || exit 4
cd '{}'
comments=repos/octo/lib/issues/12/comments
own='.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("<!-- roundtrip ab -->"))) | .id'
case "$*" in
  "api --paginate $comments --jq $own") if [ -e 1 ]; then echo 1; fi ;;
  "api --method POST $comments --field body=@"*" --jq .html_url") test ! -e 1; cp "${{6#body=@}}" 1; echo '{COMMENT}' ;;
  "api --method PATCH repos/octo/lib/issues/comments/1 --field body=@"*" --jq .html_url")
    cp "${{6#body=@}}" 1; echo '{COMMENT}' ;;
  *) echo "unexpected call of gh: $*" >&2; exit 1 ;;
esac
"#,
        folder.display()
    );
    fake(job, "gh", &script)
}

/// A folder with this program.
fn fake(job: &Job<'_>, name: &str, script: &str) -> Result<PathBuf> {
    let folder = job.temp().join("programs");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), script)?;
    platform::make_executable(&folder.join(name))?;
    Ok(folder)
}

fn workflow(name: &str) -> Result<Workflow> {
    workflow::read(&workspace::root().join(".github/workflows").join(name))
}

/// Issues the tokens of jobs.
struct Issuer {
    url: String,
    /// The URL and the token with which jobs request their tokens.
    request: [String; 2],
    daemon: Daemon,
    input: Mutex<ChildStdin>,
}

impl Issuer {
    fn start(program: &Path) -> Result<Self> {
        let daemon = Daemon::start("the issuer", Tool::at(program).with_input())?;
        let input = Mutex::new(daemon.running.child.take_stdin().context("the issuer has no input")?);
        let line = daemon.next_line()?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut word = || words.next().context("the issuer printed no address");
        Ok(Self { url: word()?, request: [word()?, word()?], daemon, input })
    }

    /// Issues tokens for jobs of this event from now on.
    fn set_event(&self, event: &str) -> Result<()> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(input, "{event}").context("the issuer exited")?;
        let line = self.daemon.next_line()?;
        ensure!(line == event, "the issuer returned {line:?} for the event {event}");
        Ok(())
    }
}

/// Packs a release of both programs for this machine.
fn release(programs: [&Path; 2], mirror: &Path) -> Result<()> {
    let target = match std::env::consts::OS {
        "macos" => "universal-apple-darwin".to_owned(),
        _ => format!("{}-unknown-linux-musl", std::env::consts::ARCH),
    };
    let folder = mirror.join(format!("download/v{VERSION}"));
    let mut sums = String::new();
    for program in programs {
        programs::pack(&target, &folder, program)?;
        let name = program.file_name().unwrap_or_default().display();
        sums += &fs::read_to_string(folder.join(format!("{name}-{VERSION}-{target}.tar.gz.sha256")))?;
    }
    Ok(fs::write(folder.join("SHA256SUMS"), sums)?)
}
