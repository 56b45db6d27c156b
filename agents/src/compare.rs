//! `roundtrip compare`: compares two reports case by case, and lists the differences of cases that are not
//! comparable.
//!
//! A machine that changed between the reports looks like a changed commit. Canaries and controls show it, so a change
//! counts only beyond their movement (`roundtrip_stats::movement`).

use crate::cli::CompareArguments;
use crate::comparison::{self, ComparisonFormat, Line};
use crate::failure::Failure;
use crate::format::counted;
use crate::settings::Settings;
use crate::{output, report_file, table};
use roundtrip_stats::movement::Reference;
use roundtrip_wire::comparable::{self, Difference};
use roundtrip_wire::movement::{self, Movement};
use roundtrip_wire::{CaseResult, MeasuredProgram, RunReport};
use serde::Serialize;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    differences: Vec<Difference>,
    /// How much the machine moved between the reports; null if they share no canary or control.
    machine: Option<Movement>,
    /// The fewest repetitions per side with which a single change is significant among these cases.
    repetitions_needed: usize,
    /// The compared cases whose program files are equal in both reports.
    identical: Vec<String>,
    pub(crate) cases: Vec<Line>,
}

/// A pair of results of one case; absent on a side that has none.
pub(crate) type Sides<'a> = (Option<&'a CaseResult>, Option<&'a CaseResult>);

pub(crate) fn compare(arguments: &CompareArguments) -> crate::Result<()> {
    let (base, head) = (report_file::read(&arguments.base)?, report_file::read(&arguments.head)?);
    let sides = pairs(&base.results, &head.results);
    let comparison = compared(&base, &head, &sides)?;
    match arguments.format {
        ComparisonFormat::Json => output::print_json(&comparison)?,
        ComparisonFormat::Node => output::print(&comparison::render_node(&comparison.cases))?,
        ComparisonFormat::Human => {
            let table = comparison::render_table(&comparison.cases);
            let is_imported = head.results.iter().any(|result| result.case.benchmark.is_some());
            let few = comparison.too_few_repetitions(is_imported);
            let identical = comparison.identical_programs();
            output::print(&format!("{}{table}{few}{identical}", comparison.head()))?;
        }
    }
    if comparison.cases.iter().all(|line| line.ratio.is_none()) {
        return Err(Failure::NotComparable(format!(
            "No case of {} is comparable with {}. The reasons are listed above.",
            arguments.head.display(),
            arguments.base.display()
        )));
    }
    if comparison.machine_changed() {
        return Err(Failure::NotComparable(format!(
            "The machine changed between {} and {}. Use `roundtrip ab` instead.",
            arguments.base.display(),
            arguments.head.display()
        )));
    }
    comparison::check_verdicts(&comparison.cases, &arguments.fail_on)
}

