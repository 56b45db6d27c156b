//! Programs that definitions declare: their place for messages, and whether they exist.

use crate::failure::Failure;
use crate::settings::{self, Settings};
use roundtrip_bench::definition::Plan;
use roundtrip_bench::program::Program;
use roundtrip_wire::Slug;
use std::collections::BTreeMap;

/// The command and the place of each declared program by its transport, as in `./bin/mq, ipc.toml:12`.
pub(crate) type Places = BTreeMap<Slug, String>;

/// The places of a plan's programs.
pub(crate) fn places(plan: &Plan) -> Places {
    let place = |program: &Program| {
        let (command, _) = program.declared()?;
        let place = format!("{}, {}", command.first()?, definition(plan, program)?);
        Some((program.info.slug.clone(), place))
    };
    plan.cases.iter().filter_map(|case| place(case.transport.program()?)).collect()
}

/// Checks that the programs of these plans exist.
pub(crate) fn check(plans: &[Plan], settings: &Settings) -> crate::Result<()> {
    let cases = plans.iter().flat_map(|plan| plan.cases.iter().map(move |case| (plan, case)));
    let programs = cases.filter_map(|(plan, case)| Some((plan, case.transport.program()?)));
    let missing = programs
        .filter_map(|(plan, program)| Some((program, program.missing()?, definition(plan, program)?)));
    let Some((program, file, place)) = missing.into_iter().next() else { return Ok(()) };
    let next = if settings.build.is_empty() {
        format!("Build it first, or add its build command to `build` in {}.", settings::FILE)
    } else {
        format!("The commands in `build` of {} did not create it.", settings::FILE)
    };
    Err(Failure::Usage(format!(
        "cannot start `{file}` (program {} in {place}): no such file. {next}",
        program.info.slug
    )))
}

/// The definition and line that declare a program, as in `ipc.toml:12`. The definition's name is the preset's.
fn definition(plan: &Plan, program: &Program) -> Option<String> {
    let (_, folder) = program.declared()?;
    let path = folder.join(format!("{}.toml", plan.preset));
    let here = std::env::current_dir().unwrap_or_default();
    Some(format!("{}:{}", path.strip_prefix(here).unwrap_or(&path).display(), program.line?))
}
