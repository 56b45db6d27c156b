//! `find_series`: series with their newest results.

use super::{Measured, Quantiles};
use crate::api::{Project, Query};
use crate::{Api, Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// More results fill the context of an agent.
const LIMIT_DEFAULT: u32 = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Project. Needed only if you can read several.
    project: Option<String>,
    /// Words that must all match the machine, transport, scenario, mode, placement or size: `lab-1 pipe 4096`.
    words: Option<String>,
    /// Only this machine.
    machine: Option<String>,
    /// Only this transport, such as `pipe` or `ring-futex`.
    transport: Option<String>,
    /// Only this scenario, such as `roundtrip` or `stream`.
    scenario: Option<String>,
    /// Only this placement: `same-cpu`, `cross-cpu` or `free`.
    placement: Option<String>,
    /// Only messages of this size, in bytes.
    message_bytes: Option<u64>,
    /// The maximum number of series, 1 to 1000; 20 by default.
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The series.
    series: Vec<Linked>,
    /// Whether there are more: narrow the search, or raise `limit`.
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct Linked {
    #[serde(flatten)]
    series: Series,
    /// Page with the chart.
    link: String,
}

#[derive(Deserialize)]
struct Answer {
    series: Vec<Series>,
    next_after: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Series {
    /// Number in links.
    series_id: i64,
    #[serde(flatten)]
    measured: Measured,
    /// Machine. Results of different machines are not comparable.
    machine: String,
    /// How it was measured. Results with different methodologies are not comparable.
    methodology: Methodology,
    /// The newest result; null if there is none, or if it was imported without samples.
    latest: Option<Point>,
    /// The newest result that another tool stated without samples.
    latest_summary: Option<Stated>,
}

/// The parts of a methodology that differ most.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Methodology {
    /// How a receiver waits: `block`, `spin`, `spin-then-block`.
    receive: String,
    /// Messages in flight.
    window: u64,
    /// Operations per timing.
    batch: u64,
    /// Parts of a repetition that alternated with the other side of a paired comparison; null for runs of a single commit.
    parts: Option<u64>,
}

/// The result of one run.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Point {
    /// Quantiles of all operations, in nanoseconds.
    latency_ns: Quantiles,
    /// Quartiles of the medians of the repetitions, in nanoseconds: the spread of the p50.
    repetition_p50_ns: Quartiles,
    /// The measured commit.
    commit_sha: String,
    /// When the run began.
    measured_at: String,
    /// Whether messages were lost, so that the result is not comparable.
    lossy: bool,
}

/// Quartiles.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Quartiles {
    /// First quartile.
    q1: u64,
    /// Median.
    median: u64,
    /// Third quartile.
    q3: u64,
}

/// Values of another tool, in nanoseconds or the unit of the case's measure.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Stated {
    /// The value.
    center_ns: u64,
    /// The lower end of its interval.
    low_ns: Option<u64>,
    /// The upper end of its interval.
    high_ns: Option<u64>,
    /// The measured commit.
    commit_sha: String,
    /// When the run began.
    measured_at: String,
}

pub(super) fn tool(api: &Arc<dyn Api>) -> Tool {
    let api = Arc::clone(api);
    Tool::new(
        "find_series",
        Effect::Reads,
        "Find series: the results of one case on one machine over commits. Returns their names, machines, links and newest \
         median latency (ns). Start here to find out what is measured.",
        move |input, _| find(Arc::clone(&api), input),
    )
}

async fn find(api: Arc<dyn Api>, input: Input) -> Result<Output, Refused> {
    let project = Project::find(&*api, input.project).await?;
    let query = Query::default()
        .with("q", input.words)
        .with("machine", input.machine)
        .with("transport", input.transport)
        .with("scenario", input.scenario)
        .with("placement", input.placement)
        .with("message_bytes", input.message_bytes)
        .with("limit", Some(input.limit.unwrap_or(LIMIT_DEFAULT)));
    let Answer { series, next_after } = project.get("series", query).await?;
    let link = |series: &Series| project.link(&format!("series/{}", series.series_id), Query::default());
    let series = series.into_iter().map(|series| Linked { link: link(&series), series }).collect();
    Ok(Output { series, has_more: next_after.is_some() })
}
