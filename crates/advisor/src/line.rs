//! [`Line`]: the measured distributions of one transport by message size.

use roundtrip_stats::{Distribution, shift};
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};

/// The confidence level of intervals.
pub const CONFIDENCE: f64 = 0.95;
/// Pieces per doubling of the size, within a bucket and between two measured sizes.
const PIECES_PER_DOUBLING: f64 = 8.0;

/// The measurements at one size.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The message size, in bytes.
    pub message_bytes: u64,
    /// The times of all operations.
    pub distribution: Distribution,
    /// One quantile of each repetition, in nanoseconds, the same quantile at every size. Intervals come from
    /// these values.
    pub repetitions_ns: Vec<u64>,
}

/// The measured distributions of one transport, by message size.
#[derive(Clone, Debug)]
pub struct Line {
    knots: Vec<Knot>,
}

#[derive(Clone, Debug)]
pub(crate) struct Knot {
    pub(crate) bytes: u64,
    /// Times at the probabilities of [`Grid`], in nanoseconds.
    pub(crate) times_ns: Vec<f64>,
    pub(crate) mean_ns: f64,
    /// The distances from a quantile of all operations down and up to the ends of its interval over the repetitions,
    /// as logarithms. Infinite with too few repetitions.
    pub(crate) uncertainty: [f64; 2],
}

/// Messages of about one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// The index of the measured size at or below this size.
    pub(crate) knot: usize,
    /// The position between that size and the next one, from 0 to 1.
    pub(crate) toward_next: f64,
    /// The share of all messages.
    pub(crate) mass: f64,
}

/// The messages of a profile, mapped to the measured sizes of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cover {
    pub(crate) pieces: Vec<Piece>,
    /// The share of messages shorter than the shortest measured one. The pieces include them.
    pub(crate) below_share: f64,
    /// The share of messages longer than the longest measured one. The pieces leave them out.
    pub(crate) above_share: f64,
}

impl Line {
    /// Creates a line from measurements in any order. If a size occurs twice, the first entry counts.
    /// `repetition_ppm` is the quantile given for each repetition, in parts per million. `None` without
    /// measurements.
    pub fn new(measured: &[Measured], repetition_ppm: u32) -> Option<Self> {
        let mut knots: Vec<Knot> =
            measured.iter().map(|measured| Knot::from_measured(measured, repetition_ppm)).collect();
        knots.sort_by_key(|knot| knot.bytes);
        knots.dedup_by_key(|knot| knot.bytes);
        (!knots.is_empty()).then_some(Self { knots })
    }

    /// The shortest and the longest measured message size, in bytes.
    pub fn measured_bytes(&self) -> [u64; 2] {
        let ends = [self.knots.first(), self.knots.last()];
        ends.map(|knot| knot.map_or(0, |knot| knot.bytes))
    }

    pub(crate) fn knots(&self) -> &[Knot] {
        &self.knots
    }

    pub(crate) fn cover(&self, sizes: &SizeHistogram) -> Cover {
        let [first, last] = self.measured_bytes();
        let all = sizes.count() as f64;
        let mut cover = Cover::default();
        for bucket in sizes.buckets() {
            for (from, to) in self.segments(bucket) {
                let share = |count: f64| {
                    let within = (bucket.to_bytes - bucket.from_bytes + 1) as f64;
                    bucket.count as f64 / all * (count / within)
                };
                let mass = share((to - from) as f64);
                if from > last {
                    cover.above_share += mass;
                    continue;
                }
                if to <= first {
                    cover.below_share += mass;
                    cover.pieces.push(Piece { knot: 0, toward_next: 0.0, mass });
                    continue;
                }
                let doublings = (to as f64 / from.max(1) as f64).log2();
                let count = (doublings * PIECES_PER_DOUBLING).ceil().clamp(1.0, (to - from) as f64);
                let step = (to - from) as f64 / count;
                let mut begin = from as f64;
                while begin < to as f64 - step / 2.0 {
                    // Whole sizes from `begin`: the middle of 8..16 is 11.5.
                    let middle = begin + (step - 1.0) / 2.0;
                    cover.pieces.push(self.piece(middle, share(step)));
                    begin += step;
                }
            }
        }
        cover
    }

