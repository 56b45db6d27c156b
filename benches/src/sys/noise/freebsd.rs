//! FreeBSD: `kern.cp_times`, a sampled count of states per processor. It does not report steal.

use super::cp_times;
use crate::sys::sysctl;
use std::collections::BTreeMap;

// sys/resource.h
const _: () = assert!(cp_times::STATES == libc::CPUSTATES as usize);
const _: () = assert!(cp_times::INTERRUPT == libc::CP_INTR as usize);

pub(super) fn counters(cpus: Option<&[u32]>) -> BTreeMap<&'static str, u64> {
    // Includes interrupt threads and soft interrupts.
    let irq_ns = || {
        let tick_ns = 1_000_000_000 / cp_times::ticks_per_second(&sysctl::bytes("kern.clockrate")?)?;
        Some(cp_times::interrupt_ticks(&sysctl::bytes("kern.cp_times")?, cpus)? * tick_ns)
    };
    irq_ns().map(|ns| ("irq_ns", ns)).into_iter().collect()
}

pub(super) fn processors() -> u64 {
    sysctl::number("hw.ncpu").unwrap_or(1).max(1)
}
