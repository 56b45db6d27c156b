//! Tests of the detector, on simulated series and a published one.

use super::*;
use crate::random::Random;
use proptest::prelude::*;

/// Nearly normal values with this deviation, near levels that each last for this many values.
fn series(levels: &[(f64, usize)], deviation: f64, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut noise = move || deviation * ((0..12).map(|_| random.uniform()).sum::<f64>() - 6.0);
    levels
        .iter()
        .flat_map(|&(level, count)| std::iter::repeat_n(level, count))
        .map(|l| l * (1.0 + noise()))
        .collect()
}

fn detect(values: &[f64]) -> Vec<Step> {
    Method::shipped().detect(values.iter().copied()).unwrap()
}

fn indices(values: &[f64]) -> Vec<usize> {
    detect(values).iter().filter(|step| step.matters).map(|step| step.index).collect()
}

/// Cobb (1978), Biometrika 65(2), table 1: yearly volume of the Nile at Aswan, 1871 to 1970. It fell in 1899.
const NILE: [u16; 100] = [
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958,
    1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020,
    1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796,
    1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874,
    848, 890, 744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718,
    714, 740,
];

#[test]
fn the_nile_fell_in_1899() {
    let steps = detect(&NILE.map(f64::from));
    let [step] = &steps[..] else { panic!("{steps:?}") };
    let [first, last] = step.interval;
    assert!(first <= 28 && 28 <= last && step.index.abs_diff(28) <= 2, "{step:?}");
    // The means of Cobb's two parts: 1,097.75 and 849.97.
    assert!((step.before - 1097.75).abs() < 40.0 && (step.after - 849.97).abs() < 60.0, "{step:?}");
}

#[test]
fn steps_are_found_with_place_and_levels() {
    let steps = detect(&series(&[(100.0, 80), (110.0, 60), (95.0, 70)], 0.01, 1));
    let found: Vec<_> =
        steps.iter().map(|step| (step.index, step.before.round(), step.after.round())).collect();
    assert_eq!(found, [(80, 100.0, 110.0), (140, 110.0, 95.0)]);
    assert!(steps.iter().all(|step| step.matters && step.confidence > 0.999_99), "{steps:?}");
    let probability: f64 = steps[0].places.iter().map(|(_, probability)| probability).sum();
    assert!((probability - 1.0).abs() < 1e-3, "{steps:?}");
}

#[test]
fn step_is_reported_after_six_values_and_its_return_after_five() {
    let values = series(&[(100.0, 100), (120.0, 6), (100.0, 40)], 0.01, 2);
    let mut detector = Method::shipped().detector();
    let reported: Vec<(usize, usize)> = values
        .iter()
        .enumerate()
        .filter_map(|(at, &value)| {
            detector.push(value).unwrap().map(|step| (step.index, at + 1 - step.index))
        })
        .collect();
    assert_eq!(reported, [(100, 6), (106, 5)]);
}

#[test]
fn up_to_three_outliers_are_no_step() {
    for outliers in 1..=3 {
        for factor in [0.2, 1.3, 50.0] {
            let mut values = series(&[(100.0, 300)], 0.02, 3);
            values[150..150 + outliers].iter_mut().for_each(|value| *value *= factor);
            assert_eq!(indices(&values), [0; 0], "{outliers} of {factor}");
        }
    }
}

#[test]
fn change_needs_enough_values_after_it() {
    // The last value of the old level is slightly off, more than any before.
    let values = [vec![1_002.0; 30], vec![1_006.0], vec![1_202.0; 20]].concat();
    assert_eq!(indices(&values), [31]);
}

#[test]
fn constant_and_quantised_series_have_no_false_alarms() {
    assert_eq!(detect(&[7.0; 2_000]), []);
    assert_eq!(indices(&[vec![344.0; 24], vec![359.0; 74], vec![364.0; 52]].concat()), [24, 98]);
    // A clock with coarse steps: two neighbouring values, and later the next two.
    let mut random = Random::new(4);
    let mut ticks =
        |low: f64| (0..60).map(|_| if random.uniform() < 0.5 { low } else { low + 42.0 }).collect::<Vec<_>>();
    assert_eq!(indices(&[ticks(840.0), ticks(924.0)].concat()), [60]);
}

#[test]
fn too_few_values_have_no_change() {
    for count in 0..=7 {
        let values: Vec<f64> =
            (0..count).map(|index| if index < count / 2 { 1.0 } else { 1_000.0 }).collect();
        assert_eq!(detect(&values), [], "{count} values");
    }
}

