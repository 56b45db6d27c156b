//! Time to advise on twenty transports of five machines for a profile with a hundred buckets. Like a server,
//! it reads the stored distributions and ranks them.

use rand::{SeedableRng, rngs::StdRng};
use rand_distr::{Distribution as _, LogNormal};
use roundtrip_advisor::{Figure, Line, Measured, rank};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};
use std::hint::black_box;
use std::time::Instant;

const MACHINES: usize = 5;
const TRANSPORTS: usize = 20;
const SIZES: [u64; 9] = [8, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];
const BUCKETS: u64 = 100;
/// The time budget of one answer, in microseconds.
const ANSWER_US_MAX: f64 = 100_000.0;

/// A stored histogram, with its extremes and sum.
type Stored = (u64, Vec<u8>, (u64, u64, u64), Vec<u64>);

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let machines: Vec<Vec<Vec<Stored>>> = (0..MACHINES).map(|machine| stored(machine as u64)).collect();
    let sizes = sizes();
    let mut answers_us: Vec<u64> = (0..if is_quick { 5 } else { 25 })
        .map(|_| {
            let begin = Instant::now();
            for machine in &machines {
                black_box(rank(&read(machine), &sizes, Figure::P50));
            }
            u64::try_from(begin.elapsed().as_micros()).unwrap()
        })
        .collect();
    answers_us.sort_unstable();
    let mut reading_us: Vec<u64> = (0..5)
        .map(|_| {
            let begin = Instant::now();
            machines.iter().for_each(|machine| _ = black_box(read(machine)));
            u64::try_from(begin.elapsed().as_micros()).unwrap()
        })
        .collect();
    reading_us.sort_unstable();
    vec![
        Row::new(
            format!("advice on {TRANSPORTS} transports of {MACHINES} machines, {BUCKETS} buckets"),
            answers_us[answers_us.len() / 2],
            "us",
            Peer { name: "reading the distributions alone".into(), value: reading_us[2] as f64 },
            BarIs::ValueAtMost,
            ANSWER_US_MAX,
        )
        .with_best(answers_us.first().copied()),
    ]
}

fn stored(machine: u64) -> Vec<Vec<Stored>> {
    let mut random = StdRng::seed_from_u64(machine);
    let scatter = LogNormal::new(0.0, 0.2).unwrap();
    let mut transport = |number: usize| {
        SIZES
            .iter()
            .map(|&bytes| {
                let base = 4_000.0 + 300.0 * number as f64 + bytes as f64 / 4.0;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "times of microseconds"
                )]
                let times: Vec<u64> =
                    (0..5_000).map(|_| (base * scatter.sample(&mut random)) as u64).collect();
                let repetitions = times.iter().copied().take(10).collect();
                let all = Distribution::of_samples(times).unwrap();
                (bytes, all.stored_bytes(), (all.min_ns(), all.max_ns(), all.sum_ns()), repetitions)
            })
            .collect()
    };
    (0..TRANSPORTS).map(&mut transport).collect()
}

fn read(machine: &[Vec<Stored>]) -> Vec<Line> {
    let line = |stored: &Vec<Stored>| {
        let measured = stored.iter().map(|(message_bytes, bytes, ends, repetitions_ns)| Measured {
            message_bytes: *message_bytes,
            distribution: Distribution::of_stored(bytes, *ends).unwrap(),
            repetitions_ns: repetitions_ns.clone(),
        });
        Line::new(&measured.collect::<Vec<_>>(), Figure::P50.repetition_ppm()).unwrap()
    };
    machine.iter().map(line).collect()
}

/// Buckets of a tenth of a doubling, from 8 bytes to 8 KiB.
fn sizes() -> SizeHistogram {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are small")]
    let end = |nth: u64| (1_000.0 * 2.0_f64.powf(nth as f64 / 10.0)).round() as u64;
    let bucket = |nth| SizeBucket { from_bytes: end(nth), to_bytes: end(nth + 1) - 1, count: 1 + nth % 7 };
    SizeHistogram::new((0..BUCKETS).map(bucket).collect()).unwrap()
}
