//! The output and exit codes of `ab` and `compare`.
//! One table is for people, the other has the layout of Node's own comparisons.

use crate::failure::Failure;
use crate::format::{change_interval, count, counted, half_width, signed_percent, value_of, whole};
use crate::output::{self, is_coloured, styled};
use crate::table as results;
use crate::usage::{self, UsageChange};
use clap::builder::styling::{AnsiColor, Style};
use indexmap::IndexMap;
use roundtrip_bench::harness::ab;
use roundtrip_stats::bisection;
use roundtrip_stats::comparison::{self, Case, Compared};
use roundtrip_stats::distribution::SAMPLES_MAX;
use roundtrip_stats::shape::{self, Profile};
use roundtrip_stats::verdict::{Reason, Row, Rule};
use roundtrip_stats::{movement, percent, samples, shift};
use roundtrip_wire::comparable::{self, Difference};
use roundtrip_wire::lab::IDENTICAL_PROGRAM;
use roundtrip_wire::{Better, CaseResult, Failure as Failed, Measure, Repetition, Verdict};
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) case: String,
    /// The measured quantity; absent for times. Values are then in its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) measure: Option<Measure>,
    /// The number of operations that a value covers; absent: one.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
    #[serde(skip)]
    pub(crate) title: String,
    #[serde(skip)]
    pub(crate) name: String,
    /// The base's p50: the median over its repetitions, with its 95 % interval.
    pub(crate) base: Option<Side>,
    pub(crate) head: Option<Side>,
    /// The head's p50 divided by the base's; absent if they are not comparable, here and below.
    pub(crate) ratio: Option<f64>,
    /// Change of the time from base to head (Hodges and Lehmann), as a share; positive is slower.
    pub(crate) change: Option<f64>,
    /// The 95 % interval of that change; absent with too few repetitions.
    pub(crate) change_interval: Option<[f64; 2]>,
    /// The p-value: probability of a difference this large without a change.
    pub(crate) p: Option<f64>,
    /// The same, adjusted for all cases of the comparison (Benjamini and Hochberg).
    pub(crate) p_adjusted: Option<f64>,
    /// Welch's t of the rates, positive if head is faster, as in Node's tool.
    pub(crate) t: Option<f64>,
    /// Significance stars of that tool, not adjusted for the number of cases.
    pub(crate) stars: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) undecided: Option<String>,
    /// Whether both sides run the same program. Then the case was not measured.
    pub(crate) identical: bool,
    /// The p90 of the repetitions; absent where they are not comparable, here and below.
    pub(crate) p90: Option<QuantileChange>,
    pub(crate) p99: Option<QuantileChange>,
    pub(crate) shape: Option<Shape>,
    /// The resources of a message whose use changed with the p50; empty if it did not change.
    pub(crate) usage: Vec<UsageChange>,
    /// The same in a sentence.
    #[serde(skip)]
    usage_text: Option<String>,
    pub(crate) differences: Vec<Difference>,
    /// Why a side has no numbers: failed repetitions, or an unsupported transport.
    pub(crate) reasons: Vec<String>,
    /// Without a change, the case has not changed by more than this share.
    #[serde(skip)]
    no_change_beyond: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Side {
    pub(crate) p50_ns: u64,
    /// Absent with fewer than six repetitions, which have no interval.
    pub(crate) interval_ns: Option<[u64; 2]>,
    pub(crate) repetitions: usize,
    /// The mean of the repetitions' rates: operations a second.
    pub(crate) rate_per_second: f64,
}

/// A result with the statistics of its repetitions, computed once from their histograms.
struct Decoded<'a> {
    result: &'a CaseResult,
    p50s_ns: Vec<u64>,
    profiles: Vec<Profile>,
    /// The logarithms of the samples, if there is only one repetition and it has them.
    logarithms: Vec<f64>,
}

impl<'a> Decoded<'a> {
    fn decode(result: &'a CaseResult) -> crate::Result<Self> {
        let (mut p50s_ns, mut profiles) = (Vec::new(), Vec::new());
        let logarithms = match &result.repetitions[..] {
            [only] => logarithms(only)?,
            _ => Vec::new(),
        };
        for repetition in &result.repetitions {
            let distribution = results::decode(repetition)?;
            p50s_ns.push(distribution.quantile_ns(500_000));
            profiles.push(shape::profile(&distribution));
        }
        Ok(Self { result, p50s_ns, profiles, logarithms })
    }
}

