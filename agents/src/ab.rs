//! `roundtrip ab`: alternates repetitions of two builds, each in new processes, until every case is decided.

use crate::build::Limits;
use crate::cli::{AbArguments, CompareArguments, Sides};
use crate::comparison::{self, ComparisonFormat, Line};
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::programs::identical::{self, Build};
use crate::repository::{Git, Repository};
use crate::revision::{self, Revision};
use crate::rounds::Rounds;
use crate::settings::{self, Settings};
use crate::stop::StopSignal;
use crate::{compare, node, output, presets, programs, run, stop, summary};
use roundtrip_bench::definition::{self, Plan, PlannedCase};
use roundtrip_bench::harness::ab::{self, Compared, Comparison, Pair};
use roundtrip_bench::harness::{Outcome, PeerCommand};
use roundtrip_stats::verdict::{Reason, Rule};
use roundtrip_wire::{CaseResult, CommitSha, MeasuredProgram, RunId, Slug, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// Seed of the random order of repetitions.
    order_seed: u64,
    /// Total time of all repetitions, process starts included.
    machine_seconds: f64,
    /// The smallest slowdown that would have been found with a probability of 0.9 in each unchanged case, as a share. Absent
    /// without one, or if the time was too short.
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
    let timeout = arguments.commands.timeout;
    let source = Source { git: &git, root: root.as_deref(), settings: &settings, timeout };
    if arguments.of == Sides::Revision && arguments.preset.is_none() && settings.has_only_commands() {
        return commands(arguments, &source);
    }
    let delivery = &arguments.delivery;
    let prepare = || Delivery::prepare(delivery, Repository::read(&git)?, &settings);
    let delivery = delivery.are_given().then(prepare).transpose()?;
    delivery.as_ref().map_or(Ok(()), Delivery::check_server)?;
    let mut stop = stop::until_signalled()?;
    let AbArguments { base, head, of, preset, .. } = arguments;
    let request = Request { base, head, of: *of, preset: preset.as_deref() };
    let prepared = PreparedComparison::prepare(&request, &source, &mut stop)?;
    let (plan, rule) = (&prepared.plan, settings.rule());
    let (identical, pairs) = prepared.identical(&run::peer()?);
    let seed = arguments.seed.unwrap_or_else(rand::random);
    // Digests of large programs take time.
    let programs = if delivery.is_some() { of_both_sides(&pairs) } else { Vec::new() };
    let budget = settings.budget(arguments.budget);
    let comparison = Comparison { pairs, deadline: plan.deadline, rule, budget };
    let outcome =
        if comparison.pairs.is_empty() { None } else { Some(measure(&comparison, seed, &mut stop)?) };

    let measured = outcome.as_ref().map_or(&[][..], |outcome| &outcome.results);
    let lines = lines(measured, &comparison.rule)?;
    let detectable = comparison::detectable(measured, &lines, &comparison.rule, &[Verdict::NoChange]);
    let lines = with_identical(lines, &identical, &comparison.rule)?;
    show(arguments, seed, measured, &lines, detectable)?;
    let Some(outcome) = outcome else { return Ok(()) };
    if let Some(delivery) = delivery {
        let outcome = both_sides(outcome);
        if outcome.results.is_empty() {
            eprintln!("No report: the time budget ended before the first pair.");
        } else {
            delivery.keep(RunId::draw(), plan, programs, outcome)?.send()?;
        }
    }
    check(arguments, &lines)
}

