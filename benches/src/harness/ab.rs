//! Compares base and head: the same cases on two sides, in fresh processes, in pairs of repetitions until every case is
//! decided.
//!
//! Programs of a pair alternate in short parts (`paired`); built-in transports run one after the other, in random
//! order. The order of cases is random in each round. So drift affects both sides alike. Without a real difference,
//! each side of a pair is slower with equal probability, as the signed-rank test requires.

use super::case_recorder::CaseRecorder;
use super::measured::{Measured, NotMeasured};
use super::paired::{self, Parts};
use super::{Outcome, PeerCommand, RunStart, repetition};
use crate::definition::PlannedCase;
use crate::program::Program;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_stats::verdict::{self, Rule, SequentialComparison};
use roundtrip_wire::CaseResult;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// One case on both sides.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The reference.
    pub base: PlannedCase,
    /// The compared case.
    pub head: PlannedCase,
}

/// A plan of comparisons with the rule that decides them.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Every case.
    pub pairs: Vec<Pair>,
    /// Time limit of one repetition; then it counts as hung.
    pub deadline: Duration,
    /// The rule that decides whether a case changed.
    pub rule: Rule,
    /// The most time, except that the last pair ends. Undecided cases are then inconclusive.
    pub budget: Option<Duration>,
}

/// The result of one case. Both sides are empty if a time budget ended before its first pair.
#[derive(Clone, Debug)]
pub struct Compared {
    /// All of base's repetitions.
    pub base: CaseResult,
    /// All of head's.
    pub head: CaseResult,
    /// The compared values, by pair.
    pub pairs: Vec<verdict::Pair>,
    /// The estimate and the verdict.
    pub row: verdict::Row,
    /// About the most pairs that it could have had in the time, if it had not been decided.
    pub pairs_max: usize,
    /// Total duration of its repetitions, including process starts.
    pub machine_time: Duration,
}

/// Progress of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Finished pairs.
    pub pairs: usize,
    /// Decided cases.
    pub decided: usize,
}

struct PairState<'a> {
    pair: &'a Pair,
    base: CaseRecorder<'a>,
    head: CaseRecorder<'a>,
    pairs: Vec<verdict::Pair>,
    spent: Duration,
    /// See [`Compared::pairs_max`]; known once it is decided.
    pairs_max: Option<usize>,
}

/// Compares all pairs. Failed and unsupported cases are in the outcome and do not stop the rest.
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

/// [`run()`] until `observe` breaks. The current pair finishes first, so no process is left; its results so far are
/// discarded.
pub fn run_until<B>(
    comparison: &Comparison,
    peer: &PeerCommand,
    order_seed: u64,
    observe: &mut dyn FnMut(Progress) -> ControlFlow<B>,
) -> ControlFlow<B, Outcome<Compared>> {
    let began = Instant::now();
    let start = RunStart::new(peer);
    let mut rows: Vec<PairState<'_>> = comparison.pairs.iter().map(PairState::new).collect();
    let mut growing = SequentialComparison::new(comparison.rule.clone(), rows.len());
    let mut random = StdRng::seed_from_u64(order_seed);
    let mut done = 0;
    let most = comparison.rule.looks.last().copied().unwrap_or_default();
    // Without a budget, the time never ends.
    let time_left =
        || comparison.budget.map_or(Duration::MAX, |budget| budget.saturating_sub(began.elapsed()));
    loop {
        for (index, row) in rows.iter().enumerate() {
            if row.base.is_given_up() || row.head.is_given_up() {
                growing.give_up(index);
            }
        }
        let mut round = fitting(&rows, &growing, time_left());
        if round.is_empty() {
            break;
        }
        round.shuffle(&mut random);
        for index in round {
            // Each pair shows better how much time the others take.
            if comparison.budget.is_some() && !fitting(&rows, &growing, time_left()).contains(&index) {
                continue;
            }
            rows[index].measure(peer, comparison.deadline, &mut random);
            done += 1;
            let decided = (0..rows.len()).filter(|&index| !growing.wants_more(index)).count();
            observe(Progress { pairs: done, decided })?;
        }
        growing.look(&rows.iter().map(|row| &row.pairs[..]).collect::<Vec<_>>());
        // If a case had not been decided now, it would have shared the rest of the time with the others.
        let others: Duration = undecided(&growing, rows.len()).map(|index| rows[index].pair_time()).sum();
        for (index, row) in rows.iter_mut().enumerate() {
            if !growing.wants_more(index) && row.pairs_max.is_none() {
                let more = time_left().div_duration_f64(others + row.pair_time());
                row.pairs_max = Some((row.pairs.len()..most).nth(whole(more)).unwrap_or(most));
            }
        }
    }
    for index in undecided(&growing, rows.len()).collect::<Vec<_>>() {
        growing.stop(index, rows[index].pairs.len());
    }

    let results = rows.into_iter().zip(growing.rows()).map(|(row, known)| Compared {
        base: row.base.into_result(),
        head: row.head.into_result(),
        pairs_max: row.pairs_max.unwrap_or(row.pairs.len()),
        pairs: row.pairs,
        row: *known,
        machine_time: row.spent,
    });
    let results = results.collect();
    ControlFlow::Continue(start.end(order_seed, results))
}