#[test]
fn invalid_values_are_rejected_with_their_index() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -3.0] {
        let error = Method::shipped().detect([1.0, 2.0, value]).unwrap_err();
        assert_eq!(error.index, 2);
        assert!(error.to_string().starts_with("value 2, counted from 0, is "), "{error}");
    }
    for value in [f64::MIN_POSITIVE, f64::MAX, 5e-324] {
        assert_eq!(detect(&[value; 50]), []);
    }
}

#[test]
fn small_step_does_not_matter_and_hides_no_other() {
    let values = series(&[(100.0, 150), (102.0, 150), (110.0, 60)], 0.01, 5);
    let steps = detect(&values);
    let found: Vec<_> = steps.iter().map(|step| (step.index.abs_diff(150) <= 8, step.matters)).collect();
    assert_eq!(found, [(true, false), (false, true)], "{steps:?}");
    assert_eq!(steps[1].index, 300);
}

#[test]
fn smaller_changes_matter_in_quiet_series() {
    let quiet = series(&[(100.0, 100), (101.5, 40)], 0.002, 6);
    assert_eq!(indices(&quiet), [100]);
    let noisy = series(&[(100.0, 200), (101.5, 200)], 0.02, 6);
    assert_eq!(indices(&noisy), [0; 0]);
}

#[test]
fn autocorrelated_noise_has_few_false_alarms() {
    let mut alarms = 0;
    for seed in 0..200 {
        let innovations = series(&[(1.0, 400)], 0.024, 100 + seed);
        let mut deviation = 0.0;
        let values = innovations.iter().map(|value| {
            deviation = 0.6 * deviation + (value - 1.0);
            100.0 * (1.0 + deviation)
        });
        alarms += indices(&values.collect::<Vec<_>>()).len();
    }
    // 80,000 values; the benchmark counts 0.5 false alarms in 10,000 for series of 200.
    assert!(alarms <= 10, "{alarms}");
}

/// The steps that are a drift, and the sum of all changes that matter, as a factor.
fn drifts(values: &[f64]) -> (Vec<Step>, f64) {
    let steps: Vec<Step> = detect(values).into_iter().filter(|step| step.matters).collect();
    let factor = steps.iter().map(|step| step.after / step.before).product();
    (steps.into_iter().filter(|step| step.kind == Kind::Drift).collect(), factor)
}

#[test]
fn slow_ramp_is_reported_as_drift() {
    let ramp = |length: usize, factor: f64| -> Vec<f64> {
        let at = |index: usize| 1.0 + (factor - 1.0) * index as f64 / length as f64;
        (0..).zip(series(&[(100.0, length)], 0.01, 8)).map(|(index, value)| value * at(index)).collect()
    };
    for (length, factor) in [(1_000, 1.3), (5_000, 2.0)] {
        let (drifts, all) = drifts(&ramp(length, factor));
        assert!(drifts.iter().all(|drift| drift.after / drift.before >= 1.05), "{drifts:?}");
        assert!(drifts.len() >= 3 && (factor / all - 1.0).abs() < 0.06, "{length}: {all}, {drifts:?}");
        for pair in drifts.windows(2) {
            let [first, last] = pair[1].interval;
            assert!((pair[0].index..=pair[1].index).contains(&first) && last >= pair[1].index, "{pair:?}");
        }
    }
}

#[test]
fn many_small_steps_are_reported_as_drift() {
    let levels: Vec<(f64, usize)> = (0..=20).map(|nth| (100.0 * 1.009_f64.powi(nth), 50)).collect();
    let (drifts, all) = drifts(&series(&levels, 0.01, 9));
    assert!(drifts.len() >= 2 && all > 1.13, "{all}, {drifts:?}");
}

#[test]
fn steps_that_cancel_each_other_are_no_drift() {
    let levels: Vec<(f64, usize)> = (0..20).map(|nth| (100.0 + 1.5 * f64::from(nth % 2), 60)).collect();
    let steps = detect(&series(&levels, 0.01, 10));
    assert!(steps.len() > 8 && steps.iter().all(|step| step.kind != Kind::Drift), "{steps:?}");
}

#[test]
fn certain_steps_below_the_threshold_are_reported_as_small() {
    for seed in 0..20 {
        let steps = detect(&series(&[(100.0, 200), (100.7, 200)], 0.003, 200 + seed));
        let [step] = &steps[..] else { panic!("{steps:?}") };
        assert!(step.index.abs_diff(200) <= 8 && !step.is_alert(), "{step:?}");
    }
    let least = Settings { least: [0.002; 2], ..Settings::default() };
    let values = series(&[(100.0, 200), (100.7, 200)], 0.003, 200);
    assert!(Method::new(least).detect(values).unwrap()[0].is_alert());
}

