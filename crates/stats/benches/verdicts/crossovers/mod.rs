//! Simulated crossovers with known crossings: coverage of the interval, compared with a percentile bootstrap of the
//! crossing of the medians, and the cost of all pairs of a sweep.
//!
//! - [`lines`]: lines with known crossings. [`speed`]: cost.

mod lines;
mod speed;

use crate::noise::{Level, Noise, resample};
use lines::{Lines, SIZES, Spread, spreads};
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Row};

/// A seed that was not used to choose any setting.
const SEED: u64 = 20_261_125;
const REPETITIONS: [usize; 4] = [8, 10, 12, 15];
/// The factor by which the ratio of the lines changes from one size to the next.
const STEEPNESS: [f64; 3] = [1.05, 1.3, 4.0];
/// The places of crossings, in sizes from the first: at a size, near one, half-way between two.
const CROSSINGS: [f64; 3] = [4.0, 4.2, 3.5];
/// Resamples of a bootstrap.
const RESAMPLES: usize = 399;
/// One sample in this many also gets a bootstrap.
const PEER_EVERY: usize = 50;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let draws = if is_quick { 400 } else { 4_000 };
    let mut rows = coverage(draws);
    without_target(draws);
    rows.push(speed::row(if is_quick { 5 } else { 51 }));
    rows
}

/// Counts for lines with the same true crossing.
#[derive(Clone, Copy, Debug, Default)]
struct Coverage {
    all: usize,
    /// An interval contains the true crossing.
    covered: usize,
    /// An interval has two ends: one line is significantly faster somewhere below, and the other above.
    both_ends: usize,
    /// No crossover was found.
    none: usize,
}

/// Results for one kind of lines.
struct Cell {
    /// The indices of its spread, number of repetitions, steepness and place.
    at: [usize; 4],
    ours: Coverage,
    bootstrap: Coverage,
}

/// The lowest and the highest coverage by spread, number of repetitions, steepness and place, each averaged over all
/// others.
fn coverage(draws: usize) -> Vec<Row> {
    let mut random = StdRng::seed_from_u64(SEED);
    let spreads = spreads();
    let mut cells = Vec::new();
    for (spread, (_, of)) in spreads.iter().enumerate() {
        for (repetitions, &count) in REPETITIONS.iter().enumerate() {
            for (steepness, &factor) in STEEPNESS.iter().enumerate() {
                for (crossing, &place) in CROSSINGS.iter().enumerate() {
                    let lines = Lines { spread: *of, count, factor, crossing: Some(place) };
                    let [ours, bootstrap] = simulated(lines, draws, &mut random);
                    let at = [spread, repetitions, steepness, crossing];
                    cells.push(Cell { at, ours, bootstrap });
                }
            }
        }
    }
    table(&spreads, &cells);
    let names = [
        spreads.iter().map(|(name, _)| (*name).to_owned()).collect(),
        REPETITIONS.map(|count| format!("{count} repetitions")).to_vec(),
        STEEPNESS.map(|factor| format!("ratio x {factor} a size")).to_vec(),
        CROSSINGS.map(|place| format!("crossing at size {place}")).to_vec(),
    ];
    let margins: Vec<[f64; 2]> =
        names.iter().enumerate().flat_map(|(by, names)| margin(&cells, names, by)).collect();
    let end = |of: fn(f64, f64) -> f64, which: usize| {
        margins.iter().map(|shares| shares[which]).reduce(of).unwrap_or_default()
    };
    let row = |name: &str, of, bar_is, bar| {
        let name = format!("coverage of crossovers, {name}");
        crate::row(name, end(of, 0), crate::peer("percentile bootstrap", end(of, 1)), bar_is, bar)
    };
    vec![
        row("lowest", f64::min, BarIs::ValueAtLeast, 0.94),
        row("highest", f64::max, BarIs::ValueAtMost, 0.97),
    ]
}

fn simulated(lines: Lines, draws: usize, random: &mut StdRng) -> [Coverage; 2] {
    let mut covered = [Coverage::default(); 2];
    for draw in 0..draws {
        let logs = lines.draw(random);
        covered[0].count(&lines::found(&logs), lines.crossing);
        if draw % PEER_EVERY == 0 {
            covered[1].count(&bootstrap(&logs, random), lines.crossing);
        }
    }
    covered
}

