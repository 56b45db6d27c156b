//! Coverage of the confidence interval of a shift, compared with a percentile bootstrap of the same estimate.

use crate::noise::{Level, Noise, levels, resample};
use crate::{peer, row};
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Row};
use roundtrip_stats::shift;

const PAIRS: [usize; 7] = [8, 10, 12, 15, 20, 30, 60];
const REPETITIONS: [usize; 4] = [8, 10, 15, 30];
const CONFIDENCE: f64 = 0.95;
const RESAMPLES: usize = 399;
/// One sample in this many also gets a bootstrap.
const PEER_EVERY: usize = 20;

/// The number of intervals that contain the true shift.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coverage {
    covered: usize,
    all: usize,
}

impl Coverage {
    pub(super) fn count(&mut self, [low, high]: [f64; 2], truth: f64) {
        self.all += 1;
        self.covered += usize::from(low <= truth && truth <= high);
    }

    pub(super) fn share(self) -> f64 {
        self.covered as f64 / self.all.max(1) as f64
    }

    pub(super) fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            covered: sum.covered + one.covered,
            all: sum.all + one.all,
        })
    }
}

/// Results for one family and one sample size: ours, and the bootstrap's.
type Cell = [Coverage; 2];

pub(super) fn rows(is_quick: bool) -> Vec<Row> {
    let draws = if is_quick { 1_000 } else { 10_000 };
    let mut random = StdRng::seed_from_u64(super::SEED);
    let every = levels();
    let of_pairs = table("pairs", &every, &PAIRS, |level, count| paired(level, count, draws, &mut random));
    // If one side is measured after the other, drift of the machine looks like a change, and no interval covers that.
    let apart: Vec<_> =
        every.iter().copied().filter(|(_, level)| *level != Level::Of(Noise::Autocorrelated)).collect();
    let of_reports =
        table("unpaired", &apart, &REPETITIONS, |level, count| unpaired(level, count, draws, &mut random));
    let autocorrelated = unpaired(Level::Of(Noise::Autocorrelated), 30, draws, &mut random);
    eprintln!(
        "unpaired, autocorrelated noise (not in the rows): {:.4}, bootstrap {:.4}",
        autocorrelated[0].share(),
        autocorrelated[1].share()
    );
    let mut rows = extremes("coverage of pairs", &of_pairs);
    rows.extend(extremes("coverage of reports", &of_reports));
    rows
}

fn table(
    name: &str,
    levels: &[(&str, Level)],
    counts: &[usize],
    mut cell: impl FnMut(Level, usize) -> Cell,
) -> Vec<Vec<Cell>> {
    let table: Vec<Vec<Cell>> =
        levels.iter().map(|(_, level)| counts.iter().map(|&count| cell(*level, count)).collect()).collect();
    eprintln!("coverage, {name} of {counts:?}; in brackets the percentile bootstrap's");
    for ((family, _), cells) in levels.iter().zip(&table) {
        let cells: Vec<String> =
            cells.iter().map(|[ours, peer]| format!("{:.4} ({:.3})", ours.share(), peer.share())).collect();
        eprintln!("  {family:8} {}", cells.join("  "));
    }
    table
}

/// The lowest and the highest coverage over all margins: each sample size over all families, and each family over all
/// sample sizes.
fn extremes(name: &str, table: &[Vec<Cell>]) -> Vec<Row> {
    let margins = |which: usize| -> Vec<f64> {
        let of_family = table.iter().map(|cells| Coverage::sum(cells.iter().map(|cell| cell[which])).share());
        let numbers = table.first().map_or(0, Vec::len);
        let of_number =
            (0..numbers).map(|number| Coverage::sum(table.iter().map(|cells| cells[number][which])).share());
        of_family.chain(of_number).collect()
    };
    let ends = |which| {
        margins(which)
            .into_iter()
            .fold([1.0_f64, 0.0_f64], |[low, high], share| [low.min(share), high.max(share)])
    };
    let ([low, high], [peer_low, peer_high]) = (ends(0), ends(1));
    let peer = |share| peer("percentile bootstrap", share);
    vec![
        row(format!("{name}, lowest"), low, peer(peer_low), BarIs::ValueAtLeast, 0.94),
        row(format!("{name}, highest"), high, peer(peer_high), BarIs::ValueAtMost, 0.96),
    ]
}

fn paired(level: Level, count: usize, draws: usize, random: &mut StdRng) -> Cell {
    let mut cell = Cell::default();
    for nth in 0..draws {
        let differences: Vec<f64> =
            level.pairs(count, random).iter().map(|[base, head]| head - base).collect();
        cell[0].count(shift::paired(&differences, CONFIDENCE).unwrap().interval.unwrap(), 0.0);
        if nth % PEER_EVERY == 0 {
            let estimates = (0..RESAMPLES).map(|_| middle(averages(&resample(&differences, random))));
            cell[1].count(percentiles(estimates.collect()), 0.0);
        }
    }
    cell
}

fn unpaired(level: Level, count: usize, draws: usize, random: &mut StdRng) -> Cell {
    let mut cell = Cell::default();
    for nth in 0..draws {
        let values = level.values(2 * count, random);
        let (base, head) = values.split_at(count);
        cell[0].count(shift::unpaired(base, head, CONFIDENCE).unwrap().interval.unwrap(), 0.0);
        if nth % PEER_EVERY == 0 {
            let estimates = (0..RESAMPLES).map(|_| {
                let (base, head) = (resample(base, random), resample(head, random));
                middle(head.iter().flat_map(|head| base.iter().map(move |base| head - base)).collect())
            });
            cell[1].count(percentiles(estimates.collect()), 0.0);
        }
    }
    cell
}

fn averages(values: &[f64]) -> Vec<f64> {
    let pairs = (0..values.len()).flat_map(|first| (first..values.len()).map(move |second| (first, second)));
    pairs.map(|(first, second)| f64::midpoint(values[first], values[second])).collect()
}

fn middle(mut values: Vec<f64>) -> f64 {
    let at = values.len() / 2;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The percentile interval (Efron 1979): of 399 resamples, the 10th and the 390th.
fn percentiles(mut estimates: Vec<f64>) -> [f64; 2] {
    estimates.sort_unstable_by(f64::total_cmp);
    [estimates[9], estimates[389]]
}