/// The confidence of the interval of samples.
const CONFIDENCE: f64 = 0.95;
/// The most samples of a side that are compared, because each is compared with all of the other side.
const COMPARED_SAMPLES_MAX: usize = 500;

/// The logarithms of a repetition's samples, thinned out evenly; empty if it has none.
fn logarithms(repetition: &Repetition) -> crate::Result<Vec<f64>> {
    let Some(text) = &repetition.samples else { return Ok(Vec::new()) };
    let samples = samples::decode(text, SAMPLES_MAX)
        .map_err(|error| Failure::Usage(format!("the samples of a repetition cannot be read: {error}")))?;
    let step = samples.len().div_ceil(COMPARED_SAMPLES_MAX).max(1);
    Ok(samples.iter().step_by(step).map(|&value| (value.max(1) as f64).ln()).collect())
}

/// How the samples of two single repetitions differ, for cases that have too few repetitions for a verdict: one process a
/// side does not show how much processes differ.
fn difference_of_samples(base: &Decoded<'_>, head: &Decoded<'_>) -> Option<String> {
    let shift = shift::unpaired_unequal_scatter(&base.logarithms, &head.logarithms, CONFIDENCE)?;
    let interval = shift.interval?.map(f64::exp_m1);
    Some(format!(
        "samples of one process per side differ by {} ({}), without the variation between processes",
        signed_percent(shift.estimate.exp_m1()),
        change_interval(interval)
    ))
}

/// Both sides of each case that are not paired by repetition, such as those of two reports, between which the machine
/// moved by this share. If the reports are not comparable, the sides are only listed.
pub(crate) fn of_results(
    sides: &[(Option<&CaseResult>, Option<&CaseResult>)],
    are_comparable: bool,
    rule: &Rule,
    movement: f64,
) -> crate::Result<Vec<Line>> {
    let decode = |side: Option<_>| side.map(Decoded::decode).transpose();
    let sides = sides.iter().map(|&(base, head)| Ok((decode(base)?, decode(head)?)));
    let sides = sides.collect::<crate::Result<Vec<_>>>()?;
    let cases: Vec<_> = sides
        .iter()
        .map(|(base, head)| case(base.as_ref()?, head.as_ref()?, movement).filter(|_| are_comparable))
        .collect();
    let compared = comparison::compare(rule, &cases);
    let line = |((base, head), compared): (&(_, _), _)| {
        finished(Option::as_ref(base), Option::as_ref(head), compared, rule)
    };
    Ok(sides.iter().zip(compared).map(line).collect())
}

fn case<'a>(base: &'a Decoded<'_>, head: &'a Decoded<'_>, movement: f64) -> Option<Case<'a>> {
    let are_alike = comparable::results(base.result, head.result).is_empty();
    are_alike.then_some(Case {
        p50s_ns: [&base.p50s_ns, &head.p50s_ns],
        profiles: Some([&base.profiles, &head.profiles]),
        rounds: None,
        // Only the server knows the machine's earlier effects.
        effects: &[],
        movement,
    })
}

/// A case whose repetitions are paired; `row` is the result of the test, if there is one.
pub(crate) fn line(
    base: &CaseResult,
    head: &CaseResult,
    row: Option<Row>,
    rule: &Rule,
) -> crate::Result<Line> {
    let (base, head) = (Decoded::decode(base)?, Decoded::decode(head)?);
    let case = case(&base, &head, 0.0).zip(row);
    let compared = case.and_then(|(Case { p50s_ns: [base, head], .. }, row)| Compared::of(base, head, row));
    Ok(finished(Some(&base), Some(&head), compared, rule))
}

/// A case whose sides run the same program, before any repetition.
pub(crate) fn identical(case: &CaseResult, rule: &Rule) -> crate::Result<Line> {
    let side = Decoded::decode(case)?;
    let line = finished(Some(&side), Some(&side), None, rule);
    Ok(Line { verdict: Verdict::NoChange, identical: true, ..line })
}

