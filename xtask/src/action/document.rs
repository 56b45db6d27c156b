//! [`Action`] and [`Workflow`]: their documents, as far as this program runs or checks them. What is not known here is an
//! error in an action, so that nothing of it goes unrun.

use anyhow::{Context, Result};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A composite action.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "description")]
    _description: String,
    /// By name.
    pub(crate) inputs: BTreeMap<String, Input>,
    /// What it does.
    pub(crate) runs: Runs,
}

/// What an action can be told.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(rename = "description")]
    _description: String,
    /// What it is unless it is told.
    pub(crate) default: String,
}

/// The steps of an action.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    /// `composite`.
    pub(crate) using: String,
    /// In their order.
    pub(crate) steps: Vec<Script>,
}

/// A step of an action: a script.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    /// For people.
    pub(crate) name: String,
    /// What others call its outputs by.
    pub(crate) id: Option<String>,
    /// What runs it.
    pub(crate) shell: String,
    /// Variables, with expressions.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The script itself, without.
    pub(crate) run: String,
}

/// A workflow.
#[derive(Debug, Deserialize)]
pub(crate) struct Workflow {
    jobs: BTreeMap<String, Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    steps: Vec<Use>,
}

/// A step of a workflow: an action, or a script.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Use {
    /// For people.
    pub(crate) name: Option<String>,
    /// What others call its outputs by.
    pub(crate) id: Option<String>,
    /// What it tells the action.
    #[serde(default)]
    pub(crate) with: BTreeMap<String, Value>,
    /// Variables, with expressions.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// A script.
    pub(crate) run: Option<String>,
}

impl Workflow {
    /// The step of this name, of whichever job.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn step(&self, name: &str) -> Result<&Use> {
        let mut steps = self.jobs.values().flat_map(|job| &job.steps);
        steps
            .find(|step| step.name.as_deref() == Some(name))
            .with_context(|| format!("no step is called {name}"))
    }
}

impl Use {
    /// The step as a script of bash, which is what GitHub runs scripts with where nothing else is said, but for Windows.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn script(&self) -> Result<Script> {
        Ok(Script {
            name: self.name.clone().unwrap_or_default(),
            id: self.id.clone(),
            shell: "bash".into(),
            env: self.env.clone(),
            run: self.run.clone().context("the step runs no script")?,
        })
    }
}

/// Reads a document.
///
/// # Errors
/// It cannot be read, or says something that this program does not know.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_saphyr::from_str(&text).with_context(|| format!("{} is not as expected", path.display()))
}
