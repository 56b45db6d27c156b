//! The detection rate of a slowdown of 5 % with noise of 3 %, and the number of pairs needed.

use super::draws::Truth;
use super::simulated::{Machine, compare_pairs, reports, starred};
use super::{ROWS, SEED};
use crate::noise::{Level, Noise};
use crate::{peer, row};
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Row};
use roundtrip_stats::verdict::{self, Verdict};

pub(super) fn rows(is_quick: bool) -> Vec<Row> {
    let level = Level::Of(Noise::Normal(0.03));
    [1, 10, 100].into_iter().map(|slower| of(level, slower, is_quick)).collect()
}

fn of(level: Level, slower: usize, is_quick: bool) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut rows = vec![Truth::equal(level); ROWS];
    rows[..slower].fill(Truth::slower(level, 1.05));
    // The same number of slower rows in total, regardless of their number per comparison.
    let comparisons = (if is_quick { 40 } else { 1_000 } / slower).max(if is_quick { 4 } else { 40 });
    let all = comparisons * slower;
    let found_among = |rows: &[verdict::Row]| -> usize {
        rows[..slower].iter().filter(|row| row.p50.verdict == Some(Verdict::Regressed)).count()
    };

    let (mut found, mut pairs, mut stars) = (0, 0, 0);
    for _ in 0..comparisons {
        let (decided, used) = compare_pairs(&rows, Machine::Independent, &mut random);
        found += found_among(&decided);
        pairs += used;
        stars +=
            starred(&rows, Machine::Independent, &mut random)[..slower].iter().filter(|star| **star).count();
    }
    let share = |found: usize| found as f64 / all as f64;
    let of_reports = [10, 15, 30].map(|count| {
        let found: usize = (0..comparisons)
            .map(|_| found_among(&reports(&rows, Machine::Independent, count, &mut random)))
            .sum();
        format!("{count} repetitions {:.3}", share(found))
    });
    eprintln!(
        "{slower} of {ROWS} rows 5 % slower at 3 %: found {:.4} of {all} with {:.1} pairs a row; reports of {}",
        share(found),
        pairs as f64 / (comparisons * ROWS) as f64,
        of_reports.join(", ")
    );
    let peer = peer("stars of 30 runs", share(stars));
    row(format!("5 % at 3 % found, {slower} of {ROWS} rows"), share(found), peer, BarIs::ValueAtLeast, 0.95)
}
