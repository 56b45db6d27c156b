//! `roundtrip ab`: alternates repetitions of two builds, each in new processes, until every case is decided.

use crate::cli::{AbArguments, CompareArguments, Sides};
use crate::comparison::{self, ComparisonFormat, Line};
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
use roundtrip_wire::{CaseResult, CommitSha, RunId, Slug, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// Seed of the random order of repetitions.
    order_seed: u64,
    /// Total time of all repetitions, process starts included.
    machine_seconds: f64,
    /// The smallest slowdown that would have been found with a probability of 0.9 in each unchanged case, as a share.
    detectable: Option<f64>,
    cases: &'a [Line],
}

pub(crate) fn ab(arguments: &AbArguments) -> crate::Result<()> {
    if arguments.of == Sides::Report {
        return reports(arguments);
    }
    // Check everything that can fail before measuring.
    let git = arguments.repository.as_deref().map_or_else(Git::here, Git::named);
    let root = git.root().ok();
    let settings = root.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
    let delivery = &arguments.delivery;
    let prepare = || Delivery::prepare(delivery, Repository::read(&git)?, &settings);
    let delivery = delivery.are_given().then(prepare).transpose()?;
    delivery.as_ref().map_or(Ok(()), Delivery::check_server)?;
    let source = Source { git: &git, root: root.as_deref(), settings: &settings };
    let PreparedComparison { plan, pairs, .. } = &PreparedComparison::prepare(arguments, &source)?;
    let comparison = Comparison { pairs: pairs.clone(), deadline: plan.deadline, rule: settings.rule() };
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let outcome = measure(&comparison, seed)?;

    let lines = lines(&outcome, &comparison.rule)?;
    let detectable = comparison::detectable(&outcome.results, &lines, &comparison.rule, &[Verdict::NoChange]);
    if let Some(path) = &arguments.summary {
        let text = summary::of_comparison(&arguments.base, &arguments.head, &lines, detectable);
        summary::append(path, &text)?;
    }
    print(arguments.format, &outcome, &lines, detectable)?;
    if let Some(delivery) = delivery {
        delivery.keep(RunId::draw(), plan, both_sides(outcome))?.send()?;
    }
    if lines.iter().all(|line| line.ratio.is_none()) {
        return Err(Failure::NotComparable(
            "No case has results on both sides; see the reasons above.".into(),
        ));
    }
    comparison::check_verdicts(&lines, &arguments.fail_on)
}

/// The line of each case.
pub(crate) fn lines(outcome: &Outcome<Compared>, rule: &Rule) -> crate::Result<Vec<Line>> {
    let line = |Compared { base, head, pairs, row, .. }: &Compared| {
        comparison::line(base, head, (!pairs.is_empty()).then_some(*row), rule)
    };
    outcome.results.iter().map(line).collect()
}

