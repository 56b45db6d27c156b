//! Base against head: the same cases on two sides, in fresh processes, one pair of repetitions after the other, until every
//! case is decided.
//!
//! Programs of a pair take turns in short parts (`paired`); peers of the suite follow each other at once, and a coin says
//! which comes first. The cases of a round come in an order of their own. So whatever drifts falls on both sides alike,
//! and without a difference either is the slower one of a pair with the same probability: what the signed-rank test takes
//! for granted is made true here, not assumed.

use super::case_recorder::CaseRecorder;
use super::paired::{self, Parts};
use super::{Beginning, Outcome, PeerCommand, repetition};
use crate::definition::PlannedCase;
use crate::program::Program;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_stats::shape::{P50, Profile};
use roundtrip_stats::verdict::{self, Rule, SequentialComparison};
use roundtrip_wire::CaseResult;
use std::convert::Infallible;
use std::ops::ControlFlow;
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
    /// What is compared, pair by pair.
    pub pairs: Vec<verdict::Pair>,
    /// What is known, and the verdict.
    pub row: verdict::Row,
    /// How long its repetitions took, processes and all.
    pub machine_time: Duration,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Pairs that are over.
    pub pairs: usize,
    /// Cases that are decided.
    pub decided: usize,
}

struct Row<'a> {
    pair: &'a Pair,
    base: CaseRecorder<'a>,
    head: CaseRecorder<'a>,
    pairs: Vec<verdict::Pair>,
    spent: Duration,
}

/// Compares all of it. What fails or is unsupported is in the outcome; nothing stops the rest.
pub fn run(
    comparison: &Comparison,
    peer: &PeerCommand,
    order_seed: u64,
    observe: &mut dyn FnMut(Progress),
) -> Outcome<Compared> {
    let ControlFlow::Continue(outcome) = run_until(comparison, peer, order_seed, &mut |progress| {
        observe(progress);
        ControlFlow::<Infallible>::Continue(())
    });
    outcome
}

/// [`run()`], until `observe` wants no more. The pair that is under way comes to its end first, so no process is left; of what
/// was measured until then nothing is told.
pub fn run_until<B>(
    comparison: &Comparison,
    peer: &PeerCommand,
    order_seed: u64,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<B>,
) -> ControlFlow<B, Outcome<Compared>> {
    let beginning = Beginning::of(peer);
    let mut rows: Vec<Row<'_>> = comparison.pairs.iter().map(Row::new).collect();
    let mut growing = SequentialComparison::new(comparison.rule.clone(), rows.len());
    let mut random = StdRng::seed_from_u64(order_seed);
    let mut done = 0;
    loop {
        for (index, row) in rows.iter().enumerate() {
            if row.base.is_given_up() || row.head.is_given_up() {
                growing.give_up(index);
            }
        }
        let mut round: Vec<usize> = (0..rows.len()).filter(|&index| growing.wants_more(index)).collect();
        if round.is_empty() {
            break;
        }
        round.shuffle(&mut random);
        for index in round {
            rows[index].measure(peer, comparison.deadline, &mut random);
            done += 1;
            let decided = (0..rows.len()).filter(|&index| !growing.wants_more(index)).count();
            observe(Progress { pairs: done, decided })?;
        }
        growing.look(&rows.iter().map(|row| &row.pairs[..]).collect::<Vec<_>>());
    }

    let results = rows.into_iter().zip(growing.rows()).map(|(row, known)| Compared {
        base: row.base.into_result(),
        head: row.head.into_result(),
        pairs: row.pairs,
        row: *known,
        machine_time: row.spent,
    });
    let results = results.collect();
    ControlFlow::Continue(beginning.end(order_seed, results))
}

impl<'a> Row<'a> {
    fn new(pair: &'a Pair) -> Self {
        let mut row = Self {
            pair,
            base: CaseRecorder::new(&pair.base),
            head: CaseRecorder::new(&pair.head),
            pairs: Vec::new(),
            spent: Duration::ZERO,
        };
        if pair.programs().is_some() {
            let parts = Parts::of(&pair.base.work).count;
            row.base.is_in_parts(parts);
            row.head.is_in_parts(parts);
        }
        row
    }

    fn measure(&mut self, peer: &PeerCommand, deadline: Duration, random: &mut StdRng) {
        let began = Instant::now();
        let pair = match self.pair.programs() {
            Some(programs) => self.together(programs, peer, deadline, random),
            None => self.one_after_the_other(peer, deadline, random),
        };
        self.pairs.extend(pair);
        self.spent += began.elapsed();
    }

    /// Both at once, in turns.
    fn together(
        &mut self,
        programs: [&Program; 2],
        peer: &PeerCommand,
        deadline: Duration,
        random: &mut StdRng,
    ) -> Option<verdict::Pair> {
        let began = Instant::now();
        let cases = [self.base.next(), self.head.next()];
        let played = paired::run(cases.each_ref(), programs, peer, deadline, random);
        // Each had half of the time.
        let took = began.elapsed() / 2;
        match played {
            Ok(([base, head], ratio)) => {
                let profiles = self.base.add(Ok(base), took).zip(self.head.add(Ok(head), took));
                // The p50 part by part, of which neighbours had the same moment; the rest of whole repetitions.
                profiles.map(|profiles| verdict::Pair { p50: ratio, ..pair(profiles) })
            }
            Err((side, reason)) => {
                let failed = if side == 0 { &mut self.base } else { &mut self.head };
                failed.add(Err(reason), took);
                None
            }
        }
    }

    /// Peers of the suite, in processes that live no longer than their repetition.
    fn one_after_the_other(
        &mut self,
        peer: &PeerCommand,
        deadline: Duration,
        random: &mut StdRng,
    ) -> Option<verdict::Pair> {
        let mut sides = [&mut self.base, &mut self.head];
        let one = |side: usize| {
            let began = Instant::now();
            let measured = repetition(&sides[side].next(), peer, deadline, &mut |_| {});
            // A side that fails is no reason to leave the other one out.
            Ok::<_, Infallible>(sides[side].add(measured, began.elapsed()))
        };
        let Ok([base, head]) = paired::in_any_order(random, one);
        base.zip(head).map(pair)
    }
}

fn pair((base, head): (Profile, Profile)) -> verdict::Pair {
    let profile: Profile = std::array::from_fn(|quantile| head[quantile] - base[quantile]);
    verdict::Pair { p50: profile[P50], profile }
}

impl Pair {
    /// What both sides are measured with, if it is programs that can take turns.
    fn programs(&self) -> Option<[&Program; 2]> {
        Some([self.base.transport.program()?, self.head.transport.program()?])
    }
}
