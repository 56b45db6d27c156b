//! What is played, and what must have come of it.

use super::document::{self, Use, Workflow};
use super::expression::{Values, evaluate};
use super::job::Job;
use super::world::{PROJECT, VERSION, World};
use crate::screen::Step;
use crate::{http, platform, workspace};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The pull request.
const NUMBER: u64 = 12;

type Scene = fn(&World) -> Result<()>;

/// Plays everything.
///
/// # Errors
/// What did not come of it as it must.
pub(super) fn play(world: &World, step: &Step) -> Result<()> {
    let scenes: [(&str, Scene); 7] = [
        ("a push is measured, summed up and uploaded without a secret", a_push_is_uploaded),
        ("what is not the release is not run", a_wrong_release_is_not_run),
        ("a job that may not prove who it is says what it lacks", a_job_without_permission_is_told),
        ("a job for a pull request gets no token", a_pull_request_gets_no_token),
        ("a regression fails the job after it was uploaded", a_regression_fails_the_job),
        ("a pull request is measured and uploaded in two steps", a_pull_request_goes_in_two_steps),
        ("a report that says something else than GitHub is refused", a_false_report_is_refused),
    ];
    for (name, scene) in scenes {
        step.message(name);
        scene(world).with_context(|| name.to_owned())?;
    }
    Ok(())
}

fn a_push_is_uploaded(world: &World) -> Result<()> {
    world.issuer.set_event("push")?;
    world.repository.check_out(&world.repository.main)?;
    let mut job = push(world)?;
    job.values.extend([
        ("inputs.server".into(), world.url.clone()),
        ("inputs.project".into(), String::new()),
        ("inputs.preset".into(), "small.toml".into()),
        ("matrix.machine".into(), "lab-1".into()),
    ]);
    let with = told(world, &job, workflow("measure.yml")?.step("Measure and upload")?, &[])?;
    expect(&mut job, world, &with, 0, "::add-mask::rtc_")?;
    ensure!(job.summary.starts_with(&format!("### {PROJECT} at ")), "the summary is {:?}", job.summary);
    ensure!(job.summary.contains("| pipe | 64 B |"), "the summary is {:?}", job.summary);
    ensure!(!job.temp().join("roundtrip/token").exists(), "the token was left\n{}", job.log);
    let run = newest_run(world)?;
    let is_right = run["branch"] == "main"
        && run["pull_request"].is_null()
        && run["quarantined"] == false
        && run["machine"] == "lab-1"
        && run["commit"]["sha"] == world.repository.main.as_str();
    ensure!(is_right, "the run arrived as {run}\n{}", job.log);
    Ok(())
}

fn a_wrong_release_is_not_run(world: &World) -> Result<()> {
    let mirror = world.folder("another-mirror")?;
    let name = format!("v{VERSION}");
    let of_version = mirror.join(&name);
    std::fs::create_dir_all(&of_version).context("no folder for another release")?;
    for entry in std::fs::read_dir(world.mirror.join(name)).context("no release")? {
        let path = entry.context("no release")?.path();
        let copy = of_version.join(path.file_name().context("a file without a name")?);
        let mut bytes = std::fs::read(&path).context("cannot read the release")?;
        if path.extension().is_some_and(|extension| extension == "gz") {
            bytes.push(0);
        }
        std::fs::write(&copy, bytes).context("cannot write another release")?;
    }
    let with = |version: &str| {
        Values::from([
            ("version".into(), version.into()),
            ("mirror".into(), format!("file://{}", mirror.display())),
        ])
    };
    for (version, says) in [
        (VERSION, "is not what its checksum file says: nothing of it is run"),
        ("9.9.9", "is there such a release?"),
        ("../1", "version is none"),
    ] {
        let mut job = push(world)?;
        let code = job.run_action(&world.action_folder, &world.action, &with(version))?;
        ensure!(code != 0 && job.log.contains(says), "exit code {code}, expected {says:?} in\n{}", job.log);
        let is_there = job.temp().join("roundtrip/bin/roundtrip").exists();
        ensure!(!is_there, "it was unpacked\n{}", job.log);
    }
    Ok(())
}

fn a_job_without_permission_is_told(world: &World) -> Result<()> {
    world.repository.check_out(&world.repository.main)?;
    let mut job = push(world)?;
    job.set("ACTIONS_ID_TOKEN_REQUEST_URL", "");
    let with = measuring(world, &job, &[("server", &world.url)]);
    expect(&mut job, world, &with, 5, "give it `permissions: id-token: write`")
}

fn a_pull_request_gets_no_token(world: &World) -> Result<()> {
    world.issuer.set_event("pull_request")?;
    world.repository.check_out(&world.repository.head)?;
    let mut job = pull_request(world)?;
    permit(world, &mut job);
    let with = measuring(world, &job, &[("server", &world.url)]);
    expect(&mut job, world, &with, 5, "a job for the event pull_request may do what strangers wrote")
}