/// Compares the results of the commands in the settings.
fn commands(arguments: &AbArguments, source: &Source<'_>) -> crate::Result<()> {
    if arguments.delivery.are_given() {
        return Err(Failure::Usage(format!(
            "--output and --upload do not accept the results of commands in {}. Upload each commit with `roundtrip run \
             --upload`.",
            settings::FILE
        )));
    }
    let mut stop = stop::until_signalled()?;
    let [base, head] = source.sides([&arguments.base, &arguments.head], &mut stop)?;
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let rule = source.settings.rule();
    let rounds = Rounds {
        commands: &source.settings.command,
        revisions: [&base, &head],
        rule: &rule,
        budget: source.settings.budget(arguments.budget),
        timeout: source.timeout,
    };
    let found = rounds.compare(seed, &mut stop);
    if stop.check().is_break() {
        return Err(stopped());
    }
    let found = found?;
    let mut lines = lines(&found.compared, &rule)?;
    let detectable = comparison::detectable(&found.compared, &lines, &rule, &[Verdict::NoChange]);
    let alone = found.only_base.iter().map(|base| (Some(base), None));
    let alone: Vec<_> = alone.chain(found.only_head.iter().map(|head| (None, Some(head)))).collect();
    lines.extend(comparison::of_results(&alone, true, &rule, 0.0)?);
    show(arguments, seed, &found.compared, &lines, detectable)?;
    check(arguments, &lines)
}

/// Prints the answer, and appends it to the summary.
fn show(
    arguments: &AbArguments,
    seed: u64,
    measured: &[Compared],
    lines: &[Line],
    detectable: Option<f64>,
) -> crate::Result<()> {
    if let Some(path) = &arguments.summary {
        let text = summary::of_comparison(&arguments.base, &arguments.head, lines, detectable);
        summary::append(path, &text)?;
    }
    print(arguments.format, seed, measured, lines, detectable)
}

fn check(arguments: &AbArguments, lines: &[Line]) -> crate::Result<()> {
    if lines.iter().all(|line| line.verdict == Verdict::NotComparable) {
        return Err(Failure::NotComparable(
            "No case has results on both sides; see the reasons above.".into(),
        ));
    }
    comparison::check_verdicts(lines, &arguments.fail_on)
}

/// The line of each measured case.
pub(crate) fn lines(measured: &[Compared], rule: &Rule) -> crate::Result<Vec<Line>> {
    let line = |Compared { base, head, pairs, row, .. }: &Compared| {
        let line = comparison::line(base, head, (!pairs.is_empty()).then_some(*row), rule)?;
        Ok(match row.reason {
            Some(reason @ Reason::OutOfTime { has: 0, .. }) => line.without_time(reason),
            _ => line,
        })
    };
    measured.iter().map(line).collect()
}

/// The lines of measured cases, and of those with identical programs, which are `Some` here, in the order of the plan.
pub(crate) fn with_identical(
    measured: Vec<Line>,
    identical: &[Option<PlannedCase>],
    rule: &Rule,
) -> crate::Result<Vec<Line>> {
    let mut measured = measured.into_iter();
    let line = |case: &Option<PlannedCase>| match case {
        Some(case) => Some(comparison::identical(&ab::unmeasured(case), rule)),
        None => measured.next().map(Ok),
    };
    identical.iter().filter_map(line).collect()
}

/// Compares two existing reports, like `roundtrip compare`.
fn reports(arguments: &AbArguments) -> crate::Result<()> {
    if arguments.delivery.are_given() || arguments.summary.is_some() || arguments.budget.is_some() {
        return Err(Failure::Usage(
            "--of report measures nothing, so it does not accept --budget, --output, --upload or --summary"
                .into(),
        ));
    }
    compare::compare(&CompareArguments {
        base: PathBuf::from(&arguments.base),
        head: PathBuf::from(&arguments.head),
        format: arguments.format,
        fail_on: arguments.fail_on.clone(),
    })
}

pub(crate) fn measure(
    comparison: &Comparison,
    seed: u64,
    stop: &mut StopSignal,
) -> crate::Result<Outcome<Compared>> {
    let template = "ab {wide_bar:.dim} {pos}/{len} cases decided  {msg:.dim}";
    let bar = output::bar(comparison.pairs.len() as u64, template);
    let outcome = ab::run_until(comparison, &run::peer()?, seed, &mut |progress| {
        bar.set_position(progress.decided as u64);
        bar.set_message(format!("{} pairs", progress.pairs));
        let (decided, cases) = (progress.decided, comparison.pairs.len());
        output::progress(|| format!("{decided}/{cases} cases decided, {} pairs", progress.pairs));
        stop.check()
    });
    bar.finish_and_clear();
    outcome.continue_value().ok_or_else(stopped)
}

