//! `roundtrip agent`: measures each commit once, keeps every report until it is uploaded, and stops on
//! request.

#[cfg(unix)]
use crate::run::commit_all;
use crate::run::{commit, git, repository};
use crate::server::{self, Server, header};
use crate::upload::{CREATED, REFUSED, UNAUTHENTICATED, report};
use crate::{Process, definition, refused, roundtrip, run_command};
#[cfg(unix)]
use crate::{assert_contains, definition_of_programs, has_programs, program, words};
#[cfg(unix)]
use roundtrip_wire::ProgramOrigin;
use roundtrip_wire::RunReport;
#[cfg(unix)]
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The timeout for a log line.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A repository with a definition and a token, and a spool.
pub(crate) struct Lab {
    folder: TempDir,
    server: String,
    /// Further arguments of the agent.
    further: Vec<String>,
}

impl Lab {
    pub(crate) fn new(server: &str, repetitions: u32) -> Self {
        let folder = repository();
        std::fs::write(folder.path().join("one.toml"), definition("pipe", repetitions)).unwrap();
        std::fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
        std::fs::create_dir_all(folder.path().join("spool")).unwrap();
        let further = ["--preset", "one.toml", "--every", "1d"].map(str::to_owned).into();
        Self { folder, server: server.to_owned(), further }
    }

    /// Measures as each commit's settings say, with these arguments. The settings name a definition of one short case.
    #[cfg(unix)]
    fn with_settings(further: &[&str]) -> Self {
        let further = further.iter().map(|&word| word.to_owned()).collect();
        let lab = Self { further, ..Self::new(&format!("http://{}", server::unused_address()), 1) };
        lab.write(".gitignore", "built\nspool\ntoken\ntemporary\na state\n");
        lab.write("roundtrip.toml", "presets = ['one.toml']");
        lab
    }

    #[cfg(unix)]
    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The pending reports, in the order of the runs.
    #[cfg(unix)]
    fn reports(&self) -> Vec<RunReport> {
        let read = |name: &String| std::fs::read(self.path("spool").join(name)).unwrap();
        self.waiting().iter().map(|name| serde_json::from_slice(&read(name)).unwrap()).collect()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = roundtrip(self.folder.path());
        command.args(["agent", "--repository", ".", "--upload", &self.server, "--token-file", "token"]);
        command.args(["--spool", "spool"]).args(&self.further);
        command.env("TMPDIR", self.path("temporary"));
        std::fs::create_dir_all(self.path("temporary")).unwrap();
        command
    }

    pub(crate) fn agent(&self) -> Agent {
        let mut child = self.command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        let (tell, lines) = mpsc::channel();
        thread::spawn(move || {
            BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
        Agent { process: Process(child), lines, seen: Vec::new() }
    }

    /// The names of pending reports.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.path("spool")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with(['a', 'm'])).collect();
        names.sort_unstable();
        names
    }
}

pub(crate) struct Agent {
    process: Process,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Agent {
    /// The next log line that contains this text.
    pub(crate) fn line(&mut self, text: &str) -> String {
        loop {
            match self.lines.recv_timeout(TIMEOUT) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(text) {
                        return line;
                    }
                }
                Err(_) => panic!("in vain for {text:?}: {:#?}", self.seen),
            }
        }
    }
}

#[cfg(unix)]
impl Agent {
    /// Asks it to stop, and waits for its end.
    pub(crate) fn stop(&mut self) {
        self.process.terminate();
        assert_eq!(self.process.0.wait().unwrap().code(), Some(0));
    }
}

fn subject(body: &[u8]) -> String {
    serde_json::from_slice::<RunReport>(body).unwrap().commit.subject
}

/// A pending report of an old run.
fn wait_in(spool: &Path, id: &str) {
    std::fs::write(spool.join(format!("{id}.json")), report(id)).unwrap();
}

const OLD: [&str; 2] = ["019aa8f0-5c1e-7b3a-9f00-000000000001", "019aa8f0-5c1e-7b3a-9f00-000000000002"];

