//! Records with perf(1): the kernel's tracepoints of system calls write the descriptor at the start of a call
//! and the result at its end to a buffer, without stopping the process. Needs permission to read the
//! tracepoints.

use super::Order;
use super::counting::{Calls, Descriptors, Kind, Tally, carried};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// The size limit of a recording: 1.4 million calls at about 190 B.
const FILE_SIZE_MAX: &str = "256M";

/// The buffer per processor. With perf's default of half a MiB, a process that only sends lost about one in
/// 500 events.
const BUFFER_SIZE: &str = "4M";

/// The clock for the times of descriptor scans.
const CLOCK: &str = "CLOCK_MONOTONIC";

const MAKING: [&str; 3] = ["socket", "accept", "accept4"];

/// perf starts this program when the tracepoints are active. The recording ends with it, and it ends with
/// this process.
const COMPANION: [&str; 4] = ["--", "sh", "-c", "echo recording >&2; read _"];

pub(crate) fn command(order: &Order, log: &Path) -> Command {
    let ends =
        |name: &'static str| [format!("syscalls:sys_enter_{name}"), format!("syscalls:sys_exit_{name}")];
    let mut events: Vec<String> = order.calls.names().flat_map(ends).collect();
    events.extend(MAKING.iter().map(|name| format!("syscalls:sys_exit_{name}")));
    events.push("syscalls:sys_enter_close".to_owned());
    let mut command = Command::new("perf");
    command.args([
        "record",
        "--no-buildid",
        "--no-buildid-cache",
        "--max-size",
        FILE_SIZE_MAX,
        "--mmap-pages",
        BUFFER_SIZE,
        "--clockid",
        CLOCK,
    ]);
    command.arg("--output").arg(log).args([
        "--event",
        &events.join(","),
        "--pid",
        &order.process.to_string(),
    ]);
    command.args(COMPANION);
    command
}

/// Whether a line of its output shows that it records.
pub(crate) fn is_attached(line: &str) -> bool {
    line == "recording"
}

pub(crate) fn read(order: &Order, descriptors: &Descriptors, log: &Path) -> Result<Tally, String> {
    let mut command = Command::new("perf");
    command
        .args(["script", "--show-lost-events", "--ns", "--fields", "pid,tid,time,event,trace", "--input"])
        .arg(log);
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut script = Script::new(order, descriptors);
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            script.line(&line.map_err(|error| error.to_string())?);
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(script.tally) } else { Err(format!("perf script failed: {status}")) }
}

struct Script<'a> {
    calls: Calls,
    /// `None` means all processes.
    process: Option<u32>,
    descriptors: &'a Descriptors,
    threads: BTreeMap<u32, Thread>,
    /// Sockets created during the recording and still open.
    made: BTreeSet<(u32, i32)>,
    tally: Tally,
}

#[derive(Default)]
struct Thread {
    /// The thread's last line. perf 6.1 sometimes writes a line twice, and no thread repeats a call within a
    /// nanosecond.
    last: String,
    /// The call in progress, and its descriptor.
    begun: Option<(String, i32)>,
}

impl<'a> Script<'a> {
    fn new(order: &Order, descriptors: &'a Descriptors) -> Self {
        Self {
            calls: order.calls,
            process: (!order.with_children).then_some(order.process),
            descriptors,
            threads: BTreeMap::new(),
            made: BTreeSet::new(),
            tally: Tally::default(),
        }
    }

    /// Parses `1234/1235 37.456570442: syscalls:sys_enter_write: fd: 0x00000004, ...`, `1234/1235
    /// 37.456570495: syscalls:sys_exit_write: 0x40`, or the number of lost events.
    fn line(&mut self, line: &str) {
        if line.contains("PERF_RECORD_LOST") {
            let lost = line.split_whitespace().next_back().and_then(|word| word.parse::<u64>().ok());
            self.tally.lost_count += lost.unwrap_or(0);
            return;
        }
        // Other lines are not about our events.
        let _ = self.event(line);
    }

    fn event(&mut self, line: &str) -> Option<()> {
        let (ids, rest) = line.trim_start().split_once(char::is_whitespace)?;
        let (process, thread) = ids.split_once('/')?;
        let process: u32 = process.parse().ok()?;
        if self.process.is_some_and(|ours| ours != process) {
            return None;
        }
        let thread = self.threads.entry(thread.parse().ok()?).or_default();
        if thread.last == line {
            return None;
        }
        line.clone_into(&mut thread.last);
        let (time, rest) = rest.trim_start().split_once(": ")?;
        let (event, fields) = rest.trim_start().strip_prefix("syscalls:sys_")?.split_once(": ")?;
        if let Some(call) = event.strip_prefix("enter_") {
            let field = fields.trim_start().strip_prefix("fd: ")?;
            let descriptor = i32::try_from(number(field.split(',').next()?)?).ok()?;
            if call == "close" {
                self.made.remove(&(process, descriptor));
            } else {
                thread.begun = Some((call.to_owned(), descriptor));
            }
            return Some(());
        }
        let call = event.strip_prefix("exit_")?;
        let result = number(fields.trim())?;
        if MAKING.contains(&call) {
            self.made
                .extend(i32::try_from(result).ok().filter(|made| *made >= 0).map(|made| (process, made)));
            return Some(());
        }
        let begun = thread.begun.take().filter(|(name, _)| name == call);
        let carried = carried(result)?;
        if call == self.calls.batched {
            self.tally.batched_count += carried;
            return Some(());
        }
        let kind = match begun {
            Some((_, descriptor)) if self.made.contains(&(process, descriptor)) => Kind::Channel,
            Some((_, descriptor)) => self.descriptors.kind(process, descriptor, nanoseconds(time)?),
            // It began before the recording.
            None => Kind::Unknown,
        };
        self.tally.add(kind, carried, 1);
        Some(())
    }
}

