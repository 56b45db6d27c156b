//! Verdicts for rows whose true change is known.

use super::*;
use crate::random::Random;
use crate::shape::P50;
use proptest::prelude::*;

/// Pairs whose head is slower by this factor, with a deterministic jitter of about this share.
fn pairs(count: u64, factor: f64, jitter: f64, seed: u64) -> Vec<(f64, f64)> {
    let mut random = Random::new(seed);
    let mut noise = || {
        // The sum of four is nearly normal.
        let mut one = || random.uniform() - 0.5;
        jitter * (one() + one() + one() + one()) * 3.0_f64.sqrt()
    };
    (0..count).map(|_| (1_000.0 * noise().exp(), 1_000.0 * factor * noise().exp())).collect()
}

/// Evaluates the rows with their first `count` pairs.
fn look(comparison: &mut SequentialComparison, rows: &[Vec<(f64, f64)>], count: usize) {
    comparison.look(&rows.iter().map(|row| ratios(row, count)).collect::<Vec<_>>());
}

/// The first `count` pairs of a row.
fn ratios(row: &[(f64, f64)], count: usize) -> Vec<Pair> {
    let ratio = |(base, head): &(f64, f64)| (head / base).ln();
    row.iter().take(count).map(|pair| Pair { p50: ratio(pair), profile: [ratio(pair); 12] }).collect()
}

fn compare_all(rule: &Rule, rows: &[Vec<(f64, f64)>]) -> SequentialComparison {
    let mut comparison = SequentialComparison::new(rule.clone(), rows.len());
    for count in 1..=60 {
        look(&mut comparison, rows, count);
    }
    comparison
}

fn verdicts(comparison: &SequentialComparison) -> Vec<Option<Verdict>> {
    comparison.rows().iter().map(|row| row.p50.verdict).collect()
}

#[test]
fn slower_faster_and_equal_rows_get_their_verdicts() {
    let rows = [pairs(60, 1.10, 0.02, 1), pairs(60, 0.90, 0.02, 2), pairs(60, 1.0, 0.02, 3)];
    let comparison = compare_all(&Rule::default(), &rows);
    let expected = [Verdict::Regressed, Verdict::Improved, Verdict::NoChange].map(Some);
    assert_eq!(verdicts(&comparison), expected);
    let shift = comparison.rows()[0].p50.shift.unwrap();
    assert!((shift.estimate.exp() - 1.10).abs() < 0.02, "{shift:?}");
}

#[test]
fn decided_rows_stop_and_noisy_rows_end_inconclusive() {
    let rows = [pairs(60, 1.0, 0.005, 4), pairs(60, 1.02, 0.5, 5)];
    let mut comparison = SequentialComparison::new(Rule::default(), 2);
    assert!(comparison.wants_more(0) && comparison.wants_more(1));
    look(&mut comparison, &rows, 8);
    assert!(!comparison.wants_more(0) && comparison.wants_more(1), "{comparison:?}");
    assert_eq!(verdicts(&compare_all(&Rule::default(), &rows))[1], Some(Verdict::Inconclusive));
}

#[test]
fn significant_but_tiny_change_is_no_change() {
    let rows = [pairs(60, 1.006, 0.0005, 6)];
    let comparison = compare_all(&Rule { matters: 0.000_1, ..Rule::default() }, &rows);
    assert_eq!(verdicts(&comparison), [Some(Verdict::NoChange)]);
    assert!(comparison.rows()[0].p50.p_adjusted <= 0.01);
}

#[test]
fn p_values_are_adjusted_for_all_rows() {
    // A row that is significant alone is not significant among thirty that are not.
    let alone = [pairs(12, 1.04, 0.02, 7)];
    let rule = Rule { looks: vec![12], ..Rule::default() };
    let found = compare_all(&rule, &alone).rows()[0].p50;
    let mut many = alone.to_vec();
    many.extend((0..30).map(|seed| pairs(12, 1.0, 0.02, 100 + seed)));
    let among = compare_all(&rule, &many).rows()[0].p50;
    assert_eq!(found.p, among.p);
    assert!(among.p_adjusted > 5.0 * found.p_adjusted, "{found:?} {among:?}");
}

