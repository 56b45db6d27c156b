//! [`Mixture`]: the latency of all messages of a profile over one transport.

use crate::line::{Cover, Grid, Line, Piece};
use roundtrip_wire::size_profile::SizeHistogram;

/// Messages within this distance of a quantile count as its neighbourhood, as a logarithm: 5 % to either
/// side.
const NEAR: f64 = 0.05;
/// A quick estimate reads one of this many grid points.
const QUICK_STEP: usize = 8;

/// A figure of a mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The mean time of a message.
    Mean,
    /// The median.
    P50,
    /// The 98th percentile.
    P98,
    /// The 99th percentile.
    P99,
}

impl Figure {
    /// The quantile of each repetition from which the interval of this figure is computed, in parts per
    /// million.
    pub fn repetition_ppm(self) -> u32 {
        match self {
            Self::Mean | Self::P50 => 500_000,
            Self::P98 | Self::P99 => 990_000,
        }
    }

    /// Why the figure is unknown, as a sentence, if so many messages are timed together.
    pub fn unknown_in_batches(self, batch: u32) -> Option<String> {
        let is_tail = matches!(self, Self::P98 | Self::P99);
        (is_tail && batch > 1).then(|| {
            format!("{batch} messages are timed as one batch, so its high percentiles are averages.")
        })
    }

    /// The share of messages below the quantile. For the mean, that of the median, which is not used.
    fn share(self) -> f64 {
        match self {
            Self::Mean | Self::P50 => 0.5,
            Self::P98 => 0.98,
            Self::P99 => 0.99,
        }
    }
}

/// The distribution of the times of a profile's messages over one transport, as far as their sizes were
/// measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// The mean time of a message, in nanoseconds.
    pub mean_ns: f64,
    /// The median, in nanoseconds.
    pub p50_ns: f64,
    /// The 98th percentile, in nanoseconds.
    pub p98_ns: f64,
    /// The 99th percentile, in nanoseconds.
    pub p99_ns: f64,
    /// The messages of the mixture.
    cover: Cover,
}

impl Mixture {
    /// Computes the mixture of a profile over a line. `None` if the line covers no message.
    pub fn new(line: &Line, sizes: &SizeHistogram) -> Option<Self> {
        let cover = line.cover(sizes);
        let times = Times::new(line, &cover, 1);
        Some(Self {
            mean_ns: mean(line, &cover)?,
            p50_ns: times.quantile(Figure::P50.share())?,
            p98_ns: times.quantile(Figure::P98.share())?,
            p99_ns: times.quantile(Figure::P99.share())?,
            cover,
        })
    }

    /// The share of messages shorter than the shortest measured one. They are assumed to cost as much as that
    /// one.
    pub fn below_share(&self) -> f64 {
        self.cover.below_share
    }

    /// The share of messages longer than the longest measured one. They are left out.
    pub fn above_share(&self) -> f64 {
        self.cover.above_share
    }

    /// The share of messages at each measured size, shortest first. The sum is 1. A message between two sizes
    /// counts for both, in proportion. The total of any cost per message is the sum over sizes of share times
    /// cost.
    fn weights(&self, line: &Line) -> Vec<(u64, f64)> {
        let masses = self.cover.masses(line);
        let all: f64 = masses.iter().sum();
        line.knots().iter().zip(masses).map(|(knot, mass)| (knot.bytes, mass / all)).collect()
    }

    /// The cost of a message on average, from the cost at each measured size. `None` if the cost is unknown at a size that
    /// messages have.
    pub fn expected_cost(&self, line: &Line, cost_at: impl Fn(u64) -> Option<f64>) -> Option<f64> {
        let weights = self.weights(line).into_iter().filter(|(_, weight)| *weight > 0.0);
        weights.map(|(bytes, weight)| Some(weight * cost_at(bytes)?)).sum()
    }

    /// The distances from a figure down and up to the ends of its interval, as logarithms.
    ///
    /// Each measured size varies independently, as its repetitions show. The weight of a size is its part in
    /// the figure: for the mean, its part of the sum; for a quantile, its part of the messages that take
    /// about as long, because only they move the quantile (the delta method on the implicit equation of a
    /// quantile: `Serfling 1980, 2.3`). The squares of the deviations add up, separately below and above (Zou
    /// and Donner 2008). If no message takes about as long, the interval is unbounded.
    pub(crate) fn uncertainty(&self, line: &Line, figure: Figure) -> [f64; 2] {
        let figure_ns = self.figure_ns(figure);
        let parts: Vec<f64> = match figure {
            Figure::Mean => {
                let of_sizes = self.cover.masses(line).into_iter().zip(line.knots());
                of_sizes.map(|(mass, knot)| mass * knot.mean_ns).collect()
            }
            _ => self.cover.partial_masses(line, |piece| piece.mass * share_near(line, piece, figure_ns)),
        };
        let all: f64 = parts.iter().sum();
        if all == 0.0 {
            return [f64::INFINITY; 2];
        }
        [0, 1].map(|end| {
            let squares = line.knots().iter().zip(&parts).filter(|(_, part)| **part > 0.0);
            squares.map(|(knot, part)| (knot.uncertainty[end] * part / all).powi(2)).sum::<f64>().sqrt()
        })
    }

