//! [`Job`]: a job as a runner plays it: its variables, the files through which steps tell of themselves, and their outputs.

use super::document::{Action, Script};
use super::expression::{Values, evaluate};
use crate::tool::Tool;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Variables that jobs have, by how they begin. A job of ours may run in a job of GitHub's.
const OF_JOBS: [&str; 4] = ["GITHUB_", "RUNNER_", "ACTIONS_", "ROUNDTRIP_"];

/// A job.
pub(super) struct Job<'a> {
    /// What is checked out.
    workspace: &'a Path,
    /// Variables, of which `GITHUB_ENV` makes more.
    variables: BTreeMap<String, String>,
    /// What expressions can name.
    pub(super) values: Values,
    /// Put before PATH.
    paths: Vec<PathBuf>,
    folder: TempDir,
    /// What the steps wrote on the job's page.
    pub(super) summary: String,
    /// What the steps wrote to their outputs.
    pub(super) log: String,
}

impl<'a> Job<'a> {
    /// A job in a checkout, with the variables that its event gives.
    ///
    /// # Errors
    /// There is no room for its files.
    pub(super) fn new(workspace: &'a Path, event: &[(&str, &str)], payload: &str) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let temp = folder.path().join("temp");
        std::fs::create_dir_all(&temp).context("no temporary folder")?;
        let path = folder.path().join("event.json");
        std::fs::write(&path, payload).context("cannot write the event")?;
        let (system, processor) = runner();
        let mut variables: BTreeMap<String, String> =
            event.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let always = [
            ("GITHUB_ACTIONS", "true".to_owned()),
            ("GITHUB_EVENT_PATH", path.display().to_string()),
            ("GITHUB_REPOSITORY", "octo/lib".to_owned()),
            ("GITHUB_WORKSPACE", workspace.display().to_string()),
            ("RUNNER_ARCH", processor.to_owned()),
            ("RUNNER_OS", system.to_owned()),
            ("RUNNER_TEMP", temp.display().to_string()),
            // Where reports wait on systems that ask it.
            ("XDG_STATE_HOME", folder.path().join("state").display().to_string()),
        ];
        variables.extend(always.map(|(name, value)| (name.to_owned(), value)));
        let values = Values::from([("runner.temp".to_owned(), temp.display().to_string())]);
        Ok(Self {
            workspace,
            variables,
            values,
            paths: Vec::new(),
            folder,
            summary: String::new(),
            log: String::new(),
        })
    }

    /// A folder that goes with the job: `RUNNER_TEMP`.
    pub(super) fn temp(&self) -> PathBuf {
        self.folder.path().join("temp")
    }

    /// Gives all further steps a variable.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Puts a folder before PATH.
    pub(super) fn add_path(&mut self, folder: &Path) {
        self.paths.insert(0, folder.to_owned());
    }

    /// Runs an action with what it is told, to its end or to the first step that fails. Returns the exit code of that one.
    ///
    /// # Errors
    /// It is told what it does not know, or uses what this program does not.
    pub(super) fn run_action(&mut self, folder: &Path, action: &Action, with: &Values) -> Result<i32> {
        ensure!(action.runs.using == "composite", "the action is no composite one");
        if let Some(unknown) = with.keys().find(|name| !action.inputs.contains_key(*name)) {
            bail!("the action has no input {unknown}");
        }
        let before = self.values.clone();
        for (name, input) in &action.inputs {
            let value = with.get(name).unwrap_or(&input.default).clone();
            self.values.insert(format!("inputs.{name}"), value);
        }
        self.set("GITHUB_ACTION_PATH", &folder.display().to_string());
        let code = action.runs.steps.iter().try_fold(0, |code, step| match code {
            0 => self.run(step),
            failed => Ok(failed),
        });
        // What an action has of steps and inputs is its own.
        self.values = before;
        code
    }