#[test]
fn unpaired_rows_get_their_verdicts() {
    let side = |factor: f64, seed| -> Vec<f64> {
        pairs(20, factor, 0.02, seed).into_iter().map(|(_, head)| head.ln()).collect()
    };
    let sides = [[side(1.0, 8), side(1.10, 9)], [side(1.0, 10), side(1.0, 11)], [vec![0.0], vec![1.0]]];
    let sides = sides.map(|p50s| Sides { p50s, ..Sides::default() });
    let rows = unpaired(&Rule::default(), &sides);
    let verdicts: Vec<_> = rows.iter().filter_map(|row| row.p50.verdict).collect();
    assert_eq!(verdicts, [Verdict::Regressed, Verdict::NoChange, Verdict::Inconclusive]);
}

/// Times are whole nanoseconds, so the short ones of a side are often equal.
#[test]
fn change_with_ties_is_found_among_many_rows() {
    let side = |factor, seed| -> Vec<f64> {
        pairs(10, factor, 0.01, seed).into_iter().map(|(_, head)| (0.132 * head).round().ln()).collect()
    };
    let row = |(nth, factor): (u64, f64)| Sides {
        p50s: [side(1.0, 2_000 + 2 * nth), side(factor, 2_001 + 2 * nth)],
        ..Sides::default()
    };
    let rows: Vec<Sides> = (0..57).zip([1.25].into_iter().chain([1.0; 56])).map(row).collect();
    let [_, head] = &rows[0].p50s;
    assert!((0..10).any(|nth| head[..nth].contains(&head[nth])), "{head:?} has no ties");
    let found = unpaired(&Rule::default(), &rows);
    assert_eq!(found[0].p50.verdict, Some(Verdict::Regressed), "{:?}", found[0]);
    assert!(found[1..].iter().all(|row| !row.p50.changed()));
}

/// A side of ten, as logarithms.
fn side_of_ten(factor: f64, jitter: f64, seed: u64) -> Vec<f64> {
    pairs(10, factor, jitter, seed).into_iter().map(|(_, head)| head.ln()).collect()
}

/// By ranks alone, 1 of 20 such comparisons reports a change.
#[test]
fn unequal_scatter_is_no_change() {
    let row = |seed: u64| Sides {
        p50s: [side_of_ten(1.0, 0.01, 2 * seed), side_of_ten(1.0, 0.05, 2 * seed + 1)],
        ..Sides::default()
    };
    let changed = (0..200).filter(|nth| {
        let rows: Vec<Sides> = (0..57).map(|case| row(50_000 + 57 * nth + case)).collect();
        unpaired(&Rule::default(), &rows).iter().any(Row::changed)
    });
    // At a rate of 1 %, more than 6 of 200 have a probability of 0.4 %.
    let changed = changed.count();
    assert!(changed <= 6, "{changed} of 200");
}

#[test]
fn change_counts_only_beyond_the_movement_of_the_machine() {
    let mode = |slower: bool| if slower { 0.1 } else { 0.0 };
    let profiles = [false, true].map(|slower| -> Vec<Profile> {
        let p50s = side_of_ten(1.0 + mode(slower), 0.01, 70 + u64::from(slower));
        p50s.into_iter().map(|p50| std::array::from_fn(|index| p50 + 0.01 * index as f64)).collect()
    });
    let p50s = profiles.each_ref().map(|side| side.iter().map(|profile| profile[P50]).collect());
    let sides = Sides { p50s, profiles: Some(profiles), ..Sides::default() };
    let with = |movement| unpaired(&Rule::default(), &[Sides { movement, ..sides.clone() }])[0];
    let why = |movement| with(movement).reason.map(|reason| reason.to_string());

    assert_eq!(with(0.05).p50.verdict, Some(Verdict::Regressed));
    assert!(with(0.05).p99.unwrap().changed());
    assert!(!with(0.098).changed() && !with(0.3).changed(), "{:?} {:?}", with(0.098), with(0.3));
    let within = why(0.098).unwrap();
    assert!(within.starts_with("within the movement of the machine: change +"), "{within}");
    assert!(within.ends_with(", movement 9.8 %"), "{within}");
    assert_eq!(why(0.3).as_deref(), Some("the machine changed: it moved by 30 %"));
}

