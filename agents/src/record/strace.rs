//! Records with strace(1), where perf is not permitted. It stops the process twice at every system call,
//! which costs far more. It prints the kind of each descriptor.

use super::Order;
use super::counting::{Calls, Descriptors, Kind, Tally, carried};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

/// Calls that start threads or processes, depending on their flags.
const STARTING: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// The recording command. It records no contents: strings are cut to nothing.
pub(crate) fn command(order: &Order, log: &Path) -> Command {
    let calls: Vec<&str> = order.calls.names().chain(STARTING).collect();
    let mut command = Command::new("strace");
    command
        .args(["-f", "-y", "-s", "0", "-e", "signal=none", "-e"])
        .arg(format!("trace={}", calls.join(",")));
    command.arg("-o").arg(log).args(["-p", &order.process.to_string()]);
    command
}

/// Whether a line of its output shows that it records.
pub(crate) fn is_attached(line: &str) -> bool {
    line.starts_with("strace: Process ") && line.contains(" attached")
}

/// Reads the recording; `threads` are those the process had before.
pub(crate) fn read(
    order: &Order,
    descriptors: &Descriptors,
    threads: BTreeSet<u32>,
    log: &Path,
) -> Result<Tally, String> {
    let file = File::open(log).map_err(|error| error.to_string())?;
    let mut trace = Trace::new(order.calls);
    for line in BufReader::new(file).lines() {
        trace.line(&line.map_err(|error| error.to_string())?);
    }
    Ok(trace.tally(order, descriptors, threads))
}

struct Trace {
    calls: Calls,
    /// The beginnings of calls interrupted by lines of other threads, by thread.
    begun: BTreeMap<u32, String>,
    started: Vec<(u32, u32)>,
    made: BTreeMap<(u32, Call), u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    descriptor: i32,
    /// Whether it is a pipe or socket, if its name shows it.
    is_channel: Option<bool>,
    is_batched: bool,
    carried: u64,
}

impl Trace {
    fn new(calls: Calls) -> Self {
        Self { calls, begun: BTreeMap::new(), started: Vec::new(), made: BTreeMap::new() }
    }

    /// Parses `1234 write(4<pipe:[5]>, ""..., 64) = 64`, or its two halves: `1234 write(4<pipe:[5]>, ""...,
    /// 64 <unfinished ...>` and `1234 <... write resumed>) = 64`.
    fn line(&mut self, line: &str) {
        let Some((thread, rest)) = line.trim_start().split_once(' ') else { return };
        let Ok(thread) = thread.parse() else { return };
        let rest = rest.trim_start();
        if let Some(begun) = rest.strip_suffix("<unfinished ...>") {
            self.begun.insert(thread, begun.to_owned());
        } else if let Some((_, end)) = rest.split_once(" resumed>").filter(|_| rest.starts_with("<... ")) {
            // Without its beginning, the descriptor is unknown.
            let begun = self.begun.remove(&thread).unwrap_or_default();
            let _ = self.call(thread, &(begun + end));
        } else {
            // Other lines, such as ends of threads, are not calls.
            let _ = self.call(thread, rest);
        }
    }

    fn call(&mut self, thread: u32, text: &str) -> Option<()> {
        let (name, arguments) = text.split_once('(')?;
        let (arguments, result) = arguments.rsplit_once(" = ")?;
        let result: i64 = result.split_whitespace().next()?.parse().ok()?;
        if STARTING.contains(&name) {
            if arguments.contains("CLONE_THREAD") {
                self.started.push((thread, u32::try_from(result).ok()?));
            }
            return Some(());
        }
        let descriptor = arguments.split([',', ' ']).next()?;
        let (number, file) = descriptor.split_once('<').unwrap_or((descriptor, ""));
        let call = Call {
            descriptor: number.parse().ok()?,
            is_channel: is_channel(file),
            is_batched: name == self.calls.batched,
            carried: carried(result)?,
        };
        *self.made.entry((thread, call)).or_default() += 1;
        Some(())
    }

    /// The tally of the process alone, or of all followed processes.
    fn tally(self, order: &Order, descriptors: &Descriptors, mut ours: BTreeSet<u32>) -> Tally {
        // The call that starts a thread may be printed after the thread's own calls, so the set is complete
        // only now.
        ours.insert(order.process);
        for (by, thread) in self.started {
            if ours.contains(&by) {
                ours.insert(thread);
            }
        }
        let mut sum = Tally::default();
        for ((thread, call), count) in self.made {
            let is_ours = ours.contains(&thread);
            if !is_ours && !order.with_children {
                continue;
            }
            let process = if is_ours { order.process } else { thread };
            let kind = match call.is_channel {
                _ if call.is_batched => {
                    sum.batched_count += call.carried * count;
                    continue;
                }
                Some(true) => Kind::Channel,
                Some(false) => Kind::Other,
                // A path: its final target.
                None => descriptors.kind(process, call.descriptor, u64::MAX),
            };
            sum.add(kind, call.carried, count);
        }
        sum
    }
}

/// From the target of a descriptor: `pipe:[5]>`, `socket:[6]>`, `/tmp/file>`. A path may be a FIFO.
fn is_channel(file: &str) -> Option<bool> {
    let is_named = |kind: &&str| file.starts_with(kind);
    match file {
        "" => None,
        _ if ["pipe:[", "socket:["].iter().any(is_named) => Some(true),
        _ if file.starts_with('/') => None,
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Counted;

    fn tally(with_children: bool, lines: &str) -> Tally {
        let order = Order { process: 7, calls: Calls::new(Counted::Sends), with_children };
        let mut trace = Trace::new(order.calls);
        lines.lines().for_each(|line| trace.line(line));
        trace.tally(&order, &Descriptors::none(7, with_children), BTreeSet::from([7]))
    }

    const LINES: &str = r#"7 write(4<pipe:[36]>, ""..., 64) = 64
8     write(4<pipe:[36]>, ""..., 65 <unfinished ...>
7     clone3({flags=CLONE_VM|CLONE_THREAD|CLONE_SETTLS, child_tid=0x7f, exit_signal=0} => {parent_tid=[8]}, 88) = 8
8     <... write resumed>)                  = 65
8     +++ exited with 0 +++
7     sendmsg(5<socket:[37]>, {msg_name=NULL, msg_iov=[...], msg_iovlen=2, msg_flags=0}, 0) = 8
7     sendmmsg(5<socket:[37]>, [...], 2, 0) = 2
7     clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 9
9     write(4<pipe:[36]>, ""..., 5) = 5
7     write(6</tmp/a = b>, ""..., 6) = 6
7     write(3<anon_inode:[eventfd]>, ""..., 8) = 8
7     write(99, ""..., 1)              = -1 EBADF (Bad file descriptor)"#;

    #[test]
    fn counts_threads_but_not_children() {
        let expected = Tally {
            sizes: BTreeMap::from([(8, 1), (64, 1), (65, 1)]),
            elsewhere_count: 1,
            unknown_count: 1,
            batched_count: 2,
            ..Tally::default()
        };
        assert_eq!(tally(false, LINES), expected);
    }

    #[test]
    fn counts_children_on_request() {
        assert_eq!(tally(true, LINES).sizes, BTreeMap::from([(5, 1), (8, 1), (64, 1), (65, 1)]));
    }
}