    /// Runs a script and returns its exit code.
    ///
    /// # Errors
    /// It uses what this program does not know, or cannot be started.
    pub(super) fn run(&mut self, step: &Script) -> Result<i32> {
        let Script { name, id, shell, env, run } = step;
        ensure!(shell == "bash", "step {name} is run with {shell}: expected bash");
        ensure!(
            !run.contains("${{"),
            "step {name} has an expression in its script: expected it in a variable"
        );
        let script = self.folder.path().join("script.sh");
        std::fs::write(&script, run).context("cannot write the script")?;
        // As a runner starts `shell: bash`.
        let mut bash = Tool::named("bash")?
            .arguments(["--noprofile", "--norc", "-e", "-o", "pipefail"])
            .arguments([&script])
            .folder(self.workspace);
        let inherited = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in inherited.filter(|name| OF_JOBS.iter().any(|begin| name.starts_with(begin))) {
            bash = bash.without_variable(&name);
        }
        for (name, value) in &self.variables {
            bash = bash.variable(name, value);
        }
        for (name, text) in env {
            let value = evaluate(text, &self.values).with_context(|| format!("step {}", step.name))?;
            bash = bash.variable(name, value);
        }
        let file = |name: &str| -> Result<PathBuf> {
            let path = self.folder.path().join(name);
            std::fs::write(&path, "").with_context(|| format!("cannot write {}", path.display()))?;
            Ok(path)
        };
        let files = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"];
        let [output, variables, paths, summary] = files.map(file);
        let (output, variables, paths, summary) = (output?, variables?, paths?, summary?);
        for (name, path) in files.iter().zip([&output, &variables, &paths, &summary]) {
            bash = bash.variable(name, path);
        }
        let own = std::env::var_os("PATH").unwrap_or_default();
        let all = self.paths.iter().cloned().chain(std::env::split_paths(&own));
        let finished = bash.variable("PATH", std::env::join_paths(all)?).run_silently()?;
        self.log.push_str(&format!("## {name}\n{}", finished.log));
        self.summary.push_str(&text(&summary)?);
        if let Some(id) = id {
            let outputs = assignments(&text(&output)?)?;
            self.values.extend(
                outputs.into_iter().map(|(name, value)| (format!("steps.{id}.outputs.{name}"), value)),
            );
        }
        self.variables.extend(assignments(&text(&variables)?)?);
        for path in text(&paths)?.lines() {
            self.add_path(Path::new(path));
        }
        finished.status.code().with_context(|| format!("step {name} was killed"))
    }
}

/// What a runner calls this system and its processor.
fn runner() -> (&'static str, &'static str) {
    let system = match std::env::consts::OS {
        "macos" => "macOS",
        "windows" => "Windows",
        "linux" => "Linux",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "X64",
        "aarch64" => "ARM64",
        other => other,
    };
    (system, processor)
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The lines `name=value` of a file of a step. Values of several lines, which begin with `name<<END`, nobody writes here.
fn assignments(text: &str) -> Result<Values> {
    let assignment = |line: &str| {
        let (name, value) = line.split_once('=').with_context(|| format!("`{line}` is not name=value"))?;
        ensure!(!name.contains("<<"), "`{line}` begins a value of several lines");
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
            env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            run: run.into(),
        }
    }

    #[test]
    fn a_step_tells_the_next_ones_of_itself_through_its_files() {
        if crate::tool::find("bash").is_err() {
            println!("not run, because bash is missing");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut job = Job::new(folder.path(), &[("GITHUB_SHA", "1")], "{}").unwrap();
        let first = "echo code=3 >> \"$GITHUB_OUTPUT\"; echo A=b >> \"$GITHUB_ENV\"; echo '# one' >> \"$GITHUB_STEP_SUMMARY\"";
        assert_eq!(job.run(&script(Some("first"), &[], first)).unwrap(), 0);
        let second = script(
            None,
            &[("CODE", "${{ steps.first.outputs.code }}")],
            "test \"$A$GITHUB_SHA\" = b1; exit \"$CODE\"",
        );
        assert_eq!(job.run(&second).unwrap(), 3);
        assert_eq!(job.summary, "# one\n");
        // Whatever fails ends a step.
        assert_eq!(job.run(&script(None, &[], "false; exit 0")).unwrap(), 1);
        let inline = script(None, &[], "echo ${{ steps.first.outputs.code }}");
        assert!(job.run(&inline).unwrap_err().to_string().contains("has an expression in its script"));
    }
}
