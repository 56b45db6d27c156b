//! `roundtrip enrol` and `roundtrip agent` on an enrolled machine: measures jobs, reports them in the right
//! order, and loses no results.

use crate::run::{commit_all, head, repository};
use crate::server::{Request, Response, StatefulServer, problem, receipt, wait_until};
use crate::{
    Process, definition, definition_of_programs, has_programs, printed, refused, reports_opened_files,
    roundtrip, run_command, words,
};
use roundtrip_wire::lab::{Finish, JobOutcome, PROTOCOLS};
use roundtrip_wire::{CommitSha, RunReport};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A lab's server, as far as an agent uses it.
#[derive(Default)]
pub(crate) struct State {
    /// The queued jobs.
    pub(crate) jobs: VecDeque<Value>,
    /// The requests, in order: `claim`, `run`, `finish`, `heartbeat`.
    pub(crate) asked: Vec<String>,
    pub(crate) runs: Vec<RunReport>,
    pub(crate) finished: Vec<Finish>,
    /// Whether uploads get no answer.
    pub(crate) is_away: bool,
    /// Whether agents have lost their leases.
    pub(crate) is_lost: bool,
}

fn respond(request: &Request, state: &mut State) -> Response {
    let (path, body) = (request.path(), &request.body);
    let asked = || serde_json::from_slice::<Value>(body).unwrap();
    if path == "/api/v1/agents" {
        if asked()["code"] != "rte_good" {
            return ("401 Unauthorized", problem(401, "unauthenticated"));
        }
        let token = json!({"secret": "rta_first", "expires_at": "2999-01-01T00:00:00Z"});
        return ("201 Created", json!({"agent_id": 7, "token": token}).to_string().into());
    }
    if state.is_away {
        return ("503 Service Unavailable", Vec::new());
    }
    if path == "/api/v1/lab/claim" {
        assert_eq!(asked()["protocol_max"], *PROTOCOLS.end());
        state.asked.push("claim".into());
        return match state.jobs.pop_front() {
            Some(job) => ("200 OK", job.to_string().into()),
            None => ("204 No Content", Vec::new()),
        };
    }
    if path.starts_with("/api/v1/runs/") {
        state.asked.push("run".into());
        state.runs.push(serde_json::from_slice(body).unwrap());
        return ("201 Created", receipt(body).into());
    }
    if path.ends_with("/heartbeat") || path.ends_with("/finish") {
        state.asked.push(path.rsplit('/').next().unwrap().to_owned());
        if state.is_lost {
            return ("409 Conflict", problem(409, "lease-lost"));
        }
        if path.ends_with("/heartbeat") {
            return ("200 OK", json!({"lease_seconds": 120}).to_string().into());
        }
        state.finished.push(serde_json::from_slice(body).unwrap());
        return ("204 No Content", Vec::new());
    }
    ("404 Not Found", problem(404, "unknown-endpoint"))
}

/// An enrolled machine, and the measured repository.
pub(crate) struct Lab {
    pub(crate) folder: TempDir,
    pub(crate) source: TempDir,
    pub(crate) server: StatefulServer<State>,
}

impl Lab {
    /// Its commits are built with this command, and measured with this many repetitions.
    pub(crate) fn new(build: &str, repetitions: u32) -> Self {
        let source = repository();
        std::fs::write(source.path().join("one.toml"), definition("pipe", repetitions)).unwrap();
        let settings = format!("presets = ['one.toml']\nbuild = [\"{build}\"]\n");
        std::fs::write(source.path().join("roundtrip.toml"), settings).unwrap();
        commit_all(source.path(), "settings");
        let lab =
            Self { folder: tempfile::tempdir().unwrap(), source, server: StatefulServer::start(respond) };
        printed(&lab.enrol("rte_good"));
        lab
    }

