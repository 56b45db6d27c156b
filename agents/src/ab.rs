//! `roundtrip ab`: two sides in turn, in fresh processes, until every case is decided.

use crate::cli::{AbArguments, CompareArguments, Sides};
use crate::comparison::{self, ComparisonFormat, Decoded, Line};
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::repository::{Git, Repository};
use crate::settings::{self, CommandLine, Settings};
use crate::{build, compare, node, output, run, summary};
use roundtrip_bench::definition::{self, Plan, PlannedCase};
use roundtrip_bench::harness::Outcome;
use roundtrip_bench::harness::ab::{self, Compared, Comparison, Pair};
use roundtrip_bench::scratch;
use roundtrip_stats::verdict::Rule;
use roundtrip_wire::{CaseResult, RunId, Slug};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// From this the order of the repetitions was drawn.
    order_seed: u64,
    /// How long all repetitions took, processes and all.
    machine_seconds: f64,
    cases: &'a [Line],
}

pub(crate) fn ab(arguments: &AbArguments) -> crate::Result<()> {
    if arguments.of == Sides::Report {
        return reports(arguments);
    }
    // Whatever can fail without measuring fails before measuring.
    let git = arguments.repository.as_deref().map_or_else(Git::here, Git::named);
    let root = git.root().ok();
    let settings = root.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
    let delivery = &arguments.delivery;
    let prepare = || Delivery::prepare(delivery, Repository::read(&git)?, &settings);
    let delivery = delivery.are_given().then(prepare).transpose()?;
    let source = Source { git: &git, root: root.as_deref(), settings: &settings };
    let Both { plan, pairs, .. } = &Both::of(arguments, &source)?;
    let comparison = Comparison { pairs: pairs.clone(), deadline: plan.deadline, rule: settings.rule() };
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let outcome = measure(&comparison, seed)?;

    let lines = outcome
        .results
        .iter()
        .map(|compared| line(compared, &comparison.rule))
        .collect::<crate::Result<Vec<Line>>>()?;
    if let Some(path) = &arguments.summary {
        summary::append(path, &summary::of_comparison(&arguments.base, &arguments.head, &lines))?;
    }
    print(arguments.format, &outcome, &lines)?;
    if let Some(delivery) = delivery {
        delivery.keep(RunId::draw(), plan, both_sides(outcome))?.send()?;
    }
    if lines.iter().all(|line| line.ratio.is_none()) {
        return Err(Failure::NotComparable(
            "no case was measured on both sides: the reasons are above".into(),
        ));
    }
    comparison::judge(&lines, &arguments.fail_on)
}

/// Two reports of before, as `roundtrip compare` has them.
fn reports(arguments: &AbArguments) -> crate::Result<()> {
    if arguments.delivery.are_given() || arguments.summary.is_some() {
        return Err(Failure::Usage(
            "two reports are compared without measuring: there is nothing to keep or to sum up".into(),
        ));
    }
    compare::compare(&CompareArguments {
        base: PathBuf::from(&arguments.base),
        head: PathBuf::from(&arguments.head),
        format: arguments.format,
        fail_on: arguments.fail_on.clone(),
    })
}

fn measure(comparison: &Comparison, seed: u64) -> crate::Result<Outcome<Compared>> {
    let template = "ab {wide_bar:.dim} {pos}/{len} cases decided  {msg:.dim}";
    let bar = output::bar(comparison.pairs.len() as u64, template);
    let outcome = ab::run(comparison, &run::peer()?, seed, &mut |progress| {
        bar.set_position(progress.decided as u64);
        bar.set_message(format!("{} pairs", progress.pairs));
    });
    bar.finish_and_clear();
    Ok(outcome)
}

fn line(compared: &Compared, rule: &Rule) -> crate::Result<Line> {
    let is_measured = !compared.pairs.is_empty();
    let (base, head) = (Decoded::of(Some(&compared.base))?, Decoded::of(Some(&compared.head))?);
    Ok(comparison::line(base.as_ref(), head.as_ref(), is_measured.then_some(compared.row), rule))
}

