//! FreeBSD: `_umtx_op(2)` with the operations for memory that processes share.

use super::{ASLEEP, Mechanism, Spot};
use std::ptr;

pub(super) struct Umtx;

// sys/umtx.h: these two, unlike their `_PRIVATE` relatives (15, 16), look at the memory behind the address.
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
        // EINTR means: look again, which who calls does. That the word has changed is no error.
        let _ = unsafe { libc::_umtx_op(word, libc::UMTX_OP_WAIT_UINT, ASLEEP.into(), none, none) };
    }

    #[inline]
    #[expect(unsafe_code, reason = "_umtx_op(2)")]
    fn wake(&self, spot: &Spot) {
        let word = spot.word.as_ptr().cast();
        // SAFETY: the word is alive for the call, which only takes its address.
        // Waking one sleeper in our own mapping cannot fail.
        let _ = unsafe { libc::_umtx_op(word, libc::UMTX_OP_WAKE, 1, ptr::null_mut(), ptr::null_mut()) };
    }
}