fn finished(
    base: Option<&Decoded<'_>>,
    head: Option<&Decoded<'_>>,
    compared: Option<Compared>,
    rule: &Rule,
) -> Line {
    let differences = match (base, head) {
        (Some(base), Some(head)) => comparable::results(base.result, head.result),
        _ => Vec::new(),
    };
    let any = head.or(base).map(|side| side.result);
    let compared = match any.map(|result| result.case.better()) {
        Some(Better::Higher) => compared.map(Compared::with_higher_better),
        _ => compared,
    };
    let measured = any.and_then(|result| result.case.measure.as_ref());
    let profiles = base.zip(head).map(|(base, head)| [&base.profiles[..], &head.profiles[..]]);
    let judged = compared.filter(|compared| movement::is_comparable(compared.movement));
    let verdict = judged.map_or(Verdict::NotComparable, |compared| compared.verdict.into());
    let is_changed = matches!(verdict, Verdict::Regressed | Verdict::Improved);
    let sides = base.zip(head).filter(|_| is_changed);
    let usage = sides.map_or(Vec::new(), |(base, head)| usage::changes(base.result, head.result));
    Line {
        case: any.map(results::describe).unwrap_or_default(),
        measure: measured.cloned(),
        operations: any.and_then(|result| result.case.operations),
        title: any.map(|result| results::title(result, &[])).unwrap_or_default(),
        name: any.map(results::name).unwrap_or_default(),
        base: base.and_then(side),
        head: head.and_then(side),
        ratio: compared.map(|compared| compared.ratio),
        change: compared.and_then(|compared| compared.change),
        change_interval: compared.and_then(|compared| compared.change_interval),
        p: compared.map(|compared| compared.p),
        p_adjusted: compared.map(|compared| compared.p_adjusted),
        t: compared.and_then(|compared| compared.t),
        stars: compared.map_or("", |compared| compared.stars),
        verdict,
        undecided: judged.and_then(|compared| compared.reason).map(|reason| {
            let is_too_few = matches!(reason, Reason::TooFew { .. });
            let sides = base.zip(head).filter(|_| is_too_few);
            let samples = sides.and_then(|(base, head)| difference_of_samples(base, head));
            [Some(reason.to_string()), samples].into_iter().flatten().collect::<Vec<_>>().join("; ")
        }),
        identical: false,
        p90: compared.and_then(|compared| compared.p90).map(QuantileChange::from),
        p99: compared.and_then(|compared| compared.p99).map(QuantileChange::from),
        shape: compared
            .and_then(|compared| compared.shape)
            .zip(profiles)
            .map(|(found, sides)| Shape::new(found, sides, rule)),
        usage_text: head.and_then(|head| usage::describe(&usage, head.result)),
        usage,
        differences,
        reasons: [("base", base), ("head", head)]
            .into_iter()
            .flat_map(|(name, side)| reasons(name, side.map(|side| side.result)))
            .collect(),
        no_change_beyond: rule.no_change_beyond(compared.map_or(0.0, |compared| compared.movement)),
    }
}

fn side(side: &Decoded<'_>) -> Option<Side> {
    let comparison::Side { p50_ns, interval_ns, repetitions, rate_per_second } =
        comparison::Side::of(&side.p50s_ns)?;
    Some(Side { p50_ns, interval_ns, repetitions, rate_per_second })
}

/// Why a side has fewer numbers than it could.
fn reasons(name: &str, result: Option<&CaseResult>) -> Vec<String> {
    let Some(result) = result else { return vec![format!("not in the {name}")] };
    if result.summary.is_some() {
        return vec![format!("{name}: no samples, only a value that the tool states")];
    }
    let unsupported = result.unsupported.iter().map(|reason| format!("{name}: unsupported: {reason}"));
    let failed = result.failures.iter().map(|Failed { reason, .. }| format!("{name}: failed: {reason}"));
    unsupported.chain(failed).collect()
}

/// The output format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ComparisonFormat {
    Human,
    Json,
    /// Markdown table of rates, as used for Node.
    Node,
}

/// Verdicts that set the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// Exit code 3 if the p50, p90 or p99 of a case regressed.
    Regressed,
    /// Exit code 4 if a case is inconclusive.
    Inconclusive,
}

pub(crate) fn check_verdicts(lines: &[Line], fail_on: &[FailOn]) -> crate::Result<()> {
    let those = |is_one: fn(&Line) -> bool| -> Vec<&str> {
        lines.iter().filter(|line| is_one(line)).map(|line| line.case.as_str()).collect()
    };
    let failure_message = |cases: &[&str], what: &str| {
        let more = cases.len().saturating_sub(1);
        let others = if more == 0 { String::new() } else { format!(", and {more} more") };
        format!("{what}: {}{others}", cases.first().copied().unwrap_or_default())
    };
    let regressed = those(Line::regressed);
    if fail_on.contains(&FailOn::Regressed) && !regressed.is_empty() {
        return Err(Failure::Regressed(failure_message(&regressed, "regressed")));
    }
    let inconclusive = those(|line| line.verdict == Verdict::Inconclusive);
    if fail_on.contains(&FailOn::Inconclusive) && !inconclusive.is_empty() {
        return Err(Failure::Inconclusive(failure_message(&inconclusive, "inconclusive")));
    }
    Ok(())
}