#[test]
fn uploads_pending_reports_in_order() {
    let address = server::unused_address();
    let lab = Lab::new(&format!("http://{address}"), 1);
    OLD.iter().rev().for_each(|id| wait_in(&lab.path("spool"), id));
    let mut agent = lab.agent();
    agent.line("2 reports pending");
    agent.line("measured ");
    agent.line("3 reports pending");
    let names = lab.waiting();
    assert_eq!(names.len(), 3, "{names:?}");

    let server = Server::answering_at(&address, vec![CREATED; 3]);
    let requests = server.requests();
    let ids: Vec<&str> = names.iter().map(|name| name.strip_suffix(".json").unwrap()).collect();
    for (request, id) in requests.iter().zip(ids) {
        assert!(request.head.starts_with(&format!("PUT /api/v1/runs/{id} ")), "{}", request.head);
        assert_eq!(header(&request.head, "authorization"), "Bearer rt_agent_secret");
    }
    assert_eq!(subject(&requests[2].body), "one");
    for _ in 0..3 {
        agent.line("uploaded ");
    }
    assert_eq!(lab.waiting(), Vec::<String>::new());
}

#[test]
fn measures_each_commit_once() {
    let server = Server::answering(vec![CREATED; 3]);
    let lab = Lab::new(&server.url, 1);
    let mut agent = lab.agent();
    agent.line("uploaded ");
    commit(lab.folder.path(), "two");
    assert!(agent.line("measuring ").contains("(two)"));
    agent.line("uploaded ");
    drop(agent);

    let mut agent = lab.agent();
    agent.line("uploading to");
    commit(lab.folder.path(), "three");
    let line = agent.line("measuring ");
    assert!(line.contains("(three)"), "it measures again what it has measured before: {line}");
    let subjects: Vec<String> = server.requests().iter().map(|request| subject(&request.body)).collect();
    assert_eq!(subjects, ["one", "two", "three"]);
}

#[cfg(unix)]
#[test]
fn stop_during_a_run_leaves_nothing_behind() {
    use crate::run::is_peer;
    use crate::server::wait_until;
    let lab = Lab::new(&format!("http://{}", server::unused_address()), 100_000);
    let mut agent = lab.agent();
    agent.line("measuring ");
    let children = format!("/proc/{0}/task/{0}/children", agent.process.0.id());
    let mut peers = String::new();
    if Path::new(&children).exists() {
        wait_until("the agent has peers", || {
            peers = std::fs::read_to_string(&children).unwrap_or_default();
            !peers.trim().is_empty()
        });
    } else {
        println!("its peers are not looked at, because this system does not list a process's children");
    }
    agent.stop();
    for peer in peers.split_whitespace() {
        assert!(!is_peer(peer), "it leaves a peer behind");
    }
    agent.line("this run is discarded");
    agent.line("stopped");
    assert_eq!(lab.waiting(), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(lab.path("temporary")).unwrap().count(), 0, "files are left behind");
    assert!(!lab.path("spool/measured.json").exists(), "it believes to have measured it");
    assert!(!lab.path("spool/agent.json").exists(), "it says to hold the spool");
}

#[test]
fn second_agent_reports_the_lock_holder() {
    let server = Server::answering(vec![CREATED]);
    let lab = Lab::new(&server.url, 1);
    let mut agent = lab.agent();
    agent.line("uploading to");
    let mut second = lab.agent();
    let refusal = second.line("is locked by another agent");
    assert!(refusal.contains(&format!("process {}", agent.process.0.id())), "{refusal}");
    assert!(refusal.contains("--spool"), "{refusal}");
    assert_eq!(second.process.0.wait().unwrap().code(), Some(1));
}

#[test]
fn keeps_reports_after_a_rejected_token() {
    let server = Server::answering(vec![UNAUTHENTICATED]);
    let lab = Lab::new(&server.url, 1);
    wait_in(&lab.path("spool"), OLD[0]);
    let mut agent = lab.agent();
    let line = agent.line("the token is not known");
    assert!(line.contains("1 report pending") && !line.contains("rt_agent_secret"), "{line}");
    agent.line("measured ");
    assert_eq!(lab.waiting().len(), 2);
    assert_eq!(server.requests().len(), 1);
    assert!(agent.process.0.try_wait().unwrap().is_none(), "it has ended");
}

#[test]
fn rejected_report_does_not_block_others() {
    let server = Server::answering(vec![REFUSED, CREATED]);
    let lab = Lab::new(&server.url, 1);
    wait_in(&lab.path("spool"), OLD[0]);
    let mut agent = lab.agent();
    let line = agent.line("upload rejected: ");
    assert!(line.contains("/results/0/count") && line.contains(OLD[0]), "{line}");
    agent.line("uploaded ");
    assert_eq!(lab.waiting(), [format!("{}.json", OLD[0])]);
}

