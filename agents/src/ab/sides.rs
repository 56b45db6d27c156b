//! What the two sides of a comparison measure: the cases of one plan, each with base's program and with head's.

use super::revision::Revision;
use crate::cli::{AbArguments, Sides};
use crate::failure::Failure;
use crate::repository::Git;
use crate::settings::{self, Settings};
use crate::{node, run};
use roundtrip_bench::definition::{self, Plan, PlannedCase};
use roundtrip_bench::harness::ab::Pair;
use roundtrip_bench::mechanism::Mechanism;
use roundtrip_bench::program::{Launch, Place, Program};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a program is measured with unless something else is asked for.
const PROGRAM: &str = include_str!("program.toml");

/// The preset of `--of node`.
const NODE: &str = "node-framing";

/// The plan, and each of its cases on both sides.
#[derive(Debug)]
pub(super) struct Both<'a> {
    pub(super) plan: Plan,
    pub(super) pairs: Vec<Pair>,
    /// What the programs are in, until they have been measured.
    _revisions: Option<[Revision<'a>; 2]>,
}

/// Where both sides of a comparison come from.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) git: &'a Git,
    /// The root of the repository, if there is one.
    pub(super) root: Option<&'a Path>,
    pub(super) settings: &'a Settings,
}

impl<'a> Both<'a> {
    /// As asked.
    ///
    /// # Errors
    /// A side that is no command, no `node` or no revision; one that does not build; or a plan without a case for them.
    pub(super) fn of(arguments: &AbArguments, source: &Source<'a>) -> crate::Result<Self> {
        let plan = plan(arguments, source)?;
        let AbArguments { base, head, .. } = arguments;
        let mut revisions = None;
        let pairs = match arguments.of {
            Sides::Node => zip(
                &node::measured_alone(&plan, base, "--base")?,
                &node::measured_alone(&plan, head, "--head")?,
            ),
            Sides::Command => zip(&with_command(&plan, base)?, &with_command(&plan, head)?),
            Sides::Revision => {
                let [base, head] = revisions.insert([source.build(base)?, source.build(head)?]);
                zip(&within(&plan, base)?, &within(&plan, head)?)
            }
            Sides::Report => {
                return Err(Failure::Other("two reports are compared, and nothing is measured".into()));
            }
        };
        if pairs.is_empty() {
            let programs = match arguments.of {
                Sides::Node => "case for two `node`s",
                _ => "program of its own",
            };
            return Err(Failure::Usage(format!("{} has no {programs}: expected one", plan.preset)));
        }
        Ok(Self { plan, pairs, _revisions: revisions })
    }
}

impl<'a> Source<'a> {
    fn build(&self, revision: &str) -> crate::Result<Revision<'a>> {
        Revision::build(self.git, self.root()?, revision, &self.settings.build)
    }

    fn root(&self) -> crate::Result<&'a Path> {
        self.root.ok_or_else(|| {
            Failure::Usage("no repository is here: run it in one, or name it with --repository".into())
        })
    }
}

fn plan(arguments: &AbArguments, source: &Source<'_>) -> crate::Result<Plan> {
    match (&arguments.preset, arguments.of) {
        (Some(preset), _) => run::plan(preset),
        (None, Sides::Node) => run::plan(NODE),
        (None, Sides::Revision) => {
            let root = source.root()?;
            let presets = source.settings.presets.iter().map(|preset| preset.within(root));
            let definition =
                presets.into_iter().find(|path: &PathBuf| path.is_absolute()).ok_or_else(|| {
                    Failure::Usage(format!(
                        "{} names no definition among its presets: expected one there, or --preset FILE.toml",
                        settings::FILE
                    ))
                })?;
            run::plan(&definition.to_string_lossy())
        }
        (None, Sides::Command | Sides::Report) => {
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
    let mut first = None;
    for (_, program, _) in declared(plan) {
        let slug = first.get_or_insert(&program.info.slug);
        if *slug != &program.info.slug {
            return Err(Failure::Usage(format!(
                "{} declares several programs, {slug} and {}: expected one that the two commands start",
                plan.preset, program.info.slug
            )));
        }
    }
    let started = declared(plan)
        .map(|(case, program, _)| measured_with(case, program, Launch::Command(words.clone()), here.clone()));
    Ok(started.collect())
}

/// The cases of all the plan's programs, as they are in this revision.
fn within(plan: &Plan, revision: &Revision<'_>) -> crate::Result<Vec<PlannedCase>> {
    let placed = declared(plan).map(|(case, program, folder)| {
        Ok(measured_with(case, program, program.launch.clone(), revision.folder(folder)?))
    });
    placed.collect()
}

/// The cases of programs that the definition declares, with these and where they are started.
fn declared(plan: &Plan) -> impl Iterator<Item = (&PlannedCase, &Program, &Path)> {
    plan.cases.iter().filter_map(|case| {
        let program = case.transport.program().filter(|program| program.is_declared())?;
        let Place::Folder(folder) = &program.place else { return None };
        Some((case, program.as_ref(), folder.as_path()))
    })
}

fn measured_with(case: &PlannedCase, program: &Program, launch: Launch, folder: PathBuf) -> PlannedCase {
    let program = Program { launch, place: Place::Folder(folder), ..program.clone() };
    PlannedCase { transport: Mechanism::Program(Arc::new(program)), ..case.clone() }
}

fn zip(base: &[PlannedCase], head: &[PlannedCase]) -> Vec<Pair> {
    base.iter().zip(head).map(|(base, head)| Pair { base: base.clone(), head: head.clone() }).collect()
}
