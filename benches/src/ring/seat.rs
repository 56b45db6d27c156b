//! Taking a seat, leaving it, and clearing the seats of dead members.

use super::parts::{OPENED, Side, Stage, State};
use super::wait::{bits, seats_of};
use super::{NoSeat, Ring, SEATS, liveness};
use crate::loom_shim::Ordering;

impl Ring {
    /// Takes a free seat. Its member is not present until [`Ring::mark_present`].
    pub(super) fn take_seat(&self, side: &Side) -> Result<usize, NoSeat> {
        self.clear_dead_of(side, u32::MAX >> (u32::BITS as usize - SEATS));
        let free = |seat: &usize| {
            let holder = &side.seats[*seat].holder;
            holder.compare_exchange(0, self.identity, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let seat = (0..SEATS).find(free).ok_or(NoSeat::Full)?;
        let prepared =
            self.settings.mechanism.is_none_or(|mechanism| mechanism.prepare(&side.seats[seat].spot).is_ok());
        if prepared {
            return Ok(seat);
        }
        self.clear(side, seat);
        Err(NoSeat::NoPlaceToSleep)
    }

    /// Marks the member in this seat as present; returns whether others on its side are.
    pub(super) fn mark_present(&self, side: &Side, seat: usize) -> bool {
        seats_of(side.present.fetch_or(1 << seat, Ordering::AcqRel)) != 0
    }

    /// Records that a member of this side is present and ready.
    pub(super) fn open(&self, side: &Side) {
        side.present.fetch_or(OPENED, Ordering::AcqRel);
        self.wake_all(&self.header().senders);
    }

    /// Frees a seat: the caller's, or one taken over. The order allows another member to repeat every step if this one
    /// dies: a member that is no longer present is not missed.
    pub(super) fn clear(&self, side: &Side, seat: usize) {
        if self.settings.many_senders && std::ptr::eq(side, &raw const self.header().senders) {
            self.void_claims(seat);
        }
        side.seats[seat].reading.store(0, Ordering::Release);
        side.present.fetch_and(!(1 << seat), Ordering::AcqRel);
        side.seats[seat].holder.store(0, Ordering::Release);
        self.wake_all(&self.header().senders);
        self.wake_all(&self.header().receivers);
    }

    /// Clears the seats of dead members. Waiting members do this themselves.
    pub fn clear_dead(&self) {
        for side in [&self.header().senders, &self.header().receivers] {
            self.clear_dead_of(side, seats_of(side.present.load(Ordering::Acquire)));
        }
    }

    fn clear_dead_of(&self, side: &Side, seats: u32) {
        for seat in bits(seats) {
            let holder = &side.seats[seat].holder;
            let found = holder.load(Ordering::Acquire);
            let is_dead = found != 0 && found != self.identity && !liveness::is_alive(found);
            // Only one member can take it over: a seat with a holder is not free.
            let taken_over =
                || holder.compare_exchange(found, self.identity, Ordering::AcqRel, Ordering::Relaxed);
            if is_dead && taken_over().is_ok() {
                self.clear(side, seat);
            }
        }
    }

    /// Voids the claim of this seat's sender, which it will never write: at most one slot.
    fn void_claims(&self, seat: usize) {
        for index in 0..self.slots() {
            let state = &self.memory.slot(index).state;
            let found = State(state.load(Ordering::Acquire));
            if found.stage() == Some(Stage::Claimed)
                && found.seat() == seat
                && let Some(position) = found.position()
            {
                let void = State::new(position, seat, Stage::Void);
                // No one else changes a claim of a dead sender once its seat is taken over.
                let _ = state.compare_exchange(found.0, void.0, Ordering::AcqRel, Ordering::Relaxed);
            }
        }
    }
}
