//! Snapshots of comments, and properties that hold for all of them.

use super::*;
use crate::report::{DOCS_URL, NO_COMPARISON, Repetitions, no_contact};
use proptest::prelude::*;
use roundtrip_domain::units::time;
use roundtrip_stats::movement::Reference;
use roundtrip_stats::verdict::Rule;

const BASE: &str = "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678";
const UNDECIDED: &str = "too noisy to detect 3 %: interval -4.0 % to +6.0 %; needs about 14 more pairs";
const HEAD: &str = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432";

pub(super) fn leg(machine: &str, state: LegState) -> Leg {
    let took = (state == LegState::Measured).then(|| TimeDelta::seconds(250));
    Leg { machine: machine.into(), state, reason: None, took }
}

pub(super) fn row(verdict: Verdict) -> ComparedSeries {
    let change = match verdict {
        Verdict::Regressed => 0.154,
        Verdict::Improved => -0.08,
        _ => 0.001,
    };
    ComparedSeries {
        transport: "unix-stream".into(),
        message_bytes: Some(65_536),
        case: "roundtrip, 2proc, same-cpu".into(),
        metric: "p50".into(),
        machine: "lab-1".into(),
        is_time: true,
        base: Some(time(18_200.0)),
        head: Some(time(18_200.0 * (1.0 + change))),
        change: Some(change),
        interval: Some((change - 0.033, change + 0.035)),
        verdict,
        undecided: (verdict == Verdict::Inconclusive).then(|| UNDECIDED.to_owned()),
        url: Some("https://perf.example.org/libfoo/series/7".into()),
        detectable_change: Some(0.024),
        finding: None,
    }
}

/// A report of one machine that has finished.
pub(super) fn report(verdicts: &[Verdict]) -> PullRequestReport {
    PullRequestReport {
        project: "libfoo".into(),
        number: 42,
        base_sha: BASE.into(),
        head_sha: HEAD.into(),
        commit_url: "https://perf.example.org/libfoo/commit/9f8e7d6".into(),
        comparison_url: "https://perf.example.org/libfoo/pull-requests/42".into(),
        docs_url: DOCS_URL.into(),
        legs: vec![leg("lab-1", LegState::Measured)],
        rows: verdicts.iter().copied().map(row).collect(),
        methodology: Repetitions { paired: vec![10], ..Repetitions::default() }.methodology(),
        ..PullRequestReport::default()
    }
}

#[test]
fn methodology_states_how_cases_were_compared() {
    let text = |paired: &[usize], unpaired: &[usize]| {
        Repetitions { paired: paired.to_vec(), unpaired: unpaired.to_vec() }.methodology()
    };
    let in_pairs = "12 to 60 pairs of new processes per case; base and head alternate in random order.";
    let without = "20 repetitions per side and case, compared without pairs.";
    assert_eq!(text(&[], &[]), "");
    assert_eq!(text(&[12, 60], &[]), in_pairs);
    assert_eq!(text(&[], &[20]), without);
    assert_eq!(text(&[60, 12], &[20]), format!("{in_pairs} {without}"));
}

#[test]
fn names_the_cause_of_the_first_explained_slowdown() {
    let mut report = report(&[Verdict::Improved, Verdict::Regressed, Verdict::Regressed]);
    let finding = |text: &str| Some(text.to_owned());
    report.rows[0].finding = finding("-1.00 `read` per round trip");
    assert!(!body(&report).contains("Why"), "only slowdowns");
    report.rows[2].finding = finding("+1.00 `sendmsg` per round trip <b>");
    let text = body(&report);
    let why: Vec<&str> = text.lines().filter(|line| line.starts_with("**Why:** [unix")).collect();
    let end = r"](https://perf.example.org/libfoo/series/7): \+1.00 \`sendmsg\` per round trip &lt;b&gt;";
    assert!(why.len() == 1 && why[0].ends_with(end), "{why:?}");
}

fn many(verdict: Verdict, count: usize) -> Vec<Verdict> {
    vec![verdict; count]
}

