//! `explain`: why regressions changed, with the time budget before and after.

use super::ErrorRates;
use super::regression::{self, Place, Regression};
use crate::api::{Project, Query};
use crate::{Api, Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

const REGRESSIONS_MAX: usize = 5;
const SERIES_MAX: usize = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Project. Needed only if you can read several.
    project: Option<String>,
    /// Number from `what_changed`. Or pass `base` and `head`.
    regression_id: Option<i64>,
    /// Explain the changes after this commit: SHA, or at least seven digits of it.
    base: Option<String>,
    /// Explain the changes up to this commit.
    head: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The regression, or the newest five between the commits.
    explained: Vec<Explained>,
    /// What to do for a better explanation.
    next: Vec<String>,
    /// How often these reports are wrong.
    error_rates: ErrorRates,
}

#[derive(Serialize, JsonSchema)]
struct Explained {
    /// The regression.
    regression: Regression,
    /// Where the time of a message of its largest change goes, before and after; null if the system does not report it.
    budget: Option<BudgetChange>,
}

/// Two time budgets of a series. Parts are in nanoseconds per message (in `roundtrip`, per round trip): `sender_user`,
/// `sender_kernel`, `receiver_user` and `receiver_kernel` on a CPU, `ready` waiting for a CPU, `asleep` for another reason;
/// they add up to the time plus `overlap`, in which ends ran simultaneously.
#[derive(Serialize, JsonSchema)]
struct BudgetChange {
    /// The series.
    series_id: i64,
    /// At the last point before the change.
    before_ns: BTreeMap<String, f64>,
    /// At the first point after the change.
    after_ns: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Budgets {
    series: Vec<Columns>,
}

#[derive(Deserialize)]
struct Columns {
    commit_ordinals: Vec<u64>,
    parts_ns: BTreeMap<String, Column>,
}

#[derive(Deserialize)]
struct Column {
    mean: Vec<f64>,
}

pub(super) fn tool(api: &Arc<dyn Api>) -> Tool {
    let api = Arc::clone(api);
    Tool::new(
        "explain",
        Effect::Reads,
        "Explain a regression, or the changes between two commits: findings with the nanoseconds that each accounts for, the \
         time budget of a message before and after (ns by part), the suspect commits, and up to 20 changed series.",
        move |input, _| explain(Arc::clone(&api), input),
    )
}

async fn explain(api: Arc<dyn Api>, input: Input) -> Result<Output, Refused> {
    let project = Project::find(&*api, input.project).await?;
    let regression_ids = match (input.regression_id, &input.base, &input.head) {
        (Some(regression_id), None, None) => vec![regression_id],
        (None, Some(base), Some(head)) => {
            let (rows, _) = regression::list(&project, Query::default(), Some((base, head))).await?;
            rows.iter().take(REGRESSIONS_MAX).map(|row| row.regression_id).collect()
        }
        _ => {
            return Err(Refused::new(
                "invalid-arguments",
                "pass either `regression_id`, or both `base` and `head`; `what_changed` lists regressions",
            ));
        }
    };
    let (mut explained, mut next) = (Vec::new(), Vec::new());
    for regression_id in regression_ids {
        let regression = Regression::read(&project, regression_id, SERIES_MAX).await?;
        let [after, until] = [&regression.row.after_commit, &regression.row.until_commit];
        let budget = match regression.series.first() {
            Some(largest) => budget(&project, largest.point.series_id, [after, until]).await?,
            None => None,
        };
        if regression.row.explanation.is_none() {
            next.push(format!(
                "Regression {regression_id} has no explanation yet. Compare its commits in pairs: queue_measurement with \
                 commits [\"{}\"] and base \"{}\", or run `roundtrip explain {} {}` in the repository.",
                until.sha, after.sha, after.sha, until.sha
            ));
        }
        explained.push(Explained { regression, budget });
    }
    if explained.is_empty() {
        next.push("No regression was found between these commits. compare_commits shows each case.".into());
    }
    Ok(Output { explained, next, error_rates: ErrorRates::read(&project).await? })
}

/// The budgets at the commits around a change, if both were counted.
async fn budget(
    project: &Project<'_>,
    series_id: i64,
    [after, until]: [&Place; 2],
) -> Result<Option<BudgetChange>, Refused> {
    let query = Query::default()
        .with("series", Some(series_id))
        .with("from", Some(after.ordinal))
        .with("to", Some(until.ordinal));
    let Budgets { series } = project.read("charts/budget", query).await?;
    // The first ordinal, then the difference of each to the one before.
    let is_around = |columns: &Columns| {
        let ordinals = &columns.commit_ordinals;
        ordinals.first() == Some(&after.ordinal) && ordinals.iter().sum::<u64>() == until.ordinal
    };
    let Some(columns) = series.into_iter().next().filter(is_around) else { return Ok(None) };
    let parts = |of: fn(&[f64]) -> Option<&f64>| {
        let part = |(name, column): (&String, &Column)| Some((name.clone(), *of(&column.mean)?));
        columns.parts_ns.iter().filter_map(part).collect()
    };
    Ok(Some(BudgetChange { series_id, before_ns: parts(<[f64]>::first), after_ns: parts(<[f64]>::last) }))
}