// Changes of a case other than its p50: p90, p99 and the shape of the distribution.

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct QuantileChange {
    /// Change of the time from base to head, as a share; positive is slower.
    pub(crate) change: Option<f64>,
    /// The interval of that change; absent with too few repetitions.
    pub(crate) change_interval: Option<[f64; 2]>,
    /// The p-value, adjusted for the whole comparison.
    pub(crate) p_adjusted: f64,
    /// Regressed or improved; absent if no change was found.
    pub(crate) verdict: Option<Verdict>,
}

/// Whether the shape of the distribution changed, relative to its p50.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shape {
    /// The p-value, adjusted for the whole comparison.
    pub(crate) p_adjusted: f64,
    pub(crate) changed: bool,
    pub(crate) difference: Option<String>,
}

impl From<comparison::QuantileChange> for QuantileChange {
    fn from(found: comparison::QuantileChange) -> Self {
        let comparison::QuantileChange { change, change_interval, p_adjusted, verdict } = found;
        Self { change, change_interval, p_adjusted, verdict: verdict.map(Verdict::from) }
    }
}

impl Shape {
    fn new(found: comparison::QuantileChange, sides: [&[Profile]; 2], rule: &Rule) -> Self {
        Self {
            p_adjusted: found.p_adjusted,
            changed: found.verdict.is_some(),
            difference: found.difference(sides, rule),
        }
    }
}

impl Line {
    /// Whether the p50, p90 or p99 regressed. A shape has no direction.
    pub(crate) fn regressed(&self) -> bool {
        let tail = [&self.p90, &self.p99].into_iter().flatten().filter_map(|change| change.verdict);
        [self.verdict].into_iter().chain(tail).any(|verdict| verdict == Verdict::Regressed)
    }

    /// The p50 of a side with its unit.
    pub(crate) fn value(&self, side: Side) -> String {
        value_of(self.measure.as_ref(), self.operations, side.p50_ns)
    }

    /// A case without a pair, because the time ended before.
    pub(crate) fn without_time(self, reason: Reason) -> Self {
        Self { verdict: Verdict::Inconclusive, undecided: Some(reason.to_string()), ..self }
    }

    /// The verdict, with the limit of `no change`.
    pub(crate) fn verdict_text(&self) -> String {
        match self.verdict {
            _ if self.identical => IDENTICAL_PROGRAM.to_owned(),
            Verdict::NoChange => {
                format!("no change beyond {}", percent::tenths(self.no_change_beyond))
            }
            verdict => verdict.to_string(),
        }
    }

    /// The number of its tests, all of which p is adjusted for.
    pub(crate) fn tests(&self) -> usize {
        let secondary = [self.p90.is_some(), self.p99.is_some(), self.shape.is_some()];
        usize::from(self.p.is_some()) + secondary.into_iter().filter(|&is_tested| is_tested).count()
    }

    /// The number of repetitions on the side that has fewer; absent if it is not compared.
    pub(crate) fn repetitions(&self) -> Option<usize> {
        self.p?;
        Some(self.base?.repetitions.min(self.head?.repetitions))
    }

    /// What changed with the p50, and changes that it does not show; one line each.
    pub(crate) fn other_changes(&self) -> Vec<String> {
        self.usage_text.iter().cloned().chain(self.tail_changes()).collect()
    }

    /// Changes in the tail or shape that the p50 does not show, one line each.
    pub(crate) fn tail_changes(&self) -> Vec<String> {
        let quantile = |(name, found): (&str, &Option<QuantileChange>)| {
            let QuantileChange { change, change_interval: interval, p_adjusted, verdict } = (*found)?;
            let verdict = verdict.filter(|&verdict| verdict != self.verdict)?;
            let interval = interval.map(|ends| format!(" ({})", change_interval(ends))).unwrap_or_default();
            Some(format!(
                "{name} {verdict}, {}{interval}, p {}",
                signed_percent(change?),
                probability(p_adjusted)
            ))
        };
        // Relative to the p50 of the same repetition, so a change of the p50 alone is no change of shape.
        let shape = self.shape.as_ref().filter(|shape| shape.changed);
        let shape = shape.map(|Shape { p_adjusted, difference, .. }| {
            let difference = difference.as_deref().unwrap_or_default();
            format!("shape changed, p {}: {difference}", probability(*p_adjusted))
        });
        [("p90", &self.p90), ("p99", &self.p99)].into_iter().filter_map(quantile).chain(shape).collect()
    }
}

