//! `screenshots`: pictures of every page of the web interface, of figures that were measured on this machine. A small
//! project with a history is measured commit by commit, once; what was measured is kept in the cache folder, so that
//! pictures can be taken again without it.

mod facts;
mod history;
mod kept;
mod pictures;
mod rounds;

use crate::observed::Observed;
use crate::screen::{self, Step};
use crate::test::chromium;
use crate::{http, interrupt, platform, preflight, programs, up, web, workspace};
use anyhow::{Context, Result, bail, ensure};
use history::History;
use kept::Kept;
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Between two looks whether error rates are counted.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// A server counts error rates when it starts for the first time, which is before anything is measured, and then once an hour.
const COUNTED_TIMEOUT: Duration = Duration::from_secs(75 * 60);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure a few commits only, to try something out: its pictures go to web/test-results/screenshots, and the docs stay
    /// as they are.
    #[arg(long)]
    short: bool,
    /// Measure anew, also what is kept of a time before.
    #[arg(long)]
    again: bool,
}

/// What is measured, and the name of the folder that it is kept in.
struct Plan {
    folder: &'static str,
    /// Which commits, counted from 1.
    commits: RangeInclusive<usize>,
    /// How often each of them: a change is told when it is surer than one run of each makes it, and how often verdicts are wrong
    /// is counted of series with sixty points of one level.
    rounds: u32,
}

const WHOLE: Plan = Plan { folder: "whole", commits: 1..=30, rounds: 3 };
/// Those around the commit that made messages slower.
const SHORT: Plan = Plan { folder: "short", commits: 17..=24, rounds: 3 };

/// Runs the verb.
///
/// # Errors
/// Something does not build or start, a commit cannot be measured, or a page cannot be shown.
pub(crate) fn screenshots(options: &Options) -> Result<ExitCode> {
    let plan = if options.short { SHORT } else { WHOLE };
    preflight::tools()?;
    workspace::claim_target_folder()?;
    let step = Step::start("web UI");
    web::build(&step)?;
    step.clear();
    let step = Step::start("programs");
    let built = programs::build(&step, &up::PROGRAMS, "release")?;
    step.clear();
    let (agent, program) = (built.program("roundtrip")?, built.program(programs::SERVER)?);
    let step = Step::start("chromium");
    let browser = chromium::find_or_install(&step)?;
    step.clear();

    let kept = keep(&plan, options.again)?;
    let step = Step::start("server");
    let observed = Observed::start(&program, &kept.data_folder(), &step)?;
    step.done(&format!("data in {}", kept.data_folder().display()));
    let url = observed.server.address()?;
    let step = Step::start("history");
    let history = History::make()?;
    ensure!(
        *plan.commits.end() <= history.commits.len(),
        "the history has {} commits: expected {}",
        history.commits.len(),
        plan.commits.end()
    );
    step.done(&format!(
        "{} commits, of which {} are measured",
        history.commits.len(),
        plan.commits.clone().count()
    ));
    rounds::measure(&plan, &history, &kept, &agent, &url)?;
    let step = Step::start("search");
    observed.until_searched(&step)?;
    step.clear();

    let is_counted = counted(&url, !options.short)?;
    let without = if is_counted { &[][..] } else { &["error-rates"] };

    let facts = facts::of(&url, &kept)?;
    let folder = if options.short { pictures::trial_folder() } else { pictures::folder() };
    let sign_in = pictures::administrator(&program, &kept.data_folder())?;
    pictures::take(&url, &browser, &sign_in, without, &folder)?;
    observed.server.stop()?;
    if options.short {
        screen::note(&format!("short: {facts}"));
    } else {
        facts.write(&folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the plan's figures are kept: nothing in it of a history that is another one by now.
fn keep(plan: &Plan, again: bool) -> Result<Kept> {
    let kept = Kept::new(platform::cache_folder()?.join("screenshots").join(plan.folder));
    let stamp = kept.stamp(history::digest()?);
    if again || !stamp.is_current() {
        platform::remove_folder(kept.folder())?;
    }
    let data_folder = kept.data_folder();
    platform::create_data_folder(&data_folder)
        .with_context(|| format!("cannot make {}", data_folder.display()))?;
    stamp.write()?;
    Ok(kept)
}

/// Whether the server has counted the project's error rates; waits until it has, if it is to.
fn counted(url: &str, is_to_wait: bool) -> Result<bool> {
    let step = Step::start("error rates");
    let patience = Instant::now() + COUNTED_TIMEOUT;
    let mut is_told = false;
    loop {
        let rates = http::get(&format!("{url}/api/v1/projects/{}/error-rates", history::PROJECT))?;
        let rates: serde_json::Value = serde_json::from_str(&rates).context("error rates are not JSON")?;
        if !rates["computed_at"].is_null() {
            step.done("counted");
            return Ok(true);
        }
        if !is_to_wait {
            step.skipped("the server has not counted them yet");
            return Ok(false);
        }
        if !is_told {
            screen::note(
                "waiting until the server counts them, once an hour; the machine may do other things again",
            );
            is_told = true;
        }
        if Instant::now() > patience {
            bail!("the server counted no error rates within {} s", COUNTED_TIMEOUT.as_secs());
        }
        interrupt::check()?;
        std::thread::sleep(LOOK_INTERVAL);
    }
}
