//! Simulated comparisons of many rows.

use super::draws::Truth;
use crate::noise::{Level, Noise};
use rand::rngs::StdRng;
use roundtrip_stats::shape::P50;
use roundtrip_stats::verdict::{self, Pair, Row, Rule, SequentialComparison, Sides};
use roundtrip_stats::welch::{stars, welch};

/// The share of a repetition's variance that all rows have in common because they run on one machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Machine {
    Independent,
    /// Half of the variance.
    Shared,
}

const PAIRS_MAX: usize = 60;

/// The levels of each row's repetitions.
fn levels(rows: &[Truth], machine: Machine, count: usize, random: &mut StdRng) -> Vec<Vec<[f64; 2]>> {
    let common = Level::Of(Noise::Normal(0.03)).pairs(count, random);
    let half = 0.5_f64.sqrt();
    let with_common = |[common, own]: [[f64; 2]; 2]| [0, 1].map(|side| half * (common[side] + own[side]));
    let row = |truth: &Truth| -> Vec<[f64; 2]> {
        let own = truth.level.pairs(count, random);
        match machine {
            Machine::Independent => own,
            Machine::Shared => {
                common.iter().zip(own).map(|(common, own)| with_common([*common, own])).collect()
            }
        }
    };
    rows.iter().map(row).collect()
}

/// Adds pairs until every row is decided; returns the rows and the number of pairs used.
pub(crate) fn compare_pairs(rows: &[Truth], machine: Machine, random: &mut StdRng) -> (Vec<Row>, usize) {
    let levels = levels(rows, machine, PAIRS_MAX, random);
    let mut comparison = SequentialComparison::new(Rule::default(), rows.len());
    let mut pairs: Vec<Vec<Pair>> = vec![Vec::new(); rows.len()];
    for round in 0..PAIRS_MAX {
        for (index, (truth, levels)) in rows.iter().zip(&levels).enumerate() {
            if comparison.wants_more(index) {
                pairs[index].push(truth.pair(levels[round], random));
            }
        }
        comparison.look(&pairs);
    }
    (comparison.rows().to_vec(), pairs.iter().map(Vec::len).sum())
}

/// Compares reports with this many repetitions per side.
pub(crate) fn reports(rows: &[Truth], machine: Machine, count: usize, random: &mut StdRng) -> Vec<Row> {
    let levels = levels(rows, machine, count, random);
    let sides = rows.iter().zip(levels).map(|(truth, levels)| {
        let (base, head) = levels.into_iter().map(|levels| truth.sides(levels, random).into()).unzip();
        let profiles: [Vec<_>; 2] = [base, head];
        let p50s = profiles.each_ref().map(|side| side.iter().map(|profile| profile[P50]).collect());
        Sides { p50s, profiles: Some(profiles), ..Sides::default() }
    });
    verdict::unpaired(&Rule::default(), &sides.collect::<Vec<_>>())
}

/// Node's procedure: 30 runs per side, Welch's t of the rates. Returns which rows have a star.
pub(crate) fn starred(rows: &[Truth], machine: Machine, random: &mut StdRng) -> Vec<bool> {
    let levels = levels(rows, machine, 30, random);
    let starred = rows.iter().zip(levels).map(|(truth, levels)| {
        let (base, head): (Vec<f64>, Vec<f64>) =
            levels.into_iter().map(|[base, head]| ((-base).exp(), (-head - truth.shift).exp())).unzip();
        welch(&base, &head).is_some_and(|test| !stars(test.p_two_sided).is_empty())
    });
    starred.collect()
}
