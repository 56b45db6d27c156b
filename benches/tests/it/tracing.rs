//! Peers whose system calls are watched: every call is counted, and their behaviour does not change.

use crate::support::{DEADLINE, FREE_PROCESSES, Leftovers, case, run_once, serialize, tracers};
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::probe::Probe;
use roundtrip_bench::sys::Unsupported;
use roundtrip_bench::sys::affinity;
use roundtrip_bench::sys::tracing::Tracer;
use roundtrip_bench::transport;
use roundtrip_wire::SystemCalls;
use rustix::process::{Pid, Signal, kill_process};
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

/// Makes a copy of this program the watched process.
pub(crate) const WATCHED: &str = "ROUNDTRIP_TEST_WATCHED";
const READ_BYTES: usize = 8_192;

#[test]
fn counts_calls_by_thread_and_keeps_the_exit_status() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::two_threads();
    let Some(tracer) = watch(&[child.id()]) else { return };
    child.go();
    child.until_closed();
    let calls = tracer.finish();
    assert_eq!(child.status().code(), Some(7));
    let tids: Vec<u32> = child.output.split_whitespace().map(|tid| tid.parse().unwrap()).collect();
    assert_eq!([reads(&calls[&tids[0]]), reads(&calls[&tids[1]])], [100, 200], "{calls:?}");
    assert_eq!(calls.values().map(|calls| reads(calls)).sum::<u64>(), 300, "no other thread read: {calls:?}");
}

#[test]
fn ended_process_can_be_reaped_while_others_are_watched() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let (mut child, other) = (PausedChild::two_threads(), PausedChild::shell("", ""));
    let Some(tracer) = watch(&[child.id(), other.id()]) else { return };
    child.go();
    child.until("State:", "Z");
    assert_eq!(child.status().code(), Some(7));
    assert_ne!(other.field("TracerPid:"), "0");
    tracer.finish();
}

#[test]
fn watches_across_exec() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::shell("", "exec head -c 819200 /dev/zero");
    let Some(tracer) = watch(&[child.id()]) else { return };
    child.go();
    assert_eq!(child.until_closed(), 819_200);
    let calls = tracer.finish().remove(&child.id()).unwrap();
    assert!(child.status().success());
    // 100 reads of 8,192 B with the usual head; others have another buffer.
    let moved = |name| {
        calls.iter().any(|calls| calls.name == name && calls.bytes.unwrap_or(0) * calls.count == 819_200)
    };
    assert!(moved("read"), "{calls:?}");
    assert!(!moved("write"), "what is written to standard output is not counted: {calls:?}");
}

#[test]
fn details_have_times_objects_and_started_processes() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    // The shell reports its own error, because it redirects those of commands.
    let then = "head -c 819200 /dev/zero; cd /missing; exit 3";
    let mut child = PausedChild::shell("", then);
    let tracer = match Tracer::attach_in_detail(vec![child.id()], None) {
        Err(Unsupported(reason)) => return println!("not tested: {reason}"),
        Ok(tracer) => tracer,
    };
    child.go();
    assert_eq!(child.until_closed(), 819_200);
    let observed = tracer.finish_in_detail();
    assert_eq!(child.status().code(), Some(3));
    let of_started = observed.iter().filter(|thread| thread.process != child.id());
    let reads =
        of_started.flat_map(|thread| &thread.calls).find(|calls| calls.on.as_deref() == Some("device"));
    let reads = reads.unwrap();
    assert_eq!((reads.name.as_str(), reads.bytes), ("read", 819_200), "{observed:?}");
    assert!(reads.on_cpu_ns > 0, "{observed:?}");
    let shell = observed.iter().find(|thread| thread.process == child.id()).unwrap();
    let problem = shell.calls.iter().find(|calls| calls.on.as_deref() == Some("standard-error")).unwrap();
    assert!(problem.name == "write" && problem.bytes > 8, "{observed:?}");
    assert!(
        observed.iter().flat_map(|thread| &thread.calls).all(|calls| calls.on.as_deref() != Some("pipe"))
    );
}

#[test]
fn killing_a_process_ends_its_watching() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let endless = || PausedChild::shell("", "exec cat /dev/zero > /dev/null");
    for (mut child, go) in [(endless(), true), (endless(), false), (PausedChild::two_threads(), false)] {
        let Some(tracer) = watch(&[child.id()]) else { return };
        if go {
            child.go();
        }
        child.signal(Signal::KILL);
        tracer.finish();
        assert_eq!(child.status().signal(), Some(9));
    }
}

