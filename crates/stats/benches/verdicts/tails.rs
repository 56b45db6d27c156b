//! Changes of the tail, p99 / p50 of each run, in runs simulated from single messages: a log-normal body with a heavy tail
//! or a second mode, in repetitions of different speed. The noise of the level is common to both percentiles.
//!
//! The peer is the same as in [`scenarios`](crate::scenarios), on the same ratios.

use crate::noise::normal;
use crate::scenarios::{alerts, machines_null, per_million, perfherder};
use crate::{peer, row};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rand_distr::{Distribution, Exp1};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Quartiles;
use roundtrip_stats::change_point::{Method, Settings};
use std::iter::repeat_n;

/// A seed that was not used to choose the threshold.
const SEED: u64 = 20_261_203;
/// The seed of the samples on which it was chosen.
const CHOICE_SEED: u64 = 77;
/// The repetitions of a run, and the messages of each: 20 messages are slower than the p99.
const REPETITIONS: usize = 10;
const MESSAGES: usize = 200;
/// The median of a message.
const LEVEL_NS: f64 = 10_000.0;
/// Noise as the standard deviation of the logarithm: between runs, between repetitions, and within one.
const RUN_NOISE: f64 = 0.03;
const REPETITION_NOISE: f64 = 0.02;
const MESSAGE_NOISE: f64 = 0.08;
/// The runs before a change, and after it.
const BEFORE: usize = 100;
const AFTER: usize = 60;
/// A change is found if it is reported within this many runs of its place.
const NEAR: usize = 5;

/// How the messages of a run are distributed.
#[derive(Clone, Copy, Debug)]
struct Shape {
    level_ns: f64,
    /// The share of messages in the heavy tail, and their mean delay, exponential, as a share of their own time.
    tail_share: f64,
    tail_delay: f64,
    /// The share of messages in a second mode, and how many times slower they are.
    mode_share: f64,
    mode_factor: f64,
    /// How these shares differ between runs, as the standard deviation of the logarithm, and the correlation between
    /// neighbours.
    share_noise: f64,
    correlation: f64,
}

/// A p99 of 1.6 times the p50.
const HEAVY: Shape = Shape {
    level_ns: LEVEL_NS,
    tail_share: 0.03,
    tail_delay: 0.5,
    mode_share: 0.0,
    mode_factor: 1.6,
    share_noise: 0.3,
    correlation: 0.0,
};
/// The p99 is sometimes in the body and sometimes in the second mode.
const RARE_MODE: Shape = Shape { tail_share: 0.005, mode_share: 0.01, ..HEAVY };
const RARE_SLOW_MODE: Shape = Shape { mode_factor: 3.0, ..RARE_MODE };
/// The same tail in every run.
const EVEN: Shape = Shape { share_noise: 0.0, ..HEAVY };

fn correlated(shape: Shape) -> Shape {
    Shape { correlation: 0.6, ..shape }
}

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let times = if is_quick { 1 } else { 20 };
    let mut rows = null_rows(times);
    rows.extend(machine_rows(25 * times));
    rows.extend(change_rows(10 * times));
    thresholds(5 * times);
    rows
}

/// Reported changes of the tail in runs without a change. The bar is one in 20,000 points.
fn null_rows(times: usize) -> Vec<Row> {
    let two_modes = Shape { mode_share: 0.15, ..HEAVY };
    let at_most = (BarIs::ValueAtMost, 50.0);
    [
        ("heavy tail, series of 200", HEAVY, 200, at_most),
        ("heavy tail, series of 2,000", HEAVY, 2_000, at_most),
        ("second mode of 15 %, series of 200", two_modes, 200, at_most),
        ("second mode of 1 %, series of 200", RARE_MODE, 200, at_most),
        ("heavy tail of correlation 0.6, series of 200", correlated(HEAVY), 200, at_most),
        ("heavy tail of correlation 0.6, series of 2,000", correlated(HEAVY), 2_000, at_most),
        (
            "second mode of 1 %, 3 times slower, of correlation 0.6, series of 200",
            correlated(RARE_SLOW_MODE),
            200,
            (BarIs::RatioAtMost, 0.5),
        ),
    ]
    .into_iter()
    .map(|(name, shape, length, bar)| {
        let mut random = StdRng::seed_from_u64(SEED);
        let points = times * 10_000;
        let mut found = [0, 0];
        for _ in 0..points / length {
            let ratios = ratios(repeat_n(shape, length), &mut random);
            found[0] += alerts(Method::tail(), &ratios).count();
            found[1] += perfherder(&ratios).len();
        }
        per_million(&format!("false changes of the tail, {name}"), found, points, bar)
    })
    .collect()
}

/// The same on three machines that measure every commit and confirm each other's changes, as on the server.
fn machine_rows(series: usize) -> Vec<Row> {
    [
        ("heavy tail", HEAVY),
        ("heavy tail of correlation 0.6", correlated(HEAVY)),
        ("second mode of 1 %, 3 times slower, of correlation 0.6", correlated(RARE_SLOW_MODE)),
    ]
    .map(|(name, shape)| {
        let name = format!("false changes of the tail on three machines, {name}, series of 200");
        machines_null(&name, Method::tail(), series, &|random| {
            [(); 3].map(|()| ratios(repeat_n(shape, 200), random))
        })
    })
    .into()
}

/// A name, the messages before and after a change, and the number of runs after it.
type Change<'a> = (&'a str, [Shape; 2], usize);

