//! The sending side.

use super::parts::{OPENED, Stage, State};
use super::sleeper::{SideKind, Sleeper};
use super::wait::{Waiter, bits, seats_of};
use super::{Closed, NoSeat, Ring};
use crate::loom_shim::{Ordering, fence};
use std::sync::Arc;

/// A seat among the senders.
///
/// A single sender writes each long message to the lowest buffer without an unread message. If receivers keep up, that
/// is always the same one, which stays in the cache. Buffers in turn would take the whole ring through the cache: a
/// round trip with 1 MiB then takes more than twice as long.
pub struct Sender {
    ring: Ring,
    seat: usize,
    /// For a single sender: the position of its next message.
    next: u64,
    /// All receivers have passed every position before this one.
    passed: u64,
    /// Whether it reuses buffers; several senders never do.
    reuses_buffers: bool,
    sleeper: Option<Arc<Sleeper>>,
}

impl Sender {
    /// Joins the ring.
    ///
    /// # Errors
    /// If no seat is free.
    pub fn join(ring: Ring) -> Result<Self, NoSeat> {
        let header = ring.header();
        let seat = ring.take_seat(&header.senders)?;
        // A sender that died may have left `tail` one behind.
        let mut next = header.tail.load(Ordering::Acquire);
        while State(ring.memory.slot(next).state.load(Ordering::Acquire)).position() == Some(next) {
            next += 1;
        }
        let others = ring.mark_present(&header.senders, seat);
        if others && !ring.settings.many_senders {
            ring.clear(&header.senders, seat);
            return Err(NoSeat::OneSender);
        }
        ring.open(&header.senders);
        let sleeper = ring.sleeper(SideKind::Senders, seat)?;
        let reuses_buffers = ring.memory.geometry().reuses_buffers && !ring.settings.many_senders;
        Ok(Self { ring, seat, next, passed: 0, reuses_buffers, sleeper })
    }

    /// Its seat, which no other sender has at the same time.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// Waits until a first receiver is ready. Messages sent before that reach no one.
    pub fn wait_for_a_receiver(&self) {
        let (header, sleeper) = (self.ring.header(), &self.sleeper);
        let waiter = Waiter {
            ring: &self.ring,
            side: &header.senders,
            seat: self.seat,
            wake_others: &|| {},
            pass_on: &|| {},
            sleeper: sleeper.as_deref(),
        };
        waiter
            .until(|| (header.receivers.present.load(Ordering::Acquire) & OPENED != 0).then_some(()), || {});
    }

    /// Sends a message that fits a slot, waiting while the ring is full.
    ///
    /// # Errors
    /// If all receivers have left.
    #[inline]
    pub fn send(&mut self, message: &[u8]) -> Result<(), Closed> {
        let position = match self.claim()? {
            Some(position) => position,
            None => self.wait_for_room()?,
        };
        self.publish(position, message);
        Ok(())
    }

    /// Sends a message if the ring is not full; returns whether it was sent.
    ///
    /// # Errors
    /// If all receivers have left.
    #[inline]
    pub fn offer(&mut self, message: &[u8]) -> Result<bool, Closed> {
        let Some(position) = self.claim()? else { return Ok(false) };
        self.publish(position, message);
        Ok(true)
    }

    /// Waits until every receiver has released all messages sent so far. One that has left or died holds none.
    pub fn wait_until_released(&mut self) {
        let next = self.ring.header().tail.load(Ordering::Acquire);
        let is_released = |sender: &mut Self| match sender.slowest(next) {
            Ok(passed) => (passed >= next).then_some(()),
            Err(Closed) => Some(()),
        };
        if is_released(self).is_none() {
            self.wait(is_released);
        }
    }

    #[cold]
    fn wait_for_room(&mut self) -> Result<u64, Closed> {
        self.wait(|sender| sender.claim().transpose())
    }

    /// Waits for receivers.
    fn wait<T>(&mut self, mut look: impl FnMut(&mut Self) -> Option<T>) -> T {
        let (ring, sleeper) = (self.ring.clone(), self.sleeper.clone());
        let header = ring.header();
        let waiter = Waiter {
            ring: &ring,
            side: &header.senders,
            seat: self.seat,
            wake_others: &|| {},
            pass_on: &|| {},
            sleeper: sleeper.as_deref(),
        };
        waiter.until(|| look(self), || ring.clear_dead())
    }

