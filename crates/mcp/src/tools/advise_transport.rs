//! `advise_transport`: transports ranked for message sizes.

use super::Transport;
use crate::api::{Project, Query};
use crate::{Api, Effect, Refused, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Project with results of several transports. Needed only if you can read several projects.
    project: Option<String>,
    /// Histogram of message sizes in bytes with counts, ascending: `12-15:4387,64:3`.
    sizes: Option<String>,
    /// Published size profile instead of `sizes`, such as `chromium-ipc`, the default.
    profile: Option<String>,
    /// Only this machine.
    machine: Option<String>,
    /// Only this placement: `same-cpu`, `cross-cpu` or `free`.
    placement: Option<String>,
    /// Only between processes (`2proc`) or threads (`2thread`).
    mode: Option<String>,
    /// Statistic to rank by: mean, p50, p98 or p99. p50 by default.
    by: Option<String>,
    /// Messages per second, to estimate busy CPUs.
    rate_per_second: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    #[serde(flatten)]
    advice: Advice,
    /// The page.
    link: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Advice {
    /// Rankings by machine, mode and placement. Only transports within one are comparable.
    groups: Vec<Group>,
    /// The message sizes.
    sizes: Sizes,
    /// What the estimates assume.
    assumptions: Vec<String>,
}

/// Message sizes.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Sizes {
    /// Sizes in bytes with counts.
    text: String,
}

/// Transports with comparable results on one machine.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Group {
    /// Machine.
    machine: String,
    /// What the results have in common: scenario, mode, placement.
    case: BTreeMap<String, String>,
    /// More threads than CPUs took part, so times include waiting for a CPU.
    oversubscribed: bool,
    /// The advice in words.
    answer: String,
    /// Best first.
    ranking: Vec<Ranked>,
    /// Transports without comparable results for these sizes.
    not_ranked: Vec<Unranked>,
    /// Message sizes at which the faster of two transports changes.
    crossovers: Vec<Crossover>,
}

/// A transport with the estimated costs of these messages.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Ranked {
    /// The transport.
    transport: Transport,
    /// Round-trip times of all messages together, in nanoseconds.
    latency_ns: Latency,
    /// CPU time of both ends per message, in nanoseconds; null if unknown.
    cpu_ns_per_message: Option<f64>,
    /// Busy CPUs at `rate_per_second`; null without it.
    cpus: Option<f64>,
    /// Its time divided by the first one's; null for the first.
    behind_first: Option<Behind>,
}

/// Times.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Latency {
    /// Mean.
    mean: f64,
    /// Median.
    p50: f64,
    /// 98 %.
    p98: f64,
    /// 99 %.
    p99: f64,
}

/// How far a transport is behind the first one.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Behind {
    /// The ratio of the times.
    ratio: f64,
    /// The lower end of its 95 % interval; null with too few repetitions.
    low: Option<f64>,
    /// The upper end.
    high: Option<f64>,
    /// Whether the difference is significant. If not, the transports are tied.
    is_sure: bool,
}

/// A transport that is not ranked.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Unranked {
    /// The transport.
    transport: Transport,
    /// Why.
    because: String,
}

/// Where one transport stops being faster than another. Transports are positions in the ranking, from 0.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Crossover {
    /// The transport that is faster below.
    below: u64,
    /// The transport that is faster above.
    above: u64,
    /// The size, in bytes.
    x: u64,
    /// The lower end of its 95 % interval; null if no measured size is certain.
    from: Option<u64>,
    /// The upper end.
    to: Option<u64>,
}

pub(super) fn tool(api: &Arc<dyn Api>) -> Tool {
    let api = Arc::clone(api);
    Tool::new(
        "advise_transport",
        Effect::Reads,
        "Rank IPC transports for message sizes (bytes), from measured results: estimated round-trip times (ns), CPU time, the \
         ratio to the best with its 95 % interval, and the sizes at which the ranking changes.",
        move |input, _| advise(Arc::clone(&api), input),
    )
}

async fn advise(api: Arc<dyn Api>, input: Input) -> Result<Output, Refused> {
    let project = Project::find(&*api, input.project).await?;
    let query = || {
        Query::default()
            .with("sizes", input.sizes.as_ref())
            .with("profile", input.profile.as_ref())
            .with("machine", input.machine.as_ref())
            .with("placement", input.placement.as_ref())
            .with("mode", input.mode.as_ref())
            .with("by", input.by.as_ref())
    };
    let advice = project.get("advice", query().with("rate_per_second", input.rate_per_second)).await?;
    Ok(Output { advice, link: project.link("advisor", query()) })
}
