//! Crossovers of lines whose truth is known: how often the interval holds the true crossing, beside a percentile bootstrap of
//! where the medians cross, and what all pairs of a sweep take.
//!
//! - [`lines`]: lines that cross where they are asked to.  [`speed`]: what it takes.

mod lines;
mod speed;

use crate::noise::Noise;
use lines::{Lines, SIZES, Spread, spreads};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};

/// Not one that anything was chosen on.
const SEED: u64 = 20_261_125;
const REPETITIONS: [usize; 4] = [8, 10, 12, 15];
/// By what factor the ratio of the lines changes from a size to the next.
const STEEPNESS: [f64; 3] = [1.05, 1.3, 4.0];
/// Where the lines cross, in sizes from the first: at one, near one, in the middle between two.
const CROSSINGS: [f64; 3] = [4.0, 4.2, 3.5];
/// Of a bootstrap.
const RESAMPLES: usize = 399;
/// A bootstrap is drawn for one in so many.
const PEER_EVERY: usize = 50;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let draws = if is_quick { 400 } else { 4_000 };
    let mut rows = coverage(draws);
    beside(draws);
    rows.push(speed::row(if is_quick { 5 } else { 51 }));
    rows
}

/// What was found of lines of one truth.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    all: usize,
    /// An interval holds the true crossing.
    held: usize,
    /// There is one with two ends: surely one line is faster somewhere below, and the other one above.
    both_ends: usize,
    /// There is no crossover.
    none: usize,
}

/// What was found of lines of one kind.
struct Cell {
    spread: usize,
    repetitions: usize,
    steepness: usize,
    crossing: usize,
    ours: Held,
    bootstrap: Held,
}

/// The lowest and the highest coverage of any spread, number of repetitions, steepness and place, each over all others.
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
                    cells.push(Cell { spread, repetitions, steepness, crossing, ours, bootstrap });
                }
            }
        }
    }
    table(&spreads, &cells);
    let names = spreads.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut margins = margin(&cells, names, |cell| cell.spread);
    let names = REPETITIONS.map(|count| format!("{count} repetitions")).to_vec();
    margins.extend(margin(&cells, names, |cell| cell.repetitions));
    let names = STEEPNESS.map(|factor| format!("ratio x {factor} a size")).to_vec();
    margins.extend(margin(&cells, names, |cell| cell.steepness));
    let names = CROSSINGS.map(|place| format!("crossing at size {place}")).to_vec();
    margins.extend(margin(&cells, names, |cell| cell.crossing));
    let end = |of: fn(f64, f64) -> f64, which: usize| {
        margins.iter().map(|shares| shares[which]).reduce(of).unwrap_or_default()
    };
    let peer = |share: f64| Peer {
        name: format!("percentile bootstrap ({:.1} %)", 100.0 * share),
        value: whole(share),
    };
    let row = |name: &str, of: fn(f64, f64) -> f64, bar_is, bar| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is small")]
        let value = whole(end(of, 0)) as u64;
        Row::new(
            format!("coverage of crossovers, {name}"),
            value,
            "/ 10,000",
            peer(end(of, 1)),
            bar_is,
            whole(bar),
        )
    };
    vec![
        row("lowest", f64::min, BarIs::ValueAtLeast, 0.94),
        row("highest", f64::max, BarIs::ValueAtMost, 0.97),
    ]
}

/// A share in ten-thousandths.
fn whole(share: f64) -> f64 {
    (share * 10_000.0).round()
}

fn simulated(lines: Lines, draws: usize, random: &mut StdRng) -> [Held; 2] {
    let mut held = [Held::default(); 2];
    for draw in 0..draws {
        let logs = lines.draw(random);
        held[0].count(&lines::found(&logs), lines.crossing);
        if draw % PEER_EVERY == 0 {
            held[1].count(&bootstrap(&logs, random), lines.crossing);
        }
    }
    held
}

fn table(spreads: &[(&str, Spread)], cells: &[Cell]) {
    eprintln!("coverage of crossovers, repetitions {REPETITIONS:?}; in brackets the bootstrap's");
    for (nth, (name, _)) in spreads.iter().enumerate() {
        let of_count = |repetitions: usize| {
            let cells = cells.iter().filter(|cell| cell.spread == nth && cell.repetitions == repetitions);
            let [ours, bootstrap] = Held::sums(cells);
            format!("{:.4} ({:.3})", ours.share(), bootstrap.share())
        };
        let counts: Vec<String> = (0..REPETITIONS.len()).map(of_count).collect();
        eprintln!("  {name:8} {}", counts.join("  "));
    }
}

/// The coverage of each of some names, ours and the bootstrap's.
fn margin(cells: &[Cell], names: Vec<String>, of: fn(&Cell) -> usize) -> Vec<[f64; 2]> {
    let share = |(nth, name): (usize, &String)| {
        let [ours, bootstrap] = Held::sums(cells.iter().filter(|cell| of(cell) == nth));
        ours.tell(name);
        [ours.share(), bootstrap.share()]
    };
    names.iter().enumerate().map(share).collect()
}

/// What is told and has no bar: lines that cross where little is measured beyond, lines that are the same, and a machine that
/// wanders while repetitions of both take turns.
fn beside(draws: usize) {
    let mut random = StdRng::seed_from_u64(SEED + 1);
    let normal = |deviation| Spread::Of(Noise::Normal(deviation));
    for (name, spread, factor, crossing) in [
        ("crossing at size 0.5, noise 3 %", normal(0.03), 1.3, Some(0.5)),
        ("crossing at size 0.5, noise 8 %, ratio x 1.05 a size", normal(0.08), 1.05, Some(0.5)),
        ("a wandering machine, in turns", Spread::InTurns, 1.3, Some(4.2)),
        ("the same line twice", normal(0.03), 1.0, None),
    ] {
        let lines = Lines { spread, count: 10, factor, crossing };
        simulated(lines, draws, &mut random)[0].tell(name);
    }
}

/// Where the medians cross, of several places the middle one: from the 2.5 % smallest to the 2.5 % largest (Efron 1979).
fn bootstrap(logs: &lines::Logs, random: &mut StdRng) -> Vec<[Option<f64>; 2]> {
    let mut crossing = || {
        let medians: [f64; SIZES] = std::array::from_fn(|size| {
            let [first, second] = logs[size].each_ref().map(|values| {
                let drawn = values.iter().map(|_| values[random.random_range(0..values.len())]);
                median(drawn.collect())
            });
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

impl Held {
    fn count(&mut self, intervals: &[[Option<f64>; 2]], truth: Option<f64>) {
        let holds = |[from, to]: &[Option<f64>; 2]| {
            let Some(truth) = truth else { return false };
            from.is_none_or(|from| from <= truth) && to.is_none_or(|to| truth <= to)
        };
        self.all += 1;
        self.held += usize::from(intervals.iter().any(holds));
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
            held: self.held + other.held,
            both_ends: self.both_ends + other.both_ends,
            none: self.none + other.none,
        }
    }

    fn share(self) -> f64 {
        self.held as f64 / self.all.max(1) as f64
    }

    fn tell(self, name: &str) {
        let [both_ends, none] = [self.both_ends, self.none].map(|count| count as f64 / self.all as f64);
        eprintln!(
            "  {name}: covered {:.4}, with both ends {both_ends:.4}, none found {none:.4}",
            self.share()
        );
    }
}