    /// Claims the position of the next message and its slot; `None` while the ring is full.
    #[inline]
    fn claim(&mut self) -> Result<Option<u64>, Closed> {
        if self.ring.settings.many_senders {
            return self.claim_among_many();
        }
        let position = self.next;
        Ok(self.has_room(position)?.then_some(position))
    }

    fn claim_among_many(&mut self) -> Result<Option<u64>, Closed> {
        loop {
            let position = self.ring.header().tail.load(Ordering::Acquire);
            if !self.has_room(position)? {
                return Ok(None);
            }
            let slot = self.ring.memory.slot(position);
            let found = State(slot.state.load(Ordering::Acquire));
            if found.position() == position.checked_sub(self.ring.slots()) {
                if found.stage() == Some(Stage::Claimed) {
                    // From the previous lap: possible only while there are no receivers.
                    return Ok(None);
                }
                let claim = State::new(position, self.seat, Stage::Claimed);
                let claimed =
                    slot.state.compare_exchange(found.0, claim.0, Ordering::AcqRel, Ordering::Relaxed);
                if claimed.is_ok() {
                    self.move_tail_past(position);
                    return Ok(Some(position));
                }
            } else if found.position() == Some(position) {
                self.move_tail_past(position);
            }
        }
    }

    /// A sender that has lost track of the tail finds the value that another published.
    #[inline]
    fn move_tail_past(&self, position: u64) {
        let tail = &self.ring.header().tail;
        let _ = tail.compare_exchange(position, position + 1, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Whether all receivers have passed the previous message in this position's slot.
    #[inline]
    fn has_room(&mut self, position: u64) -> Result<bool, Closed> {
        let slots = self.ring.slots();
        // To reuse a buffer, the sender must know the newest positions.
        if position < self.passed + slots && !self.reuses_buffers {
            return Ok(true);
        }
        self.passed = self.slowest(position)?;
        Ok(position < self.passed + slots)
    }

    /// The buffer for the message at this position, which is this sender's.
    #[inline]
    fn buffer_for(&self, position: u64) -> u64 {
        let memory = &self.ring.memory;
        if !self.reuses_buffers {
            return memory.geometry().buffer_of(position);
        }
        // Fewer than the ring has, because this position has room.
        let unread = (self.passed..position).fold(0_u64, |used, unread| used | 1 << memory.buffer(unread));
        memory.geometry().buffer_of((!unread).trailing_zeros().into())
    }

    /// The first position that not all receivers have passed; this one if there are no receivers yet.
    #[cold]
    fn slowest(&self, position: u64) -> Result<u64, Closed> {
        // Orders this with joining receivers: either this sender sees them, or they see its position.
        fence(Ordering::SeqCst);
        let receivers = &self.ring.header().receivers;
        let present = receivers.present.load(Ordering::Acquire);
        if present == OPENED {
            return Err(Closed);
        }
        let readings =
            bits(seats_of(present)).map(|seat| receivers.seats[seat].reading.load(Ordering::Acquire));
        // A receiver that is about to join begins here or later.
        Ok(readings.filter_map(|reading| reading.checked_sub(1)).min().unwrap_or(position))
    }

    #[inline]
    fn publish(&mut self, position: u64, message: &[u8]) {
        let (memory, header) = (&self.ring.memory, self.ring.header());
        let buffer = self.buffer_for(position);
        memory.write(buffer, message);
        let slot = memory.slot(position);
        // A message is shorter than 4 GiB, and there are fewer slots.
        slot.length.store(u32::try_from(message.len()).unwrap_or(u32::MAX), Ordering::Relaxed);
        if memory.geometry().reuses_buffers {
            slot.buffer.store(u32::try_from(buffer).unwrap_or(u32::MAX), Ordering::Relaxed);
        }
        slot.state.store(State::new(position, self.seat, Stage::Ready).0, Ordering::Release);
        if !self.ring.settings.many_senders {
            self.next = position + 1;
            header.tail.store(self.next, Ordering::Release);
        }
        self.ring.wake_receivers();
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.ring.clear(&self.ring.header().senders, self.seat);
    }
}