/// Compares the sides of two reports, as [`pairs`] finds them.
pub(crate) fn compared(base: &RunReport, head: &RunReport, sides: &[Sides<'_>]) -> crate::Result<Comparison> {
    let differences = comparable::runs(base, head);
    let rule = Settings::here()?.rule();
    let references = if differences.is_empty() { references(base, head, sides)? } else { Vec::new() };
    let machine = Movement::of(references, &rule);
    let movement = machine.as_ref().map_or(0.0, |machine| machine.movement);
    let cases = comparison::of_results(sides, differences.is_empty(), &rule, movement)?;
    Ok(Comparison {
        differences,
        machine,
        repetitions_needed: rule.repetitions_needed(cases.iter().map(Line::tests).sum()),
        identical: sides
            .iter()
            .zip(&cases)
            .filter(|(sides, line)| line.ratio.is_some() && run_equal_code(base, head, sides))
            .map(|(_, line)| line.case.clone())
            .collect(),
        cases,
    })
}

impl Comparison {
    fn machine_changed(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| !machine.comparable)
    }

    /// The lines before the table: differences, and the movement of the machine.
    fn head(&self) -> String {
        let differences = self.differences.iter().map(|difference| format!("not comparable: {difference}\n"));
        let machine = match &self.machine {
            Some(machine) if machine.movement == 0.0 => String::new(),
            Some(machine) => format!("{}\n\n", sentence(machine)),
            None if self.differences.is_empty() => "No canaries or controls in both reports: if the machine \
                changed, that looks like a change in the code.\n\n"
                .to_owned(),
            None => String::new(),
        };
        differences.chain([machine]).collect()
    }

    /// Advice if cases have fewer repetitions than a verdict needs.
    fn too_few_repetitions(&self, is_imported: bool) -> String {
        let needed = self.repetitions_needed;
        let few = self.cases.iter().filter_map(Line::repetitions).filter(|&count| count < needed).count();
        let compared = self.cases.iter().filter_map(Line::repetitions).count();
        if few == 0 || self.machine_changed() {
            return String::new();
        }
        let advice = if is_imported {
            format!(
                "Run the benchmark {needed} times or more for each side, and import the files together: \
                 `roundtrip import FILE...`."
            )
        } else {
            format!("Set `repetitions = {needed}` or more in the definition, or compare fewer cases.")
        };
        format!(
            "\nToo few repetitions in {few} of {}: a single change among them is significant from {needed} \
             per side. {advice}",
            counted(compared, "case")
        )
    }

    /// States which cases ran the same program.
    fn identical_programs(&self) -> String {
        let compared = self.cases.iter().filter(|line| line.ratio.is_some()).count();
        match self.identical.len() {
            0 => String::new(),
            count => format!(
                "\nSame program files in both reports: {count} of {}. A change there comes from the machine, or from other \
                 files that the program opens.",
                counted(compared, "case")
            ),
        }
    }
}

/// Whether the program of a case has equal files in both reports.
fn run_equal_code(base: &RunReport, head: &RunReport, sides: &Sides<'_>) -> bool {
    fn program<'a>(report: &'a RunReport, result: Option<&CaseResult>) -> Option<&'a MeasuredProgram> {
        let CaseResult { transport, case, .. } = result?;
        let is_one = |program: &&MeasuredProgram| {
            (&program.transport, &program.variant) == (&transport.slug, &case.variant)
        };
        report.programs.iter().find(is_one)
    }
    let (base, head) = (program(base, sides.0), program(head, sides.1));
    base.zip(head).is_some_and(|(base, head)| base.has_code_of(head))
}

fn sentence(machine: &Movement) -> String {
    if machine.comparable {
        return format!(
            "The machine moved between the reports: {machine}. Only larger changes count. `roundtrip ab` finds smaller \
             ones."
        );
    }
    format!("Not comparable: the machine changed. Moved: {machine}. Use `roundtrip ab` instead.")
}

/// The canaries that both reports have, and the controls among the pairs that can be compared.
fn references(base: &RunReport, head: &RunReport, sides: &[Sides<'_>]) -> crate::Result<Vec<Reference>> {
    let mut references: Vec<Reference> = movement::canaries(&base.canaries, &head.canaries).collect();
    for (base, head) in sides.iter().filter_map(|&(base, head)| base.zip(head)) {
        let is_control = base.transport.control && head.transport.control;
        if is_control && comparable::results(base, head).is_empty() {
            let [base_ns, head_ns] = [p50s_ns(base)?, p50s_ns(head)?];
            let name = format!("{} {}", table::name(head), head.case.placement);
            references.extend(Reference::of_control(name, [&base_ns, &head_ns]));
        }
    }
    Ok(references)
}

fn p50s_ns(result: &CaseResult) -> crate::Result<Vec<u64>> {
    result.repetitions.iter().map(|one| Ok(table::decode(one)?.quantile_ns(500_000))).collect()
}

/// Pairs each case of the head with the same case of the base, preferably with the same methodology. Other
/// cases are listed alone.
pub(crate) fn pairs<'a>(base: &'a [CaseResult], head: &'a [CaseResult]) -> Vec<Sides<'a>> {
    let same_case = |one: &CaseResult, other: &CaseResult| {
        one.transport.slug == other.transport.slug && one.case == other.case
    };
    let same_way =
        |one: &CaseResult, other: &CaseResult| same_case(one, other) && one.methodology == other.methodology;
    comparable::pairs(base, head, &[&same_way, &same_case])
}
