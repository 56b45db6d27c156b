//! `roundtrip explain`: why a case changed between two sides. Measures pairs like `ab`, then observes both sides of changed
//! cases in repetitions of their own, whose times do not count.
//!
//! - `evidence`: what each side does per message. `rules`: the reasons. `probes`: the repetitions with a probe. `suspects`: the commits
//!   that change what the reasons name. `regression`: what to explain, from its page.

mod evidence;
mod probes;
mod regression;
mod rules;
pub(crate) mod suspects;

use crate::ab::{self, PreparedComparison, Request, Source};
use crate::cli::{ExplainArguments, Format, Sides};
use crate::comparison::Line;
use crate::failure::Failure;
use crate::format::{nanoseconds, signed_nanoseconds, whole, whole_signed};
use crate::repository::Git;
use crate::settings::{self, FunctionNames, Settings};
use crate::{compare, output, report_file, run, stop, table, usage};
use evidence::{Evidence, Side};
use rand::SeedableRng;
use rand::rngs::StdRng;
use regression::RegressionPage;
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::harness::ab::{Compared, Comparison, Pair, unmeasured};
use roundtrip_profile::comparison;
use roundtrip_stats::shift;
use roundtrip_wire::explanation::FINDINGS_MAX;
use roundtrip_wire::{CaseResult, CommitSha, Explanation, ProfileComparison, Suspect, Verdict};
use rules::Finding;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time of the measurement, for each case. The probes take less.
const BUDGET: Duration = Duration::from_secs(20);

const CONFIDENCE: f64 = 0.95;

/// The most cases that a job explains.
const EXPLAINED_MAX: usize = 3;

/// The answer of `--format json`.
#[derive(Debug, Serialize)]
struct Answer {
    /// Seed of the random order of repetitions; absent for reports.
    order_seed: Option<u64>,
    /// Total time of all repetitions, process starts included.
    machine_seconds: f64,
    cases: Vec<Explained>,
}

#[derive(Debug, Serialize)]
struct Explained {
    case: String,
    verdict: Verdict,
    /// The p50 per message, or per round trip; absent if it was not measured, here and below.
    base_ns: Option<f64>,
    head_ns: Option<f64>,
    /// The estimated change (Hodges and Lehmann) and its 95 % interval.
    change_ns: Option<f64>,
    change_interval_ns: Option<[f64; 2]>,
    /// Empty if the case is unchanged.
    findings: Vec<Finding>,
    unexplained_ns: Option<f64>,
    notes: Vec<String>,
    /// The commits between both sides that change what the findings name; empty if there is only one commit.
    suspects: Vec<Suspect>,
    #[serde(skip)]
    profile: Option<ProfileComparison>,
    #[serde(skip)]
    verdict_text: String,
    #[serde(skip)]
    unit: &'static str,
}

pub(crate) fn explain(arguments: &ExplainArguments) -> crate::Result<()> {
    let question = Question::of(arguments)?;
    let answer = match arguments.of {
        Sides::Report => of_reports(&question)?,
        _ => measured(arguments, &question)?,
    };
    match arguments.format {
        Format::Json => output::print_json(&answer),
        Format::Human => output::print(&answer.render()),
    }
}

/// What to explain.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    base: String,
    head: String,
    case: Option<String>,
}

impl Question {
    fn of(arguments: &ExplainArguments) -> crate::Result<Self> {
        let ExplainArguments { base, head, case, of, .. } = arguments;
        match (RegressionPage::parse(base).filter(|_| *of == Sides::Revision), head) {
            (Some(page), None) => page.question(arguments.token_file.as_deref()),
            (Some(_), Some(head)) => Err(Failure::Usage(format!(
                "{head}: unexpected after the address of a regression, which has its commits and case"
            ))),
            (None, Some(head)) => Ok(Self { base: base.clone(), head: head.clone(), case: case.clone() }),
            (None, None) => Err(Failure::Usage(format!(
                "{base}: expected a second side to compare it with, or the address of a regression, such as \
                 https://roundtrip.example.org/libfoo/regressions/12"
            ))),
        }
    }
}