/// Seconds with nine decimals.
fn nanoseconds(time: &str) -> Option<u64> {
    let (seconds, ns) = time.split_once('.').filter(|(_, ns)| ns.len() == 9)?;
    Some(seconds.parse::<u64>().ok()? * 1_000_000_000 + ns.parse::<u64>().ok()?)
}

/// A register as printed: negative numbers as unsigned.
fn number(text: &str) -> Option<i64> {
    u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok().map(u64::cast_signed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Counted;

    /// For a process whose descriptors are unknown, except for the sockets that it creates.
    fn tally(with_children: bool, lines: &[&str]) -> Tally {
        let order = Order { process: 7, calls: Calls::new(Counted::Sends), with_children };
        let descriptors = Descriptors::none(7, with_children);
        let mut script = Script::new(&order, &descriptors);
        lines.iter().for_each(|line| script.line(line));
        script.tally
    }

    const MADE: &str = "    7/7    1.000000000:  syscalls:sys_exit_accept4: 0x4";
    const BEGUN: &str =
        "    7/7    1.000000001: syscalls:sys_enter_write: fd: 0x00000004, buf: 0x7f13, count: 0x0000000a";
    const ENDED: &str = "    7/7    1.000000002:  syscalls:sys_exit_write: 0xa";

    #[test]
    fn combines_start_and_end_of_a_call() {
        let found = tally(
            false,
            &[
                MADE,
                BEGUN,
                "    7/8    1.000000001: syscalls:sys_enter_sendmsg: fd: 0x00000004, msg: 0x7fff, flags: 0x00000000",
                ENDED,
                "    7/8    1.000000003: syscalls:sys_exit_sendmsg: 0x130",
                "    9/9    1.000000001: syscalls:sys_enter_write: fd: 0x00000004, buf: 0x7f13, count: 0x0000000a",
                "    9/9    1.000000002: syscalls:sys_exit_write: 0xa",
            ],
        );
        assert_eq!(found, Tally { sizes: BTreeMap::from([(10, 1), (304, 1)]), ..Tally::default() });
    }

    #[test]
    fn ignores_failed_empty_and_batched_calls() {
        let found = tally(
            false,
            &[
                MADE,
                BEGUN,
                "7/7 1.000000002: syscalls:sys_exit_write: 0xfffffffffffffff5",
                "7/7 1.000000003: syscalls:sys_enter_write: fd: 0x00000004, buf: 0x0, count: 0x00000000",
                "7/7 1.000000004: syscalls:sys_exit_write: 0x0",
                "7/7 1.000000005: syscalls:sys_enter_sendmmsg: fd: 0x00000004, mmsg: 0x0, vlen: 0x3, flags: 0x0",
                "7/7 1.000000006: syscalls:sys_exit_sendmmsg: 0x3",
                "7/7 1.000000007: PERF_RECORD_LOST lost 182",
            ],
        );
        assert_eq!(found, Tally { batched_count: 3, lost_count: 182, ..Tally::default() });
    }

    #[test]
    fn tracks_sockets_from_creation_to_close() {
        let closed = "7/7 1.000000003: syscalls:sys_enter_close: fd: 0x00000004";
        let again = [BEGUN, ENDED].map(|line| line.replace("1.00000", "2.00000"));
        let found = tally(false, &[MADE, BEGUN, ENDED, closed, &again[0], &again[1]]);
        assert_eq!(found, Tally { sizes: BTreeMap::from([(10, 1)]), unknown_count: 1, ..Tally::default() });
    }

    #[test]
    fn counts_duplicate_events_once() {
        let found = tally(false, &[MADE, BEGUN, BEGUN, ENDED, ENDED]);
        assert_eq!(found, Tally { sizes: BTreeMap::from([(10, 1)]), ..Tally::default() });
    }

    #[test]
    fn counts_children_and_unknown_descriptors() {
        let ended = "9/9 1.000000000: syscalls:sys_exit_write: 0x5";
        assert_eq!(tally(true, &[ended]), Tally { unknown_count: 1, ..Tally::default() });
        assert_eq!(tally(false, &[ended]), Tally::default());
    }
}
