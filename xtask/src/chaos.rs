//! `chaos`: injects faults and reports which promises held. The list is `xtask/chaos/promises.toml`.

use crate::counts::{self, Counts};
use crate::fixture::Services;
use crate::programs::{self, TestPrograms};
use crate::screen::{self, Step};
use crate::{interrupt, platform, tool, workspace};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Command, ExitCode};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The parts of the project with promises.
const PARTS: [&str; 11] = [
    "server",
    "attack",
    "backup",
    "upgrade",
    "lab",
    "agents",
    "harness",
    "ring",
    "github",
    "notifications",
    "soak",
];
const LIST: &str = "xtask/chaos/promises.toml";
pub(crate) const PAGE: &str = "docs/reference/promises.md";
/// The check for promises without tests.
const SOAK: &str = "cargo xtask bench server --only soak";
const ROUNDS: u32 = 10;
/// Passes the number of repetitions to tests.
const ROUNDS_VARIABLE: &str = "ROUNDTRIP_FAULT_ROUNDS";
const KILLS_VARIABLE: &str = "ROUNDTRIP_KILLS";
const KILLS_PER_ROUND: u32 = 100;
const TIMEOUT: Duration = Duration::from_secs(600);
const TIMEOUT_PER_ROUND: Duration = Duration::from_secs(60);
/// Texts that tests print when they do not apply to this machine. These tests have not passed.
const NOT_APPLICABLE: [&str; 2] = ["not run, because", "does not apply"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only this part.
    #[arg(long, value_name = "PART", value_parser = PARTS)]
    only: Option<String>,
    /// Repetitions of each fault at a random moment.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Promise {
    /// The part of the project for `--only`.
    #[serde(skip)]
    part: &'static str,
    says: String,
    fault: String,
    /// Whether the tests repeat the fault at random moments.
    #[serde(default)]
    rounds: bool,
    /// Test programs, each with a test name.
    #[serde(default)]
    tests: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Held,
    /// With the log of the tests.
    Broken(String),
    Missed,
    /// The promise does not apply to this machine, for this reason.
    NotApplicable(String),
}

/// A promise, and whether it holds.
type Row = (String, Verdict);

pub(crate) fn chaos(options: &Options) -> Result<ExitCode> {
    let mut wanted = promises()?;
    wanted.retain(|promise| options.only.as_ref().is_none_or(|part| promise.part == part));
    let started = Instant::now();
    workspace::claim_target_folder()?;
    let has_tests = wanted.iter().any(|promise| !promise.tests.is_empty());
    let runner = if has_tests { Some(FaultRunner::open(options.rounds)?) } else { None };
    let rows =
        wanted.into_iter().map(|promise| try_one(promise, runner.as_ref())).collect::<Result<Vec<_>>>()?;
    if let Some(runner) = runner {
        runner.services.stop()?;
    }
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    println!("{}", closing_line(&rows));
    Ok(exit_code(&rows))
}

fn promises() -> Result<Vec<Promise>> {
    let mut list: BTreeMap<String, Vec<Promise>> = toml::from_str(&workspace::read(LIST)?).context(LIST)?;
    let mut promises = Vec::new();
    for part in PARTS {
        let of_part = list.remove(part).with_context(|| format!("no part {part} in {LIST}"))?;
        promises.extend(of_part.into_iter().map(|promise| Promise { part, ..promise }));
    }
    ensure!(list.is_empty(), "{LIST} has unknown parts: {:?}", list.keys());
    Ok(promises)
}

fn try_one(promise: Promise, runner: Option<&FaultRunner>) -> Result<Row> {
    let (step, verdict) = match runner {
        Some(runner) if !promise.tests.is_empty() => {
            let step = Step::start(promise.part);
            step.message(&promise.fault);
            let verdict = runner.run(&promise.tests, &step);
            (step, verdict)
        }
        _ => {
            // The benchmark prints its own progress.
            let verdict = soak();
            (Step::start(promise.part), verdict)
        }
    };
    interrupt::check()?;
    let verdict = verdict.unwrap_or_else(|error| Verdict::Broken(format!("{error:#}")));
    match &verdict {
        Verdict::Held => step.done(&promise.says),
        Verdict::NotApplicable(reason) => step.skipped(&format!("{} Not tested: {reason}", promise.says)),
        Verdict::Missed => step.failed(&promise.says),
        Verdict::Broken(log) => {
            step.failed(&promise.says);
            log.lines().for_each(|line| eprintln!("    {line}"));
        }
    }
    Ok((promise.says, verdict))
}

