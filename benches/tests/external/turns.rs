//! Two compared programs alternate in short parts.

use crate::misbehaviour::{assert_no_process_left, behaving};
use crate::support::{DEADLINE, compare, compared};
use crate::{Test, TestResult};
use roundtrip_stats::verdict::{Rule, Verdict};
use roundtrip_wire::{CaseResult, Repetition};
use std::time::Duration;

pub(crate) const TESTS: &[Test] = &[
    ("measures_the_slowdown_of_a_program", slower),
    ("detects_restarted_numbers", restarted_numbers),
    ("reports_only_the_program_that_hangs", hangs),
    ("failure_ends_the_repetition_of_both_sides", fails_once),
    ("comparison_with_an_unsupported_program_is_inconclusive", unsupported),
];

fn slower() -> TestResult {
    let slower = compare(behaving("report-valid-results"), behaving("slow-down"), Rule::default(), DEADLINE);
    assert_eq!(slower.row.p50.verdict, Some(Verdict::Regressed), "{slower:?}");
    let change = slower.row.p50.shift.unwrap().estimate.exp_m1();
    assert!((0.09..0.11).contains(&change), "{change}");
    let ratios = |result: &CaseResult| -> Vec<(u32, i64)> {
        let pair = |one: &Repetition| (one.index, one.log_ratio_ppb.unwrap());
        result.repetitions.iter().map(pair).collect()
    };
    let opposite: Vec<_> = ratios(&slower.base).into_iter().map(|(index, ppb)| (index, -ppb)).collect();
    assert_eq!(ratios(&slower.head), opposite);
    // The report has what the comparison used.
    let reported = ratios(&slower.head).into_iter().map(|(_, ppb)| ppb as f64 / 1e9);
    assert_eq!(reported.collect::<Vec<_>>(), slower.pairs.iter().map(|pair| pair.p50).collect::<Vec<_>>());
    Ok(())
}

fn fails_once() -> TestResult {
    let rule = Rule { looks: vec![3], ..Rule::default() };
    let failing = behaving("fail-in-the-second-repetition");
    let found = compare(behaving("report-valid-results"), failing, rule, DEADLINE);
    let indices =
        |result: &CaseResult| -> Vec<u32> { result.repetitions.iter().map(|one| one.index).collect() };
    assert_eq!(indices(&found.base), [0, 2, 3], "{found:?}");
    assert_eq!(indices(&found.head), [0, 2, 3]);
    assert_eq!(found.head.failures.iter().map(|failure| failure.repetition).collect::<Vec<_>>(), [1]);
    assert!(found.base.failures.is_empty());
    Ok(())
}

fn restarted_numbers() -> TestResult {
    let found =
        compared(behaving("report-valid-results"), behaving("restart-numbers-in-each-part"), DEADLINE);
    assert!(found.base.failures.is_empty());
    let reason = "the headers that its responder received sum to";
    assert!(found.head.failures.iter().all(|failure| failure.reason.contains(reason)), "{found:?}");
    assert_eq!(found.head.failures.len(), 2);
    Ok(())
}

fn hangs() -> TestResult {
    let found = compared(
        behaving("hang-in-the-third-part"),
        behaving("report-valid-results"),
        Duration::from_secs(1),
    );
    // Each side also waits for the other.
    let reason = "hang-in-the-third-part: no response within 2 s, killed";
    assert!(found.base.failures.iter().all(|failure| failure.reason == reason), "{found:?}");
    assert_eq!((found.base.failures.len(), found.head.failures.len()), (2, 0));
    assert_no_process_left("hang-in-the-third-part");
    Ok(())
}

fn unsupported() -> TestResult {
    let found = compared(behaving("report-valid-results"), behaving("report-unsupported"), DEADLINE);
    assert_eq!(found.row.p50.verdict, Some(Verdict::Inconclusive));
    assert!(found.head.unsupported.is_some() && found.pairs.is_empty(), "{found:?}");
    Ok(())
}
