//! FreeBSD: `getrusage(RUSAGE_THREAD)`, and `thr_self(2)`, whose number dtrace(1) calls `tid`.

pub(super) use super::rusage::of_this_thread;

#[expect(unsafe_code, reason = "thr_self(2)")]
pub(super) fn thread_id() -> Option<u32> {
    let mut id = 0;
    // SAFETY: the call writes one number.
    if unsafe { libc::thr_self(&raw mut id) } != 0 {
        return None;
    }
    u32::try_from(id).ok()
}