fn print(format: ComparisonFormat, outcome: &Outcome<Compared>, lines: &[Line]) -> crate::Result<()> {
    let machine_seconds = outcome.results.iter().map(|case| case.machine_time.as_secs_f64()).sum();
    match format {
        ComparisonFormat::Json => {
            output::print_json(&Answer { order_seed: outcome.order_seed, machine_seconds, cases: lines })
        }
        ComparisonFormat::Node => output::print(&comparison::render_node(lines)),
        ComparisonFormat::Human => {
            let pairs: usize = outcome.results.iter().map(|case| case.pairs.len()).sum();
            output::print(&format!(
                "{}\n{pairs} pairs of repetitions in {machine_seconds:.0} s, in the order of seed {}.",
                comparison::render_table(lines),
                outcome.order_seed
            ))
        }
    }
}

/// Both sides as the results of one run: two variants of each transport.
fn both_sides(outcome: Outcome<Compared>) -> Outcome {
    let Outcome { environment, canaries, order_seed, started_at, finished_at, results } = outcome;
    let named = |mut result: CaseResult, side: &str| {
        result.case.variant = Some(Slug::from_name(side));
        result
    };
    let results = results
        .into_iter()
        .flat_map(|Compared { base, head, .. }| [named(base, "base"), named(head, "head")])
        .collect();
    Outcome { environment, canaries, order_seed, started_at, finished_at, results }
}

// What the two sides of a comparison measure: the cases of one plan, each with base's program and with head's.

/// What a program is measured with unless something else is asked for.
const PROGRAM: &str = include_str!("ab.toml");

const NODE: &str = "node-framing";

#[derive(Debug)]
struct Both<'a> {
    plan: Plan,
    pairs: Vec<Pair>,
    /// What the programs are in, until they have been measured.
    _revisions: Option<[Revision<'a>; 2]>,
}

#[derive(Debug)]
struct Source<'a> {
    git: &'a Git,
    root: Option<&'a Path>,
    settings: &'a Settings,
}

impl<'a> Both<'a> {
    fn of(arguments: &AbArguments, source: &Source<'a>) -> crate::Result<Self> {
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

// A revision of a repository, checked out and built in a folder of its own, which goes with it.

#[derive(Debug)]
struct Revision<'a> {
    git: &'a Git,
    root: PathBuf,
    folder: TempDir,
}

impl<'a> Revision<'a> {
    /// Checks a revision out beside the work tree of the repository, which stays as it is, and builds it.
    fn build(git: &'a Git, root: &Path, name: &str, commands: &[CommandLine]) -> crate::Result<Self> {
        let commit = git.ask(&["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")]);
        let commit = commit.map_err(|_| {
            Failure::Usage(format!(
                "{} has no revision {name}: expected a commit, a branch or a tag",
                root.display()
            ))
        })?;
        let folder = scratch::folder()
            .map_err(|error| Failure::Other(format!("making a folder for revision {name}: {error}")))?;
        // Before git is asked for anything that is to be undone.
        let revision = Self { git, root: root.to_owned(), folder };
        // What a run that was killed has left registered.
        git.ask(&["worktree", "prune"])?;
        let path = revision.folder.path().to_string_lossy().into_owned();
        git.ask(&["worktree", "add", "--detach", &path, commit.trim()])?;
        if revision.folder.path().join(".gitmodules").exists() {
            Git::named(revision.folder.path()).ask(&["submodule", "update", "--init", "--recursive"])?;
        }
        eprintln!("Revision {name}: {}", commit.trim());
        build::build(commands, revision.folder.path())?;
        Ok(revision)
    }

    /// The folder of this revision that is where this folder is in the repository.
    fn folder(&self, folder: &Path) -> crate::Result<PathBuf> {
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| Failure::Other(format!("cannot tell where {} is: {error}", path.display())))
        };
        let within = real(folder)?;
        let within = within.strip_prefix(real(&self.root)?).map_err(|_| {
            Failure::Usage(format!(
                "the definition in {} is not in {}: expected one in the repository whose revisions are compared",
                folder.display(),
                self.root.display()
            ))
        })?;
        Ok(self.folder.path().join(within))
    }
}

impl Drop for Revision<'_> {
    fn drop(&mut self) {
        let path = self.folder.path().to_string_lossy().into_owned();
        // What is left registered goes with the next revision that is checked out.
        let _ = self.git.ask(&["worktree", "remove", "--force", &path]);
    }
}