    /// Splits a bucket at the measured sizes, into half-open ranges.
    fn segments(&self, bucket: &SizeBucket) -> Vec<(u64, u64)> {
        let end = bucket.to_bytes + 1;
        let last = self.measured_bytes()[1];
        // Messages of exactly the longest measured size are covered.
        let cuts = self.knots.iter().map(|knot| knot.bytes).chain([last + 1]);
        let mut segments = Vec::new();
        let mut from = bucket.from_bytes;
        for cut in cuts.filter(|&cut| bucket.from_bytes < cut && cut < end) {
            segments.push((from, cut));
            from = cut;
        }
        segments.push((from, end));
        segments
    }

    fn piece(&self, bytes: f64, mass: f64) -> Piece {
        let above = self.knots.partition_point(|knot| knot.bytes as f64 <= bytes);
        let knot = above.saturating_sub(1);
        let toward_next = match (self.knots.get(knot), self.knots.get(above)) {
            (Some(one), Some(next)) if above > 0 => {
                (bytes - one.bytes as f64) / (next.bytes - one.bytes) as f64
            }
            _ => 0.0,
        };
        Piece { knot, toward_next, mass }
    }
}

impl Cover {
    /// The share of all messages at each measured size.
    pub(crate) fn masses(&self, line: &Line) -> Vec<f64> {
        self.partial_masses(line, |piece| piece.mass)
    }

    /// The shares of a part of each piece, given by `of`. A piece between two sizes counts for both, in
    /// proportion.
    pub(crate) fn partial_masses(&self, line: &Line, of: impl Fn(&Piece) -> f64) -> Vec<f64> {
        let mut masses = vec![0.0; line.knots.len()];
        for piece in &self.pieces {
            let mass = of(piece);
            masses[piece.knot] += mass * (1.0 - piece.toward_next);
            if piece.toward_next > 0.0 {
                masses[piece.knot + 1] += mass * piece.toward_next;
            }
        }
        masses
    }
}

impl Knot {
    fn from_measured(measured: &Measured, repetition_ppm: u32) -> Self {
        let grid = Grid::get();
        let times_ns = measured.distribution.at_quantiles(&grid.ppm).map(|ns| ns as f64).collect();
        let logs: Vec<f64> = measured.repetitions_ns.iter().map(|&ns| (ns.max(1) as f64).ln()).collect();
        let all = (measured.distribution.quantile_ns(repetition_ppm).max(1) as f64).ln();
        let uncertainty = shift::paired(&logs, CONFIDENCE).and_then(|found| {
            let [low, high] = found.interval?;
            // A few slow repetitions raise the high quantiles of all operations, but not those of most
            // repetitions. The interval includes both values.
            Some([found.estimate.max(all) - low, high - found.estimate.min(all)])
        });
        Self {
            bytes: measured.message_bytes,
            times_ns,
            mean_ns: measured.distribution.mean_ns(),
            uncertainty: uncertainty.unwrap_or([f64::INFINITY; 2]),
        }
    }
}

/// The probabilities at which a distribution is sampled: the middles of steps, finer where distributions are
/// steep.
pub(crate) struct Grid {
    /// Parts per million, ascending.
    pub(crate) ppm: Vec<u32>,
    /// The probability of each step. The sum is 1.
    pub(crate) mass: Vec<f64>,
}

/// Ranges in parts per million: start, end and length of a step.
const STEPS: [(u32, u32, u32); 4] =
    [(0, 900_000, 4_000), (900_000, 990_000, 1_000), (990_000, 999_000, 200), (999_000, 1_000_000, 100)];

impl Grid {
    pub(crate) fn get() -> &'static Self {
        static GRID: std::sync::LazyLock<Grid> = std::sync::LazyLock::new(|| {
            let steps = STEPS.iter().flat_map(|&(from, to, step)| {
                (from..to).step_by(step as usize).map(move |begin| (begin + step / 2, f64::from(step) / 1e6))
            });
            let (ppm, mass) = steps.unzip();
            Grid { ppm, mass }
        });
        &GRID
    }
}

#[cfg(test)]
pub(crate) mod tests;
