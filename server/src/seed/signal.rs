//! Times of synthetic series: 3 % noise between runs, steps by a commit on one transport of all machines, steps by a
//! machine on all its series when its environment changes, and a few steps of single series.

use super::catalogue::{SeededCase, TRANSPORT_COUNT};
use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution as _, StandardNormal};
use roundtrip_stats::{Distribution, Quartiles, nearest_rank};
use roundtrip_storage::point::Numbers as Point;

/// Noise between runs, as the standard deviation of the logarithm.
const RUN_NOISE: f64 = 0.03;
/// Noise between repetitions, as the standard deviation of the logarithm.
const REPETITION_NOISE: f64 = 0.01;
pub(super) const REPETITIONS: usize = 5;
const OPERATIONS: usize = 400;
/// One in this many points has an outlier or lost messages.
const RARE: f64 = 1.0 / 300.0;
/// The transport that loses messages.
const LOSSY: &str = "seeded-udp";
/// One in this many series has its own step.
const OWN_STEPS: f64 = 0.04;
/// Commits per step of a transport, and per change of a machine.
const COMMITS_PER_STEP: usize = 250;
const COMMITS_PER_CHANGE: usize = 700;
/// Standard normal quantiles.
const Z_25: f64 = 0.674_490;
const Z_90: f64 = 1.281_552;
const Z_98: f64 = 2.053_749;
const Z_99: f64 = 2.326_348;
const Z_999: f64 = 3.090_232;

/// All series, by machine.
#[derive(Debug)]
pub(super) struct Signal {
    series: Vec<Series>,
    steps: Vec<Step>,
}

/// One series at the current commit.
#[derive(Debug)]
struct Series {
    machine: usize,
    transport: usize,
    /// The median of one operation.
    level_ns: f64,
    /// The spread of operations within a repetition, as the standard deviation of the logarithm.
    spread: f64,
    is_lossy_kind: bool,
    delivered_per_operation: i64,
    /// The payload bytes of one operation, in scenarios with a rate.
    stream_bytes: Option<u64>,
}

/// A change in the times of some series, from one commit on.
#[derive(Debug)]
struct Step {
    commit: usize,
    scope: Scope,
    factor: f64,
}

#[derive(Debug)]
enum Scope {
    Transport(usize),
    Machine(usize),
    Series(usize),
}

impl Signal {
    /// Generates the events of these cases. Each machine has the first `count` of them.
    pub(super) fn draw(
        cases: &[SeededCase],
        counts: &[usize],
        commit_count: usize,
        random: &mut StdRng,
    ) -> Self {
        let mut series = Vec::new();
        for (machine, &count) in counts.iter().enumerate() {
            let speed = random.random_range(0.8..1.3);
            series.extend(cases.iter().take(count).map(|case| Series {
                machine,
                transport: case.transport,
                level_ns: case.operation_ns * speed,
                spread: random.random_range(0.05..0.2),
                is_lossy_kind: case.result.transport.slug.as_str() == LOSSY,
                delivered_per_operation: case.delivered_per_operation,
                stream_bytes: case.result.case.total_bytes,
            }));
        }
        let mut steps = Vec::new();
        for _ in 0..(commit_count / COMMITS_PER_STEP).max(3) {
            let scope = Scope::Transport(random.random_range(0..TRANSPORT_COUNT));
            steps.push(Step::draw(scope, 0.03..0.25, commit_count, random));
        }
        for machine in 0..counts.len() {
            for _ in 0..(commit_count / COMMITS_PER_CHANGE).max(1) {
                steps.push(Step::draw(Scope::Machine(machine), 0.005..0.06, commit_count, random));
            }
        }
        for index in 0..series.len() {
            if random.random_bool(OWN_STEPS) {
                steps.push(Step::draw(Scope::Series(index), 0.03..0.15, commit_count, random));
            }
        }
        Self { series, steps }
    }

    /// Advances to the next commit. Returns the machines whose environment changes there, once for each change.
    pub(super) fn advance(&mut self, commit: usize) -> Vec<usize> {
        let mut changed = Vec::new();
        for step in self.steps.iter().filter(|step| step.commit == commit) {
            for (index, series) in self.series.iter_mut().enumerate() {
                let is_touched = match step.scope {
                    Scope::Transport(transport) => series.transport == transport,
                    Scope::Machine(machine) => series.machine == machine,
                    Scope::Series(only) => index == only,
                };
                if is_touched {
                    series.level_ns *= step.factor;
                }
            }
            if let Scope::Machine(machine) = step.scope {
                changed.push(machine);
            }
        }
        changed
    }

    /// The number of environment changes of a machine.
    pub(super) fn change_count(&self, machine: usize) -> usize {
        self.steps.iter().filter(|step| matches!(step.scope, Scope::Machine(only) if only == machine)).count()
    }