#[test]
fn single_step_below_the_threshold_is_no_drift() {
    let method = Method::new(Settings { least: [0.1; 2], ..Settings::default() });
    let steps = method.detect(series(&[(100.0, 60), (108.0, 60)], 0.01, 14)).unwrap();
    let [Step { matters: false, kind: Kind::Step, .. }] = &steps[..] else { panic!("{steps:?}") };
}

#[test]
fn short_level_is_found_in_spite_of_outliers() {
    let mut values = series(&[(100.0, 120), (120.0, 14), (100.0, 60)], 0.01, 11);
    // Every seventh value belongs to the other level.
    values
        .iter_mut()
        .skip(3)
        .step_by(7)
        .for_each(|value| *value = if *value < 110.0 { 120.0 } else { 100.0 });
    values[120..134].iter_mut().for_each(|value| *value = value.max(119.0));
    let found = indices(&values);
    assert!(found.len() == 2 && found[0].abs_diff(120) <= 3 && found[1].abs_diff(134) <= 3, "{found:?}");
}

#[test]
fn switches_between_known_states_are_no_alerts() {
    for dwell in [8, 20, 60] {
        let levels: Vec<(f64, usize)> =
            (0..30).map(|nth| (if nth % 2 == 0 { 100.0 } else { 140.0 }, dwell)).collect();
        let steps = detect(&series(&levels, 0.01, 12));
        let alerts: Vec<usize> = steps.iter().filter(|step| step.is_alert()).map(|step| step.index).collect();
        assert!(steps.len() >= 28 && alerts.len() <= 3, "{dwell}: {alerts:?} of {}", steps.len());
    }
    // A level that was never there before is an alert in spite of the two states.
    let levels: Vec<(f64, usize)> =
        (0..10).map(|nth| (if nth % 2 == 0 { 100.0 } else { 140.0 }, 20)).collect();
    let steps = detect(&series(&[levels, vec![(112.0, 40)]].concat(), 0.01, 13));
    assert!(steps.last().is_some_and(|step| step.index == 200 && step.is_alert()), "{steps:?}");
}

/// Twelve values, then five that are larger by this factor, with noise of 10 %, on one of several machines.
fn short_history(factor: f64, machine: u32) -> Vec<f64> {
    let noise = |nth: u32| f64::from((nth * nth * 37 + machine * 61) % 101) / 1_000.0;
    (1..=17).map(|nth| (1.0 + noise(nth)) * if nth <= 12 { 100.0 } else { 100.0 * factor }).collect()
}

/// A detector that has found nothing in these values alone, and the change that others may confirm.
fn undecided(values: &[f64]) -> (Detector<'static>, CandidateSplit) {
    let mut detector = Method::shipped().detector();
    values.iter().for_each(|value| assert_eq!(detector.push(*value).unwrap(), None));
    let split = detector.candidate().unwrap();
    (detector, split)
}

/// The p-values of machines for a change at this place.
fn agreements(machines: &[Vec<f64>], split: CandidateSplit) -> Vec<f64> {
    let logarithms = |values: &Vec<f64>| values.iter().map(|value| value.ln()).collect::<Vec<_>>();
    machines.iter().map(|values| one_sided_p(&logarithms(values), split.index, split.is_up)).collect()
}

#[test]
fn other_machines_confirm_a_change_that_one_machine_cannot() {
    let (mut detector, split) = undecided(&short_history(1.2, 0));
    assert_eq!((split.index, split.is_up), (12, true));
    let others: Vec<_> = (1..4).map(|machine| short_history(1.2, machine)).collect();
    assert_eq!(detector.confirm(split, &[]), None);
    let step = detector.confirm(split, &agreements(&others, split)).unwrap();
    assert_eq!((step.index, step.matters, step.kind), (12, true, Kind::Step));
    assert!((step.after / step.before - 1.2).abs() < 0.05 && step.confidence > 0.999_999, "{step:?}");
    // It counts as a change from now on.
    assert_eq!(detector.candidate(), None);
}

#[test]
fn machines_that_did_not_change_prevent_a_confirmation() {
    let (mut detector, split) = undecided(&short_history(1.2, 0));
    for factor in [1.0, 0.8] {
        let others: Vec<_> = (1..4).map(|machine| short_history(factor, machine)).collect();
        assert_eq!(detector.confirm(split, &agreements(&others, split)), None, "{factor}");
    }
}

#[test]
fn change_of_another_machine_alone_confirms_nothing() {
    let (mut detector, split) = undecided(&short_history(1.1, 0));
    assert_eq!(detector.confirm(split, &[1e-300]), None);
}

#[test]
fn hundred_thousand_values_have_no_false_alarm() {
    assert_eq!(indices(&series(&[(100.0, 100_000)], 0.03, 9)), [0; 0]);
}

