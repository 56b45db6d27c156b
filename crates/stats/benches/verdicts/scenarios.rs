//! Change detection where simple steps in even noise are the exception: machines with two states or a daily rhythm, slow
//! drift, small steps, several measurements of a commit, commits without measurement, and noise that is correlated or
//! changes its scale.
//!
//! The peer is the rule of Mozilla's Perfherder on the same series: Student's t of the twelve values before and after a
//! point, above 7.

use crate::noise::{Noise, normal};
use crate::{peer, row};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::cause::{self, Cause, ReferenceSeries};
use roundtrip_stats::change_point::{Kind, Method, Step, one_per_commit, one_sided_p};
use std::iter::repeat_with;

const SEED: u64 = 20_261_128;
/// The factor between the two states of a machine.
const STATES: f64 = 1.4;
/// The noise of most series.
const DEVIATION: f64 = 0.01;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let times = if is_quick { 1 } else { 5 };
    let method = Method::shipped();
    let mut rows = null_rows(method, times);
    rows.extend(state_rows(method, times));
    rows.extend(creep_rows(method, 40 * times));
    rows.push(small_steps(method, 60 * times));
    rows.extend([0.3, 0.5, 0.8].map(|missing| interval_row(method, missing, 100 * times)));
    rows.extend(machine_rows(method, 100 * times));
    rows
}

const ONE_BY_ONE: &str = "the same machines one by one";

/// Series of which several machines measure every commit, with noise of 3 %.
fn machine_rows(method: &Method, series: usize) -> Vec<Row> {
    const SHORT: usize = 12;
    const LENGTH: usize = 200;
    let noise = 3.0 * DEVIATION;
    let mut rows = Vec::new();
    for (machines, within) in [(2, 8), (2, 10), (3, 5), (3, 6), (4, 5)] {
        let mut random = StdRng::seed_from_u64(SEED);
        let levels: Vec<f64> = (0..SHORT + within).map(|at| if at < SHORT { 1.0 } else { 1.1 }).collect();
        let (mut found, mut alone) = (0, 0);
        for _ in 0..series {
            let values: Vec<_> = (0..machines).map(|_| noisy(&levels, noise, &mut random)).collect();
            found += usize::from(on_machines(method, &values).iter().any(|steps| !steps.is_empty()));
            alone += usize::from(values.iter().any(|values| alerts(method, values).next().is_some()));
        }
        let name = format!("10 % step after 12 points reported within {within}, {machines} machines");
        let share = |count: usize| count as f64 / series as f64;
        let peer = peer(ONE_BY_ONE, share(alone).max(0.001));
        rows.push(row(&name, share(found), peer, BarIs::ValueAtLeast, 0.5));
    }
    let even_noise = |levels: &[f64], random: &mut StdRng| noisy(levels, noise, random);
    let even = [1.0; LENGTH];
    let moved: Vec<f64> = (0..LENGTH).map(|at| if at < LENGTH / 2 { 1.0 } else { 1.2 }).collect();
    let null = |name: &str, generate: &MachinesGenerator<'_>| machines_null(name, method, series, generate);
    rows.push(null("false alarms, three machines", &|random| [(); 3].map(|()| even_noise(&even, random))));
    rows.push(null("false alarms, three machines, correlation 0.6", &|random| {
        [(); 3].map(|()| correlated(0.6, LENGTH, random))
    }));
    rows.push(null("false alarms where another machine moved by 20 %", &|random| {
        [&moved, &even[..], &even].map(|levels| even_noise(levels, random))
    }));
    rows
}

type MachinesGenerator<'a> = dyn Fn(&mut StdRng) -> [Vec<f64>; 3] + 'a;

/// A row of alerts in this many series of three machines: those of the last two, which have no change. The peer are the
/// alerts of the same machines if none confirms another.
pub(crate) fn machines_null(
    name: &str,
    method: &Method,
    series: usize,
    generate: &MachinesGenerator<'_>,
) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut found, mut alone, mut points) = (0, 0, 0);
    for values in repeat_with(|| generate(&mut random)).take(series) {
        found += on_machines(method, &values)[1..].iter().map(Vec::len).sum::<usize>();
        alone += values[1..].iter().map(|values| alerts(method, values).count()).sum::<usize>();
        points += values[1..].iter().map(Vec::len).sum::<usize>();
    }
    per_million_of(name, [found, alone], ONE_BY_ONE, points, (BarIs::ValueAtMost, 100.0))
}

