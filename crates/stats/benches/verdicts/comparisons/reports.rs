//! Two reports of one preset: 57 cases with 10 repetitions per side. Sides that scatter differently, a machine that
//! changed between the reports, and times with ties.
//!
//! The machine that changes is simulated as follows. A report has a load, as a logarithm: 0 in one half of reports,
//! uniform up to ln 1.5 in the other. Each case and each canary of a report is slowed by the load times its own factor,
//! uniform from 0.5 to 1.5. In a loaded report, a repetition and a reading of a canary is also disturbed with a
//! probability that is uniform up to one half, for an exponential time with a mean of 30 %. Repetitions scatter by 3 %,
//! the readings of canaries by 2 %.

use super::SEED;
use super::draws::Messages;
use crate::{peer, row};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use rand_distr::{Distribution, Exp1, StandardNormal};
use roundtrip_budget::{BarIs, Row};
use roundtrip_stats::adjust::benjamini_hochberg;
use roundtrip_stats::mann_whitney::rank_sum;
use roundtrip_stats::movement::{self, Reference};
use roundtrip_stats::shape::{P50, Profile};
use roundtrip_stats::verdict::{self, Rule, Sides, Verdict};

const CASES: usize = 57;
/// The cases of the measured project in `drift`; the others are controls. As in a preset with two rings.
const OWN: usize = 13;
const CANARIES: usize = 7;
const REPETITIONS: usize = 10;
const NOISE: f64 = 0.03;

pub(super) fn rows(is_quick: bool) -> Vec<Row> {
    let comparisons = if is_quick { 40 } else { 4_000 };
    let mut rows = vec![unequal_scatter(comparisons)];
    rows.extend([CASES, OWN].map(|own| drift(own, comparisons)));
    rows.push(ties(comparisons / 4));
    rows
}

fn normal(deviation: f64, random: &mut StdRng) -> f64 {
    let one: f64 = StandardNormal.sample(random);
    deviation * one
}

/// A case by the levels of its repetitions, as logarithms.
fn sides(levels: [Vec<f64>; 2], random: &mut StdRng) -> Sides {
    let profiles = levels.map(|side| -> Vec<Profile> {
        side.into_iter().map(|level| Messages::ONE_MODE.profile(level, random)).collect()
    });
    let p50s = profiles.each_ref().map(|side| side.iter().map(|profile| profile[P50]).collect());
    Sides { p50s, profiles: Some(profiles), ..Sides::default() }
}

fn any_changed(cases: &[Sides]) -> bool {
    verdict::unpaired(&Rule::default(), cases).iter().any(verdict::Row::changed)
}

fn share(found: usize, all: usize) -> f64 {
    found as f64 / all as f64
}

/// A/A comparisons in which one side of each case scatters by 1 % and the other by 5 %.
fn unequal_scatter(comparisons: usize) -> Row {
    let of = |repetitions: usize, comparisons: usize| -> [f64; 2] {
        let mut random = StdRng::seed_from_u64(SEED);
        let (mut found, mut by_ranks) = (0, 0);
        for _ in 0..comparisons {
            let mut case = || {
                let levels = [0.01, 0.05]
                    .map(|deviation| (0..repetitions).map(|_| normal(deviation, &mut random)).collect());
                sides(levels, &mut random)
            };
            let cases: Vec<Sides> = (0..CASES).map(|_| case()).collect();
            found += usize::from(any_changed(&cases));
            let p: Vec<f64> = cases
                .iter()
                .map(|Sides { p50s: [base, head], .. }| rank_sum(base, head).unwrap().p_two_sided)
                .collect();
            by_ranks += usize::from(benjamini_hochberg(&p).into_iter().any(|p| p <= 0.01));
        }
        [found, by_ranks].map(|count| share(count, comparisons))
    };
    for repetitions in [15, 20, 30] {
        let [found, by_ranks] = of(repetitions, comparisons / 4);
        eprintln!(
            "scatter of 1 % vs. 5 %, {repetitions} repetitions: {found:.4}, ranks of the p50 alone {by_ranks:.4}"
        );
    }
    let [found, by_ranks] = of(REPETITIONS, comparisons);
    let peer = peer("ranks of the p50 alone", by_ranks);
    row("false alarms, scatter of 1 % vs. 5 %", found, peer, BarIs::ValueAtMost, 0.01)
}

/// The state of the machine during one report.
#[derive(Clone, Copy, Debug)]
struct Load {
    slowdown: f64,
    disturbed: f64,
}

impl Load {
    const NONE: Self = Self { slowdown: 0.0, disturbed: 0.0 };

    fn draw(random: &mut StdRng) -> Self {
        if random.random_bool(0.5) {
            return Self::NONE;
        }
        Self { slowdown: random.random_range(0.0..1.5_f64.ln()), disturbed: random.random_range(0.0..0.5) }
    }

    /// Repeated measurements of one case or canary in this report, as logarithms.
    fn levels(self, count: usize, noise: f64, random: &mut StdRng) -> Vec<f64> {
        let level = self.slowdown * random.random_range(0.5..1.5);
        let mut one = || {
            let delay: f64 = if random.random_bool(self.disturbed) { Exp1.sample(random) } else { 0.0 };
            level + normal(noise, random) + 0.3 * delay
        };
        (0..count).map(|_| one()).collect()
    }
}

