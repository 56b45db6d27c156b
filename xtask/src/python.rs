//! Programs that come as Python packages: installed in pinned versions into an environment of their own.

use crate::screen::Step;
use crate::tool::{self, Tool};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The interpreter on PATH.
pub(crate) fn find() -> Option<PathBuf> {
    ["python3", "python"].iter().find_map(|name| tool::find(name).ok())
}

/// Installs `packages`, each `name==version`, into a new environment at `home`, unless it holds them already.
/// Returns the folder of their programs.
///
/// # Errors
/// The environment cannot be made, or pip cannot get the packages.
pub(crate) fn environment(python: &Path, home: &Path, packages: &[String], step: &Step) -> Result<PathBuf> {
    let programs = home.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let complete = home.join("complete");
    if complete.is_file() {
        return Ok(programs);
    }
    step.message(&format!("installing {}, once", packages.join(" and ")));
    let environment = Tool::at(python).arguments(["-m", "venv", "--clear"]).arguments([home]);
    environment.run(step)?.successful().context("cannot make a Python environment (Debian: python3-venv)")?;
    let python = programs.join(format!("python{}", std::env::consts::EXE_SUFFIX));
    let install = Tool::at(&python).arguments(["-m", "pip", "install", "--disable-pip-version-check"]);
    let installed = install.arguments(packages).run(step)?.successful();
    installed.with_context(|| format!("cannot install {}", packages.join(" and ")))?;
    std::fs::write(&complete, "").with_context(|| format!("cannot write {}", complete.display()))?;
    Ok(programs)
}
