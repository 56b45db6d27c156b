//! Waiting: spinning, sleeping, and what to do when it takes too long.

use super::Ring;
use super::parts::{OPENED, Side};
use super::sleeper::Sleeper;
use super::wake::{ASLEEP, AWAKE, Mechanism, Spot};
use crate::loom_shim::{Ordering, SPINS, YIELDS, fence, spin_loop, yield_now};
use serde::{Deserialize, Serialize};

/// After [`SPINS`] checks, a spinning member yields the CPU once per this many.
const SPINS_BETWEEN_YIELDS: u32 = 8;
/// Checks between two tests whether the other members are alive.
const SPINS_BETWEEN_CHECKS: u32 = 1 << 16;
/// How a member waits for a message or a free slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// Spins, and sometimes yields the CPU.
    Spin,
    /// Spins for a while, then sleeps.
    SpinThenBlock,
    /// Sleeps immediately.
    #[default]
    Block,
}

impl Waiting {
    /// Returns its name in a methodology.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Spin => "spin",
            Self::SpinThenBlock => "spin-then-block",
            Self::Block => "block",
        }
    }
}

/// When a wake-up is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WakeRule {
    /// If a member sleeps.
    #[default]
    IfAsleep,
    /// After every message sent or received, even if no member sleeps: one system call each.
    Always,
}

impl WakeRule {
    /// Returns its name in a methodology.
    pub fn slug(self) -> &'static str {
        match self {
            Self::IfAsleep => "if-asleep",
            Self::Always => "always",
        }
    }
}

pub(super) struct Waiter<'a> {
    pub(super) ring: &'a Ring,
    pub(super) side: &'a Side,
    pub(super) seat: usize,
    /// Wakes others for earlier published values, after a fence: once, because two members that both wait in vain would
    /// wake each other forever.
    pub(super) wake_others: &'a dyn Fn(),
    /// Called when another member has woken this one, which may have to wake the next.
    pub(super) pass_on: &'a dyn Fn(),
    /// Watches it while it sleeps.
    pub(super) sleeper: Option<&'a Sleeper>,
}

impl Waiter<'_> {
    /// Waits until `look` returns a value. A sleeping member is watched; a spinning one calls `overdue` if that takes
    /// long.
    pub(super) fn until<T>(&self, mut look: impl FnMut() -> Option<T>, mut overdue: impl FnMut()) -> T {
        let settings = &self.ring.settings;
        let (spins, mechanism) = match (settings.waiting, settings.mechanism) {
            (Waiting::Spin, _) | (_, None) => return spin(&mut look, &mut overdue),
            (Waiting::SpinThenBlock, Some(mechanism)) => (SPINS + YIELDS, mechanism),
            (Waiting::Block, Some(mechanism)) => (0, mechanism),
        };
        let mut wake_others = Some(self.wake_others);
        loop {
            if spins > 0
                && let Some(wake_others) = wake_others.take()
            {
                fence(Ordering::SeqCst);
                wake_others();
            }
            for spin in 0..spins {
                if let Some(found) = look() {
                    return found;
                }
                if spin < SPINS { spin_loop() } else { yield_now() }
            }
            if let Some(found) = self.sleep(mechanism, wake_others.take(), &mut look) {
                return found;
            }
        }
    }

    /// Sets its bit, checks again, sleeps, checks.
    fn sleep<T>(
        &self,
        mechanism: &dyn Mechanism,
        wake_others: Option<&dyn Fn()>,
        look: &mut impl FnMut() -> Option<T>,
    ) -> Option<T> {
        let spot = &self.side.seats[self.seat].spot;
        spot.word.store(ASLEEP, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        // The same fence orders this member's published values before it reads the sleepers' bits.
        if let Some(wake_others) = wake_others {
            wake_others();
        }
        let mut found = look();
        if found.is_none() {
            self.sleeper.inspect(|sleeper| sleeper.before_sleep());
            mechanism.sleep(spot);
            self.sleeper.inspect(|sleeper| sleeper.after_sleep());
            found = look();
        }
        // Only one of the two sets it from asleep to awake: this member, or one that wakes it.
        if spot.word.swap(AWAKE, Ordering::AcqRel) == AWAKE {
            (self.pass_on)();
        }
        found
    }
}