#[test]
fn detector_explains_why_it_reports_no_change() {
    let reasons = |values: &[f64]| -> Vec<Option<Silence>> {
        let mut detector = Method::shipped().detector();
        let reported = values.iter().map(|&value| {
            let step = detector.push(value).unwrap();
            assert!(step.is_none() || detector.silence().is_none());
            detector.silence()
        });
        reported.collect()
    };
    let stepped = reasons(&series(&[(100.0, 100), (120.0, 6)], 0.01, 1));
    assert_eq!(stepped[6], None);
    assert!(
        matches!(stepped[99], Some(Silence::Even { strength, .. }) if strength < 1.0),
        "{:?}",
        stepped[99]
    );
    let reported = 100 + stepped[100..].iter().position(Option::is_none).unwrap();
    let before = stepped[reported - 1];
    assert!(
        matches!(before, Some(Silence::Even { index: 98..=100, strength }) if strength > 0.8),
        "{before:?}"
    );
    // Slow swings, three times as wide as the noise.
    let innovations = series(&[(1.0, 300)], 0.01, 2);
    let swings: Vec<f64> = innovations
        .iter()
        .enumerate()
        .map(|(at, new)| new * (1.0 + 0.03 * (at as f64 / 12.0).sin()))
        .collect();
    assert!(reasons(&swings).iter().any(|silence| matches!(silence, Some(Silence::Wandering { .. }))));
    // With much noise, the place of a small step stays open.
    let wide = reasons(&series(&[(100.0, 150), (107.0, 60)], 0.08, 3));
    assert!(wide.iter().any(|silence| matches!(silence, Some(Silence::Open { .. }))), "{wide:?}");
}

#[test]
fn impossible_settings_are_corrected() {
    let settings = Settings { persistence: 0, window: 0, memory: 0, ..Settings::default() };
    let method = Method::new(settings);
    assert_eq!(
        (method.settings().persistence, method.settings().window, method.settings().memory),
        (2, 4, 4)
    );
    assert_eq!(method.detect([1.0; 100]).unwrap(), []);
}

/// A series with a few changes.
fn any_series() -> impl Strategy<Value = Vec<f64>> {
    let levels = proptest::collection::vec((50.0..200.0_f64, 5..90_usize), 1..6);
    (levels, 0.0..0.08_f64, any::<u64>())
        .prop_map(|(levels, deviation, seed)| series(&levels, deviation, seed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reported_changes_are_final(values in any_series(), at: proptest::sample::Index) {
        let count = at.index(values.len());
        let (early, all) = (detect(&values[..count]), detect(&values));
        prop_assert_eq!(&all[..early.len()], &early[..]);
    }

    #[test]
    fn resuming_equals_processing_all_values(values in any_series(), at: proptest::sample::Index) {
        let settings = Settings { window: 40, memory: 60, ..Settings::default() };
        let method = Method::new(settings);
        let cut = at.index(values.len());
        let whole = method.detect(values.iter().copied()).unwrap();
        let early = method.detect(values[..cut].iter().copied()).unwrap();
        let first = cut.saturating_sub(settings.memory);
        let changes: Vec<usize> = early.iter().map(|step| step.index).collect();
        let baseline = early.iter().rev().find(|step| step.matters || step.kind == Kind::KnownState);
        let baseline = baseline.map(|step| Baseline { index: step.index, level: step.after });
        let before_all = early.first().map(|step| Baseline { index: 0, level: step.before });
        let known =
            Known { first, values: &values[first..cut], changes: &changes, baseline: baseline.or(before_all) };
        let mut detector = Detector::resume(&method, &known).unwrap();
        let mut reported = early;
        for &value in &values[cut..] {
            reported.extend(detector.push(value).unwrap());
        }
        prop_assert_eq!(reported, whole);
    }

    #[test]
    fn unit_does_not_matter(values in any_series(), exponent in -20..20_i32) {
        // Powers of two scale exactly, but their logarithms are rounded.
        let scaled: Vec<f64> = values.iter().map(|value| value * 2.0_f64.powi(exponent)).collect();
        prop_assert_eq!(indices(&values), indices(&scaled));
    }

    #[test]
    fn changes_have_enough_values_on_both_sides(values in any_series()) {
        let steps = detect(&values);
        let ends = [0].into_iter().chain(steps.iter().map(|step| step.index)).chain([values.len()]);
        let ends: Vec<usize> = ends.collect();
        prop_assert!(ends.windows(2).all(|pair| pair[1] - pair[0] >= 4 || steps.is_empty()), "{:?}", ends);
        for step in &steps {
            let [first, last] = step.interval;
            prop_assert!(first <= last && last < values.len(), "{:?}", step);
        }
    }
}
