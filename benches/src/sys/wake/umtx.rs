//! FreeBSD: `_umtx_op(2)` with the operations for memory shared by processes.

use super::{ASLEEP, Mechanism, Spot};
use std::ptr;

pub(super) struct Umtx;

// sys/umtx.h: unlike their `_PRIVATE` variants (15, 16), these two use the memory behind the address.
const _: () = assert!(libc::UMTX_OP_WAIT_UINT == 11 && libc::UMTX_OP_WAKE == 3);

impl Mechanism for Umtx {
    fn slug(&self) -> &'static str {
        "umtx"
    }

    #[inline]
    #[expect(unsafe_code, reason = "_umtx_op(2)")]
    fn sleep(&self, spot: &Spot) {
        let (word, none) = (spot.word.as_ptr().cast(), ptr::null_mut());
        // SAFETY: the word is alive for the call, which only reads it.
        // After EINTR, the caller checks again. A changed word is not an error.
        let _ = unsafe { libc::_umtx_op(word, libc::UMTX_OP_WAIT_UINT, ASLEEP.into(), none, none) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "_umtx_op(2)")]
    fn wake(&self, spot: &Spot) {
        let word = spot.word.as_ptr().cast();
        // SAFETY: the word is alive for the call, which only takes its address.
        // Waking one sleeper in a mapping of this process cannot fail.
        let _ = unsafe { libc::_umtx_op(word, libc::UMTX_OP_WAKE, 1, ptr::null_mut(), ptr::null_mut()) };
    }
}
