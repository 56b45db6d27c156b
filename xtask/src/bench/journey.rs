//! `bench journey`: how long a new user takes from a clone to the commit that made it slower, and from nothing to the first job
//! of a lab; and how soon a server names a slow commit. Real repositories, builds and servers; each command is one that a user
//! types.

use super::{Options, timed};
use crate::fixture::{Daemon, Repository};
use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::tool::{self, Tool};
use crate::{http, interrupt, server, workspace};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use roundtrip_budget::{BarIs, Peer, Row};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const CULPRIT: &str = "Send header and body separately";
/// Histories without a change, the commits of each, and how many may name one.
const UNCHANGED: u64 = 20;
const QUICK_UNCHANGED: u64 = 4;
const UNCHANGED_COMMITS: usize = 30;
const NAMED_MAX: u64 = 1;
const CULPRIT_S_MAX: f64 = 60.0;
const LAB_S_MAX: f64 = 90.0;
const LAB_COMMANDS_MAX: usize = 6;
const JOB_TIMEOUT: Duration = Duration::from_secs(300);
/// The commits of the server's history, those that a job measures before, and the first slow one.
const SERVED_COMMITS: usize = 22;
const SERVED_BEFORE: usize = 12;
const SERVED_CULPRIT: usize = 17;
const SERVED_S_MAX: f64 = 120.0;
/// `roundtrip bisect` without a culprit.
const NONE_FOUND: i32 = 4;

/// The commands that are typed, counted for the rows.
struct Journey<'a> {
    folder: &'a Path,
    commands: usize,
    began: Instant,
}

pub(super) fn measure(options: &Options) -> Result<ExitCode> {
    let only = options.part_of(&["culprit", "unchanged", "lab", "server"])?;
    ensure!(tool::missing("cc git").is_none(), "a C compiler (cc) and git are needed");
    workspace::claim_target_folder()?;
    let built = Step::quietly("programs", |step| programs::build(step, &programs::BOTH, Profile::Dev))?;
    let (agent, program) = (built.program("roundtrip")?, built.program(programs::SERVER)?);
    let mut rows = Vec::new();
    if only.is_none_or(|part| part == "culprit") {
        rows.push(Step::quietly("culprit", |step| culprit(&agent, step))?);
    }
    if only.is_none_or(|part| part == "unchanged") {
        let histories = if options.quick { QUICK_UNCHANGED } else { UNCHANGED };
        rows.push(Step::quietly("unchanged", |step| unchanged(&agent, histories, step))?);
    }
    if only.is_none_or(|part| part == "lab") {
        rows.extend(Step::quietly("lab", |step| lab(&agent, &program, step))?);
    }
    if only.is_none_or(|part| part == "server") {
        rows.push(Step::quietly("server", |step| served(&agent, &program, step))?);
    }
    options.print(&rows)
}

/// How the commits of a history differ.
#[derive(Clone, Copy)]
enum Changes {
    /// In a note. The fourth sends each message in two calls.
    NotesAndCulprit,
    /// In a constant that the program does not use, because identical programs are not measured. From this commit on, if any,
    /// each message takes four calls.
    Programs(Option<usize>),
}

/// A repository of a program in C.
fn history(root: &Path, commits: usize, changes: Changes) -> Result<Repository> {
    let repository = Repository::init(root)?;
    let example = |name: &str| workspace::read(&format!("benches/external/c/{name}"));
    let source = example("unix_socket.c")?;
    let files = [
        ("roundtrip.h", example("roundtrip.h")?),
        ("courier.c", source.clone()),
        ("ipc.toml", DEFINITION.to_owned()),
        ("roundtrip.toml", SETTINGS.to_owned()),
        (".gitignore", "/courier\n".to_owned()),
    ];
    files.iter().try_for_each(|(name, text)| fs::write(root.join(name), text))?;
    let sent_in_parts = |parts: u32| {
        let once = "if (send_all(fd, message, request->message_bytes) != 0) return 1;";
        ensure!(source.contains(once), "the example sends in another way");
        let calls: String = (0..parts - 1)
            .map(|part| format!("send_all(fd, message + {}, 4) != 0 || ", 4 * part))
            .chain([format!(
                "send_all(fd, message + {0}, request->message_bytes - {0}) != 0",
                4 * (parts - 1)
            )])
            .collect();
        Ok(source.replace(once, &format!("if ({calls}) return 1;")))
    };
    for number in 1..=commits {
        let (note, subject) = (format!("{number}\n"), format!("Change {number}"));
        match changes {
            Changes::NotesAndCulprit if number == 4 => {
                repository.commit(CULPRIT, &[("NOTES", &note), ("courier.c", &sent_in_parts(2)?)])?
            }
            Changes::NotesAndCulprit => repository.commit(&subject, &[("NOTES", &note)])?,
            Changes::Programs(culprit) => {
                let is_slow = culprit.is_some_and(|culprit| number >= culprit);
                let source = if is_slow { sent_in_parts(4)? } else { source.clone() };
                let changed = format!("{source}const char version[] = \"{number}\";\n");
                repository.commit(&subject, &[("courier.c", &changed)])?
            }
        };
    }
    Ok(repository)
}

