//! The order of transports, ties, and scale factors that change the first.

use super::*;
use crate::line::Measured;
use crate::line::tests::{line, measured};

/// Ten repetitions around a time.
fn about(message_bytes: u64, ns: u64) -> Measured {
    measured(message_bytes, &(0..10).map(|nth| ns + nth * ns / 1_000).collect::<Vec<_>>())
}

fn copied() -> Line {
    line(&[about(64, 1_000), about(4_096, 2_000), about(262_144, 64_000)])
}

fn mapped() -> Line {
    line(&[about(64, 8_000), about(4_096, 8_000), about(262_144, 8_000)])
}

#[test]
fn reports_the_factor_that_changes_the_first() {
    let ranking = rank(&[mapped(), copied()], &"64-127:1".parse().unwrap(), Figure::P50);
    let [first, second] = &ranking.ranked[..] else { panic!("{ranking:?}") };
    assert_eq!((first.line, second.line, first.behind), (1, 0, None));
    let behind = second.behind.unwrap();
    assert!((7.0..8.1).contains(&behind.ratio) && behind.is_sure(), "{behind:?}");
    // 512 times 95 bytes are 48 KiB, and the lines cross at half of that.
    assert_eq!(ranking.would_change, [Change { factor: 512.0, line: 0 }]);
}

#[test]
fn ties_are_not_significant() {
    let noisy = |shift: u64| {
        let samples: Vec<u64> = (0..10).map(|nth| 1_000 + shift + 40 * nth).collect();
        line(&[measured(64, &samples)])
    };
    let ranking = rank(&[noisy(0), noisy(15), noisy(900)], &"64:1".parse().unwrap(), Figure::P50);
    let sure: Vec<bool> = ranking.ranked.iter().filter_map(|ranked| Some(ranked.behind?.is_sure())).collect();
    assert_eq!(sure, [false, true]);
}

#[test]
fn two_repetitions_have_no_interval() {
    let few = |ns: u64| line(&[measured(64, &[ns, ns + 1])]);
    let ranking = rank(&[few(1_000), few(9_000)], &"64:1".parse().unwrap(), Figure::P50);
    assert_eq!(ranking.ranked[1].behind.unwrap().interval, None);
}

#[test]
fn reports_transports_that_did_not_measure_the_sizes() {
    let short = line(&[about(64, 10)]);
    let ranking = rank(&[short, copied()], &"64:999,100:2".parse().unwrap(), Figure::P50);
    assert_eq!(ranking.ranked.len(), 1);
    assert_eq!(ranking.not_ranked[0].0, 0);
    assert!((ranking.not_ranked[0].1 - 2.0 / 1_001.0).abs() < 1e-9);
    let all = rank(&[line(&[about(64, 10)])], &"64:9990,100:2".parse().unwrap(), Figure::P50);
    assert!(all.ranked[0].mixture.above_share() > 0.0, "small shares are reported too");
}
