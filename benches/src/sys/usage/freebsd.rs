//! FreeBSD: `getrusage(RUSAGE_THREAD)`, and `thr_self(2)`, whose number dtrace(1) calls `tid`; of other processes what
//! the kernel keeps of them.

use super::{Usage, rusage};
use crate::sys::kinfo;

pub(super) use super::rusage::of_this_thread;

pub(super) fn of_process(pid: u32) -> Usage {
    kinfo::process(pid).map(|process| rusage::from(&process.ki_rusage)).unwrap_or_default()
}

#[expect(unsafe_code, reason = "thr_self(2)")]
pub(super) fn thread_id() -> Option<u32> {
    let mut id = 0;
    // SAFETY: the call writes one number.
    if unsafe { libc::thr_self(&raw mut id) } != 0 {
        return None;
    }
    u32::try_from(id).ok()
}
