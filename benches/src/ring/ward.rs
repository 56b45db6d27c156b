//! A member of this process that sleeps, and is looked after meanwhile.
//!
//! Who sleeps cannot see that those it waits for have died, or that one died which was about to wake it. A timer on each
//! sleep would, but it costs a round trip 8 to 13 % (measured; a futex's time-out is a timer that is started and
//! cancelled each time). So sleeps have no end, and the warden asks now and then who has slept ever since its last look.

use super::{NoSeat, Ring, Side, Waiting};
use crate::warden;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is known of a member.
pub(super) struct Ward {
    ring: Ring,
    which: Which,
    seat: usize,
    /// How often it has fallen asleep.
    naps: AtomicU32,
    /// The same at the last look.
    naps_seen: AtomicU32,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Senders,
    Receivers,
}

impl Which {
    fn of(self, ring: &Ring) -> &Side {
        match self {
            Self::Senders => &ring.header().senders,
            Self::Receivers => &ring.header().receivers,
        }
    }
}

impl Ward {
    /// Before each sleep.
    #[inline]
    pub(super) fn nap(&self) {
        // Only its member counts.
        self.naps.store(self.naps.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl warden::Ward for Ward {
    fn look(&self) {
        let naps = self.naps.load(Ordering::Relaxed);
        let has_slept_since = self.naps_seen.swap(naps, Ordering::Relaxed) == naps;
        let side = self.which.of(&self.ring);
        if has_slept_since && self.ring.sleeps(side, self.seat) {
            self.ring.clear_dead();
            self.ring.wake_seat(side, self.seat);
        }
    }
}

impl Ring {
    /// Has a member looked after, if it ever sleeps.
    pub(super) fn ward(&self, which: Which, seat: usize) -> Result<Option<Arc<Ward>>, NoSeat> {
        if self.settings.waiting == Waiting::Spin || self.settings.mechanism.is_none() {
            return Ok(None);
        }
        let (ring, naps) = (self.clone(), AtomicU32::new(0));
        let ward = Arc::new(Ward { ring, which, seat, naps, naps_seen: AtomicU32::new(0) });
        if warden::take(&ward).is_ok() {
            return Ok(Some(ward));
        }
        self.clear(which.of(self), seat);
        Err(NoSeat::NoWarden)
    }
}
