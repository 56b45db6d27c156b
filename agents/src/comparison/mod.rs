//! Base against head, case by case: what `ab` and `compare` print, and what they end with.
//!
//! - [`table`]: for people.  [`node`]: as Node's own comparison lays it out.  [`beside`]: what is told beside the p50.

use crate::failure::Failure;
use crate::table as results;
use beside::{Beside, Shape};
use roundtrip_stats::comparison::{self, Case, Compared};
use roundtrip_stats::shape::{self, Profile};
use roundtrip_stats::verdict::{self, Row, Rule};
use roundtrip_wire::comparable::{self, Difference};
use roundtrip_wire::{CaseResult, Failure as Failed};
use serde::Serialize;
use std::fmt;

mod beside;
pub(crate) mod node;
pub(crate) mod table;

/// One case of both sides, or of one.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    /// What it is, for people.
    pub(crate) case: String,
    /// What lines of one table have in common.
    #[serde(skip)]
    pub(crate) title: String,
    /// What it is within that table.
    #[serde(skip)]
    pub(crate) name: String,
    /// The base's p50: the median over its repetitions, with its 95 % interval.
    pub(crate) base: Option<Side>,
    /// The head's.
    pub(crate) head: Option<Side>,
    /// The head's p50 by the base's; absent where they are not comparable, here and below.
    pub(crate) ratio: Option<f64>,
    /// By how much head's times are longer than base's (Hodges and Lehmann), as a share.
    pub(crate) change: Option<f64>,
    /// The 95 % interval of that change; absent with too few repetitions.
    pub(crate) change_interval: Option<[f64; 2]>,
    /// How probable so uneven times are without a change.
    pub(crate) p: Option<f64>,
    /// The same, adjusted for all cases of the comparison (Benjamini and Hochberg).
    pub(crate) p_adjusted: Option<f64>,
    /// Welch's t of the rates, positive where head is faster, as Node's tool has it.
    pub(crate) t: Option<f64>,
    /// How that tool marks it, without regard to the number of cases.
    pub(crate) stars: &'static str,
    /// What is said of it, by its p50.
    pub(crate) verdict: Verdict,
    /// Why it is inconclusive, if it is.
    pub(crate) undecided: Option<String>,
    /// The p90 of the repetitions; absent where they are not comparable, here and below.
    pub(crate) p90: Option<Beside>,
    /// Their p99.
    pub(crate) p99: Option<Beside>,
    /// The shape of their distributions.
    pub(crate) shape: Option<Shape>,
    /// Why it is not compared.
    pub(crate) differences: Vec<Difference>,
    /// Why a side has no numbers: repetitions that failed, or what is unsupported.
    pub(crate) reasons: Vec<String>,
}

/// One side of a case.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Side {
    /// The median over the repetitions' p50.
    pub(crate) p50_ns: u64,
    /// Absent with fewer than six repetitions, which have no such interval.
    pub(crate) interval_ns: Option<[u64; 2]>,
    /// How many repetitions finished.
    pub(crate) repetitions: usize,
    /// The mean of the repetitions' rates: operations a second.
    pub(crate) rate_per_second: f64,
}

/// What is said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Verdict {
    /// Head is slower.
    #[serde(rename = "regressed")]
    Regressed,
    /// Head is faster.
    #[serde(rename = "improved")]
    Improved,
    /// Whatever difference there is, it is too small to matter.
    #[serde(rename = "no change")]
    NoChange,
    /// What was measured does not tell.
    #[serde(rename = "inconclusive")]
    Inconclusive,
    /// Measured in different ways, or not on both sides.
    #[serde(rename = "not comparable")]
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::NoChange => "no change",
            Self::Inconclusive => "inconclusive",
            Self::NotComparable => "not comparable",
        })
    }
}

impl From<verdict::Verdict> for Verdict {
    fn from(verdict: verdict::Verdict) -> Self {
        match verdict {
            verdict::Verdict::Regressed => Self::Regressed,
            verdict::Verdict::Improved => Self::Improved,
            verdict::Verdict::NoChange => Self::NoChange,
            verdict::Verdict::Inconclusive => Self::Inconclusive,
        }
    }
}

/// A result with what is compared of its repetitions, which is taken out of their histograms once.
pub(crate) struct Decoded<'a> {
    result: &'a CaseResult,
    p50s_ns: Vec<u64>,
    profiles: Vec<Profile>,
}

