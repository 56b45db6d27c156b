//! A pair of repetitions of two programs. Both are started and then measure short parts, one after the
//! other, in a random order for each part. Disturbances of a shared machine last longer than a part and less
//! than a repetition, so they affect both sides. (Duet Benchmarking by Bulej, Horký, Tůma, Farquet and
//! Prokopec, ICPE 2020, runs both at the same time; here, messages would then wait for the other side's.)

use super::PeerCommand;
use super::measured::{Measured, NotMeasured};
use super::program::{Session, Starting};
use crate::definition::PlannedCase;
use crate::program::Program;
use crate::scenario::Work;
use rand::{RngExt, rngs::StdRng};
use roundtrip_stats::shift;
use std::time::Duration;

/// The most parts per repetition.
const PARTS_MAX: u64 = 50;

/// The fewest operations per part: the first one finds the caches as the other side left them.
const OPERATIONS_MIN: u64 = 5;

/// The least length of a part, in windows, if the window is above 1: half of its messages are then sent because another
/// has arrived.
const WINDOWS_MIN: u64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) count: u64,
    /// Samples per part.
    pub(super) samples: u64,
}

impl Parts {
    /// Splits a repetition of this work; its total is rounded up to whole parts.
    pub(super) fn for_work(Work { operations, window, batch, .. }: &Work) -> Self {
        let least = if *window == 1 { OPERATIONS_MIN } else { WINDOWS_MIN * u64::from(*window) };
        let least = least.div_ceil((*batch).max(1));
        let each = operations.div_ceil(PARTS_MAX).max(least).min(*operations).max(1);
        Self { count: operations.div_ceil(each), samples: each }
    }
}

/// Both repetitions, base first, and the logarithm of head's times over base's, in billionths as in the report.
pub(super) type BothSides = ([Measured; 2], i64);

/// Measures both sides, base first. The error has the side that failed, base or head (0 or 1), and the reason. The
/// other side is given up.
pub(super) fn run(
    cases: [&PlannedCase; 2],
    programs: [&Program; 2],
    peer: &PeerCommand,
    deadline: Duration,
    random: &mut StdRng,
) -> Result<BothSides, (usize, NotMeasured)> {
    let parts = Parts::for_work(&cases[0].work);
    // Each side also waits for the other.
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
    // As good as the mean if nothing disturbs the parts, and hardly affected by disturbed parts.
    let ratio = shift::pseudomedian(&ratios).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any ratio")]
    Ok((both, (ratio * 1e9).round() as i64))
}

/// Calls a function for base and head (0 and 1), in a random order.
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
        let Parts { count, samples } =
            Parts::for_work(&Work { operations, window, batch, ..Work::default() });
        (count, samples)
    }

    #[test]
    fn splits_repetitions_within_limits() {
        assert_eq!(cut(1_000, 1, 1), (50, 20));
        assert_eq!(cut(100, 1, 1), (20, 5));
        assert_eq!(cut(100, 1, 64), (50, 2));
        assert_eq!(cut(1, 1, 1), (1, 1));
        assert_eq!(cut(1_001, 1, 1), (48, 21));
    }

    #[test]
    fn part_has_at_least_two_windows() {
        assert_eq!(cut(100, 256, 256), (50, 2));
        assert_eq!(cut(100, 256, 100), (17, 6));
        assert_eq!(cut(16, 256, 256), (8, 2));
        assert_eq!(cut(1, 256, 256), (1, 1));
    }
}
