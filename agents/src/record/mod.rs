//! `roundtrip record`: records the message sizes of a running process as a size profile.
//!
//! # Codemap
//! - [`By`]: the recorders, one file each: `perf`, `strace`.  [`Tracer`]: their running program.
//! - `counting`: finds the calls on pipes and sockets, and builds the profile.
//! - `overhead`: measures the overhead.  `report`: the text output.

use crate::cli::{By, Format, RecordArguments};
use crate::failure::{Failure, OnDisk};
use crate::{output, platform, stop};
use counting::{Calls, Descriptors, Tally};
use overhead::Overhead;
pub(crate) use overhead::{ROUND_MESSAGES, probe};
use roundtrip_bench::sys::death;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

mod counting;
mod overhead;
mod perf;
mod report;
mod strace;

/// The recording, as printed by `--format json`. Members are only ever added.
#[derive(Debug, Serialize)]
struct Recording {
    by: &'static str,
    pid: u32,
    seconds: f64,
    /// Why it ended: `seconds`, the requested duration; `stopped`, Ctrl-C; `process`, the process ended;
    /// `full`, the size limit.
    ended: &'static str,
    calls: &'static [&'static str],
    call_count: u64,
    sizes: String,
    #[serde(flatten)]
    tally: Tally,
    /// The overhead per call on this machine, or null if it could not be measured.
    overhead: Option<Overhead>,
}

pub(crate) fn record(arguments: &RecordArguments) -> crate::Result<()> {
    if let Some(file) = &arguments.node {
        return write_module(file);
    }
    platform::can_record().map_err(Failure::Other)?;
    let process = arguments.pid.ok_or_else(|| Failure::Usage("pass --pid PID".into()))?;
    is_process(process)?;
    let order = Order { process, calls: Calls::new(arguments.count), with_children: arguments.children };
    let mut descriptors = Descriptors::new(process, arguments.children).map_err(|error| {
        Failure::Other(format!("cannot read the open files of process {process}: {error}{}", hint(&error)))
    })?;

    let mut stop = stop::until_signalled()?;
    let (method, mut running) = start(arguments, &order)?;
    eprintln!(
        "note: recording process {process} with {} for {} s; Ctrl-C stops",
        method.name(),
        arguments.seconds
    );
    let begin = Instant::now();
    let until = begin + Duration::from_secs(arguments.seconds);
    let ended = loop {
        descriptors.look();
        if stop.wait_until(until.min(descriptors.next_look)).is_break() {
            break "stopped";
        }
        if running.tracer.has_ended() {
            break if is_process(process).is_ok() { "full" } else { "process" };
        }
        if Instant::now() >= until {
            break "seconds";
        }
    };
    let seconds = begin.elapsed().as_secs_f64();
    descriptors.look();
    let tally = running
        .end(&descriptors)
        .map_err(|why| Failure::Other(format!("cannot read the recording: {why}")))?;
    let overhead = overhead::measure(method, &order);
    if let Err(why) = &overhead {
        eprintln!("warning: cannot measure the recording overhead: {why}");
    }

    let profile = counting::profile(&tally.sizes);
    let recording = Recording {
        by: method.name(),
        pid: process,
        seconds,
        ended,
        calls: order.calls.sized,
        call_count: tally.sizes.values().sum(),
        sizes: profile.as_ref().map(ToString::to_string).unwrap_or_default(),
        tally,
        overhead: overhead.ok(),
    };
    let Some(profile) = &profile else {
        return Err(Failure::Other(report::no_calls(&recording)));
    };
    if let Some(path) = &arguments.output {
        fs::write(path, counting::csv(profile)).on_disk(path)?;
    }
    match arguments.format {
        Format::Json => output::print_json(&recording),
        Format::Human => output::print(&report::render(&recording, profile)),
    }
}

fn is_process(process: u32) -> crate::Result<()> {
    let wrong = |why: String| Failure::Usage(format!("--pid {process}: {why}"));
    let status =
        fs::read_to_string(format!("/proc/{process}/status")).map_err(|_| wrong("no such process".into()))?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    match field("Tgid:") {
        Some(leader) if leader != process.to_string() => {
            Err(wrong(format!("this is a thread: expected its process ID, {leader}")))
        }
        _ if field("State:").is_some_and(|state| state.starts_with(['Z', 'X'])) => {
            Err(wrong("this process has exited".into()))
        }
        _ => Ok(()),
    }
}

fn start(arguments: &RecordArguments, order: &Order) -> crate::Result<(By, Running)> {
    let mut refusals = Vec::new();
    for method in arguments.by.map_or_else(|| vec![By::Perf, By::Strace], |by| vec![by]) {
        match method.start(order) {
            Ok(running) => {
                for refusal in &refusals {
                    eprintln!("note: not using {refusal}");
                }
                return Ok((method, running));
            }
            Err(why) => refusals.push(format!("{}: {why}", method.name())),
        }
    }
    let hint = hint(&io::ErrorKind::PermissionDenied.into());
    Err(Failure::Other(format!(
        "cannot record process {}:\n  {}{hint}",
        order.process,
        refusals.join("\n  ")
    )))
}

fn hint(error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return String::new();
    }
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let limited = match scope.trim() {
        "" | "0" => String::new(),
        scope => format!("; kernel.yama.ptrace_scope is {scope}, which restricts tracing"),
    };
    if platform::is_administrator() {
        return limited;
    }
    format!("\nTry as root: sudo roundtrip record …{limited}")
}

