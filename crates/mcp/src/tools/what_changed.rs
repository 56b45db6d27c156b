//! `what_changed`: the regressions and improvements of a project.

use super::ErrorRates;
use super::regression::{self, Regression};
use crate::api::{Project, Query};
use crate::{Api, Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const LIMIT_DEFAULT: usize = 5;
const LIMIT_MAX: usize = 20;
const SERIES_MAX: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Project. Needed only if you can read several.
    project: Option<String>,
    /// States, separated by commas: new, acknowledged, fixed, invalid, machine. All by default.
    state: Option<String>,
    /// `regressed` or `improved`. Both by default.
    direction: Option<String>,
    /// Only changes after this commit: SHA, or at least seven digits of it. Needs `head`.
    base: Option<String>,
    /// Only changes up to this commit. Needs `base`.
    head: Option<String>,
    /// The maximum number of regressions, 1 to 20; 5 by default.
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The newest first.
    regressions: Vec<Regression>,
    /// Whether there are more: narrow the search, or raise `limit`.
    has_more: bool,
    /// How often these reports are wrong.
    error_rates: ErrorRates,
}

pub(super) fn tool(api: &Arc<dyn Api>) -> Tool {
    let api = Arc::clone(api);
    Tool::new(
        "what_changed",
        Effect::Reads,
        "Answer \"which commit made X slower, by how much, and why?\". Lists regressions and improvements of a project, newest \
         first: the changed series with machines, sizes (ns, shares, 95 % intervals) and evidence; the commits around the \
         change; suspects with probabilities; findings, if it was explained. Also returns how often these reports are wrong.",
        move |input, _| list(Arc::clone(&api), input),
    )
}

async fn list(api: Arc<dyn Api>, input: Input) -> Result<Output, Refused> {
    let range = match (&input.base, &input.head) {
        (Some(base), Some(head)) => Some((&**base, &**head)),
        (None, None) => None,
        _ => return Err(Refused::new("invalid-arguments", "pass both `base` and `head`, or neither")),
    };
    let limit = input.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Refused::new(
            "invalid-arguments",
            format!("limit is {limit}: expected 1 to {LIMIT_MAX}"),
        ));
    }
    let project = Project::find(&*api, input.project).await?;
    let query = Query::default().with("state", input.state).with("direction", input.direction);
    let (rows, has_more) = regression::list(&project, query, range).await?;
    let mut regressions = Vec::new();
    for row in rows.iter().take(limit) {
        regressions.push(Regression::read(&project, row.regression_id, SERIES_MAX).await?);
    }
    let has_more = has_more || rows.len() > limit;
    Ok(Output { regressions, has_more, error_rates: ErrorRates::read(&project).await? })
}