#[test]
fn a_regression() {
    let mut report = report(&[many(Verdict::Regressed, 2), many(Verdict::NoChange, 181)].concat());
    report.legs = vec![leg("lab-1", LegState::Measured), leg("mac-1", LegState::Measured)];
    report.rows[1] = ComparedSeries {
        transport: "pipe".into(),
        message_bytes: Some(1_024),
        machine: "mac-1".into(),
        base: Some(time(3_980.0)),
        head: Some(time(4_190.0)),
        change: Some(0.0528),
        interval: Some((0.031, 0.074)),
        ..row(Verdict::Regressed)
    };
    insta::assert_snapshot!(body(&report));
}

#[test]
fn other_quantities_than_times_are_worse_or_better_in_their_unit() {
    let mut report = report(&[Verdict::Regressed, Verdict::Improved]);
    for (row, [base, head]) in report.rows.iter_mut().zip([["64 KiB", "128 KiB"], ["1,000", "900"]]) {
        (row.is_time, row.base, row.head) = (false, Some(base.into()), Some(head.into()));
    }
    let text = body(&report);
    assert!(text.contains("### 🔴 Worse: 1, by up to 15.4\u{a0}%; 🟢 better: 1,"), "{text}");
    assert!(text.contains("| 🔴\u{a0}worse | ") && text.contains(" | 64 KiB | 128 KiB | "), "{text}");
    assert!(!text.contains("slower") && !text.contains("faster"), "{text}");
}

