//! Linux: `perf_event_open(2)`, one event per counter, so that a processor with few counters still counts them in turn.

use super::Count;
use crate::sys::perf_event::{self, Attributes, CONTEXT_SWITCHES, DISABLED, EXCLUDE_HYPERVISOR, SOFTWARE};
use std::io;
use std::mem::size_of;
use std::os::fd::OwnedFd;

/// Open events, in the order in which they were opened.
#[derive(Debug, Default)]
pub(super) struct Events(Vec<(&'static str, OwnedFd)>);

impl Events {
    pub(super) fn open(&mut self, name: &'static str) -> Result<(), String> {
        let event = perf_event_open(name).map_err(|error| explain(&error))?;
        self.0.push((name, event));
        Ok(())
    }

    pub(super) fn start(&self) {
        self.switch(libc::PR_TASK_PERF_EVENTS_ENABLE);
    }

    pub(super) fn stop(&self) {
        self.switch(libc::PR_TASK_PERF_EVENTS_DISABLE);
    }

    /// Starts or stops all events of the calling thread in one system call (prctl(2)): one call per event would count
    /// the calls for the others.
    #[expect(unsafe_code, reason = "a call of the C library")]
    fn switch(&self, operation: libc::c_int) {
        if !self.0.is_empty() {
            // SAFETY: these two operations take no argument and touch no memory. They cannot fail; events that had not
            // been started would be reported when they are read.
            unsafe { libc::prctl(operation) };
        }
    }

    pub(super) fn read(&self) -> Vec<(&'static str, Result<Count, String>)> {
        self.0.iter().map(|(name, event)| (*name, read(event))).collect()
    }
}

// Numbers from <linux/perf_event.h>, which are part of the kernel's interface.
const HARDWARE: u32 = 0;
const HARDWARE_CACHE: u32 = 3;
/// `PERF_COUNT_HW_CACHE_LL`, with `OP_READ` in the second byte.
const LAST_LEVEL_LOADS: u64 = 2;
/// `PERF_COUNT_HW_CACHE_RESULT_MISS`, in the third byte.
const MISSES: u64 = 1 << 16;
/// `PERF_FORMAT_TOTAL_TIME_ENABLED` and `_RUNNING`.
const FORMAT_TIMES: u64 = 1 | 2;

fn selector(name: &str) -> Option<(u32, u64)> {
    Some(match name {
        "cycles" => (HARDWARE, 0),
        "instructions" => (HARDWARE, 1),
        "cache_references" => (HARDWARE, 2),
        "cache_misses" => (HARDWARE, 3),
        "branch_misses" => (HARDWARE, 5),
        "bus_cycles" => (HARDWARE, 6),
        "llc_loads" => (HARDWARE_CACHE, LAST_LEVEL_LOADS),
        "llc_load_misses" => (HARDWARE_CACHE, LAST_LEVEL_LOADS | MISSES),
        "task_clock_ns" => (SOFTWARE, 1),
        "page_faults" => (SOFTWARE, 2),
        "context_switches" => (SOFTWARE, CONTEXT_SWITCHES),
        "cpu_migrations" => (SOFTWARE, 4),
        _ => return None,
    })
}

/// A stopped event for the calling thread, on any processor.
fn perf_event_open(name: &str) -> io::Result<OwnedFd> {
    let (kind, config) = selector(name).ok_or(io::ErrorKind::NotFound)?;
    let flags = DISABLED | EXCLUDE_HYPERVISOR;
    let attributes = Attributes { kind, config, read_format: FORMAT_TIMES, flags, ..Attributes::default() };
    perf_event::open(attributes, Some(0), None)
}

/// A read returns the value, and how long the event was enabled and actually counted.
fn read(event: &OwnedFd) -> Result<Count, String> {
    let mut words = [[0; size_of::<u64>()]; 3];
    let bytes = rustix::io::read(event, words.as_flattened_mut())
        .map_err(|error| format!("cannot read the counter: {error}"))?;
    // The kernel ends the file of an event that it could not keep; zeroes would not be a measurement.
    if bytes != size_of_val(&words) {
        return Err("the kernel stopped this counter".into());
    }
    let [value, enabled_ns, running_ns] = words.map(u64::from_ne_bytes);
    extrapolate(value, enabled_ns, running_ns)
}

/// The kernel multiplexes counters if the processor has too few.
fn extrapolate(value: u64, enabled_ns: u64, running_ns: u64) -> Result<Count, String> {
    if enabled_ns <= running_ns {
        return Ok(Count { value, counted_time_percent: 100 });
    }
    let share = |of: u128, part: u64, whole: u64| u64::try_from(of * u128::from(part) / u128::from(whole));
    match share(u128::from(value), enabled_ns, running_ns.max(1)) {
        Ok(value) if running_ns > 0 => Ok(Count {
            value,
            // Rounded down: an extrapolated value never looks complete.
            counted_time_percent: share(100, running_ns, enabled_ns).unwrap_or(0),
        }),
        _ => Err("this counter was never scheduled: others used all counters of the CPU".into()),
    }
}

fn explain(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
            "not available on this machine (usual in a virtual machine)".into()
        }
        Some(libc::EACCES | libc::EPERM) => refused(&perf_event::paranoid()),
        Some(libc::ENOSYS) => "the kernel has no performance counters".into(),
        _ => format!("perf_event_open failed: {error}"),
    }
}

/// At a level of 1 or less, a thread may count itself, including the kernel.
fn refused(level: &str) -> String {
    match level.parse::<i32>() {
        Ok(2..) => {
            format!("kernel.perf_event_paranoid is {level}. Set it to 1, or give the agent CAP_PERFMON.")
        }
        _ => "perf_event_open is not permitted: blocked by a seccomp filter, as in containers".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extrapolates_multiplexed_counters() {
        assert_eq!(extrapolate(500, 80, 80), Ok(Count { value: 500, counted_time_percent: 100 }));
        assert_eq!(extrapolate(500, 80, 40), Ok(Count { value: 1_000, counted_time_percent: 50 }));
        assert_eq!(extrapolate(3_000, 1_000, 999), Ok(Count { value: 3_003, counted_time_percent: 99 }));
    }

    #[test]
    fn counter_that_never_ran_is_unavailable() {
        assert!(extrapolate(0, 80, 0).unwrap_err().contains("never scheduled"));
    }

    #[test]
    fn refusals_name_the_setting_and_the_fix() {
        assert_eq!(
            refused("3"),
            "kernel.perf_event_paranoid is 3. Set it to 1, or give the agent CAP_PERFMON."
        );
        assert!(refused("1").contains("seccomp"));
        let missing = explain(&io::Error::from_raw_os_error(libc::EOPNOTSUPP));
        assert_eq!(missing, "not available on this machine (usual in a virtual machine)");
    }

    #[test]
    fn every_counter_of_a_set_has_its_event() {
        for set in [super::super::Set::Hardware, super::super::Set::Scheduler] {
            for name in set.names() {
                assert!(selector(name).is_some(), "{name}");
            }
        }
    }
}
