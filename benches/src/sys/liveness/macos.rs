//! macOS: `proc_pidinfo` with `PROC_PIDTBSDINFO` (`libproc.h`, `sys/proc_info.h`).

use std::ffi::c_int;
use std::mem::MaybeUninit;

// sys/proc_info.h: the kernel refuses a shorter structure.
const _: () = assert!(size_of::<libc::proc_bsdinfo>() == 136);

/// When the process with this number started, in microseconds of the real-time clock; none if it has ended.
#[expect(unsafe_code, reason = "proc_pidinfo")]
pub(super) fn started(id: u32) -> Option<u32> {
    const SIZE: c_int = 136;
    // Not to look for zombies.
    const ARGUMENT: u64 = 0;
    let id = c_int::try_from(id).ok()?;
    let mut process = MaybeUninit::<libc::proc_bsdinfo>::uninit();
    // SAFETY: the buffer is as large as is said.
    let written = unsafe {
        libc::proc_pidinfo(id, libc::PROC_PIDTBSDINFO, ARGUMENT, process.as_mut_ptr().cast(), SIZE)
    };
    if written != SIZE {
        return None;
    }
    // SAFETY: the call has filled all of it.
    let process = unsafe { process.assume_init() };
    if process.pbi_status == libc::SZOMB {
        return None;
    }
    let started = process.pbi_start_tvsec.wrapping_mul(1_000_000).wrapping_add(process.pbi_start_tvusec);
    u32::try_from(started & u64::from(u32::MAX)).ok()
}
