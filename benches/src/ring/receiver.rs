//! The receiving side.

use super::parts::{OPENED, Stage, State};
use super::sleeper::{Sleeper, Which};
use super::wait::{Waiter, bits, seats_of};
use super::{Closed, NoSeat, Ring, Waiting, WakeRule};
use crate::loom_shim::{Ordering, fence};
use std::sync::Arc;

/// A seat among the receivers.
pub struct Receiver {
    ring: Ring,
    seat: usize,
    next: u64,
    /// Whether the message there has been handed out and is still looked at.
    held: bool,
    /// Senders that sleep are told of room whenever so many messages have been taken, so that they need not be looked
    /// for after each: who sleeps because the ring is full has that many before it is empty.
    between_looks: u64,
    sleeper: Option<Arc<Sleeper>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Message,
    Void,
}

impl Receiver {
    /// Sits down: it receives what is sent from now on.
    ///
    /// # Errors
    /// When no seat is free.
    pub fn join(ring: Ring) -> Result<Self, NoSeat> {
        let header = ring.header();
        let seat = ring.sit(&header.receivers)?;
        let reading = &header.receivers.seats[seat].reading;
        reading.store(header.tail.load(Ordering::Acquire) + 1, Ordering::Release);
        ring.appear(&header.receivers, seat);
        // Against a sender that has not seen us: then we see how far it was.
        fence(Ordering::SeqCst);
        let next = header.tail.load(Ordering::Acquire);
        reading.store(next + 1, Ordering::Release);
        // Not before it is decided where we begin: what is sent from now on is ours.
        ring.open(&header.receivers);
        let between_looks = (ring.slots() / 2).max(1);
        let sleeper = ring.sleeper(Which::Receivers, seat)?;
        Ok(Self { ring, seat, next, held: false, between_looks, sleeper })
    }

    /// The next message, waiting for it: where it is, until the next call.
    ///
    /// # Errors
    /// When all senders have left and everything they sent has been received.
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
        let length = self.ring.memory.slot(self.next).length.load(Ordering::Relaxed);
        Ok(self.ring.memory.message(self.next, length))
    }

    /// Says that the message received last is no longer looked at.
    #[inline]
    pub fn release(&mut self) {
        if std::mem::take(&mut self.held) {
            self.ring.memory.slot(self.next).witness.read();
            self.pass();
        }
    }

    /// Whether nothing is there to be received at this moment.
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
            self.tell_of_room();
        }
    }

    /// Wakes senders that sleep, if there is room for them because no other receiver is further behind. Of several that
    /// get here at the same time, the fence before lets the last see all the others.
    #[cold]
    fn tell_of_room(&self) {
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
        self.look_at_slot().map(Ok).or_else(|| {
            let all_left = self.ring.header().senders.present.load(Ordering::Acquire) == OPENED;
            // What they sent before they left is there by now.
            all_left.then(|| self.look_at_slot().ok_or(Closed))
        })
    }

    #[inline]
    fn look_at_slot(&self) -> Option<Found> {
        let state = State(self.ring.memory.slot(self.next).state.load(Ordering::Acquire));
        match state.stage() {
            _ if state.position() != Some(self.next) => None,
            Some(Stage::Ready) => Some(Found::Message),
            Some(Stage::Void) => Some(Found::Void),
            Some(Stage::Claimed) | None => None,
        }
    }

    #[cold]
    fn wait(&self) -> Result<Found, Closed> {
        let header = self.ring.header();
        let waiter = Waiter {
            ring: &self.ring,
            side: &header.receivers,
            seat: self.seat,
            tell: &|| self.tell_of_room(),
            sleeper: self.sleeper.as_deref(),
        };
        waiter.until(|| self.look(), || self.ring.clear_dead())
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.ring.clear(&self.ring.header().receivers, self.seat);
    }
}
