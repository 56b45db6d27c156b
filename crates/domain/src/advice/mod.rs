//! Estimates the cost of a size profile's messages over each transport on each machine, from the newest
//! measured distributions. `roundtrip-advisor` has the method.

mod answer;
mod groups;

pub use groups::{Member, Wanted, of_machine};

use crate::charts::crossover::Crossover;
use crate::charts::members;
use crate::charts::sweep::SweptParameter;
use crate::error::DomainError;
use roundtrip_advisor::ranking::LEFT_OUT_MAX;
use roundtrip_storage as db;
use roundtrip_storage::chart::MeasuredRow;
use roundtrip_storage::run::Outcome;
use roundtrip_wire::{Slug, TransportInfo};
use serde::Serialize;
use sqlx::PgPool;
use std::collections::{BTreeMap, HashMap};
use utoipa::ToSchema;
use uuid::Uuid;

/// The parameter over which transports are measured.
pub const OVER: SweptParameter = SweptParameter::MessageBytes;

/// Transports with comparable results on one machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdviceGroup {
    /// The machine's name.
    pub machine: String,
    /// The environment in which the results were measured.
    pub environment_id: i64,
    /// The case that the group's transports share: scenario, mode, placement and so on.
    pub case: BTreeMap<String, String>,
    /// Whether more threads took part than there were processors for them.
    pub oversubscribed: bool,
    /// The advice in a few sentences.
    pub answer: String,
    /// The ranked transports, best first.
    pub ranking: Vec<RankedTransport>,
    /// Transports without enough results.
    pub not_ranked: Vec<UnrankedTransport>,
    /// The message sizes at which the faster of two transports changes. Transports are given by their positions
    /// in the ranking.
    pub crossovers: Vec<Crossover>,
    /// The nearest scale factors of all sizes, below and above 1, at which another transport would be first.
    pub would_change: Vec<AdviceChange>,
}

/// A transport with its estimated costs.
#[derive(Debug, Serialize, ToSchema)]
pub struct RankedTransport {
    /// The transport.
    pub transport: TransportInfo,
    /// The facts that distinguish it from others in the group, besides the transport.
    pub distinguishing: BTreeMap<String, String>,
    /// How a receive waits: `block`, `spin`, `spin-then-block`.
    pub receive: Slug,
    /// The times of all messages together.
    pub latency_ns: AdvisedLatency,
    /// Processor time of both ends per message; null if not counted at every size.
    #[schema(required)]
    pub cpu_ns_per_message: Option<f64>,
    /// Wake-ups of a sleeping end per message; null as above.
    #[schema(required)]
    pub wakes_per_message: Option<f64>,
    /// Busy processors at the requested rate; null without a rate, or if not counted.
    #[schema(required)]
    pub cpus: Option<f64>,
    /// Wake-ups per second at that rate; null as above.
    #[schema(required)]
    pub wakes_per_second: Option<f64>,
    /// The distance to the first transport in the ranking; null for the first.
    #[schema(required)]
    pub behind_first: Option<BehindFirst>,
    /// The share of messages below the shortest measured size, which take the time of that size.
    pub below_measured_share: f64,
    /// The share of messages above the longest measured size. They are left out; at most 0.1 %.
    pub above_measured_share: f64,
    /// The results behind the estimate, by size.
    pub measured: Vec<MeasuredSize>,
}

/// The times of all messages of a profile together, in nanoseconds.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AdvisedLatency {
    /// The expected time of a message.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 98 %.
    pub p98: f64,
    /// 99 %.
    pub p99: f64,
}

/// How far a transport is behind the first one.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct BehindFirst {
    /// The ratio of the times.
    pub ratio: f64,
    /// The lower end of the 95 % interval of the ratio; null with too few repetitions.
    #[schema(required)]
    pub low: Option<f64>,
    /// The upper end of the interval.
    #[schema(required)]
    pub high: Option<f64>,
    /// Whether the difference is statistically significant.
    pub is_sure: bool,
}

/// The result at one size.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MeasuredSize {
    /// The size.
    pub message_bytes: u64,
    /// The series.
    pub series_id: i64,
    /// The run.
    pub run_id: Uuid,
    /// The commit.
    pub commit_sha: String,
    /// Median, in nanoseconds.
    pub p50_ns: i64,
    /// 98 %, in nanoseconds.
    pub p98_ns: i64,
    /// 99 %, in nanoseconds.
    pub p99_ns: i64,
}

/// A transport without enough results.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnrankedTransport {
    /// The transport.
    pub transport: TransportInfo,
    /// The facts that distinguish it from others in the group, besides the transport.
    pub distinguishing: BTreeMap<String, String>,
    /// Why it is not ranked, in a sentence.
    pub because: String,
}

/// The best transport for scaled sizes.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct AdviceChange {
    /// The scale factor of all sizes.
    pub factor: f64,
    /// The position in the ranking of the transport that would be first.
    pub place: usize,
}

/// The series of one machine that have a parameter, with their newest points.
pub async fn members(
    pool: &PgPool,
    over: SweptParameter,
    rows: Vec<db::series::SeriesRow>,
) -> Result<Vec<Member>, DomainError> {
    let Some(machine_id) = rows.first().map(|row| row.key().machine_id) else { return Ok(Vec::new()) };
    let points = members::points(pool, &rows, None).await?;
    let mut outcomes = outcomes(pool, machine_id, &points).await?;
    let mut histograms = db::chart::distributions(pool, machine_id, &points).await?;
    let of_sizes = members::members(over, rows, points)?.into_iter();
    let member = |of_a_size: members::Member| {
        let point = &of_a_size.point;
        let outcome = outcomes.remove(&(point.run_id, point.series_id)).unwrap_or_default();
        Member { histogram: histograms.remove(&point.series_id), outcome, of_a_size }
    };
    Ok(of_sizes.map(member).collect())
}

/// The other facts of runs about their cases, by run and series.
async fn outcomes(
    pool: &PgPool,
    machine_id: i64,
    points: &[MeasuredRow],
) -> Result<HashMap<(Uuid, i64), Outcome>, DomainError> {
    let runs: BTreeMap<Uuid, i64> = points.iter().map(|point| (point.run_id, point.commit_ordinal)).collect();
    let mut outcomes = HashMap::new();
    for (run_id, commit_ordinal) in runs {
        let location = db::run::Location { run_id, machine_id, commit_ordinal };
        let of_run = db::run::outcomes(pool, location).await?;
        outcomes.extend(of_run.into_iter().map(|(series_id, outcome)| ((run_id, series_id), outcome)));
    }
    Ok(outcomes)
}

/// The assumptions of the advice, a sentence each.
pub fn assumptions() -> Vec<String> {
    vec![
        "A time is a round trip: one message and a reply of the same length, with nothing else in flight."
            .into(),
        "Within a bucket, all sizes are equally frequent.".into(),
        "Between two measured sizes, each quantile grows linearly with the size.".into(),
        "Messages below the shortest measured size take the time of that size.".into(),
        format!(
            "Messages above the longest measured size are left out. A transport that leaves out more than {} % is not ranked.",
            LEFT_OUT_MAX * 100.0
        ),
    ]
}
