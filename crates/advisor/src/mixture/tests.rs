//! Compares mixtures with merged samples.

use super::*;
use crate::line::tests::{line, measured};
use roundtrip_stats::Distribution;

fn sizes(text: &str) -> SizeHistogram {
    text.parse().unwrap()
}

fn near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 0.003
}

#[test]
fn mixes_distributions_instead_of_means() {
    // Nine of ten messages take 100, one takes 10,000: the median is 100, and no quantile is near the mean.
    let line = line(&[measured(10, &[100]), measured(1_000, &[10_000])]);
    let mixture = Mixture::new(&line, &sizes("10:9,1000:1")).unwrap();
    assert!(near(mixture.p50_ns, 100.0) && near(mixture.p98_ns, 10_000.0), "{mixture:?}");
    assert!(near(mixture.mean_ns, 1_090.0));
}

#[test]
fn returns_the_measurement_for_a_single_size() {
    let samples: Vec<u64> = (1..=10_000).map(|nth| 1_000 + nth * nth / 1_000).collect();
    let one = Distribution::of_samples(samples.clone()).unwrap();
    let line = line(&[measured(64, &samples)]);
    let mixture = Mixture::new(&line, &sizes("64:5")).unwrap();
    for (figure, ppm) in [(Figure::P50, 500_000), (Figure::P98, 980_000), (Figure::P99, 990_000)] {
        let true_ns = one.quantile_ns(ppm) as f64;
        assert!(
            (mixture.figure_ns(figure) / true_ns - 1.0).abs() < 0.01,
            "{figure:?}: {mixture:?}, {true_ns}"
        );
    }
    assert!(near(mixture.mean_ns, one.mean_ns()));
}

#[test]
fn equals_merged_samples() {
    let small: Vec<u64> = (0..1_000).map(|nth| 4_000 + nth).collect();
    let large: Vec<u64> = (0..1_000).map(|nth| 4_500 + 9 * nth).collect();
    let line = line(&[measured(64, &small), measured(4_096, &large)]);
    let mixture = Mixture::new(&line, &sizes("64:3,4096:1")).unwrap();
    let merged = [small.clone(), small.clone(), small, large].concat();
    let merged = Distribution::of_samples(merged).unwrap();
    for (figure, ppm) in [(Figure::P50, 500_000), (Figure::P98, 980_000), (Figure::P99, 990_000)] {
        let true_ns = merged.quantile_ns(ppm) as f64;
        assert!(near(mixture.figure_ns(figure), true_ns), "{figure:?}: {mixture:?}, {true_ns}");
    }
}

#[test]
fn interpolates_quantiles_between_sizes() {
    let line = line(&[measured(100, &[1_000]), measured(200, &[3_000])]);
    let mixture = Mixture::new(&line, &sizes("150:1")).unwrap();
    assert!(near(mixture.p50_ns, 2_000.0), "{mixture:?}");
}

#[test]
fn returns_none_if_all_messages_are_too_long() {
    let line = line(&[measured(100, &[1_000])]);
    assert_eq!(Mixture::new(&line, &sizes("101-999:1")), None);
}

#[test]
fn quick_estimate_is_close_to_the_full_one() {
    let samples: Vec<u64> = (1..=2_000).map(|nth| 1_000 + nth).collect();
    let more: Vec<u64> = samples.iter().map(|ns| ns * 3).collect();
    let line = line(&[measured(64, &samples), measured(4_096, &more)]);
    let sizes = sizes("12-63:50,64-127:30,128-4095:20");
    let whole = Mixture::new(&line, &sizes).unwrap();
    for figure in [Figure::Mean, Figure::P50, Figure::P98, Figure::P99] {
        let (ns, _) = quick(&line, &sizes, figure).unwrap();
        assert!((ns / whole.figure_ns(figure) - 1.0).abs() < 0.03, "{figure:?}: {ns}, {whole:?}");
    }
}

#[test]
fn weights_add_up_costs_by_size() {
    let line = line(&[measured(100, &[1]), measured(200, &[1]), measured(400, &[1])]);
    let weights = Mixture::new(&line, &sizes("100:1,150:2,401:9")).unwrap().weights(&line);
    let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
    assert!(
        near(weights[0].1, 2.0 / 3.0) && near(weights[1].1, 1.0 / 3.0) && near(weights[2].1, 0.0),
        "{weights:?}"
    );
}

#[test]
fn combines_the_uncertainty_of_two_sizes() {
    // A median between the two, where neither size has any times.
    let repetitions = |ns: u64| measured(ns, &(0..10).map(|nth| ns + nth * ns / 100).collect::<Vec<_>>());
    let line = line(&[repetitions(1_000), repetitions(9_000)]);
    let mixture = Mixture::new(&line, &sizes("5000:1")).unwrap();
    let [low, high] = mixture.uncertainty(&line, Figure::P50);
    let [one, next] = [0, 1].map(|knot| line.knots()[knot].uncertainty);
    assert!(
        low > 0.0 && low < one[0].hypot(next[0]) && high > 0.0 && high < one[1].hypot(next[1]),
        "{low} {high}"
    );
}
