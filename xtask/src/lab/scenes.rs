//! What happens, and what must have come of it. Each scene goes on where the one before ended.

use super::repository::{PROJECT, REPOSITORY};
use super::world::{MACHINES, WRITER, World};
use crate::screen::Step;
use crate::tally::Scene;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// The pull request that makes messages slower, and the one that changes nothing measured.
const SLOWER: u64 = 1;
const SAME: u64 = 2;
/// Somebody who may read and nothing else.
const STRANGER: &str = "mallory";
const QUEUE: &str = "/roundtrip queue";
/// The first line of the one comment that is written anew.
const MARKER: &str = "<!-- roundtrip:v1 project=courier -->";
/// How the server answers what it takes in, and what GitHub has not signed.
const ACCEPTED: u64 = 202;
const UNAUTHORIZED: u64 = 401;

/// All of them, in order.
pub(super) const ALL: [(&str, Scene<World>); 4] = [
    ("lab: push", a_push_is_measured_on_every_machine),
    ("lab: nobody asked", nothing_is_measured_that_nobody_may_ask_for),
    ("lab: slower", what_is_slower_is_said_once),
    ("lab: nothing changed", of_what_changes_nothing_no_comment_is_written),
];

fn a_push_is_measured_on_every_machine(world: &World, step: &Step) -> Result<()> {
    let sha = &world.repository.main;
    let pushed = json!({"repository": REPOSITORY, "branch": "main", "sha": sha});
    took_in(&world.github("branches", &pushed)?)?;
    step.message("waiting until both machines have measured the push");
    let jobs = measured(world, "", sha)?;
    for job in &jobs {
        ensure!(job["reason"] == "push" && job["base_sha"].is_null(), "no job of a push: {job}");
    }
    expect_trend(world)
}

fn nothing_is_measured_that_nobody_may_ask_for(world: &World, step: &Step) -> Result<()> {
    open(world, SLOWER, &world.repository.slower, "slower")?;
    for signing in ["none", "wrong", "sha1"] {
        let answer = comment(world, SLOWER, WRITER, signing)?;
        let status = &answer["webhook_status"];
        ensure!(*status == UNAUTHORIZED, "signed {signing}, and answered with {status}");
    }
    took_in(&comment(world, SLOWER, STRANGER, "right")?)?;
    step.message("waiting until a stranger is told why not");
    world.until("a stranger is told why not", || {
        let comments = world.at_github(&format!("comments?repository={REPOSITORY}&number={SLOWER}"))?;
        Ok((!comments.is_empty()).then_some(()))
    })?;
    expect_jobs(world, SLOWER, &[])
}

fn what_is_slower_is_said_once(world: &World, step: &Step) -> Result<()> {
    let said = compared(world, SLOWER, &world.repository.slower, step)?;
    step.message("waiting for the comment");
    let comment = world.until("there is a comment", || Ok(sticky(world, SLOWER)?.pop()))?;
    for (machine, _) in MACHINES {
        let row = comment.lines().find(|line| line.starts_with('|') && line.contains(machine));
        let row = row.with_context(|| format!("nothing is said of {machine}: {comment}"))?;
        ensure!(row.contains("slower"), "{machine} is not said to be slower: {comment}");
    }
    ensure!(said["conclusion"] == "success", "it is not to fail, and does: {said}");
    let title = said["output"]["title"].as_str().unwrap_or_default();
    ensure!(title.starts_with("▲ Slower: 2 of 2 series"), "the check does not say it: {said}");
    expect_comments(sticky(world, SLOWER)?.len(), 1)
}

fn of_what_changes_nothing_no_comment_is_written(world: &World, step: &Step) -> Result<()> {
    // Nobody asks for what is pushed to the other one now. What GitHub tells is handled in its order: that, before all of this.
    let pushed = json!({"repository": REPOSITORY, "number": SLOWER, "sha": world.repository.slower_again});
    took_in(&world.github("pushes", &pushed)?)?;
    open(world, SAME, &world.repository.documented, "documented")?;
    let said = compared(world, SAME, &world.repository.documented, step)?;
    ensure!(said["conclusion"] == "success", "nothing has changed, and the check is not well: {said}");
    expect_comments(sticky(world, SAME)?.len(), 0)?;
    expect_comments(sticky(world, SLOWER)?.len(), 1)?;
    expect_jobs(world, SLOWER, &[&world.repository.slower; MACHINES.len()])?;
    // What pull requests propose is no part of the trend.
    expect_trend(world)
}

/// What is so at GitHub when everybody has ended who could have written something.
pub(super) fn written_in_the_end(at_github: &dyn Fn(&str) -> Result<Vec<Value>>) -> Result<()> {
    for (number, count) in [(SLOWER, 1), (SAME, 0)] {
        let comments = at_github(&format!("comments?repository={REPOSITORY}&number={number}"))?;
        expect_comments(of_reports(&comments).len(), count)?;
    }
    Ok(())
}