// The recorders, tried in order of overhead.

pub(crate) struct Running {
    method: By,
    order: Order,
    tracer: Tracer,
    threads: BTreeSet<u32>,
    folder: TempDir,
}

impl By {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf",
            Self::Strace => "strace",
        }
    }

    /// Starts recording. Every call after the return is recorded.
    pub(crate) fn start(self, order: &Order) -> Result<Running, String> {
        let folder =
            tempfile::tempdir().map_err(|error| format!("cannot create a temporary folder: {error}"))?;
        let log = folder.path().join(LOG);
        let threads = counting::threads(order.process);
        let tracer = match self {
            Self::Perf => Tracer::start(perf::command(order, &log), perf::is_attached),
            Self::Strace => Tracer::start(strace::command(order, &log), strace::is_attached),
        }?;
        Ok(Running { method: self, order: *order, tracer, threads, folder })
    }
}

/// The file of a recording, in a temporary folder.
const LOG: &str = "log";

impl Running {
    /// Stops it, and reads the recording.
    pub(crate) fn end(self, descriptors: &Descriptors) -> Result<Tally, String> {
        let Self { method, order, tracer, threads, folder } = self;
        tracer.finish()?;
        let log = folder.path().join(LOG);
        match method {
            By::Perf => perf::read(&order, descriptors, &log),
            By::Strace => strace::read(&order, descriptors, threads, &log),
        }
    }
}

// A program that records another process, from its start to its end. It never outlives this process.

/// The timeout for starting to record, and for stopping.
const DEADLINE: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) process: u32,
    pub(crate) calls: Calls,
    pub(crate) with_children: bool,
}

/// A running recorder. Killed when dropped.
pub(crate) struct Tracer {
    child: Child,
    /// Disconnected when the program closes its standard error, which means that it has ended.
    news: Receiver<()>,
}

impl Tracer {
    /// Starts a program, and waits for the line on its standard error that shows that it records.
    pub(crate) fn start(mut command: Command, is_attached: fn(&str) -> bool) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        death::prepare(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("{name} is not installed"),
            _ => error.to_string(),
        })?;
        let errors = child.stderr.take();
        let (tell, news) = mpsc::channel();
        let mut tracer = Self { child, news };
        death::bind(&tracer.child).map_err(|error| error.to_string())?;
        let (attached, attaching) = mpsc::channel();
        thread::spawn(move || {
            // Moved here to be dropped when the program has ended.
            let _tell: mpsc::Sender<()> = tell;
            let mut lines =
                errors.into_iter().flat_map(|errors| BufReader::new(errors).lines()).map_while(Result::ok);
            let mut printed = Vec::new();
            let begun = lines.by_ref().any(|line| {
                let begun = is_attached(&line);
                printed.push(line);
                begun
            });
            // The receiver is gone if it took too long.
            let _ = attached.send(if begun { Ok(()) } else { Err(error_text(&printed)) });
            lines.for_each(drop);
        });
        let begun = attaching.recv_timeout(DEADLINE);
        begun.map_err(|_| format!("{name} did not start within {} s", DEADLINE.as_secs()))??;
        // It may end right after it started to record; the recording up to then is read.
        let _ = tracer.has_ended();
        Ok(tracer)
    }

    /// Whether it has ended, as it does with the recorded process.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to end, and waits until the recording is written.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        if !self.has_ended() {
            platform::ask_to_end(&self.child).map_err(|error| error.to_string())?;
            self.child.stdin.take();
            if self.news.recv_timeout(DEADLINE) == Err(mpsc::RecvTimeoutError::Timeout) {
                return Err(format!("the recorder did not exit within {} s", DEADLINE.as_secs()));
            }
        }
        self.child.wait().map(drop).map_err(|error| error.to_string())
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The reason in its last output: perf marks it; strace prints only the reason.
fn error_text(printed: &[String]) -> String {
    let after = |mark: &str| printed.iter().find_map(|line| line.trim().strip_prefix(mark).map(str::trim));
    let at_all = printed.iter().map(|line| line.trim()).find(|line| !line.is_empty());
    let reason = after("Error:").filter(|rest| !rest.is_empty()).or_else(|| after("strace:")).or(at_all);
    reason.unwrap_or("it exited without a message").to_owned()
}

// Node programs: a module that counts messages inside the process. It needs no permission to trace, and it
// knows message boundaries.

const MODULE: &str = include_str!("node.cjs");

pub(crate) fn write_module(file: &Path) -> crate::Result<()> {
    fs::write(file, MODULE).on_disk(file)?;
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let module = shell_words::quote(&absolute.to_string_lossy()).into_owned();
    eprintln!("To count messages, run: ROUNDTRIP_SIZES=sizes.csv node --require {module} PROGRAM");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(lines: &[&str]) -> String {
        error_text(&lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn reports_the_reason_in_a_programs_output() {
        let perf = [
            "event syntax error: 'syscalls:sys_enter_write'",
            "Error:\tNo permissions to read /sys/kernel",
            "",
            "Run 'perf list'",
        ];
        assert_eq!(why(&perf), "No permissions to read /sys/kernel");
        assert_eq!(
            why(&["strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted"]),
            "attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted"
        );
        assert_eq!(why(&[]), "it exited without a message");
    }
}