    pub(crate) fn enrol(&self, code: &str) -> std::process::Output {
        std::fs::write(self.folder.path().join("code"), code).unwrap();
        let enrol = ["enrol", "--machine", "lab-1", "--code-file", "code", "--state", "state", "--server"];
        run_command(self.folder.path(), &[&enrol[..], &[&self.server.url()]].concat())
    }

    /// Its repository is on this machine.
    pub(crate) fn command(&self, options: &[&str]) -> Command {
        let mut command = self.remote_command(options);
        command.arg("--allow-local-repositories");
        command
    }

    /// An agent that fetches only from other machines.
    pub(crate) fn remote_command(&self, options: &[&str]) -> Command {
        let mut command: Command = roundtrip(self.folder.path());
        command.args(["agent", "--state", "state"]).args(options);
        command.stdout(Stdio::null()).stderr(Stdio::inherit());
        command
    }

    pub(crate) fn agent(&self) -> Process {
        self.agent_with(&["--trust-repositories"])
    }

    pub(crate) fn agent_with(&self, options: &[&str]) -> Process {
        Process(self.command(options).spawn().unwrap())
    }

    pub(crate) fn head(&self) -> String {
        head(self.source.path())
    }

    pub(crate) fn job(&self, job_id: i64, fence: i64) -> Value {
        json!({
            "job_id": job_id, "fence": fence, "lease_seconds": 120, "project": "libfoo",
            "repository_url": format!("file://{}", self.source.path().display()), "commit_sha": self.head(),
            "branch": "main",
        })
    }

    pub(crate) fn give(&self, job: Value) {
        self.server.change(|state| state.jobs.push_back(job));
    }

    pub(crate) fn finished(&self, count: usize) -> Finish {
        let is_so =
            |state: &State| (state.finished.len() >= count).then(|| state.finished[count - 1].clone());
        self.server.until("the end of a job", is_so)
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn invalid_code_enrols_nothing() {
    let lab = Lab::new("true", 1);
    std::fs::remove_dir_all(lab.folder.path().join("state")).unwrap();
    refused(&lab.enrol("rte_bad"), 5, &["unauthenticated"]);
    assert!(!lab.folder.path().join("state").exists());
    let agent = run_command(lab.folder.path(), &["agent", "--state", "state", "--trust-repositories"]);
    refused(&agent, 5, &["roundtrip enrol --server"]);
}

#[cfg(unix)]
#[test]
fn identity_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new("true", 1);
    let mode = |name: &str| {
        let path = lab.folder.path().join("state").join(name);
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode("agent.key"), mode("agent.token"), mode("")), (0o600, 0o600, 0o711));
}

#[test]
fn builds_measures_uploads_and_completes_a_job() {
    let lab = Lab::new("git log -1 --format=%s", 2);
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!((finish.fence, finish.outcome, finish.reason), (1, JobOutcome::Done, None));
    assert!(finish.output.contains("$ git log") && finish.output.contains("settings"), "{}", finish.output);
    lab.server.change(|state| {
        let asked: Vec<&str> =
            state.asked.iter().map(String::as_str).filter(|asked| *asked != "claim").collect();
        assert_eq!(asked, ["run", "finish"]);
        let run = &state.runs[0];
        assert_eq!(run.commit.sha, CommitSha::parse(&lab.head()).unwrap());
        let lease = run.job.unwrap();
        assert_eq!((lease.job_id, lease.fence), (3, 1));
        assert_eq!((run.machine.slug.as_str(), run.branch.as_deref()), ("lab-1", Some("main")));
        assert_eq!((run.results.len(), run.results[0].repetitions.len()), (1, 2));
        assert!(!run.work_tree_modified);
    });
    // The same commit is not built twice.
    lab.give(lab.job(4, 1));
    assert!(lab.finished(2).output.contains("is already built"));
}