    /// Draws the point of a series, with its distribution if it is kept.
    pub(super) fn point(&self, series: usize, with_histogram: bool, random: &mut StdRng) -> Point {
        let series = &self.series[series];
        let level_ns = series.level_ns * lognormal(RUN_NOISE, random);
        let levels_ns: [f64; REPETITIONS] =
            std::array::from_fn(|_| level_ns * lognormal(REPETITION_NOISE, random));
        let mut point = if with_histogram {
            measured(&levels_ns, series.spread, random)
        } else {
            figured(&levels_ns, series.spread, random)
        };
        if random.random_bool(RARE) {
            point.disturbed_count = 1;
        }
        let attempted = point.operation_count * series.delivered_per_operation;
        point.attempted = attempted;
        point.accepted = attempted;
        point.delivered = attempted;
        if series.is_lossy_kind && random.random_bool(RARE) {
            point.lossy = true;
            point.delivered -= 1 + attempted / 1_000;
        }
        point.throughput_bytes_per_second = series.stream_bytes.map(|bytes| {
            let seconds = point.latency_ns_sum as f64 / 1e9;
            whole(bytes as f64 * point.operation_count as f64 / seconds)
        });
        point
    }
}

impl Step {
    fn draw(scope: Scope, size: std::ops::Range<f64>, commit_count: usize, random: &mut StdRng) -> Self {
        let size: f64 = random.random_range(size);
        // More commits make things slower than faster.
        let factor = if random.random_bool(0.65) { 1.0 + size } else { 1.0 / (1.0 + size) };
        Self { commit: random.random_range(commit_count / 20..commit_count), scope, factor }
    }
}

/// A point from individually drawn times.
fn measured(levels_ns: &[f64; REPETITIONS], spread: f64, random: &mut StdRng) -> Point {
    let mut all = Vec::with_capacity(REPETITIONS * OPERATIONS);
    let mut repetitions: [[u64; 3]; REPETITIONS] = [[0; 3]; REPETITIONS];
    for (level_ns, quantiles) in levels_ns.iter().zip(&mut repetitions) {
        let mut times: Vec<u64> =
            (0..OPERATIONS).map(|_| whole(level_ns * lognormal(spread, random)).cast_unsigned()).collect();
        times.sort_unstable();
        *quantiles = [500_000, 900_000, 990_000].map(|q_ppm| nearest_rank(&times, q_ppm).unwrap_or(0));
        all.append(&mut times);
    }
    let [p50, p90, p99] = columns(&repetitions);
    let Some(merged) = Distribution::of_samples(all) else { return Point::default() };
    let quantile = |q_ppm| merged.quantile_ns(q_ppm).cast_signed();
    Point {
        latency_ns_sum: merged.sum_ns().cast_signed(),
        latency_ns_min: merged.min_ns().cast_signed(),
        latency_ns_p25: quantile(250_000),
        latency_ns_p50: quantile(500_000),
        latency_ns_p75: quantile(750_000),
        latency_ns_p90: quantile(900_000),
        latency_ns_p98: quantile(980_000),
        latency_ns_p99: quantile(990_000),
        latency_ns_p999: quantile(999_000),
        latency_ns_max: merged.max_ns().cast_signed(),
        histogram: Some(merged.histogram_bytes()),
        ..of_repetitions(p50, p90, p99)
    }
}

/// A point from the expected quantiles of drawn times: the same numbers for a hundredth of the work.
fn figured(levels_ns: &[f64; REPETITIONS], spread: f64, random: &mut StdRng) -> Point {
    let mut repetitions: [[u64; 3]; REPETITIONS] = [[0; 3]; REPETITIONS];
    for (level_ns, quantiles) in levels_ns.iter().zip(&mut repetitions) {
        let p50 = level_ns * lognormal(spread * 0.06, random);
        let p90 = p50 * (Z_90 * spread).exp() * lognormal(spread * 0.05, random);
        let p99 = p90 * ((Z_99 - Z_90) * spread * lognormal(0.15, random)).exp();
        *quantiles = [p50, p90, p99].map(|ns| whole(ns).cast_unsigned());
    }
    let [p50, p90, p99] = columns(&repetitions);
    let point = of_repetitions(p50, p90, p99);
    let middle = point.repetition_p50_ns_median as f64;
    let at = |z: f64, noise: f64| whole(middle * (z * spread).exp() * noise);
    let tail = lognormal(spread * 0.1, random);
    // The expected positions of the extremes among this many times.
    let extreme = Z_999 + 0.1 + 0.3 * normal(random).abs();
    let outlier = if random.random_bool(RARE) { random.random_range(3.0..40.0) } else { 1.0 };
    let p98 = at(Z_98, 1.0);
    let p99 = at(Z_99, tail).max(p98);
    let p999 = at(Z_999, tail * tail).max(p99);
    Point {
        latency_ns_sum: whole(middle * (spread * spread / 2.0).exp() * point.operation_count as f64),
        latency_ns_min: at(-extreme, 1.0),
        latency_ns_p25: at(-Z_25, 1.0),
        latency_ns_p50: whole(middle),
        latency_ns_p75: at(Z_25, 1.0),
        latency_ns_p90: at(Z_90, 1.0),
        latency_ns_p98: p98,
        latency_ns_p99: p99,
        latency_ns_p999: p999,
        latency_ns_max: at(extreme, outlier).max(p999),
        ..point
    }
}

