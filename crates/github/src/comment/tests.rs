//! Comments as the author of a pull request reads them, and what must hold for all of them.

use super::*;
use proptest::prelude::*;

const BASE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678";
const HEAD: &str = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";

pub(super) fn leg(machine: &str, state: LegState) -> Leg {
    Leg { machine: machine.into(), state, reason: None }
}

pub(super) fn row(verdict: Verdict) -> Row {
    let change = match verdict {
        Verdict::Regressed => 0.154,
        Verdict::Improved => -0.08,
        _ => 0.001,
    };
    Row {
        transport: "unix-stream".into(),
        message_bytes: Some(65_536),
        case: "round trip, two processes, same CPU".into(),
        metric: "p50".into(),
        machine: "lab-1".into(),
        base_ns: Some(18_200.0),
        head_ns: Some(18_200.0 * (1.0 + change)),
        change: Some(change),
        interval: Some((change - 0.033, change + 0.035)),
        verdict,
    }
}

/// Of one machine that has measured.
pub(super) fn report(verdicts: &[Verdict]) -> PullRequestReport {
    PullRequestReport {
        project: "libfoo".into(),
        number: 42,
        base_sha: BASE.into(),
        head_sha: HEAD.into(),
        comparison_url: "https://perf.example.org/libfoo/compare?base=a1b2c3d&head=9f8e7d6".into(),
        docs_url: "https://perf.example.org/docs/pull-requests".into(),
        legs: vec![leg("lab-1", LegState::Measured)],
        rows: verdicts.iter().copied().map(row).collect(),
        methodology: "10 pairs of fresh processes in turns; p50 of each; 95 % interval by bootstrap; \
                      false discoveries held at 5 % over all series."
            .into(),
        ..PullRequestReport::default()
    }
}

fn many(verdict: Verdict, count: usize) -> Vec<Verdict> {
    vec![verdict; count]
}

#[test]
fn a_regression() {
    let mut report = report(&[many(Verdict::Regressed, 2), many(Verdict::NoChange, 181)].concat());
    report.legs = vec![leg("lab-1", LegState::Measured), leg("mac-1", LegState::Measured)];
    report.rows[1] = Row {
        transport: "pipe".into(),
        message_bytes: Some(1_024),
        machine: "mac-1".into(),
        base_ns: Some(3_980.0),
        head_ns: Some(4_190.0),
        change: Some(0.0528),
        interval: Some((0.031, 0.074)),
        ..row(Verdict::Regressed)
    };
    insta::assert_snapshot!(body(&report));
}

#[test]
fn a_mixed_result_on_machines_of_which_one_is_away() {
    let mut report = report(
        &[many(Verdict::Regressed, 1), many(Verdict::Improved, 2), many(Verdict::NoChange, 90)].concat(),
    );
    report.legs = vec![
        leg("lab-1", LegState::Measured),
        Leg {
            machine: "freebsd-1".into(),
            state: LegState::Offline,
            reason: Some("last heard of 3 hours ago".into()),
        },
    ];
    insta::assert_snapshot!(body(&report));
}

#[test]
fn an_improvement_from_a_fork() {
    let mut report = report(&[many(Verdict::Improved, 1), many(Verdict::Inconclusive, 3)].concat());
    report.is_quarantined = true;
    insta::assert_snapshot!(body(&report));
}

#[test]
fn a_regression_that_somebody_acknowledged() {
    let mut report = report(&[Verdict::Regressed, Verdict::NoChange]);
    report.acknowledgement =
        Some(Acknowledgement { by: "ada".into(), reason: "the copy is needed, see #12".into() });
    insta::assert_snapshot!(body(&report));
}

#[test]
fn a_comment_whose_reason_went_away() {
    insta::assert_snapshot!(body(&report(&many(Verdict::NoChange, 184))));
}

#[test]
fn a_check_that_cannot_tell() {
    let report = report(&[many(Verdict::NoChange, 9), many(Verdict::Inconclusive, 2)].concat());
    insta::assert_snapshot!(serde_json::to_string_pretty(&check(&report)).unwrap());
}