/// Runs the endurance benchmark of the server.
fn soak() -> Result<Verdict> {
    let mut bench = Command::new(std::env::current_exe().context("cannot find the path of this program")?);
    let status = tool::run_attached(bench.args(["bench", "server", "--only", "soak"]))?;
    Ok(match status.code() {
        Some(0) => Verdict::Held,
        Some(code) if code == i32::from(roundtrip_budget::MISSED) => Verdict::Missed,
        _ => Verdict::Broken(format!("the benchmark exited with {status}")),
    })
}

struct FaultRunner {
    programs: TestPrograms,
    services: Services,
    rounds: u32,
}

impl FaultRunner {
    fn open(rounds: u32) -> Result<Self> {
        let step = Step::start("test programs");
        let programs = programs::tests(&step)?;
        step.done("built");
        let step = Step::start("postgresql");
        let services = Services::start(&programs, &step)?;
        step.done("ready");
        Ok(Self { programs, services, rounds })
    }

    /// Runs tests, grouped by program.
    fn run(&self, tests: &[String], step: &Step) -> Result<Verdict> {
        let tests: Vec<_> = tests.iter().map(|test| split(test)).collect::<Result<_>>()?;
        let mut not_applicable = None;
        for tests in tests.chunk_by(|one, other| one.0 == other.0) {
            let names: Vec<&str> = tests.iter().map(|(_, name)| *name).collect();
            match self.run_program(tests[0].0, &names, step)? {
                Verdict::Held => {}
                Verdict::NotApplicable(reason) => not_applicable = not_applicable.or(Some(reason)),
                broken => return Ok(broken),
            }
        }
        Ok(not_applicable.map_or(Verdict::Held, Verdict::NotApplicable))
    }

    fn run_program(&self, (folder, target): (&str, &str), names: &[&str], step: &Step) -> Result<Verdict> {
        let program = self.programs.test_program(folder, target)?;
        let running = self
            .services
            .tests(&program, folder)
            .words("--exact --show-output")
            .arguments(names)
            .variable(ROUNDS_VARIABLE, self.rounds.to_string())
            .variable(KILLS_VARIABLE, (KILLS_PER_ROUND * self.rounds).to_string())
            .with_descendants()
            .spawn()?;
        let (timeout, mut log) = (TIMEOUT + self.rounds * TIMEOUT_PER_ROUND, String::new());
        let end = Instant::now() + timeout;
        loop {
            match running.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    step.message(line.text());
                    log.extend([line.text(), "\n"]);
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    platform::end_process_group(&running.child, true);
                    let seconds = timeout.as_secs();
                    return Ok(Verdict::Broken(format!("{log}timed out after {seconds} s")));
                }
            }
        }
        let status = running.wait()?;
        interrupt::check()?;
        Ok(verdict(&log, status.success(), names.len()))
    }
}

/// Splits a test of the list into package folder, program and name.
fn split(test: &str) -> Result<((&str, &str), &str)> {
    let parts = test.split_once(' ').and_then(|(program, name)| Some((program.split_once("/tests/")?, name)));
    parts.with_context(|| format!("`{test}` in {LIST} is not a test: expected FOLDER/tests/PROGRAM NAME"))
}

fn verdict(log: &str, ended_well: bool, tests: usize) -> Verdict {
    let counts = Counts::from_cargo(log, ended_well);
    if counts.failed > 0 {
        return Verdict::Broken([counts::failures(log), counts.problems.join("\n")].join("\n"));
    }
    if counts.passed < tests as u64 {
        return Verdict::Broken(format!("found only {} of {tests} tests", counts.passed));
    }
    let [begins, holds] = NOT_APPLICABLE;
    let mut lines = log.lines().map(str::trim);
    let reason = lines.find(|line| line.starts_with(begins) || line.contains(holds));
    reason.map_or(Verdict::Held, |reason| Verdict::NotApplicable(reason.to_owned()))
}

fn closing_line(rows: &[Row]) -> String {
    let count = |wanted: fn(&Verdict) -> bool| rows.iter().filter(|(_, verdict)| wanted(verdict)).count();
    let held = count(|verdict| *verdict == Verdict::Held);
    let not_applicable = match count(|verdict| matches!(verdict, Verdict::NotApplicable(_))) {
        0 => String::new(),
        count => format!(", {count} not tested here"),
    };
    let is_broken = |(_, verdict): &&Row| matches!(verdict, Verdict::Broken(_) | Verdict::Missed);
    let broken: Vec<&str> = rows.iter().filter(is_broken).map(|(says, _)| says.as_str()).collect();
    let lost =
        if broken.is_empty() { "no data lost".into() } else { format!("broken: {}", broken.join(" ")) };
    format!("{held} held, {} broken{not_applicable}; {lost}", broken.len())
}

/// 1 for a broken promise, 3 for a missed budget.
fn exit_code(rows: &[Row]) -> ExitCode {
    if rows.iter().any(|(_, verdict)| matches!(verdict, Verdict::Broken(_))) {
        ExitCode::FAILURE
    } else if rows.iter().any(|(_, verdict)| *verdict == Verdict::Missed) {
        ExitCode::from(roundtrip_budget::MISSED)
    } else {
        ExitCode::SUCCESS
    }
}

