//! Linux: ptrace(2) on a dedicated thread, because only the thread that seized a process may make requests.

mod counts;
mod ptrace;

use self::counts::Counts;
use self::ptrace::{Stop, StopReason, Watched};
use super::Observed;
use crate::sys::{Unsupported, affinity, liveness};
use roundtrip_wire::SystemCalls;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::os::unix::thread::JoinHandleExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The interval of signals to the watching thread when it must end.
const CALL_INTERVAL: Duration = Duration::from_millis(1);

/// The time for a process to stop so that it can be detached; after that, the kernel detaches it. A process that waits
/// for a disk does not stop at all.
const DETACH_TIMEOUT: Duration = Duration::from_secs(1);

type Threads = HashMap<u32, Counts>;

#[derive(Debug)]
pub(super) struct Tracer {
    thread: Option<JoinHandle<Threads>>,
    ending: Arc<AtomicBool>,
}

impl Tracer {
    pub(super) fn attach(pids: Vec<u32>, cpu: Option<u32>, in_detail: bool) -> Result<Self, Unsupported> {
        make_interruptible().map_err(|error| Unsupported::because(format!("sigaction failed: {error}")))?;
        let ending = Arc::new(AtomicBool::new(false));
        let in_detail = in_detail.then(|| Arc::new(own_pipes()));
        let (sender, receiver) = mpsc::channel();
        let mut watch =
            Watch { threads: HashMap::new(), in_detail, ending: Arc::clone(&ending), detaching_since: None };
        let watching = move || {
            let attached = cpu.map_or(Ok(()), affinity::pin).and_then(|()| watch.attach(&pids));
            // The caller waits for this message; after a failure, the tracer is dropped, which ends this.
            let _ = sender.send(attached);
            watch.run();
            watch.threads
        };
        let thread = thread::Builder::new().name("tracer".into()).spawn(watching);
        let thread = thread.map_err(|error| Unsupported::because(format!("starting a thread: {error}")))?;
        let tracer = Self { thread: Some(thread), ending };
        receiver.recv().map_err(|_| Unsupported::because("the watching thread panicked"))??;
        Ok(tracer)
    }

    pub(super) fn finish(mut self) -> BTreeMap<u32, Vec<SystemCalls>> {
        self.end().into_iter().map(|(tid, counts)| (tid, counts.into_calls())).collect()
    }

    pub(super) fn finish_in_detail(mut self) -> Vec<Observed> {
        self.end().into_values().filter_map(Counts::into_observed).collect()
    }

    fn end(&mut self) -> Threads {
        let Some(thread) = self.thread.take() else { return Threads::new() };
        self.ending.store(true, Ordering::Release);
        // Repeatedly, because a signal just before the thread begins to wait has no effect.
        while !thread.is_finished() {
            call(&thread);
            thread::park_timeout(CALL_INTERVAL);
        }
        thread.join().unwrap_or_default()
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.end();
    }
}

struct Watch {
    threads: Threads,
    /// The harness's pipes, if calls are observed in detail.
    in_detail: Option<Arc<HashSet<PathBuf>>>,
    ending: Arc<AtomicBool>,
    /// The time since it detaches every thread that stops.
    detaching_since: Option<Instant>,
}

impl Watch {
    /// Seizes each thread and waits until it stops once, because its calls are reported only after a stop.
    fn attach(&mut self, pids: &[u32]) -> Result<(), Unsupported> {
        for tid in pids.iter().flat_map(|&pid| threads_of(pid)) {
            match ptrace::seize(tid, self.in_detail.is_some()) {
                Ok(()) => {}
                // The kernel refuses a zombie like another user's process.
                Err(error) if has_ended(&error) || !liveness::runs(tid) => continue,
                Err(error) => return Err(Unsupported::because(explain(&error))),
            }
            self.threads.insert(tid, counts(tid, self.in_detail.as_ref()));
            // It may have been killed in the meantime; then there is no stop to wait for.
            let _ = ptrace::interrupt(tid);
            if let Some(stop) = first_stop(tid) {
                match ptrace::progress(tid) {
                    Err(error) if !has_ended(&error) => {
                        self.handle(stop);
                        return Err(Unsupported::because(format!(
                            "tracing system calls needs Linux 5.3 or newer: {error}"
                        )));
                    }
                    _ => self.handle(stop),
                }
            }
        }
        Ok(())
    }

