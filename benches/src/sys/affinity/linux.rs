//! Linux: `sched_setaffinity(2)`, `getcpu(2)` through the vDSO, topology from sysfs.

use crate::sys::Unsupported;
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
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    sched_setaffinity(None, &set)
        .map_err(|error| Unsupported::because(format!("pinning to cpu {cpu} failed: {error}")))
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