#[test]
fn identical_programs_of_base_and_head_are_not_measured() {
    if !has_programs() || !reports_opened_files() {
        return;
    }
    let lab = Lab::new("true", 1);
    let write = |file: &str, text: String| std::fs::write(lab.source.path().join(file), text).unwrap();
    let program = |format: &str| format!("exec {} peer framing {format}\n", words());
    write("one.toml", definition_of_programs(&["ours"], "['sh', 'ours.sh']"));
    write("ours.sh", program("advanced"));
    commit_all(lab.source.path(), "program");
    let base = lab.head();
    let job = |job_id: i64| {
        let mut job = lab.job(job_id, 1);
        job["base_sha"] = base.as_str().into();
        job
    };
    write("README.md", "ours".into());
    commit_all(lab.source.path(), "readme");
    lab.give(job(3));
    let _agent = lab.agent();
    let finish = lab.finished(1);
    let expected = (JobOutcome::Done, Some("identical program: not measured"));
    assert_eq!((finish.outcome, finish.reason.as_deref()), expected, "{}", finish.output);
    assert!(finish.output.contains("base and head run identical programs in 1 case"), "{}", finish.output);
    lab.server.change(|state| assert!(state.runs.is_empty()));

    write("ours.sh", program("json"));
    commit_all(lab.source.path(), "program");
    lab.give(job(4));
    assert_eq!(lab.finished(2).reason, None);
    lab.server.change(|state| assert_eq!(state.runs.len(), 2));
}

#[test]
fn job_for_one_case_measures_no_others() {
    let lab = Lab::new("true", 1);
    let path = lab.source.path().join("one.toml");
    let two = std::fs::read_to_string(&path).unwrap().replace("['pipe']", "['pipe', 'unix-stream']");
    std::fs::write(path, two).unwrap();
    commit_all(lab.source.path(), "two cases");
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    lab.finished(1);
    let results = lab.server.change(|state| state.runs[0].results.clone());
    assert_eq!(results.len(), 2);

    let one = &results[1];
    let job = |job_id: i64, case: String| {
        let mut job = lab.job(job_id, 1);
        job["case_sha256"] = case.into();
        job
    };
    lab.give(job(4, hex::encode(one.case.digest(&one.transport.slug))));
    assert_eq!(lab.finished(2).outcome, JobOutcome::Done);
    lab.server.change(|state| {
        let measured = &state.runs[1].results;
        assert_eq!((measured.len(), &measured[0].transport.slug), (1, &one.transport.slug));
    });

    lab.give(job(5, "0".repeat(64)));
    let finish = lab.finished(3);
    assert_eq!(finish.outcome, JobOutcome::Failed);
    assert!(finish.reason.unwrap().contains("this commit does not have the case of the job"));
}

#[test]
fn a_paired_job_keeps_to_the_budget_of_the_repository() {
    if !has_programs() {
        return;
    }
    let lab = Lab::new("true", 1);
    let path = |file: &str| lab.source.path().join(file);
    let settings = std::fs::read_to_string(path("roundtrip.toml")).unwrap();
    std::fs::write(path("roundtrip.toml"), format!("budget = '1ms'\n{settings}")).unwrap();
    std::fs::write(path("one.toml"), definition_of_programs(&["ours"], "['sh', 'ours.sh']")).unwrap();
    let commit = |format: &str| {
        std::fs::write(path("ours.sh"), format!("exec {} peer framing {format}\n", words())).unwrap();
        commit_all(lab.source.path(), format);
        lab.head()
    };
    let base = commit("advanced");
    commit("json");
    let mut job = lab.job(3, 1);
    job["base_sha"] = base.into();
    lab.give(job);
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Failed, "{}", finish.output);
    let reason = finish.reason.unwrap();
    assert!(reason.contains("the time budget ended before the first pair"), "{reason}");
    lab.server.change(|state| assert!(state.runs.is_empty()));
}

