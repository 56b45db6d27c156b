//! `chaos`: faults are injected, one promise after the other, and it is told which of them held.
//!
//! - [`promises`]: the one list; [`promise`]: what stands in it.
//! - [`rounds`]: runs the tests that hold a promise. [`table`]: tells how it went. [`page`]: the list for the docs.

pub(crate) mod page;
mod promise;
mod promises;
mod rounds;
mod table;

use crate::screen::{self, Step};
use crate::{interrupt, workspace};
use anyhow::{Result, ensure};
use promise::{HeldBy, Promise};
use rounds::{Laboratory, Verdict};
use std::process::ExitCode;
use std::time::Instant;
use table::Row;

/// How often a fault is repeated that is repeated at all.
const ROUNDS: u32 = 10;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// One part alone: `server`, `backup`, `upgrade`, `lab`, `agents`, `harness`, `ring`, `github`, `notifications` or `soak`.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// How often each fault is repeated whose moment nobody chooses.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// Runs the verb.
///
/// # Errors
/// The tests do not build, or an interrupt ended it.
pub(crate) fn chaos(options: &Options) -> Result<ExitCode> {
    let wanted = wanted(options.only.as_deref())?;
    let started = Instant::now();
    workspace::claim_target_folder()?;
    let has_tests = wanted.iter().any(|promise| !matches!(promise.held_by, HeldBy::Soak));
    let laboratory = if has_tests { Some(Laboratory::open(options.rounds)?) } else { None };
    let mut rows = Vec::new();
    for promise in wanted {
        let row = try_one(promise, laboratory.as_ref(), options.rounds)?;
        rows.push(row);
    }
    if let Some(laboratory) = laboratory {
        laboratory.close()?;
    }
    print!("{}", table::table(&rows, screen::width()));
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    println!("{}", table::closing_line(&rows));
    Ok(table::exit_code(&rows))
}

fn wanted(only: Option<&str>) -> Result<Vec<&'static Promise>> {
    let is_wanted = |promise: &&Promise| only.is_none_or(|part| promise.part == part);
    let wanted: Vec<&Promise> = promises::ALL.iter().filter(is_wanted).collect();
    let mut parts: Vec<&str> = promises::ALL.iter().map(|promise| promise.part).collect();
    parts.dedup();
    ensure!(!wanted.is_empty(), "--only names a part of the project: {}", parts.join(", "));
    Ok(wanted)
}

fn try_one(promise: &'static Promise, laboratory: Option<&Laboratory>, rounds: u32) -> Result<Row> {
    let begin = Instant::now();
    let mut step = Step::start(promise.part);
    step.message(promise.fault);
    let verdict = match (&promise.held_by, laboratory) {
        (HeldBy::Tests(tests) | HeldBy::Rounds(tests), Some(laboratory)) => laboratory.run(tests, &step),
        _ => {
            // The benchmark tells how it goes by itself.
            step.clear();
            let verdict = rounds::soak();
            step = Step::start(promise.part);
            verdict
        }
    };
    interrupt::check()?;
    let verdict = verdict.unwrap_or_else(|error| Verdict::Broken(format!("{error:#}")));
    match &verdict {
        Verdict::Held => step.done(promise.says),
        Verdict::NotTried(why) => step.skipped(&format!("{} Not tried: {why}", promise.says)),
        Verdict::Broken(_) | Verdict::Missed => step.failed(promise.says),
    }
    if let Verdict::Broken(log) = &verdict {
        log.lines().for_each(|line| eprintln!("    {line}"));
    }
    let rounds = if matches!(promise.held_by, HeldBy::Rounds(_)) { rounds } else { 1 };
    Ok(Row { promise, rounds, verdict, took: begin.elapsed() })
}

#[cfg(test)]
mod tests {
    use super::promise::{Target, Test};
    use super::*;

    /// The sources that may hold a test: its modules are files or folders; a program without modules is its own harness.
    fn sources(test: &Test) -> String {
        let Target { folder, name } = test.target;
        let of_target = workspace::root().join(folder).join("tests").join(name);
        let files = match test.name.rsplit_once("::") {
            Some((modules, _)) => {
                let module = of_target.join(modules.replace("::", "/"));
                [module.with_extension("rs"), module.join("mod.rs")]
            }
            None => [of_target.join("main.rs"), of_target.join("parent.rs")],
        };
        files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
    }

    #[test]
    fn every_test_that_is_listed_is_in_the_sources() {
        let is_missing = |test: &&Test| {
            let function = test.name.rsplit("::").next().unwrap_or(test.name);
            let text = sources(test);
            // A harness of its own names its tests in what it prints.
            !text.contains(&format!("fn {function}(")) && !text.contains(&format!("\"{function}: "))
        };
        let listed = promises::ALL.iter().flat_map(|promise| promise.held_by.tests());
        let missing: Vec<String> = listed.filter(is_missing).map(ToString::to_string).collect();
        assert!(missing.is_empty(), "promises name tests that are gone: {missing:?}");
    }

    #[test]
    fn no_test_and_no_sentence_stands_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for promise in promises::ALL {
            assert!(seen.insert(promise.says.to_owned()), "{}", promise.says);
            for test in promise.held_by.tests() {
                assert!(seen.insert(test.to_string()), "{test}");
            }
        }
    }

    #[test]
    fn a_part_that_is_none_is_refused_with_those_that_are() {
        assert!(wanted(Some("ring")).unwrap().iter().all(|promise| promise.part == "ring"));
        let error = wanted(Some("rings")).err().unwrap().to_string();
        assert!(error.starts_with("--only names a part of the project: server, "), "{error}");
        // Also in the words of the option, which no compiler keeps true.
        let help = <crate::Arguments as clap::CommandFactory>::command();
        let help = help.find_subcommand("chaos").unwrap().clone().render_long_help().to_string();
        for promise in promises::ALL {
            assert!(help.contains(&format!("`{}`", promise.part)), "{}: {help}", promise.part);
        }
    }
}
