//! Taking a seat, leaving it, and clearing the seats of the dead.

use super::parts::{OPENED, Side, Stage, State};
use super::wait::{bits, seats_of};
use super::{NoSeat, Ring, SEATS, liveness};
use crate::loom_shim::Ordering;

impl Ring {
    /// Takes a free seat. Its member is not present until [`Ring::appear`].
    pub(super) fn sit(&self, side: &Side) -> Result<usize, NoSeat> {
        self.clear_dead_of(side, u32::MAX >> (u32::BITS as usize - SEATS));
        let free = |seat: &usize| {
            let holder = &side.seats[*seat].holder;
            holder.compare_exchange(0, self.identity, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let seat = (0..SEATS).find(free).ok_or(NoSeat::Full)?;
        let settled =
            self.settings.mechanism.is_none_or(|mechanism| mechanism.settle(&side.seats[seat].spot).is_ok());
        if settled {
            return Ok(seat);
        }
        self.clear(side, seat);
        Err(NoSeat::NoPlaceToSleep)
    }

    /// Says that the member in this seat is there; returns whether others of its side are.
    pub(super) fn appear(&self, side: &Side, seat: usize) -> bool {
        seats_of(side.present.fetch_or(1 << seat, Ordering::AcqRel)) != 0
    }

    /// Says that a member of this side is there and ready.
    pub(super) fn open(&self, side: &Side) {
        side.present.fetch_or(OPENED, Ordering::AcqRel);
        self.wake_all(&self.header().senders);
    }

    /// Gives a seat back, ours or one that we have taken over. What it does is done in an order in which everything can
    /// be repeated by another, should we die meanwhile: who is no longer present is not missed.
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

    /// Clears the seats of members that have died. Nobody need call it: who waits sees to it.
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
            // Who takes it over is alone with it: nobody sits down where a holder is named.
            let taken_over =
                || holder.compare_exchange(found, self.identity, Ordering::AcqRel, Ordering::Relaxed);
            if is_dead && taken_over().is_ok() {
                self.clear(side, seat);
            }
        }
    }

    /// Voids what the sender of this seat has claimed and will not write: at most one slot.
    fn void_claims(&self, seat: usize) {
        for index in 0..self.slots() {
            let state = &self.memory.slot(index).state;
            let found = State(state.load(Ordering::Acquire));
            if found.stage() == Some(Stage::Claimed)
                && found.seat() == seat
                && let Some(position) = found.position()
            {
                let void = State::new(position, seat, Stage::Void);
                // Nobody else changes a claim of a dead sender whose seat is ours.
                let _ = state.compare_exchange(found.0, void.0, Ordering::AcqRel, Ordering::Relaxed);
            }
        }
    }
}