fn measured(arguments: &ExplainArguments, question: &Question) -> crate::Result<Answer> {
    let git = arguments.repository.as_deref().map_or_else(Git::here, Git::named);
    let root = git.root().ok();
    let settings = root.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
    let timeout = arguments.commands.timeout;
    let source = Source { git: &git, root: root.as_deref(), settings: &settings, timeout };
    let ExplainArguments { of, preset, .. } = arguments;
    let Question { base, head, case } = question;
    if *of == Sides::Revision && preset.is_none() && settings.has_only_commands() {
        return Err(Failure::Usage(format!(
            "{} has only commands, whose results `roundtrip ab` compares. Add a definition of a program to explain it.",
            settings::FILE
        )));
    }
    let mut stop = stop::until_signalled()?;
    let request = Request { base, head, of: *of, preset: preset.as_deref() };
    let mut prepared = PreparedComparison::prepare(&request, &source, &mut stop)?;
    let names: Vec<String> =
        prepared.pairs.iter().map(|pair| table::describe(&unmeasured(&pair.base))).collect();
    let selected = ab::select(&names, case.as_deref())?;
    prepared.pairs = selected.into_iter().map(|place| prepared.pairs[place].clone()).collect();

    let peer = run::peer()?;
    let (identical, pairs) = prepared.identical(&peer);
    let order_seed = arguments.seed.unwrap_or_else(rand::random);
    let budget = BUDGET * u32::try_from(pairs.len()).unwrap_or(u32::MAX);
    let (deadline, rule) = (prepared.plan.deadline, settings.rule());
    let comparison = Comparison { pairs, deadline, rule, budget: Some(budget) };
    let results = match comparison.pairs.is_empty() {
        true => Vec::new(),
        false => ab::measure(&comparison, order_seed, &mut stop)?.results,
    };
    let lines = ab::lines(&results, &comparison.rule)?;
    let mut machine_time: Duration = results.iter().map(|case| case.machine_time).sum();
    let check = &mut || stop.check();
    let mut probing = Probing { peer: &peer, deadline, order_seed, check, overhead_ns: None };
    let mut measured = Vec::new();
    for ((pair, compared), line) in comparison.pairs.iter().zip(&results).zip(lines) {
        let began = Instant::now();
        let mut explained = Explained::of_results(&line, &compared.base, &compared.head)?;
        if explained.is_changed() {
            probing.explain(pair, compared, &mut explained)?;
        }
        if let Some([base, head]) = prepared.commits() {
            let findings: Vec<_> = explained.findings.iter().map(Finding::to_wire).collect();
            explained.suspects = suspects::find(&git, base, head, &findings)?;
        }
        machine_time += began.elapsed();
        measured.push(explained);
    }
    let lines = ab::with_identical(Vec::new(), &identical, &comparison.rule)?;
    for line in &lines {
        measured.push(Explained::unmeasured(line));
    }
    Ok(Answer { order_seed: Some(order_seed), machine_seconds: machine_time.as_secs_f64(), cases: measured })
}

/// Adds explanations to the regressed cases of a job that compares with this commit: those that became slower by the largest share,
/// because each takes some seconds.
pub(crate) fn add_to_regressed(
    results: &mut [Compared],
    comparison: &Comparison,
    base_sha: &CommitSha,
    names: FunctionNames,
    peer: &PeerCommand,
    check: &mut dyn FnMut() -> ControlFlow<()>,
) -> crate::Result<()> {
    let lines = ab::lines(results, &comparison.rule)?;
    let change = |compared: &Compared| compared.row.p50.shift.map_or(0.0, |shift| shift.estimate);
    let mut regressed: Vec<usize> =
        (0..results.len()).filter(|&place| lines[place].verdict == Verdict::Regressed).collect();
    regressed.sort_by(|&one, &other| change(&results[other]).total_cmp(&change(&results[one])));
    let order_seed = rand::random();
    let mut probing = Probing { peer, deadline: comparison.deadline, order_seed, check, overhead_ns: None };
    for place in regressed.into_iter().take(EXPLAINED_MAX) {
        let compared = &mut results[place];
        let mut explained = Explained::of_results(&lines[place], &compared.base, &compared.head)?;
        probing.explain(&comparison.pairs[place], compared, &mut explained)?;
        if names == FunctionNames::Withheld {
            explained.withhold_names();
        }
        compared.head.explanation = explained.to_wire(base_sha);
        compared.head.profile = explained.profile.filter(|_| compared.head.explanation.is_some());
    }
    Ok(())
}