/// Both reports of a machine: the cases, and its canaries in nanoseconds.
struct Reports {
    cases: Vec<Sides>,
    canaries: Vec<[u64; 2]>,
}

impl Reports {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "thousands of nanoseconds")]
    fn draw(loads: [Load; 2], random: &mut StdRng) -> Self {
        let cases = (0..CASES).map(|_| {
            let levels = loads.map(|load| load.levels(REPETITIONS, NOISE, random));
            sides(levels, random)
        });
        let cases = cases.collect();
        let canary = |_| loads.map(|load| (5_000.0 * load.levels(1, 0.02, random)[0].exp()) as u64);
        Self { cases, canaries: (0..CANARIES).map(canary).collect() }
    }

    /// The cases with the movement of the canaries, and of the cases that are controls.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "near a million nanoseconds")]
    fn moved(&self, own: usize) -> Vec<Sides> {
        let canaries = self.canaries.iter().filter_map(|sides| Reference::of_canary(String::new(), *sides));
        let controls = self.cases[own..].iter().filter_map(|Sides { p50s, .. }| {
            let ns = p50s
                .each_ref()
                .map(|side| side.iter().map(|level| (1e6 * level.exp()) as u64).collect::<Vec<_>>());
            Reference::of_control(String::new(), [&ns[0], &ns[1]])
        });
        let movement = movement::largest(&canaries.chain(controls).collect::<Vec<_>>());
        self.cases.iter().map(|sides| Sides { movement, ..sides.clone() }).collect()
    }
}

/// A/A comparisons of reports between which the machine changed. The first `own` cases are not controls.
fn drift(own: usize, comparisons: usize) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut found, mut without, mut refused) = (0, 0, 0);
    for _ in 0..comparisons {
        let loads = [Load::draw(&mut random), Load::draw(&mut random)];
        let reports = Reports::draw(loads, &mut random);
        let cases = reports.moved(own);
        found += usize::from(any_changed(&cases));
        without += usize::from(any_changed(&reports.cases));
        refused += usize::from(!movement::is_comparable(cases[0].movement));
    }
    let name = match own {
        CASES => "machine drift, canaries only".to_owned(),
        _ => format!("machine drift, canaries and {} controls", CASES - own),
    };
    let [found, without, refused] = [found, without, refused].map(|count| share(count, comparisons));
    eprintln!(
        "{name}: false {found:.4}, without canaries and controls {without:.4}; not comparable {refused:.3}; \
         on a quiet machine, {}",
        on_quiet_machine(own, comparisons / 10)
    );
    let peer = peer("without canaries and controls", without);
    row(format!("false alarms, {name}"), found, peer, BarIs::ValueAtMost, 0.01)
}

/// The rate at which one slower case is found while the machine does not change.
fn on_quiet_machine(own: usize, comparisons: usize) -> String {
    let found = [0.1, 0.15, 0.25].map(|slower: f64| {
        let mut random = StdRng::seed_from_u64(SEED);
        let is_found = |random: &mut StdRng| {
            let mut reports = Reports::draw([Load::NONE; 2], random);
            let [base, head] = [0.0, slower.ln_1p()]
                .map(|level| (0..REPETITIONS).map(|_| level + normal(NOISE, random)).collect::<Vec<_>>());
            reports.cases[0] = sides([base, head], random);
            let rows = verdict::unpaired(&Rule::default(), &reports.moved(own));
            rows[0].p50.verdict == Some(Verdict::Regressed)
        };
        let found = (0..comparisons).filter(|_| is_found(&mut random)).count();
        format!("{:.0} % slower found {:.3}", 100.0 * slower, share(found, comparisons))
    });
    found.join(", ")
}

/// The rate at which a case that is 25 % slower is found among all, with times near 132 ns, many of them equal.
fn ties(comparisons: usize) -> Row {
    let mut random = StdRng::seed_from_u64(SEED);
    let (mut found, mut starred) = (0, 0);
    for _ in 0..comparisons {
        let mut case = |factor: f64| {
            let levels = [1.0, factor].map(|factor| -> Vec<f64> {
                (0..REPETITIONS).map(|_| factor.ln() + normal(0.01, &mut random)).collect()
            });
            let mut sides = sides(levels, &mut random);
            let rounded = |log: &mut f64| *log = (132.0 * log.exp()).round().ln();
            sides.p50s.iter_mut().flatten().for_each(rounded);
            sides.profiles.iter_mut().flatten().flatten().flatten().for_each(rounded);
            sides
        };
        let cases: Vec<Sides> = (0..CASES).map(|nth| case(if nth == 0 { 1.25 } else { 1.0 })).collect();
        let rows = verdict::unpaired(&Rule::default(), &cases);
        found += usize::from(rows[0].p50.verdict == Some(Verdict::Regressed));
        starred += usize::from(rows[1..].iter().any(verdict::Row::changed));
    }
    let [found, others] = [found, starred].map(|count| share(count, comparisons));
    eprintln!(
        "25 % slower with ties among {CASES} cases: found {found:.4}; any other case reported {others:.4}"
    );
    let peer = peer("any other case reported", others);
    row(format!("25 % with ties found, 1 of {CASES} cases"), found, peer, BarIs::ValueAtLeast, 0.99)
}
