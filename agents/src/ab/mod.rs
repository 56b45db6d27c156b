//! `roundtrip ab`: two sides in turn, in fresh processes, until every case is decided.

use crate::cli::{AbArguments, CompareArguments, Sides};
use crate::comparison::{self, ComparisonFormat, Decoded, Line};
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::repository::{Git, Repository};
use crate::settings::Settings;
use crate::{compare, output, run, summary};
use indicatif::{ProgressBar, ProgressStyle};
use roundtrip_bench::harness::Outcome;
use roundtrip_bench::harness::ab::{self, Compared, Comparison};
use roundtrip_stats::verdict::Rule;
use roundtrip_wire::{CaseResult, RunId, Slug};
use serde::Serialize;
use sides::{Both, Source};
use std::path::PathBuf;

mod revision;
mod sides;

/// What `--format json` prints.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// From this the order of the repetitions was drawn.
    order_seed: u64,
    /// How long all repetitions took, processes and all.
    machine_seconds: f64,
    /// One entry a case.
    cases: &'a [Line],
}

/// Runs the verb.
///
/// # Errors
/// Sides that do not exist, nothing that can be compared, a report that cannot be kept or uploaded, or a verdict that
/// was asked to be a failure.
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
    let bar = ProgressBar::new(comparison.pairs.len() as u64);
    if let Ok(style) =
        ProgressStyle::with_template("ab {wide_bar:.dim} {pos}/{len} cases decided  {msg:.dim}")
    {
        bar.set_style(style.progress_chars("━╸─"));
    }
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
        ComparisonFormat::Node => output::print(&comparison::node::render(lines)),
        ComparisonFormat::Human => {
            let pairs: usize = outcome.results.iter().map(|case| case.pairs.len()).sum();
            output::print(&format!(
                "{}\n{pairs} pairs of repetitions in {machine_seconds:.0} s, in the order of seed {}.",
                comparison::table::render(lines),
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