#[test]
fn signal_reaches_the_watched_process() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::shell("trap 'exit 5' TERM", "while :; do :; done");
    let Some(tracer) = watch(&[child.id()]) else { return };
    child.go();
    child.signal(Signal::TERM);
    child.until_closed();
    tracer.finish();
    assert_eq!(child.status().code(), Some(5));
}

#[test]
fn signal_while_detaching_is_not_lost() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    // Many, so that some are still to be detached when they receive the signal.
    let mut children: Vec<PausedChild> = (0..50).map(|_| PausedChild::shell("", "")).collect();
    let pids: Vec<u32> = children.iter().map(PausedChild::id).collect();
    let Some(tracer) = watch(&pids) else { return };
    for child in &children {
        child.signal(Signal::TERM);
    }
    tracer.finish();
    for child in &mut children {
        assert_eq!(child.status().signal(), Some(15));
    }
}

#[test]
fn stopped_process_stays_stopped_and_can_be_killed() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let (mut child, mut other) =
        (PausedChild::shell("", "exec head -c 819200 /dev/zero"), PausedChild::two_threads());
    let Some(tracer) = watch(&[child.id(), other.id()]) else { return };
    child.signal(Signal::STOP);
    child.go();
    // By the same tracer, so that the stopped one had time to run if it could.
    other.go();
    other.until_closed();
    let calls = tracer.finish();
    assert_eq!(calls[&child.id()], [], "it ran although it was stopped");
    child.until("State:", "T");
    assert_eq!(child.field("TracerPid:"), "0");
    child.signal(Signal::KILL);
    assert_eq!((child.status().signal(), other.status().code()), (Some(9), Some(7)));
}

#[test]
fn stopped_process_continues_on_sigcont() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::shell("", "kill -STOP $$; exit 6");
    let Some(tracer) = watch(&[child.id()]) else { return };
    child.go();
    let until = Instant::now() + DEADLINE;
    while !child.field("State:").starts_with('Z') && Instant::now() < until {
        // A signal before it stops has no effect.
        child.signal(Signal::CONT);
        thread::yield_now();
    }
    tracer.finish();
    assert_eq!(child.status().code(), Some(6));
}

#[test]
fn detached_process_runs_unwatched() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::two_threads();
    let Some(tracer) = watch(&[child.id()]) else { return };
    assert_ne!(child.field("TracerPid:"), "0");
    let calls = tracer.finish();
    assert!(calls.contains_key(&child.id()), "{calls:?}");
    assert_eq!(child.field("TracerPid:"), "0");
    child.go();
    assert_eq!(child.status().code(), Some(7));
}

#[test]
fn watching_thread_stays_on_the_watched_cpu() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let child = PausedChild::two_threads();
    let cpu = *affinity::allowed().unwrap().last().unwrap();
    let Some(tracer) = watch_from(Some(cpu), &[child.id()]) else { return };
    let status = tracers().remove(0);
    assert!(status.contains(&format!("\nCpus_allowed_list:\t{cpu}\n")), "{status}");
    tracer.finish();
}

#[test]
fn ended_process_has_no_calls() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::shell("", "exit");
    child.go();
    child.until("State:", "Z");
    // Never refused, even if nothing may be traced.
    let tracer = Tracer::attach(vec![child.id()], None).unwrap();
    assert!(tracer.finish().is_empty());
}

#[test]
fn refusal_detaches_watched_processes() {
    let (_turn, _leftovers) = (serialize(), Leftovers::none());
    let mut child = PausedChild::two_threads();
    // No process may trace itself.
    let Unsupported(reason) = Tracer::attach(vec![child.id(), std::process::id()], None).unwrap_err();
    assert!(reason.contains("ptrace"), "{reason}");
    assert_eq!(child.field("TracerPid:"), "0");
    child.go();
    assert_eq!(child.status().code(), Some(7));
}

#[test]
fn readiness_waits_once_per_message() {
    let _turn = serialize();
    let pipe = transport::find("pipe-epoll").unwrap();
    let mut planned = case(pipe, "roundtrip", FREE_PROCESSES, 64);
    planned.probe = Some(Probe::Syscalls);
    let report = match run_once(&planned) {
        Err(reason) if reason.starts_with("probe syscalls") => return println!("not tested: {reason}"),
        other => other.unwrap(),
    };
    for end in &report.ends {
        let calls = &end.observation.system_calls;
        let count = |wanted: &dyn Fn(&SystemCalls) -> bool| -> u64 {
            calls.iter().filter(|calls| wanted(calls)).map(|calls| calls.count).sum()
        };
        // Each sends as many as it receives.
        let messages = count(&|calls| calls.name == "write" && calls.bytes == Some(64));
        assert!(messages >= planned.work.warmup + planned.work.operations, "{calls:?}");
        assert_eq!(count(&|calls| calls.name.starts_with("epoll_")), messages, "{calls:?}");
    }
}

