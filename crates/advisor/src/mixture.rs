//! [`Mixture`]: how long the messages of a profile take over one transport, all together.

use crate::line::{Cover, Grid, Line, Piece};
use roundtrip_wire::size_profile::SizeHistogram;

/// Half of the neighbourhood of a quantile in which it is looked which sizes it is made of, as a logarithm: a twentieth.
const NEAR: f64 = 0.05;
/// How many of the grid's places a quick look skips.
const QUICK_STEP: usize = 8;

/// Which figure of a mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The expected time of a message.
    Mean,
    /// Half of the messages take no longer.
    P50,
    /// 98 % of the messages take no longer.
    P98,
    /// 99 % of the messages take no longer.
    P99,
}

impl Figure {
    /// The quantile of each repetition that tells how sure a figure is, in parts per million.
    pub fn repetition_ppm(self) -> u32 {
        match self {
            Self::Mean | Self::P50 => 500_000,
            Self::P98 | Self::P99 => 990_000,
        }
    }
}

/// The times of all messages of a profile over one transport, as far as that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// The expected time of a message, in nanoseconds.
    pub mean_ns: f64,
    /// Half of the messages take no longer, in nanoseconds.
    pub p50_ns: f64,
    /// 98 % of them.
    pub p98_ns: f64,
    /// 99 % of them.
    pub p99_ns: f64,
    /// Which messages it is of.
    cover: Cover,
}

impl Mixture {
    /// Of a profile over a line; `None` where no message is of a size that was measured.
    pub fn new(line: &Line, sizes: &SizeHistogram) -> Option<Self> {
        let cover = line.cover(sizes);
        let times = Times::of(line, &cover, 1);
        Some(Self {
            mean_ns: mean(line, &cover)?,
            p50_ns: times.quantile(Figure::P50.share())?,
            p98_ns: times.quantile(Figure::P98.share())?,
            p99_ns: times.quantile(Figure::P99.share())?,
            cover,
        })
    }

    /// The share of messages shorter than the shortest one measured: they are taken to cost as much as that.
    pub fn below_share(&self) -> f64 {
        self.cover.below_share
    }

    /// The share of messages longer than the longest one measured: they take no part.
    pub fn above_share(&self) -> f64 {
        self.cover.above_share
    }

    /// How many of its messages are of each measured size of its line, shortest first: those between two sizes are of both in
    /// proportion. Together they are 1. What costs so much a message at each size costs their sum in all.
    pub fn weights(&self, line: &Line) -> Vec<(u64, f64)> {
        let masses = self.cover.masses(line);
        let all: f64 = masses.iter().sum();
        line.knots().iter().zip(masses).map(|(knot, mass)| (knot.bytes, mass / all)).collect()
    }

    /// How far the interval of a figure goes below and above it, as a logarithm.
    ///
    /// Each measured size sways by itself, as its repetitions tell. How much a figure sways with one of them is that size's part
    /// in it: of the mean its part of the sum; of a quantile its part of the messages that take about as long, as only they
    /// move it (the delta method on the implicit equation of a quantile: `Serfling 1980, 2.3`). The sways add up as independent
    /// ones do, by their squares, each end by itself (Zou and Donner 2008). Where no message takes about as long, nobody can
    /// say how far it goes.
    pub(crate) fn sway(&self, line: &Line, figure: Figure) -> [f64; 2] {
        let figure_ns = self.figure_ns(figure);
        let parts: Vec<f64> = match figure {
            Figure::Mean => {
                let of_sizes = self.cover.masses(line).into_iter().zip(line.knots());
                of_sizes.map(|(mass, knot)| mass * knot.mean_ns).collect()
            }
            _ => self.cover.masses_of(line, |piece| piece.mass * share_near(line, piece, figure_ns)),
        };
        let all: f64 = parts.iter().sum();
        if all == 0.0 {
            return [f64::INFINITY; 2];
        }
        [0, 1].map(|end| {
            let squares = line.knots().iter().zip(&parts).filter(|(_, part)| **part > 0.0);
            squares.map(|(knot, part)| (knot.sway[end] * part / all).powi(2)).sum::<f64>().sqrt()
        })
    }

    /// One of its figures, in nanoseconds.
    pub fn figure_ns(&self, figure: Figure) -> f64 {
        match figure {
            Figure::Mean => self.mean_ns,
            Figure::P50 => self.p50_ns,
            Figure::P98 => self.p98_ns,
            Figure::P99 => self.p99_ns,
        }
    }
}

impl Figure {
    /// The share of messages that a quantile is of; of the mean that of the median, around which it is not looked.
    fn share(self) -> f64 {
        match self {
            Self::Mean | Self::P50 => 0.5,
            Self::P98 => 0.98,
            Self::P99 => 0.99,
        }
    }
}

/// A figure of a mixture in a quick look, by fewer places of each distribution: for what-ifs. In nanoseconds, with the share of
/// messages that are longer than what was measured.
pub(crate) fn quick(line: &Line, sizes: &SizeHistogram, figure: Figure) -> Option<(f64, f64)> {
    let cover = line.cover(sizes);
    let ns = match figure {
        Figure::Mean => mean(line, &cover),
        quantile => Times::of(line, &cover, QUICK_STEP).quantile(quantile.share()),
    };
    Some((ns?, cover.above_share))
}

/// How many of some messages take about as long.
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

/// How many messages take how long: in bins a 512th of a doubling wide at most, by the first bits of the number itself.
struct Times {
    first: usize,
    bins: Vec<f64>,
    all: f64,
}

/// Bits of a `f64` that are dropped: of its 52 of fraction 9 are left.
const DROPPED_BITS: u32 = 43;

impl Times {
    fn of(line: &Line, cover: &Cover, step: usize) -> Self {
        let grid = Grid::get();
        let knots = line.knots().iter();
        let extremes = knots.filter_map(|knot| Some((*knot.times_ns.first()?, *knot.times_ns.last()?)));
        let (least, most) = extremes
            .fold((f64::MAX, 1.0_f64), |(least, most), (first, last)| (least.min(first), most.max(last)));
        let first = bin(least.min(most));
        let mut bins = vec![0.0; bin(most) - first + 1];
        let mut all = 0.0;
        // Of so many places in a row the middle one stands for all.
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

    /// The middle of the bin of the quantile.
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

/// Times are positive, whose bits are in their order.
fn bin(ns: f64) -> usize {
    usize::try_from(ns.max(1.0).to_bits() >> DROPPED_BITS).unwrap_or(usize::MAX)
}

fn begin(bin: usize) -> f64 {
    f64::from_bits((bin as u64) << DROPPED_BITS)
}

#[cfg(test)]
mod tests;
