//! `compose`: the containers, for real: `docker-compose.yml` as it is, brought up with podman and podman-compose.
//!
//! What cannot be had here is an engine of Docker and the images that the file names. [`standins`] makes images that stand in for
//! those, of Debian's packages. Every line of both Dockerfiles is run; the cargo and the npm of the stand-ins hand over what was
//! built before.
//!
//! # Codemap
//! - [`scenes`]: what happens, and what must have come of it; [`traffic`]: requests that go on meanwhile. [`world`]: the
//!   containers, which end with it.
//! - [`engine`]: podman with images and networks of its own. [`standins`]: the images.

mod engine;
mod scenes;
mod standins;
mod traffic;
mod world;

use crate::cross::debian;
use crate::screen;
use crate::tally::{Outcome, Tally};
use crate::{platform, programs, python, tool, up, web, workspace};
use anyhow::Result;
use engine::Engine;
use std::process::ExitCode;
use std::time::Instant;
use world::World;

/// Runs the verb.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn compose() -> Result<ExitCode> {
    let started = Instant::now();
    let mut tally = Tally::default();
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    // The server carries it.
    tally.step("web UI", |step| web::build(step).map(|_| Outcome::Prepared))?;
    tally.step("programs", |step| {
        programs::build(step, &up::PROGRAMS, "release")?;
        Ok(Outcome::Prepared)
    })?;
    run(&mut tally)?;
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

/// Runs the steps with the released programs, which are built; each needs the one before. A step that fails shows what the
/// containers wrote.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn run(tally: &mut Tally) -> Result<()> {
    if let Some(reason) = cannot_run() {
        return tally.step("compose", |_| Ok(Outcome::Skipped(reason)));
    }
    let mut engine = None;
    tally.step("compose: images", |step| {
        let made = Engine::prepare(step)?;
        standins::make(&made, step)?;
        engine = Some(made);
        Ok(Outcome::Prepared)
    })?;
    let Some(engine) = engine else { return Ok(()) };
    let mut world = None;
    tally.step("compose: build", |step| {
        world = Some(World::make(engine, step)?);
        Ok(Outcome::Passed)
    })?;
    let Some(world) = world else { return Ok(()) };
    if !tally.scenes(&scenes::ALL, &world, World::logs)? {
        return Ok(());
    }
    tally.step("compose: down", |step| world.end(step).map(|()| Outcome::Passed))
}

fn cannot_run() -> Option<String> {
    if let Err(reason) = debian::check_host() {
        return Some(format!("not run: {reason}"));
    }
    if !platform::is_root() {
        return Some("not run: only root makes a Debian to put into images".into());
    }
    if python::find().is_none() {
        return Some("not run: python3 is missing, which installs podman-compose".into());
    }
    let missing = ["apt-get", "git"].into_iter().find(|name| tool::find(name).is_err())?;
    Some(format!("not run: {missing} is missing"))
}
