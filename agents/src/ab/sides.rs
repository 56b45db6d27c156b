//! What the two sides of a comparison measure: the cases of one plan, each with base's program and with head's.

use super::revision::Revision;
use crate::cli::{AbArguments, Sides};
use crate::failure::Failure;
use crate::repository::Git;
use crate::settings::{self, Settings};
use crate::{node, run};
use roundtrip_bench::definition::{self, Plan, PlannedCase};
use roundtrip_bench::harness::ab::Pair;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    let declared: Vec<&PlannedCase> = plan.cases.iter().filter(|case| case.declared().is_some()).collect();
    let programs: BTreeSet<&str> =
        declared.iter().filter_map(|case| Some(case.transport.program()?.info.slug.as_str())).collect();
    if programs.len() > 1 {
        return Err(Failure::Usage(format!(
            "{} declares several programs, {}: expected one that the two commands start",
            plan.preset,
            programs.into_iter().collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(declared.into_iter().map(|case| case.started_by(words.clone(), here.clone())).collect())
}

/// The cases of all the plan's programs, as they are in this revision.
fn within(plan: &Plan, revision: &Revision<'_>) -> crate::Result<Vec<PlannedCase>> {
    let placed = plan.cases.iter().filter_map(|case| Some((case, case.declared()?)));
    placed
        .map(|(case, (command, folder))| Ok(case.started_by(command.to_vec(), revision.folder(folder)?)))
        .collect()
}

fn zip(base: &[PlannedCase], head: &[PlannedCase]) -> Vec<Pair> {
    base.iter().zip(head).map(|(base, head)| Pair { base: base.clone(), head: head.clone() }).collect()
}
