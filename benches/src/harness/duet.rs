//! A pair of repetitions of two programs that take turns: both are started, and then measure one short part after the
//! other, in an order that a coin draws anew for each part. A machine that is shared has good and bad moments, which
//! last longer than a part and shorter than a repetition: so they fall on both sides (Bulej, Horký, Tůma, Farquet and
//! Prokopec, Duet Benchmarking, ICPE 2020, run both at the same time; messages would then wait for the other side's).

use super::PeerCommand;
use super::measured::{Measured, NotMeasured};
use super::program::Session;
use crate::definition::PlannedCase;
use crate::program::Program;
use rand::{RngExt, rngs::StdRng};
use roundtrip_stats::shift;
use std::time::Duration;

/// A repetition is cut into at most so many parts.
const PARTS_MAX: u64 = 40;

/// The fewest samples of a part: the middle one of five is not moved by two that something else delayed.
const SAMPLES_MIN: u64 = 5;

/// One side of a pair.
pub(super) struct Player<'a> {
    pub(super) case: &'a PlannedCase,
    pub(super) program: &'a Program,
}

/// How a repetition is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) count: u64,
    /// Of each part.
    pub(super) samples: u64,
}

impl Parts {
    /// Of a repetition with so many samples; rounded up to whole parts.
    pub(super) fn of(samples: u64) -> Self {
        let each = samples.div_ceil(PARTS_MAX).max(SAMPLES_MIN).min(samples).max(1);
        Self { count: samples.div_ceil(each), samples: each }
    }
}

/// What became of both repetitions.
pub(super) enum Played {
    /// Both were measured, and the logarithm of head's times by base's.
    Both(Box<[Measured; 2]>, f64),
    /// One of them could not be, base or head (0 or 1), and why. The other one was given up.
    Not(usize, NotMeasured),
}

/// Plays both sides, base first.
pub(super) fn play(
    sides: [Player<'_>; 2],
    peer: &PeerCommand,
    deadline: Duration,
    random: &mut StdRng,
) -> Played {
    match attempt(sides, peer, deadline, random) {
        Ok((both, ratio)) => Played::Both(Box::new(both), ratio),
        Err((side, reason)) => Played::Not(side, reason),
    }
}

type Attempt<T> = Result<T, (usize, NotMeasured)>;

fn attempt(
    sides: [Player<'_>; 2],
    peer: &PeerCommand,
    deadline: Duration,
    random: &mut StdRng,
) -> Attempt<([Measured; 2], f64)> {
    let parts = Parts::of(sides[0].case.work.operations);
    // Each waits for the other one as well.
    let deadline = 2 * deadline;
    let begin = |side: usize| {
        let Player { case, program } = sides[side];
        Session::begin(case, parts.samples, program, peer, deadline).map_err(|reason| (side, reason))
    };
    let mut sessions = in_any_order(random, begin)?;
    let mut differences = Vec::new();
    for _ in 0..parts.count {
        let part = |side: usize| sessions[side].part().map_err(|reason| (side, reason));
        let [base_ns, head_ns] = in_any_order(random, part)?;
        differences.push((head_ns.max(1) as f64 / base_ns.max(1) as f64).ln());
    }
    let [base, head] = sessions;
    let end = |side, session: Session| session.end().map_err(|reason| (side, reason));
    let both = [end(0, base)?, end(1, head)?];
    // As good as their mean where nothing disturbs the parts, and hardly moved by those that something did.
    Ok((both, shift::pseudomedian(&differences).unwrap_or_default()))
}

/// Does something for base and head, in an order that a coin draws.
fn in_any_order<T>(random: &mut StdRng, mut each: impl FnMut(usize) -> Attempt<T>) -> Attempt<[T; 2]> {
    if random.random() {
        let base = each(0)?;
        Ok([base, each(1)?])
    } else {
        let head = each(1)?;
        Ok([each(0)?, head])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_is_cut_into_at_most_forty_parts_of_at_least_five_samples() {
        let cut = |samples| {
            let Parts { count, samples } = Parts::of(samples);
            (count, samples)
        };
        assert_eq!(cut(1_000), (40, 25));
        assert_eq!(cut(100), (20, 5));
        assert_eq!(cut(20), (4, 5));
        assert_eq!(cut(1), (1, 1));
        assert_eq!(cut(1_001), (39, 26));
    }
}
