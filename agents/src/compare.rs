//! `roundtrip compare`: two reports, case by case. What is not comparable is not divided; what differs is named.

use crate::cli::CompareArguments;
use crate::comparison::{self, ComparisonFormat, Decoded, Line};
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
    let compared = if differences.is_empty() {
        comparison::of_results(&sides, &rule)?
    } else {
        // Each is shown, and none is compared.
        let shown = |(base, head)| {
            Ok(comparison::line(Decoded::of(base)?.as_ref(), Decoded::of(head)?.as_ref(), None, &rule))
        };
        sides.into_iter().map(shown).collect::<crate::Result<_>>()?
    };
    let comparison = Comparison { differences, cases: compared };
    match arguments.format {
        ComparisonFormat::Json => output::print_json(&comparison)?,
        ComparisonFormat::Node => output::print(&comparison::render_node(&comparison.cases))?,
        ComparisonFormat::Human => {
            let why = comparison
                .differences
                .iter()
                .map(|difference| format!("not comparable at all, {difference}\n"));
            output::print(&format!(
                "{}{}",
                why.collect::<String>(),
                comparison::render_table(&comparison.cases)
            ))?;
        }
    }
    if comparison.cases.iter().all(|line| line.ratio.is_none()) {
        return Err(Failure::NotComparable(format!(
            "nothing in {} can be compared with {}: what differs is named above",
            arguments.head.display(),
            arguments.base.display()
        )));
    }
    comparison::judge(&comparison.cases, &arguments.fail_on)
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