/// Somebody who may asks for a comparison, and both machines make it. Returns the check when it is completed.
fn compared(world: &World, number: u64, sha: &str, step: &Step) -> Result<Value> {
    took_in(&comment(world, number, WRITER, "right")?)?;
    step.message("waiting until both machines have measured base and head");
    let jobs = measured(world, &format!("pull_request={number}"), sha)?;
    for job in &jobs {
        ensure!(
            job["base_sha"] == world.repository.main.as_str(),
            "it was compared with something else: {job}"
        );
    }
    step.message("waiting for the check");
    world.until("the check is completed", || {
        let checks = world.at_github(&format!("check-runs?repository={REPOSITORY}&sha={sha}"))?;
        ensure!(checks.len() <= 1, "there is more than one check: {checks:?}");
        Ok(checks.into_iter().find(|check| check["status"] == "completed"))
    })
}

/// Opens a pull request. What is asked for within the second in which it was is refused: so that second has to pass.
fn open(world: &World, number: u64, sha: &str, branch: &str) -> Result<()> {
    let opened = json!({
        "repository": REPOSITORY, "number": number, "author": "grace", "head_branch": branch, "head_sha": sha,
        "base_sha": world.repository.main,
    });
    took_in(&world.github("pulls", &opened)?)?;
    world.github("clock", &json!({"seconds": 2})).map(drop)
}

fn comment(world: &World, number: u64, login: &str, signing: &str) -> Result<Value> {
    let said = json!({
        "repository": REPOSITORY, "number": number, "login": login, "body": QUEUE, "signing": signing,
    });
    world.github("comments", &said)
}

fn took_in(answer: &Value) -> Result<()> {
    let status = &answer["webhook_status"];
    ensure!(*status == ACCEPTED, "the server answers what GitHub tells with status {status}");
    Ok(())
}

/// Waits until every machine has done its job for a commit, and returns the jobs.
fn measured(world: &World, of: &str, sha: &str) -> Result<Vec<Value>> {
    world.until("both machines have measured", || {
        let jobs: Vec<Value> = jobs(world, of)?.into_iter().filter(|job| job["commit_sha"] == sha).collect();
        if let Some(job) = jobs.iter().find(|job| job["status"] == "failed" || job["status"] == "cancelled") {
            bail!("a job did not get done: {job}");
        }
        let has_done =
            |machine: &str| jobs.iter().any(|job| job["machine"] == machine && job["status"] == "done");
        let is_done = MACHINES.iter().all(|(machine, _)| has_done(machine));
        ensure!(jobs.len() <= MACHINES.len(), "a commit has {} jobs: {jobs:?}", jobs.len());
        Ok(is_done.then_some(jobs))
    })
}

fn jobs(world: &World, of: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for done in [false, true] {
        let list = world.read(&format!("projects/{PROJECT}/jobs?done={done}&{of}"))?;
        for job in list["jobs"].as_array().context("there is no list of jobs")? {
            // One that was done between the two questions is in both answers, and the second one is so.
            all.retain(|known: &Value| known["job_id"] != job["job_id"]);
            all.push(job.clone());
        }
    }
    Ok(all)
}

/// The pull request has jobs for these commits and no others.
fn expect_jobs(world: &World, number: u64, expected: &[&String]) -> Result<()> {
    let jobs = jobs(world, &format!("pull_request={number}"))?;
    let commits: Vec<&Value> = jobs.iter().map(|job| &job["commit_sha"]).collect();
    ensure!(commits == expected, "pull request {number} has jobs for {commits:?}: expected {expected:?}");
    Ok(())
}

/// The comments on a pull request that say what was found; others are answers to somebody.
fn sticky(world: &World, number: u64) -> Result<Vec<String>> {
    Ok(of_reports(&world.at_github(&format!("comments?repository={REPOSITORY}&number={number}"))?))
}

fn of_reports(comments: &[Value]) -> Vec<String> {
    let texts = comments.iter().filter_map(Value::as_str);
    texts.filter(|text| text.starts_with(MARKER)).map(str::to_owned).collect()
}

fn expect_comments(count: usize, expected: usize) -> Result<()> {
    ensure!(count == expected, "a pull request has {count} comments on what was found: expected {expected}");
    Ok(())
}

/// The trend of the program is the push, once on each machine.
fn expect_trend(world: &World) -> Result<()> {
    let expected = vec![vec![world.repository.main.clone()]; MACHINES.len()];
    let trend = trend(world)?;
    ensure!(trend == expected, "the trend of the series is {trend:?}: expected {expected:?}");
    Ok(())
}

/// The commits of each series of the program that has some on the main branch. What was measured in pairs came about in another
/// way, and is in series of its own.
fn trend(world: &World) -> Result<Vec<Vec<String>>> {
    let series = world.read(&format!("projects/{PROJECT}/series?transport={PROJECT}"))?;
    let mut all = Vec::new();
    for series in series["series"].as_array().context("there is no list of series")? {
        let points = world.read(&format!("points?series={}&lines=main", series["series_id"]))?;
        let points = points["series"][0]["points"].as_array().cloned().unwrap_or_default();
        let commits = points.iter().filter_map(|point| Some(point["commit_sha"].as_str()?.to_owned()));
        all.push(commits.collect::<Vec<_>>());
    }
    all.retain(|commits| !commits.is_empty());
    Ok(all)
}
