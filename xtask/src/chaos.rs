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

/// The parts of the project that promise something.
const PARTS: [&str; 10] =
    ["server", "backup", "upgrade", "lab", "agents", "harness", "ring", "github", "notifications", "soak"];
const LIST: &str = "xtask/chaos/promises.toml";
pub(crate) const PAGE: &str = "docs/reference/promises.md";
/// What holds a promise without tests.
const SOAK: &str = "cargo xtask bench server --only soak";
const ROUNDS: u32 = 10;
/// Tells tests how often to repeat faults.
const ROUNDS_VARIABLE: &str = "ROUNDTRIP_FAULT_ROUNDS";
const KILLS_VARIABLE: &str = "ROUNDTRIP_KILLS";
const KILLS_PER_ROUND: u32 = 100;
const TIMEOUT: Duration = Duration::from_secs(600);
const TIMEOUT_PER_ROUND: Duration = Duration::from_secs(60);
/// How tests say that they do not apply to this machine, which is not the same as passing.
const NOT_TRIED: [&str; 2] = ["not run, because", "does not apply"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// One part alone.
    #[arg(long, value_name = "PART", value_parser = PARTS)]
    only: Option<String>,
    /// How often each fault at a random moment is repeated.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Promise {
    /// The part of the project: what `--only` names.
    #[serde(skip)]
    part: &'static str,
    says: String,
    fault: String,
    /// Whether the tests repeat the fault at random moments.
    #[serde(default)]
    rounds: bool,
    /// Programs of tests, each with the name of a test.
    #[serde(default)]
    tests: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Held,
    /// With the log of the tests.
    Broken(String),
    Missed,
    /// It does not apply to this machine, for this reason.
    NotTried(String),
}

/// What a promise says, and whether it holds.
type Row = (String, Verdict);

pub(crate) fn chaos(options: &Options) -> Result<ExitCode> {
    let mut wanted = promises()?;
    wanted.retain(|promise| options.only.as_ref().is_none_or(|part| promise.part == part));
    let started = Instant::now();
    workspace::claim_target_folder()?;
    let has_tests = wanted.iter().any(|promise| !promise.tests.is_empty());
    let laboratory = if has_tests { Some(Laboratory::open(options.rounds)?) } else { None };
    let rows = wanted
        .into_iter()
        .map(|promise| try_one(promise, laboratory.as_ref()))
        .collect::<Result<Vec<_>>>()?;
    if let Some(laboratory) = laboratory {
        laboratory.services.stop()?;
    }
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    println!("{}", closing_line(&rows));
    Ok(exit_code(&rows))
}

fn promises() -> Result<Vec<Promise>> {
    let mut list: BTreeMap<String, Vec<Promise>> = toml::from_str(&workspace::read(LIST)?).context(LIST)?;
    let mut promises = Vec::new();
    for part in PARTS {
        let of_part = list.remove(part).with_context(|| format!("{LIST} has no part {part}"))?;
        promises.extend(of_part.into_iter().map(|promise| Promise { part, ..promise }));
    }
    ensure!(list.is_empty(), "{LIST} has unknown parts: {:?}", list.keys());
    Ok(promises)
}

fn try_one(promise: Promise, laboratory: Option<&Laboratory>) -> Result<Row> {
    let (step, verdict) = match laboratory {
        Some(laboratory) if !promise.tests.is_empty() => {
            let step = Step::start(promise.part);
            step.message(&promise.fault);
            let verdict = laboratory.run(&promise.tests, &step);
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
        Verdict::NotTried(reason) => step.skipped(&format!("{} Not tried: {reason}", promise.says)),
        Verdict::Missed => step.failed(&promise.says),
        Verdict::Broken(log) => {
            step.failed(&promise.says);
            log.lines().for_each(|line| eprintln!("    {line}"));
        }
    }
    Ok((promise.says, verdict))
}

/// Runs the benchmark of whether the server stays what it is.
fn soak() -> Result<Verdict> {
    let mut bench = Command::new(std::env::current_exe().context("this program does not know its own path")?);
    let status = tool::run_attached(bench.args(["bench", "server", "--only", "soak"]))?;
    Ok(match status.code() {
        Some(0) => Verdict::Held,
        Some(code) if code == i32::from(roundtrip_budget::MISSED) => Verdict::Missed,
        _ => Verdict::Broken(format!("the benchmark ended with {status}")),
    })
}

struct Laboratory {
    programs: TestPrograms,
    services: Services,
    rounds: u32,
}

impl Laboratory {
    fn open(rounds: u32) -> Result<Self> {
        let step = Step::start("test programs");
        let programs = programs::tests(&step)?;
        step.done("built");
        let step = Step::start("postgresql");
        let services = Services::start(&programs, &step)?;
        step.done("ready");
        Ok(Self { programs, services, rounds })
    }

    /// Runs tests, those of one program together.
    fn run(&self, tests: &[String], step: &Step) -> Result<Verdict> {
        let tests: Vec<_> = tests.iter().map(|test| split(test)).collect::<Result<_>>()?;
        let mut not_tried = None;
        for tests in tests.chunk_by(|one, other| one.0 == other.0) {
            let names: Vec<&str> = tests.iter().map(|(_, name)| *name).collect();
            match self.run_program(tests[0].0, &names, step)? {
                Verdict::Held => {}
                Verdict::NotTried(reason) => not_tried = not_tried.or(Some(reason)),
                broken => return Ok(broken),
            }
        }
        Ok(not_tried.map_or(Verdict::Held, Verdict::NotTried))
    }

    fn run_program(&self, (folder, target): (&str, &str), names: &[&str], step: &Step) -> Result<Verdict> {
        let program = self.programs.of(folder, target)?;
        let running = self
            .services
            .tests(&program, folder)
            .words("--exact --show-output")
            .arguments(names)
            .variable(ROUNDS_VARIABLE, self.rounds.to_string())
            .variable(KILLS_VARIABLE, (KILLS_PER_ROUND * self.rounds).to_string())
            .with_all_it_starts()
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
                    return Ok(Verdict::Broken(format!("{log}nothing ended within {seconds} s")));
                }
            }
        }
        let status = running.wait()?;
        interrupt::check()?;
        Ok(verdict(&log, status.success(), names.len()))
    }
}

