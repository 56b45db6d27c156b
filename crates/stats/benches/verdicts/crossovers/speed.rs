//! Cost of the crossovers of a sweep.

use super::SEED;
use crate::noise::Noise;
use crate::speed::micros;
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::crossover::{Measured, crossovers};
use std::hint::black_box;
use std::time::{Duration, Instant};

const LINES: u32 = 20;
const SIZES: u32 = 12;
const REPETITIONS: usize = 15;

/// Time for all pairs of twenty lines with twelve sizes and fifteen repetitions each. The higher a line's cost per
/// message, the lower its cost per byte.
pub(super) fn row(times: usize) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let lines: Vec<Vec<Measured>> = (0..LINES).map(|line| self::line(line, &mut random)).collect();
    // The fastest of them, which excludes interference by other work on the machine.
    let (time, found) = (0..times).map(|_| all_pairs(&lines)).min().unwrap_or_default();
    eprintln!("all pairs of {LINES} lines of {SIZES} sizes: {found} crossovers");
    let peer = Peer { name: "the limit of a sweep (50 ms)".into(), value: 50_000.0 };
    let name = format!("crossovers of {LINES} lines of {SIZES} sizes");
    Row::new(name, micros(time), "us", peer, BarIs::ValueAtMost, 25_000.0)
}

fn line(line: u32, random: &mut StdRng) -> Vec<Measured> {
    let (of_message, of_byte) =
        (1_000.0 * 1.2_f64.powi(line.cast_signed()), 1.3_f64.powi(-line.cast_signed()));
    let measured = |size: u32| {
        let bytes = 64_u64 << size;
        let noise = Noise::Normal(0.03).values(REPETITIONS, random).into_iter();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
        let times = noise.map(|noise| ((of_message + of_byte * bytes as f64) * noise) as u64);
        Measured::new(bytes, times)
    };
    (0..SIZES).filter_map(measured).collect()
}

fn all_pairs(lines: &[Vec<Measured>]) -> (Duration, usize) {
    let begin = Instant::now();
    let mut found = 0;
    for (nth, first) in lines.iter().enumerate() {
        found +=
            lines[nth + 1..].iter().map(|second| black_box(crossovers(first, second)).len()).sum::<usize>();
    }
    (begin.elapsed(), found)
}