#[test]
fn row_without_a_change_has_none_beyond_the_movement() {
    let with = |movement| {
        let p50s = [side_of_ten(1.0, 0.01, 80), side_of_ten(1.0, 0.01, 81)];
        let row = unpaired(&Rule::default(), &[Sides { p50s, movement, ..Sides::default() }])[0];
        (row.p50.verdict, (Rule::default().no_change_beyond(movement) * 1e4).round())
    };
    assert_eq!(with(0.0), (Some(Verdict::NoChange), 300.0));
    assert_eq!(with(0.05), (Some(Verdict::NoChange), 815.0));
    assert_eq!(with(0.3).0, Some(Verdict::Inconclusive));
}

/// With six repetitions, the smallest p is 2 of 924. Adjusted for 57 cases, it is 12 %.
#[test]
fn reason_names_the_repetitions_that_a_correction_needs() {
    let six = |factor, seed| pairs(6, factor, 0.01, seed).into_iter().map(|(_, head)| head.ln()).collect();
    let row = |(nth, factor): (u64, f64)| Sides {
        p50s: [six(1.0, 3_000 + 2 * nth), six(factor, 3_001 + 2 * nth)],
        ..Sides::default()
    };
    let rows: Vec<Sides> = (0..57).zip([1.25].into_iter().chain([1.0; 56])).map(row).collect();
    let reason = |rows: &[Sides]| unpaired(&Rule::default(), rows)[0].reason.map(|reason| reason.to_string());
    assert_eq!(reason(&rows).as_deref(), Some("too few repetitions per side: has 6, needs 8"));
    assert_eq!(reason(&rows[..1]), None);
    assert_eq!([1, 57, 228, 2_000].map(|tests| Rule::default().repetitions_needed(tests)), [5, 8, 9, 11]);
}

/// Pairs in which about a third of head's messages are in a second mode above some quantile; the p50 is equal.
fn with_second_mode(count: u64, seed: u64) -> Vec<Pair> {
    let jitter = pairs(count, 1.0, 0.01, seed);
    let pair = |(base, head): (f64, f64)| {
        let ratio = (head / base).ln();
        Pair { p50: ratio, profile: std::array::from_fn(|index| ratio + if index > P50 { 0.2 } else { 0.0 }) }
    };
    jitter.into_iter().map(pair).collect()
}

#[test]
fn comparison_continues_until_a_second_mode_is_significant() {
    let row = with_second_mode(60, 20);
    let mut comparison = SequentialComparison::new(Rule::default(), 1);
    for count in 1..=60 {
        comparison.look(&[&row[..count]]);
        // The p50 is decided before the others are significant.
        assert!(count != 8 || comparison.rows()[0].p50.verdict == Some(Verdict::NoChange), "{comparison:?}");
        assert!(count != 8 || comparison.wants_more(0), "{comparison:?}");
    }
    let Row { p50, p90, p99, shape, .. } = comparison.rows()[0];
    assert_eq!(p50.verdict, Some(Verdict::NoChange));
    assert!(
        [p90, p99, shape].into_iter().flatten().all(|outcome| outcome.verdict == Some(Verdict::Regressed))
    );
    let shift = shape.and_then(|shape| shape.shift).unwrap();
    assert!((shift.estimate - 0.2).abs() < 0.01, "{shift:?}");
}

