//! The web UI: installed and built through npm, each only after a change of its inputs.

use crate::{screen::Step, stamp::Stamp, tool::Tool, workspace};
use anyhow::Result;
use std::path::PathBuf;

/// Files in `web/` that do not affect the build.
const NOT_BUILD_INPUTS: &[&str] = &[
    "bench",
    "dist",
    "e2e",
    "mock",
    "node_modules",
    "playwright-report",
    "screenshots",
    "test-results",
    "visual",
];

/// The size limit for the initial scripts of a page, compressed.
pub(crate) const SCRIPTS_KIB_MAX: u32 = 250;

pub(crate) fn folder() -> PathBuf {
    workspace::root().join("web")
}

pub(crate) fn npm(arguments: &[&str]) -> Result<Tool> {
    Ok(Tool::named("npm")?.arguments(arguments).folder(&folder()))
}

/// Installs the dependencies if the lock file changed. Returns whether it did.
pub(crate) fn install(step: &Step) -> Result<bool> {
    let stamp = stamp("install", &[folder().join("package-lock.json")])?;
    if stamp.is_current() {
        return Ok(false);
    }
    step.message("npm ci");
    npm(&["ci", "--no-audit", "--no-fund"])?.output()?;
    stamp.write()?;
    Ok(true)
}

/// Builds `web/dist` if a source changed. Returns whether it did.
pub(crate) fn build(step: &Step) -> Result<bool> {
    let installed = install(step)?;
    let stamp = stamp("build", &build_inputs()?)?;
    if !installed && stamp.is_current() && folder().join("dist/index.html").is_file() {
        return Ok(false);
    }
    step.message("npm run build");
    npm(&["run", "build"])?.output()?;
    stamp.write()?;
    Ok(true)
}

fn build_inputs() -> Result<Vec<PathBuf>> {
    let is_input = |path: &PathBuf| !NOT_BUILD_INPUTS.iter().any(|other| path.ends_with(other));
    Ok(workspace::sorted(&folder())?.into_iter().filter(is_input).collect())
}

/// A stamp next to the installed packages, so that it is deleted with them.
fn stamp(step: &str, inputs: &[PathBuf]) -> Result<Stamp> {
    let path = folder().join("node_modules").join(format!(".roundtrip-{step}"));
    Ok(Stamp::new(path, workspace::digest(inputs)?))
}