    /// A figure of the mixture, in nanoseconds.
    pub fn figure_ns(&self, figure: Figure) -> f64 {
        match figure {
            Figure::Mean => self.mean_ns,
            Figure::P50 => self.p50_ns,
            Figure::P98 => self.p98_ns,
            Figure::P99 => self.p99_ns,
        }
    }
}

/// Estimates a figure from fewer grid points, for what-if scans. In nanoseconds, with the share of messages
/// that are longer than the longest measured one.
pub(crate) fn quick(line: &Line, sizes: &SizeHistogram, figure: Figure) -> Option<(f64, f64)> {
    let cover = line.cover(sizes);
    let ns = match figure {
        Figure::Mean => mean(line, &cover),
        quantile => Times::new(line, &cover, QUICK_STEP).quantile(quantile.share()),
    };
    Some((ns?, cover.above_share))
}

/// The share of a piece's messages that take about as long as the figure.
fn share_near(line: &Line, piece: &Piece, figure_ns: f64) -> f64 {
    let (one, next) = ends(line, piece.knot);
    let times = one.iter().zip(next).zip(&Grid::get().mass);
    let is_near = |ns: f64| (ns / figure_ns).ln().abs() <= NEAR;
    times
        .filter(|((one, next), _)| is_near(*one + piece.toward_next * (*next - *one)))
        .map(|(_, mass)| mass)
        .sum()
}

fn mean(line: &Line, cover: &Cover) -> Option<f64> {
    let masses = cover.masses(line);
    let all: f64 = masses.iter().sum();
    let sum: f64 = masses.iter().zip(line.knots()).map(|(mass, knot)| mass * knot.mean_ns).sum();
    (all > 0.0).then(|| sum / all)
}

/// The times at a measured size and at the next one.
fn ends(line: &Line, knot: usize) -> (&[f64], &[f64]) {
    let one = &line.knots()[knot].times_ns;
    (one, line.knots().get(knot + 1).map_or(one, |next| &next.times_ns))
}

/// A histogram of message times. Bins are at most a 512th of a doubling wide: the leading bits of the float.
struct Times {
    first: usize,
    bins: Vec<f64>,
    all: f64,
}

/// Dropped bits of an `f64`: 9 of the 52 fraction bits remain.
const DROPPED_BITS: u32 = 43;

impl Times {
    fn new(line: &Line, cover: &Cover, step: usize) -> Self {
        let grid = Grid::get();
        let knots = line.knots().iter();
        let extremes = knots.filter_map(|knot| Some((*knot.times_ns.first()?, *knot.times_ns.last()?)));
        let (least, most) = extremes
            .fold((f64::MAX, 1.0_f64), |(least, most), (first, last)| (least.min(first), most.max(last)));
        let first = bin(least.min(most));
        let mut bins = vec![0.0; bin(most) - first + 1];
        let mut all = 0.0;
        // The middle point represents each group of points.
        let places: Vec<(usize, f64)> = (0..grid.mass.len())
            .step_by(step)
            .map(|from| (from, (from + step).min(grid.mass.len())))
            .map(|(from, to)| (usize::midpoint(from, to), grid.mass[from..to].iter().sum()))
            .collect();
        for piece in &cover.pieces {
            let (one, next) = ends(line, piece.knot);
            for &(place, mass) in &places {
                let ns = one[place] + piece.toward_next * (next[place] - one[place]);
                bins[bin(ns) - first] += mass * piece.mass;
            }
            all += piece.mass;
        }
        Self { first, bins, all }
    }

    /// The middle of the bin that holds the quantile.
    fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = self.all * share;
        let mut sum = 0.0;
        let at = self.bins.iter().position(|mass| {
            sum += mass;
            *mass > 0.0 && sum >= wanted * (1.0 - 1e-12)
        })?;
        Some(f64::midpoint(begin(self.first + at), begin(self.first + at + 1)))
    }
}

/// The bit patterns of positive floats have the order of their values.
fn bin(ns: f64) -> usize {
    usize::try_from(ns.max(1.0).to_bits() >> DROPPED_BITS).unwrap_or(usize::MAX)
}

fn begin(bin: usize) -> f64 {
    f64::from_bits((bin as u64) << DROPPED_BITS)
}

#[cfg(test)]
mod tests;
