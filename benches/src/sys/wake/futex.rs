//! Linux: futex(2), without `FUTEX_PRIVATE_FLAG` because the word is shared between processes.

use super::{ASLEEP, Mechanism, Spot};
use rustix::io::Errno;
use rustix::thread::futex;
use rustix::time::Timespec;
use std::time::Duration;

pub(super) struct Futex;

impl Mechanism for Futex {
    fn slug(&self) -> &'static str {
        "futex"
    }

    #[inline]
    fn sleep(&self, spot: &Spot, patience: Option<Duration>) -> bool {
        // A patience is far below what a time can hold.
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        // EAGAIN (the word has changed) and EINTR both mean: look again, which who calls does.
        futex::wait(&spot.word, futex::Flags::empty(), ASLEEP, patience.as_ref()) == Err(Errno::TIMEDOUT)
    }

    #[inline]
    fn wake(&self, spot: &Spot) {
        super::wake_one(&spot.word);
    }
}
