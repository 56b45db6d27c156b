//! A member of this process that sleeps, and is looked after meanwhile.
//!
//! Who sleeps cannot see that those it waits for have died, or that one died which was about to wake it. A timer on each
//! sleep would, but it costs a round trip 8 to 13 % (measured; a futex's time-out is a timer that is started and
//! cancelled each time). So sleeps have no end, and the watchdog asks now and then who has slept ever since its last look.

use super::{NoSeat, Ring, Side, Waiting};
use crate::watchdog;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) struct Sleeper {
    ring: Ring,
    which: Which,
    seat: usize,
    /// How often it has fallen asleep and woken up, in all: odd while it sleeps. Not what the ring's memory says of it: who
    /// was to be woken by a member that died meanwhile is awake there.
    turns: AtomicU32,
    /// The same at the last look.
    turns_seen: AtomicU32,
}

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

impl Sleeper {
    #[inline]
    pub(super) fn falls_asleep(&self) {
        self.turn();
    }

    #[inline]
    pub(super) fn wakes_up(&self) {
        self.turn();
    }

    #[inline]
    fn turn(&self) {
        // Only its member counts.
        self.turns.store(self.turns.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl watchdog::Watched for Sleeper {
    fn look(&self) {
        let turns = self.turns.load(Ordering::Relaxed);
        let sleeps = turns % 2 == 1;
        if self.turns_seen.swap(turns, Ordering::Relaxed) == turns && sleeps {
            self.ring.clear_dead();
            self.ring.wake_seat(self.which.of(&self.ring), self.seat);
        }
    }
}

impl Ring {
    /// Has a member looked after, if it ever sleeps.
    pub(super) fn sleeper(&self, which: Which, seat: usize) -> Result<Option<Arc<Sleeper>>, NoSeat> {
        if self.settings.waiting == Waiting::Spin || self.settings.mechanism.is_none() {
            return Ok(None);
        }
        let [turns, turns_seen] = [0, 0].map(AtomicU32::new);
        let sleeper = Arc::new(Sleeper { ring: self.clone(), which, seat, turns, turns_seen });
        if watchdog::watch(&sleeper).is_ok() {
            return Ok(Some(sleeper));
        }
        self.clear(which.of(self), seat);
        Err(NoSeat::NoWatchdog)
    }
}
