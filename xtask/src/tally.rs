//! Runs steps, tells how each ended and adds up what passed and failed.

use crate::counts::Counts;
use crate::interrupt;
use crate::screen::Step;
use anyhow::{Result, anyhow};
use std::process::ExitCode;

/// How a step ended that did not fail as a whole.
pub(crate) enum Outcome {
    /// One check, and it passed.
    Passed,
    /// Nothing was checked, something was made ready.
    Prepared,
    /// Many tests, with what they wrote.
    Counted(Counts, String),
    /// Nothing was done, for this reason.
    Skipped(String),
}

impl Outcome {
    /// Whether something was checked, and all of it passed.
    pub(crate) fn is_good(&self) -> bool {
        match self {
            Self::Passed => true,
            Self::Counted(counts, _) => counts.passed > 0 && counts.failed == 0,
            Self::Prepared | Self::Skipped(_) => false,
        }
    }
}

/// What happens in a world, and what must have come of it.
pub(crate) type Scene<World> = fn(&World, &Step) -> Result<()>;

/// The sums.
#[derive(Default)]
pub(crate) struct Tally {
    counts: Counts,
}

impl Tally {
    /// Runs one step. What went wrong is printed and counted, and the next step can run.
    ///
    /// # Errors
    /// Someone asked this program to end.
    pub(crate) fn step(&mut self, name: &str, run: impl FnOnce(&Step) -> Result<Outcome>) -> Result<()> {
        let step = Step::start(name);
        let outcome = run(&step);
        interrupt::check()?;
        match outcome {
            Ok(Outcome::Passed) => {
                self.counts.passed += 1;
                step.done("passed");
            }
            Ok(Outcome::Prepared) => step.done("ready"),
            Ok(Outcome::Skipped(reason)) => step.skipped(&reason),
            Ok(Outcome::Counted(counts, log)) => {
                self.counts.add(&counts);
                if counts.failed == 0 {
                    step.done(&counts.to_string());
                } else {
                    step.failed(&counts.to_string());
                    quote(&log);
                    counts.complaints.iter().for_each(|complaint| quote(complaint));
                }
            }
            Err(error) => {
                self.counts.failed += 1;
                step.failed("failed");
                quote(&format!("{error:#}"));
            }
        }
        Ok(())
    }

    /// Runs scenes in one world, each of which needs the one before; the first that fails shows what the world wrote, and is the
    /// last. Whether all passed.
    ///
    /// # Errors
    /// Someone asked this program to end.
    pub(crate) fn scenes<World>(
        &mut self,
        scenes: &[(&str, Scene<World>)],
        world: &World,
        written: impl Fn(&World) -> String,
    ) -> Result<bool> {
        for (name, scene) in scenes {
            let mut has_passed = false;
            self.step(name, |step| {
                scene(world, step).map_err(|error| anyhow!("{error:#}\n{}", written(world)))?;
                has_passed = true;
                Ok(Outcome::Passed)
            })?;
            if !has_passed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Prints the last line of the run. Success is when something passed and nothing failed.
    pub(crate) fn close(&self) -> ExitCode {
        println!("{}", self.closing_line());
        if self.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn closing_line(&self) -> String {
        self.counts.to_string()
    }

    fn all_passed(&self) -> bool {
        self.counts.passed > 0 && self.counts.failed == 0
    }
}

fn quote(text: &str) {
    for line in text.lines() {
        eprintln!("    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_to_the_closing_line() {
        let mut tally = Tally::default();
        assert!(!tally.all_passed(), "nothing ran");
        tally.step("one", |_| Ok(Outcome::Passed)).unwrap();
        tally.step("none", |_| Ok(Outcome::Prepared)).unwrap();
        tally.step("left out", |_| Ok(Outcome::Skipped("no reason".into()))).unwrap();
        let counts = Counts { passed: 40, ..Counts::default() };
        tally.step("many", |_| Ok(Outcome::Counted(counts, String::new()))).unwrap();
        assert_eq!(tally.closing_line(), "41 passed, 0 failed");
        assert!(tally.all_passed());
        tally.step("broken", |_| anyhow::bail!("broken")).unwrap();
        assert_eq!(tally.closing_line(), "41 passed, 1 failed");
        assert!(!tally.all_passed());
    }
}
