//! [`Line`]: what one transport measured over the size of a message.

use roundtrip_stats::{Distribution, shift};
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};

/// The confidence of an interval.
pub const CONFIDENCE: f64 = 0.95;
/// Pieces into which a doubling of the size is cut, within a bucket and between two measured sizes.
const PIECES_OF_A_DOUBLING: f64 = 8.0;

/// What was measured at one size.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The size, in bytes.
    pub message_bytes: u64,
    /// The times of all operations.
    pub distribution: &'a Distribution,
    /// One quantile of each repetition, the unit of everything that is said of how sure a figure is; in nanoseconds. The same
    /// quantile at every size.
    pub repetitions_ns: &'a [u64],
}

/// What one transport measured, by size.
#[derive(Clone, Debug)]
pub struct Line {
    knots: Vec<Knot>,
}

#[derive(Clone, Debug)]
pub(crate) struct Knot {
    pub(crate) bytes: u64,
    /// At [`Grid`]'s probabilities.
    pub(crate) times_ns: Vec<f64>,
    pub(crate) mean_ns: f64,
    /// How far the interval of a quantile over the repetitions goes below and above what all operations together have there, as
    /// a logarithm. Infinite where there are too few repetitions to say.
    pub(crate) sway: [f64; 2],
}

/// Some messages of about one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// The measured size at or below theirs.
    pub(crate) knot: usize,
    /// How far they are on the way to the next one.
    pub(crate) toward_next: f64,
    /// Their share of all messages.
    pub(crate) mass: f64,
}

/// All messages of a profile, as a line sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cover {
    pub(crate) pieces: Vec<Piece>,
    /// The share of messages that are shorter than the shortest one measured; they are among the pieces.
    pub(crate) below_share: f64,
    /// The share of messages that are longer than the longest one measured; they are not.
    pub(crate) above_share: f64,
}

impl Line {
    /// Of what was measured, in any order; of two of one size the first counts. `repetition_ppm` is which quantile of each
    /// repetition is given, in parts per million. `None` of nothing.
    pub fn new<'a>(measured: impl IntoIterator<Item = Measured<'a>>, repetition_ppm: u32) -> Option<Self> {
        let mut knots: Vec<Knot> =
            measured.into_iter().map(|measured| Knot::of(&measured, repetition_ppm)).collect();
        knots.sort_by_key(|knot| knot.bytes);
        knots.dedup_by_key(|knot| knot.bytes);
        (!knots.is_empty()).then_some(Self { knots })
    }

    /// The shortest and the longest message that was measured, in bytes.
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
                let count = (doublings * PIECES_OF_A_DOUBLING).ceil().clamp(1.0, (to - from) as f64);
                let step = (to - from) as f64 / count;
                let mut begin = from as f64;
                while begin < to as f64 - step / 2.0 {
                    // Whole sizes from `begin` on: the middle of 8..16 is 11.5.
                    let middle = begin + (step - 1.0) / 2.0;
                    cover.pieces.push(self.piece(middle, share(step)));
                    begin += step;
                }
            }
        }
        cover
    }

    /// A bucket, cut at the measured sizes: each part from its first size to before its last.
    fn segments(&self, bucket: &SizeBucket) -> Vec<(u64, u64)> {
        let end = bucket.to_bytes + 1;
        let last = self.measured_bytes()[1];
        // What is as long as the longest one was measured.
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
    /// How much of all messages is of each measured size.
    pub(crate) fn masses(&self, line: &Line) -> Vec<f64> {
        self.masses_of(line, |piece| piece.mass)
    }

    /// The same of as much of each piece as this says: what is between two sizes is of both in proportion.
    pub(crate) fn masses_of(&self, line: &Line, of: impl Fn(&Piece) -> f64) -> Vec<f64> {
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
    fn of(measured: &Measured<'_>, repetition_ppm: u32) -> Self {
        let grid = Grid::get();
        let times_ns = measured.distribution.at_quantiles(&grid.ppm).map(|ns| ns as f64).collect();
        let logs: Vec<f64> = measured.repetitions_ns.iter().map(|&ns| (ns.max(1) as f64).ln()).collect();
        let all = (measured.distribution.quantile_ns(repetition_ppm).max(1) as f64).ln();
        let sway = shift::paired(&logs, CONFIDENCE).and_then(|found| {
            let [low, high] = found.interval?;
            // A few slow repetitions make the high quantiles of all operations, and are not in what most repetitions say: the
            // interval goes from one to the other.
            Some([found.estimate.max(all) - low, high - found.estimate.min(all)])
        });
        Self {
            bytes: measured.message_bytes,
            times_ns,
            mean_ns: measured.distribution.mean_ns(),
            sway: sway.unwrap_or([f64::INFINITY; 2]),
        }
    }
}

/// Where a distribution is looked at: in the middle of equal steps, which are finer where it is steep.
pub(crate) struct Grid {
    /// Parts per million, ascending.
    pub(crate) ppm: Vec<u32>,
    /// The probability that each stands for; all together are 1.
    pub(crate) mass: Vec<f64>,
}

/// From which part per million to which, and how long a step is.
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