/// The alerts of each machine if the others can confirm them, as on the server.
fn on_machines(method: &Method, machines: &[Vec<f64>]) -> Vec<Vec<Step>> {
    let mut detectors: Vec<_> = machines.iter().map(|_| (method.detector(), Vec::new())).collect();
    for at in 0..machines[0].len() {
        for ((detector, steps), values) in detectors.iter_mut().zip(machines) {
            steps.extend(detector.push(values[at]).unwrap());
        }
        for (machine, (detector, steps)) in detectors.iter_mut().enumerate() {
            let Some(split) = detector.candidate() else { continue };
            // As on the server: thirty points on each side.
            let window = split.index.saturating_sub(30)..(split.index + 30).min(at + 1);
            let others = machines.iter().enumerate().filter(|(other, _)| *other != machine);
            let others: Vec<f64> = others
                .map(|(_, values)| {
                    let values: Vec<f64> = values[window.clone()].iter().map(|value| value.ln()).collect();
                    one_sided_p(&values, split.index - window.start, split.is_up)
                })
                .collect();
            steps.extend(detector.confirm(split, &others));
        }
    }
    detectors.into_iter().map(|(_, steps)| steps.into_iter().filter(Step::is_alert).collect()).collect()
}

/// Alerts in noise without a change.
fn null_rows(method: &Method, times: usize) -> Vec<Row> {
    let correlated = |correlation| move |count, random: &mut StdRng| correlated(correlation, count, random);
    let at_most = |bar| (BarIs::ValueAtMost, bar);
    let of_peer = |bar| (BarIs::RatioAtMost, bar);
    [
        ("correlation 0.6, series of 200", 200, 500, &correlated(0.6) as &Generator<'_>, at_most(100.0)),
        ("correlation 0.9, series of 200", 200, 500, &correlated(0.9), of_peer(0.5)),
        ("correlation 0.9, series of 5,000", 5_000, 20, &correlated(0.9), of_peer(0.5)),
        ("noise of 1 % and 5 % in turn, series of 5,000", 5_000, 20, &changing_scale, at_most(100.0)),
        ("ticks of 2 %, series of 200", 200, 500, &ticks, at_most(100.0)),
        ("ten rows for each commit, series of 200", 200, 100, &commits_of_ten_rows, at_most(100.0)),
    ]
    .into_iter()
    .map(|(name, length, series, generate, bar)| {
        alarms(name, [series * times, length], bar, method, generate)
    })
    .collect()
}

type Generator<'a> = dyn Fn(usize, &mut StdRng) -> Vec<f64> + 'a;

/// A row of alerts in this many series of this length, which have no change.
fn alarms(
    name: &str,
    [series, length]: [usize; 2],
    bar: (BarIs, f64),
    method: &Method,
    generate: &Generator<'_>,
) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut found = [0, 0];
    for values in repeat_with(|| generate(length, &mut random)).take(series) {
        found[0] += alerts(method, &values).count();
        found[1] += perfherder(&values).len();
    }
    per_million(&format!("false alarms, {name}"), found, series * length, bar)
}

/// A row of alarms in a million points, and those of Perfherder's t.
pub(crate) fn per_million(name: &str, found: [usize; 2], points: usize, bar: (BarIs, f64)) -> Row {
    per_million_of(name, found, "Perfherder's t", points, bar)
}

fn per_million_of(
    name: &str,
    found: [usize; 2],
    peer: &str,
    points: usize,
    (bar_is, bar): (BarIs, f64),
) -> Row {
    let [found, of_peer] = found.map(|count| (1e6 * count as f64 / points as f64).round());
    let peer = Peer { name: format!("{peer} ({of_peer})"), value: of_peer.max(1.0) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and not negative")]
    Row::new(name, found as u64, "/ 1,000,000 points", peer, bar_is, bar)
}

pub(crate) fn alerts<'a>(method: &'a Method, values: &[f64]) -> impl Iterator<Item = Step> + use<'a> {
    method.detect(values.iter().copied()).unwrap().into_iter().filter(Step::is_alert)
}