const TOO_SHORT: &str =
    "The time budget was too short to find a slowdown: a slower case would have been inconclusive.";

/// A p-value; very small ones print as an upper bound.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

// The table for people: one for each traffic and placement, then the cases without results, then a summary.

const HEADER: [&str; 10] =
    ["case", "base p50", "\u{b1}", "head p50", "\u{b1}", "change", "95 % interval", "p", "t", "verdict"];

pub(crate) fn render_table(lines: &[Line]) -> String {
    if lines.iter().all(|line| line.identical) {
        return all_identical(lines);
    }
    let mut text = String::new();
    let mut titled: IndexMap<&str, Vec<&Line>> = IndexMap::new();
    lines.iter().for_each(|line| titled.entry(&line.title).or_default().push(line));
    for (title, lines) in titled {
        text.push_str(&format!("{title}\n{}\n\n", table(&lines)));
    }
    text + &sentence(lines)
}

/// The smallest slowdown that would have been found with a probability of [`bisection::POWER`] in each case with one of these
/// verdicts, as a share; none without such cases, or if the time was too short in one of them.
pub(crate) fn detectable(
    results: &[ab::Compared],
    lines: &[Line],
    rule: &Rule,
    verdicts: &[Verdict],
) -> Option<f64> {
    let tests = lines.iter().map(Line::tests).sum();
    let counted = results.iter().zip(lines).filter(|(_, line)| verdicts.contains(&line.verdict));
    let of_case = |result: &ab::Compared| {
        bisection::detectable(rule, bisection::deviation(&log_ratios(result)), tests, result.pairs_max)
    };
    counted.map(|(result, _)| of_case(result)).reduce(|one, other| Some(one?.max(other?)))?
}

/// States what was [`detectable`] in unchanged cases, if there are any.
pub(crate) fn power_in_unchanged(detectable: Option<f64>, lines: &[Line]) -> Option<String> {
    let is_unchanged = |line: &Line| line.verdict == Verdict::NoChange && !line.identical;
    match detectable {
        Some(detectable) => Some(format!("In unchanged cases, a {}", power(detectable))),
        None if lines.iter().any(is_unchanged) => Some(TOO_SHORT.to_owned()),
        None => None,
    }
}

/// States what was [`detectable`]: the end of a sentence.
pub(crate) fn power(detectable: f64) -> String {
    let slowdown = crate::format::percent(detectable);
    format!("slowdown of {slowdown} would have been found with probability {}.", bisection::POWER)
}

pub(crate) fn log_ratios(compared: &ab::Compared) -> Vec<f64> {
    compared.pairs.iter().map(|pair| pair.p50).collect()
}

fn table(lines: &[&Line]) -> String {
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    for line in lines {
        if let (Some(base), Some(head), Some(change)) = (line.base, line.head, line.change) {
            rows.push([
                line.name.clone(),
                line.value(base),
                spread(base),
                line.value(head),
                spread(head),
                signed_percent(change),
                line.change_interval.map_or("too few".into(), change_interval),
                line.p_adjusted.map(probability).unwrap_or_default(),
                line.t.map(|t| format!("{t:.1} {:3}", line.stars)).unwrap_or_default(),
                coloured(line.verdict, &line.verdict_text()),
            ]);
            let undecided = line.undecided.iter().map(|why| format!("inconclusive, {why}"));
            let changes = undecided.chain(line.other_changes()).enumerate();
            notes.extend(changes.map(|(nth, change)| match nth {
                0 => format!(" {}: {change}", line.name),
                _ => format!("     {change}"),
            }));
        } else if line.identical {
            notes.push(format!(" {}: {IDENTICAL_PROGRAM}", line.name));
        } else if let Some(why) = &line.undecided {
            notes.push(format!(" {}: inconclusive, {why}", line.name));
        } else {
            notes.push(format!(" {}: not compared", line.name));
            notes.extend(line.differences.iter().map(|difference| format!("     {difference}")));
        }
        notes.extend(line.reasons.iter().map(|reason| format!("     {reason}")));
    }
    if !rows.is_empty() {
        // The first and last columns hold text.
        notes.insert(0, output::table(HEADER, rows, |place| (1..HEADER.len() - 1).contains(&place)));
    }
    notes.join("\n")
}

