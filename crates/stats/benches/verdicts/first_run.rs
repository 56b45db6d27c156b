//! The first run of a commit: how often it raises a suspicion, and what the paired comparison makes of it. A commit is
//! measured once, in 20 series with 30 values before it.
//!
//! The peer of suspicions is the rule of Shewhart (1931), three standard deviations from the mean in any series. The peer of
//! confirmations is to report each suspicion without a paired comparison.

use crate::comparisons::draws::Truth;
use crate::comparisons::simulated::{Machine, compare_pairs};
use crate::noise::{FAMILIES, Level, Noise};
use crate::{peer, row};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rand_distr::{Distribution, Exp1};
use roundtrip_budget::{BarIs, Row};
use roundtrip_stats::change_point::Settings;
use roundtrip_stats::suspicion::{Expectation, suspicious};
use roundtrip_stats::verdict::Verdict;

const SEED: u64 = 20_261_214;
const SERIES: usize = 20;
const BEFORE: usize = 30;
/// The share of outliers, as in [`crate::noise`].
const OUTLIERS: f64 = 0.004;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let commits = if is_quick { 2_000 } else { 40_000 };
    let steady = [Noise::Normal(0.03)];
    let families = FAMILIES.map(|(_, noise)| noise);
    let mut rows = Vec::new();
    for (name, noises, outliers, bar) in [
        ("noise of 3 %", &steady[..], 0.0, 0.01),
        ("six kinds of noise", &families[..], 0.0, 0.05),
        // One of thirteen commits has an outlier.
        ("six kinds of noise, outliers", &families[..], OUTLIERS, 0.12),
    ] {
        rows.extend(null_rows(name, &Commit { noises, outliers, slower: 0, factor: 1.0 }, commits, bar));
    }
    for (percent, slower, bar) in [(10, 1, 0.2), (10, SERIES, 0.9), (21, 1, 0.95), (21, SERIES, 0.99)] {
        let factor = 1.0 + f64::from(percent) / 100.0;
        let commit = Commit { noises: &steady, outliers: 0.0, slower, factor };
        let name = format!("{percent} % step at 3 % confirmed after one run, {slower} of {SERIES} series");
        rows.push(step_row(&name, &commit, commits / 40, bar));
    }
    rows
}

/// A commit: its noise, and how many of its series are slower by which factor.
struct Commit<'a> {
    noises: &'a [Noise],
    outliers: f64,
    slower: usize,
    factor: f64,
}

/// The outcome of the first run.
struct First {
    suspicious: Vec<bool>,
    /// Whether any series is three standard deviations from its mean.
    is_beyond_three: bool,
}

impl Commit<'_> {
    fn noise(&self, series: usize) -> Noise {
        self.noises[series % self.noises.len()]
    }

    fn first_run(&self, random: &mut StdRng) -> First {
        let mut is_beyond_three = false;
        let newest: Vec<_> = (0..SERIES)
            .map(|series| {
                let mut values = self.noise(series).values(BEFORE + 1, random);
                for value in &mut values {
                    if random.random_bool(self.outliers) {
                        let excess: f64 = Exp1.sample(random);
                        *value *= 1.05 + 0.5 * excess;
                    }
                }
                let value = values.pop().unwrap() * if series < self.slower { self.factor } else { 1.0 };
                is_beyond_three |= is_beyond(&values, value);
                Expectation::of(&values).unwrap().newest(value, &Settings::default()).unwrap()
            })
            .collect();
        First { suspicious: suspicious(&newest), is_beyond_three }
    }

    /// Whether the paired comparison confirms a suspicious series.
    fn is_confirmed(&self, suspicious: &[bool], random: &mut StdRng) -> bool {
        let truth = |series| {
            let level = Level::Of(self.noise(series));
            if series < self.slower { Truth::slower(level, self.factor) } else { Truth::equal(level) }
        };
        let truths: Vec<Truth> = (0..SERIES).map(truth).collect();
        let (rows, _) = compare_pairs(&truths, Machine::Independent, random);
        let is_changed = |verdict| matches!(verdict, Some(Verdict::Regressed | Verdict::Improved));
        rows.iter().zip(suspicious).any(|(row, suspicious)| *suspicious && is_changed(row.p50.verdict))
    }
}

fn is_beyond(values: &[f64], value: f64) -> bool {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (value - mean).abs() > 3.0 * (squares / (values.len() - 1) as f64).sqrt()
}

/// Commits without a change: the share that raises a suspicion, the share of these that is confirmed, and the share of all.
fn null_rows(name: &str, commit: &Commit<'_>, commits: usize, bar: f64) -> [Row; 3] {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut raised, mut beyond_three, mut confirmed) = (0, 0, 0);
    for _ in 0..commits {
        let first = commit.first_run(&mut random);
        beyond_three += usize::from(first.is_beyond_three);
        if first.suspicious.contains(&true) {
            raised += 1;
            confirmed += usize::from(commit.is_confirmed(&first.suspicious, &mut random));
        }
    }
    eprintln!(
        "{name}: {raised} suspicions in {commits} commits without a change, {confirmed} of them confirmed"
    );
    let share = |found: usize| found as f64 / commits as f64;
    let of_raised = confirmed as f64 / raised.max(1) as f64;
    let unconfirmed = || peer("without a paired comparison", share(raised).max(0.000_1));
    [
        row(
            format!("suspicions, commits without a change, {name}"),
            share(raised),
            peer("three deviations", share(beyond_three).max(0.000_1)),
            BarIs::ValueAtMost,
            bar,
        ),
        row(
            format!("confirmed, of these, {name}"),
            of_raised,
            peer("nominal", 0.01),
            BarIs::ValueAtMost,
            0.01,
        ),
        row(
            format!("false confirmations, all commits, {name}"),
            share(confirmed),
            unconfirmed(),
            BarIs::ValueAtMost,
            0.001,
        ),
    ]
}

fn step_row(name: &str, commit: &Commit<'_>, commits: usize, bar: f64) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut confirmed, mut raised, mut beyond_three) = (0, 0, 0);
    for _ in 0..commits {
        let first = commit.first_run(&mut random);
        beyond_three += usize::from(first.is_beyond_three);
        let slower = &first.suspicious[..commit.slower];
        if slower.contains(&true) {
            raised += 1;
            confirmed += usize::from(commit.is_confirmed(&first.suspicious, &mut random));
        }
    }
    let share = |found: usize| found as f64 / commits as f64;
    eprintln!("{name}: {raised} of {commits} suspected, {confirmed} confirmed");
    row(
        name,
        share(confirmed),
        peer("three deviations, unconfirmed", share(beyond_three)),
        BarIs::ValueAtLeast,
        bar,
    )
}