#[test]
fn reports_are_compared_by_p90_p99_and_shape() {
    let side = |seed, mode| -> Vec<Profile> {
        let jitter = pairs(15, 1.0, 0.02, seed);
        let profile = |(base, _): (f64, f64)| {
            std::array::from_fn(|index| base.ln() + if index > P50 { mode } else { 0.0 })
        };
        jitter.into_iter().map(profile).collect()
    };
    let profiles = [side(21, 0.0), side(22, 0.2)];
    let p50s = profiles.clone().map(|side| side.iter().map(|profile| profile[5]).collect());
    let row = unpaired(&Rule::default(), &[Sides { p50s, profiles: Some(profiles), ..Sides::default() }])[0];
    assert_eq!(row.p50.verdict, Some(Verdict::NoChange));
    assert!([row.p90, row.p99, row.shape].into_iter().flatten().all(|outcome| outcome.changed()), "{row:?}");
}

#[test]
fn noisy_row_needs_a_larger_change() {
    let (base, head): (Vec<f64>, Vec<f64>) =
        pairs(60, 1.04, 0.01, 23).into_iter().map(|(base, head)| (base.ln(), head.ln())).unzip();
    let quiet = Sides { p50s: [base, head], ..Sides::default() };
    let moving = Sides { effects: vec![0.02, -0.04, 0.03, -0.03, 0.01, 0.05], ..quiet.clone() };
    let rows = unpaired(&Rule::default(), &[quiet, moving]);
    let verdicts = [0, 1].map(|row: usize| rows[row].p50.verdict);
    assert_eq!(verdicts, [Some(Verdict::Regressed), Some(Verdict::Inconclusive)]);
    assert_eq!(rows[1].reason.unwrap().needed(), None, "more repetitions do not help");
    let reason = rows[1].reason.unwrap().to_string();
    assert!(reason.ends_with("A/A comparisons of this case vary by 9.3 %"), "{reason}");
    assert_eq!(Rule::default().least_of(&[0.5; 4]), 0.01);
}

#[test]
fn inconclusive_rows_have_a_reason_with_figures() {
    let rows = [pairs(60, 1.0, 0.5, 5), pairs(60, 1.02, 0.03, 24), pairs(5, 1.0, 0.01, 25)];
    let mut comparison = SequentialComparison::new(Rule { looks: vec![8, 12], ..Rule::default() }, 3);
    for count in 1..=12 {
        look(&mut comparison, &rows, count);
    }
    comparison.give_up(2);
    let reasons: Vec<String> = comparison.rows().iter().map(|row| row.reason.unwrap().to_string()).collect();
    assert!(reasons[0].starts_with("too noisy to detect 3 %: interval -"), "{reasons:?}");
    assert!(reasons[1].contains("; needs about ") && reasons[1].ends_with(" more pairs"), "{reasons:?}");
    assert_eq!(reasons[2], "too few pairs: has 5, needs 8");
    let needed = comparison.rows().iter().map(|row| row.reason.unwrap().needed()).collect::<Vec<_>>();
    assert!(reasons[1].contains(&format!("about {} more", needed[1].unwrap())), "{needed:?} {reasons:?}");
    assert_eq!(needed[2], Some(3));

    let few = Sides { p50s: [vec![1.0; 3], vec![2.0; 9]], ..Sides::default() };
    let row = unpaired(
        &Rule::default(),
        &[few, Sides { p50s: [vec![0.0, 0.5, 1.0], vec![0.2, 0.6]], ..Sides::default() }],
    )[1];
    assert_eq!(row.reason.unwrap().to_string(), "too few repetitions per side: has 2, needs 4");
}

/// The p-value may be from any look, and other rows that changed can make it significant later; the interval covers all
/// pairs.
#[test]
fn no_change_is_reported_if_the_interval_contains_zero() {
    let outcome = |interval| {
        let shift = Shift { estimate: 0.05, interval: Some(interval) };
        Outcome { shift: Some(shift), p: 0.001, p_adjusted: 0.005, verdict: None }
    };
    let verdict_of = |interval| Rule::default().verdict(&outcome(interval), 0.01, 0.0);
    assert_eq!((verdict_of([0.01, 0.09]), verdict_of([-0.01, 0.11])), (Some(Verdict::Regressed), None));
}