/// A test of the list: the folder of its package, its program, and its name.
fn split(test: &str) -> Result<((&str, &str), &str)> {
    let parts = test.split_once(' ').and_then(|(program, name)| Some((program.split_once("/tests/")?, name)));
    parts.with_context(|| format!("`{test}` of {LIST} names no test of a program"))
}

fn verdict(log: &str, ended_well: bool, tests: usize) -> Verdict {
    let counts = Counts::of_cargo(log, ended_well);
    if counts.failed > 0 {
        return Verdict::Broken([counts::failures(log), counts.complaints.join("\n")].join("\n"));
    }
    if counts.passed < tests as u64 {
        return Verdict::Broken(format!("{} of {tests} tests were found", counts.passed));
    }
    let [begins, holds] = NOT_TRIED;
    let mut lines = log.lines().map(str::trim);
    let reason = lines.find(|line| line.starts_with(begins) || line.contains(holds));
    reason.map_or(Verdict::Held, |reason| Verdict::NotTried(reason.to_owned()))
}

fn closing_line(rows: &[Row]) -> String {
    let count = |wanted: fn(&Verdict) -> bool| rows.iter().filter(|(_, verdict)| wanted(verdict)).count();
    let held = count(|verdict| *verdict == Verdict::Held);
    let not_tried = match count(|verdict| matches!(verdict, Verdict::NotTried(_))) {
        0 => String::new(),
        count => format!(", {count} not tried here"),
    };
    let is_broken = |(_, verdict): &&Row| matches!(verdict, Verdict::Broken(_) | Verdict::Missed);
    let broken: Vec<&str> = rows.iter().filter(is_broken).map(|(says, _)| says.as_str()).collect();
    let lost = if broken.is_empty() {
        "nothing was lost".into()
    } else {
        format!("not true any more: {}", broken.join(" "))
    };
    format!("{held} held, {} broken{not_tried}; {lost}", broken.len())
}

/// 1 for a promise that is broken, 3 for a budget that was missed.
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
    let (head, tail) = parts.context("xtask/chaos/page.txt has no place for the list")?;
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

    /// The sources that may hold a test: its modules are files or folders; a program without modules is its own harness.
    fn sources(test: &str) -> String {
        let ((folder, target), name) = split(test).unwrap();
        let target = workspace::root().join(folder).join("tests").join(target);
        let files = match name.rsplit_once("::") {
            Some((modules, _)) => {
                let module = target.join(modules.replace("::", "/"));
                [module.with_extension("rs"), module.join("mod.rs")]
            }
            None => [target.join("main.rs"), target.join("parent.rs")],
        };
        files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
    }

    #[test]
    fn every_test_that_is_listed_is_in_the_sources() {
        let is_missing = |test: &String| {
            let function = test.rsplit([':', ' ']).next().unwrap();
            let text = sources(test);
            // A harness of its own names its tests in what it prints.
            !text.contains(&format!("fn {function}(")) && !text.contains(&format!("\"{function}: "))
        };
        let listed = promises().unwrap().into_iter().flat_map(|promise| promise.tests);
        let missing: Vec<String> = listed.filter(is_missing).collect();
        assert!(missing.is_empty(), "promises name tests that are gone: {missing:?}");
    }

    #[test]
    fn no_test_and_no_sentence_is_listed_twice_and_each_promise_is_a_row_of_its_part() {
        let page = page().unwrap();
        assert!(
            workspace::read(PAGE).unwrap() == page,
            "{PAGE} is stale: `cargo xtask gen` repairs this\n{page}"
        );
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
    fn a_promise_is_held_only_by_tests_that_ran_and_applied() {
        let passed =
            "test a ... ok\ntest b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";
        assert_eq!(verdict(passed, true, 2), Verdict::Held);
        assert_eq!(verdict(passed, true, 3), Verdict::Broken("2 of 3 tests were found".into()));
        let skipped = format!("not run, because only root can\n{passed}");
        assert_eq!(verdict(&skipped, true, 2), Verdict::NotTried("not run, because only root can".into()));
        let of_one = format!("fifo: not run, because this system has none\n{passed}");
        assert_eq!(verdict(&of_one, true, 2), Verdict::Held, "a missing transport breaks no promise");
        let log = "test a ... FAILED\nlost [7]\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let Verdict::Broken(kept) = verdict(log, false, 1) else { panic!("it is broken") };
        assert!(kept.contains("lost [7]"), "{kept}");
    }

    #[test]
    fn the_last_line_says_what_was_lost() {
        let row = |says: &str, verdict| (says.to_owned(), verdict);
        let mut rows = vec![row("A.", Verdict::Held), row("B.", Verdict::NotTried("no root".into()))];
        assert_eq!(closing_line(&rows), "1 held, 0 broken, 1 not tried here; nothing was lost");
        assert_eq!(exit_code(&rows), ExitCode::SUCCESS);
        rows.push(row("C.", Verdict::Missed));
        assert_eq!(exit_code(&rows), ExitCode::from(3));
        rows.push(row("D.", Verdict::Broken(String::new())));
        assert_eq!(exit_code(&rows), ExitCode::FAILURE);
        assert_eq!(closing_line(&rows), "1 held, 2 broken, 1 not tried here; not true any more: C. D.");
    }
}
