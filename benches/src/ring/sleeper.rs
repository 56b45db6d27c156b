//! A sleeping member of this process, watched by another thread.
//!
//! A sleeper cannot detect that all members it waits for have died, or that one died before waking it. A timer for each
//! sleep would, but it costs a round trip 8 to 13 % (measured; a futex timeout starts and cancels a timer each time).
//! So sleeps have no timeout, and the watchdog periodically checks which members have slept since its last check.

use super::{NoSeat, Ring, Side, Waiting};
use crate::watchdog;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) struct Sleeper {
    ring: Ring,
    kind: SideKind,
    seat: usize,
    /// The number of times it has fallen asleep and woken up: odd while it sleeps. The ring's memory differs: there, a
    /// member is awake if its waker died in the meantime.
    turns: AtomicU32,
    /// The value at the last check.
    turns_seen: AtomicU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SideKind {
    Senders,
    Receivers,
}

impl SideKind {
    fn side(self, ring: &Ring) -> &Side {
        match self {
            Self::Senders => &ring.header().senders,
            Self::Receivers => &ring.header().receivers,
        }
    }
}

impl Sleeper {
    #[inline]
    pub(super) fn before_sleep(&self) {
        self.turn();
    }

    #[inline]
    pub(super) fn after_sleep(&self) {
        self.turn();
    }

    #[inline]
    fn turn(&self) {
        // Only its member writes it.
        self.turns.store(self.turns.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl watchdog::Watched for Sleeper {
    fn look(&self) {
        let turns = self.turns.load(Ordering::Relaxed);
        let sleeps = turns % 2 == 1;
        if self.turns_seen.swap(turns, Ordering::Relaxed) == turns && sleeps {
            self.ring.clear_dead();
            self.ring.wake_seat(self.kind.side(&self.ring), self.seat);
        }
    }
}

impl Ring {
    /// Registers a member with the watchdog, if it can sleep.
    pub(super) fn sleeper(&self, kind: SideKind, seat: usize) -> Result<Option<Arc<Sleeper>>, NoSeat> {
        if self.settings.waiting == Waiting::Spin || self.settings.mechanism.is_none() {
            return Ok(None);
        }
        let [turns, turns_seen] = [0, 0].map(AtomicU32::new);
        let sleeper = Arc::new(Sleeper { ring: self.clone(), kind, seat, turns, turns_seen });
        if watchdog::watch(&sleeper).is_ok() {
            return Ok(Some(sleeper));
        }
        self.clear(kind.side(self), seat);
        Err(NoSeat::NoWatchdog)
    }
}
