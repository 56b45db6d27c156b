//! A pair of repetitions of two programs that take turns: both are started, and then measure one short part after the
//! other, in an order that a coin draws anew for each part. A machine that is shared has good and bad moments, which
//! last longer than a part and shorter than a repetition: so they fall on both sides (Bulej, Horký, Tůma, Farquet and
//! Prokopec, Duet Benchmarking, ICPE 2020, run both at the same time; messages would then wait for the other side's).

use super::PeerCommand;
use super::measured::{Measured, NotMeasured};
use super::program::{Session, Starting};
use crate::definition::PlannedCase;
use crate::program::Program;
use crate::scenario::Work;
use rand::{RngExt, rngs::StdRng};
use roundtrip_stats::shift;
use std::time::Duration;

/// A repetition is cut into at most so many parts.
const PARTS_MAX: u64 = 50;

/// The fewest operations of a part: the first one finds the caches as the other side left them.
const OPERATIONS_MIN: u64 = 5;

/// With many messages on their way, a part has so many times as many: half of them are sent because one has arrived.
const WINDOWS_MIN: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) count: u64,
    /// Of each part.
    pub(super) samples: u64,
}

impl Parts {
    /// Of a repetition of this work; rounded up to whole parts.
    pub(super) fn of(Work { operations, window, batch, .. }: &Work) -> Self {
        let least = if *window == 1 { OPERATIONS_MIN } else { WINDOWS_MIN * u64::from(*window) };
        let least = least.div_ceil((*batch).max(1));
        let each = operations.div_ceil(PARTS_MAX).max(least).min(*operations).max(1);
        Self { count: operations.div_ceil(each), samples: each }
    }
}

/// Both repetitions, base first, and the logarithm of head's times by base's.
pub(super) type Both = ([Measured; 2], f64);

/// Measures both sides, base first. The error says which side could not be measured, base or head (0 or 1), and why.
/// The other one is given up.
pub(super) fn run(
    cases: [&PlannedCase; 2],
    programs: [&Program; 2],
    peer: &PeerCommand,
    deadline: Duration,
    random: &mut StdRng,
) -> Result<Both, (usize, NotMeasured)> {
    let parts = Parts::of(&cases[0].work);
    // Each waits for the other one as well.
    let deadline = 2 * deadline;
    let begin = |side: usize| {
        Starting::begin(cases[side], parts.samples, programs[side], peer, deadline)
            .map_err(|reason| (side, reason))
    };
    let connected = |side, starting: Starting<'_>| starting.connected().map_err(|reason| (side, reason));
    let [base, head] = in_any_order(random, begin)?;
    let mut sessions = [connected(0, base)?, connected(1, head)?];
    let mut ratios = Vec::new();
    for _ in 0..parts.count {
        let part = |side: usize| sessions[side].part().map_err(|reason| (side, reason));
        ratios.push(ratio(in_any_order(random, part)?));
    }
    let [base, head] = sessions;
    let end = |side, session: Session| session.end().map_err(|reason| (side, reason));
    let both = [end(0, base)?, end(1, head)?];
    // As good as their mean where nothing disturbs the parts, and hardly moved by those that something did.
    Ok((both, shift::pseudomedian(&ratios).unwrap_or_default()))
}

/// Does something for base and head (0 and 1), in an order that a coin draws.
pub(super) fn in_any_order<T, E>(
    random: &mut StdRng,
    mut each: impl FnMut(usize) -> Result<T, E>,
) -> Result<[T; 2], E> {
    if random.random() {
        let base = each(0)?;
        Ok([base, each(1)?])
    } else {
        let head = each(1)?;
        Ok([each(0)?, head])
    }
}

pub(super) fn ratio([base_ns, head_ns]: [u64; 2]) -> f64 {
    (head_ns.max(1) as f64 / base_ns.max(1) as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(operations: u64, window: u32, batch: u64) -> (u64, u64) {
        let Parts { count, samples } = Parts::of(&Work { operations, window, batch, ..Work::default() });
        (count, samples)
    }

    #[test]
    fn a_repetition_is_cut_into_at_most_fifty_parts_of_at_least_five_operations() {
        assert_eq!(cut(1_000, 1, 1), (50, 20));
        assert_eq!(cut(100, 1, 1), (20, 5));
        assert_eq!(cut(100, 1, 64), (50, 2));
        assert_eq!(cut(1, 1, 1), (1, 1));
        assert_eq!(cut(1_001, 1, 1), (48, 21));
    }

    #[test]
    fn with_many_messages_on_their_way_a_part_has_twice_as_many() {
        assert_eq!(cut(100, 256, 256), (50, 2));
        assert_eq!(cut(100, 256, 100), (17, 6));
        assert_eq!(cut(16, 256, 256), (8, 2));
        assert_eq!(cut(1, 256, 256), (1, 1));
    }
}
