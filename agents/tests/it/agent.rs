//! `roundtrip agent`: measures each commit once, keeps every report until it is uploaded, and stops on
//! request.

use crate::run::{commit, repository};
use crate::server::{self, Server, header};
use crate::upload::{CREATED, REFUSED, UNAUTHENTICATED, report};
use crate::{Process, definition, refused, roundtrip, run_command};
use roundtrip_wire::RunReport;
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
}

impl Lab {
    pub(crate) fn new(server: &str, repetitions: u32) -> Self {
        let folder = repository();
        std::fs::write(folder.path().join("one.toml"), definition("pipe", repetitions)).unwrap();
        std::fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
        std::fs::create_dir_all(folder.path().join("spool")).unwrap();
        Self { folder, server: server.to_owned() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = roundtrip(self.folder.path());
        command.args(["agent", "--repository", ".", "--upload", &self.server, "--token-file", "token"]);
        command.args(["--preset", "one.toml", "--every", "1d", "--spool", "spool"]);
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
