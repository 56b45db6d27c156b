//! `chaos`: injects faults and reports which promises held. The list is `xtask/chaos/promises.toml`.

use crate::counts::{self, Counts};
use crate::programs::{self, TestPrograms};
use crate::screen::{self, Step};
use crate::server::{self, Server};
use crate::tool::{self, Tool};
use crate::{interrupt, platform, python, workspace};
use anyhow::{Context, Result, ensure};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const LIST: &str = "xtask/chaos/promises.toml";
/// The list as a page of the docs.
pub(crate) const PAGE: &str = "docs/reference/promises.md";
/// What holds a promise without tests.
const SOAK: &str = "cargo xtask bench server --only soak";
/// How often a fault at a random moment is repeated.
const ROUNDS: u32 = 10;
/// Tells tests how often to repeat faults.
const ROUNDS_VARIABLE: &str = "ROUNDTRIP_FAULT_ROUNDS";
/// Tells tests how many members of a ring to kill.
const KILLS_VARIABLE: &str = "ROUNDTRIP_KILLS";
const KILLS_PER_ROUND: u32 = 100;
const TIMEOUT: Duration = Duration::from_secs(600);
const TIMEOUT_PER_ROUND: Duration = Duration::from_secs(60);
/// How tests say that they do not apply to this machine, which is not the same as passing.
const NOT_TRIED: [&str; 2] = ["not run, because", "does not apply"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// One part alone: `server`, `backup`, `upgrade`, `lab`, `agents`, `harness`, `ring`, `github`, `notifications` or `soak`.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// How often each fault at a random moment is repeated.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

#[derive(Deserialize)]
struct Promises {
    promise: Vec<Promise>,
}

/// Something that survives faults.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Promise {
    /// The part of the project: what `--only` names.
    part: String,
    says: String,
    /// What is done to break it.
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
    /// The benchmark missed a budget.
    Missed,
    /// It does not apply to this machine, for this reason.
    NotTried(String),
}

/// A promise that was tried.
struct Row {
    promise: Promise,
    rounds: u32,
    verdict: Verdict,
    took: Duration,
}

/// Runs the verb.
pub(crate) fn chaos(options: &Options) -> Result<ExitCode> {
    let wanted = wanted(promises()?, options.only.as_deref())?;
    let started = Instant::now();
    workspace::claim_target_folder()?;
    let has_tests = wanted.iter().any(|promise| !promise.tests.is_empty());
    let laboratory = if has_tests { Some(Laboratory::open(options.rounds)?) } else { None };
    let mut rows = Vec::new();
    for promise in wanted {
        rows.push(try_one(promise, laboratory.as_ref(), options.rounds)?);
    }
    if let Some(laboratory) = laboratory {
        let status = laboratory.postgres.stop()?;
        ensure!(status.success(), "the PostgreSQL of the tests did not stop in order ({status})");
    }
    print!("{}", table(&rows, screen::width()));
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    println!("{}", closing_line(&rows));
    Ok(exit_code(&rows))
}

fn promises() -> Result<Vec<Promise>> {
    let list: Promises = toml::from_str(&workspace::read(LIST)?).context(LIST)?;
    Ok(list.promise)
}

fn wanted(mut promises: Vec<Promise>, only: Option<&str>) -> Result<Vec<Promise>> {
    let mut parts: Vec<String> = promises.iter().map(|promise| promise.part.clone()).collect();
    parts.dedup();
    promises.retain(|promise| only.is_none_or(|part| promise.part == part));
    ensure!(!promises.is_empty(), "--only names a part of the project: {}", parts.join(", "));
    Ok(promises)
}