fn table(spreads: &[(&str, Spread)], cells: &[Cell]) {
    eprintln!("coverage of crossovers, repetitions {REPETITIONS:?}; in brackets the bootstrap's");
    for (nth, (name, _)) in spreads.iter().enumerate() {
        let of_count = |repetitions: usize| {
            let cells = cells.iter().filter(|cell| cell.at[..2] == [nth, repetitions]);
            let [ours, bootstrap] = Coverage::sums(cells);
            format!("{:.4} ({:.3})", ours.share(), bootstrap.share())
        };
        let counts: Vec<String> = (0..REPETITIONS.len()).map(of_count).collect();
        eprintln!("  {name:8} {}", counts.join("  "));
    }
}

/// The coverage for each of these names, ours and the bootstrap's.
fn margin(cells: &[Cell], names: &[String], by: usize) -> Vec<[f64; 2]> {
    let share = |(nth, name): (usize, &String)| {
        let [ours, bootstrap] = Coverage::sums(cells.iter().filter(|cell| cell.at[by] == nth));
        ours.print(name);
        [ours.share(), bootstrap.share()]
    };
    names.iter().enumerate().map(share).collect()
}

/// Prints results that have no target: crossings near the end of the measured sizes, equal lines, and a machine with
/// drift while repetitions of both lines alternate.
fn without_target(draws: usize) {
    let mut random = StdRng::seed_from_u64(SEED + 1);
    let normal = |deviation| Spread::Of(Level::Of(Noise::Normal(deviation)));
    for (name, spread, factor, crossing) in [
        ("crossing at size 0.5, noise 3 %", normal(0.03), 1.3, Some(0.5)),
        ("crossing at size 0.5, noise 8 %, ratio x 1.05 a size", normal(0.08), 1.05, Some(0.5)),
        ("autocorrelated noise, alternating", Spread::Alternating, 1.3, Some(4.2)),
        ("the same line twice", normal(0.03), 1.0, None),
    ] {
        let lines = Lines { spread, count: 10, factor, crossing };
        simulated(lines, draws, &mut random)[0].print(name);
    }
}

/// The percentile interval (Efron 1979), from 2.5 % to 97.5 %, of the crossing of the medians; of several crossings,
/// the middle one.
fn bootstrap(logs: &lines::Logs, random: &mut StdRng) -> Vec<[Option<f64>; 2]> {
    let mut crossing = || {
        let medians: [f64; SIZES] = std::array::from_fn(|size| {
            let [first, second] = logs[size].each_ref().map(|values| median(resample(values, random)));
            second - first
        });
        let pairs = medians.windows(2).enumerate().filter(|(_, pair)| pair[0] * pair[1] <= 0.0);
        let crossings: Vec<f64> =
            pairs.map(|(nth, pair)| nth as f64 + pair[0] / (pair[0] - pair[1])).collect();
        crossings.get(crossings.len() / 2).copied()
    };
    let mut found: Vec<f64> = (0..RESAMPLES).filter_map(|_| crossing()).collect();
    found.sort_unstable_by(f64::total_cmp);
    let outside = found.len() / 40;
    vec![[found.get(outside).copied(), found.iter().nth_back(outside).copied()]]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

impl Coverage {
    fn count(&mut self, intervals: &[[Option<f64>; 2]], truth: Option<f64>) {
        let holds = |[from, to]: &[Option<f64>; 2]| {
            let Some(truth) = truth else { return false };
            from.is_none_or(|from| from <= truth) && to.is_none_or(|to| truth <= to)
        };
        self.all += 1;
        self.covered += usize::from(intervals.iter().any(holds));
        self.both_ends += usize::from(intervals.iter().any(|[from, to]| from.is_some() && to.is_some()));
        self.none += usize::from(intervals.is_empty());
    }

    fn sums<'a>(cells: impl Iterator<Item = &'a Cell>) -> [Self; 2] {
        cells.fold([Self::default(); 2], |[ours, bootstrap], cell| {
            [ours.and(cell.ours), bootstrap.and(cell.bootstrap)]
        })
    }

    fn and(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            covered: self.covered + other.covered,
            both_ends: self.both_ends + other.both_ends,
            none: self.none + other.none,
        }
    }

    fn share(self) -> f64 {
        self.covered as f64 / self.all.max(1) as f64
    }

    fn print(self, name: &str) {
        let [both_ends, none] = [self.both_ends, self.none].map(|count| count as f64 / self.all as f64);
        eprintln!(
            "  {name}: covered {:.4}, with both ends {both_ends:.4}, none found {none:.4}",
            self.share()
        );
    }
}
