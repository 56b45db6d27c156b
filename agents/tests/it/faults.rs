//! Machines with too few resources: affected transports fail with a reason or are unsupported, the rest of
//! the run continues, and no processes or files are left behind.

use crate::agent::Lab;
use crate::run::{commit, repository};
use crate::server::Server;
use crate::upload::CREATED;
use crate::words;
use roundtrip_wire::{CaseResult, RunReport};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Marks the processes of one run.
const MARK: &str = "ROUNDTRIP_TEST";

/// Every transport once, with messages that all of them support.
const DEFINITION: &str = r#"
about = "Every transport once."
deadline_seconds = 20

[[case]]
scenario = "roundtrip"
transports = ["eventfd", "fifo", "memfd-read", "memfd-remap", "pidfd-getfd", "pipe", "posix-mq", "process-vm-readv", "ring-futex",
              "ring-futex-waitv", "ring-sysv-semaphore", "socketpair", "splice", "sysv-mq", "tcp", "udp", "unix-dgram",
              "unix-seqpacket", "unix-stream", "vmsplice"]
message_bytes = [4096]
modes = ["2proc"]
placements = ["free"]
operations = 20
warmup = 2
repetitions = 2
"#;

/// Runs a shell script with the definition; `RUN` is the command. Temporary files go to this folder.
fn run(script: &str, temporary: &Path) -> RunReport {
    let folder = repository();
    std::fs::write(folder.path().join("all.toml"), DEFINITION).unwrap();
    let command = format!("{} run --preset all.toml --format json", words());
    let child = Command::new("sh")
        .current_dir(folder.path())
        .env("TMPDIR", temporary)
        .env(MARK, temporary)
        .args(["-c", &script.replace("RUN", &command)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let queues_of_this_run = format!("roundtrip-channel-{}-", child.id());
    let output = child.wait_with_output().unwrap();
    let error_text = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|error| panic!("{script}: {error}; {}: {error_text}", output.status));

    assert_eq!(names(temporary), BTreeSet::new(), "{script}: files are left behind");
    assert_eq!(processes_of_this_run(temporary), BTreeSet::new(), "{script}: processes are left behind");
    assert!(!queues().contains(&queues_of_this_run), "{script}: queues are left behind");
    report
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The processes with this run's mark in their environment.
fn processes_of_this_run(temporary: &Path) -> BTreeSet<String> {
    let mark = format!("{MARK}={}\0", temporary.display());
    let is_marked = |process: &String| {
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|window| window == mark.as_bytes())
    };
    names(Path::new("/proc")).into_iter().filter(is_marked).collect()
}

/// The names of this machine's message queues, if readable.
fn queues() -> String {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("mount -t mqueue none {0} && ls {0}", folder.path().display());
    let output = Command::new("unshare").args(["--mount", "sh", "-c", &script]).output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => {
            println!("message queues are not looked at, because only root can mount their file system");
            String::new()
        }
    }
}

/// Asserts that only these transports failed, for a reason with these words.
fn assert_only(report: &RunReport, slugs: &[&str], words: &str) {
    for result in &report.results {
        let slug = result.transport.slug.as_str();
        let reason = reason(result);
        if slug == "process-vm-readv" && is_emulated() {
            println!("{slug} is not looked at, because an emulator of processors does not have the call");
        } else if slugs.contains(&slug) {
            assert!(reason.as_deref().is_some_and(|reason| reason.contains(words)), "{slug}: {reason:?}");
        } else {
            assert_eq!((reason, result.repetitions.len()), (None, 2), "{slug}");
        }
    }
}

/// Whether the test runs in an emulator of another processor.
fn is_emulated() -> bool {
    std::env::var_os("ROUNDTRIP_PEER_RUNNER").is_some()
}

/// The reason why a case has no result, if it has none.
fn reason(result: &CaseResult) -> Option<String> {
    let failure = result.failures.first().map(|failure| failure.reason.clone());
    result.unsupported.clone().or(failure)
}

/// Runs the script in a new folder.
fn run_anywhere(script: &str) -> RunReport {
    run(script, tempfile::tempdir().unwrap().path())
}

#[test]
fn every_transport_works_and_cleans_up() {
    let before = shared_memory();
    assert_only(&run_anywhere("exec RUN"), &[], "");
    let left: Vec<_> = shared_memory().difference(&before).cloned().collect();
    assert!(left.is_empty(), "shared memory is left behind: {left:?}");
}

/// The names of shared memory objects, except the files of concurrent tests.
fn shared_memory() -> BTreeSet<String> {
    let is_ours =
        |name: &String| !["PostgreSQL.", "roundtrip-test-"].iter().any(|test| name.starts_with(test));
    names(Path::new("/dev/shm")).into_iter().filter(is_ours).collect()
}

#[test]
fn works_with_thirty_two_open_files() {
    assert_only(&run_anywhere("ulimit -n 32; exec RUN"), &[], "");
}

#[test]
fn reports_too_few_open_files() {
    let report = run_anywhere("ulimit -n 12; exec RUN");
    let reasons: Vec<String> = report.results.iter().filter_map(reason).collect();
    assert!(reasons.iter().any(|reason| reason.contains("Too many open files")), "{reasons:?}");
}

#[test]
fn reports_a_small_limit_for_message_queues() {
    assert_only(&run_anywhere("exec prlimit --msgqueue=4096 RUN"), &["posix-mq"], "RLIMIT_MSGQUEUE");
}

#[test]
fn reports_a_path_too_long_for_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("a".repeat(120));
    std::fs::create_dir(&temporary).unwrap();
    assert_only(&run("exec RUN", &temporary), &["unix-stream"], "Set TMPDIR to a shorter folder");
}

#[test]
fn works_with_a_full_dev_shm() {
    let full = "mount -t tmpfs -o size=4k none /dev/shm && head -c 4096 /dev/zero > /dev/shm/full";
    let tried = Command::new("unshare").args(["--mount", "sh", "-c", full]).status();
    if !tried.is_ok_and(|status| status.success()) {
        println!("not run, because only root can mount a small /dev/shm");
        return;
    }
    assert_only(&run_anywhere(&format!("exec unshare --mount sh -c '{full} && exec RUN'")), &[], "");
}

/// A small disk mounted at a folder, unmounted when dropped.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf) -> Option<Self> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(at))
    }

    /// Fills the disk until the file is removed.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("all-there-is");
        let mut file = std::fs::File::create(&path).unwrap();
        while file.write_all(&[0; 512]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn report_waits_for_disk_space() {
    let server = Server::answering(vec![CREATED; 2]);
    let lab = Lab::new(&server.url, 1);
    let Some(disk) = Disk::mount(lab.path("spool")) else {
        println!("not run, because only root can mount a small disk");
        return;
    };
    let mut agent = lab.agent();
    agent.line("uploaded ");
    let filler = disk.fill();
    commit(&lab.path("."), "two");
    let line = agent.line("retrying in");
    assert!(line.contains("No space left on device"), "{line}");
    assert_eq!(lab.waiting(), Vec::<String>::new(), "a half of it is left");
    std::fs::remove_file(filler).unwrap();
    // A stopping agent tries once more, and the disk has space now.
    agent.stop();
    let waiting = lab.waiting();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    let mut next = lab.agent();
    next.line("uploaded ");
    assert_eq!(lab.waiting(), Vec::<String>::new());
    let subjects = server
        .requests()
        .into_iter()
        .map(|request| serde_json::from_slice::<RunReport>(&request.body).unwrap().commit.subject);
    assert_eq!(subjects.collect::<Vec<_>>(), ["one", "two"]);
}