fn stopped() -> Failure {
    Failure::Stopped("Stopped by a signal before all cases were decided.".into())
}

fn print(
    format: ComparisonFormat,
    order_seed: u64,
    measured: &[Compared],
    lines: &[Line],
    detectable: Option<f64>,
) -> crate::Result<()> {
    let machine_seconds = measured.iter().map(|case| case.machine_time).sum::<Duration>().as_secs_f64();
    match format {
        ComparisonFormat::Json => {
            output::print_json(&Answer { order_seed, machine_seconds, detectable, cases: lines })
        }
        ComparisonFormat::Node => output::print(&comparison::render_node(lines)),
        ComparisonFormat::Human if measured.is_empty() => output::print(&comparison::render_table(lines)),
        ComparisonFormat::Human => {
            let pairs: usize = measured.iter().map(|case| case.pairs.len()).sum();
            let power = comparison::power_in_unchanged(detectable, lines);
            let power = power.map_or_else(String::new, |power| format!("{power}\n"));
            output::print(&format!(
                "{}\n{power}{pairs} pairs of repetitions in {machine_seconds:.0} s, seed {order_seed}.",
                comparison::render_table(lines)
            ))
        }
    }
}

/// The programs of both sides, which do not come from the report's commit.
fn of_both_sides(pairs: &[Pair]) -> Vec<MeasuredProgram> {
    let side = |name: &str, cases: Vec<&PlannedCase>| {
        let variant = Some(Slug::from_name(name));
        let programs = programs::measured(cases, None).into_iter();
        programs.map(|program| MeasuredProgram { variant: variant.clone(), ..program }).collect::<Vec<_>>()
    };
    let (base, head) = pairs.iter().map(|pair| (&pair.base, &pair.head)).unzip();
    [side("base", base), side("head", head)].concat()
}

/// Both sides of the measured cases as the results of one run: two variants of each transport.
fn both_sides(outcome: Outcome<Compared>) -> Outcome {
    let Outcome { environment, canaries, order_seed, started_at, finished_at, results } = outcome;
    let named = |mut result: CaseResult, side: &str| {
        result.case.variant = Some(Slug::from_name(side));
        result
    };
    let results = results
        .into_iter()
        .flat_map(|Compared { base, head, .. }| [named(base, "base"), named(head, "head")])
        .filter(|result| !result.is_empty())
        .collect();
    Outcome { environment, canaries, order_seed, started_at, finished_at, results }
}

// The cases of one plan, each with the program of base and the program of head.

/// The default definition for a program.
const PROGRAM: &str = include_str!("ab.toml");

const NODE: &str = "node-framing";

/// The two sides, and the cases to compare.
pub(crate) struct Request<'a> {
    pub(crate) base: &'a str,
    pub(crate) head: &'a str,
    pub(crate) of: Sides,
    pub(crate) preset: Option<&'a str>,
}

#[derive(Debug)]
pub(crate) struct PreparedComparison {
    pub(crate) plan: Plan,
    pub(crate) pairs: Vec<Pair>,
    /// The checkouts of the programs, kept until the measurement ends.
    revisions: Option<[Revision; 2]>,
}

/// The repository with its settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) git: &'a Git,
    pub(crate) root: Option<&'a Path>,
    pub(crate) settings: &'a Settings,
    /// The timeout of each build command.
    pub(crate) timeout: Duration,
}

impl PreparedComparison {
    /// The commits of base and head, if they are revisions.
    pub(crate) fn commits(&self) -> Option<[&CommitSha; 2]> {
        self.revisions.as_ref().map(|revisions| revisions.each_ref().map(|revision| &revision.commit))
    }

