//! One case, measured alternately by the harness and by the bare loop.
//!
//! The result is the turn with the median ratio. A machine can be slow for a fraction of a second. Both sides of a
//! turn, some hundredths of a second apart, share that state; the median of one side alone could come from either
//! state.
//!
//! Fresh processes differ by more than the bar when an operation is short and touches much memory. These cases get more
//! turns, until the interval of the median ratio is narrow. The verdict never ends them early.

use crate::bare::Bare;
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::{PeerCommand, peers};
use roundtrip_bench::scenario::Work;
use roundtrip_stats::interval::{self, Interval};
use roundtrip_stats::nearest_rank;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

const MEASURED: Duration = Duration::from_millis(15);
/// The fewest operations for a median, however long they take.
const OPERATIONS_MIN: u64 = 15;
const OPERATIONS_MAX: u64 = 10_000;
/// Recorded operations per warm-up operation.
const OPERATIONS_PER_WARMUP: u64 = 5;
const WARMUP_MIN: u64 = 5;

/// Far longer than any turn.
const DEADLINE: Duration = Duration::from_secs(30);

/// The widest interval that counts as narrow, in millionths of the ratio: two thirds of the margin below the bar.
const NARROW_PPM: u64 = 20_000;
const CONFIDENCE_PPM: u32 = 950_000;

pub(crate) struct BareLoop<'a> {
    pub(crate) bare: &'a Bare,
    pub(crate) mechanism: String,
}

impl BareLoop<'_> {
    fn p50_ns(&self, case: &PlannedCase) -> Result<u64, String> {
        self.bare.p50_ns(&self.mechanism, case)
    }
}

pub(crate) struct Comparison<'a> {
    pub(crate) case: PlannedCase,
    bare_loop: BareLoop<'a>,
    turns: Vec<Turn>,
}

/// Two values of one turn, such as the nanoseconds of the harness and of the bare loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) value: u64,
    pub(crate) peer: u64,
}

impl Turn {
    fn ratio_ppm(self) -> u64 {
        (u128::from(self.value) * 1_000_000 / u128::from(self.peer.max(1))).try_into().unwrap_or(u64::MAX)
    }
}

impl<'a> Comparison<'a> {
    pub(crate) fn calibrate(mut case: PlannedCase, bare_loop: BareLoop<'a>) -> Result<Self, String> {
        case.work = Work { operations: OPERATIONS_MIN, warmup: WARMUP_MIN, ..case.work };
        let operations = operations(bare_loop.p50_ns(&case)? * case.work.batch);
        let warmup = (operations / OPERATIONS_PER_WARMUP).max(WARMUP_MIN);
        case.work = Work { operations, warmup, ..case.work };
        Ok(Self { case, bare_loop, turns: Vec::new() })
    }

    fn turn(&mut self) -> Result<(), String> {
        // The first side alternates, so that neither always runs on the machine as the other left it.
        let turn = if self.turns.len().is_multiple_of(2) {
            let value = harness_p50_ns(&self.case)?;
            Turn { value, peer: self.bare_loop.p50_ns(&self.case)? }
        } else {
            let peer = self.bare_loop.p50_ns(&self.case)?;
            Turn { value: harness_p50_ns(&self.case)?, peer }
        };
        self.turns.push(turn);
        Ok(())
    }

    pub(crate) fn typical(&self) -> Result<Turn, String> {
        typical(&self.turns).ok_or_else(|| format!("{}: not measured yet", self.case))
    }

    pub(crate) fn interval(&self) -> Option<Interval> {
        interval(&self.turns)
    }

    pub(crate) fn name(&self) -> String {
        format!("p50 of {}, {} turns", self.case, self.turns.len())
    }
}

/// Takes one turn of every comparison at a time, so that a drift of the machine spreads over all of them. Comparisons
/// that are not narrow then get more turns.
pub(crate) fn take_turns(
    comparisons: &mut [Comparison<'_>],
    turns: usize,
    turns_max: usize,
) -> Result<(), String> {
    for turn in 0..turns {
        progress(turn, turns, comparisons.len());
        comparisons.iter_mut().try_for_each(Comparison::turn)?;
    }
    for turn in (turns..turns_max).step_by(2) {
        let mut wide: Vec<_> =
            comparisons.iter_mut().filter(|comparison| !is_narrow(&comparison.turns)).collect();
        if wide.is_empty() {
            break;
        }
        progress(turn, turns_max, wide.len());
        for comparison in &mut wide {
            // Two at a time: an odd number of turns has a middle one.
            comparison.turn()?;
            comparison.turn()?;
        }
    }
    Ok(())
}

pub(crate) fn progress(turn: usize, turns: usize, comparisons: usize) {
    if stderr().is_terminal() {
        eprint!("\rturn {} of {turns}, {comparisons} cases \r", turn + 1);
    }
}

/// Whether more turns would hardly change the result.
fn is_narrow(turns: &[Turn]) -> bool {
    interval(turns).is_some_and(|interval| interval.high - interval.low <= NARROW_PPM)
}

pub(crate) fn interval(turns: &[Turn]) -> Option<Interval> {
    let ratios: Vec<u64> = turns.iter().map(|turn| turn.ratio_ppm()).collect();
    interval::median(&ratios, CONFIDENCE_PPM)
}

pub(crate) fn typical(turns: &[Turn]) -> Option<Turn> {
    let mut turns = turns.to_vec();
    turns.sort_unstable_by_key(|turn| turn.ratio_ppm());
    turns.get(turns.len() / 2).copied()
}

fn operations(operation_ns: u64) -> u64 {
    let fitting = MEASURED.as_nanos() / u128::from(operation_ns.max(1));
    u64::try_from(fitting).unwrap_or(OPERATIONS_MAX).clamp(OPERATIONS_MIN, OPERATIONS_MAX)
}

fn harness_p50_ns(case: &PlannedCase) -> Result<u64, String> {
    let peer = PeerCommand::this_program().map_err(|error| error.to_string())?;
    let report = peers::run(case, &peer, DEADLINE, &mut |_| {});
    let report = report.map_err(|error| format!("the harness on {case}: {error}"))?;
    let mut samples_ns: Vec<u64> = report.ends.into_iter().flat_map(|end| end.samples_ns).collect();
    samples_ns.sort_unstable();
    nearest_rank(&samples_ns, 500_000).ok_or_else(|| format!("the harness on {case} took no samples"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_slowness_does_not_change_the_ratio() {
        let turn = |value, peer| Turn { value, peer };
        // The medians of the sides alone are 200 and 101 ns.
        let turns = [turn(102, 101), turn(101, 100), turn(200, 201), turn(210, 100), turn(205, 203)];
        assert_eq!(typical(&turns), Some(turn(102, 101)));
        assert_eq!(typical(&[]), None);
    }

    #[test]
    fn stops_only_at_a_narrow_interval() {
        let narrow = |values: &[u64]| {
            is_narrow(&values.iter().map(|&value| Turn { value, peer: 1_000 }).collect::<Vec<_>>())
        };
        assert!(narrow(&[1_000, 1_010, 1_010, 1_010, 1_010, 1_020]));
        assert!(!narrow(&[1_000, 1_010, 1_010, 1_010, 1_010, 1_021]));
        assert!(!narrow(&[1_000; 5]), "too few to know");
    }

    #[test]
    fn limits_operations_per_turn() {
        assert_eq!(operations(10_000), 1_500);
        assert_eq!(operations(8_000_000), OPERATIONS_MIN);
        assert_eq!(operations(1), OPERATIONS_MAX);
        assert_eq!(operations(0), OPERATIONS_MAX);
    }
}
