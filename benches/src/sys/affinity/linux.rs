//! Linux: `sched_setaffinity(2)`, `getcpu(2)` through the vDSO, topology from sysfs.

use super::Thread;
use crate::sys::Unsupported;
use crate::sys::tree::Tree;
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::fs;

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

pub(super) fn pin_process(pid: u32, cpu: u32) -> Result<(), Unsupported> {
    let refused = |error: &dyn std::fmt::Display| {
        Unsupported::because(format!("pinning process {pid} to cpu {cpu} failed: {error}"))
    };
    // A thread that is started meanwhile is in the list the next time, or has its place from one that was pinned.
    let mut pinned = Vec::new();
    loop {
        let threads = Tree::system().names(&format!("/proc/{pid}/task"));
        let Some(thread) = threads.iter().find(|thread| !pinned.contains(*thread)) else { break };
        let id = thread.parse().ok().and_then(Pid::from_raw).ok_or_else(|| refused(&"no number"))?;
        match sched_setaffinity(Some(id), &only(cpu)) {
            // A thread that has ended needs no place.
            Ok(()) | Err(Errno::SRCH) => pinned.push(thread.clone()),
            Err(error) => return Err(refused(&error)),
        }
    }
    if pinned.is_empty() { Err(refused(&"there is no such process")) } else { Ok(()) }
}

/// Of `/proc/pid/task/tid`, field 39 of `stat` (proc(5)) and the first of `schedstat`, in nanoseconds
/// (Documentation/scheduler/sched-stats.rst), which kernels without `CONFIG_SCHED_INFO` do not have.
pub(super) fn threads(pid: u32) -> Vec<Thread> {
    const AFTER_NAME: usize = 39 - 3;
    let tree = Tree::system();
    let tasks = format!("/proc/{pid}/task");
    let thread = |id: String| {
        let ran = tree.text(&format!("{tasks}/{id}/schedstat"));
        let text = tree.text(&format!("{tasks}/{id}/stat"))?;
        // The name stands in parentheses, and may hold any.
        let last_cpu = text.rsplit_once(')')?.1.split_whitespace().nth(AFTER_NAME)?.parse().ok()?;
        let ran = ran.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Some(Thread { id: id.parse().ok()?, ran, last_cpu })
    };
    tree.names(&tasks).into_iter().filter_map(thread).collect()
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

/// Package and core of a processor.
pub(super) fn core_of(cpu: u32) -> Option<(u32, u32)> {
    let read = |name: &str| {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/{name}");
        fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    Some((read("physical_package_id")?, read("core_id")?))
}
