//! Comparability of results.

use roundtrip_wire::{CaseResult, RunReport, Slug, comparable};

fn report() -> RunReport {
    serde_json::from_str(include_str!("../golden/v1/full.json")).unwrap()
}

fn result() -> CaseResult {
    let result = report().results.remove(0);
    assert!(!result.is_lossy());
    result
}

fn reasons(base: &CaseResult, head: &CaseResult) -> Vec<String> {
    comparable::results(base, head).iter().map(ToString::to_string).collect()
}

#[test]
fn equal_methodologies_are_comparable() {
    assert_eq!(reasons(&result(), &result()), Vec::<String>::new());
}

#[test]
fn every_difference_of_methodology_is_named() {
    let (base, mut head) = (result(), result());
    head.methodology.on_full = Slug::from_name("drop");
    head.methodology.wake = Some(Slug::from_name("always"));
    head.methodology.window = 256;
    let expected = ["on_full: wait vs. drop", "wake: absent vs. always", "window: 1 vs. 256"];
    assert_eq!(reasons(&base, &head), expected);
}

#[test]
fn lossy_results_are_never_comparable() {
    let (base, mut lossy) = (result(), result());
    for repetition in &mut lossy.repetitions {
        (repetition.attempted, repetition.delivered) = (80, 10);
    }
    let against_lossless = reasons(&base, &lossy);
    assert_eq!(against_lossless.len(), 1);
    assert!(
        against_lossless[0].starts_with("delivered: all ") && against_lossless[0].ends_with("(12.5000 %)"),
        "{against_lossless:?}"
    );
    assert_eq!(reasons(&lossy, &lossy).len(), 1);
}

#[test]
fn different_machines_kernels_and_builds_are_not_comparable() {
    let (base, mut head) = (report(), report());
    assert_eq!(comparable::runs(&base, &head), []);
    head.machine.slug = Slug::from_name("another");
    head.suite.build = Slug::from_name("debug");
    head.environment.stable.insert("os.kernel".into(), "7.0".into());
    let what: Vec<String> =
        comparable::runs(&base, &head).into_iter().map(|difference| difference.what).collect();
    assert_eq!(what, ["machine", "build", "environment.os.kernel"]);
}

#[test]
fn pairs_the_best_matches_first_and_keeps_unpaired_results() {
    let pairs = comparable::pairs(
        &[12, 21, 30],
        &[22, 10, 21, 40],
        &[&|one, other| one == other, &|one: &i32, other| one / 10 == other / 10],
    );
    // 22 comes first, but does not take the 21 of the other 21.
    let expected = [
        (None, Some(&22)),
        (Some(&12), Some(&10)),
        (Some(&21), Some(&21)),
        (None, Some(&40)),
        (Some(&30), None),
    ];
    assert_eq!(pairs, expected);
}
