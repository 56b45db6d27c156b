//! Lines with known crossings.

use super::*;
use crate::random::Random;
use proptest::prelude::*;

/// A line with these times at these sizes, each with ten repetitions spread evenly within this many thousandths.
fn line(cells: &[(u64, f64)], thousandths: f64) -> Vec<Measured> {
    let times = |ns: f64| {
        (0..10_u8).map(move |nth| {
            let within = f64::from(nth) / 4.5 - 1.0;
            rounded(ns * (1.0 + thousandths / 1_000.0 * within))
        })
    };
    cells.iter().filter_map(|&(x, ns)| Measured::new(x, times(ns))).collect()
}

/// A time as an integer, finer than a clock's resolution.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
fn rounded(ns: f64) -> u64 {
    (1_000.0 * ns).round() as u64
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} is not {expected}");
}

#[test]
fn lines_cross_as_in_a_log_log_chart() {
    let flat = line(&[(100, 10.0), (1_000, 10.0), (10_000, 10.0), (100_000, 10.0)], 1.0);
    let rising = line(&[(100, 1.0), (1_000, 2.0), (10_000, 50.0), (100_000, 900.0)], 1.0);
    let found = crossovers(&rising, &flat);
    // From a fifth to five times as much: the crossing is half-way.
    assert_eq!(found.len(), 1);
    assert!(found[0].first_is_faster_below);
    close(found[0].x, 1_000.0 * 10.0_f64.sqrt());
    let [from, to] = [found[0].from.unwrap(), found[0].to.unwrap()];
    assert!(3_000.0 < from && from < found[0].x && found[0].x < to && to < 3_300.0, "{found:?}");
    let back = crossovers(&flat, &rising);
    assert_eq!((back.len(), back[0].first_is_faster_below), (1, false));
    close(back[0].x, found[0].x);
}

#[test]
fn two_crossings_are_found_in_order() {
    let flat = line(&[(1, 10.0), (10, 10.0), (100, 10.0), (1_000, 10.0)], 5.0);
    let valley = line(&[(1, 20.0), (10, 5.0), (100, 5.0), (1_000, 20.0)], 5.0);
    let found = crossovers(&flat, &valley);
    let seen: Vec<bool> = found.iter().map(|found| found.first_is_faster_below).collect();
    assert_eq!(seen, [true, false]);
    close(found[0].x, 10.0_f64.sqrt());
    close(found[1].x, 100.0 * 10.0_f64.sqrt());
    assert!(found.iter().all(|found| found.from.is_some() && found.to.is_some()));
}

#[test]
fn lines_that_do_not_cross_have_no_crossover() {
    let below = line(&[(1, 5.0), (10, 6.0), (100, 50.0)], 5.0);
    let above = line(&[(1, 6.0), (10, 7.0), (100, 60.0)], 5.0);
    assert_eq!(crossovers(&below, &above), []);
    assert_eq!(crossovers(&below, &below), []);
    assert_eq!(crossovers(&below, &line(&[(2, 1.0), (20, 90.0)], 5.0)), [], "no size in common");
    assert_eq!(crossovers(&below, &[]), []);
}

#[test]
fn interval_is_open_if_no_line_is_significantly_faster() {
    let flat = line(&[(1, 10.0), (10, 10.0), (100, 10.0)], 100.0);
    let ends = |cells: &[(u64, f64)]| {
        let found = crossovers(&flat, &line(cells, 100.0));
        found.iter().map(|found| [found.from.is_some(), found.to.is_some()]).collect::<Vec<_>>()
    };
    assert_eq!(ends(&[(1, 10.2), (10, 10.1), (100, 5.0)]), [[false, true]]);
    assert_eq!(ends(&[(1, 20.0), (10, 10.1), (100, 9.9)]), [[true, false]]);
    assert_eq!(ends(&[(1, 10.2), (10, 10.1), (100, 9.9)]), [[false, false]]);
}

#[test]
fn chance_sign_changes_give_at_most_one_crossover() {
    let sizes = [1, 10, 100, 1_000, 10_000, 100_000];
    let flat = line(&sizes.map(|x| (x, 10.0)), 100.0);
    let of = |times: [f64; 6]| {
        let cells: Vec<(u64, f64)> = sizes.into_iter().zip(times).collect();
        crossovers(&flat, &line(&cells, 100.0))
    };
    // Significantly slower, three sign changes by chance, significantly faster.
    let found = of([20.0, 10.1, 9.9, 10.1, 9.9, 5.0]);
    assert_eq!(found.len(), 1);
    assert!((100.0..1_000.0).contains(&found[0].x), "the middle one: {found:?}");
    assert!(found[0].from.unwrap() < 10.0 && found[0].to.unwrap() > 10_000.0, "{found:?}");
    // The same line is significantly faster before and after.
    assert_eq!(of([20.0, 10.1, 9.9, 9.9, 10.1, 20.0]), []);
}

#[test]
fn crossing_is_in_the_middle_of_equal_sizes() {
    let flat = line(&[(1, 10.0), (10, 10.0), (1_000, 10.0), (10_000, 10.0), (100_000, 10.0)], 10.0);
    let cells = [(1, 10.0), (10, 20.0), (1_000, 10.0), (10_000, 5.0), (100_000, 10.0)];
    let found = crossovers(&flat, &line(&cells, 10.0));
    assert_eq!(found.len(), 1);
    close(found[0].x, 1_000.0);
    let two = [(1, 20.0), (10, 10.0), (1_000, 10.0), (10_000, 5.0), (100_000, 4.0)];
    close(crossovers(&flat, &line(&two, 10.0))[0].x, 100.0);
}