    pub(crate) fn prepare(
        request: &Request<'_>,
        source: &Source<'_>,
        stop: &mut StopSignal,
    ) -> crate::Result<Self> {
        let &Request { base, head, of, preset } = request;
        let plan = plan(preset, of, source)?;
        let mut revisions = None;
        let pairs = match of {
            Sides::Node => zip(
                &node::measured_alone(&plan, base, "--base")?,
                &node::measured_alone(&plan, head, "--head")?,
            ),
            Sides::Command => zip(&with_command(&plan, base)?, &with_command(&plan, head)?),
            Sides::Revision => {
                let [base, head] = revisions.insert(source.sides([base, head], stop)?);
                zip(&within(&plan, base)?, &within(&plan, head)?)
            }
            Sides::Report => {
                return Err(Failure::Other("--of report measures nothing".into()));
            }
        };
        if pairs.is_empty() {
            return Err(without_cases(&plan, of));
        }
        Ok(Self { plan, pairs, revisions })
    }

    /// The cases with identical programs, by pair, and the pairs to measure. If both sides are the same commit, its error is
    /// measured.
    pub(crate) fn identical(&self, peer: &PeerCommand) -> (Vec<Option<PlannedCase>>, Vec<Pair>) {
        let revisions = self.revisions.as_ref().filter(|[base, head]| base.commit != head.commit);
        let identical = revisions.map_or_else(Vec::new, |[base, head]| {
            let mut builds = [base, head].map(|revision| Build::new(revision.path()));
            identical::of_pairs(builds.each_mut(), &self.pairs, self.plan.deadline, peer)
        });
        let is_identical = |place: usize| identical.get(place) == Some(&true);
        let cases = self.pairs.iter().enumerate();
        let cases = cases.map(|(place, pair)| is_identical(place).then(|| pair.base.clone())).collect();
        let others = (0..self.pairs.len()).filter(|&place| !is_identical(place));
        (cases, others.map(|place| self.pairs[place].clone()).collect())
    }
}

/// The places of the cases whose name contains this text; all without one.
pub(crate) fn select(names: &[String], asked: Option<&str>) -> crate::Result<Vec<usize>> {
    let asked = asked.unwrap_or_default();
    let contains = |name: &str| name.to_lowercase().contains(&asked.to_lowercase());
    let places: Vec<usize> = (0..names.len()).filter(|&place| contains(&names[place])).collect();
    if places.is_empty() {
        let names = names.join("\n");
        return Err(Failure::Usage(format!(
            "no case matches `{asked}`: expected part of one of these\n{names}"
        )));
    }
    Ok(places)
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
    /// Builds base and head.
    fn sides(&self, [base, head]: [&str; 2], stop: &mut StopSignal) -> crate::Result<[Revision; 2]> {
        let mut build = |name: &str| {
            let built = self.build(name, stop);
            if stop.check().is_break() { Err(stopped()) } else { built }
        };
        Ok([build(base)?, build(head)?])
    }

    /// Checks out and builds a revision.
    pub(crate) fn build(&self, name: &str, stop: &mut StopSignal) -> crate::Result<Revision> {
        let root = self.root()?;
        let commit = revision::resolve(self.git, root, name)?;
        let revision = Revision::check_out(self.git, root, &commit)?;
        if name == commit.as_str() {
            eprintln!("Revision {commit}");
        } else {
            eprintln!("Revision {name}: {commit}");
        }
        for folder in revision.add_benchmarks(self.git, self.settings)? {
            eprintln!("It has no {}: measuring it with the one of your checkout", folder.display());
        }
        revision.build(&self.settings.build, Limits { timeout: self.timeout, stop })?;
        Ok(revision)
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
        (Some(preset), _) => presets::plan(preset),
        (None, Sides::Node) => presets::plan(NODE),
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
            presets::plan(&definition.to_string_lossy())
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
pub(crate) fn within(plan: &Plan, revision: &Revision) -> crate::Result<Vec<PlannedCase>> {
    let declared = plan.cases.iter().filter(|case| case.declared().is_some());
    declared.map(|case| revision.place(case)).collect()
}

pub(crate) fn zip(base: &[PlannedCase], head: &[PlannedCase]) -> Vec<Pair> {
    base.iter().zip(head).map(|(base, head)| Pair { base: base.clone(), head: head.clone() }).collect()
}
