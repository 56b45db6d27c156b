//! FreeBSD: `_umtx_op(2)` with the operations for memory that processes share.

use super::{ASLEEP, Mechanism, Spot};
use std::io;
use std::ptr;
use std::time::Duration;

pub(super) struct Umtx;

// sys/umtx.h: these two, unlike their `_PRIVATE` relatives (15, 16), look at the memory behind the address.
const _: () = assert!(libc::UMTX_OP_WAIT_UINT == 11 && libc::UMTX_OP_WAKE == 3);
// sys/_umtx.h: the kernel takes anything as short as a timespec for one.
const _: () = assert!(size_of::<libc::_umtx_time>() == size_of::<libc::timespec>() + 8);

impl Mechanism for Umtx {
    fn slug(&self) -> &'static str {
        "umtx"
    }

    #[inline]
    #[expect(unsafe_code, reason = "_umtx_op(2)")]
    fn sleep(&self, spot: &Spot, patience: Option<Duration>) -> bool {
        let word = spot.word.as_ptr().cast();
        let Some(patience) = patience else {
            let none = ptr::null_mut();
            // SAFETY: the word is alive for the call, which only reads it.
            let _ = unsafe { libc::_umtx_op(word, libc::UMTX_OP_WAIT_UINT, ASLEEP.into(), none, none) };
            return false;
        };
        let mut time = libc::_umtx_time {
            _timeout: libc::timespec {
                tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
                tv_nsec: libc::c_long::from(patience.subsec_nanos().cast_signed()),
            },
            // Without UMTX_ABSTIME: from now on.
            _flags: 0,
            _clockid: libc::CLOCK_MONOTONIC.cast_unsigned(),
        };
        // The first address is not one: it says how large the structure behind the second is.
        let size = ptr::without_provenance_mut(size_of::<libc::_umtx_time>());
        let time = (&raw mut time).cast();
        // SAFETY: the word and the structure are alive for the call, which only reads them.
        let result = unsafe { libc::_umtx_op(word, libc::UMTX_OP_WAIT_UINT, ASLEEP.into(), size, time) };
        // EINTR means: look again, which who calls does. That the word has changed is no error.
        result != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT)
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