/// Machines with two states, and with a rhythm of day and night. The first three switches of each series cannot be known.
fn state_rows(method: &Method, times: usize) -> Vec<Row> {
    const LENGTH: usize = 1_000;
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut found, mut unexplained, mut of_peer) = (0, 0, 0);
    let series = 20 * times;
    for _ in 0..series {
        let states = two_states(LENGTH, &mut random);
        let [values, canary] = [(); 2].map(|()| noisy(&states, DEVIATION, &mut random));
        let steps = method.detect(values.iter().copied()).unwrap();
        found += steps.iter().filter(|step| step.is_alert()).count();
        unexplained += not_by_machine(&steps, &canary);
        of_peer += perfherder(&values).len();
    }
    let states_row =
        |name, found, bar| per_million(name, [found, of_peer], series * LENGTH, (BarIs::ValueAtMost, bar));
    let mut rows = vec![
        states_row("alerts, two states, dwell 5 to 30, series of 1,000", found, 6_000.0),
        states_row("the same, with a canary", unexplained, 200.0),
    ];
    for half in [12, 30, 60] {
        let square = |count: usize, random: &mut StdRng| {
            let day: Vec<f64> = (0..count).map(|at| if (at / half) % 2 == 0 { 1.0 } else { 1.04 }).collect();
            noisy(&day, DEVIATION, random)
        };
        let name = format!("4 % day and night of {half} points each, series of 10,000");
        rows.push(alarms(&name, [times, 10_000], (BarIs::ValueAtMost, 1_000.0), method, &square));
    }
    rows
}

/// The alerts of a series that its machine's canary does not explain. As on the server, the canary is compared within
/// the two levels of a change.
fn not_by_machine(steps: &[Step], canary: &[f64]) -> usize {
    const POINTS_MAX: usize = 30;
    let is_commit = |(nth, step): &(usize, &Step)| {
        let from = nth
            .checked_sub(1)
            .map_or(0, |before| steps[before].index)
            .max(step.index.saturating_sub(POINTS_MAX));
        let to = steps.get(nth + 1).map_or(canary.len(), |next| next.index).min(step.index + POINTS_MAX);
        let series = ReferenceSeries {
            kind: cause::Kind::Canary,
            name: "canary".into(),
            before: canary[from..step.index].to_vec(),
            after: canary[step.index..to].to_vec(),
        };
        let observation = series.classify(step.after / step.before - 1.0);
        step.is_alert() && Cause::of(&[observation]) != Cause::Machine
    };
    steps.iter().enumerate().filter(is_commit).count()
}

/// A name, a number of points, and the level at each.
type Creep<'a> = (&'a str, usize, &'a dyn Fn(f64) -> f64);

/// Slow creep: the share of series with a report of it.
fn creep_rows(method: &Method, series: usize) -> Vec<Row> {
    let creeps: [Creep; 3] = [
        ("20 steps of 0.9 %, every 50 points", 1_200, &|at| 1.009_f64.powf((at / 50.0).floor().min(20.0))),
        ("a ramp of 30 % over 1,000 points", 1_200, &|at| 1.0 + 0.3 * (at / 1_000.0).min(1.0)),
        ("a ramp of 100 % over 5,000 points", 5_200, &|at| 1.0 + (at / 5_000.0).min(1.0)),
    ];
    let row_of = |(name, count, level): Creep| {
        let mut random = StdRng::seed_from_u64(SEED);
        let (mut found, mut of_peer) = (0, 0);
        for _ in 0..series {
            // A hundred points before it begins.
            let levels: Vec<f64> = (0..count).map(|at| level((at as f64 - 100.0).max(0.0))).collect();
            let values = noisy(&levels, DEVIATION, &mut random);
            found += usize::from(alerts(method, &values).any(|step| step.kind == Kind::Drift));
            of_peer += usize::from(!perfherder(&values).is_empty());
        }
        share_row(&format!("drift reported: {name}"), found, of_peer, series)
    };
    creeps.into_iter().map(row_of).collect()
}

fn small_steps(method: &Method, series: usize) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut found, mut of_peer) = (0, 0);
    for _ in 0..series {
        let levels: Vec<f64> = (0..400).map(|at| if at < 200 { 1.0 } else { 1.02 }).collect();
        let values = noisy(&levels, DEVIATION, &mut random);
        let is_near = |index: usize| index.abs_diff(200) <= 5;
        let steps = method.detect(values.iter().copied()).unwrap();
        found += usize::from(steps.iter().any(|step| is_near(step.index)));
        of_peer += usize::from(perfherder(&values).into_iter().any(is_near));
    }
    share_row("steps of 2 % in noise of 1 % reported, small or not", found, of_peer, series)
}

fn share_row(name: &str, found: usize, of_peer: usize, series: usize) -> Row {
    let share = |count: usize| count as f64 / series as f64;
    row(name, share(found), peer("Perfherder's t", share(of_peer).max(0.001)), BarIs::ValueAtLeast, 0.95)
}