#[test]
fn a_failed_machine_with_nothing_measured() {
    let mut report = report(&[]);
    report.legs = vec![Leg {
        machine: "lab-1".into(),
        state: LegState::Failed,
        reason: Some("the build failed: cargo build ended with 101".into()),
    }];
    insta::assert_snapshot!(body(&report));
}

#[test]
fn commits_that_were_measured_differently() {
    insta::assert_snapshot!(body(&report(&many(Verdict::NotComparable, 12))));
}

#[test]
fn five_thousand_series_that_all_changed_fit_and_say_how_many_are_left_out() {
    let report = report(&[many(Verdict::Regressed, 4_000), many(Verdict::Improved, 1_000)].concat());
    let body = body(&report);
    assert!(body.len() < 60_000, "{}", body.len());
    assert!(body.contains(
        "### ▲ Slower: 4,000, by up to 15.4\u{a0}%; ▼ faster: 1,000, by up to 8.0\u{a0}%; of 5,000 series\n"
    ));
    let shown = body.lines().filter(|line| line.starts_with("| ▲") || line.starts_with("| ▼")).count();
    assert!(shown > 200, "{shown}");
    let left_out = text::count(5_000 - shown);
    assert!(
        body.contains(&format!(
            "{left_out} series that changed are left out here: [all of them](https://perf"
        ))
    );
    assert!(body.contains("**Machines:** ✓ lab"));
}

#[test]
fn a_marker_is_of_one_project_and_cannot_be_forged_by_its_name() {
    assert_eq!(marker("libfoo"), "<!-- roundtrip:v1 project=libfoo -->");
    assert!(!marker("libfoo-2").starts_with(&marker("libfoo")));
    assert_eq!(marker("a --> b"), "<!-- roundtrip:v1 project=a-----b -->");
}

/// What costs most to be made harmless, too.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,900}", "[#@| ]{0,900}"]
}

prop_compose! {
    fn any_row()(
        transport in any_text(), case in any_text(), machine in any_text(),
        numbers in any::<Option<(f64, f64, f64)>>(), bytes in any::<Option<u64>>(), verdict in 0..5_usize,
    ) -> Row {
        let verdicts = [
            Verdict::Regressed, Verdict::Improved, Verdict::NoChange, Verdict::Inconclusive, Verdict::NotComparable,
        ];
        Row {
            transport, case, machine, metric: "p50".into(), message_bytes: bytes,
            base_ns: numbers.map(|numbers| numbers.0), head_ns: numbers.map(|numbers| numbers.1),
            change: numbers.map(|numbers| numbers.2), interval: None, verdict: verdicts[verdict],
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_compared_the_comment_begins_with_marker_and_verdict_and_is_short_enough(
        rows in proptest::collection::vec(any_row(), 0..40), copies in 1..130_usize,
        reason in any_text(), machines in 0..400_usize, methodology in any_text(),
    ) {
        let mut report = report(&[]);
        report.rows = rows.iter().cycle().take(rows.len() * copies).cloned().collect();
        let lost = |place| Leg { machine: format!("{reason}{place}"), state: LegState::Failed, reason: Some(reason.clone()) };
        report.legs = (0..machines).map(lost).collect();
        report.methodology = methodology;
        report.acknowledgement = Some(Acknowledgement { by: reason.clone(), reason });
        let body = body(&report);
        prop_assert!(body.len() < 60_000, "{}", body.len());
        let mut lines = body.lines();
        prop_assert_eq!(lines.next(), Some("<!-- roundtrip:v1 project=libfoo -->"));
        prop_assert!(lines.next().is_some_and(|line| line.starts_with("### ")));
        let elements = ["<!-- roundtrip", "<details>", "<summary>", "</summary>", "</details>", "<reason>"];
        let others = elements.iter().fold(body.clone(), |body, element| body.replace(element, ""));
        prop_assert!(!others.contains('<'), "{}", others);
    }
}