const MODE_GROWS: [Shape; 2] = [RARE_MODE, Shape { mode_share: 0.05, ..RARE_MODE }];
const TAIL_GROWS: [Shape; 2] = [HEAVY, Shape { tail_delay: 0.92, ..HEAVY }];
/// All messages are slower by the same factor.
const LEVEL: [Shape; 2] = [HEAVY, Shape { level_ns: 1.2 * LEVEL_NS, ..HEAVY }];
/// The body is slower, and the delay in the tail stays: the ratio gets smaller by 6 %.
const BODY: [Shape; 2] = [EVEN, Shape { level_ns: 1.2 * LEVEL_NS, tail_delay: 0.5 / 1.2, ..EVEN }];

/// The share of series in which a change is reported.
fn change_rows(series: usize) -> Vec<Row> {
    let slow_mode = [RARE_SLOW_MODE, Shape { mode_share: 0.05, ..RARE_SLOW_MODE }];
    let found: [Change<'_>; 4] = [
        ("second mode, 60 % slower, from 1 % to 5 % of messages, within 20 points", MODE_GROWS, 20),
        ("second mode, 3 times slower, from 1 % to 5 % of messages, within 60 points", slow_mode, 60),
        ("p99 / p50 +30 %, within 30 points", TAIL_GROWS, 30),
        ("p99 / p50 +30 %, within 60 points", TAIL_GROWS, 60),
    ];
    let not_found: [Change<'_>; 2] =
        [("all messages 20 % slower", LEVEL, AFTER), ("20 % slower except the tail's delay", BODY, AFTER)];
    let row_of = |(name, shapes, after): Change<'_>, bar_is, bar| {
        let [found, of_peer] = shares(Method::tail(), shapes, after, series, SEED);
        let peer = peer("Perfherder's t", of_peer);
        let peer = Peer { value: peer.value.max(1.0), ..peer };
        row(format!("changes of the tail: {name}"), found, peer, bar_is, bar)
    };
    let found = found.into_iter().zip([0.95, 0.75, 0.75, 0.9]);
    let found = found.map(|(change, bar)| row_of(change, BarIs::ValueAtLeast, bar));
    let not_found = not_found.into_iter().zip([0.0, 0.02]);
    found.chain(not_found.map(|(change, bar)| row_of(change, BarIs::ValueAtMost, bar))).collect()
}

/// The shares of series in which a method and the peer report the change, given this many runs after it.
fn shares(method: &Method, [old, new]: [Shape; 2], after: usize, series: usize, seed: u64) -> [f64; 2] {
    let mut random = StdRng::seed_from_u64(seed);
    let is_near = |index: usize| index.abs_diff(BEFORE) <= NEAR;
    let mut found = [0, 0];
    for _ in 0..series {
        let ratios = ratios(repeat_n(old, BEFORE).chain(repeat_n(new, after)), &mut random);
        found[0] += usize::from(alerts(method, &ratios).any(|step| is_near(step.index)));
        found[1] += usize::from(perfherder(&ratios).into_iter().any(is_near));
    }
    found.map(|count| count as f64 / series as f64)
}

/// Prints what other thresholds report. 10 % was chosen: the lowest that seldom reports a slower body, and it finds as much
/// as lower ones.
fn thresholds(series: usize) {
    for least in [0.03, 0.05, 0.1, 0.15, 0.2] {
        let method = Method::new(Settings { least: [least; 2], ..Settings::tail() });
        let percent = |shapes| 100.0 * shares(&method, shapes, AFTER, series, CHOICE_SEED)[0];
        eprintln!(
            "smallest change {:.0} %: growing mode {:.1} %, tail +30 % {:.1} %, slower body {:.1} %",
            100.0 * least,
            percent(MODE_GROWS),
            percent(TAIL_GROWS),
            percent(BODY)
        );
    }
}

/// The ratio of each run, in whole nanoseconds as stored: the p99 of all messages, and the median of the repetitions'
/// medians.
fn ratios(shapes: impl Iterator<Item = Shape>, random: &mut StdRng) -> Vec<f64> {
    let mut hour = normal(random);
    shapes
        .map(|shape| {
            let Shape { correlation, .. } = shape;
            hour = correlation * hour + (1.0 - correlation * correlation).sqrt() * normal(random);
            ratio(shape, hour, random)
        })
        .collect()
}

fn ratio(shape: Shape, hour: f64, random: &mut StdRng) -> f64 {
    let level_ns = shape.level_ns * (RUN_NOISE * normal(random)).exp();
    let [tail_share, mode_share] =
        [shape.tail_share, shape.mode_share].map(|share| (share * (shape.share_noise * hour).exp()).min(1.0));
    let mut all = Vec::with_capacity(REPETITIONS * MESSAGES);
    let mut medians = Vec::with_capacity(REPETITIONS);
    for _ in 0..REPETITIONS {
        let level_ns = level_ns * (REPETITION_NOISE * normal(random)).exp();
        let mut message = || {
            let mut ns = level_ns * (MESSAGE_NOISE * normal(random)).exp();
            if random.random_bool(mode_share) {
                ns *= shape.mode_factor;
            }
            if random.random_bool(tail_share) {
                let delay: f64 = Exp1.sample(random);
                ns *= 1.0 + shape.tail_delay * delay;
            }
            whole_ns(ns)
        };
        let mut times: Vec<u64> = (0..MESSAGES).map(|_| message()).collect();
        medians.push(at_share(&mut times, 0.5));
        all.append(&mut times);
    }
    at_share(&mut all, 0.99) as f64 / Quartiles::of(&medians).unwrap().median as f64
}

/// The smallest value that this share of the values does not exceed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small number")]
fn at_share(values: &mut [u64], share: f64) -> u64 {
    let rank = (values.len() as f64 * share).ceil() as usize;
    *values.select_nth_unstable(rank - 1).1
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time is small and positive")]
fn whole_ns(ns: f64) -> u64 {
    ns.round() as u64
}
