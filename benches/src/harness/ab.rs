//! Base against head: the same cases on two sides, in fresh processes, one pair of repetitions after the other, until every
//! case is decided.
//!
//! The two of a pair follow each other at once, and a coin says which comes first; the cases of a round come in an order of
//! their own. So whatever drifts falls on both sides alike, and without a difference either is the slower one of a pair
//! with the same probability: what the signed-rank test takes for granted is made true here, not assumed.

use super::gathered::Gathered;
use super::{PeerCommand, canaries, repetition, scratch};
use crate::definition::PlannedCase;
use crate::environment;
use chrono::{DateTime, Utc};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use roundtrip_stats::verdict::{Growing, Row, Rule, Verdict};
use roundtrip_wire::{Canary, CaseResult, Environment};
use std::time::{Duration, Instant};

/// One case on both sides.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What is compared with.
    pub base: PlannedCase,
    /// What is compared.
    pub head: PlannedCase,
}

/// What is compared, and when it is decided.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Every case.
    pub pairs: Vec<Pair>,
    /// How long one repetition may take before it counts as hung.
    pub deadline: Duration,
    /// What it takes to say that a case changed, or that it did not.
    pub rule: Rule,
}

/// One case's answer.
#[derive(Clone, Debug)]
pub struct Compared {
    /// All of base's repetitions.
    pub base: CaseResult,
    /// All of head's.
    pub head: CaseResult,
    /// The p50 of both sides, pair by pair, in nanoseconds.
    pub pairs_ns: Vec<(u64, u64)>,
    /// What is known, and the verdict.
    pub row: Row,
    /// How long its repetitions took, processes and all.
    pub machine_time: Duration,
}

/// All that was found.
#[derive(Debug)]
pub struct Outcome {
    /// Fingerprint when it began.
    pub environment: Environment,
    /// The machine's own readings.
    pub canaries: Vec<Canary>,
    /// From this the order was drawn.
    pub order_seed: u64,
    /// When the first repetition began.
    pub started_at: DateTime<Utc>,
    /// When the last one ended.
    pub finished_at: DateTime<Utc>,
    /// One entry a case, in the order of the comparison.
    pub cases: Vec<Compared>,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Pairs that are over.
    pub pairs: usize,
    /// Cases that are decided.
    pub decided: usize,
    /// All cases.
    pub cases: usize,
}

/// One case on its way.
struct Side<'a> {
    base: Gathered<'a>,
    head: Gathered<'a>,
    spent: Duration,
}

/// Compares all of it. What fails or is unsupported is in the outcome; nothing stops the rest.
pub fn run(
    comparison: &Comparison,
    peer: &PeerCommand,
    order_seed: u64,
    observe: &mut dyn FnMut(Progress),
) -> Outcome {
    scratch::sweep();
    let environment = environment::environment();
    let canaries = canaries::measure(peer);
    let started_at = Utc::now();

    let mut sides: Vec<Side<'_>> = comparison
        .pairs
        .iter()
        .map(|Pair { base, head }| Side {
            base: Gathered::new(base),
            head: Gathered::new(head),
            spent: Duration::ZERO,
        })
        .collect();
    let mut pairs_ns: Vec<Vec<(u64, u64)>> = vec![Vec::new(); sides.len()];
    let mut growing = Growing::new(comparison.rule.clone(), sides.len());
    let mut random = StdRng::seed_from_u64(order_seed);
    let mut done = 0;
    loop {
        for (index, side) in sides.iter().enumerate() {
            if side.base.is_given_up() || side.head.is_given_up() {
                growing.give_up(index);
            }
        }
        let mut round: Vec<usize> = (0..sides.len()).filter(|&index| growing.wants_more(index)).collect();
        if round.is_empty() {
            break;
        }
        round.shuffle(&mut random);
        for index in round {
            let base_first = random.random::<bool>();
            if let Some(pair) = sides[index].measure(base_first, peer, comparison.deadline) {
                pairs_ns[index].push(pair);
            }
            done += 1;
            let decided = (0..comparison.pairs.len()).filter(|&index| !growing.wants_more(index)).count();
            observe(Progress { pairs: done, decided, cases: comparison.pairs.len() });
        }
        let times: Vec<Vec<(f64, f64)>> = pairs_ns
            .iter()
            .map(|pairs| pairs.iter().map(|&(base, head)| (base as f64, head as f64)).collect())
            .collect();
        growing.look(&times);
    }

    let cases = sides
        .into_iter()
        .zip(pairs_ns)
        .zip(growing.rows())
        .map(|((side, pairs_ns), row)| Compared {
            base: side.base.into_result(),
            head: side.head.into_result(),
            pairs_ns,
            row: *row,
            machine_time: side.spent,
        })
        .collect();
    Outcome { environment, canaries, order_seed, started_at, finished_at: Utc::now(), cases }
}

impl Compared {
    /// The verdict; a case that is given up is inconclusive.
    pub fn verdict(&self) -> Verdict {
        self.row.verdict.unwrap_or(Verdict::Inconclusive)
    }
}

impl Side<'_> {
    /// One repetition of each; their p50s, if both finished.
    fn measure(&mut self, base_first: bool, peer: &PeerCommand, deadline: Duration) -> Option<(u64, u64)> {
        let began = Instant::now();
        let one = |side: &mut Gathered<'_>| {
            let began = Instant::now();
            let measured = repetition(&side.next(), peer, deadline, &mut |_| {});
            side.add(measured, began.elapsed())
        };
        let (base, head) = if base_first {
            let base = one(&mut self.base);
            (base, one(&mut self.head))
        } else {
            let head = one(&mut self.head);
            (one(&mut self.base), head)
        };
        self.spent += began.elapsed();
        Some((base?, head?))
    }
}