const SETTINGS: &str = r#"project = "courier"
presets = ["ipc.toml"]
build = ["cc -O2 -D_POSIX_C_SOURCE=200809L -o courier courier.c"]
"#;

const DEFINITION: &str = r#"about = "A pair of Unix sockets."
deadline_seconds = 20

[[program]]
slug = "courier"
title = "Courier"
family = "socket"
semantics = "A pair of Unix sockets."
command = ["./courier"]

[[case]]
scenario = "roundtrip"
transports = ["courier"]
message_bytes = [64]
modes = ["2proc"]
placements = ["same-cpu"]
operations = 200
warmup = 20
repetitions = 6
"#;

impl<'a> Journey<'a> {
    fn begin(folder: &'a Path) -> Self {
        Self { folder, commands: 0, began: Instant::now() }
    }

    /// A command that the user types in a folder below the journey's.
    fn types(&mut self, tool: Tool, folder: &str) -> Tool {
        self.commands += 1;
        tool.folder(&self.folder.join(folder))
    }
}

/// From `git clone` to the named commit, compared with `git bisect run` over `roundtrip ab`.
fn culprit(agent: &Path, step: &Step) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let origin = history(&folder.path().join("origin"), 6, Changes::NotesAndCulprit)?;
    let clone = || Tool::named("git").map(|git| git.words("clone --quiet origin courier"));

    let mut journey = Journey::begin(folder.path());
    journey.types(clone()?, "").succeed(step)?;
    let bisect = Tool::at(agent).arguments(["bisect"]);
    let answer = journey.types(bisect, "courier").run(step)?.successful()?;
    let seconds = journey.began.elapsed().as_secs_f64();
    ensure!(answer.output.contains(CULPRIT), "another commit was named:\n{}", answer.output);

    fs::remove_dir_all(folder.path().join("courier"))?;
    let began = Instant::now();
    clone()?.folder(folder.path()).succeed(step)?;
    let peer = Repository { root: folder.path().join("courier") };
    peer.git("bisect start HEAD HEAD~5")?;
    let base = origin.git("rev-parse HEAD~5")?;
    let command =
        ["ab", "--of", "revision", "--base", base.trim(), "--head", "HEAD", "--fail-on", "regressed"];
    let run = Tool::named("git")?.words("bisect run").arguments([agent]).arguments(command);
    let found = run.folder(&peer.root).run(step)?.successful()?;
    ensure!(found.output.contains(CULPRIT), "git bisect named another commit:\n{}", found.output);
    let of_git = began.elapsed().as_secs_f64();
    let title = format!("clone to the named commit of six, in {} commands", journey.commands);
    let peer = format!("git bisect run roundtrip ab ({of_git:.0} s)");
    Ok(timed(title, seconds, peer, of_git, CULPRIT_S_MAX))
}

/// How often a commit is named in histories without a change.
fn unchanged(agent: &Path, histories: u64, step: &Step) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let history = history(&folder.path().join("courier"), UNCHANGED_COMMITS, Changes::Programs(None))?;
    let mut named = 0;
    for seed in 1..=histories {
        step.message(&format!("history {seed} of {histories}"));
        let good = format!("HEAD~{}", UNCHANGED_COMMITS - 1);
        let bisect = Tool::at(agent).arguments(["bisect", "--good", &good, "--seed", &seed.to_string()]);
        let finished = bisect.folder(&history.root).run(step)?;
        match finished.status.code() {
            Some(0) => named += 1,
            Some(NONE_FOUND) => {}
            _ => drop(finished.successful()?),
        }
    }
    let title = format!("histories of {UNCHANGED_COMMITS} equal commits in which one is named");
    let peer = Peer { name: "all histories".into(), value: histories as f64 };
    Ok(Row::new(title, named, "histories", peer, BarIs::ValueAtMost, NAMED_MAX as f64))
}

