//! [`Job`]: runs a job like GitHub's runner, with its variables, expressions, and the files through which
//! steps set outputs.

use crate::tool::Tool;
use crate::workflow::{Action, ActionStep, Script, Uses};
use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Prefixes of the variables of jobs, removed because this program may itself run in a job.
const JOB_VARIABLE_PREFIXES: [&str; 4] = ["GITHUB_", "RUNNER_", "ACTIONS_", "ROUNDTRIP_"];
/// The files through which a step sets something. Those for variables and paths are unused in this project.
const FILES: [&str; 2] = ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"];

/// Values by name, such as `inputs.mode` or `github.event.pull_request.head.sha`.
pub(super) type Values = BTreeMap<String, String>;

pub(super) struct Job<'a> {
    /// The checkout.
    workspace: &'a Path,
    pub(super) variables: Values,
    pub(super) values: Values,
    /// Prepended to PATH.
    pub(super) paths: Vec<PathBuf>,
    folder: TempDir,
    pub(super) summary: String,
    /// All output of the steps.
    pub(super) log: String,
}

impl<'a> Job<'a> {
    /// Creates a job in a checkout, for an event with these variables and this payload.
    pub(super) fn new(workspace: &'a Path, event: &[(&str, &str)], payload: &str) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (temp, event_path, state) = (path("temp"), path("event.json"), path("state"));
        fs::create_dir_all(&temp)?;
        fs::write(&event_path, payload)?;
        // GitHub's names for this system and its processor.
        let os = if std::env::consts::OS == "macos" { "macOS" } else { "Linux" };
        let arch = if std::env::consts::ARCH == "aarch64" { "ARM64" } else { "X64" };
        let checkout = workspace.display().to_string();
        let always = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_PATH", &event_path),
            ("GITHUB_REPOSITORY", "octo/lib"),
            ("GITHUB_RUN_ID", "7"),
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_WORKSPACE", &checkout),
            ("RUNNER_ARCH", arch),
            ("RUNNER_OS", os),
            ("RUNNER_TEMP", &temp),
            // The folder of pending reports, on systems that use the variable.
            ("XDG_STATE_HOME", &state),
        ];
        let variables = values(event.iter().copied().chain(always));
        let runner = [("runner.arch", arch), ("runner.os", os), ("runner.temp", &temp)];
        let mut values = values(runner.into_iter().chain([("github.token", "github-token")]));
        flatten("github.event", &serde_json::from_str(payload)?, &mut values);
        let (summary, log) = (String::new(), String::new());
        Ok(Self { workspace, variables, values, paths: Vec::new(), folder, summary, log })
    }

    /// The job's temporary folder, `RUNNER_TEMP`.
    pub(super) fn temp(&self) -> PathBuf {
        self.folder.path().join("temp")
    }

    /// The path of the report in our workflows.
    pub(super) fn report(&self) -> PathBuf {
        self.temp().join("roundtrip-report.json")
    }

    /// Runs an action with these inputs until its end or the first failed step, whose exit code it returns.
    pub(super) fn run_action(&mut self, folder: &Path, action: &Action, with: &Values) -> Result<i32> {
        ensure!(action.runs.using == "composite", "not a composite action");
        if let Some(unknown) = with.keys().find(|name| !action.inputs.contains_key(*name)) {
            bail!("the action has no input {unknown}");
        }
        let before = self.values.clone();
        for (name, input) in &action.inputs {
            let value = with.get(name).unwrap_or(&input.default).clone();
            self.values.insert(format!("inputs.{name}"), value);
        }
        let path = folder.display().to_string();
        self.values.insert("github.action_path".into(), path.clone());
        self.variables.insert("GITHUB_ACTION_PATH".into(), path);
        let code = action.runs.steps.iter().try_fold(0, |code, step| match (code, step) {
            (0, ActionStep::Script(step)) => self.run(step),
            (0, ActionStep::Uses(step)) => self.skip_cache(step).map(|()| 0),
            (failed, _) => Ok(failed),
        });
        // The steps and inputs of an action are local to it.
        self.values = before;
        code
    }

    /// Checks the inputs of a step that uses GitHub's cache, which has nothing here. No other action is used.
    fn skip_cache(&self, step: &Uses) -> Result<()> {
        ensure!(step.uses.starts_with("actions/cache@"), "a step uses {}: expected actions/cache", step.uses);
        step.with.values().try_for_each(|text| evaluate(text, &self.values).map(drop))
    }

    pub(super) fn run(&mut self, step: &Script) -> Result<i32> {
        let Script { name, id, shell, env, run } = step;
        ensure!(shell == "bash", "step {name} uses {shell}: expected bash");
        ensure!(!run.contains("${{"), "step {name} has an expression in its script: use a variable");
        let file = |name: &str| self.folder.path().join(name);
        fs::write(file("script.sh"), run)?;
        // As a runner starts `shell: bash`.
        let mut bash = Tool::named("bash")?
            .words("--noprofile --norc -e -o pipefail")
            .arguments([file("script.sh")])
            .folder(self.workspace)
            .without_variables(|name| JOB_VARIABLE_PREFIXES.iter().any(|begin| name.starts_with(begin)))
            .variables(&self.variables);
        for (variable, text) in env {
            let value = evaluate(text, &self.values).with_context(|| format!("step {name}"))?;
            bash = bash.variable(variable, value);
        }
        for name in FILES {
            fs::write(file(name), "")?;
            bash = bash.variable(name, file(name));
        }
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let all = self.paths.iter().cloned().chain(std::env::split_paths(&inherited));
        let finished = bash.variable("PATH", std::env::join_paths(all)?).run_silently()?;
        let [output, summary] = FILES.map(|name| fs::read_to_string(file(name)));
        self.log.push_str(&format!("## {name}\n{}", finished.log));
        self.summary.push_str(&summary?);
        if let Some(id) = id {
            let outputs = assignments(&output?)?.into_iter();
            self.values.extend(outputs.map(|(name, value)| (format!("steps.{id}.outputs.{name}"), value)));
        }
        finished.status.code().with_context(|| format!("step {name} was killed"))
    }
}

