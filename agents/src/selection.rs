//! The cases that `roundtrip run` measures: those of its presets that match its arguments.

use crate::cli::SelectionArguments;
use crate::failure::Failure;
use crate::format::size_text;
use roundtrip_bench::definition::{Plan, PlannedCase};
use roundtrip_bench::{program, transport};
use std::collections::BTreeSet;

/// How alike a name must be to be suggested, from 0 to 1: one mistake in three letters.
const ALIKE_MIN: f64 = 0.6;

/// Selects cases by one of their properties.
struct Filter {
    name: &'static str,
    /// Any of these; empty for all.
    wanted: Vec<String>,
    /// `None` if the case does not have the property.
    of: fn(&PlannedCase) -> Option<String>,
}

fn filters(arguments: &SelectionArguments) -> Vec<Filter> {
    let SelectionArguments { transports, size, placement, mode, scenario } = arguments;
    let sizes = size.iter().map(|bytes| size_text(*bytes)).collect();
    let filter = |name, wanted: &[String], of| Filter { name, wanted: wanted.to_vec(), of };
    let all = [
        filter("transport", transports, |case| Some(case.transport.info().slug.to_string())),
        Filter { name: "--size", wanted: sizes, of: size_of },
        filter("--placement", placement, |case| Some(case.placement.to_string())),
        filter("--mode", mode, |case| Some(case.mode.slug().to_owned())),
        filter("--scenario", scenario, |case| Some(case.scenario.slug().to_owned())),
    ];
    all.into_iter().filter(|filter| !filter.wanted.is_empty()).collect()
}

/// The plans with the matching cases only; a plan without one is left out.
pub(crate) fn select(plans: Vec<Plan>, arguments: &SelectionArguments) -> crate::Result<Vec<Plan>> {
    let filters = filters(arguments);
    let presets: Vec<&str> = plans.iter().map(|plan| plan.preset.as_str()).collect();
    let presets = format!("{} {}", if presets.len() == 1 { "preset" } else { "presets" }, presets.join(", "));
    for filter in &filters {
        filter.check(&plans, &presets)?;
    }
    let matches = |case: &PlannedCase| {
        filters.iter().all(|filter| (filter.of)(case).is_some_and(|value| filter.wanted.contains(&value)))
    };
    let selected = plans
        .into_iter()
        .map(|plan| Plan { cases: plan.cases.into_iter().filter(|case| matches(case)).collect(), ..plan });
    let selected: Vec<Plan> = selected.filter(|plan| !plan.cases.is_empty()).collect();
    if selected.is_empty() {
        let wanted = filters.iter().map(|filter| format!("{} {}", filter.name, filter.wanted.join(",")));
        let wanted = wanted.collect::<Vec<_>>().join(", ");
        return Err(Failure::Usage(format!(
            "no case of {presets} matches all of: {wanted}. Leave one of them out."
        )));
    }
    Ok(selected)
}

impl Filter {
    /// Checks that each wanted value occurs.
    fn check(&self, plans: &[Plan], presets: &str) -> crate::Result<()> {
        let cases = plans.iter().flat_map(|plan| &plan.cases);
        // In the order of the definition, where sizes grow.
        let mut seen = BTreeSet::new();
        let found: Vec<String> =
            cases.filter_map(self.of).filter(|value| seen.insert(value.clone())).collect();
        let Some(missing) = self.wanted.iter().find(|value| !found.contains(value)) else { return Ok(()) };
        let Self { name, .. } = self;
        if *name == "transport" && !is_known(missing) {
            let suggestion = similar(missing, &found).map_or_else(
                || format!("{presets} has {}", found.join(", ")),
                |similar| format!("did you mean `{similar}`?"),
            );
            return Err(Failure::Usage(format!("unknown transport `{missing}`: {suggestion}")));
        }
        let another = if *name == "transport" { ", or another preset, such as --preset quick" } else { "" };
        Err(Failure::Usage(format!(
            "{name} {missing} matches no case of {presets}: expected {}{another}",
            found.join(", ")
        )))
    }
}

/// The names of all built-in transports.
fn built_in() -> impl Iterator<Item = String> {
    let of_suite = transport::ALL.iter().map(|transport| transport.info().slug.to_string());
    of_suite.chain(program::bundled().map(|program| program.info.slug.to_string()))
}

fn is_known(name: &str) -> bool {
    built_in().any(|known| known == name)
}

/// The known name that is most like this one.
fn similar(name: &str, of_presets: &[String]) -> Option<String> {
    let known = of_presets
        .iter()
        .cloned()
        .chain(built_in())
        .map(|known| (strsim::normalized_damerau_levenshtein(name, &known), known));
    let alike = known.filter(|(alike, _)| *alike > ALIKE_MIN);
    alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

/// The size of all messages of a case; a size profile has several.
fn size_of(case: &PlannedCase) -> Option<String> {
    case.work.size_profile.is_none().then(|| size_text(case.work.message_bytes as u64))
}