fn of_repetitions(p50: Vec<u64>, p90: Vec<u64>, p99: Vec<u64>) -> Point {
    let signed = |values: Vec<u64>| values.into_iter().map(u64::cast_signed).collect();
    let medians = Quartiles::of(&p50);
    let quartile = |of: fn(&Quartiles) -> u64| medians.as_ref().map_or(0, of).cast_signed();
    Point {
        repetition_count: i32::try_from(REPETITIONS).unwrap_or(0),
        operation_count: i64::try_from(REPETITIONS * OPERATIONS).unwrap_or(0),
        repetition_p50_ns_q1: quartile(|medians| medians.q1),
        repetition_p50_ns_median: quartile(|medians| medians.median),
        repetition_p50_ns_q3: quartile(|medians| medians.q3),
        repetition_p50_ns: signed(p50),
        repetition_p90_ns: signed(p90),
        repetition_p99_ns: signed(p99),
        ..Point::default()
    }
}

fn columns(repetitions: &[[u64; 3]; REPETITIONS]) -> [Vec<u64>; 3] {
    std::array::from_fn(|column| repetitions.iter().map(|quantiles| quantiles[column]).collect())
}

fn lognormal(deviation: f64, random: &mut StdRng) -> f64 {
    (deviation * normal(random)).exp()
}

fn normal(random: &mut StdRng) -> f64 {
    StandardNormal.sample(random)
}

#[expect(clippy::cast_possible_truncation, reason = "a conversion of this kind ends at the largest number")]
fn whole(ns: f64) -> i64 {
    ns.round() as i64
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;
    use rand::SeedableRng;

    fn signal(series: usize, commits: usize) -> (Signal, StdRng) {
        let mut random = StdRng::seed_from_u64(7);
        let signal = Signal::draw(&catalogue::cases(series), &[series], commits, &mut random);
        (signal, random)
    }

    /// Points of many series, each with its series' level.
    fn points(with_histogram: bool) -> Vec<(Point, f64)> {
        let (signal, mut random) = signal(96, 10);
        (0..960)
            .map(|index| index % 96)
            .map(|index| (signal.point(index, with_histogram, &mut random), signal.series[index].level_ns))
            .collect()
    }

    /// A value of each point as a fraction of its level, sorted.
    fn ratios(points: &[(Point, f64)], of: fn(&Point) -> i64) -> Vec<f64> {
        let mut ratios: Vec<f64> =
            points.iter().map(|(point, level_ns)| of(point) as f64 / level_ns).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    }

    #[test]
    fn points_are_equal_with_and_without_a_histogram() {
        let (drawn, figured) = (points(true), points(false));
        for of in [
            |point: &Point| point.latency_ns_min,
            |point: &Point| point.latency_ns_p25,
            |point: &Point| point.latency_ns_p50,
            |point: &Point| point.latency_ns_p90,
            |point: &Point| point.latency_ns_p99,
            |point: &Point| point.latency_ns_p999,
            |point: &Point| point.latency_ns_max,
            |point: &Point| point.latency_ns_sum,
            |point: &Point| point.repetition_p99_ns[0],
        ] {
            let (drawn, figured) = (ratios(&drawn, of), ratios(&figured, of));
            for at in [160, 480, 800] {
                let difference = drawn[at] / figured[at] - 1.0;
                assert!(difference.abs() < 0.05, "{difference} at {at}");
            }
        }
    }

    #[test]
    fn medians_vary_by_three_percent() {
        let ratios = ratios(&points(false), |point| point.latency_ns_p50);
        // Two thirds lie within one standard deviation.
        let deviation = (ratios[800] - ratios[160]) / 2.0;
        assert!((0.027..0.034).contains(&deviation), "{deviation}");
    }

    #[test]
    fn quantiles_ascend() {
        let (signal, mut random) = signal(500, 10);
        for index in 0..1_000 {
            let point = signal.point(index / 2, index % 10 == 0, &mut random);
            let quantiles = [
                point.latency_ns_min,
                point.latency_ns_p25,
                point.latency_ns_p50,
                point.latency_ns_p75,
                point.latency_ns_p90,
                point.latency_ns_p98,
                point.latency_ns_p99,
                point.latency_ns_p999,
                point.latency_ns_max,
            ];
            assert!(quantiles.is_sorted() && quantiles[0] > 0, "{point:?}");
            assert!(point.delivered < point.attempted || !point.lossy, "{point:?}");
        }
    }

    #[test]
    fn steps_persist_and_report_environment_changes() {
        let (mut signal, _) = signal(96, 1_000);
        let before: Vec<f64> = signal.series.iter().map(|series| series.level_ns).collect();
        let changes: usize = (0..1_000).map(|commit| signal.advance(commit).len()).sum();
        assert_eq!(changes, 1);
        let moved =
            signal.series.iter().zip(before).filter(|(series, before)| series.level_ns != *before).count();
        assert_eq!(moved, 96, "the machine's change touches all");
    }
}