/// The false-positive rate in 2,000 comparisons of a side with itself.
#[test]
fn false_positive_rate_is_at_most_one_percent() {
    let changed = (0..2_000).filter(|&seed| {
        let row = pairs(60, 1.0, 0.08, 1_000 + seed);
        let verdict = compare_all(&Rule::default(), &[row]).rows()[0].p50.verdict;
        matches!(verdict, Some(Verdict::Regressed | Verdict::Improved))
    });
    // At a rate of 1 %, more than 33 of 2,000 have a probability below one in a thousand.
    let changed = changed.count();
    assert!(changed <= 33, "{changed} of 2,000");
}

/// Comparisons of sides with themselves that run out of time: at any pair, and with other numbers of pairs in each row.
#[test]
fn stopping_at_any_time_adds_no_false_positives() {
    let changed = (0..1_000).filter(|&seed| {
        let rows: Vec<_> = (0..4).map(|row| pairs(60, 1.0, 0.08, 10_000 + 4 * seed + row)).collect();
        let mut random = Random::new(seed);
        let mut time = random.below(240);
        let mut counts = [0; 4];
        let mut comparison = SequentialComparison::new(Rule::default(), 4);
        while time > 0 && (0..4).any(|row| comparison.wants_more(row)) {
            let row = random.below(4);
            if comparison.wants_more(row) {
                (counts[row], time) = (counts[row] + 1, time - 1);
                let measured: Vec<Vec<Pair>> =
                    rows.iter().zip(counts).map(|(row, count)| ratios(row, count)).collect();
                comparison.look(&measured);
            }
        }
        (0..4).for_each(|row| {
            if comparison.wants_more(row) {
                comparison.stop(row, counts[row]);
            }
        });
        assert!((0..4).all(|row| !comparison.wants_more(row) && comparison.next_decision(row).is_none()));
        comparison.rows().iter().any(Row::changed)
    });
    // At a rate of 1 %, more than 20 of 1,000 have a probability below one in five hundred.
    let changed = changed.count();
    assert!(changed <= 20, "{changed} of 1,000");
}

#[test]
fn row_without_time_is_judged_by_its_last_look() {
    let rows = [pairs(60, 1.0, 0.002, 31), pairs(60, 1.03, 0.03, 32)];
    let mut comparison = SequentialComparison::new(Rule::default(), 2);
    for count in 1..=11 {
        look(&mut comparison, &rows, count);
    }
    let before = comparison.rows()[1].p50;
    assert_eq!((before.verdict, comparison.next_decision(1)), (None, Some(15)));
    comparison.stop(1, 11);
    let row = comparison.rows()[1];
    assert_eq!((row.p50.verdict, row.p50.shift), (Some(Verdict::Inconclusive), before.shift));
    let reason = row.reason.unwrap().to_string();
    assert!(reason.starts_with("time budget used: has 11 pairs; needs about "), "{reason}");

    let mut comparison = SequentialComparison::new(Rule::default(), 1);
    comparison.stop(0, 3);
    let reason = comparison.rows()[0].reason.unwrap().to_string();
    assert_eq!(reason, "time budget used: has 3 pairs; needs about 5 more pairs");
}

proptest! {
    #[test]
    fn swapping_the_sides_mirrors_the_verdict(factor in 0.9..1.1_f64, jitter in 0.0..0.1_f64, seed: u64) {
        let there = vec![pairs(60, factor, jitter, seed)];
        let back = vec![there[0].iter().map(|&(base, head)| (head, base)).collect::<Vec<_>>()];
        let mirrored = verdicts(&compare_all(&Rule::default(), &back)).into_iter().map(|verdict| {
            verdict.map(|verdict| match verdict {
                Verdict::Regressed => Verdict::Improved,
                Verdict::Improved => Verdict::Regressed,
                same => same,
            })
        });
        prop_assert_eq!(verdicts(&compare_all(&Rule::default(), &there)), mirrored.collect::<Vec<_>>());
    }
}

