//! Cost of change-point detection.

use crate::noise::{FAMILIES, Labelled, Noise};
use crate::score::changes;
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::change_point::{Detector, Known, Method};
use std::hint::black_box;
use std::time::{Duration, Instant};

const THREADS: usize = 2;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let mut rows = whole_series(is_quick);
    rows.extend(one_more(is_quick));
    rows.push(all_again(if is_quick { 10_000 } else { 100_000 }));
    rows
}

#[expect(clippy::cast_possible_truncation, reason = "less than centuries")]
pub(crate) fn micros(duration: Duration) -> u64 {
    duration.as_micros() as u64
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Time for 10,000 points with sixty changes: the median of the slowest family.
fn whole_series(is_quick: bool) -> Vec<Row> {
    let method = Method::shipped();
    let mut random = StdRng::seed_from_u64(1);
    let times = FAMILIES.map(|(name, noise)| {
        let values = Labelled::draw(noise, 10_000, 60, &mut random).values;
        let times = (0..if is_quick { 5 } else { 31 }).map(|_| {
            let begin = Instant::now();
            black_box(changes(method, black_box(&values)));
            begin.elapsed()
        });
        (name, median(times.collect()))
    });
    let slowest = times.into_iter().max_by_key(|(_, time)| *time);
    let (name, time) = slowest.unwrap_or(("none", Duration::ZERO));
    let peer = Peer { name: "Apache Otava 0.8 (91 ms)".into(), value: 91_000.0 };
    vec![Row::new(format!("10,000 points, {name}"), micros(time), "us", peer, BarIs::ValueAtMost, 20_000.0)]
}

/// Time for one more point of a series that is not in memory: the detector resumes from stored values, as on a server.
fn one_more(is_quick: bool) -> Vec<Row> {
    let method = Method::shipped();
    let memory = method.settings().memory;
    let time_of = |length: usize| {
        let mut random = StdRng::seed_from_u64(2);
        let noise = Noise::Normal(0.03);
        let times = (0..if is_quick { 100 } else { 1_000 }).map(|_| {
            let values = noise.values(length + 1, &mut random);
            let first = length.saturating_sub(memory);
            let begin = Instant::now();
            let known = Known { first, values: &values[first..length], changes: &[], baseline: None };
            let mut detector = Detector::resume(method, &known).unwrap();
            black_box(detector.push(values[length]).unwrap());
            begin.elapsed()
        });
        median(times.collect())
    };
    let [short, long] = [100, 10_000].map(time_of);
    let peer = Peer { name: "Apache Otava 0.8 (5.5 ms)".into(), value: 5_500.0 };
    let on_short = Peer {
        name: format!("one more on a full window of {memory} ({} us)", micros(time_of(memory))),
        value: time_of(memory).as_secs_f64() * 1e6,
    };
    vec![
        Row::new("one more point on 100", micros(short), "us", on_short.clone(), BarIs::ValueAtMost, 1_000.0),
        Row::new("one more point on 10,000", micros(long), "us", peer, BarIs::ValueAtMost, 1_000.0),
        Row::new("the same, vs. a full window", micros(long), "us", on_short, BarIs::RatioAtMost, 1.3),
    ]
}

/// Time for this many series of 200 points each, on two threads.
fn all_again(series: usize) -> Row {
    let method = Method::shipped();
    let mut random = StdRng::seed_from_u64(3);
    let some: Vec<Vec<f64>> = (0..series.min(6_000))
        .map(|nth| Labelled::draw(FAMILIES[nth % FAMILIES.len()].1, 200, nth % 3, &mut random).values)
        .collect();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let some = &some;
            scope.spawn(move || {
                for nth in (thread..series).step_by(THREADS) {
                    black_box(changes(method, &some[nth % some.len()]));
                }
            });
        }
    });
    let time = begin.elapsed();
    let peer = Peer { name: "the target for 100,000".into(), value: 60_000.0 * series as f64 / 100_000.0 };
    let bar = peer.value;
    let name = format!("{series} series of 200 points");
    Row::new(name, micros(time) / 1_000, "ms", peer, BarIs::ValueAtMost, bar)
}