pub(super) fn values<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Values {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The members of a payload by name, such as `github.event.pull_request.number`.
fn flatten(name: &str, value: &Value, values: &mut Values) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                flatten(&format!("{name}.{member}"), value, values);
            }
        }
        Value::String(text) => drop(values.insert(name.to_owned(), text.clone())),
        other => drop(values.insert(name.to_owned(), other.to_string())),
    }
}

/// Replaces every `${{ }}` by its value. Members that an event lacks are empty, as on GitHub. Only names are supported, so GitHub runs exactly the tested text.
pub(super) fn evaluate(text: &str, values: &Values) -> Result<String> {
    let mut parts = text.split("${{");
    let mut evaluated = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (expression, rest) =
            part.split_once("}}").with_context(|| format!("unterminated expression in `{text}`"))?;
        let name = expression.trim();
        let is_name = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
        ensure!(!name.is_empty() && name.chars().all(is_name), "`{name}` is not a plain name");
        match values.get(name) {
            Some(value) => evaluated.push_str(value),
            None => ensure!(name.starts_with("github.event."), "unknown name `{name}`"),
        }
        evaluated.push_str(rest);
    }
    Ok(evaluated)
}

/// The lines `name=value` of a step's file. Values of several lines, `name<<END`, are unused in this project.
fn assignments(text: &str) -> Result<Values> {
    let assignment = |line: &str| {
        let (name, value) = line.split_once('=').with_context(|| format!("`{line}` is not name=value"))?;
        ensure!(!name.contains("<<"), "`{line}` starts a multi-line value, which is not supported");
        Ok((name.to_owned(), value.to_owned()))
    };
    text.lines().map(assignment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(id: Option<&str>, env: &[(&str, &str)], run: &str) -> Script {
        Script {
            name: "one".into(),
            id: id.map(str::to_owned),
            shell: "bash".into(),
            env: values(env.iter().copied()),
            run: run.into(),
        }
    }

    #[test]
    fn steps_set_outputs_through_files() {
        if crate::tool::find("bash").is_err() {
            println!("not run, because bash is missing");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut job = Job::new(folder.path(), &[("GITHUB_SHA", "1")], "{}").unwrap();
        let first = "echo code=3 >> \"$GITHUB_OUTPUT\"; echo '# one' >> \"$GITHUB_STEP_SUMMARY\"";
        assert_eq!(job.run(&script(Some("first"), &[], first)).unwrap(), 0);
        let second = script(
            None,
            &[("CODE", "${{ steps.first.outputs.code }}")],
            "test \"$GITHUB_SHA\" = 1; exit \"$CODE\"",
        );
        assert_eq!(job.run(&second).unwrap(), 3);
        assert_eq!(job.summary, "# one\n");
        // Any failure ends a step.
        assert_eq!(job.run(&script(None, &[], "false; exit 0")).unwrap(), 1);
        let inline = script(None, &[], "echo ${{ steps.first.outputs.code }}");
        assert!(job.run(&inline).unwrap_err().to_string().contains("has an expression in its script"));
    }

    #[test]
    fn evaluates_only_names() {
        let values = values([("inputs.mode", "ab"), ("runner.temp", "/t")]);
        assert_eq!(evaluate("${{ runner.temp }}/${{inputs.mode}}.json", &values).unwrap(), "/t/ab.json");
        assert_eq!(evaluate("$HOME", &values).unwrap(), "$HOME");
        for wrong in ["${{ inputs.other }}", "${{ inputs.mode == 'ab' }}", "${{ }}", "${{ inputs.mode"] {
            assert!(evaluate(wrong, &values).is_err(), "{wrong}");
        }
    }
}