/// The rate at which the interval of a change of 10 % in noise of 3 % contains the true commit, if this share of commits
/// is not measured.
fn interval_row(method: &Method, missing: f64, series: usize) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut covered, mut found) = (0, 0);
    for _ in 0..series {
        let change = random.random_range(1_000..2_000);
        let commits: Vec<i64> = (0..3_000).filter(|_| !random.random_bool(missing)).collect();
        let levels: Vec<f64> =
            commits.iter().map(|&commit| if commit < change { 1.0 } else { 1.1 }).collect();
        let values = noisy(&levels, 3.0 * DEVIATION, &mut random);
        for step in alerts(method, &values) {
            let [first, last] = step.interval;
            let after = first.checked_sub(1).map_or(-1, |before| commits[before]);
            covered += usize::from(after < change && change <= commits[last]);
            found += 1;
        }
    }
    let name = format!("intervals that contain the true commit, {:.0} % unmeasured", 100.0 * missing);
    row(name, covered as f64 / found as f64, peer("nominal", 0.95), BarIs::ValueAtLeast, 0.95)
}

// The series.

/// Values near these levels, with normal noise.
fn noisy(levels: &[f64], deviation: f64, random: &mut StdRng) -> Vec<f64> {
    levels.iter().map(|level| level * (1.0 + deviation * normal(random))).collect()
}

/// The levels of a machine that stays 5 to 30 points in each of two states.
fn two_states(count: usize, random: &mut StdRng) -> Vec<f64> {
    let mut levels = Vec::with_capacity(count + 30);
    let mut level = 1.0;
    while levels.len() < count {
        levels.extend(std::iter::repeat_n(level, random.random_range(5..=30)));
        level = if level > 1.0 { 1.0 } else { STATES };
    }
    levels.truncate(count);
    levels
}

/// Noise of 3 % with this correlation of neighbours.
fn correlated(correlation: f64, count: usize, random: &mut StdRng) -> Vec<f64> {
    let mut deviation = normal(random);
    let mut next = || {
        deviation = correlation * deviation + (1.0 - correlation * correlation).sqrt() * normal(random);
        1.0 + 0.03 * deviation
    };
    (0..count).map(|_| next()).collect()
}

/// A hundred points with noise of 1 %, then a hundred with 5 %, and so on.
fn changing_scale(count: usize, random: &mut StdRng) -> Vec<f64> {
    (0..count).map(|at| 1.0 + if (at / 100) % 2 == 0 { 0.01 } else { 0.05 } * normal(random)).collect()
}

/// Noise of 2 %, measured by a clock with ticks of 2 %.
fn ticks(count: usize, random: &mut StdRng) -> Vec<f64> {
    Noise::Normal(0.02).values(count, random).into_iter().map(|value| (value * 50.0).round() / 50.0).collect()
}

/// The values of commits that differ by 2 %, each from ten rows that differ by 0.5 %.
fn commits_of_ten_rows(count: usize, random: &mut StdRng) -> Vec<f64> {
    let mut rows = Vec::with_capacity(10 * count);
    for (commit, build) in (0..).zip(Noise::Normal(0.02).values(count, random)) {
        rows.extend((0..10).map(|_| (commit, build * (1.0 + 0.005 * normal(random)))));
    }
    one_per_commit(&rows).map(|(_, value)| value).collect()
}

/// The places at which Student's t of twelve values on either side is above 7 and largest among its neighbours.
pub(crate) fn perfherder(values: &[f64]) -> Vec<usize> {
    const SIDE: usize = 12;
    const T_MIN: f64 = 7.0;
    let ts: Vec<f64> =
        values.windows(2 * SIDE).map(|window| student(&window[..SIDE], &window[SIDE..])).collect();
    let is_largest = |at: usize| {
        let around = &ts[at.saturating_sub(SIDE)..(at + SIDE).min(ts.len())];
        around.iter().all(|other| *other <= ts[at])
    };
    (0..ts.len()).filter(|&at| ts[at] > T_MIN && is_largest(at)).map(|at| at + SIDE).collect()
}

fn student(before: &[f64], after: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let [low, high] = [mean(before), mean(after)];
    let squares = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    let count = before.len() as f64;
    let variance = (squares(before, low) + squares(after, high)) / (2.0 * count - 2.0);
    (high - low).abs() / (variance * 2.0 / count).sqrt().max(1e-12)
}
