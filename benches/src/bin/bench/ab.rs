//! Comparisons of two `node` builds: false-positive rate of A/A comparisons, power to detect a slowdown of 5 %, and
//! machine time compared with Node's own procedure.

use crate::row;
use crate::{Measured, Options, Unsupported};
use roundtrip_bench::definition::{self, Plan, PlannedCase, Repetitions};
use roundtrip_bench::harness::ab::{self, Compared, Comparison, Pair, Progress};
use roundtrip_bench::harness::{self, PeerCommand, support};
use roundtrip_bench::program::{Launch, Program};
use roundtrip_bench::scenario::Work;
use roundtrip_budget::BarIs;
use roundtrip_stats::verdict::{Rule, Verdict};
use roundtrip_stats::welch;
use roundtrip_wire::{CaseResult, Repetition};
use std::io::Write as _;
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

const PRESET: &str = "node-framing";
/// The least number of comparisons of a side with itself, in rounds of all cases.
const COMPARISONS: usize = 200;
/// The least number of comparisons with a slower side.
const COMPARISONS_SLOWER: usize = 100;

/// The largest accepted false-positive rate.
const FALSE_MAX: f64 = 0.01;
/// The least share of slowdowns by [`SLOWER`] that must be detected.
const FOUND_MIN: f64 = 0.95;
const SLOWER: f64 = 0.05;
/// The largest accepted machine time, relative to Node's own procedure.
const TIME_MAX: f64 = 0.1;

/// Node's own procedure: runs per side and the length of each (from the published comparison of its framings).
const NODE_RUNS: u32 = 30;
const NODE_RUN: Duration = Duration::from_secs(5);

pub(crate) fn measure(options: &Options) -> Result<Measured, String> {
    let plan = definition::preset(PRESET).map_err(|error| error.to_string())?;
    let is_wanted = |case: &PlannedCase| {
        let is_asked_for =
            options.only.as_ref().is_none_or(|slug| case.transport.info().slug.as_str() == slug);
        let is_small = case.work.message_bytes == 64 && case.work.window == 1;
        case.uses_node() && is_asked_for && (is_small || !options.quick)
    };
    let cases: Vec<PlannedCase> = plan.cases.iter().filter(|case| is_wanted(case)).cloned().collect();
    let Some(first) = cases.first() else {
        return Err(format!("preset {PRESET} has no Node case that matches the options"));
    };
    if let Err(reason) = support(first) {
        let unsupported = Unsupported::from([(reason.to_string(), [PRESET.to_owned()].into())]);
        return Ok(Measured { rows: Vec::new(), unsupported });
    }
    let peer = PeerCommand::this_program()
        .map_err(|error| format!("cannot find the path of this program: {error}"))?;
    // Both sides intercept messages, because that alone takes some microseconds; only the head spins.
    let scripts = [script(0.0)?, script(SLOWER)?];
    let at_least = |comparisons| if options.quick { cases.len() } else { comparisons };

    let equal = |case: &PlannedCase| Pair { base: case.clone(), head: case.clone() };
    let slow = |case: &PlannedCase| {
        let [base, head] = scripts.each_ref().map(|script| with(case, script));
        Pair { base, head }
    };
    let rounds = Rounds { deadline: plan.deadline, peer: &peer };
    let same = rounds.run("base = head", at_least(COMPARISONS), cases.iter().map(equal).collect());
    let slowed =
        rounds.run("head 5 % slower", at_least(COMPARISONS_SLOWER), cases.iter().map(slow).collect());

    let node_s = NODE_RUN.as_secs() * u64::from(2 * NODE_RUNS);
    let mut theirs =
        (format!("Node's procedure, {NODE_RUNS} runs of {} s a side", NODE_RUN.as_secs()), node_s * 1_000);
    if !options.quick {
        theirs = node_procedure(&plan, slow(first), &peer)?;
    }
    let mut rows = vec![
        row::share(
            (BarIs::RatioAtMost, FALSE_MAX),
            "base = head, reported as changed".into(),
            (same.changed, same.all),
        ),
        row::share(
            (BarIs::RatioAtLeast, FOUND_MIN),
            format!("head 5 % slower, found (seen as {:+.1} %)", slowed.typical_percent),
            (slowed.regressed, slowed.all),
        ),
    ];
    for (name, tally) in [("base = head", &same), ("head 5 % slower", &slowed)] {
        let decided =
            format!("{name}, machine time per decided case ({} of {} decided)", tally.decided, tally.all);
        rows.push(row::time_at_most(TIME_MAX, decided, tally.machine_ms_per_decided(), theirs.clone()));
    }
    Ok(Measured { rows, unsupported: Unsupported::new() })
}

struct Rounds<'a> {
    deadline: Duration,
    peer: &'a PeerCommand,
}

#[derive(Debug, Default)]
struct Tally {
    all: u64,
    changed: u64,
    regressed: u64,
    decided: u64,
    machine_time: Duration,
    typical_percent: f64,
}