#[test]
fn too_few_repetitions_have_no_interval() {
    let few = |times: [u64; 3]| -> Vec<Measured> {
        [1, 10, 100].into_iter().zip(times).filter_map(|(x, ns)| Measured::new(x, [ns; 3])).collect()
    };
    let found = crossovers(&few([10, 10, 10]), &few([20, 20, 5]));
    assert_eq!((found.len(), found[0].from, found[0].to), (1, None, None));
    close(found[0].x, 10.0 * 10.0_f64.sqrt());
    // A size with too few repetitions does not affect the others.
    let [flat, mut falling] = [[10.0; 4], [20.0, 20.0, 5.0, 5.0]]
        .map(|times| line(&[1, 10, 100, 1_000].into_iter().zip(times).collect::<Vec<_>>(), 10.0));
    falling[1].logs.truncate(1);
    let found = crossovers(&flat, &falling);
    close(found[0].from.unwrap(), 1.0);
    close(found[0].to.unwrap(), 100.0);
}

#[test]
fn size_zero_is_rejected_and_time_zero_counts_as_one() {
    assert_eq!(Measured::new(0, [1, 2, 3]), None);
    assert_eq!(Measured::new(1, [0, 1]), Measured::new(1, [1, 1]));
}

/// Fieller's quadratic, solved by hand: at `d0 = 3`, `d1 = -1` and half-widths of 1, `(3 - 4 t)^2 = (1 - t)^2 + t^2` is
/// `14 t^2 - 22 t + 8 = 0`, and its roots are 4 / 7 and 1.
#[test]
fn interval_end_is_the_first_root() {
    assert!((first_root([3.0, -1.0], [1.0, 1.0]) - 4.0 / 7.0).abs() < 1e-12);
    // The neighbour's interval just reaches zero, so the other line may be faster from there on.
    assert!((first_root([3.0, 1.0], [1.0, 1.0]) - 1.0).abs() < 1e-12);
}

/// Normal noise, ten repetitions: 95 % of the intervals contain the true crossing. The standard deviation for 2,000
/// samples is half a per cent.
#[test]
fn interval_covers_the_true_crossing() {
    let mut random = Random::new(20_261_126);
    let mut covered = 0;
    const SAMPLES: usize = 2_000;
    for _ in 0..SAMPLES {
        let mut line = |slope: f64| -> Vec<Measured> {
            let cell = |nth: u32| {
                // The sum of twelve is nearly normal, with variance 1.
                let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
                // The lines cross 2.3 sizes after the first.
                let level = 1e6 * (slope * (f64::from(nth) - 2.3)).exp();
                let times: Vec<u64> = (0..10).map(|_| rounded(level * (1.0 + 0.03 * normal()))).collect();
                Measured::new(4_u64.pow(nth + 2), times)
            };
            (0..6).filter_map(cell).collect()
        };
        let (first, second) = (line(0.3), line(0.1));
        let truth = 4.0_f64.powf(4.3);
        let covers = |found: &Crossover| {
            found.from.is_none_or(|from| from <= truth) && found.to.is_none_or(|to| truth <= to)
        };
        covered += usize::from(crossovers(&first, &second).iter().any(covers));
    }
    let share = covered as f64 / SAMPLES as f64;
    assert!((0.94..0.975).contains(&share), "{share}");
}

proptest! {
    #[test]
    fn crossovers_are_ordered_and_within_their_intervals(
        times in proptest::collection::vec(
            (proptest::collection::vec(1..2_000_u64, 1..12), proptest::collection::vec(1..2_000_u64, 1..12)), 0..8,
        ),
    ) {
        let (first, second): (Vec<_>, Vec<_>) = times.iter().cloned().unzip();
        let [first, second] = [first, second].map(|side| -> Vec<Measured> {
            (0..).zip(side).filter_map(|(nth, medians)| Measured::new(8_u64.pow(nth), medians)).collect()
        });
        let found = crossovers(&first, &second);
        for one in &found {
            let last = 8.0_f64.powi(i32::try_from(times.len()).unwrap_or_default() - 1);
            let within = |from: f64, x: f64, to: f64| from <= x * (1.0 + 1e-9) && x <= to * (1.0 + 1e-9);
            prop_assert!(within(one.from.unwrap_or(1.0), one.x, one.to.unwrap_or(last)), "{:?}", one);
            prop_assert!(within(1.0, one.from.unwrap_or(1.0), last) && within(1.0, one.to.unwrap_or(last), last));
        }
        for pair in found.windows(2) {
            prop_assert!(pair[0].x <= pair[1].x);
            prop_assert!(pair[0].first_is_faster_below != pair[1].first_is_faster_below);
            prop_assert!(pair[0].to.is_some() && pair[1].from.is_some());
        }
        let back = crossovers(&second, &first);
        prop_assert_eq!(found.len(), back.len());
        for (one, other) in found.iter().zip(&back) {
            prop_assert!(one.first_is_faster_below != other.first_is_faster_below);
            prop_assert!((one.x / other.x - 1.0).abs() < 1e-9);
        }
    }
}
