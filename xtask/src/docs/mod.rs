//! `docs`: the commands of the documentation are typed as they stand there, each page's by a reader on a machine of its own that is
//! thrown away.
//!
//! # Codemap
//! - [`pages`]: the one list: for every block of commands in the docs who runs it, and what must have come of it.
//! - [`page`]: what stands in that list. [`blocks`]: the blocks of a page.
//! - [`machine`]: the machine; `xtask/docs/machine.sh` makes it. `xtask/docs/reader.sh`: what every reader knows.

mod blocks;
mod machine;
mod page;
mod pages;

use crate::programs::{self, Built};
use crate::screen::{self, Step};
use crate::tally::{Outcome, Tally};
use crate::{up, web, workspace};
use anyhow::{Context, Result, ensure};
use machine::{Maker, cannot_be_made};
use page::Page;
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only pages whose path has this in it.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Also tell what is not typed as it stands, and why.
    #[arg(long)]
    verbose: bool,
}

/// Runs the verb.
///
/// # Errors
/// Nothing is called so, or an interrupt ended it.
pub(crate) fn docs(options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    let wanted = |page: &&Page| options.only.as_ref().is_none_or(|text| page.path.contains(text));
    let pages: Vec<&Page> = pages::all().filter(wanted).collect();
    ensure!(
        !pages.is_empty(),
        "no page with commands has {} in its path",
        options.only.as_deref().unwrap_or("")
    );
    if options.verbose {
        pages.iter().flat_map(|page| page.left_out()).for_each(|line| screen::note(&line));
    }
    let mut tally = Tally::default();
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    // The server carries it.
    tally.step("web UI", |step| web::build(step).map(|_| Outcome::Prepared))?;
    read(&mut tally, &pages)?;
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

/// Reads all pages with the released programs.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn run(tally: &mut Tally) -> Result<()> {
    read(tally, &pages::all().collect::<Vec<_>>())
}

fn read(tally: &mut Tally, pages: &[&Page]) -> Result<()> {
    if let Some(reason) = cannot_be_made() {
        return tally.step("docs", |_| Ok(Outcome::Skipped(reason)));
    }
    let mut maker = None;
    tally.step("docs: machine", |step| {
        let built: Built = programs::build(step, &up::PROGRAMS, "release")?;
        maker = Some(Maker::prepare(&built, step)?);
        Ok(Outcome::Prepared)
    })?;
    let Some(maker) = maker else { return Ok(()) };
    for page in pages.iter().filter(|page| page.is_typed()) {
        tally.step(&format!("docs: {}", page.name()), |step| type_in(page, &maker, step))?;
    }
    Ok(())
}

fn type_in(page: &Page, maker: &Maker, step: &Step) -> Result<Outcome> {
    let path = workspace::root().join(page.path);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let script = page.script(&blocks::of(&text))?;
    step.message("making a machine");
    let machine = maker.machine()?;
    step.message("typing");
    machine.type_in(&script).with_context(|| format!("what {} says does not work", page.path))?;
    Ok(Outcome::Passed)
}