/// Explains what two reports allow: the usage of both sides.
fn of_reports(question: &Question) -> crate::Result<Answer> {
    let read = |path: &str| report_file::read(Path::new(path));
    let (base, head) = (read(&question.base)?, read(&question.head)?);
    let sides = compare::pairs(&base.results, &head.results);
    let comparison = compare::compared(&base, &head, &sides)?;
    let mut lines = Vec::new();
    for (line, sides) in comparison.cases.iter().zip(&sides) {
        if let &(Some(base), Some(head)) = sides {
            lines.push((line, base, head));
        }
    }
    let names: Vec<String> = lines.iter().map(|(line, ..)| line.case.clone()).collect();
    let selected = ab::select(&names, question.case.as_deref())?;
    let mut cases = Vec::new();
    for (line, base, head) in selected.into_iter().map(|place| lines[place]) {
        let mut explained = Explained::of_results(line, base, head)?;
        if explained.is_changed() {
            let (base, head) = (Side::measured(base, None), Side::measured(head, None));
            explained.find(Evidence { base, head, ..Evidence::default() });
            let note = "Reports have no system calls: only measuring again can name them. Pass two revisions or commands.";
            explained.notes.push(note.to_owned());
        }
        cases.push(explained);
    }
    Ok(Answer { order_seed: None, machine_seconds: 0.0, cases })
}

/// The repetitions with a probe.
struct Probing<'a> {
    peer: &'a PeerCommand,
    deadline: Duration,
    order_seed: u64,
    check: &'a mut dyn FnMut() -> ControlFlow<()>,
    /// The overhead of the observation of a call, measured once.
    overhead_ns: Option<[f64; 2]>,
}

impl Probing<'_> {
    fn explain(&mut self, pair: &Pair, compared: &Compared, explained: &mut Explained) -> crate::Result<()> {
        let overhead_ns = *self.overhead_ns.get_or_insert_with(|| probes::overhead_ns(self.peer));
        let mut evidence = Evidence {
            is_on_several_cpus: evidence::uses_several_cpus(&compared.head),
            base: Side::measured(&compared.base, Some(&pair.base)),
            head: Side::measured(&compared.head, Some(&pair.head)),
            ..Evidence::default()
        };
        let mut random = StdRng::seed_from_u64(self.order_seed);
        let probed = probes::Probed { pair, peer: self.peer, deadline: self.deadline, overhead_ns };
        explained.notes = probed.add_to(&mut evidence, explained.slower_ns(), &mut random, self.check)?;
        let [base, head] = [&evidence.base.stacks, &evidence.head.stacks];
        if base.messages > 0 && head.messages > 0 {
            explained.profile = Some(comparison::merge(base, head));
        }
        explained.find(evidence);
        Ok(())
    }
}

impl Explained {
    /// A case with results on both sides, before it is explained.
    fn of_results(line: &Line, base: &CaseResult, head: &CaseResult) -> crate::Result<Self> {
        let times = |side: &CaseResult| -> crate::Result<Vec<f64>> {
            let case = &side.case;
            let messages = case.total_bytes.map(|total| total / case.message_bytes.max(1)).or(case.messages);
            let messages = messages.unwrap_or(1).max(1) as f64;
            Ok(table::p50s_ns(side)?.into_iter().map(|ns| ns as f64 / messages).collect())
        };
        let (base_ns, head_ns) = (times(base)?, times(head)?);
        let is_paired =
            base_ns.len() == head_ns.len() && head.repetitions.iter().all(|one| one.log_ratio_ppb.is_some());
        let shift = if is_paired {
            let differences: Vec<f64> =
                base_ns.iter().zip(&head_ns).map(|(base, head)| head - base).collect();
            shift::paired(&differences, CONFIDENCE)
        } else {
            shift::unpaired(&base_ns, &head_ns, CONFIDENCE)
        };
        Ok(Self {
            base_ns: shift::pseudomedian(&base_ns),
            head_ns: shift::pseudomedian(&head_ns),
            change_ns: shift.map(|shift| shift.estimate),
            change_interval_ns: shift.and_then(|shift| shift.interval),
            unit: usage::unit(head),
            ..Self::unmeasured(line)
        })
    }

