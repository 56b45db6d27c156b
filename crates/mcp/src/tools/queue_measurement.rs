//! `queue_measurement`: jobs for the agents of a lab.

use crate::api::{Project, Query};
use crate::{Api, Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Project. Needed only if you can read several.
    project: Option<String>,
    /// Commits to measure: full SHAs, pushed to the project's repository.
    commits: Vec<String>,
    /// Compare each commit with this one, in pairs. Slower cases are then explained.
    base: Option<String>,
    /// Machines to measure on. All machines with the labels by default.
    machines: Option<Vec<String>>,
    /// Labels that a machine needs.
    #[serde(default)]
    labels: Vec<String>,
    /// Preset, or the path of a definition in the repository. The commit's roundtrip.toml by default.
    preset: Option<String>,
    /// Branch of the commits.
    branch: Option<String>,
    /// Must be true to queue. Otherwise the answer only shows what would be queued.
    #[serde(default)]
    confirm: bool,
}

/// What was or would be queued.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// Whether jobs were queued.
    queued: bool,
    /// The new jobs. Empty if they were already open.
    job_ids: Vec<i64>,
    /// The commits.
    commits: Vec<String>,
    /// The base of paired comparisons.
    base: Option<String>,
    /// The machines; null: all machines with the labels.
    machines: Option<Vec<String>>,
    /// The labels that a machine needs.
    labels: Vec<String>,
    /// The preset or definition; null: that of the commit's roundtrip.toml.
    preset: Option<String>,
    /// The branch of the commits.
    branch: Option<String>,
    /// What happens next, or what to do.
    next: String,
    /// The page of the queue.
    link: String,
}

#[derive(Deserialize)]
struct Answer {
    job_ids: Vec<i64>,
}

pub(super) fn tool(api: &Arc<dyn Api>) -> Tool {
    let api = Arc::clone(api);
    Tool::new(
        "queue_measurement",
        Effect::Adds,
        "Queue jobs that measure commits on the machines of a lab; with `base`, in pairs. Occupies machines for minutes to hours. \
         Without `confirm: true`, it only shows what it would queue. Needs a token with the scope project:write.",
        move |input, _| queue(Arc::clone(&api), input),
    )
}

async fn queue(api: Arc<dyn Api>, input: Input) -> Result<Output, Refused> {
    let project = Project::find(&*api, input.project).await?;
    let (queued, job_ids, next) = if input.confirm {
        let body = json!({
            "commits": input.commits,
            "base": input.base,
            "machines": input.machines,
            "labels": input.labels,
            "preset": input.preset,
            "branch": input.branch,
        });
        let Answer { job_ids } = project.post("jobs", body).await?;
        let next = "Agents take the jobs when they are free; compare_commits and what_changed then show the results.";
        (true, job_ids, next)
    } else {
        (false, Vec::new(), "Nothing was queued. Ask the user, then call again with `confirm: true`.")
    };
    let Input { commits, base, machines, labels, preset, branch, .. } = input;
    let link = project.link("jobs", Query::default());
    let next = next.into();
    Ok(Output { queued, job_ids, commits, base, machines, labels, preset, branch, next, link })
}