pub(crate) fn verdict_text(verdict: Verdict) -> String {
    coloured(verdict, &verdict.to_string())
}

fn coloured(verdict: Verdict, text: &str) -> String {
    let style = match verdict {
        Verdict::Regressed => AnsiColor::Yellow.on_default().bold(),
        Verdict::Improved => AnsiColor::Cyan.on_default().bold(),
        _ => Style::new(),
    };
    styled(text, style, is_coloured())
}

/// The summary if nothing was measured.
pub(crate) fn all_identical(lines: &[Line]) -> String {
    format!("Not measured: base and head run identical programs in {}.", counted(lines.len(), "case"))
}

/// The number of cases that were not measured.
pub(crate) fn identical_count(lines: &[Line]) -> usize {
    lines.iter().filter(|line| line.identical).count()
}

/// The summary: the number of cases by verdict, and a legend.
fn sentence(lines: &[Line]) -> String {
    let with = |verdict: Verdict| lines.iter().filter(move |line| line.verdict == verdict && !line.identical);
    let all = [
        Verdict::Regressed,
        Verdict::Improved,
        Verdict::NoChange,
        Verdict::Inconclusive,
        Verdict::NotComparable,
    ];
    let mut found: Vec<String> = all
        .into_iter()
        .filter_map(|verdict| {
            let first = with(verdict).next()?;
            Some(format!("{} {}", count(with(verdict).count() as u64), first.verdict_text()))
        })
        .collect();
    match identical_count(lines) {
        0 => {}
        number => found.push(format!("{} not measured (identical program)", count(number as u64))),
    }
    let secondary = lines.iter().filter(|line| !line.tail_changes().is_empty()).count();
    let secondary = match secondary {
        0 => String::new(),
        1 => " 1 changed in its tail or shape; see above.".to_owned(),
        number => format!(" {} changed in their tail or shape; see above.", count(number as u64)),
    };
    let change = meaning_of_change(lines);
    format!(
        "{}: {}.{secondary}\n{change} p is adjusted for all cases; t and its stars are not.",
        counted(lines.len(), "case"),
        found.join(", ")
    )
}

/// What a change means.
pub(crate) fn meaning_of_change(lines: &[Line]) -> &'static str {
    if lines.iter().all(|line| line.measure.is_none()) {
        "Change in time per operation, + = slower."
    } else {
        "Change of the value: + = larger, which is slower for times."
    }
}

fn spread(side: Side) -> String {
    side.interval_ns.map_or(String::new(), |[low, high]| half_width(low, high, side.p50_ns))
}

// The layout that Node uses in pull requests: rates, change of the rate, t and stars. The stars are not
// adjusted for the number of rows, and there is no verdict.

pub(crate) fn render_node(lines: &[Line]) -> String {
    let mut text =
        "| Config | old (ops/s) | new (ops/s) | \u{394} | t | sig |\n|---|--:|--:|--:|--:|:--|\n".to_owned();
    for line in lines {
        // The layout has only rates of operations.
        let (Some(base), Some(head), Some(_), None) = (line.base, line.head, line.ratio, &line.measure)
        else {
            continue;
        };
        let t = line.t.map(|t| format!("{t:.1}")).unwrap_or_default();
        text.push_str(&format!(
            "| {} | {} | {} | {} | {t} | {} |\n",
            line.case,
            ops(base),
            ops(head),
            delta(base.rate_per_second, head.rate_per_second),
            line.stars
        ));
    }
    text
}

fn ops(side: Side) -> String {
    count(whole(side.rate_per_second))
}