fn a_regression_fails_the_job(world: &World) -> Result<()> {
    world.repository.check_out(&world.repository.main)?;
    let mut job = push(world)?;
    let told = [
        ("mode", "ab"),
        ("base", "main"),
        ("head", "change"),
        ("fail-on", "regressed"),
        ("preset", "formats.toml"),
        ("server", &world.url),
        ("token", &world.token),
    ];
    let with = measuring(world, &job, &told);
    expect(&mut job, world, &with, 3, &format!("::add-mask::{}", world.token))?;
    ensure!(job.summary.starts_with("### 1 of 1 cases regressed\n"), "the summary is {:?}", job.summary);
    let run = newest_run(world)?;
    ensure!(run["preset"] == "formats", "the run that arrived is {run}\n{}", job.log);
    Ok(())
}

fn a_pull_request_goes_in_two_steps(world: &World) -> Result<()> {
    // What GitHub checks out unless it is told otherwise is in no history.
    world.repository.check_out(&world.repository.merge)?;
    measured(world, 9, "give actions/checkout `ref: ${{ github.event.pull_request.head.sha }}`")?;
    let report = left(world)?;
    world.issuer.set_event("workflow_run")?;
    let mut job = follow(world, "12")?;
    upload(world, &mut job, &report, 0, "Uploaded: ")?;
    let run = newest_run(world)?;
    let is_right = run["pull_request"] == NUMBER
        && run["quarantined"] == true
        && run["branch"] == "stranger:change"
        && run["commit"]["sha"] == world.repository.head.as_str();
    ensure!(is_right, "the run arrived as {run}\n{}", job.log);
    Ok(())
}

fn a_false_report_is_refused(world: &World) -> Result<()> {
    let report = left(world)?;
    world.issuer.set_event("workflow_run")?;
    let before = newest_run(world)?;
    for (member, value, says) in [
        ("pull_request", json!(13), "its pull request is 13, expected 12"),
        ("pull_request", Value::Null, "its pull request is none, expected 12"),
        ("commit", json!(null), "is not a report"),
    ] {
        let mut changed: Value = serde_json::from_str(&report).context("the report is not JSON")?;
        changed[member] = value;
        let mut job = follow(world, "12")?;
        upload(world, &mut job, &changed.to_string(), if member == "commit" { 1 } else { 9 }, says)?;
    }
    let mut changed: Value = serde_json::from_str(&report).context("the report is not JSON")?;
    changed["commit"]["sha"] = json!(world.repository.main);
    let mut job = follow(world, "12")?;
    upload(world, &mut job, &changed.to_string(), 9, &format!("expected {}", world.repository.head))?;
    // Nobody knows which, or there is none any more.
    for numbers in ["12\n13", ""] {
        let failure = follow(world, numbers).err().context("a pull request was found")?;
        let says = "is not the head of exactly one open pull request";
        ensure!(format!("{failure:#}").contains(says), "{failure:#}");
    }
    ensure!(newest_run(world)? == before, "something was stored");
    Ok(())
}

/// What the first of the two workflows leaves.
fn left(world: &World) -> Result<String> {
    world.repository.check_out(&world.repository.head)?;
    measured(world, 0, "")
}

/// Runs the first of the two workflows, and returns the report if there is one.
fn measured(world: &World, code: i32, says: &str) -> Result<String> {
    let mut job = pull_request(world)?;
    let with = told(
        world,
        &job,
        workflow("measure-pull-request.yml")?.step("Measure")?,
        &[("preset", "small.toml")],
    )?;
    expect(&mut job, world, &with, code, says)?;
    Ok(std::fs::read_to_string(job.temp().join("roundtrip-report.json")).unwrap_or_default())
}

/// The second of the two workflows, up to where it has the report; GitHub says that the head is of these pull requests.
fn follow<'a>(world: &'a World, numbers: &str) -> Result<Job<'a>> {
    let repository = &world.repository;
    repository.check_out(&repository.main)?;
    let mut job = Job::new(
        &repository.root,
        &[
            ("GITHUB_EVENT_NAME", "workflow_run"),
            ("GITHUB_REF", "refs/heads/main"),
            ("GITHUB_SHA", &repository.main),
        ],
        "{}",
    )?;
    permit(world, &mut job);
    job.values.extend([
        ("github.token".into(), "github-token".into()),
        ("github.event.workflow_run.head_branch".into(), "change".into()),
        ("github.event.workflow_run.head_repository.owner.login".into(), "stranger".into()),
        ("github.event.workflow_run.head_sha".into(), repository.head.clone()),
        ("vars.ROUNDTRIP_SERVER".into(), world.url.clone()),
    ]);
    job.add_path(&github_command(&job, numbers)?);
    let workflow = workflow("upload-pull-request.yml")?;
    let code = job.run(&workflow.step("Ask which pull request it is")?.script()?)?;
    ensure!(code == 0, "exit code {code}\n{}", job.log);
    Ok(job)
}

