//! Linux and FreeBSD: `getrusage(RUSAGE_THREAD)` (getrusage(2)).

use super::Usage;

/// All but the migrations, of which it does not tell.
#[expect(unsafe_code, reason = "getrusage fills a plain structure")]
pub(super) fn of_this_thread() -> Usage {
    // SAFETY: rusage is plain numbers, for which all zeroes is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live structure of the right type.
    if unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0 {
        return Usage::default();
    }
    from(&usage)
}

pub(super) fn from(usage: &libc::rusage) -> Usage {
    let nanoseconds = |time: libc::timeval| {
        Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_usec).ok()? * 1_000)
    };
    Usage {
        migrations: None,
        voluntary_switches: u64::try_from(usage.ru_nvcsw).ok(),
        involuntary_switches: u64::try_from(usage.ru_nivcsw).ok(),
        user_ns: nanoseconds(usage.ru_utime),
        system_ns: nanoseconds(usage.ru_stime),
        minor_faults: u64::try_from(usage.ru_minflt).ok(),
    }
}