pub(crate) fn delta(old: f64, new: f64) -> String {
    format!("{:+.1}%", (new / old - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_stats::Distribution;
    use roundtrip_wire::Repetition;

    /// A result whose repetitions have one time each.
    fn result(message_bytes: u64, p50s_ns: &[u64]) -> CaseResult {
        result_of(message_bytes, p50s_ns.iter().map(|&ns| vec![ns]))
    }

    /// A result whose repetitions have these times.
    fn result_of(message_bytes: u64, repetitions: impl IntoIterator<Item = Vec<u64>>) -> CaseResult {
        let mut result = crate::golden_report().results.remove(0);
        let like = result.repetitions[0].clone();
        result.case.message_bytes = message_bytes;
        result.unsupported = None;
        result.failures.clear();
        result.repetitions = (0..)
            .zip(repetitions)
            .map(|(index, times_ns)| {
                let times = Distribution::of_samples(times_ns).unwrap();
                Repetition {
                    index,
                    histogram: times.histogram_text(),
                    samples: times.samples_text(),
                    count: times.count(),
                    min_ns: times.min_ns(),
                    max_ns: times.max_ns(),
                    sum_ns: times.sum_ns(),
                    ..like.clone()
                }
            })
            .collect();
        result
    }

    fn times(middle_ns: u64) -> Vec<u64> {
        (0..12).map(|i| middle_ns + i * 7_919 % 997 * middle_ns / 100_000).collect()
    }

    fn compared(sides: &[(Option<&CaseResult>, Option<&CaseResult>)]) -> Vec<Line> {
        of_results(sides, true, &Rule::default(), 0.0).unwrap()
    }

    #[test]
    fn changed_cases_list_their_resources() {
        let side = |p50_ns: u64, waits: u64| {
            let mut result = result(64, &times(p50_ns));
            for (repetition, index) in result.repetitions.iter_mut().zip(0..) {
                (repetition.delivered, repetition.elapsed_ns) = (100, 100 * p50_ns + index);
                repetition.attempted = 100;
                repetition.ends.iter_mut().for_each(|end| end.voluntary_switches = Some(100 * waits));
            }
            result
        };
        let ends = side(0, 0).repetitions[0].ends.len();
        let [base, head] = [side(10_000, 1), side(12_000, 2)];
        let lines = compared(&[(Some(&base), Some(&head)), (Some(&base), Some(&base))]);
        let table = render_table(&lines);
        let expected = format!(": +2 µs per round trip: waits +{ends}.00\n");
        assert_eq!(table.matches(&expected).count(), 1, "{table}");
        let page = crate::summary::of_comparison("v1", "v2", &lines, None);
        let expected = format!("regressed; +2 µs per round trip&#58; waits +{ends}.00 |");
        assert!(page.contains(&expected), "{page}");
    }

    #[test]
    fn compares_reports_and_fails_on_request() {
        let base = [64, 128, 256].map(|size| result(size, &times(10_000)));
        let head = [result(64, &times(12_000)), result(128, &times(10_010)), result(256, &times(8_000))];
        let sides: Vec<_> = base.iter().zip(&head).map(|(base, head)| (Some(base), Some(head))).collect();
        let lines = compared(&sides);
        let verdicts: Vec<Verdict> = lines.iter().map(|line| line.verdict).collect();
        assert_eq!(verdicts, [Verdict::Regressed, Verdict::NoChange, Verdict::Improved]);
        // Rates fall where times grow.
        assert!(
            lines[0].t < Some(0.0) && lines[0].change > Some(0.19) && lines[0].stars == "***",
            "{lines:?}"
        );

        let page = crate::summary::of_comparison("v1", "v2|x", &lines, Some(0.042));
        assert!(
            page.starts_with("### 1 of 3 cases regressed, 1 improved\n\nBase v1, head v2\\|x."),
            "{page}"
        );
        assert!(page.contains("| regressed |") && !page.contains("no change"), "{page}");
        let power = "\nIn unchanged cases, a slowdown of 4.2 % would have been found with probability 0.9.\n";
        assert!(page.contains(power), "{page}");

        assert!(
            check_verdicts(&lines, &[]).is_ok() && check_verdicts(&lines, &[FailOn::Inconclusive]).is_ok()
        );
        let failure = check_verdicts(&lines, &[FailOn::Regressed, FailOn::Inconclusive]).unwrap_err();
        assert_eq!(failure.code(), 3);
        assert!(failure.to_string().starts_with("regressed: "), "{failure}");
    }

    /// Repetitions of a hundred times each, some of which are 1.5 times as long.
    fn with_second_mode(slower: u64, seed: u64) -> CaseResult {
        let time = |nth: u64, repetition: u64| {
            let one = 10_000 + nth + (repetition + seed) * (repetition + seed) * 7_919 % 97;
            if nth < slower { one + one / 2 } else { one }
        };
        result_of(64, (0..12).map(|repetition| (0..100).map(|nth| time(nth, repetition)).collect()))
    }

    #[test]
    fn reports_a_second_mode_as_a_regression() {
        let (base, head) = (with_second_mode(0, 0), with_second_mode(15, 20));
        let lines = compared(&[(Some(&base), Some(&head))]);
        assert_eq!(lines[0].verdict, Verdict::NoChange);
        let changes = lines[0].tail_changes();
        assert!(
            changes[0].starts_with("p90 regressed, +4") && changes[1].starts_with("p99 regressed, +"),
            "{changes:?}"
        );
        assert!(changes[2].starts_with("shape changed, p < 0.001: p90 to p99 +"), "{changes:?}");
        assert!(
            changes[2].contains("of messages now form a second mode, 4") && changes.len() == 3,
            "{changes:?}"
        );
        assert_eq!(check_verdicts(&lines, &[FailOn::Regressed]).unwrap_err().code(), 3);
        let shown = render_table(&lines);
        assert!(shown.contains(&changes[2]), "{shown}");
        assert!(
            shown.contains("1 no change beyond 3 %. 1 changed in its tail or shape; see above."),
            "{shown}"
        );
        let sides = (Some(&base), Some(&head));
        let shown = render_table(&compared(&[sides, sides]));
        assert!(
            shown.contains("2 no change beyond 3 %. 2 changed in their tail or shape; see above."),
            "{shown}"
        );

        // With the sides swapped, nothing is slower.
        let lines = compared(&[(Some(&head), Some(&base))]);
        assert!(lines[0].tail_changes()[0].starts_with("p90 improved, -"), "{lines:?}");
        assert!(check_verdicts(&lines, &[FailOn::Regressed, FailOn::Inconclusive]).is_ok());
    }

    #[test]
    fn reports_a_uniform_change_once() {
        let (base, head) = (result(64, &times(10_000)), result(64, &times(12_000)));
        let lines = compared(&[(Some(&base), Some(&head))]);
        assert_eq!(lines[0].p99.and_then(|p99| p99.verdict), Some(Verdict::Regressed));
        assert_eq!((lines[0].tail_changes(), &lines[0].undecided), (Vec::new(), &None));
    }

    #[test]
    fn too_few_repetitions_are_inconclusive() {
        let (base, head) = (result(64, &[10_000; 3]), result(64, &[20_000; 3]));
        let lines = compared(&[(Some(&base), Some(&head))]);
        assert_eq!(lines[0].verdict, Verdict::Inconclusive);
        assert_eq!(lines[0].undecided.as_deref(), Some("too few repetitions per side: has 3, needs 4"));
        assert!(render_table(&lines).contains("inconclusive, too few repetitions per side"));
        assert_eq!(check_verdicts(&lines, &[FailOn::Inconclusive]).unwrap_err().code(), 4);
    }

    #[test]
    fn excludes_one_sided_cases_from_the_adjustment() {
        let (base, head) = (result(64, &times(10_000)), result(64, &times(12_000)));
        let alone = compared(&[(Some(&base), Some(&head))]);
        let with_others: Vec<_> =
            [(Some(&base), Some(&head))].into_iter().chain((0..20).map(|_| (None, Some(&head)))).collect();
        let lines = compared(&with_others);
        assert_eq!(lines[0].p_adjusted, alone[0].p_adjusted);
        assert_eq!(
            (lines[1].verdict, &lines[1].reasons[..]),
            (Verdict::NotComparable, &["not in the base".to_owned()][..])
        );
    }

    /// The published tables of nodejs/node#64072: rates before and after, and the change. Two published
    /// changes do not match their rates: +4.7 in the seventh row (4.65), and -0.7 in the fourteenth (0.75).
    #[test]
    fn computes_the_published_changes() {
        for (before, after, published) in [
            (559_040, 626_255, "+12.0%"),
            (311_284, 330_153, "+6.1%"),
            (104_077, 125_181, "+20.3%"),
            (31_921, 35_739, "+12.0%"),
            (467_991, 488_482, "+4.4%"),
            (399_774, 411_011, "+2.8%"),
            (321_322, 336_254, "+4.6%"),
            (210_270, 225_204, "+7.1%"),
            (91_388, 104_764, "+14.6%"),
            (21_868, 21_574, "-1.3%"),
            (692_902, 689_566, "-0.5%"),
            (519_877, 513_564, "-1.2%"),
            (334_806, 332_229, "-0.8%"),
            (161_677, 160_458, "-0.8%"),
            (57_085, 56_531, "-1.0%"),
            (13_297, 13_161, "-1.0%"),
        ] {
            assert_eq!(delta(f64::from(before), f64::from(after)), published, "{before} {after}");
        }
    }
}
