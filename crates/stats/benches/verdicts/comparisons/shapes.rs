//! Distributions with an equal p50: a second mode, and modes with changed weights. Compares the rank test of quantiles
//! with a permutation test of the energy distance for pairs (Székely and Móri 2001) on the same quantiles.

use super::draws::{Messages, Truth};
use super::simulated::{Machine, compare_pairs, reports};
use super::{ROWS, SEED};
use crate::noise::{Level, Noise};
use crate::{peer, row};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::shape::{self, P50, Profile};
use roundtrip_stats::verdict::Verdict;

const LEVEL: Level = Level::Of(Noise::Normal(0.03));
const PAIRS: usize = 12;
const FLIPS: usize = 999;
const SURE: f64 = 0.01;

fn mode(second_share: f64) -> Messages {
    Messages { second_share, second_factor: 1.3 }
}

pub(super) fn rows(is_quick: bool) -> Vec<Row> {
    let one = Messages::ONE_MODE;
    let kinds = [
        ("a tenth in a second mode", [one, mode(0.1)]),
        ("a third in a second mode", [one, mode(1.0 / 3.0)]),
        ("weights from 20 to 40 %", [mode(0.2), mode(0.4)]),
        ("weights from 10 to 15 %", [mode(0.1), mode(0.15)]),
    ];
    let mut rows =
        vec![alone("shape, one row without a change", [one; 2], is_quick, BarIs::ValueAtMost, SURE)];
    alone("shape, one row of two modes without a change", [mode(0.3); 2], is_quick, BarIs::ValueAtMost, SURE);
    for (name, messages) in kinds {
        let name_alone = format!("shape, one row of {PAIRS} pairs, {name}");
        rows.push(alone(&name_alone, messages, is_quick, BarIs::ValueAtLeast, 0.95));
        rows.push(among(name, messages, is_quick));
    }
    rows
}

/// The rate at which a single row of this many pairs has a p of at most 1 %.
fn alone(name: &str, messages: [Messages; 2], is_quick: bool, bar_is: BarIs, bar: f64) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let draws = if is_quick { 1_000 } else { 10_000 };
    let truth = Truth { messages, ..Truth::equal(LEVEL) };
    let (mut ours, mut energy) = (0, 0);
    for _ in 0..draws {
        let levels = LEVEL.pairs(PAIRS, &mut random);
        let differences: Vec<Profile> =
            levels.into_iter().map(|levels| truth.pair(levels, &mut random).profile).collect();
        ours += usize::from(shape::paired(&differences, 0.0, 0.95).is_some_and(|found| found.p <= SURE));
        energy += usize::from(energy_p(&differences, &mut random) <= SURE);
    }
    let [ours, energy] = [ours, energy].map(|found| found as f64 / f64::from(draws));
    eprintln!("{name}, p at most 1 %: ranks {ours:.4}, energy {energy:.4}");
    let peer = peer(&format!("energy, {FLIPS} flips"), energy);
    row(name, ours, peer, bar_is, bar)
}

/// The p-value (b + 1) / (n + 1) of n random sign flips (Phipson and Smyth 2010), with b distances at least as large.
/// The statistic is the distance of the pairs' differences from their mirror image.
fn energy_p(differences: &[Profile], random: &mut StdRng) -> f64 {
    let relative: Vec<Profile> =
        differences.iter().map(|profile| profile.map(|log| log - profile[P50])).collect();
    let distance = |one: &Profile, other: &Profile, sign: f64| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one + sign * other).powi(2)).sum::<f64>().sqrt()
    };
    let kernel: Vec<Vec<f64>> = relative
        .iter()
        .map(|one| {
            relative.iter().map(|other| distance(one, other, 1.0) - distance(one, other, -1.0)).collect()
        })
        .collect();
    let statistic = |signs: &[f64]| -> f64 {
        let row =
            |(row, sign): (&Vec<f64>, &f64)| sign * row.iter().zip(signs).map(|(k, s)| k * s).sum::<f64>();
        kernel.iter().zip(signs).map(row).sum()
    };
    let found = statistic(&vec![1.0; relative.len()]) * (1.0 - 1e-12);
    let mut flip = || -> Vec<f64> {
        relative.iter().map(|_| if random.random_bool(0.5) { 1.0 } else { -1.0 }).collect()
    };
    let as_large = (0..FLIPS).filter(|_| statistic(&flip()) >= found).count();
    (as_large + 1) as f64 / (FLIPS + 1) as f64
}

/// The rate at which ten of these rows are found among all by their p90, p99 or shape if no change of the p50 is reported.
fn among(name: &str, messages: [Messages; 2], is_quick: bool) -> Row {
    const ODD: usize = 10;
    let mut random = StdRng::seed_from_u64(SEED);
    let mut rows = vec![Truth::equal(LEVEL); ROWS];
    rows[..ODD].fill(Truth { messages, ..Truth::equal(LEVEL) });
    let comparisons = if is_quick { 5 } else { 100 };
    let all = (comparisons * ODD) as f64;
    let (mut found, mut by_shape, mut p50s, mut in_reports, mut pairs) = (0, 0, 0, 0, 0);
    for _ in 0..comparisons {
        let (decided, used) = compare_pairs(&rows, Machine::Independent, &mut random);
        pairs += used;
        for row in &decided[..ODD] {
            found += usize::from(row.changed());
            by_shape += usize::from(row.shape.is_some_and(|shape| shape.changed()));
            p50s += usize::from(row.p50.verdict == Some(Verdict::Regressed));
        }
        let reports = reports(&rows, Machine::Independent, 15, &mut random);
        in_reports += reports[..ODD].iter().filter(|row| row.changed()).count();
    }
    let [found, by_shape, p50s, in_reports] =
        [found, by_shape, p50s, in_reports].map(|count| f64::from(u32::try_from(count).unwrap()) / all);
    eprintln!(
        "{name}, {ODD} of {ROWS} rows: found {found:.4}, by the shape {by_shape:.4}, by the p50 {p50s:.4}, {:.1} pairs a row; \
         reports of 15: {in_reports:.4}",
        pairs as f64 / (comparisons * ROWS) as f64
    );
    let peer = peer("by the p50", p50s);
    let peer = Peer { value: peer.value.max(1.0), ..peer };
    row(format!("found, {name}"), found, peer, BarIs::ValueAtLeast, 0.95)
}
