//! What the two sides of a comparison measure: the cases of one plan, each with base's program and with head's.

use crate::cli::{AbArguments, Sides};
use crate::failure::Failure;
use crate::node;
use crate::run;
use roundtrip_bench::definition::{self, Plan, PlannedCase};
use roundtrip_bench::harness::ab::Pair;
use roundtrip_bench::mechanism::Mechanism;
use roundtrip_bench::program::{Launch, Place, Program};
use std::path::Path;
use std::sync::Arc;

/// What a program is measured with unless something else is asked for.
const PROGRAM: &str = include_str!("program.toml");

/// The preset of `--of node`.
const NODE: &str = "node-framing";

/// The plan, and each of its cases on both sides.
///
/// # Errors
/// A side that is no command or no `node`, or a plan without a case for them.
pub(crate) fn of(arguments: &AbArguments) -> crate::Result<(Plan, Vec<Pair>)> {
    let plan = plan(arguments)?;
    let pairs = match arguments.of {
        Sides::Node => {
            let base = node::measured_alone(&plan, &arguments.base, "--base")?;
            zip(&base, &node::measured_alone(&plan, &arguments.head, "--head")?)
        }
        Sides::Command => zip(&with_command(&plan, &arguments.base)?, &with_command(&plan, &arguments.head)?),
    };
    if pairs.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has no case for two {}: expected one",
            plan.preset,
            if arguments.of == Sides::Node { "`node`s" } else { "programs" }
        )));
    }
    Ok((plan, pairs))
}

fn plan(arguments: &AbArguments) -> crate::Result<Plan> {
    match (&arguments.preset, arguments.of) {
        (Some(preset), _) => run::plan(preset),
        (None, Sides::Node) => run::plan(NODE),
        (None, Sides::Command) => {
            let plan = definition::parse("program", PROGRAM, Path::new("."));
            plan.map_err(|error| Failure::Other(error.to_string()))
        }
    }
}

/// The cases of the plan's one program, started with this command.
fn with_command(plan: &Plan, command: &str) -> crate::Result<Vec<PlannedCase>> {
    let words = shell_words::split(command)
        .map_err(|error| Failure::Usage(format!("the command `{command}`: {error}")))?;
    if words.is_empty() {
        return Err(Failure::Usage("a command is empty: expected a program and its arguments".into()));
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::Other(format!("the current folder cannot be found: {error}")))?;
    let own = plan.cases.iter().filter_map(|case| Some((case, declared(case)?)));
    let mut first = None;
    let mut cases = Vec::new();
    for (case, program) in own {
        let slug = first.get_or_insert(&program.info.slug);
        if *slug != &program.info.slug {
            return Err(Failure::Usage(format!(
                "{} declares several programs, {slug} and {}: expected one that the two commands start",
                plan.preset, program.info.slug
            )));
        }
        let program = Program {
            launch: Launch::Command(words.clone()),
            place: Place::Folder(here.clone()),
            ..Program::clone(program)
        };
        cases.push(PlannedCase { transport: Mechanism::Program(Arc::new(program)), ..case.clone() });
    }
    Ok(cases)
}

/// The program of a case, if a definition declares it.
fn declared(case: &PlannedCase) -> Option<&Arc<Program>> {
    case.transport
        .program()
        .filter(|program| matches!((&program.launch, &program.place), (Launch::Command(_), Place::Folder(_))))
}

fn zip(base: &[PlannedCase], head: &[PlannedCase]) -> Vec<Pair> {
    base.iter().zip(head).map(|(base, head)| Pair { base: base.clone(), head: head.clone() }).collect()
}
