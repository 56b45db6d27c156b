//! FreeBSD: `cpuset_getaffinity(2)` and `cpuset_setaffinity(2)` for the calling thread, `sched_getcpu(3)`, and the
//! scheduler's groups of processors.

use super::Thread;
use super::groups::Topology;
use crate::sys::{Unsupported, kinfo};
use std::io;

/// One bit per processor, the lowest first (`sys/bitset.h`): as many as a kernel can have since FreeBSD 14 (`MAXCPU`).
/// Before FreeBSD 13.2, the kernel rejects sets that are longer than its own.
type Set = [u64; 1024 / 64];

const _: () = assert!(size_of::<Set>() >= size_of::<libc::cpuset_t>());
const THIS_THREAD: libc::id_t = -1;

#[expect(unsafe_code, reason = "cpuset_getaffinity(2)")]
pub(super) fn allowed() -> Result<Vec<u32>, Unsupported> {
    let mut set = Set::default();
    let (level, which, bytes) = (libc::CPU_LEVEL_WHICH, libc::CPU_WHICH_TID, size_of::<Set>());
    // SAFETY: the set has the given length.
    if unsafe { libc::cpuset_getaffinity(level, which, THIS_THREAD, bytes, set.as_mut_ptr().cast()) } != 0 {
        let error = io::Error::last_os_error();
        return Err(Unsupported::because(format!("cpuset_getaffinity failed: {error}")));
    }
    Ok((0..).zip(bits(&set)).filter_map(|(cpu, is_set)| is_set.then_some(cpu)).collect())
}

pub(super) fn pin(cpu: u32) -> Result<(), Unsupported> {
    set(libc::CPU_WHICH_TID, THIS_THREAD, cpu)
        .map_err(|error| Unsupported::because(format!("pinning to cpu {cpu} failed: {error}")))
}

pub(super) fn pin_process(pid: u32, cpu: u32) -> Result<(), Unsupported> {
    set(libc::CPU_WHICH_PID, libc::id_t::from(pid), cpu)
        .map_err(|error| Unsupported::because(format!("pinning process {pid} to cpu {cpu} failed: {error}")))
}

/// `ki_runtime` is in microseconds (sys/user.h).
pub(super) fn threads(pid: u32) -> Vec<Thread> {
    let process = kinfo::process(pid);
    let all = process.and_then(|process| {
        let last_cpu = u32::try_from(process.ki_lastcpu).ok()?;
        Some(Thread { id: u64::from(pid), ran: Some(process.ki_runtime), last_cpu })
    });
    all.into_iter().collect()
}

#[expect(unsafe_code, reason = "cpuset_setaffinity(2)")]
fn set(which: libc::cpuwhich_t, id: libc::id_t, cpu: u32) -> io::Result<()> {
    let mut set = Set::default();
    let word =
        set.get_mut(cpu as usize / 64).ok_or_else(|| io::Error::other("expected a number below 1024"))?;
    *word = 1 << (cpu % 64);
    let bytes = size_of::<Set>();
    // SAFETY: the set has the given length, and is only read.
    match unsafe { libc::cpuset_setaffinity(libc::CPU_LEVEL_WHICH, which, id, bytes, set.as_ptr().cast()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[inline]
#[expect(unsafe_code, reason = "sched_getcpu(3)")]
pub(super) fn current() -> Option<u32> {
    // SAFETY: takes no argument.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Package and core of a processor. The groups describe caches and NUMA nodes, not packages, so all are in one here:
/// two processors are never reported as being in different packages.
pub(super) fn core_of(cpu: u32) -> Option<(u32, u32)> {
    Some((0, Topology::for_this_machine()?.core_of(cpu)?))
}

fn bits(set: &Set) -> impl Iterator<Item = bool> {
    set.iter().flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1))
}
