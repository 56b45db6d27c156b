//! The receiving side.

use super::parts::{OPENED, Stage, State};
use super::sleeper::{SideKind, Sleeper};
use super::wait::{Waiter, bits, seats_of};
use super::{Closed, NoSeat, Ring, Waiting, WakeRule};
use crate::loom_shim::{Ordering, fence};
use std::sync::Arc;

/// A seat among the receivers.
pub struct Receiver {
    ring: Ring,
    seat: usize,
    next: u64,
    /// Whether the last returned message is still in use.
    held: bool,
    /// Messages between checks for sleeping senders. A sender that sleeps because the ring is full has this many
    /// messages before it is empty, so checking after each is unnecessary.
    between_looks: u64,
    sleeper: Option<Arc<Sleeper>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Message,
    Void,
}

impl Receiver {
    /// Joins: it receives all messages sent from now on.
    ///
    /// # Errors
    /// If no seat is free.
    pub fn join(ring: Ring) -> Result<Self, NoSeat> {
        let header = ring.header();
        let seat = ring.take_seat(&header.receivers)?;
        let reading = &header.receivers.seats[seat].reading;
        reading.store(header.tail.load(Ordering::Acquire) + 1, Ordering::Release);
        ring.mark_present(&header.receivers, seat);
        // A sender that has not seen this receiver has published its position, which is visible here.
        fence(Ordering::SeqCst);
        let next = header.tail.load(Ordering::Acquire);
        reading.store(next + 1, Ordering::Release);
        // Only after the start position is fixed: every later message must be received.
        ring.open(&header.receivers);
        let between_looks = (ring.slots() / 2).max(1);
        let sleeper = ring.sleeper(SideKind::Receivers, seat)?;
        Ok(Self { ring, seat, next, held: false, between_looks, sleeper })
    }

    /// Waits for the next message and returns it where it is, valid until the next call.
    ///
    /// # Errors
    /// If all senders have left and all their messages have been received.
    #[inline]
    pub fn receive(&mut self) -> Result<&[u8], Closed> {
        self.release();
        loop {
            let found = match self.look() {
                Some(found) => found?,
                None => self.wait()?,
            };
            self.held = found == Found::Message;
            if self.held {
                break;
            }
            self.pass();
        }
        Ok(self.ring.memory.message(self.next))
    }

    /// Releases the last received message.
    #[inline]
    pub fn release(&mut self) {
        if std::mem::take(&mut self.held) {
            let memory = &self.ring.memory;
            memory.slot(memory.buffer(self.next)).access.read();
            self.pass();
        }
    }

    /// Whether no message is available at this moment.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.look().is_none()
    }

    #[inline]
    fn pass(&mut self) {
        self.next += 1;
        let header = self.ring.header();
        header.receivers.seats[self.seat].reading.store(self.next + 1, Ordering::Release);
        let settings = &self.ring.settings;
        if settings.waiting != Waiting::Spin
            && (settings.wake_rule == WakeRule::Always || self.next.is_multiple_of(self.between_looks))
        {
            fence(Ordering::SeqCst);
            self.wake_senders_for_room();
        }
    }

    /// Wakes sleeping senders if they have room, that is, if no other receiver is further behind. If several receivers
    /// get here at the same time, the fence before lets the last one see all the others.
    #[cold]
    fn wake_senders_for_room(&self) {
        let header = self.ring.header();
        let present = seats_of(header.receivers.present.load(Ordering::Acquire));
        let is_behind = |seat: usize| {
            let reading = header.receivers.seats[seat].reading.load(Ordering::Acquire);
            reading != 0 && reading <= self.next
        };
        if self.ring.settings.wake_rule == WakeRule::Always || !bits(present).any(is_behind) {
            self.ring.wake_sleepers(&header.senders);
        }
    }

    #[inline]
    fn look(&self) -> Option<Result<Found, Closed>> {
        self.ring.check_slot(self.next).map(Ok).or_else(|| {
            let all_left = self.ring.header().senders.present.load(Ordering::Acquire) == OPENED;
            // All that they sent before they left is visible by now.
            all_left.then(|| self.ring.check_slot(self.next).ok_or(Closed))
        })
    }

    #[cold]
    fn wait(&self) -> Result<Found, Closed> {
        let header = self.ring.header();
        let waiter = Waiter {
            ring: &self.ring,
            side: &header.receivers,
            seat: self.seat,
            wake_others: &|| self.wake_senders_for_room(),
            pass_on: &|| self.ring.pass_on(),
            sleeper: self.sleeper.as_deref(),
        };
        waiter.until(|| self.look(), || self.ring.clear_dead())
    }
}

impl Ring {
    /// Returns what a receiver finds at this position, `None` if it has to wait.
    #[inline]
    pub(super) fn check_slot(&self, position: u64) -> Option<Found> {
        let state = State(self.memory.slot(position).state.load(Ordering::Acquire));
        match state.stage() {
            _ if state.position() != Some(position) => None,
            Some(Stage::Ready) => Some(Found::Message),
            Some(Stage::Void) => Some(Found::Void),
            Some(Stage::Claimed) | None => None,
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.ring.clear(&self.ring.header().receivers, self.seat);
    }
}