fn spin<T>(look: &mut impl FnMut() -> Option<T>, overdue: &mut impl FnMut()) -> T {
    let mut spins = 0_u32;
    loop {
        if let Some(found) = look() {
            return found;
        }
        spins = spins.wrapping_add(1);
        if spins > SPINS && spins.is_multiple_of(SPINS_BETWEEN_YIELDS) {
            yield_now();
        }
        if spins.is_multiple_of(SPINS_BETWEEN_CHECKS) {
            overdue();
        }
        spin_loop();
    }
}

impl Ring {
    /// Called by a sender that has published a message. It wakes one receiver, which wakes the next: so a message costs
    /// its sender one system call at most, and the receivers share the others.
    #[inline]
    pub(super) fn wake_receivers(&self) {
        if self.settings.waiting == Waiting::Spin {
            return;
        }
        fence(Ordering::SeqCst);
        let receivers = &self.header().receivers;
        match self.settings.wake_rule {
            WakeRule::Always => self.wake_sleepers(receivers),
            WakeRule::IfAsleep => self.wake_one(receivers, |_| true),
        }
    }

    /// Called by a receiver that was woken: wakes one that sleeps although its message is there.
    #[cold]
    pub(super) fn pass_on(&self) {
        fence(Ordering::SeqCst);
        let receivers = &self.header().receivers;
        self.wake_one(receivers, |seat| {
            let reading = receivers.seats[seat].reading.load(Ordering::Acquire);
            reading.checked_sub(1).is_some_and(|next| self.check_slot(next).is_some())
        });
    }

    /// Wakes the first of these sleepers.
    #[inline]
    fn wake_one(&self, side: &Side, is_wanted: impl Fn(usize) -> bool) {
        let Some(mechanism) = self.settings.mechanism else { return };
        for seat in bits(seats_of(side.present.load(Ordering::Acquire))) {
            let spot = &side.seats[seat].spot;
            if spot.word.load(Ordering::Relaxed) == ASLEEP && is_wanted(seat) && wake_sleeper(mechanism, spot)
            {
                return;
            }
        }
    }

    /// Wakes the sleepers on that side, after a fence.
    #[inline]
    pub(super) fn wake_sleepers(&self, side: &Side) {
        let Some(mechanism) = self.settings.mechanism else { return };
        for seat in bits(seats_of(side.present.load(Ordering::Acquire))) {
            let spot = &side.seats[seat].spot;
            if self.settings.wake_rule == WakeRule::Always {
                wake(mechanism, spot);
            } else if spot.word.load(Ordering::Relaxed) == ASLEEP {
                wake_sleeper(mechanism, spot);
            }
        }
    }

    pub(super) fn wake_seat(&self, side: &Side, seat: usize) {
        if let Some(mechanism) = self.settings.mechanism {
            wake(mechanism, &side.seats[seat].spot);
        }
    }

    /// Wakes all members, including those without a sleeping bit: if a waker died in the meantime, it has cleared the
    /// bit.
    pub(super) fn wake_all(&self, side: &Side) {
        let Some(mechanism) = self.settings.mechanism else { return };
        fence(Ordering::SeqCst);
        for seat in bits(seats_of(side.present.load(Ordering::Acquire))) {
            wake(mechanism, &side.seats[seat].spot);
        }
    }
}

/// Wakes a member unless it has woken itself or is woken by another; returns whether it was this caller.
#[cold]
fn wake_sleeper(mechanism: &dyn Mechanism, spot: &Spot) -> bool {
    let is_first = spot.word.compare_exchange(ASLEEP, AWAKE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    if is_first {
        mechanism.wake(spot);
    }
    is_first
}

#[cold]
fn wake(mechanism: &dyn Mechanism, spot: &Spot) {
    spot.word.store(AWAKE, Ordering::Relaxed);
    mechanism.wake(spot);
}

/// Only the bits of seats.
#[expect(clippy::cast_possible_truncation, reason = "seats are the low 32 bits")]
pub(super) fn seats_of(present: u64) -> u32 {
    (present & !OPENED) as u32
}

/// The indices of set bits, ascending.
pub(super) fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (lowest < u32::BITS).then_some(lowest as usize)
    })
}