/// From nothing to the first finished job of a lab, and the commands for it.
fn lab(agent: &Path, program: &Path, step: &Step) -> Result<[Row; 2]> {
    let folder = server::disk_folder()?;
    let origin = history(&folder.path().join("origin"), 1, Changes::Programs(None))?;
    let data_folder = folder.path().join("data");
    let mut journey = Journey::begin(folder.path());

    journey.commands += 1;
    let server = server::start_alone(program, &["serve", "--port", "0"], &data_folder, step)?;
    let url = server.address()?;
    let repository = format!("file://{}", origin.root.display());
    let create = ["project", "create", "--name", "courier", "--repository", &repository];
    journey.types(server::verb(program, &data_folder, &create), "").succeed(step)?;
    // One line: the code is piped into the agent's command.
    let code =
        server::verb(program, &data_folder, &["enrolment", "create", "--project", "courier"]).output()?;
    let file = folder.path().join("code");
    fs::write(&file, code)?;
    let enrol = Tool::at(agent).arguments(["enrol", "--server", &url, "--machine", "lab-1", "--code-file"]);
    journey.types(enrol.arguments([&file]).arguments(["--state", "state"]), "").succeed(step)?;
    let run = ["agent", "--trust-repositories", "--allow-local-repositories", "--state", "state"];
    let running = Daemon::start("the agent", journey.types(Tool::at(agent).arguments(run), ""))?;
    journey.commands += 2;
    let queue = Queue { program, data_folder: &data_folder, agent: &running };
    queue.measure(&origin.head()?)?;
    let seconds = journey.began.elapsed().as_secs_f64();
    running.stop()?;
    server.stop()?;

    let began = Instant::now();
    let alone = Tool::at(agent).arguments(["run", "--output", "report.json"]);
    alone.folder(&origin.root).succeed(step).context("the same measurement without a lab")?;
    let of_run = began.elapsed().as_secs_f64();
    let peer = format!("roundtrip run in the checkout ({of_run:.1} s)");
    let commands = Peer { name: "commands allowed".into(), value: LAB_COMMANDS_MAX as f64 };
    Ok([
        timed("a lab from nothing to its first finished job".into(), seconds, peer, of_run, LAB_S_MAX),
        Row::new(
            "commands for it, none of them curl",
            journey.commands as u64,
            "commands",
            commands,
            BarIs::ValueAtMost,
            LAB_COMMANDS_MAX as f64,
        ),
    ])
}

/// The jobs of a server, which an agent measures.
struct Queue<'a> {
    program: &'a Path,
    data_folder: &'a Path,
    agent: &'a Daemon,
}

impl Queue<'_> {
    /// Requests a commit, and waits until it is measured.
    fn measure(&self, sha: &str) -> Result<()> {
        let verb = |words: &[&str]| server::verb(self.program, self.data_folder, words).output();
        let number = verb(&["job", "create", "--project", "courier", sha])?;
        interrupt::poll("the job", JOB_TIMEOUT, Duration::from_millis(500), || {
            self.agent.check()?;
            let shown = verb(&["job", "show", "--project", "courier", number.trim()])?;
            let status = shown.lines().find_map(|line| line.strip_prefix("Status")).unwrap_or_default();
            let status = status.trim();
            ensure!(matches!(status, "queued" | "running" | "done"), "the job is {status}:\n{shown}");
            Ok((status == "done").then_some(()))
        })
    }
}

/// From the first run of a slow commit to the confirmed culprit among ten commits, on a server with an agent.
fn served(agent: &Path, program: &Path, step: &Step) -> Result<Row> {
    let folder = server::disk_folder()?;
    let changes = Changes::Programs(Some(SERVED_CULPRIT));
    let origin = history(&folder.path().join("origin"), SERVED_COMMITS, changes)?;
    let data_folder = folder.path().join("data");
    let server =
        server::start_alone(program, &["serve", "--port", "0", "--public-read"], &data_folder, step)?;
    let url = server.address()?;
    let repository = format!("file://{}", origin.root.display());
    let create = ["project", "create", "--name", "courier", "--repository", &repository];
    server::verb(program, &data_folder, &create).succeed(step)?;
    let state = folder.path().join("state");
    server::enrol(agent, &url, &server::administrator(program, &data_folder, "bench")?, "lab-1", &state)?;
    let run = ["agent", "--trust-repositories", "--allow-local-repositories", "--state"];
    let running = Daemon::start("the agent", Tool::at(agent).arguments(run).arguments([&state]))?;

    let queue = Queue { program, data_folder: &data_folder, agent: &running };
    let sha = |number: usize| origin.git(&format!("rev-parse HEAD~{}", SERVED_COMMITS - number));
    for number in 1..=SERVED_BEFORE {
        step.message(&format!("commit {number} of {SERVED_BEFORE}"));
        queue.measure(sha(number)?.trim())?;
    }
    step.message("the slow commit");
    queue.measure(sha(SERVED_COMMITS)?.trim())?;
    let began = Instant::now();
    let list = format!("{url}/api/v1/projects/courier/regressions");
    let culprit = interrupt::poll("the culprit", JOB_TIMEOUT, Duration::from_millis(200), || {
        running.check()?;
        let regressions = http::json(&list)?;
        Ok(regressions["regressions"][0]["culprit_commit"]["sha"].as_str().map(str::to_owned))
    })?;
    let seconds = began.elapsed().as_secs_f64();
    ensure!(culprit == sha(SERVED_CULPRIT)?.trim(), "the server named another commit: {culprit}");
    running.stop()?;
    server.stop()?;

    let began = Instant::now();
    let good = format!("HEAD~{}", SERVED_COMMITS - SERVED_BEFORE);
    let bisect = Tool::at(agent).arguments(["bisect", "--good", &good]);
    bisect.folder(&origin.root).run(step)?.successful()?;
    let of_bisect = began.elapsed().as_secs_f64();
    let title = format!("first slow run to the culprit of {}, on a server", SERVED_COMMITS - SERVED_BEFORE);
    let peer = format!("roundtrip bisect in the checkout ({of_bisect:.0} s)");
    Ok(timed(title, seconds, peer, of_bisect, SERVED_S_MAX))
}