pub(crate) fn page() -> Result<String> {
    let text = workspace::read("xtask/chaos/page.txt")?;
    let parts = text.split_once("<!-- the list -->\n");
    let (head, tail) = parts.context("no line `<!-- the list -->` in xtask/chaos/page.txt")?;
    let mut page = head.to_owned();
    for promises in promises()?.chunk_by(|one, other| one.part == other.part) {
        write!(page, "\n## {}\n\n| promise | fault | tests |\n|---|---|---|\n", promises[0].part)?;
        for Promise { says, fault, rounds, tests, .. } in promises {
            let star = if *rounds { " \u{2605}" } else { "" };
            let tests: Vec<_> = tests.iter().map(|test| format!("`{}`", test.replace(' ', "` `"))).collect();
            let held_by = if tests.is_empty() { format!("`{SOAK}`") } else { tests.join("<br>") };
            writeln!(page, "| {says} | {fault}{star} | {held_by} |")?;
        }
    }
    Ok(page + tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The sources that may contain a test. Modules are files or folders. A program without modules has its
    /// own harness.
    fn sources(test: &str) -> String {
        let ((folder, target), name) = split(test).unwrap();
        let target = workspace::root().join(folder).join("tests").join(target);
        let files = match name.rsplit_once("::") {
            Some((modules, _)) => {
                let module = target.join(modules.replace("::", "/"));
                vec![module.with_extension("rs"), module.join("mod.rs")]
            }
            None => vec![target.with_extension("rs"), target.join("main.rs"), target.join("parent.rs")],
        };
        files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
    }

    #[test]
    fn listed_tests_exist() {
        let is_missing = |test: &String| {
            let function = test.rsplit([':', ' ']).next().unwrap();
            let text = sources(test);
            // A program with its own harness prints the names of its tests.
            !text.contains(&format!("fn {function}(")) && !text.contains(&format!("\"{function}: "))
        };
        let listed = promises().unwrap().into_iter().flat_map(|promise| promise.tests);
        let missing: Vec<String> = listed.filter(is_missing).collect();
        assert!(missing.is_empty(), "promises name tests that are gone: {missing:?}");
    }

    #[test]
    fn lists_each_promise_and_test_once() {
        let page = page().unwrap();
        assert!(workspace::read(PAGE).unwrap() == page, "{PAGE} is stale: run `cargo xtask gen`\n{page}");
        let mut seen = BTreeSet::new();
        for Promise { part, says, fault, tests, .. } in promises().unwrap() {
            assert!(page.contains(&format!("| {says} | {fault}")), "{says}");
            assert!(page.contains(&format!("\n## {part}\n")), "{part}");
            assert!(!says.contains('|') && !fault.contains('|'), "{says}");
            assert!(seen.insert(says.clone()), "{says}");
            tests.into_iter().for_each(|test| assert!(seen.insert(test.clone()), "{test}"));
        }
    }

    #[test]
    fn promises_need_tests_that_ran() {
        let passed =
            "test a ... ok\ntest b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";
        assert_eq!(verdict(passed, true, 2), Verdict::Held);
        assert_eq!(verdict(passed, true, 3), Verdict::Broken("found only 2 of 3 tests".into()));
        let skipped = format!("not run, because only root can\n{passed}");
        assert_eq!(
            verdict(&skipped, true, 2),
            Verdict::NotApplicable("not run, because only root can".into())
        );
        let of_one = format!("fifo: not run, because this system has none\n{passed}");
        assert_eq!(verdict(&of_one, true, 2), Verdict::Held, "a missing transport breaks no promise");
        let log = "test a ... FAILED\nlost [7]\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let Verdict::Broken(kept) = verdict(log, false, 1) else { panic!("it is broken") };
        assert!(kept.contains("lost [7]"), "{kept}");
    }

    #[test]
    fn last_line_reports_loss() {
        let row = |says: &str, verdict| (says.to_owned(), verdict);
        let mut rows = vec![row("A.", Verdict::Held), row("B.", Verdict::NotApplicable("no root".into()))];
        assert_eq!(closing_line(&rows), "1 held, 0 broken, 1 not tested here; no data lost");
        assert_eq!(exit_code(&rows), ExitCode::SUCCESS);
        rows.push(row("C.", Verdict::Missed));
        assert_eq!(exit_code(&rows), ExitCode::from(3));
        rows.push(row("D.", Verdict::Broken(String::new())));
        assert_eq!(exit_code(&rows), ExitCode::FAILURE);
        assert_eq!(closing_line(&rows), "1 held, 2 broken, 1 not tested here; broken: C. D.");
    }
}
