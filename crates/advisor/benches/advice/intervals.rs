//! Coverage of the 95 % interval of a ratio between two transports, simulated with known true ratios.

use rand::{SeedableRng, rngs::StdRng};
use rand_distr::{Distribution as _, LogNormal};
use roundtrip_advisor::{Figure, Line, Measured, Mixture, rank};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::{Distribution, nearest_rank};
use roundtrip_wire::size_profile::{SizeHistogram, SizeProfile};

/// The seed. It was not used to tune anything.
const SEED: u64 = 20_261_126;
const SIZES: [u64; 6] = [8, 64, 256, 1_024, 4_096, 16_384];
const OPERATIONS: usize = 200;
const REPETITIONS: usize = 10;
const SCATTERS: [f64; 3] = [0.01, 0.03, 0.08];
/// Scatter of the operations within a repetition.
const WITHIN: f64 = 0.15;
/// Repetitions that define the true ratio.
const TRUE_REPETITIONS: usize = 4_000;
/// The lowest accepted coverage, per thousand intervals.
const COVERAGE_MIN: f64 = 950.0;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let draws = if is_quick { 300 } else { 2_000 };
    let sizes = SizeProfile::named("chromium-ipc").unwrap().sizes().unwrap();
    [Figure::Mean, Figure::P50, Figure::P98].map(|by| row(by, &sizes, draws)).into()
}

fn row(by: Figure, sizes: &SizeHistogram, draws: usize) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut held, mut all) = (0, 0);
    for scatter in SCATTERS {
        let truth = [FIRST, SECOND].map(|times_ns| {
            let line = line(times_ns, scatter, TRUE_REPETITIONS, by, &mut random);
            Mixture::new(&line, sizes).unwrap().figure_ns(by)
        });
        for _ in 0..draws {
            let lines = [FIRST, SECOND].map(|times_ns| line(times_ns, scatter, REPETITIONS, by, &mut random));
            let ranking = rank(&lines, sizes, by);
            // The slower line.
            let behind = ranking.ranked[1].behind.unwrap();
            let (first, other) = (ranking.ranked[0].line, ranking.ranked[1].line);
            let true_ratio = truth[other] / truth[first];
            let [low, high] = behind.interval.unwrap();
            held += usize::from((low..=high).contains(&true_ratio));
            all += 1;
        }
    }
    Row::new(
        format!("intervals of {by:?} ratios that hold the true one, of {all}"),
        (1_000 * held / all) as u64,
        "per mille",
        Peer { name: "nominal coverage".into(), value: COVERAGE_MIN },
        BarIs::ValueAtLeast,
        COVERAGE_MIN,
    )
}

/// Times of the two transports at each size, in nanoseconds: close to each other at the most frequent sizes.
const FIRST: [f64; 6] = [5_000.0, 5_010.0, 5_100.0, 5_400.0, 6_500.0, 11_000.0];
const SECOND: [f64; 6] = [5_100.0, 5_120.0, 5_150.0, 5_300.0, 6_000.0, 9_000.0];

fn line(times_ns: [f64; 6], scatter: f64, repetitions: usize, by: Figure, random: &mut StdRng) -> Line {
    let of_a_repetition = LogNormal::new(0.0, scatter).unwrap();
    let of_an_operation = LogNormal::new(0.0, WITHIN).unwrap();
    // A few operations per repetition are enough for the true ratio.
    let operations = if repetitions > REPETITIONS { 25 } else { OPERATIONS };
    let measured: Vec<Measured> = SIZES
        .iter()
        .zip(times_ns)
        .map(|(&message_bytes, ns)| {
            let mut all = Vec::new();
            let mut repetitions_ns = Vec::new();
            for _ in 0..repetitions {
                let level = ns * of_a_repetition.sample(random);
                let mut times: Vec<u64> =
                    (0..operations).map(|_| rounded(level * of_an_operation.sample(random))).collect();
                times.sort_unstable();
                repetitions_ns.push(nearest_rank(&times, by.repetition_ppm()).unwrap());
                all.extend(times);
            }
            let distribution = Distribution::of_samples(all).unwrap();
            Measured { message_bytes, distribution, repetitions_ns }
        })
        .collect();
    Line::new(&measured, by.repetition_ppm()).unwrap()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times of microseconds")]
fn rounded(ns: f64) -> u64 {
    ns.round() as u64
}