/// Measures rows like `ab`: one pair of each undecided row per round. In some rounds, a side fails.
fn measured(rule: &Rule, rows: &[Vec<Pair>], failed: &[u32]) -> (Vec<Row>, Vec<Vec<(u32, Pair)>>) {
    let mut comparison = SequentialComparison::new(rule.clone(), rows.len());
    let mut rounds: Vec<Vec<(u32, Pair)>> = vec![Vec::new(); rows.len()];
    for round in 0..200 {
        for (row, pairs) in rounds.iter_mut().enumerate() {
            // A failure of the first row delays its next look.
            if comparison.wants_more(row) && !(row == 0 && failed.contains(&round)) {
                let pair = rows[row][pairs.len()];
                pairs.push((round, pair));
            }
        }
        let pairs = rounds.iter().map(|pairs| pairs.iter().map(|(_, pair)| *pair).collect::<Vec<_>>());
        comparison.look(&pairs.collect::<Vec<_>>());
    }
    (comparison.rows().to_vec(), rounds)
}

#[test]
fn stored_pairs_get_the_result_of_their_measurement() {
    let rule = Rule::default();
    for seed in 0..40 {
        let row = |(nth, factor): (u64, f64)| ratios(&pairs(60, factor, 0.04, 1_000 + 10 * seed + nth), 60);
        let rows: Vec<Vec<Pair>> = (0..6).zip([1.05, 1.03, 1.0, 0.97, 1.0, 1.1]).map(row).collect();
        let (results, rounds) = measured(&rule, &rows, &[3, 9]);
        let rounds: Vec<Rounds<'_>> = rounds.iter().map(Vec::as_slice).collect();
        assert_eq!(paired(&rule, &rounds, 0), results, "seed {seed}");
    }
}

#[test]
fn other_rows_of_the_comparison_make_a_change_less_significant() {
    let pairs: Vec<(u32, Pair)> = (0..).zip(ratios(&pairs(15, 1.04, 0.02, 31), 15)).collect();
    let of = |others| paired(&Rule::default(), &[&pairs], others)[0].p50;
    assert_eq!((of(0).verdict, of(10).verdict), (Some(Verdict::Regressed), Some(Verdict::Inconclusive)));
    assert_eq!(of(0).p, of(10).p);
    // Once more for each other row, with four tests each.
    assert!(of(10).p_adjusted > 10.0 * of(0).p_adjusted, "{:?} {:?}", of(0), of(10));
}

#[test]
fn row_that_ended_before_the_first_look_has_too_few_pairs() {
    let few: Vec<(u32, Pair)> = (0..).zip(ratios(&pairs(5, 1.5, 0.01, 32), 5)).collect();
    let rows = paired(&Rule::default(), &[&few, &[]], 0);
    let reasons = rows.iter().map(|row| row.reason.map(|reason| reason.to_string()));
    let reasons: Vec<Option<String>> = reasons.collect();
    let expected = ["too few pairs: has 5, needs 8", "too few pairs: has 0, needs 8"];
    assert_eq!(reasons, expected.map(|reason| Some(reason.to_owned())));
}

/// Noise with a standard deviation of 1: normal, or the difference of two exponential variables, with heavier tails.
fn noise(random: &mut Random, has_heavy_tails: bool) -> f64 {
    if !has_heavy_tails {
        return random.normal();
    }
    let mut exponential = || -(1.0 - random.uniform()).ln();
    (exponential() - exponential()) / 2.0_f64.sqrt()
}

/// Simulated comparisons of one row.
#[derive(Clone, Copy, Debug)]
struct Simulation {
    repetitions: [usize; 2],
    /// Rows of the same comparison that find nothing.
    others: usize,
    deviation: f64,
    has_heavy_tails: bool,
}