#[test]
fn a_mixed_result_with_one_machine_offline() {
    let mut report = report(
        &[many(Verdict::Regressed, 1), many(Verdict::Improved, 2), many(Verdict::NoChange, 90)].concat(),
    );
    report.legs = vec![
        leg("lab-1", LegState::Measured),
        Leg { reason: Some(no_contact()), ..leg("freebsd-1", LegState::Offline) },
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
fn an_acknowledged_regression() {
    let mut report = report(&[Verdict::Regressed, Verdict::NoChange]);
    report.acknowledgement =
        Some(Acknowledgement { by: "ada".into(), reason: "the copy is needed, see #12".into() });
    insta::assert_snapshot!(body(&report));
}

#[test]
fn no_change() {
    insta::assert_snapshot!(body(&report(&many(Verdict::NoChange, 184))));
}

/// The movement between two readings of a canary.
fn moved(sides_ns: [u64; 2]) -> Movement {
    Movement::of(Vec::from_iter(Reference::of_canary("wake".into(), sides_ns)), &Rule::default()).unwrap()
}

#[test]
fn a_machine_that_changed() {
    let mut report = report(&many(Verdict::NotComparable, 12));
    report.movements = [("lab-1".to_owned(), moved([5_000, 6_150]))].into();
    insta::assert_snapshot!(body(&report));
}

#[test]
fn a_machine_that_moved_within_the_limit() {
    let mut report = report(&many(Verdict::NoChange, 4));
    report.rows[2].detectable_change = Some(0.089);
    report.movements =
        [("lab-1".to_owned(), moved([7_000, 7_400])), ("lab-2".to_owned(), moved([7_000, 7_010]))].into();
    insta::assert_snapshot!(body(&report));
}

#[test]
fn a_check_of_a_machine_that_changed_is_neutral() {
    let mut report = report(&[Verdict::NotComparable]);
    report.movements = [("lab-1".to_owned(), moved([5_000, 6_150]))].into();
    let check = check(&report);
    assert_eq!(check["conclusion"], "neutral");
    let title = "Not comparable: the machine changed between base and head in 1 series";
    assert_eq!(check["output"]["title"], title);
    let summary = check["output"]["summary"].as_str().unwrap();
    let line = "Machine lab-1 moved: canary wake \\+23 %. Not comparable; run a paired A/B.\n";
    assert!(summary.starts_with(&format!("### {title}\n\n{line}")), "{summary}");
}

#[test]
fn an_inconclusive_check() {
    let report = report(&[many(Verdict::NoChange, 9), many(Verdict::Inconclusive, 2)].concat());
    insta::assert_snapshot!(serde_json::to_string_pretty(&check(&report)).unwrap());
}

#[test]
fn a_failed_machine_without_results() {
    let mut report = report(&[]);
    let reason = Some("`make` ended with exit status: 2".into());
    report.legs = vec![Leg { reason, ..leg("lab-1", LegState::Failed) }];
    insta::assert_snapshot!(body(&report));
}

#[test]
fn commits_that_were_measured_differently() {
    insta::assert_snapshot!(body(&report(&many(Verdict::NotComparable, 12))));
}

#[test]
fn a_preset_without_code_from_the_commits() {
    let mut report = report(&[]);
    report.legs[0].reason = Some(NO_COMPARISON.into());
    insta::assert_snapshot!(body(&report));
}

#[test]
fn series_that_are_not_comparable_do_not_count_as_unchanged() {
    let unchanged = [many(Verdict::NoChange, 8), many(Verdict::NotComparable, 1)].concat();
    let expected = "### No change in 8 of 9 series; 1 not comparable; detects 2.4 %\n";
    assert!(body(&report(&unchanged)).contains(expected));
    let unclear = [unchanged, many(Verdict::Inconclusive, 2)].concat();
    let expected = "### Inconclusive: 2 of 11 series; 8 unchanged; 1 not comparable\n";
    assert!(body(&report(&unclear)).contains(expected));
}

#[test]
fn five_thousand_changed_series_fit_and_the_omitted_ones_are_counted() {
    let report = report(&[many(Verdict::Regressed, 4_000), many(Verdict::Improved, 1_000)].concat());
    let body = body(&report);
    assert!(body.len() < 60_000, "{}", body.len());
    assert!(body.contains(
        "### 🔴 Slower: 4,000, by up to 15.4\u{a0}%; 🟢 faster: 1,000, by up to 8.0\u{a0}%; 5,000 series in total\n"
    ));
    let shown = body.lines().filter(|line| line.starts_with("| 🔴") || line.starts_with("| 🟢")).count();
    assert!(shown > 200, "{shown}");
    let left_out = text::count(5_000 - shown);
    assert!(
        body.contains(&format!("{left_out} changed series are not shown: [full comparison](https://perf"))
    );
    assert!(body.contains("**Machines:** ✓ lab"));
}

#[test]
fn a_marker_identifies_one_project() {
    assert_eq!(marker("libfoo"), "<!-- roundtrip:v1 project=libfoo -->");
    assert!(!marker("libfoo-2").starts_with(&marker("libfoo")));
    assert_eq!(marker("a --> b"), "<!-- roundtrip:v1 project=a-----b -->");
}

/// Any text, also one whose escaping is longest.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,900}", "[#@| ]{0,900}"]
}

prop_compose! {
    fn any_row()(
        transport in any_text(), case in any_text(), machine in any_text(),
        numbers in any::<Option<(f64, f64, f64)>>(), bytes in any::<Option<u64>>(), verdict in 0..5_usize,
    ) -> ComparedSeries {
        let verdicts = [
            Verdict::Regressed, Verdict::Improved, Verdict::NoChange, Verdict::Inconclusive, Verdict::NotComparable,
        ];
        ComparedSeries {
            transport, case, machine, metric: "p50".into(), message_bytes: bytes,
            is_time: bytes.is_some(),
            base: numbers.map(|numbers| time(numbers.0)), head: numbers.map(|numbers| time(numbers.1)),
            change: numbers.map(|numbers| numbers.2), interval: None, verdict: verdicts[verdict], detectable_change: None,
            finding: None,
            undecided: (verdict == 3).then(|| "uneven".to_owned()), url: None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_comment_begins_with_marker_and_verdict_and_is_short_enough(
        rows in proptest::collection::vec(any_row(), 0..40), copies in 1..130_usize,
        reason in any_text(), machines in 0..400_usize, methodology in any_text(),
    ) {
        let mut report = report(&[]);
        report.rows = rows.iter().cycle().take(rows.len() * copies).cloned().collect();
        let lost = |place| Leg { reason: Some(reason.clone()), ..leg(&format!("{reason}{place}"), LegState::Failed) };
        report.legs = (0..machines).map(lost).collect();
        report.movements = (0..machines).map(|place| (format!("{reason}{place}"), moved([5_000, 6_150]))).collect();
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
