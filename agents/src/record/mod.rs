//! `roundtrip record`: the sizes of the messages that a running process sends, as a size profile.
//!
//! # Codemap
//! - `method`: the ways to do it. One file each: `perf`, `strace`.  `tracer`: their program at work.
//! - `calls`: what is recorded.  `descriptors`: which of it went to pipes and sockets.  `sizes`: the profile.
//! - `overhead`: what it costs.  `table`: the answer for people.
//! - `node`: programs of Node, which count their messages themselves.

mod calls;
mod descriptors;
mod method;
mod node;
mod overhead;
mod perf;
mod sizes;
mod strace;
mod table;
mod tracer;

pub(crate) use overhead::probe;

use crate::cli::{Format, RecordArguments};
use crate::failure::Failure;
use crate::stop;
use crate::{output, platform};
use calls::Calls;
use descriptors::Descriptors;
use method::{Method, Running};
use overhead::Overhead;
use serde::Serialize;
use std::fs;
use std::io;
use std::time::{Duration, Instant};
use tracer::Order;

/// What was recorded, as `--format json` prints it. Members are only ever added.
#[derive(Debug, Serialize)]
struct Recording {
    /// `perf` or `strace`.
    by: &'static str,
    pid: u32,
    /// For how long.
    seconds: f64,
    /// Why no longer: `seconds`, as asked; `stopped`, by Ctrl-C; `process`, it ended; `full`, the recording is as large as it
    /// may be.
    ended: &'static str,
    /// The names of the calls that count.
    calls: &'static [&'static str],
    /// Calls to pipes and sockets that carried something.
    call_count: u64,
    /// Their sizes, as text.
    sizes: String,
    /// Calls that are not counted, because nobody knows any more where they went.
    unknown_count: u64,
    /// Calls that are not counted, because they went to files, terminals and the like.
    elsewhere_count: u64,
    /// Messages that are not counted, because `sendmmsg` or `recvmmsg` does not tell their sizes.
    batched_count: u64,
    /// Events that came too fast to be written down: what they tell of is missing.
    lost_count: u64,
    /// What being recorded costs a call here, or null if it could not be measured.
    overhead: Option<Overhead>,
}

/// Runs the verb.
///
/// # Errors
/// The process does not exist or may not be recorded, it sent nothing, or a file cannot be written.
pub(crate) fn record(arguments: &RecordArguments) -> crate::Result<()> {
    if let Some(file) = &arguments.node {
        return node::write(file);
    }
    platform::can_record().map_err(Failure::Other)?;
    let process =
        arguments.pid.ok_or_else(|| Failure::Usage("--pid is missing: expected a process".into()))?;
    is_process(process)?;
    let order = Order { process, calls: Calls::of(arguments.count), with_children: arguments.children };
    let mut descriptors = Descriptors::of(process, arguments.children).map_err(|error| {
        Failure::Other(format!("cannot see what process {process} has open: {error}{}", hint(&error)))
    })?;

    let mut stop = stop::until_signalled()?;
    let (method, mut running) = start(arguments, &order)?;
    eprintln!(
        "roundtrip: recording process {process} by {} for {} s; Ctrl-C ends it",
        method.name(),
        arguments.seconds
    );
    let begin = Instant::now();
    let until = begin + Duration::from_secs(arguments.seconds);
    let ended = loop {
        descriptors.look();
        if stop.wait_until(until.min(descriptors.next_look())).is_break() {
            break "stopped";
        }
        if running.has_ended() {
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
        eprintln!("roundtrip: what recording costs could not be measured: {why}");
    }

    let profile = sizes::profile(&tally.sizes);
    let recording = Recording {
        by: method.name(),
        pid: process,
        seconds,
        ended,
        calls: order.calls.sized,
        call_count: tally.sizes.values().sum(),
        sizes: profile.as_ref().map(ToString::to_string).unwrap_or_default(),
        unknown_count: tally.unknown_count,
        elsewhere_count: tally.elsewhere_count,
        batched_count: tally.batched_count,
        lost_count: tally.lost_count,
        overhead: overhead.ok(),
    };
    let Some(profile) = &profile else {
        return Err(Failure::Other(table::nothing(&recording)));
    };
    if let Some(path) = &arguments.output {
        fs::write(path, sizes::csv(profile))
            .map_err(|source| Failure::Disk { path: path.clone(), source })?;
    }
    match arguments.format {
        Format::Json => output::print_json(&recording),
        Format::Human => output::print(&table::render(&recording, profile)),
    }
}

/// # Errors
/// There is none with this number, or it is a thread of one.
fn is_process(process: u32) -> crate::Result<()> {
    let wrong = |why: String| Failure::Usage(format!("--pid {process}: {why}"));
    let status = fs::read_to_string(format!("/proc/{process}/status"))
        .map_err(|_| wrong("no process has this number".into()))?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    match field("Tgid:") {
        Some(leader) if leader != process.to_string() => {
            Err(wrong(format!("this is a thread: expected its process, {leader}")))
        }
        _ if field("State:").is_some_and(|state| state.starts_with(['Z', 'X'])) => {
            Err(wrong("this process has ended".into()))
        }
        _ => Ok(()),
    }
}

/// Begins in the first way that works.
fn start(arguments: &RecordArguments, order: &Order) -> crate::Result<(Method, Running)> {
    let mut refusals = Vec::new();
    for method in Method::all(arguments.by) {
        match method.start(order) {
            Ok(running) => {
                for refusal in &refusals {
                    eprintln!("roundtrip: not by {refusal}");
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

/// What mends that something is not permitted.
fn hint(error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return String::new();
    }
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let limited = match scope.trim() {
        "" | "0" => String::new(),
        scope => format!("; kernel.yama.ptrace_scope is {scope}, which lets no other process trace it"),
    };
    if platform::is_administrator() {
        return limited;
    }
    format!("\nThe system may permit it to root: sudo roundtrip record …{limited}")
}