/// The undecided cases that can be decided together in this time, those that need the least time first.
fn fitting(rows: &[PairState<'_>], growing: &SequentialComparison, mut time_left: Duration) -> Vec<usize> {
    if time_left.is_zero() {
        return Vec::new();
    }
    // A case without a pair takes about as long as the others.
    let (pairs, spent) = rows
        .iter()
        .fold((0, Duration::ZERO), |(pairs, spent), row| (pairs + row.pairs.len(), spent + row.spent));
    let mean = spent.checked_div(count(pairs)).unwrap_or_default();
    let needs = undecided(growing, rows.len()).filter_map(|index| {
        let row = &rows[index];
        let more = growing.next_decision(index)?.saturating_sub(row.pairs.len());
        let time = if row.pairs.is_empty() { mean } else { row.pair_time() };
        Some((time.saturating_mul(count(more)), index))
    });
    let mut needs: Vec<(Duration, usize)> = needs.collect();
    needs.sort_unstable();
    let fits = |&(needed, _): &(Duration, usize)| {
        let rest = time_left.checked_sub(needed);
        time_left = rest.unwrap_or_default();
        rest.is_some()
    };
    let fitting: Vec<usize> = needs.into_iter().take_while(fits).map(|(_, index)| index).collect();
    if !fitting.is_empty() {
        return fitting;
    }
    // A case without a pair may be quicker than the others.
    undecided(growing, rows.len()).find(|&index| rows[index].spent.is_zero()).into_iter().collect()
}

fn undecided(growing: &SequentialComparison, rows: usize) -> impl Iterator<Item = usize> {
    (0..rows).filter(|&index| growing.wants_more(index))
}

fn count(pairs: usize) -> u32 {
    u32::try_from(pairs).unwrap_or(u32::MAX)
}

/// A number of pairs, rounded down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is not negative")]
fn whole(pairs: f64) -> usize {
    pairs as usize
}

/// The result of a case before its first repetition, which describes the case.
pub fn unmeasured(case: &PlannedCase) -> CaseResult {
    CaseRecorder::new(case).into_result()
}

/// Runs a case once in one of the parts of a repetition, for what it opens and not for its times. Returns whether it succeeded; a
/// case that its program does not support has.
pub fn try_once(case: &PlannedCase, deadline: Duration, peer: &PeerCommand) -> bool {
    let samples = Parts::for_work(&case.work).samples;
    let mut case = case.clone();
    case.work.operations = samples;
    case.work.warmup = case.work.warmup.min(samples);
    matches!(repetition(&case, peer, deadline, &mut |_| {}), Ok(_) | Err(NotMeasured::Unsupported(_)))
}

/// Pairs of one case, without a verdict.
#[derive(Clone, Debug)]
pub struct MeasuredPairs {
    /// All of base's repetitions.
    pub base: CaseResult,
    /// All of head's.
    pub head: CaseResult,
    /// Log ratios of head's p50 to base's, by pair.
    pub log_ratios: Vec<f64>,
}

/// Measures pairs of one case while `wants_more`. It gets the log ratio of the last pair, or `None` before the first one and
/// after a failure. Stops earlier if a side fails twice: its result has the reasons.
pub fn measure_pairs(
    pair: &Pair,
    deadline: Duration,
    peer: &PeerCommand,
    order_seed: u64,
    wants_more: &mut dyn FnMut(Option<f64>) -> bool,
) -> MeasuredPairs {
    let mut random = StdRng::seed_from_u64(order_seed);
    let mut state = PairState::new(pair);
    let mut newest = None;
    while !state.base.is_given_up() && !state.head.is_given_up() && wants_more(newest) {
        let before = state.pairs.len();
        state.measure(peer, deadline, &mut random);
        newest = state.pairs.get(before).map(|pair| pair.p50);
    }
    let log_ratios = state.pairs.iter().map(|pair| pair.p50).collect();
    MeasuredPairs { base: state.base.into_result(), head: state.head.into_result(), log_ratios }
}

impl<'a> PairState<'a> {
    fn new(pair: &'a Pair) -> Self {
        let mut row = Self {
            pair,
            base: CaseRecorder::new(&pair.base),
            head: CaseRecorder::new(&pair.head),
            pairs: Vec::new(),
            spent: Duration::ZERO,
            pairs_max: None,
        };
        if pair.programs().is_some() {
            let parts = Parts::for_work(&pair.base.work).count;
            row.base.is_in_parts(parts);
            row.head.is_in_parts(parts);
        }
        row
    }

    /// The mean time of a pair; zero before the first.
    fn pair_time(&self) -> Duration {
        self.spent.checked_div(count(self.pairs.len())).unwrap_or_default()
    }

    fn measure(&mut self, peer: &PeerCommand, deadline: Duration, random: &mut StdRng) {
        let began = Instant::now();
        let pair = match self.pair.programs() {
            Some(programs) => self.run_alternating(programs, peer, deadline, random),
            None => self.run_in_sequence(peer, deadline, random),
        };
        self.pairs.extend(pair);
        self.spent += began.elapsed();
    }

    /// Runs both programs at the same time, in alternating parts.
    fn run_alternating(
        &mut self,
        programs: [&Program; 2],
        peer: &PeerCommand,
        deadline: Duration,
        random: &mut StdRng,
    ) -> Option<verdict::Pair> {
        let began = Instant::now();
        let cases = [self.base.next(), self.head.next()];
        let measured = paired::run(cases.each_ref(), programs, peer, deadline, random);
        // Each side had half of the time.
        let took = began.elapsed() / 2;
        match measured {
            Ok(([base, head], ratio_ppb)) => {
                let side = |measured, ratio_ppb| Ok(Measured { log_ratio_ppb: Some(ratio_ppb), ..measured });
                let base = self.base.add(side(base, -ratio_ppb), took);
                let head = self.head.add(side(head, ratio_ppb), took);
                Some(verdict::Pair::new([&base?, &head?], Some(ratio_ppb)))
            }
            Err((side, reason)) => {
                let (failed, other) = match side {
                    0 => (&mut self.base, &mut self.head),
                    _ => (&mut self.head, &mut self.base),
                };
                failed.add(Err(reason), took);
                other.skip(took);
                None
            }
        }
    }

    /// Runs peers of the suite, each in its own processes for one repetition.
    fn run_in_sequence(
        &mut self,
        peer: &PeerCommand,
        deadline: Duration,
        random: &mut StdRng,
    ) -> Option<verdict::Pair> {
        let mut sides = [&mut self.base, &mut self.head];
        let one = |side: usize| {
            let began = Instant::now();
            let measured = repetition(&sides[side].next(), peer, deadline, &mut |_| {});
            // If one side fails, the other is still recorded.
            Ok::<_, Infallible>(sides[side].add(measured, began.elapsed()))
        };
        let Ok([base, head]) = paired::in_any_order(random, one);
        Some(verdict::Pair::new([&base?, &head?], None))
    }
}

impl Pair {
    /// The programs of both sides, if both are programs that can alternate.
    fn programs(&self) -> Option<[&Program; 2]> {
        Some([self.base.transport.program()?, self.head.transport.program()?])
    }
}