impl<'a> Decoded<'a> {
    /// # Errors
    /// A histogram that cannot be read.
    pub(crate) fn of(result: Option<&'a CaseResult>) -> crate::Result<Option<Self>> {
        let decoded = |result: &'a CaseResult| {
            let (mut p50s_ns, mut profiles) = (Vec::new(), Vec::new());
            for repetition in &result.repetitions {
                let distribution = results::decode(repetition)?;
                p50s_ns.push(distribution.quantile_ns(500_000));
                profiles.push(shape::profile(&distribution));
            }
            Ok(Self { result, p50s_ns, profiles })
        };
        result.map(decoded).transpose()
    }
}

/// Both sides of each case that are not paired by repetition, such as those of two reports.
pub(crate) fn of_results(
    sides: &[(Option<&CaseResult>, Option<&CaseResult>)],
    rule: &Rule,
) -> crate::Result<Vec<Line>> {
    let sides = sides.iter().map(|&(base, head)| Ok((Decoded::of(base)?, Decoded::of(head)?)));
    let sides = sides.collect::<crate::Result<Vec<_>>>()?;
    let cases: Vec<_> = sides.iter().map(|(base, head)| case(base.as_ref()?, head.as_ref()?)).collect();
    let compared = comparison::unpaired(rule, &cases);
    let line = |((base, head), compared): (&(_, _), _)| {
        finished(Option::as_ref(base), Option::as_ref(head), compared, rule)
    };
    Ok(sides.iter().zip(compared).map(line).collect())
}

/// Two sides that can be compared.
fn case<'a>(base: &'a Decoded<'_>, head: &'a Decoded<'_>) -> Option<Case<'a>> {
    let are_alike = comparable::results(base.result, head.result).is_empty();
    are_alike.then_some(Case {
        p50s_ns: [&base.p50s_ns, &head.p50s_ns],
        profiles: Some([&base.profiles, &head.profiles]),
        // What a machine did before is known to the server alone.
        effects: &[],
    })
}

/// One line, with what the test found; none where it cannot be compared.
pub(crate) fn line(
    base: Option<&Decoded<'_>>,
    head: Option<&Decoded<'_>>,
    row: Option<Row>,
    rule: &Rule,
) -> Line {
    let case = base.zip(head).and_then(|(base, head)| case(base, head));
    let compared =
        case.zip(row).and_then(|(Case { p50s_ns: [base, head], .. }, row)| Compared::of(base, head, row));
    finished(base, head, compared, rule)
}

fn finished(
    base: Option<&Decoded<'_>>,
    head: Option<&Decoded<'_>>,
    compared: Option<Compared>,
    rule: &Rule,
) -> Line {
    let differences = match (base, head) {
        (Some(base), Some(head)) => comparable::results(base.result, head.result),
        _ => Vec::new(),
    };
    let any = head.or(base).map(|side| side.result);
    let profiles = base.zip(head).map(|(base, head)| [&base.profiles[..], &head.profiles[..]]);
    Line {
        case: any.map(results::describe).unwrap_or_default(),
        title: any.map(|result| results::title(result, &[])).unwrap_or_default(),
        name: any.map(results::name).unwrap_or_default(),
        base: base.and_then(side),
        head: head.and_then(side),
        ratio: compared.map(|compared| compared.ratio),
        change: compared.and_then(|compared| compared.change),
        change_interval: compared.and_then(|compared| compared.change_interval),
        p: compared.map(|compared| compared.p),
        p_adjusted: compared.map(|compared| compared.p_adjusted),
        t: compared.and_then(|compared| compared.t),
        stars: compared.map_or("", |compared| compared.stars),
        verdict: compared.map_or(Verdict::NotComparable, |compared| compared.verdict.into()),
        undecided: compared.and_then(|compared| compared.reason).map(|reason| reason.to_string()),
        p90: compared.and_then(|compared| compared.p90).map(Beside::from),
        p99: compared.and_then(|compared| compared.p99).map(Beside::from),
        shape: compared
            .and_then(|compared| compared.shape)
            .zip(profiles)
            .map(|(found, sides)| Shape::of(found, sides, rule)),
        differences,
        reasons: [("base", base), ("head", head)]
            .into_iter()
            .flat_map(|(name, side)| reasons(name, side.map(|side| side.result)))
            .collect(),
    }
}

/// The p50 of a result that has one.
fn side(side: &Decoded<'_>) -> Option<Side> {
    let comparison::Side { p50_ns, interval_ns, repetitions, rate_per_second } =
        comparison::Side::of(&side.p50s_ns)?;
    Some(Side { p50_ns, interval_ns, repetitions, rate_per_second })
}

