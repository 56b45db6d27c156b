//! Waiting: spinning, sleeping, and what to do when it takes too long.

use super::Ring;
use super::parts::{OPENED, Side};
use super::wake::{ASLEEP, AWAKE, Mechanism};
use crate::fabric::{Ordering, SPINS, fence, spin_loop, yield_now};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a member sleeps before it looks whether those that it waits for still live.
pub(super) const PATIENCE: Duration = Duration::from_millis(50);

/// So often who spins looks before it lets others have the processor now and then.
const SPINS_ALONE: u32 = 2_000;
/// Between two such times.
const SPINS_BETWEEN_YIELDS: u32 = 32;
/// Between two looks at whether the others live.
const SPINS_OF_PATIENCE: u32 = 1 << 16;
/// So many wake-ups in vain are as bad as a patience that has ended.
const ROUNDS_OF_PATIENCE: u32 = 256;

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

/// Who waits.
pub(super) struct Waiter<'a> {
    pub(super) ring: &'a Ring,
    pub(super) side: &'a Side,
    pub(super) seat: usize,
}

impl Waiter<'_> {
    /// Waits until a look finds something; `overdue` is called whenever that takes long.
    pub(super) fn until<T>(&self, mut look: impl FnMut() -> Option<T>, mut overdue: impl FnMut()) -> T {
        let settings = &self.ring.settings;
        let (spins, mechanism) = match (settings.waiting, settings.mechanism) {
            (Waiting::Spin, _) | (_, None) => return spin(&mut look, &mut overdue),
            (Waiting::SpinThenBlock, Some(mechanism)) => (SPINS, mechanism),
            (Waiting::Block, Some(mechanism)) => (0, mechanism),
        };
        for round in 1_u32.. {
            for _ in 0..spins {
                if let Some(found) = look() {
                    return found;
                }
                spin_loop();
            }
            let (found, out_of_patience) = self.sleep(mechanism, &mut look);
            if let Some(found) = found {
                return found;
            }
            if out_of_patience || round.is_multiple_of(ROUNDS_OF_PATIENCE) {
                overdue();
            }
        }
        unreachable!("a count of rounds does not end before a member does")
    }

    /// Says that it sleeps, looks once more, sleeps, looks.
    fn sleep<T>(&self, mechanism: &dyn Mechanism, look: &mut impl FnMut() -> Option<T>) -> (Option<T>, bool) {
        let (spot, bit) = (&self.side.seats[self.seat].spot, 1 << self.seat);
        spot.word.store(ASLEEP, Ordering::Relaxed);
        self.side.asleep.fetch_or(bit, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut found = look();
        let mut out_of_patience = false;
        if found.is_none() {
            out_of_patience = mechanism.sleep(spot, PATIENCE);
        }
        self.side.asleep.fetch_and(!bit, Ordering::SeqCst);
        spot.word.store(AWAKE, Ordering::Relaxed);
        found = found.or_else(look);
        (found, out_of_patience)
    }
}

fn spin<T>(look: &mut impl FnMut() -> Option<T>, overdue: &mut impl FnMut()) -> T {
    let mut spins = 0_u32;
    loop {
        if let Some(found) = look() {
            return found;
        }
        spins = spins.wrapping_add(1);
        if spins > SPINS_ALONE && spins.is_multiple_of(SPINS_BETWEEN_YIELDS) {
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
        let Some(mechanism) = self.settings.mechanism else { return };
        match (self.settings.waiting, self.settings.wake_rule) {
            (Waiting::Spin, _) => {}
            (_, WakeRule::IfAsleep) => {
                fence(Ordering::SeqCst);
                if side.asleep.load(Ordering::Relaxed) != 0 {
                    wake(side, mechanism, side.asleep.swap(0, Ordering::SeqCst));
                }
            }
            (_, WakeRule::Always) => {
                fence(Ordering::SeqCst);
                wake(side, mechanism, seats_of(side.present.load(Ordering::Relaxed)));
            }
        }
    }
}

/// Wakes those whose bits are set.
fn wake(side: &Side, mechanism: &dyn Mechanism, seats: u32) {
    for seat in bits(seats) {
        let spot = &side.seats[seat].spot;
        spot.word.store(AWAKE, Ordering::Release);
        mechanism.wake(spot);
    }
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
