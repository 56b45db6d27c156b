//! Python packages, installed in pinned versions into virtual environments.

use crate::platform;
use crate::screen::Step;
use crate::tool::{self, Tool};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Passes tests the Python for the mail server. If it is empty, tests report why they do not apply.
pub(crate) const MAIL_SERVER_VARIABLE: &str = "ROUNDTRIP_SMTP_PYTHON";

pub(crate) fn find() -> Option<PathBuf> {
    ["python3", "python"].iter().find_map(|name| tool::find(name).ok())
}

pub(crate) fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Installs `packages`, each `name==version`, into a new environment at `home`, unless it has them already.
/// Returns the folder of their programs.
pub(crate) fn environment(python: &Path, home: &Path, packages: &[&str], step: &Step) -> Result<PathBuf> {
    // Parallel steps may need the same environment.
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _lock = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let programs = home.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let complete = home.join("complete");
    if complete.is_file() {
        return Ok(programs);
    }
    let names = packages.join(" and ");
    step.message(&format!("installing {names}"));
    let environment = Tool::at(python).words("-m venv --clear").arguments([home]);
    let succeeded = environment.succeed(step);
    succeeded.context("cannot create a Python environment (on Debian, install python3-venv)")?;
    let install = Tool::at(&program(&programs, "python")).words("-m pip install --disable-pip-version-check");
    install.arguments(packages).succeed(step).with_context(|| format!("cannot install {names}"))?;
    fs_err::write(complete, "")?;
    Ok(programs)
}

/// An environment in the cache folder; `None` without Python.
pub(crate) fn tools(packages: &[&str], step: &Step) -> Result<Option<PathBuf>> {
    let Some(python) = find() else { return Ok(None) };
    let name = format!("python-{}", packages.join("-").replace("==", "-"));
    let home = platform::cache_folder()?.join("tools").join(name);
    environment(&python, &home, packages, step).map(Some)
}

/// The Python for the mail server, installed once; an empty path without Python.
pub(crate) fn mail_server(step: &Step) -> Result<PathBuf> {
    let programs = tools(&["aiosmtpd==1.4.6", "trustme==1.2.1"], step)?;
    Ok(programs.map_or_else(PathBuf::new, |programs| program(&programs, "python")))
}
