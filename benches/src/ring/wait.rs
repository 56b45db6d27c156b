//! Waiting: spinning, sleeping, and what to do when it takes too long.

use super::Ring;
use super::parts::{OPENED, Side};
use super::sleeper::Sleeper;
use super::wake::{ASLEEP, AWAKE, Mechanism, Spot};
use crate::loom_shim::{Ordering, SPINS, YIELDS, fence, spin_loop, yield_now};
use serde::{Deserialize, Serialize};

/// After [`SPINS`] looks, who only spins offers the processor to others once for so many.
const SPINS_BETWEEN_YIELDS: u32 = 8;
/// Between two looks at whether the others live.
const SPINS_OF_PATIENCE: u32 = 1 << 16;
/// How a member waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// Looks again and again, and now and then gives the processor away.
    Spin,
    /// Looks some times, then sleeps.
    SpinThenBlock,
    /// Sleeps at once.
    #[default]
    Block,
}

impl Waiting {
    /// As a methodology says it.
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
    /// When somebody sleeps.
    #[default]
    IfAsleep,
    /// After every message sent and every message taken, whether or not anybody sleeps: a system call each.
    Always,
}

impl WakeRule {
    /// As a methodology says it.
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
    /// Tells others of what was published before, after a fence: once, or two who both wait in vain would wake each other
    /// for ever.
    pub(super) tell: &'a dyn Fn(),
    /// Who looks after it while it sleeps.
    pub(super) sleeper: Option<&'a Sleeper>,
}

impl Waiter<'_> {
    /// Waits until a look finds something. While it sleeps it is looked after; who spins calls `overdue` when that takes
    /// long.
    pub(super) fn until<T>(&self, mut look: impl FnMut() -> Option<T>, mut overdue: impl FnMut()) -> T {
        let settings = &self.ring.settings;
        let (spins, mechanism) = match (settings.waiting, settings.mechanism) {
            (Waiting::Spin, _) | (_, None) => return spin(&mut look, &mut overdue),
            (Waiting::SpinThenBlock, Some(mechanism)) => (SPINS + YIELDS, mechanism),
            (Waiting::Block, Some(mechanism)) => (0, mechanism),
        };
        let mut tell = Some(self.tell);
        loop {
            if spins > 0
                && let Some(tell) = tell.take()
            {
                fence(Ordering::SeqCst);
                tell();
            }
            for spin in 0..spins {
                if let Some(found) = look() {
                    return found;
                }
                if spin < SPINS { spin_loop() } else { yield_now() }
            }
            if let Some(found) = self.sleep(mechanism, tell.take(), &mut look) {
                return found;
            }
        }
    }

    /// Says that it sleeps, looks once more, sleeps, looks.
    fn sleep<T>(
        &self,
        mechanism: &dyn Mechanism,
        tell: Option<&dyn Fn()>,
        look: &mut impl FnMut() -> Option<T>,
    ) -> Option<T> {
        let spot = &self.side.seats[self.seat].spot;
        spot.word.store(ASLEEP, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        // The same fence stands between what we have published and the look at who sleeps for it.
        if let Some(tell) = tell {
            tell();
        }
        let mut found = look();
        if found.is_none() {
            self.sleeper.inspect(|sleeper| sleeper.falls_asleep());
            mechanism.sleep(spot);
            self.sleeper.inspect(|sleeper| sleeper.wakes_up());
            found = look();
        }
        spot.word.store(AWAKE, Ordering::Relaxed);
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
        if spins.is_multiple_of(SPINS_OF_PATIENCE) {
            overdue();
        }
        spin_loop();
    }
}

impl Ring {
    /// After something was published for that side.
    #[inline]
    pub(super) fn tell(&self, side: &Side) {
        if self.settings.waiting != Waiting::Spin {
            fence(Ordering::SeqCst);
            self.wake_sleepers(side);
        }
    }

    /// Wakes who sleeps there, after a fence.
    #[inline]
    pub(super) fn wake_sleepers(&self, side: &Side) {
        let Some(mechanism) = self.settings.mechanism else { return };
        for seat in bits(seats_of(side.present.load(Ordering::Acquire))) {
            let spot = &side.seats[seat].spot;
            let always = self.settings.wake_rule == WakeRule::Always;
            if always || spot.word.load(Ordering::Relaxed) == ASLEEP {
                wake(mechanism, spot);
            }
        }
    }

    pub(super) fn wake_seat(&self, side: &Side, seat: usize) {
        if let Some(mechanism) = self.settings.mechanism {
            wake(mechanism, &side.seats[seat].spot);
        }
    }

    /// Wakes everybody there, whether or not it says that it sleeps: who was to be woken by a member that died meanwhile
    /// no longer says so.
    pub(super) fn wake_all(&self, side: &Side) {
        let Some(mechanism) = self.settings.mechanism else { return };
        fence(Ordering::SeqCst);
        for seat in bits(seats_of(side.present.load(Ordering::Acquire))) {
            wake(mechanism, &side.seats[seat].spot);
        }
    }
}

#[cold]
fn wake(mechanism: &dyn Mechanism, spot: &Spot) {
    spot.word.store(AWAKE, Ordering::Relaxed);
    mechanism.wake(spot);
}

/// The bits of seats alone.
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
