//! Windows: times of each processor (`NtQuerySystemInformation`, `SystemProcessorPerformanceInformation` in
//! `winternl.h`), which grow by whole ticks of the clock, 15.6 ms on most machines. The times of interrupts are in its
//! reserved fields, so they are not read.
//!
//! The call covers the processors of the calling thread's group; machines with up to 64 processors have one group. With
//! more, busy times are not available.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use windows_sys::Wdk::System::SystemInformation::{
    NtQuerySystemInformation, SystemProcessorPerformanceInformation,
};
use windows_sys::Win32::System::Threading::{ALL_PROCESSOR_GROUPS, GetActiveProcessorCount};
use windows_sys::Win32::System::WindowsProgramming::SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

/// The most processors in a group.
const PROCESSORS_MAX: usize = 64;

type Times = SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

pub(super) fn counters(cpus: Option<&[u32]>) -> BTreeMap<&'static str, u64> {
    busy_ns(&times(), cpus).map(|ns| ("busy_ns", ns)).into_iter().collect()
}

#[expect(unsafe_code, reason = "GetActiveProcessorCount")]
pub(super) fn processors() -> u64 {
    // SAFETY: takes a number, and cannot fail.
    let count = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
    u64::from(count.max(1))
}

/// Ordered by processor; empty if not available, or if the system has several groups.
#[expect(unsafe_code, reason = "NtQuerySystemInformation")]
fn times() -> Vec<Times> {
    #[expect(clippy::cast_possible_truncation, reason = "the size of an array of structures")]
    const BYTES: u32 = (PROCESSORS_MAX * size_of::<Times>()) as u32;
    let mut times = [const { MaybeUninit::<Times>::uninit() }; PROCESSORS_MAX];
    let mut written = 0;
    // SAFETY: the buffer has the given length.
    let status = unsafe {
        NtQuerySystemInformation(
            SystemProcessorPerformanceInformation,
            times.as_mut_ptr().cast(),
            BYTES,
            &raw mut written,
        )
    };
    if status < 0 || processors() > PROCESSORS_MAX as u64 {
        return Vec::new();
    }
    let filled = times.iter().take(written as usize / size_of::<Times>());
    // SAFETY: the call has filled these.
    filled.map(|times| unsafe { times.assume_init() }).collect()
}

/// The sum over the given processors, or over all.
fn busy_ns(times: &[Times], cpus: Option<&[u32]>) -> Option<u64> {
    // In units of 100 ns; kernel time includes idle time.
    let of_one = |times: &Times| {
        u64::try_from(times.KernelTime + times.UserTime - times.IdleTime).ok().map(|units| units * 100)
    };
    match cpus {
        None if times.is_empty() => None,
        None => times.iter().map(of_one).sum(),
        Some(cpus) => cpus.iter().map(|&cpu| of_one(times.get(cpu as usize)?)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_excludes_idle_time() {
        let of_one = |idle, kernel, user| Times {
            IdleTime: idle,
            KernelTime: kernel,
            UserTime: user,
            ..Times::default()
        };
        let times = [of_one(70, 90, 10), of_one(100, 100, 1)];
        assert_eq!(busy_ns(&times, Some(&[0])), Some(3_000));
        assert_eq!(busy_ns(&times, Some(&[0, 1])), Some(3_100));
        assert_eq!(busy_ns(&times, None), Some(3_100));
        assert_eq!((busy_ns(&times, Some(&[2])), busy_ns(&[], None)), (None, None));
    }

    #[test]
    fn reads_a_time_for_each_processor() {
        let times = times();
        assert!(!times.is_empty() && busy_ns(&times, None).is_some());
        assert_eq!(times.len() as u64, processors());
    }
}
