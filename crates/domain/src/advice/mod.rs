//! What the messages of a size profile would cost over each transport, on each machine: from the newest distributions that were
//! measured there. How that is put together: `roundtrip-advisor`.

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

/// What transports are measured over.
pub const OVER: SweptParameter = SweptParameter::MessageBytes;

/// Transports that were measured alike on one machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdviceGroup {
    /// The machine's name.
    pub machine: String,
    /// The identity of the machine's stable facts, when all of it was measured.
    pub environment_id: i64,
    /// What every transport of the group does, by the names of cases and methodologies: scenario, mode, placement and so on.
    pub does: BTreeMap<String, String>,
    /// More threads took part than there were processors for them.
    pub oversubscribed: bool,
    /// What to take and what that depends on, in a few sentences.
    pub answer: String,
    /// The first one first.
    pub ranking: Vec<RankedTransport>,
    /// Those of which too little was measured.
    pub not_ranked: Vec<UnrankedTransport>,
    /// Where the faster one of two transports changes with the size of a message; they are named by their places in the ranking.
    pub crossovers: Vec<Crossover>,
    /// With all messages so many times as long another one would be first: the nearest shorter and the nearest longer.
    pub would_change: Vec<AdviceChange>,
}

/// A transport, and what the messages would cost over it.
#[derive(Debug, Serialize, ToSchema)]
pub struct RankedTransport {
    /// The transport.
    pub transport: TransportInfo,
    /// What tells it apart from others of the group, besides the transport.
    pub told_apart: BTreeMap<String, String>,
    /// How a receive waits: `block`, `spin`, `spin-then-block`.
    pub receive: Slug,
    /// The times of all messages together.
    pub latency_ns: AdvisedLatency,
    /// Processor time of both ends for a message; null where it was not counted at every size.
    #[schema(required)]
    pub cpu_ns_per_message: Option<f64>,
    /// How often an end sleeps and is woken for a message; null as above.
    #[schema(required)]
    pub wakes_per_message: Option<f64>,
    /// Processors that are busy at the rate that was asked for; null without one, and as above.
    #[schema(required)]
    pub cpus: Option<f64>,
    /// Wake-ups a second at that rate; null as above.
    #[schema(required)]
    pub wakes_per_second: Option<f64>,
    /// How far it is behind the first one in what they are ranked by; null of the first.
    #[schema(required)]
    pub behind_first: Option<BehindFirst>,
    /// The share of messages that are shorter than the shortest one measured, and taken to cost as much as that.
    pub below_measured_share: f64,
    /// The share of messages that are longer than the longest one measured, and take no part: a thousandth at most.
    pub above_measured_share: f64,
    /// What it is put together of, by size.
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
    /// How many times as long messages take.
    pub ratio: f64,
    /// The lower end of the 95 % interval of the ratio; null where there are too few repetitions to say.
    #[schema(required)]
    pub low: Option<f64>,
    /// The upper end of it.
    #[schema(required)]
    pub high: Option<f64>,
    /// Whether the repetitions tell that it takes longer.
    pub is_sure: bool,
}

/// What was measured of one size.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MeasuredSize {
    /// The size.
    pub message_bytes: u64,
    /// In which series.
    pub series_id: i64,
    /// In which run.
    pub run_id: Uuid,
    /// Of which commit.
    pub commit_sha: String,
    /// Median, in nanoseconds.
    pub p50_ns: i64,
    /// 98 %, in nanoseconds.
    pub p98_ns: i64,
    /// 99 %, in nanoseconds.
    pub p99_ns: i64,
}

/// A transport of which too little was measured.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnrankedTransport {
    /// The transport.
    pub transport: TransportInfo,
    /// What tells it apart from others of the group, besides the transport.
    pub told_apart: BTreeMap<String, String>,
    /// Why it has no place, in a sentence.
    pub because: String,
}

/// Who would be first with other sizes.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct AdviceChange {
    /// How many times as long all messages are.
    pub factor: f64,
    /// Which place of the ranking would be first.
    pub place: usize,
}

/// The series of one machine that have a parameter, with their newest points.
pub async fn members(
    pool: &PgPool,
    over: SweptParameter,
    rows: Vec<db::series::Row>,
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

/// What runs say of their cases besides times, by run and series.
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

/// What is taken to be so, a sentence each.
pub fn assumptions() -> Vec<String> {
    vec![
        "A time is of a message there and one as long back, one at a time: nothing else is under way.".into(),
        "Within a bucket every size is as frequent as any other.".into(),
        "Between two measured sizes each quantile grows in proportion to the bytes.".into(),
        "Messages shorter than the shortest one measured cost as much as that.".into(),
        format!(
            "Messages longer than the longest one measured take no part, and a transport that would leave out more than {} % is \
             not ranked.",
            LEFT_OUT_MAX * 100.0
        ),
    ]
}