fn upload(world: &World, job: &mut Job<'_>, report: &str, code: i32, says: &str) -> Result<()> {
    let folder = job.temp().join("left");
    std::fs::create_dir_all(&folder).context("no folder for the report")?;
    std::fs::write(folder.join("roundtrip-report.json"), report).context("cannot leave the report")?;
    let with = told(world, job, workflow("upload-pull-request.yml")?.step("Upload")?, &[])?;
    expect(job, world, &with, code, says)
}

/// A `gh` that knows one question, and answers it with these numbers.
fn github_command(job: &Job<'_>, numbers: &str) -> Result<PathBuf> {
    let folder = job.temp().join("github");
    std::fs::create_dir_all(&folder).context("no folder for gh")?;
    let path = folder.join("gh");
    let script = format!(
        "#!/bin/sh\nwanted='api --method GET repos/octo/lib/pulls --field state=open --raw-field head=stranger:change --jq'\n\
         case \"$*\" in \"$wanted \"*) ;; *) echo \"gh was asked: $*\" >&2; exit 1 ;; esac\n\
         test \"$GH_TOKEN\" = github-token || exit 4\nprintf '%s' '{numbers}'\n"
    );
    std::fs::write(&path, script).context("cannot write gh")?;
    platform::make_executable(&path)?;
    Ok(folder)
}

/// A job for a push to the main branch.
fn push(world: &World) -> Result<Job<'_>> {
    let event = [
        ("GITHUB_EVENT_NAME", "push"),
        ("GITHUB_REF", "refs/heads/main"),
        ("GITHUB_SHA", world.repository.main.as_str()),
    ];
    let mut job = Job::new(&world.repository.root, &event, "{}")?;
    permit(world, &mut job);
    Ok(job)
}

/// A job for a pull request of a fork, which may nothing.
fn pull_request(world: &World) -> Result<Job<'_>> {
    let repository = |id: u64, owner: &str| json!({"id": id, "name": "lib", "owner": {"login": owner}});
    let event = json!({
        "action": "opened",
        "number": NUMBER,
        "pull_request": {
            "number": NUMBER,
            "head": {"ref": "change", "sha": world.repository.head, "repo": repository(102, "stranger")},
            "base": {"ref": "main", "sha": world.repository.main, "repo": repository(101, "octo")},
        },
    });
    let variables = [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_REF", "refs/pull/12/merge"),
        ("GITHUB_SHA", world.repository.merge.as_str()),
    ];
    Job::new(&world.repository.root, &variables, &event.to_string())
}

/// `permissions: id-token: write`.
fn permit(world: &World, job: &mut Job<'_>) {
    let [url, token] = &world.issuer.request;
    job.set("ACTIONS_ID_TOKEN_REQUEST_URL", url);
    job.set("ACTIONS_ID_TOKEN_REQUEST_TOKEN", token);
}

/// What a step of a workflow tells the action, but for the release and what else is changed here.
fn told(world: &World, job: &Job<'_>, step: &Use, changes: &[(&str, &str)]) -> Result<Values> {
    let mut told = Values::new();
    for (name, value) in &step.with {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        told.insert(name.clone(), evaluate(&text, &job.values)?);
    }
    told.extend(released(world));
    told.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Ok(told)
}

/// What tells the action to measure one small case.
fn measuring(world: &World, job: &Job<'_>, further: &[(&str, &str)]) -> Values {
    let report = job.temp().join("roundtrip-report.json").display().to_string();
    let mut told = Values::from([("preset".into(), "small.toml".into()), ("report".into(), report)]);
    told.extend(released(world));
    told.extend(further.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    told
}

fn released(world: &World) -> [(String, String); 2] {
    let mirror = format!("file://{}", world.mirror.display());
    [("version".to_owned(), VERSION.to_owned()), ("mirror".to_owned(), mirror)]
}

/// Runs the action, which must end so and say this.
fn expect(job: &mut Job<'_>, world: &World, with: &Values, code: i32, says: &str) -> Result<()> {
    let found = job.run_action(&world.action_folder, &world.action, with)?;
    ensure!(found == code, "exit code {found}, expected {code}\n{}", job.log);
    ensure!(job.log.contains(says), "expected {says:?} in\n{}", job.log);
    Ok(())
}

fn workflow(name: &str) -> Result<Workflow> {
    document::read(&workspace::root().join(Path::new(".github/workflows")).join(name))
}

/// The newest run that the server has; null when it has none.
fn newest_run(world: &World) -> Result<Value> {
    let runs = http::get(&format!("{}/api/v1/projects/{PROJECT}/runs?limit=1", world.url))?;
    let runs: Value = serde_json::from_str(&runs).context("the server's runs are not JSON")?;
    Ok(runs["runs"][0].clone())
}