fn try_one(promise: Promise, laboratory: Option<&Laboratory>, rounds: u32) -> Result<Row> {
    let begin = Instant::now();
    let mut step = Step::start(&promise.part);
    step.message(&promise.fault);
    let verdict = match laboratory {
        Some(laboratory) if !promise.tests.is_empty() => laboratory.run(&promise.tests, &step),
        _ => {
            // The benchmark prints its own progress.
            step.clear();
            let verdict = soak();
            step = Step::start(&promise.part);
            verdict
        }
    };
    interrupt::check()?;
    let verdict = verdict.unwrap_or_else(|error| Verdict::Broken(format!("{error:#}")));
    match &verdict {
        Verdict::Held => step.done(&promise.says),
        Verdict::NotTried(reason) => step.skipped(&format!("{} Not tried: {reason}", promise.says)),
        Verdict::Broken(_) | Verdict::Missed => step.failed(&promise.says),
    }
    if let Verdict::Broken(log) = &verdict {
        log.lines().for_each(|line| eprintln!("    {line}"));
    }
    Ok(Row { rounds: if promise.rounds { rounds } else { 1 }, promise, verdict, took: begin.elapsed() })
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

/// The programs of the tests, and what they need.
struct Laboratory {
    programs: TestPrograms,
    postgres: Server,
    python: PathBuf,
    rounds: u32,
    _folder: TempDir,
}

impl Laboratory {
    /// Builds and starts all that is needed.
    fn open(rounds: u32) -> Result<Self> {
        let step = Step::start("test programs");
        let programs = programs::tests(&step)?;
        step.done("built");
        let step = Step::start("postgresql");
        let folder = server::reachable_folder()?;
        let data_folder = folder.path().join("data");
        let postgres =
            server::start_alone(&programs.server()?, &["postgres", "--for-tests"], &data_folder, &step)
                .context("no PostgreSQL for the tests")?;
        let python = python::mail_server(&step)?;
        step.done("ready");
        Ok(Self { programs, postgres, python, rounds, _folder: folder })
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
        let running = Tool::at(&self.programs.of(folder, target)?)
            .words("--exact --show-output")
            .arguments(names)
            .folder(&workspace::root().join(folder))
            .variable("DATABASE_URL", &self.postgres.ready)
            .variable(python::MAIL_SERVER_VARIABLE, &self.python)
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
    let (program, name) =
        test.split_once(' ').with_context(|| format!("`{test}` of {LIST} names no test"))?;
    let program = program.split_once("/tests/");
    Ok((program.with_context(|| format!("`{test}` of {LIST} names no program of tests"))?, name))
}

/// What the log of so many tests says.
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

impl Row {
    fn cells(&self) -> [String; 6] {
        let Promise { says, fault, tests, .. } = &self.promise;
        let test = match tests.as_slice() {
            [] => SOAK.to_owned(),
            [only] => only.clone(),
            [first, others @ ..] => format!("{first} and {} more", others.len()),
        };
        let verdict = match &self.verdict {
            Verdict::Held => "held",
            Verdict::Broken(_) => "BROKEN",
            Verdict::Missed => "MISSED",
            Verdict::NotTried(_) => "not tried",
        };
        let (rounds, took) = (self.rounds.to_string(), screen::elapsed(self.took));
        [says.clone(), fault.clone(), test, rounds, verdict.to_owned(), took]
    }
}

/// All promises, a row each, in lines of at most so many characters.
fn table(rows: &[Row], width: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width).set_header(["promise", "fault", "test", "rounds", "held", "time"]);
    table.add_rows(rows.iter().map(Row::cells));
    // The last columns have a word or a number each, which is not broken in two.
    for column in table.column_iter_mut().skip(3) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    format!("{}\n", table.trim_fmt())
}

/// What was lost, in words.
fn closing_line(rows: &[Row]) -> String {
    let says = |wanted: fn(&Verdict) -> bool| -> Vec<&str> {
        rows.iter().filter(|row| wanted(&row.verdict)).map(|row| row.promise.says.as_str()).collect()
    };
    let held = says(|verdict| *verdict == Verdict::Held).len();
    let broken = says(|verdict| matches!(verdict, Verdict::Broken(_) | Verdict::Missed));
    let not_tried = match says(|verdict| matches!(verdict, Verdict::NotTried(_))).len() {
        0 => String::new(),
        count => format!(", {count} not tried here"),
    };
    let lost = match broken.as_slice() {
        [] => "nothing was lost".to_owned(),
        broken => format!("not true any more: {}", broken.join(" ")),
    };
    format!("{held} held, {} broken{not_tried}; {lost}", broken.len())
}

/// 1 for a promise that is broken, 3 for a budget that was missed.
fn exit_code(rows: &[Row]) -> ExitCode {
    if rows.iter().any(|row| matches!(row.verdict, Verdict::Broken(_))) {
        ExitCode::FAILURE
    } else if rows.iter().any(|row| row.verdict == Verdict::Missed) {
        ExitCode::from(roundtrip_budget::MISSED)
    } else {
        ExitCode::SUCCESS
    }
}

/// The list as a page of the docs.
pub(crate) fn page() -> Result<String> {
    let mut page = workspace::read("xtask/chaos/page.txt")?;
    let (head, tail) =
        page.split_once("<!-- the list -->\n").context("xtask/chaos/page.txt has no place for the list")?;
    let (mut list, tail) = (head.to_owned(), tail.to_owned());
    let mut part = String::new();
    for promise in promises()? {
        if promise.part != part {
            part.clone_from(&promise.part);
            write!(list, "\n## {part}\n\n| promise | what is done | held by |\n|---|---|---|\n")?;
        }
        let star = if promise.rounds { " \u{2605}" } else { "" };
        let tests: Vec<_> =
            promise.tests.iter().map(|test| format!("`{}`", test.replace(' ', "` `"))).collect();
        let held_by = if tests.is_empty() { format!("`{SOAK}`") } else { tests.join("<br>") };
        writeln!(list, "| {} | {}{star} | {held_by} |", promise.says, promise.fault)?;
    }
    page = list + &tail;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PASSED: &str =
        "test a ... ok\ntest b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";

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
    fn no_test_and_no_sentence_is_listed_twice() {
        let mut seen = BTreeSet::new();
        for Promise { says, tests, .. } in promises().unwrap() {
            assert!(seen.insert(says.clone()), "{says}");
            tests.into_iter().for_each(|test| assert!(seen.insert(test.clone()), "{test}"));
        }
    }

    #[test]
    fn an_unknown_part_is_refused_with_the_known_ones() {
        let ring = wanted(promises().unwrap(), Some("ring")).unwrap();
        assert!(ring.iter().all(|promise| promise.part == "ring"));
        let error = wanted(promises().unwrap(), Some("rings")).err().unwrap().to_string();
        assert!(error.starts_with("--only names a part of the project: server, "), "{error}");
        // The help of the option lists them, too.
        let options = <Options as clap::Args>::augment_args(clap::Command::new("chaos"));
        let help = options.clone().render_long_help().to_string();
        for Promise { part, .. } in promises().unwrap() {
            assert!(help.contains(&format!("`{part}`")), "{part}: {help}");
        }
    }

    #[test]
    fn the_committed_page_is_up_to_date() {
        let page = page().unwrap();
        assert!(
            workspace::read(PAGE).unwrap() == page,
            "{PAGE} is stale: `cargo xtask gen` repairs this\n{page}"
        );
    }

    #[test]
    fn every_promise_is_a_row_of_its_part() {
        let page = page().unwrap();
        for Promise { part, says, fault, .. } in promises().unwrap() {
            assert!(page.contains(&format!("| {says} | {fault}")), "{says}");
            assert_eq!(page.matches(&format!("\n## {part}\n")).count(), 1, "{part} is in one place");
            assert!(!says.contains('|') && !fault.contains('|'), "{says}");
        }
    }

    #[test]
    fn a_promise_is_held_only_by_tests_that_ran_and_applied() {
        assert_eq!(verdict(PASSED, true, 2), Verdict::Held);
        assert_eq!(verdict(PASSED, true, 3), Verdict::Broken("2 of 3 tests were found".into()));
        let skipped = format!("not run, because only root can\n{PASSED}");
        assert_eq!(verdict(&skipped, true, 2), Verdict::NotTried("not run, because only root can".into()));
        let of_one = format!("fifo: not run, because this system has none\n{PASSED}");
        assert_eq!(verdict(&of_one, true, 2), Verdict::Held, "a missing transport breaks no promise");
    }

    #[test]
    fn the_log_of_a_broken_promise_is_kept() {
        let log = "test a ... FAILED\nlost [7]\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let Verdict::Broken(kept) = verdict(log, false, 1) else { panic!("it is broken") };
        assert!(kept.contains("lost [7]"), "{kept}");
    }

    fn row(number: usize, verdict: Verdict) -> Row {
        let promise = promises().unwrap()[number].clone();
        Row { promise, rounds: 10, verdict, took: Duration::from_secs(2) }
    }

    #[test]
    fn the_table_fits_into_a_terminal_and_says_what_held() {
        let table = table(&[row(0, Verdict::Held), row(4, Verdict::Broken(String::new()))], 100);
        assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
        let says: Vec<&str> = table.lines().filter(|line| line.contains(" 10 ")).collect();
        assert_eq!(says.len(), 2, "{table}");
        assert!(says[0].contains("held") && says[1].contains("BROKEN"), "{table}");
    }

    #[test]
    fn the_last_line_says_what_was_lost() {
        let mut rows = vec![row(0, Verdict::Held), row(1, Verdict::NotTried("no root".into()))];
        assert_eq!(closing_line(&rows), "1 held, 0 broken, 1 not tried here; nothing was lost");
        assert_eq!(exit_code(&rows), ExitCode::SUCCESS);
        rows.push(row(2, Verdict::Missed));
        assert_eq!(exit_code(&rows), ExitCode::from(3));
        rows.push(row(3, Verdict::Broken(String::new())));
        assert_eq!(exit_code(&rows), ExitCode::FAILURE);
        let line = closing_line(&rows);
        assert!(line.contains("2 broken, 1 not tried here; not true any more: What was stored"), "{line}");
    }
}