    fn run(&mut self) {
        loop {
            if self.detaching_since.is_none() && self.ending.load(Ordering::Acquire) {
                self.detaching_since = Some(Instant::now());
                for &tid in self.threads.keys() {
                    // It may have ended.
                    let _ = ptrace::interrupt(tid);
                }
            }
            match ptrace::wait(Watched::All) {
                Ok(stop) => self.handle(stop),
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    // The kernel detaches the rest when this thread ends.
                    if self.detaching_since.is_some_and(|since| since.elapsed() > DETACH_TIMEOUT) {
                        break;
                    }
                }
                Err(_) => break,
            }
        }
    }

    /// Records the state of a stopped thread and resumes it. An error of any request means that it has been killed
    /// since it stopped, which needs no action.
    fn handle(&mut self, stop: Stop) {
        let Stop { tid, why } = stop;
        if why == StopReason::SystemCall
            && let Ok(progress) = ptrace::progress(tid)
        {
            let of_harness = &self.in_detail;
            self.threads.entry(tid).or_insert_with(|| counts(tid, of_harness.as_ref())).note(progress);
        }
        let signal = if let StopReason::Signal(signal) = why { signal } else { 0 };
        let _ = match why {
            StopReason::Exit => ptrace::detach(tid, 0),
            _ if self.detaching_since.is_some() => ptrace::detach(tid, signal),
            StopReason::Group => ptrace::listen(tid),
            StopReason::SystemCall | StopReason::Interrupt | StopReason::Signal(_) => {
                ptrace::resume(tid, signal)
            }
        };
    }
}

fn counts(tid: u32, of_harness: Option<&Arc<HashSet<PathBuf>>>) -> Counts {
    of_harness.map_or_else(Counts::default, |of_harness| Counts::in_detail(tid, of_harness))
}

/// The pipes of which this process has an end, as links in `/proc/PID/fd` (`proc_pid_fd(5)`).
fn own_pipes() -> HashSet<PathBuf> {
    let links = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let targets = links.filter_map(|link| fs::read_link(link.path()).ok());
    targets.filter(|target| target.to_str().is_some_and(|text| text.starts_with("pipe:"))).collect()
}

/// Returns the threads of a process; none if it has ended.
fn threads_of(pid: u32) -> Vec<u32> {
    let Ok(folder) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

fn first_stop(tid: u32) -> Option<Stop> {
    loop {
        match ptrace::wait(Watched::Thread(tid)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result.ok(),
        }
    }
}

fn has_ended(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ESRCH)
}

fn explain(error: &io::Error) -> String {
    if error.raw_os_error() != Some(libc::EPERM) {
        return format!("ptrace failed: {error}");
    }
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    refused(scope.trim())
}

/// Scope 1 lets a parent trace its children, which is enough here (the kernel's Yama document).
fn refused(scope: &str) -> String {
    match scope.parse::<u32>() {
        Ok(2) => "kernel.yama.ptrace_scope is 2. Set it to 1, or give the agent CAP_SYS_PTRACE.".into(),
        Ok(3..) => format!("kernel.yama.ptrace_scope is {scope}. Reboot with 1 to allow tracing."),
        _ => "ptrace is not permitted: the program is setuid or belongs to another user, another program is tracing it, \
         or a seccomp filter blocks it, as in containers"
            .into(),
    }
}

/// Installs an empty handler for SIGURG: with a handler, the signal interrupts a thread that waits. SIGURG is ignored
/// by default, so nothing else changes, and a handler does not survive exec.
#[expect(unsafe_code, reason = "calls of the C library")]
fn make_interruptible() -> io::Result<()> {
    extern "C" fn nothing(_signal: libc::c_int) {}
    // SAFETY: sigaction is plain numbers, for which all zeroes is a valid value: no flags, no signal blocked.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the structure is live, and the handler does nothing, which is safe at any time.
    match unsafe { libc::sigaction(libc::SIGURG, &raw const action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[expect(unsafe_code, reason = "a call of the C library")]
fn call(thread: &JoinHandle<Threads>) {
    // SAFETY: the handle is not joined yet, so its thread id is valid, even after the thread has ended. It is a pointer
    // in musl, a number in the standard library.
    unsafe { libc::pthread_kill(thread.as_pthread_t() as libc::pthread_t, libc::SIGURG) };
}
