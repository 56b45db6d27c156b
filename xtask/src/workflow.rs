//! GitHub's files: actions and workflows, as far as this program runs or checks them. Unknown members of an
//! action are an error, so no part of it is skipped.

use anyhow::{Context, Result};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "description")]
    _description: String,
    pub(crate) inputs: BTreeMap<String, Input>,
    pub(crate) runs: Runs,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(rename = "description")]
    _description: String,
    pub(crate) default: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    pub(crate) using: String,
    pub(crate) steps: Vec<ActionStep>,
}

/// A step of an action: a script, or another action.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum ActionStep {
    Script(Script),
    Uses(Uses),
}

/// A step that runs another action.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Uses {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "if")]
    _condition: String,
    pub(crate) uses: String,
    pub(crate) with: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) shell: String,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) run: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Workflow {
    jobs: BTreeMap<String, Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    #[serde(rename = "if")]
    condition: Option<String>,
    steps: Vec<WorkflowStep>,
}

/// A step of a workflow: an action, or a script.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct WorkflowStep {
    name: Option<String>,
    id: Option<String>,
    /// When it runs. Without a condition, no step before may fail.
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    uses: Option<String>,
    #[serde(default)]
    pub(crate) with: BTreeMap<String, Value>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    run: Option<String>,
}

impl Workflow {
    /// The conditions of its jobs.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &str> {
        self.jobs.values().filter_map(|job| job.condition.as_deref())
    }

    pub(crate) fn step(&self, name: &str) -> Result<&WorkflowStep> {
        self.find(|step| step.name.as_deref() == Some(name)).with_context(|| format!("no step {name}"))
    }

    /// The step that uses an action of this path, in any repository and version.
    pub(crate) fn step_using(&self, action: &str) -> Result<&WorkflowStep> {
        let uses = |step: &WorkflowStep| step.uses.as_ref().is_some_and(|uses| uses.contains(action));
        self.find(uses).with_context(|| format!("no step uses {action}"))
    }

    /// The step with this id.
    pub(crate) fn step_of_id(&self, id: &str) -> Result<&WorkflowStep> {
        self.find(|step| step.id.as_deref() == Some(id)).with_context(|| format!("no step has the id {id}"))
    }

    fn find(&self, is_one: impl Fn(&WorkflowStep) -> bool) -> Option<&WorkflowStep> {
        self.jobs.values().flat_map(|job| &job.steps).find(|step| is_one(step))
    }
}

impl WorkflowStep {
    /// The step as a bash script; bash is GitHub's default shell except on Windows.
    pub(crate) fn script(&self) -> Result<Script> {
        let run = self.run.clone().context("the step has no script")?;
        let name = self.name.clone().unwrap_or_default();
        Ok(Script { name, id: self.id.clone(), shell: "bash".into(), env: self.env.clone(), run })
    }
}

/// The workflow with this name in a YAML block of a page.
pub(crate) fn in_page(path: &Path, name: &str) -> Result<Workflow> {
    let page = fs_err::read_to_string(path)?;
    let mut blocks = page.split("```yaml\n").skip(1).filter_map(|block| block.split("```").next());
    let block = blocks.find(|block| block.starts_with(&format!("name: {name}\n")));
    let block = block.with_context(|| format!("{} has no workflow {name}", path.display()))?;
    serde_saphyr::from_str(block).with_context(|| format!("workflow {name} has an unexpected structure"))
}

pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs_err::read_to_string(path)?;
    serde_saphyr::from_str(&text).with_context(|| format!("{} has an unexpected structure", path.display()))
}