/// Compares two existing reports, like `roundtrip compare`.
fn reports(arguments: &AbArguments) -> crate::Result<()> {
    if arguments.delivery.are_given() || arguments.summary.is_some() {
        return Err(Failure::Usage(
            "--of report measures nothing, so it does not accept --output, --upload or --summary".into(),
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

fn print(
    format: ComparisonFormat,
    outcome: &Outcome<Compared>,
    lines: &[Line],
    detectable: Option<f64>,
) -> crate::Result<()> {
    let machine_seconds = outcome.results.iter().map(|case| case.machine_time.as_secs_f64()).sum();
    match format {
        ComparisonFormat::Json => {
            let order_seed = outcome.order_seed;
            output::print_json(&Answer { order_seed, machine_seconds, detectable, cases: lines })
        }
        ComparisonFormat::Node => output::print(&comparison::render_node(lines)),
        ComparisonFormat::Human => {
            let pairs: usize = outcome.results.iter().map(|case| case.pairs.len()).sum();
            let power = detectable.map(comparison::power);
            let power = power.map_or_else(String::new, |power| format!("In unchanged cases, a {power}\n"));
            output::print(&format!(
                "{}\n{power}{pairs} pairs of repetitions in {machine_seconds:.0} s, seed {}.",
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

// The cases of one plan, each with the program of base and the program of head.

/// The default definition for a program.
const PROGRAM: &str = include_str!("ab.toml");

const NODE: &str = "node-framing";

#[derive(Debug)]
struct PreparedComparison<'a> {
    plan: Plan,
    pairs: Vec<Pair>,
    /// The checkouts of the programs, kept until the measurement ends.
    _revisions: Option<[Revision<'a>; 2]>,
}

/// The repository with its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) git: &'a Git,
    pub(crate) root: Option<&'a Path>,
    pub(crate) settings: &'a Settings,
}

impl<'a> PreparedComparison<'a> {
    fn prepare(arguments: &AbArguments, source: &Source<'a>) -> crate::Result<Self> {
        let AbArguments { base, head, .. } = arguments;
        let plan = plan(arguments.preset.as_deref(), arguments.of, source)?;
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
                return Err(Failure::Other("--of report measures nothing".into()));
            }
        };
        if pairs.is_empty() {
            return Err(without_cases(&plan, arguments.of));
        }
        Ok(Self { plan, pairs, _revisions: revisions })
    }
}

/// The failure if a plan has nothing to compare.
pub(crate) fn without_cases(plan: &Plan, sides: Sides) -> Failure {
    let programs = match sides {
        Sides::Node => "case for Node",
        _ => "[[program]]",
    };
    Failure::Usage(format!("preset {} has no {programs}. Choose another with --preset.", plan.preset))
}

impl<'a> Source<'a> {
    /// Checks out and builds a revision.
    pub(crate) fn build(&self, revision: &str) -> crate::Result<Revision<'a>> {
        Revision::build(self.git, self.root()?, revision, &self.settings.build)
    }

    pub(crate) fn root(&self) -> crate::Result<&'a Path> {
        self.root.ok_or_else(|| {
            Failure::Usage(
                "Not a Git repository. Run this in the repository, or pass --repository PATH.".into(),
            )
        })
    }
}

/// This preset, or the default for these sides.
pub(crate) fn plan(preset: Option<&str>, sides: Sides, source: &Source<'_>) -> crate::Result<Plan> {
    match (preset, sides) {
        (Some(preset), _) => run::plan(preset),
        (None, Sides::Node) => run::plan(NODE),
        (None, Sides::Revision) => {
            let root = source.root()?;
            let presets = source.settings.presets.iter().map(|preset| preset.within(root));
            let definition =
                presets.into_iter().find(|path: &PathBuf| path.is_absolute()).ok_or_else(|| {
                    Failure::Usage(format!(
                        "no definition (FILE.toml) in `presets` of {}. Add one, or pass --preset FILE.toml.",
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
        .map_err(|error| Failure::Usage(format!("invalid command `{command}`: {error}")))?;
    if words.is_empty() {
        return Err(Failure::Usage("--base or --head is empty: expected a program and its arguments".into()));
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::Other(format!("cannot read the current folder: {error}")))?;
    let declared: Vec<&PlannedCase> = plan.cases.iter().filter(|case| case.declared().is_some()).collect();
    let programs: BTreeSet<&str> =
        declared.iter().filter_map(|case| Some(case.transport.program()?.info.slug.as_str())).collect();
    if programs.len() > 1 {
        return Err(Failure::Usage(format!(
            "{} declares several programs ({}). --base and --head replace one: pass a definition with one \
                program.",
            plan.preset,
            programs.into_iter().collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(declared.into_iter().map(|case| case.started_by(words.clone(), here.clone())).collect())
}

/// The cases of all the plan's programs, as they are in this revision.
pub(crate) fn within(plan: &Plan, revision: &Revision<'_>) -> crate::Result<Vec<PlannedCase>> {
    let placed = plan.cases.iter().filter_map(|case| Some((case, case.declared()?)));
    placed
        .map(|(case, (command, folder))| Ok(case.started_by(command.to_vec(), revision.folder(folder)?)))
        .collect()
}

pub(crate) fn zip(base: &[PlannedCase], head: &[PlannedCase]) -> Vec<Pair> {
    base.iter().zip(head).map(|(base, head)| Pair { base: base.clone(), head: head.clone() }).collect()
}

/// The id of a revision's commit.
pub(crate) fn resolve(git: &Git, root: &Path, name: &str) -> crate::Result<CommitSha> {
    let commit = git.commit(&["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")]);
    commit.map_err(|_| {
        let place = root.display();
        Failure::Usage(format!("no revision `{name}` in {place}: expected a commit, branch or tag"))
    })
}

// A revision, checked out and built in a temporary folder that is deleted with it.

#[derive(Debug)]
pub(crate) struct Revision<'a> {
    git: &'a Git,
    root: PathBuf,
    folder: TempDir,
}

impl<'a> Revision<'a> {
    /// Checks out a revision in a temporary work tree and builds it. The repository's work tree is unchanged.
    fn build(git: &'a Git, root: &Path, name: &str, commands: &[CommandLine]) -> crate::Result<Self> {
        let commit = resolve(git, root, name)?;
        let folder = scratch::folder().map_err(|error| {
            Failure::Other(format!("cannot create a folder for revision {name}: {error}"))
        })?;
        // Created first, so that dropping it undoes everything below.
        let revision = Self { git, root: root.to_owned(), folder };
        // Remove work trees that a killed run left registered.
        git.ask(&["worktree", "prune"])?;
        let path = revision.folder.path().to_string_lossy().into_owned();
        git.ask(&["worktree", "add", "--detach", &path, commit.as_str()])?;
        if revision.folder.path().join(".gitmodules").exists() {
            Git::named(revision.folder.path()).ask(&["submodule", "update", "--init", "--recursive"])?;
        }
        if name == commit.as_str() {
            eprintln!("Revision {commit}");
        } else {
            eprintln!("Revision {name}: {commit}");
        }
        build::build(commands, revision.folder.path())?;
        Ok(revision)
    }

    /// The folder of this revision that is where this folder is in the repository.
    fn folder(&self, folder: &Path) -> crate::Result<PathBuf> {
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| Failure::Other(format!("cannot find {}: {error}", path.display())))
        };
        let within = real(folder)?;
        let within = within.strip_prefix(real(&self.root)?).map_err(|_| {
            Failure::Usage(format!(
                "the definition in {} is outside the repository {}. Use a definition inside it.",
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
        // If this fails, the next checkout prunes it.
        let _ = self.git.ask(&["worktree", "remove", "--force", &path]);
    }
}
