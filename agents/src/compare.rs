//! `roundtrip compare`: compares two reports case by case, and lists the differences of cases that are not
//! comparable.

use crate::cli::CompareArguments;
use crate::comparison::{self, ComparisonFormat, Line};
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;
use roundtrip_wire::comparable::{self, Difference};
use roundtrip_wire::{CaseResult, RunReport};
use serde::Serialize;
use std::path::Path;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Comparison {
    differences: Vec<Difference>,
    cases: Vec<Line>,
}

pub(crate) fn compare(arguments: &CompareArguments) -> crate::Result<()> {
    let (base, head) = (read(&arguments.base)?, read(&arguments.head)?);
    let differences = comparable::runs(&base, &head);
    let sides = pairs(&base.results, &head.results);
    let rule = Settings::here()?.rule();
    let cases = comparison::of_results(&sides, differences.is_empty(), &rule)?;
    let comparison = Comparison { differences, cases };
    match arguments.format {
        ComparisonFormat::Json => output::print_json(&comparison)?,
        ComparisonFormat::Node => output::print(&comparison::render_node(&comparison.cases))?,
        ComparisonFormat::Human => {
            let why =
                comparison.differences.iter().map(|difference| format!("not comparable: {difference}\n"));
            output::print(&format!(
                "{}{}",
                why.collect::<String>(),
                comparison::render_table(&comparison.cases)
            ))?;
        }
    }
    if comparison.cases.iter().all(|line| line.ratio.is_none()) {
        return Err(Failure::NotComparable(format!(
            "No case of {} is comparable with {}; see the differences above.",
            arguments.head.display(),
            arguments.base.display()
        )));
    }
    comparison::check_verdicts(&comparison.cases, &arguments.fail_on)
}

fn read(path: &Path) -> crate::Result<RunReport> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!(
            "{} is not a report: {error}. Expected a file from `roundtrip run --output`.",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let report: RunReport = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    report.check().map_err(|error| failed(&format!("{}: {error}", error.pointer)))?;
    Ok(report)
}

/// Pairs each case of the head with the same case of the base, preferably with the same methodology. Other
/// cases are listed alone.
fn pairs<'a>(
    base: &'a [CaseResult],
    head: &'a [CaseResult],
) -> Vec<(Option<&'a CaseResult>, Option<&'a CaseResult>)> {
    let same_case = |one: &CaseResult, other: &CaseResult| {
        one.transport.slug == other.transport.slug && one.case == other.case
    };
    let same_way =
        |one: &CaseResult, other: &CaseResult| same_case(one, other) && one.methodology == other.methodology;
    comparable::pairs(base, head, &[&same_way, &same_case])
}