/// The watched process of [`PausedChild::two_threads`]; does nothing when run as a test.
#[test]
fn two_threads_that_read() {
    if env::var_os(WATCHED).is_none() {
        return;
    }
    let go = Arc::new(Barrier::new(3));
    let (sender, receiver) = std::sync::mpsc::channel();
    let threads = [100, 200].map(|reads| {
        let (go, sender) = (Arc::clone(&go), sender.clone());
        thread::spawn(move || {
            let mut zeroes = File::open("/dev/zero").unwrap();
            sender.send((reads, rustix::thread::gettid())).unwrap();
            go.wait();
            for _ in 0..reads {
                zeroes.read_exact(&mut [0; READ_BYTES]).unwrap();
            }
        })
    });
    let mut tids = [receiver.recv().unwrap(), receiver.recv().unwrap()];
    tids.sort_by_key(|(reads, _)| *reads);
    println!("here {} {}", tids[0].1, tids[1].1);
    std::io::stdin().read_line(&mut String::new()).unwrap();
    go.wait();
    for thread in threads {
        thread.join().unwrap();
    }
    std::process::exit(7);
}

/// A child that is idle until it is released; killed when dropped.
pub(crate) struct PausedChild {
    child: Child,
    out: BufReader<ChildStdout>,
    /// Its first output.
    output: String,
}

impl PausedChild {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let output = loop {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the child has ended");
            if let Some((_, output)) = line.split_once("here") {
                break output.to_owned();
            }
        };
        Self { child, out, output }
    }

    pub(crate) fn shell(first: &str, then: &str) -> Self {
        Self::start(Command::new("sh").args(["-c", &format!("{first}\necho here\nread line\n{then}")]))
    }

    /// A copy of this program that runs [`two_threads_that_read`].
    fn two_threads() -> Self {
        Self::test("tracing::two_threads_that_read")
    }

    /// A copy of this program that runs a test as the watched process.
    pub(crate) fn test(name: &str) -> Self {
        let program = PeerCommand::new(env::current_exe().unwrap(), None);
        Self::start(program.command().args(["--exact", name, "--nocapture"]).env(WATCHED, "1"))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn go(&mut self) {
        writeln!(self.child.stdin.as_mut().unwrap(), "go").unwrap();
    }

    /// Reads its next line.
    pub(crate) fn answer(&mut self) {
        assert!(self.out.read_line(&mut String::new()).unwrap() > 0, "the child has ended");
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Reads until it closes its standard output at its end; returns the number of bytes.
    fn until_closed(&mut self) -> u64 {
        std::io::copy(&mut self.out, &mut std::io::sink()).unwrap()
    }

    fn status(&mut self) -> ExitStatus {
        let until = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "it does not end, or its end is kept from its parent");
            thread::yield_now();
        }
    }

    /// A field of `/proc/PID/status` (proc(5)).
    pub(crate) fn field(&self, name: &str) -> String {
        let text = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        text.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned()
    }

    pub(crate) fn until(&self, name: &str, beginning: &str) {
        let until = Instant::now() + DEADLINE;
        while !self.field(name).starts_with(beginning) {
            assert!(Instant::now() < until, "{name} is {}, expected {beginning}", self.field(name));
            thread::yield_now();
        }
    }
}

impl Drop for PausedChild {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts watching; returns `None` and prints the reason if this machine cannot.
fn watch(pids: &[u32]) -> Option<Tracer> {
    watch_from(None, pids)
}

fn watch_from(cpu: Option<u32>, pids: &[u32]) -> Option<Tracer> {
    Tracer::attach(pids.to_vec(), cpu).map_err(|Unsupported(reason)| println!("not tested: {reason}")).ok()
}

/// The number of reads of 8,192 bytes.
fn reads(calls: &[SystemCalls]) -> u64 {
    let wanted = |calls: &&SystemCalls| calls.name == "read" && calls.bytes == Some(READ_BYTES as u64);
    calls.iter().filter(wanted).map(|calls| calls.count).sum()
}