    fn unmeasured(line: &Line) -> Self {
        Self {
            case: line.case.clone(),
            verdict: line.verdict,
            base_ns: None,
            head_ns: None,
            change_ns: None,
            change_interval_ns: None,
            findings: Vec::new(),
            unexplained_ns: None,
            suspects: Vec::new(),
            profile: None,
            notes: line.reasons.iter().cloned().chain(line.undecided.clone()).collect(),
            verdict_text: line.verdict_text(),
            unit: "message",
        }
    }

    /// `None` without an estimate of the change.
    fn to_wire(&self, base_sha: &CommitSha) -> Option<Explanation> {
        Some(Explanation {
            base_sha: base_sha.clone(),
            change_ns: whole_signed(self.change_ns?),
            findings: self.findings.iter().take(FINDINGS_MAX).map(Finding::to_wire).collect(),
            unexplained_ns: whole_signed(self.unexplained_ns?),
            notes: self.notes.iter().take(FINDINGS_MAX).cloned().collect(),
            suspects: self.suspects.clone(),
            has_profile: self.profile.is_some(),
        })
    }

    /// Leaves out the names of the program's functions.
    fn withhold_names(&mut self) {
        for finding in &mut self.findings {
            if let Some(name) = finding.function.take() {
                finding.text = finding.text.replace(&format!("`{name}`"), "a function");
            }
        }
        if let Some(profile) = &mut self.profile {
            comparison::withhold_names(profile);
        }
    }

    fn is_changed(&self) -> bool {
        matches!(self.verdict, Verdict::Regressed | Verdict::Improved)
    }

    /// The time of the slower side.
    fn slower_ns(&self) -> f64 {
        self.base_ns.unwrap_or_default().max(self.head_ns.unwrap_or_default())
    }

    fn find(&mut self, evidence: Evidence) {
        let Some(change_ns) = self.change_ns else { return };
        let evidence = Evidence { unit: self.unit, change_ns, ..evidence };
        let (findings, rest) = rules::explain(&evidence);
        (self.findings, self.unexplained_ns) = (findings, Some(rest));
    }

    fn render(&self) -> String {
        let Self { case, unit, .. } = self;
        let measured = self.change_ns.zip(self.base_ns.zip(self.head_ns)).filter(|_| self.is_changed());
        let Some((change, (base, head))) = measured else {
            let notes: String = self.notes.iter().map(|note| format!("\n  {note}")).collect();
            return format!("{case}: {}{notes}", self.verdict_text);
        };
        let time = |ns: f64| nanoseconds(whole(ns));
        let all = signed_nanoseconds(change);
        let interval = self.change_interval_ns.map(|ends| {
            let [low, high] = ends.map(signed_nanoseconds);
            format!(" (95 % interval {low} to {high})")
        });
        let mut lines = vec![format!(
            "{case}: {}, {all} per {unit}{}, {} to {}",
            self.verdict_text,
            interval.unwrap_or_default(),
            time(base),
            time(head)
        )];
        for (place, finding) in self.findings.iter().enumerate() {
            let Finding { text, explains_ns, explains_range_ns, rule, .. } = finding;
            let [low, high] = explains_range_ns.map(signed_nanoseconds);
            let part = signed_nanoseconds(*explains_ns);
            let range = if low == high { String::new() } else { format!(" ({low} to {high})") };
            lines.push(format!("  {}. {text}: {part}{range} of {all} [{rule}]", place + 1));
        }
        if let Some(rest) = self.unexplained_ns {
            lines.push(format!("  Not explained: {} of {all}", signed_nanoseconds(rest)));
        }
        for Suspect { sha, names } in &self.suspects {
            lines.push(format!("  Commit {} changes `{}`", sha.short(), names.join("`, `")));
        }
        lines.extend(self.notes.iter().map(|note| format!("  {note}")));
        lines.join("\n")
    }
}

impl Answer {
    fn render(&self) -> String {
        let mut lines: Vec<String> = self.cases.iter().map(Explained::render).collect();
        if !self.cases.iter().any(Explained::is_changed) {
            lines.push("No case changed, so there is nothing to explain.".into());
        }
        if let Some(seed) = self.order_seed {
            lines.push(format!("\n{:.0} s, seed {seed}.", self.machine_seconds));
        }
        lines.join("\n")
    }
}
