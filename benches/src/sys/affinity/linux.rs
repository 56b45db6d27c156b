//! Linux: `sched_setaffinity(2)`, `getcpu(2)` through the vDSO, topology from sysfs.

use super::Thread;
use crate::sys::Unsupported;
use crate::sys::tree::{self, Tree};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use std::{fs, thread};

pub(super) fn allowed() -> Result<Vec<u32>, Unsupported> {
    let set = sched_getaffinity(None)
        .map_err(|error| Unsupported::because(format!("sched_getaffinity failed: {error}")))?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect())
}

pub(super) fn pin(cpu: u32) -> Result<(), Unsupported> {
    sched_setaffinity(None, &only(cpu))
        .map_err(|error| Unsupported::because(format!("pinning to cpu {cpu} failed: {error}")))
}

/// A thread that is being started is not listed yet, and has its parent's affinity from the start of the call. So a
/// thread that was not pinned is watched until it can no longer be in such a call: it has ended, was asleep, or has run
/// for long.
pub(super) fn pin_process(pid: u32, cpu: u32) -> Result<(), Unsupported> {
    let refused = |error: &dyn std::fmt::Display| {
        Unsupported::because(format!("pinning process {pid} to cpu {cpu} failed: {error}"))
    };
    let place = only(cpu);
    let begun = Instant::now();
    let mut watched: HashMap<Pid, Option<u64>> = HashMap::new();
    let mut was_there = false;
    loop {
        let tasks = tasks(pid);
        was_there |= !tasks.is_empty();
        if !was_there {
            return Err(refused(&"no such process"));
        }
        // Threads started by a watched thread may be missing in this list, but are in the next.
        let mut is_complete = watched.is_empty();
        watched
            .retain(|id, ran| tasks.iter().any(|task| task.id == *id && task.may_be_starting_another(*ran)));
        for task in &tasks {
            if matches!(sched_getaffinity(Some(task.id)), Ok(now) if now == place) {
                continue;
            }
            match sched_setaffinity(Some(task.id), &place) {
                Ok(()) => _ = watched.insert(task.id, task.ran),
                // A thread that has ended needs no pinning.
                Err(Errno::SRCH) => {}
                Err(error) => return Err(refused(&error)),
            }
            is_complete = false;
        }
        // For a process that never gets to run, its final processors show whether this worked.
        if is_complete || begun.elapsed() > TIMEOUT {
            return Ok(());
        }
        thread::sleep(Duration::from_micros(50));
    }
}

/// Starting a thread takes about ten microseconds of processor time.
const STARTED_NS: u64 = 1_000_000;

/// The time limit for watching threads that do not get to run.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A thread of a process, from `/proc/pid/task/tid`: fields 3 and 39 of `stat` (proc(5)) and the first of `schedstat`,
/// in nanoseconds (Documentation/scheduler/sched-stats.rst), which kernels without `CONFIG_SCHED_INFO` do not have.
struct Task {
    id: Pid,
    state: char,
    ran: Option<u64>,
    last_cpu: u32,
}

impl Task {
    /// Whether it may still be in a call that began at this run time. That call does not sleep interruptibly.
    fn may_be_starting_another(&self, ran_then: Option<u64>) -> bool {
        let has_run = self.ran.zip(ran_then).is_some_and(|(ran, then)| ran.saturating_sub(then) > STARTED_NS);
        matches!(self.state, 'R' | 'D') && !has_run
    }
}

fn tasks(pid: u32) -> Vec<Task> {
    const AFTER_NAME: usize = 3;
    let tree = Tree::system();
    let tasks = format!("/proc/{pid}/task");
    let task = |id: String| {
        let ran = tree.text(&format!("{tasks}/{id}/schedstat"));
        let text = tree.text(&format!("{tasks}/{id}/stat"))?;
        let mut fields = tree::after_name(&text)?;
        Some(Task {
            id: Pid::from_raw(id.parse().ok()?)?,
            state: fields.next()?.chars().next()?,
            ran: ran.and_then(|text| text.split_whitespace().next()?.parse().ok()),
            last_cpu: fields.nth(39 - AFTER_NAME - 1)?.parse().ok()?,
        })
    };
    tree.names(&tasks).into_iter().filter_map(task).collect()
}

pub(super) fn threads(pid: u32) -> Vec<Thread> {
    let thread = |task: Task| Thread {
        id: task.id.as_raw_nonzero().get().unsigned_abs().into(),
        ran: task.ran,
        last_cpu: task.last_cpu,
    };
    tasks(pid).into_iter().map(thread).collect()
}

fn only(cpu: u32) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    set
}

#[inline]
pub(super) fn current() -> Option<u32> {
    u32::try_from(sched_getcpu()).ok()
}

pub(super) fn core_of(cpu: u32) -> Option<(u32, u32)> {
    let read = |name: &str| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/{name}");
        fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    Some((read("physical_package_id")?, read("core_id")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_that_slept_or_ran_is_not_starting_another() {
        let task = |state, ran| Task { id: Pid::INIT, state, ran, last_cpu: 0 };
        let then = Some(5_000_000);
        assert!(task('R', Some(5_900_000)).may_be_starting_another(then), "it has hardly run");
        assert!(task('D', then).may_be_starting_another(then), "it waits for memory");
        assert!(task('R', None).may_be_starting_another(None), "its run time is unknown");
        assert!(!task('S', then).may_be_starting_another(then));
        assert!(!task('R', Some(6_100_000)).may_be_starting_another(then));
    }
}
