//! FreeBSD: `kinfo_proc` of `sys/user.h`.

use crate::sys::kinfo::{boot, process};

/// When the process with this number started, in microseconds since boot; none if it has ended.
pub(super) fn started(id: u32) -> Option<u32> {
    // The system adds when it was booted, which moves whenever somebody sets the clock.
    let mut booted = microseconds(boot()?);
    loop {
        let process = process(id)?;
        if process.ki_stat == libc::SZOMB {
            return None;
        }
        let before = std::mem::replace(&mut booted, microseconds(boot()?));
        if booted == before {
            let started = microseconds(process.ki_start).wrapping_sub(booted).cast_unsigned();
            return u32::try_from(started & u64::from(u32::MAX)).ok();
        }
    }
}

fn microseconds(time: libc::timeval) -> i64 {
    time.tv_sec.wrapping_mul(1_000_000).wrapping_add(time.tv_usec)
}
