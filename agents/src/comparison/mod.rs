//! Base against head, case by case: what `ab` and `compare` print, and what they end with.
//!
//! - [`table`]: for people.  [`node`]: as Node's own comparison lays it out.

use crate::failure::Failure;
use crate::table as results;
use roundtrip_stats::comparison::{self, Compared};
use roundtrip_stats::verdict::{self, Row, Rule};
use roundtrip_wire::comparable::{self, Difference};
use roundtrip_wire::{CaseResult, Failure as Failed};
use serde::Serialize;
use std::fmt;

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
    /// What is said of it.
    pub(crate) verdict: Verdict,
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

/// A result with the p50s of its repetitions, which are taken out of their histograms once.
pub(crate) struct Decoded<'a> {
    result: &'a CaseResult,
    p50s_ns: Vec<u64>,
}

impl<'a> Decoded<'a> {
    /// # Errors
    /// A histogram that cannot be read.
    pub(crate) fn of(result: Option<&'a CaseResult>) -> crate::Result<Option<Self>> {
        result.map(|result| Ok(Self { result, p50s_ns: results::p50s_ns(result)? })).transpose()
    }
}

/// Both sides of each case that are not paired by repetition, such as those of two reports.
pub(crate) fn of_results(
    sides: &[(Option<&CaseResult>, Option<&CaseResult>)],
    rule: &Rule,
) -> crate::Result<Vec<Line>> {
    let sides = sides.iter().map(|&(base, head)| Ok((Decoded::of(base)?, Decoded::of(head)?)));
    let sides = sides.collect::<crate::Result<Vec<_>>>()?;
    let times: Vec<_> = sides.iter().map(|(base, head)| times(base.as_ref()?, head.as_ref()?)).collect();
    let compared = comparison::unpaired(rule, &times);
    let line = |((base, head), compared): (&(_, _), _)| {
        finished(Option::as_ref(base), Option::as_ref(head), compared)
    };
    Ok(sides.iter().zip(compared).map(line).collect())
}

/// The times of two sides that can be compared.
fn times<'a>(base: &'a Decoded<'_>, head: &'a Decoded<'_>) -> Option<(&'a [u64], &'a [u64])> {
    let are_alike = comparable::results(base.result, head.result).is_empty();
    are_alike.then_some((&base.p50s_ns, &head.p50s_ns))
}

/// One line, with what the test found; none where it cannot be compared.
pub(crate) fn line(base: Option<&Decoded<'_>>, head: Option<&Decoded<'_>>, row: Option<Row>) -> Line {
    let times = base.zip(head).and_then(|(base, head)| times(base, head));
    let compared = times.zip(row).and_then(|((base, head), row)| Compared::of(base, head, row));
    finished(base, head, compared)
}

fn finished(base: Option<&Decoded<'_>>, head: Option<&Decoded<'_>>, compared: Option<Compared>) -> Line {
    let differences = match (base, head) {
        (Some(base), Some(head)) => comparable::results(base.result, head.result),
        _ => Vec::new(),
    };
    let any = head.or(base).map(|side| side.result);
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
    /// A case regressed: exit code 3.
    Regressed,
    /// A case is inconclusive: exit code 4.
    Inconclusive,
}

/// The failure that the lines amount to, if it is one.
///
/// # Errors
/// A verdict that was asked to be one.
pub(crate) fn judge(lines: &[Line], fail_on: &[FailOn]) -> crate::Result<()> {
    let those = |verdict: Verdict| -> Vec<&str> {
        lines.iter().filter(|line| line.verdict == verdict).map(|line| line.case.as_str()).collect()
    };
    let tell = |cases: &[&str], what: &str| {
        let more = cases.len().saturating_sub(1);
        let others = if more == 0 { String::new() } else { format!(", and {more} more") };
        format!("{what}: {}{others}", cases.first().copied().unwrap_or_default())
    };
    let regressed = those(Verdict::Regressed);
    if fail_on.contains(&FailOn::Regressed) && !regressed.is_empty() {
        return Err(Failure::Regressed(tell(&regressed, "regressed")));
    }
    let inconclusive = those(Verdict::Inconclusive);
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

    /// A result whose repetitions have these p50s.
    fn result(message_bytes: u64, p50s_ns: &[u64]) -> CaseResult {
        let full = include_str!("../../../crates/wire/tests/golden/v1/full.json");
        let mut full: RunReport = serde_json::from_str(full).unwrap();
        let mut result = full.results.remove(0);
        let like = result.repetitions[0].clone();
        result.case.message_bytes = message_bytes;
        result.unsupported = None;
        result.failures.clear();
        result.repetitions = (0..)
            .zip(p50s_ns)
            .map(|(index, &p50_ns)| {
                let one = Distribution::of_samples(vec![p50_ns]).unwrap();
                Repetition {
                    index,
                    histogram: one.histogram_text(),
                    samples: one.samples_text(),
                    count: 1,
                    min_ns: p50_ns,
                    max_ns: p50_ns,
                    sum_ns: p50_ns,
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

        assert!(judge(&lines, &[]).is_ok() && judge(&lines, &[FailOn::Inconclusive]).is_ok());
        let failure = judge(&lines, &[FailOn::Regressed, FailOn::Inconclusive]).unwrap_err();
        assert_eq!(failure.code(), 3);
        assert!(failure.to_string().starts_with("regressed: "), "{failure}");
    }

    #[test]
    fn too_few_repetitions_are_inconclusive_which_has_a_code_of_its_own() {
        let (base, head) = (result(64, &[10_000; 3]), result(64, &[20_000; 3]));
        let lines = of_results(&[(Some(&base), Some(&head))], &Rule::default()).unwrap();
        assert_eq!(lines[0].verdict, Verdict::Inconclusive);
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