/// Writes a program that its build copies to `built/ours`.
#[cfg(unix)]
fn write_program(lab: &Lab, version: u32) -> String {
    let source = format!("# {version}\nexec {} peer framing advanced\n", words());
    lab.write("bench/source", &source);
    hex::encode(Sha256::digest(source))
}

#[cfg(unix)]
#[test]
fn measures_what_each_commit_builds() {
    if !has_programs() {
        return;
    }
    let lab = Lab::with_settings(&[]);
    let build = "build = ['mkdir bench/built', 'cp bench/source bench/built/ours']";
    let command = "[[command]]\nrun = 'cat bench/times.json'\nformat = 'bmf'";
    lab.write("bench/times.json", r#"{"parse": {"latency": {"value": 250.0}}}"#);
    lab.write("bench/ours.toml", &definition_of_programs(&["ours"], "['sh', 'built/ours']"));
    let settings = format!("project = 'ours'\npresets = ['one.toml', 'bench/ours.toml']\n{build}\n{command}");
    lab.write("roundtrip.toml", &settings);
    let first = write_program(&lab, 1);
    commit_all(lab.folder.path(), "first");
    // A stale binary, and changes that are not committed.
    lab.write("bench/built/ours", "exit 1");
    lab.write("bench/source", "exit 1");
    lab.write("roundtrip.toml", "presets = 1");

    let mut agent = lab.agent();
    agent.line("measuring ");
    for preset in ["one", "ours", "import"] {
        agent.line(&format!("(first) with {preset} in "));
    }
    lab.write("roundtrip.toml", &settings);
    std::fs::remove_file(lab.path("bench/source")).unwrap();
    commit_all(lab.folder.path(), "broken");
    let line = agent.line("skipped ");
    assert_contains(&line, &["(broken): build of commit ", " failed: `cp bench/source"]);
    let second = write_program(&lab, 2);
    commit_all(lab.folder.path(), "second");
    agent.line("(second) with import in ");
    agent.stop();

    let reports = lab.reports();
    let subjects: Vec<&str> = reports.iter().map(|report| report.commit.subject.as_str()).collect();
    assert_eq!(subjects, ["first", "first", "first", "second", "second", "second"]);
    assert!(reports.iter().all(|report| report.project.as_str() == "ours" && !report.work_tree_modified));
    assert_eq!(reports[0].programs, []);
    for (report, digest) in [(&reports[1], first), (&reports[4], second)] {
        assert_eq!((report.suite.preset.as_str(), &report.results[0].failures[..]), ("ours", &[][..]));
        let program = &report.programs[0];
        assert_eq!((program.transport.as_str(), program.origin), ("ours", ProgramOrigin::Commit));
        assert_eq!(program.files["built/ours"], digest);
        assert!(program.files.contains_key("sh"), "{program:?}");
    }
    assert_eq!(reports[5].results[0].case.benchmark.as_deref(), Some("parse"));
    assert_eq!(std::fs::read_dir(lab.path("temporary")).unwrap().count(), 0, "a work tree is left behind");
}

#[cfg(unix)]
#[test]
fn skips_commits_with_a_reason() {
    let lab = Lab::with_settings(&["--commits", "HEAD~6..HEAD", "--command-timeout", "1s"]);
    let outside = lab.folder.path().parent().unwrap().join("ipc.toml");
    let absolute = format!("['{}', 'peer', 'framing', 'json']", program().program.display());
    lab.write("bench/ours.toml", &definition_of_programs(&["ours"], &absolute));
    let cases = [
        (
            "build = ['sleep 600']\npresets = ['bench/ours.toml']",
            "build of commit ",
            " failed: `sleep 600` timed out after 1 s (--command-timeout)",
        ),
        ("presets = 1", "roundtrip.toml: TOML parse error at line 1", "invalid type"),
        ("machines = ['another']", "is not in `machines`", "(another)"),
        ("presets = ['absent.toml']", "cannot read definition absent.toml", ""),
        (
            &format!("presets = ['{}']", outside.display()),
            "the definition in ",
            " is outside the repository ",
        ),
        ("presets = ['bench/ours.toml']", "of program ours is outside the commit's work tree", "by its name"),
    ];
    std::fs::write(&outside, definition("pipe", 1)).unwrap();
    for (number, (settings, ..)) in cases.iter().enumerate() {
        lab.write("roundtrip.toml", settings);
        commit_all(lab.folder.path(), &format!("number {number}"));
    }
    let mut agent = lab.agent();
    let lines: Vec<String> = cases.iter().map(|_| agent.line("skipped ")).collect();
    agent.stop();
    std::fs::remove_file(outside).unwrap();
    for (number, (_, reason, expected)) in cases.into_iter().enumerate() {
        let line = lines.iter().find(|line| line.contains(&format!("(number {number}): "))).unwrap();
        assert_contains(line, &[reason, expected]);
    }
    assert_eq!(lab.waiting(), Vec::<String>::new());
    // They are remembered.
    let mut agent = lab.agent();
    agent.line("uploading to");
    commit(lab.folder.path(), "new");
    assert!(agent.line("measuring ").contains("(new)"));
}

#[cfg(unix)]
#[test]
fn measures_a_range_and_resumes_after_a_kill() {
    let lab = Lab::with_settings(&["--commits", "HEAD~5..HEAD"]);
    ["1", "2", "3", "4", "5", "6"].iter().for_each(|subject| commit_all(lab.folder.path(), subject));
    let measured = |agent: &mut Agent| {
        let subject = agent.line("measuring ").split(['(', ')']).nth(1).map(str::to_owned);
        subject.unwrap()
    };
    let mut agent = lab.agent();
    agent.line("uploading to");
    let order: Vec<String> = (0..3).map(|_| measured(&mut agent)).collect();
    assert_eq!(order, ["6", "3", "4"]);
    drop(agent);

    commit(lab.folder.path(), "new");
    let lab = Lab { further: vec!["--commits".into(), "HEAD~6..HEAD~1".into()], ..lab };
    let mut agent = lab.agent();
    agent.line("uploading to");
    let order: Vec<String> = (0..4).map(|_| measured(&mut agent)).collect();
    assert_eq!(order, ["new", "4", "5", "2"]);
    agent.stop();
}

#[cfg(unix)]
#[test]
fn measures_commits_older_than_the_settings_with_those_of_the_head() {
    if !has_programs() {
        return;
    }
    let lab = Lab::new(&format!("http://{}", server::unused_address()), 1);
    let lab = Lab { further: vec!["--commits".into(), "HEAD~2..HEAD".into()], ..lab };
    std::fs::remove_file(lab.path("one.toml")).unwrap();
    lab.write(".gitignore", "built\nspool\ntoken\ntemporary\na state\n");
    let first = write_program(&lab, 1);
    // The source of the library is outside of the benchmark.
    std::fs::rename(lab.path("bench/source"), lab.path("source")).unwrap();
    commit_all(lab.folder.path(), "old");
    let settings = "project = 'ours'\npresets = ['bench/ours.toml']\nbuild = ['cp source bench/built']";
    lab.write("roundtrip.toml", settings);
    lab.write("bench/ours.toml", &definition_of_programs(&["ours"], "['sh', 'built']"));
    commit_all(lab.folder.path(), "new");
    // Not of the checked-out commit.
    lab.write("roundtrip.toml", "presets = 1");

    let mut agent = lab.agent();
    agent.line("(new) with ours in ");
    agent.line("it has no roundtrip.toml: measuring it with that of ");
    agent.line("(old) with ours in ");
    agent.stop();
    let reports = lab.reports();
    let subjects: Vec<&str> = reports.iter().map(|report| report.commit.subject.as_str()).collect();
    assert_eq!(subjects, ["new", "old"]);
    for report in &reports {
        assert_eq!((report.project.as_str(), report.programs[0].origin), ("ours", ProgramOrigin::Commit));
        assert_eq!(report.programs[0].files["built"], first);
    }
}

/// After a force push, git may delete the old commits.
#[cfg(unix)]
#[test]
fn measures_a_rewritten_branch_whose_measured_commits_vanished() {
    let lab = Lab::with_settings(&["--since", "HEAD~1"]);
    let folder = lab.folder.path();
    commit_all(folder, "settings");
    commit(folder, "old");
    let old = git(folder, &["rev-parse", "HEAD"]).trim().to_owned();
    // `--since` names the commit that both histories share.
    let mut agent = lab.agent();
    agent.line("(old) with one in ");
    // In one step, so that the agent never sees another commit checked out.
    git(folder, &["checkout", "-q", "--detach"]);
    git(folder, &["commit", "-q", "--amend", "--allow-empty", "-m", "rewritten"]);
    git(folder, &["reflog", "expire", "--expire=now", "--all"]);
    let branch = git(folder, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    git(folder, &["branch", "-f", branch.trim(), "HEAD"]);
    git(folder, &["prune", "--expire=now"]);
    assert_eq!(git(folder, &["rev-list", "--all"]).matches(&old).count(), 0);
    agent.line("(rewritten) with one in ");
    agent.stop();
    // A new agent continues with the rewritten branch, and keeps the reports of both.
    let mut agent = lab.agent();
    agent.line("uploading to");
    commit(folder, "newer");
    agent.line("(newer) with one in ");
    agent.stop();
    let subjects: Vec<String> = lab.reports().into_iter().map(|report| report.commit.subject).collect();
    assert_eq!(subjects, ["old", "rewritten", "newer"]);
    assert!(lab.reports().iter().skip(1).all(|report| report.branch.is_none()), "HEAD is detached");
}

#[cfg(unix)]
#[test]
fn walks_in_steps_and_bisects_where_levels_differ() {
    if !has_programs() {
        return;
    }
    let lab = Lab::with_settings(&["--commits", "HEAD~8..HEAD", "--step", "4"]);
    lab.write("bench/ours.toml", &definition_of_programs(&["ours"], "['sh', 'source']"));
    lab.write("roundtrip.toml", "presets = ['bench/ours.toml']");
    for number in 0..9 {
        let format = if number < 6 { "advanced" } else { "json" };
        lab.write("bench/source", &format!("# {number}\nexec {} peer framing {format}\n", words()));
        commit_all(lab.folder.path(), &number.to_string());
    }
    let mut agent = lab.agent();
    agent.line("uploading to");
    let measured = |agent: &mut Agent| {
        let subject = agent.line("measuring ").split(['(', ')']).nth(1).map(str::to_owned);
        subject.unwrap()
    };
    // The range has the commits 1 to 8. Every fourth is 4 and 8. They differ, so 6 follows.
    let order: Vec<String> = (0..3).map(|_| measured(&mut agent)).collect();
    assert_eq!(order, ["8", "4", "6"]);
    agent.stop();
}

#[test]
fn rejects_unusable_ranges() {
    let lab = Lab::new("http://127.0.0.1:1", 1);
    commit(lab.folder.path(), "two");
    let fine = ["agent", "--repository", ".", "--upload", "http://127.0.0.1:1", "--token-file", "token"];
    for (arguments, expected) in [
        (&["--since", "v9"][..], "no revision `v9` in"),
        (&["--commits", "HEAD..HEAD~1"], "--commits HEAD..HEAD~1: no commits in this range"),
        (&["--commits", "HEAD"], "expected A..B"),
        (&["--since", "HEAD~1", "--commits", "HEAD~1..HEAD"], "cannot be used with"),
        (&["--step", "2"], "required arguments were not provided"),
        (&["--since", "HEAD~1", "--step", "0"], "number would be zero"),
    ] {
        refused(&run_command(lab.folder.path(), &[&fine[..], arguments].concat()), 2, &[expected]);
    }
    let clone = lab.path("clone");
    let url = format!("file://{}", lab.folder.path().display());
    git(lab.folder.path(), &["clone", "-q", "--depth", "1", &url, "clone"]);
    std::fs::copy(lab.path("token"), clone.join("token")).unwrap();
    let output = run_command(&clone, &[&fine[..], &["--since", "HEAD"]].concat());
    refused(&output, 2, &["--since HEAD: this clone is shallow", "git fetch --unshallow"]);
}

#[test]
fn rejects_invalid_arguments_before_measuring() {
    let lab = Lab::new("http://127.0.0.1:1", 1);
    let fine = ["--repository", ".", "--upload", "http://127.0.0.1:1", "--token-file", "token"];
    for (option, value, code, words) in [
        ("--repository", "/", 1, "Name the checkout"),
        ("--upload", "127.0.0.1:1", 2, "expected http://HOST"),
        ("--token-file", "nothing", 5, "cannot read the token"),
        ("--token-file", "-", 2, "Pass a file"),
    ] {
        let at = fine.iter().position(|word| *word == option).unwrap();
        let mut change = fine;
        change[at + 1] = value;
        let arguments = [&["agent", "--preset", "one.toml"], &change[..]].concat();
        refused(&run_command(lab.folder.path(), &arguments), code, &[words]);
        assert!(!lab.path("a state").exists() && !lab.path("spool/agent.lock").exists(), "{change:?}");
    }
}
