//! `roundtrip compare`: two reports, case by case. What is not comparable is not divided; what differs is named.

use crate::cli::{CompareArguments, Format};
use crate::failure::Failure;
use crate::format::{count, half_width, nanoseconds};
use crate::{output, table};
use comfy_table::{CellAlignment, Table, presets};
use roundtrip_stats::Quartiles;
use roundtrip_stats::interval::{self, Interval};
use roundtrip_wire::comparable::{self, Difference};
use roundtrip_wire::{CaseResult, RunReport};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Comparison {
    /// Why nothing of the two runs is comparable.
    differences: Vec<Difference>,
    /// One entry a case of either report.
    cases: Vec<Pair>,
}

/// One case of both reports, or of one.
#[derive(Debug, Serialize)]
struct Pair {
    /// What it is, for people.
    case: String,
    /// The base's p50: the median over its repetitions, with its 95 % interval.
    base: Option<Side>,
    /// The head's.
    head: Option<Side>,
    /// The head's p50 by the base's; absent where they are not comparable.
    ratio: Option<f64>,
    /// Why there is no ratio.
    differences: Vec<Difference>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Side {
    p50_ns: u64,
    /// Absent with fewer than six repetitions, which have no such interval.
    interval_ns: Option<[u64; 2]>,
}

/// Runs the verb.
///
/// # Errors
/// A file that is no report, or nothing that can be compared.
pub(crate) fn compare(arguments: &CompareArguments) -> crate::Result<()> {
    let (base, head) = (read(&arguments.base)?, read(&arguments.head)?);
    let comparison = Comparison {
        differences: comparable::runs(&base, &head),
        cases: pairs(&base.results, &head.results)?,
    };
    let comparison = comparison.without_ratios_where_runs_differ();
    match arguments.format {
        Format::Json => output::print_json(&comparison)?,
        Format::Human => output::print(&render(&comparison))?,
    }
    if comparison.cases.iter().any(|pair| pair.ratio.is_some()) {
        return Ok(());
    }
    Err(Failure::NotComparable(format!(
        "nothing in {} can be compared with {}: what differs is named above",
        arguments.head.display(),
        arguments.base.display()
    )))
}

fn read(path: &Path) -> crate::Result<RunReport> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!(
            "{}: {error}: expected a report, as `roundtrip run --output` writes it",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let report: RunReport = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    report.check().map_err(|error| failed(&format!("{}: {error}", error.pointer)))?;
    Ok(report)
}

/// Each case of the head beside that of the base which was measured in the same way, else beside one that was measured
/// in another, which then says why it is not compared; and what is in one report alone.
fn pairs(base: &[CaseResult], head: &[CaseResult]) -> crate::Result<Vec<Pair>> {
    let mut left: Vec<&CaseResult> = base.iter().collect();
    let mut found: Vec<Option<&CaseResult>> = vec![None; head.len()];
    for same_methodology in [true, false] {
        for (result, partner) in head.iter().zip(&mut found).filter(|(_, partner)| partner.is_none()) {
            let is_partner = |other: &&CaseResult| {
                other.transport.slug == result.transport.slug
                    && other.case == result.case
                    && (!same_methodology || other.methodology == result.methodology)
            };
            *partner = left.iter().position(is_partner).map(|index| left.remove(index));
        }
    }
    let of_head = head.iter().zip(found).map(|(result, partner)| pair(partner, Some(result)));
    of_head.chain(left.into_iter().map(|result| pair(Some(result), None))).collect()
}

fn pair(base: Option<&CaseResult>, head: Option<&CaseResult>) -> crate::Result<Pair> {
    let sides = (base.map(side).transpose()?.flatten(), head.map(side).transpose()?.flatten());
    let differences = match (base, head) {
        (Some(base), Some(head)) => comparable::results(base, head),
        _ => Vec::new(),
    };
    let ratio = match sides {
        (Some(base), Some(head)) if differences.is_empty() => {
            Some(head.p50_ns as f64 / base.p50_ns.max(1) as f64)
        }
        _ => None,
    };
    let case = head.or(base).map(table::describe).unwrap_or_default();
    Ok(Pair { case, base: sides.0, head: sides.1, ratio, differences })
}

/// The p50 of a result that has one.
fn side(result: &CaseResult) -> crate::Result<Option<Side>> {
    let p50s_ns = table::p50s_ns(result)?;
    let interval = interval::median(&p50s_ns, table::CONFIDENCE_PPM);
    Ok(Quartiles::of(&p50s_ns).map(|p50s| Side {
        p50_ns: p50s.median,
        interval_ns: interval.map(|Interval { low, high, .. }| [low, high]),
    }))
}

impl Comparison {
    fn without_ratios_where_runs_differ(mut self) -> Self {
        if !self.differences.is_empty() {
            self.cases.iter_mut().for_each(|pair| pair.ratio = None);
        }
        self
    }
}

fn render(comparison: &Comparison) -> String {
    let mut text = String::new();
    for difference in &comparison.differences {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "not comparable at all, {difference}");
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["case", "base p50", "\u{b1}", "head p50", "\u{b1}", "head / base"]);
    let mut notes = Vec::new();
    for Pair { case, base, head, ratio, differences } in &comparison.cases {
        match (base, head, ratio) {
            (Some(base), Some(head), Some(ratio)) => {
                let [base_time, head_time] = [base, head].map(|side| nanoseconds(side.p50_ns));
                let ratio = format!("{ratio:.3}");
                table.add_row([case.clone(), base_time, spread(base), head_time, spread(head), ratio]);
            }
            (Some(_), Some(_), None) if differences.is_empty() => {}
            (Some(_), Some(_), None) => {
                notes.push(format!("{case}: not compared"));
                notes.extend(differences.iter().map(|difference| format!("    {difference}")));
            }
            (Some(_), None, _) => notes.push(format!("{case}: only in the base")),
            (None, Some(_), _) => notes.push(format!("{case}: only in the head")),
            (None, None, _) => notes.push(format!("{case}: measured in neither")),
        }
    }
    for index in 1..=5 {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    if !table.is_empty() {
        let _ = writeln!(text, "{}", table.trim_fmt());
    }
    for note in notes {
        let _ = writeln!(text, "{note}");
    }
    let compared = comparison.cases.iter().filter(|pair| pair.ratio.is_some()).count();
    let all = comparison.cases.len();
    let _ = write!(
        text,
        "{} of {} cases compared; \u{b1} is half of the 95 % interval",
        count(compared as u64),
        count(all as u64)
    );
    text
}

/// Half the interval as a share of the time.
fn spread(side: &Side) -> String {
    side.interval_ns.map_or(String::new(), |[low, high]| half_width(low, high, side.p50_ns))
}