impl Rounds<'_> {
    fn run(&self, kind: &str, comparisons: usize, pairs: Vec<Pair>) -> Tally {
        let comparison = Comparison { pairs, deadline: self.deadline, rule: Rule::default(), budget: None };
        let mut tally = Tally::default();
        let mut changes = Vec::new();
        while tally.all < comparisons as u64 {
            let mut decided = 0;
            let mut observe = |progress: Progress| {
                if progress.decided > decided {
                    decided = progress.decided;
                    eprintln!("{kind}: {decided} decided after {} pairs", progress.pairs);
                }
            };
            for compared in ab::run(&comparison, self.peer, rand::random(), &mut observe).results {
                tally.add(kind, &compared);
                changes.extend(compared.row.p50.shift.map(|shift| 100.0 * shift.estimate.exp_m1()));
            }
        }
        changes.sort_unstable_by(f64::total_cmp);
        tally.typical_percent = changes.get(changes.len() / 2).copied().unwrap_or_default();
        tally
    }
}

impl Tally {
    fn add(&mut self, kind: &str, compared: &Compared) {
        let verdict = compared.row.p50.verdict.unwrap_or(Verdict::Inconclusive);
        self.all += 1;
        self.changed += u64::from(compared.row.changed());
        self.regressed += u64::from(verdict == Verdict::Regressed);
        self.decided += u64::from(verdict != Verdict::Inconclusive);
        self.machine_time += compared.machine_time;
        let Compared { base, pairs, row, machine_time, .. } = compared;
        eprintln!(
            "{kind} {:3}: {} {} B, window {}: {verdict:?} at {:+.1} % after {} pairs, {:.1} s{}",
            self.all,
            base.transport.slug,
            base.case.message_bytes,
            base.methodology.window,
            row.p50.shift.map_or(f64::NAN, |shift| 100.0 * shift.estimate.exp_m1()),
            pairs.len(),
            machine_time.as_secs_f64(),
            failures(compared),
        );
    }

    fn machine_ms_per_decided(&self) -> u64 {
        let milliseconds = self.machine_time.as_millis() / u128::from(self.decided.max(1));
        u64::try_from(milliseconds).unwrap_or(u64::MAX)
    }
}

fn failures(Compared { base, head, .. }: &Compared) -> String {
    let failures = base.failures.iter().chain(&head.failures);
    failures.map(|failure| format!("; failed: {}", failure.reason)).collect()
}

/// The same case with a `node` slowed down by the script's share.
fn with(case: &PlannedCase, script: &NamedTempFile) -> PlannedCase {
    let Some(program) = case.transport.program() else { return case.clone() };
    let mut program = Program::clone(program);
    if let Launch::Command(command) = &mut program.launch {
        let required = ["--require".to_owned(), script.path().to_string_lossy().into_owned()];
        command.splice(1..1, required);
    }
    PlannedCase { transport: program.into(), ..case.clone() }
}

fn script(share: f64) -> Result<NamedTempFile, String> {
    let written = tempfile::Builder::new().suffix(".js").tempfile().and_then(|mut script| {
        write!(script, "'use strict';\nconst SHARE = {share};\n{}", include_str!("slower.js"))?;
        Ok(script)
    });
    written.map_err(|error| format!("writing the script that slows Node: {error}"))
}

/// Runs Node's own procedure for one configuration; returns its outcome and its duration in milliseconds.
fn node_procedure(
    plan: &Plan,
    Pair { base, head }: Pair,
    peer: &PeerCommand,
) -> Result<(String, u64), String> {
    let run =
        |cases| harness::run(&Plan { cases, ..plan.clone() }, peer, rand::random(), &mut |_| {}).results;
    // Chooses the number of operations that fills the time. `node` gets faster as it warms up, so this measures twice.
    let mut operations = base.work.operations;
    for _ in 0..2 {
        let work = Work { operations, ..base.work.clone() };
        let once = PlannedCase { work, repetitions: Repetitions::exactly(1), ..base.clone() };
        let rate = rates(&run(vec![once]), 0)?.first().copied().unwrap_or(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundred thousand")]
        let in_time = (rate * NODE_RUN.as_secs_f64()) as u64;
        operations = in_time;
    }

    let full = |case: &PlannedCase| PlannedCase {
        work: Work { operations, ..case.work.clone() },
        repetitions: Repetitions::exactly(NODE_RUNS),
        ..case.clone()
    };
    let began = Instant::now();
    let results = run(vec![full(&base), full(&head)]);
    let took = began.elapsed();
    let test = welch::welch(&rates(&results, 0)?, &rates(&results, 1)?);
    let (t, stars) = test.map_or((f64::NAN, ""), |test| (test.t, welch::stars(test.p_two_sided)));
    let name = format!("Node's procedure for one case (it finds t = {t:.1} {stars})");
    Ok((name, u64::try_from(took.as_millis()).unwrap_or(u64::MAX)))
}

/// Messages per second of each repetition, counted as in Node's tool.
fn rates(results: &[CaseResult], side: usize) -> Result<Vec<f64>, String> {
    let result = results.get(side).ok_or("a side was not measured")?;
    if let Some(failure) = result.failures.first() {
        return Err(failure.reason.clone());
    }
    let rate =
        |repetition: &Repetition| 1e9 * repetition.delivered as f64 / repetition.elapsed_ns.max(1) as f64;
    Ok(result.repetitions.iter().map(rate).collect())
}
