//! `compare_commits`: two commits, case by case.

use super::{Commit, ErrorRates, Measured, Quantiles};
use crate::api::{Project, Query};
use crate::{Api, Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const LIMIT_DEFAULT: u32 = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Project. Needed only if you can read several.
    project: Option<String>,
    /// The commit to compare with: SHA, or at least seven digits of it.
    base: String,
    /// The commit to judge.
    head: String,
    /// Only this machine.
    machine: Option<String>,
    /// Only cases that contain all these words. Verdicts are still adjusted for the whole comparison.
    words: Option<String>,
    /// Only these kinds, separated by commas: slower, faster, elsewhere, inconclusive, unchanged, not-comparable.
    kind: Option<String>,
    /// The maximum number of cases of each kind, 1 to 10000; 10 by default.
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    comparison: Comparison,
    /// How often verdicts are wrong, and which slowdowns a comparison would have seen.
    error_rates: ErrorRates,
    /// The page.
    link: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Comparison {
    /// The base.
    base: Side,
    /// The head.
    head: Side,
    /// The number of cases of each kind, without the filters.
    counts: Counts,
    /// The cases: by kind, largest changes first.
    pairs: Vec<Pair>,
    /// Why cases are not compared, most frequent first.
    not_compared: Vec<NotCompared>,
    /// Machines whose sides were not measured alternately.
    machines: Vec<Machine>,
    /// The smallest and largest `detectable_change` of the unchanged cases; null if none has one.
    detectable_changes: Option<[f64; 2]>,
}

/// A commit with its results.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Side {
    /// The commit.
    commit: Commit,
    /// The number of measured cases.
    case_count: u64,
}

/// The number of cases of each kind.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Counts {
    /// The head takes longer.
    slower: u64,
    /// The head takes less.
    faster: u64,
    /// Changed in p90, p99 or shape alone.
    elsewhere: u64,
    /// The data do not allow a verdict.
    inconclusive: u64,
    /// Did not change.
    unchanged: u64,
    /// Not compared: see `not_compared`.
    not_comparable: u64,
}

/// One case on one machine.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Pair {
    #[serde(flatten)]
    measured: Measured,
    /// The base's result; null if it has none.
    base: Option<Figures>,
    /// The head's result; null if it has none.
    head: Option<Figures>,
    /// slower, faster, elsewhere, inconclusive, unchanged or not-comparable.
    kind: String,
    /// The verdict on the p50: regressed, improved, no change, inconclusive or not comparable.
    verdict: String,
    /// The change of the p50, as a share: 0.05 is 5 % larger, which is slower for times.
    change: Option<f64>,
    /// Its 95 % interval.
    change_interval: Option<[f64; 2]>,
    /// The p-value, adjusted for all cases of the comparison.
    p_adjusted: Option<f64>,
    /// Changes below this share are not reported.
    least_change: Option<f64>,
    /// 90 % of comparisons would report a slowdown of this share; null with too few repetitions to report any.
    detectable_change: Option<f64>,
    /// Why it is inconclusive.
    undecided: Option<String>,
    /// Differences between the sides that prevent a comparison.
    differences: Vec<Difference>,
    /// Other reasons that prevent it.
    reasons: Vec<String>,
    /// Whether one job alternated the repetitions of both sides, so that changes of the machine cancel.
    paired: bool,
}

/// A result.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Figures {
    /// Machine.
    machine: String,
    /// Quantiles of all operations, in nanoseconds.
    latency_ns: Quantiles,
    /// The 95 % interval of the median over the repetitions, in nanoseconds; null with fewer than six.
    interval_ns: Option<[u64; 2]>,
}

/// A difference between the sides.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Difference {
    /// What differs: `window`, `environment.os.kernel`.
    what: String,
    /// The base's value.
    base: String,
    /// The head's value.
    head: String,
}

/// Cases that are not compared for one reason.
#[derive(Deserialize, Serialize, JsonSchema)]
struct NotCompared {
    /// Differences between the sides.
    differences: Vec<Difference>,
    /// Other reasons.
    reasons: Vec<String>,
    /// Their machines.
    machines: Vec<String>,
    /// The number of cases.
    pair_count: u64,
}

/// A machine.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Machine {
    /// Its name.
    machine: String,
    /// How much it changed between the two sides; null without references.
    moved: Option<Movement>,
}

/// A change of a machine.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Movement {
    /// The largest change of a reference (canary or control), as a share.
    movement: f64,
    /// Whether it changed little enough for verdicts: by at most 10 %.
    comparable: bool,
}

pub(super) fn tool(api: &Arc<dyn Api>) -> Tool {
    let api = Arc::clone(api);
    Tool::new(
        "compare_commits",
        Effect::Reads,
        "Compare two measured commits case by case: the verdict on the median latency (p50, ns) with its 95 % interval, counts by \
         kind, why cases are not comparable, how much each machine changed, and how often verdicts are wrong.",
        move |input, _| compare(Arc::clone(&api), input),
    )
}

async fn compare(api: Arc<dyn Api>, input: Input) -> Result<Output, Refused> {
    let project = Project::find(&*api, input.project).await?;
    let (base, head) =
        (Commit::read(&project, &input.base).await?, Commit::read(&project, &input.head).await?);
    let sides = || Query::default().with("base", Some(&base.sha)).with("head", Some(&head.sha));
    let query = sides()
        .with("machine", input.machine)
        .with("q", input.words)
        .with("kind", input.kind)
        .with("limit", Some(input.limit.unwrap_or(LIMIT_DEFAULT)));
    Ok(Output {
        comparison: project.get("compare", query).await?,
        error_rates: ErrorRates::read(&project).await?,
        link: project.link("compare", sides()),
    })
}