/// Why a side has fewer numbers than it could.
fn reasons(name: &str, result: Option<&CaseResult>) -> Vec<String> {
    let Some(result) = result else { return vec![format!("not in the {name}")] };
    let unsupported =
        result.unsupported.iter().map(|reason| format!("{name}: not on this machine: {reason}"));
    let failed = result.failures.iter().map(|Failed { reason, .. }| format!("{name}: failed: {reason}"));
    unsupported.chain(failed).collect()
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
    /// In Markdown, as comparisons of Node are posted: rates, their change, t and stars.
    Node,
}

/// What makes a comparison end with a code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// A case regressed, or its p90 or p99 did: exit code 3.
    Regressed,
    /// A case is inconclusive: exit code 4.
    Inconclusive,
}

/// The failure that the lines amount to, if it is one.
///
/// # Errors
/// A verdict that was asked to be one.
pub(crate) fn judge(lines: &[Line], fail_on: &[FailOn]) -> crate::Result<()> {
    let those = |is_one: fn(&Line) -> bool| -> Vec<&str> {
        lines.iter().filter(|line| is_one(line)).map(|line| line.case.as_str()).collect()
    };
    let tell = |cases: &[&str], what: &str| {
        let more = cases.len().saturating_sub(1);
        let others = if more == 0 { String::new() } else { format!(", and {more} more") };
        format!("{what}: {}{others}", cases.first().copied().unwrap_or_default())
    };
    let regressed = those(Line::regressed);
    if fail_on.contains(&FailOn::Regressed) && !regressed.is_empty() {
        return Err(Failure::Regressed(tell(&regressed, "regressed")));
    }
    let inconclusive = those(|line| line.verdict == Verdict::Inconclusive);
    if fail_on.contains(&FailOn::Inconclusive) && !inconclusive.is_empty() {
        return Err(Failure::Inconclusive(tell(&inconclusive, "too noisy to say")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_stats::Distribution;
    use roundtrip_wire::{Repetition, RunReport};

    /// A result whose repetitions have one time each.
    fn result(message_bytes: u64, p50s_ns: &[u64]) -> CaseResult {
        result_of(message_bytes, p50s_ns.iter().map(|&ns| vec![ns]))
    }

    /// A result whose repetitions have these times.
    fn result_of(message_bytes: u64, repetitions: impl IntoIterator<Item = Vec<u64>>) -> CaseResult {
        let full = include_str!("../../../crates/wire/tests/golden/v1/full.json");
        let mut full: RunReport = serde_json::from_str(full).unwrap();
        let mut result = full.results.remove(0);
        let like = result.repetitions[0].clone();
        result.case.message_bytes = message_bytes;
        result.unsupported = None;
        result.failures.clear();
        result.repetitions = (0..)
            .zip(repetitions)
            .map(|(index, times_ns)| {
                let times = Distribution::of_samples(times_ns).unwrap();
                Repetition {
                    index,
                    histogram: times.histogram_text(),
                    samples: times.samples_text(),
                    count: times.count(),
                    min_ns: times.min_ns(),
                    max_ns: times.max_ns(),
                    sum_ns: times.sum_ns(),
                    ..like.clone()
                }
            })
            .collect();
        result
    }

    fn times(middle_ns: u64) -> Vec<u64> {
        (0..12).map(|i| middle_ns + i * 7_919 % 997 * middle_ns / 100_000).collect()
    }

    #[test]
    fn two_reports_have_a_verdict_for_each_case_and_fail_when_they_are_asked_to() {
        let base = [64, 128, 256].map(|size| result(size, &times(10_000)));
        let head = [result(64, &times(12_000)), result(128, &times(10_010)), result(256, &times(8_000))];
        let sides: Vec<_> = base.iter().zip(&head).map(|(base, head)| (Some(base), Some(head))).collect();
        let lines = of_results(&sides, &Rule::default()).unwrap();
        let verdicts: Vec<Verdict> = lines.iter().map(|line| line.verdict).collect();
        assert_eq!(verdicts, [Verdict::Regressed, Verdict::NoChange, Verdict::Improved]);
        // Rates fall where times grow.
        assert!(
            lines[0].t < Some(0.0) && lines[0].change > Some(0.19) && lines[0].stars == "***",
            "{lines:?}"
        );

        let page = crate::summary::of_comparison("v1", "v2|x", &lines);
        assert!(
            page.starts_with("### 1 of 3 cases regressed, 1 improved\n\nBase v1, head v2\\|x."),
            "{page}"
        );
        assert!(page.contains("| regressed |") && !page.contains("no change"), "{page}");

        assert!(judge(&lines, &[]).is_ok() && judge(&lines, &[FailOn::Inconclusive]).is_ok());
        let failure = judge(&lines, &[FailOn::Regressed, FailOn::Inconclusive]).unwrap_err();
        assert_eq!(failure.code(), 3);
        assert!(failure.to_string().starts_with("regressed: "), "{failure}");
    }

    /// Repetitions of a hundred times each, of which so many are half as long again.
    fn with_second_mode(slower: u64, seed: u64) -> CaseResult {
        let time = |nth: u64, repetition: u64| {
            let one = 10_000 + nth + (repetition + seed) * (repetition + seed) * 7_919 % 97;
            if nth < slower { one + one / 2 } else { one }
        };
        result_of(64, (0..12).map(|repetition| (0..100).map(|nth| time(nth, repetition)).collect()))
    }

    #[test]
    fn a_second_mode_is_told_where_the_p50_is_the_same_and_is_a_regression_for_a_script() {
        let (base, head) = (with_second_mode(0, 0), with_second_mode(15, 20));
        let lines = of_results(&[(Some(&base), Some(&head))], &Rule::default()).unwrap();
        assert_eq!(lines[0].verdict, Verdict::NoChange);
        let told = lines[0].told_beside();
        assert!(
            told[0].starts_with("p90 regressed, +4") && told[1].starts_with("p99 regressed, +"),
            "{told:?}"
        );
        assert!(told[2].starts_with("its shape changed, p < 0.001: p90 to p99 +"), "{told:?}");
        assert!(told[2].contains("head has a second mode, 4") && told.len() == 3, "{told:?}");
        assert_eq!(judge(&lines, &[FailOn::Regressed]).unwrap_err().code(), 3);
        let shown = table::render(&lines);
        assert!(shown.contains(&told[2]), "{shown}");
        assert!(shown.contains("1 no change. 1 changed otherwise than by the p50"), "{shown}");

        // The other way round nothing is slower.
        let lines = of_results(&[(Some(&head), Some(&base))], &Rule::default()).unwrap();
        assert!(lines[0].told_beside()[0].starts_with("p90 improved, -"), "{lines:?}");
        assert!(judge(&lines, &[FailOn::Regressed, FailOn::Inconclusive]).is_ok());
    }

    #[test]
    fn what_changed_as_a_whole_is_told_once() {
        let (base, head) = (result(64, &times(10_000)), result(64, &times(12_000)));
        let lines = of_results(&[(Some(&base), Some(&head))], &Rule::default()).unwrap();
        assert_eq!(lines[0].p99.and_then(|p99| p99.verdict), Some(Verdict::Regressed));
        assert_eq!((lines[0].told_beside(), &lines[0].undecided), (Vec::new(), &None));
    }

    #[test]
    fn too_few_repetitions_are_inconclusive_which_has_a_code_of_its_own() {
        let (base, head) = (result(64, &[10_000; 3]), result(64, &[20_000; 3]));
        let lines = of_results(&[(Some(&base), Some(&head))], &Rule::default()).unwrap();
        assert_eq!(lines[0].verdict, Verdict::Inconclusive);
        assert_eq!(lines[0].undecided.as_deref(), Some("too few repetitions a side: has 3, needs 4"));
        assert!(table::render(&lines).contains("inconclusive, too few repetitions a side"));
        assert_eq!(judge(&lines, &[FailOn::Inconclusive]).unwrap_err().code(), 4);
    }

    #[test]
    fn what_is_on_one_side_alone_is_not_comparable_and_takes_no_part_in_the_adjustment() {
        let (base, head) = (result(64, &times(10_000)), result(64, &times(12_000)));
        let alone = of_results(&[(Some(&base), Some(&head))], &Rule::default()).unwrap();
        let with_others: Vec<_> =
            [(Some(&base), Some(&head))].into_iter().chain((0..20).map(|_| (None, Some(&head)))).collect();
        let lines = of_results(&with_others, &Rule::default()).unwrap();
        assert_eq!(lines[0].p_adjusted, alone[0].p_adjusted);
        assert_eq!(
            (lines[1].verdict, &lines[1].reasons[..]),
            (Verdict::NotComparable, &["not in the base".to_owned()][..])
        );
    }
}