impl Simulation {
    /// A row with a change, as a log ratio, and its sides.
    fn row(&self, change: f64, random: &mut Random) -> (Row, [Vec<f64>; 2]) {
        let Self { repetitions: [base, head], others, deviation, has_heavy_tails } = *self;
        let mut side = |count, change| -> Vec<f64> {
            (0..count).map(|_| change + deviation * noise(random, has_heavy_tails)).collect()
        };
        let p50s = [side(base, 0.0), side(head, change)];
        let sides = Sides { p50s: p50s.clone(), ..Sides::default() };
        (unpaired_among(&Rule::default(), &[sides], others)[0], p50s)
    }
}

/// The share has a standard error of 2 %: 1 % from its count, and the rest from the scale and the simulations.
#[test]
fn nine_of_ten_minimum_detectable_changes_are_reported() {
    let one = Simulation { repetitions: [10, 10], others: 0, deviation: 0.02, has_heavy_tails: false };
    for (simulation, expected) in [
        (one, 0.86..=0.94),
        (Simulation { repetitions: [10, 20], others: 10, ..one }, 0.86..=0.94),
        (Simulation { repetitions: [12, 12], others: 57, ..one }, 0.86..=0.94),
        (Simulation { repetitions: [60, 40], others: 57, ..one }, 0.86..=0.94),
        // The threshold of 1 % decides.
        (Simulation { repetitions: [30, 30], deviation: 0.001, ..one }, 0.86..=1.0),
        (Simulation { repetitions: [20, 20], others: 10, has_heavy_tails: true, ..one }, 0.82..=0.97),
    ] {
        let mut random = Random::new(600);
        let mut power = Power::new(&Rule::default(), 1 + TESTS * simulation.others);
        let mut of_equal_sides = |_| {
            let (row, [base, head]) = simulation.row(0.0, &mut random);
            power.detectable(&row, [&base, &head]).unwrap()
        };
        let detectable = robust::median(&mut (0..400).map(&mut of_equal_sides).collect::<Vec<_>>());
        let is_reported = |_: &u32| {
            simulation.row(detectable.ln_1p(), &mut random).0.p50.verdict == Some(Verdict::Regressed)
        };
        let share = (0..1_000).filter(is_reported).count() as f64 / 1_000.0;
        eprintln!("{simulation:?}: {share} of {detectable}");
        assert!(expected.contains(&share), "{simulation:?}: {share} of {detectable}");
    }
}

#[test]
fn movement_and_noise_between_runs_raise_the_minimum_detectable_change() {
    let detectable = |movement: f64, effect: f64, tests: usize, count: usize| {
        let side =
            |seed| pairs(count as u64, 1.0, 0.01, seed).into_iter().map(|(_, head)| head.ln()).collect();
        let p50s: [Vec<f64>; 2] = [side(90), side(91)];
        let sides = Sides { p50s: p50s.clone(), movement, effects: vec![effect; 5], ..Sides::default() };
        let rule = Rule::default();
        let row = unpaired(&rule, &[sides])[0];
        Power::new(&rule, tests).detectable(&row, p50s.each_ref().map(Vec::as_slice))
    };
    let quiet = detectable(0.0, 0.0, 1, 20).unwrap();
    assert!((0.01..0.03).contains(&quiet), "{quiet}");
    assert!(detectable(0.05, 0.0, 1, 20).unwrap() > 0.05);
    assert!(detectable(0.0, 0.03, 1, 20).unwrap() > (2.0 * 1.4826 * 0.03_f64).exp_m1());
    assert!(detectable(0.0, 0.0, 4 * 57, 20).unwrap() > quiet);
    // Twice the same repetitions scatter nearly as much as two sides.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "about 1,000")]
    let once: Vec<u64> = pairs(20, 1.0, 0.01, 90).into_iter().map(|(_, head)| (1e3 * head) as u64).collect();
    let of_run = Power::new(&Rule::default(), 1).of_run(&once).unwrap();
    assert!((of_run / quiet - 1.0).abs() < 0.3, "{of_run} {quiet}");
    // The machine changed; too few repetitions for significance; too few for an interval.
    let none = [detectable(0.3, 0.0, 1, 20), detectable(0.0, 0.0, 4 * 57, 8), detectable(0.0, 0.0, 1, 3)];
    assert_eq!(none, [None; 3]);
}
