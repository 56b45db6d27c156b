//! Results of a row when it stops, at a look that depends on its data: the coverage of its interval, and how often a
//! row that changed by exactly `matters` is reported as unchanged.

use super::SEED;
use super::coverage::Coverage;
use super::draws::Truth;
use crate::noise::{Level, Noise};
use crate::{peer, row, whole};
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::shift;
use roundtrip_stats::verdict::{Outcome, Pair, Rule, SequentialComparison, Verdict};

const NOISES: [f64; 3] = [0.01, 0.03, 0.08];
const SLOWER: [f64; 9] = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2];

/// Results for rows with the same true change.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    shown: Coverage,
    plain: Coverage,
    equal: usize,
    pairs: usize,
}

pub(super) fn rows(is_quick: bool) -> Vec<Row> {
    let draws = if is_quick { 200 } else { 4_000 };
    let mut random = StdRng::seed_from_u64(SEED);
    let mut cells = Vec::new();
    let mut falsely_equal = 0.0_f64;
    for slower in SLOWER {
        for noise in NOISES {
            let truth = Truth::slower(Level::Of(Noise::Normal(noise)), 1.0 + slower);
            let mut cell = Cell::default();
            for _ in 0..draws {
                cell.count(&truth, &mut random);
            }
            let [equal, pairs] = [cell.equal, cell.pairs].map(|sum| sum as f64 / draws as f64);
            eprintln!(
                "where a row stops, {:.0} % slower, noise {:.0} %: covered {:.4}, by 95 % {:.4}; reported as equal {equal:.4}; \
                 {pairs:.1} pairs",
                100.0 * slower,
                100.0 * noise,
                cell.shown.share(),
                cell.plain.share()
            );
            if slower == Rule::default().matters {
                falsely_equal = falsely_equal.max(equal);
            }
            cells.push(cell);
        }
    }
    let ends = |of: fn(&Cell) -> Coverage| {
        let shares = cells.iter().map(|cell| of(cell).share());
        let mean = Coverage::sum(cells.iter().map(of)).share();
        [shares.clone().fold(1.0, f64::min), mean, shares.fold(0.0, f64::max)]
    };
    let ([low, mean, high], [plain, plain_mean, plain_high]) =
        (ends(|cell| cell.shown), ends(|cell| cell.plain));
    eprintln!(
        "where a row stops: covered {low:.4} to {high:.4}, {mean:.4} on the whole; by 95 % {plain:.4} to {plain_high:.4}, \
         {plain_mean:.4}"
    );
    let by_plain = peer("95 % of the same pairs", plain);
    let bar = Peer { name: "the allowed share (5 %)".into(), value: whole(0.05) };
    vec![
        row("coverage where a row stops, lowest", low, by_plain, BarIs::ValueAtLeast, 0.94),
        row("3 % slower but reported as equal", falsely_equal, bar, BarIs::ValueAtMost, 0.05),
    ]
}

impl Cell {
    fn count(&mut self, truth: &Truth, random: &mut StdRng) {
        let levels = truth.level.pairs(60, random);
        let pairs: Vec<Pair> = levels.into_iter().map(|levels| truth.pair(levels, random)).collect();
        let mut comparison = SequentialComparison::new(Rule::default(), 1);
        let mut count = 0;
        while comparison.wants_more(0) {
            count += 1;
            comparison.look(&[&pairs[..count]]);
        }
        let Outcome { shift, verdict, .. } = comparison.rows()[0].p50;
        let p50s: Vec<f64> = pairs[..count].iter().map(|pair| pair.p50).collect();
        self.shown.count(shift.and_then(|shift| shift.interval).unwrap(), truth.shift);
        self.plain.count(shift::paired(&p50s, 0.95).and_then(|shift| shift.interval).unwrap(), truth.shift);
        self.equal += usize::from(verdict == Some(Verdict::NoChange));
        self.pairs += count;
    }
}