#[test]
fn failed_build_reports_its_output() {
    let lab = Lab::new("sh -c 'echo no compiler here; exit 3'", 1);
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Failed);
    assert!(finish.reason.as_ref().unwrap().contains("exit status: 3"), "{finish:?}");
    assert!(finish.output.ends_with("no compiler here\n"), "{finish:?}");
    lab.give(json!({"commit_sha": "0".repeat(40), "job_id": 4, "fence": 1, "lease_seconds": 120, "project": "libfoo",
                    "repository_url": format!("file://{}", lab.source.path().display())}));
    assert_eq!(lab.finished(2).outcome, JobOutcome::Failed, "an unknown commit");
    lab.give(
        json!({"commit_sha": lab.head(), "job_id": 5, "fence": 1, "lease_seconds": 120, "project": "another",
                    "repository_url": ""}),
    );
    assert!(lab.finished(3).reason.unwrap().contains("project's settings"));
}

#[test]
fn next_agent_uploads_pending_results() {
    let lab = Lab::new("true", 1);
    lab.give(lab.job(3, 5));
    let agent = lab.agent();
    lab.server.until("a claim", |state| state.jobs.is_empty().then_some(()));
    lab.server.change(|state| state.is_away = true);
    let spool = lab.folder.path().join("state/spool");
    let is_kept = || names(&spool).iter().any(|name| name.starts_with("01") && name.ends_with(".json"));
    let endings = lab.folder.path().join("state/endings.json");
    wait_until("something is kept", || is_kept() && endings.exists());
    drop(agent);
    lab.server.change(|state| {
        assert!(state.runs.is_empty() && state.finished.is_empty());
        state.is_away = false;
    });
    let _again = lab.agent();
    let finish = lab.finished(1);
    assert_eq!((finish.fence, finish.outcome), (5, JobOutcome::Done));
    lab.server.change(|state| assert_eq!(state.runs.len(), 1));
    assert!(!is_kept());
}

#[cfg(unix)]
#[test]
fn stopped_agent_returns_its_job() {
    let lab = Lab::new("true", 1_000);
    lab.give(lab.job(3, 1));
    let agent = lab.agent();
    let built = lab.folder.path().join("state/builds/libfoo").join(lab.head()).join("built");
    wait_until("it begins", || built.exists());
    agent.terminate();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Released);
    lab.server.change(|state| assert!(state.runs.is_empty()));
}

#[test]
fn imports_other_benchmarks_after_the_presets() {
    let lab = Lab::new("true", 1);
    std::fs::write(
        lab.source.path().join("go.txt"),
        "pkg: ipc\nBenchmarkPipe/64-2 1000 1234.5 ns/op\nPASS\n",
    )
    .unwrap();
    let settings = "presets = ['one.toml']\n[[command]]\nrun = 'cat go.txt'\nformat = 'go'\n\
                    [[command]]\nrun = 'cp go.txt written.txt'\nfile = 'written.txt'\n";
    std::fs::write(lab.source.path().join("roundtrip.toml"), settings).unwrap();
    commit_all(lab.source.path(), "other benchmarks");
    lab.give(lab.job(3, 1));
    let _agent = lab.agent();
    let finish = lab.finished(1);
    assert_eq!(finish.outcome, JobOutcome::Done, "{finish:?}");
    assert!(!finish.output.contains("1234.5"), "results are no output: {finish:?}");
    lab.server.change(|state| {
        let presets: Vec<&str> = state.runs.iter().map(|run| run.suite.preset.as_str()).collect();
        assert_eq!(presets, ["one", "import", "import"]);
        for run in &state.runs {
            assert_eq!((run.job.unwrap().job_id, run.commit.subject.as_str()), (3, "other benchmarks"));
        }
        assert_eq!(state.runs[1].results, state.runs[2].results);
        state.runs.clear();
    });
    // The file that it wrote belongs to no commit. A requested preset is measured alone.
    let mut job = lab.job(4, 1);
    job["preset"] = "one.toml".into();
    lab.give(job);
    assert!(!lab.finished(2).output.contains("is already built"));
    lab.server.change(|state| assert_eq!(state.runs.len(), 1));
}
