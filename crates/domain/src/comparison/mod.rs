//! Two commits or runs, series by series: what changed, and what cannot be told. The rules and the figures are those of
//! `roundtrip compare`.
//!
//! - `outcome`: what each side measured, and which of it belong together. [`kind`]: which of that is told first.

pub mod kind;
mod outcome;

pub use roundtrip_wire::Verdict;

use crate::charts::members::UsualQuantiles;
use crate::error::{DomainError, Kind};
use kind::PairKind;
use roundtrip_stats::comparison;
use roundtrip_storage as db;
use roundtrip_storage::comparison::SideRow;
use roundtrip_storage::point::RepetitionQuartiles;
use roundtrip_wire::comparable::Difference;
use roundtrip_wire::{Case, Methodology, Slug, TransportInfo};
use serde::Serialize;
use sqlx::PgPool;
use utoipa::ToSchema;
use uuid::Uuid;

/// One case on one machine, on both sides or on one.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonPair {
    /// On what.
    pub transport: TransportInfo,
    /// What.
    pub case: Case,
    /// In the base; null when it was not measured there.
    #[schema(required)]
    pub base: Option<MeasuredSide>,
    /// In the head; null when it was not measured there.
    #[schema(required)]
    pub head: Option<MeasuredSide>,
    /// The head's time by the base's, both medians over repetitions. Null where they are not compared, here and below.
    #[schema(required)]
    pub ratio: Option<f64>,
    /// By how much head's times are longer than base's (Hodges and Lehmann), as a share.
    #[schema(required)]
    pub change: Option<f64>,
    /// The 95 % interval of that change; null as well with too few repetitions.
    #[schema(required)]
    pub change_interval: Option<[f64; 2]>,
    /// How probable so uneven times are without a change.
    #[schema(required)]
    pub p: Option<f64>,
    /// The same, adjusted for all pairs of the comparison (Benjamini and Hochberg).
    #[schema(required)]
    pub p_adjusted: Option<f64>,
    /// Welch's t of the rates, positive where head is faster.
    #[schema(required)]
    pub t: Option<f64>,
    /// How Node's tool marks that t, without regard to the number of pairs: up to three stars.
    pub stars: &'static str,
    /// What is said of it, by its p50.
    pub verdict: Verdict,
    /// What is said of it at a glance.
    pub kind: PairKind,
    /// The least change that is said to be one, as a share: 1 %, or what runs of the case differ by without one.
    #[schema(required)]
    pub least_change: Option<f64>,
    /// Why it is inconclusive, in a sentence; null when it is not.
    #[schema(required)]
    pub undecided: Option<String>,
    /// The p90 of the repetitions; null where the uploads of both sides are not kept any more, here and below.
    #[schema(required)]
    pub p90: Option<Beside>,
    /// Their p99.
    #[schema(required)]
    pub p99: Option<Beside>,
    /// The shape of their distributions.
    #[schema(required)]
    pub shape: Option<ShapeChange>,
    /// Why it is not compared: what is not the same on both sides.
    pub differences: Vec<Difference>,
    /// Why there is nothing to compare: a side without the case, or without the figures of its repetitions.
    pub reasons: Vec<String>,
}

/// A quantile beside the p50.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Beside {
    /// By how much head's times are longer than base's, as a share.
    #[schema(required)]
    pub change: Option<f64>,
    /// The 95 % interval of that change.
    #[schema(required)]
    pub change_interval: Option<[f64; 2]>,
    /// How probable so uneven times are without a change, adjusted for all that is compared.
    pub p_adjusted: f64,
    /// That it regressed or improved; null where it cannot be said to have changed.
    #[schema(required)]
    pub verdict: Option<Verdict>,
}

/// How times are distributed, beside all of them being longer or shorter.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ShapeChange {
    /// How probable so uneven shapes are without a change, adjusted for all that is compared.
    pub p_adjusted: f64,
    /// Whether it is said to have changed.
    pub changed: bool,
    /// Where the distributions differ, in words, if it did.
    #[schema(required)]
    pub difference: Option<String>,
}

/// What was measured of a case on one side.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MeasuredSide {
    /// The series' number.
    pub series_id: i64,
    /// Where.
    pub machine: String,
    /// How.
    pub methodology: Methodology,
    /// Of which run: of several, the newest one that measured exactly the commit.
    pub run_id: Uuid,
    /// The identity of the machine's stable facts.
    pub environment_id: i64,
    /// True when tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// True when not everything arrived once, in order and intact.
    pub lossy: bool,
    /// Quantiles of all operations.
    pub latency_ns: UsualQuantiles,
    /// How the medians of the repetitions lie.
    pub repetition_p50_ns: RepetitionQuartiles,
    /// In `stream`: payload bytes that arrived, over the time of all transfers.
    #[schema(required)]
    pub bytes_per_second: Option<i64>,
    /// The 95 % interval of the median over the repetitions' medians; null with fewer than six repetitions.
    #[schema(required)]
    pub interval_ns: Option<[u64; 2]>,
    /// The figures of each repetition.
    pub repetitions: RepetitionFigures,
}

/// Quantiles of each repetition, in the order of the upload. Empty where they were stored before these were.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RepetitionFigures {
    /// Medians: what is compared.
    pub p50_ns: Vec<i64>,
    /// 90 %.
    pub p90_ns: Vec<i64>,
    /// 99 %.
    pub p99_ns: Vec<i64>,
}

/// Two runs of a project, series by series, all that there is.
///
/// # Errors
/// A run is gone.
pub async fn of_runs(
    pool: &PgPool,
    project_id: i64,
    base: Uuid,
    head: Uuid,
) -> Result<Vec<ComparisonPair>, DomainError> {
    let side = async |run_id: Uuid| {
        let found = db::comparison::run(pool, project_id, run_id).await?;
        found.ok_or_else(|| DomainError::unknown(Kind::Run, run_id))
    };
    let (base, head) = (side(base).await?, side(head).await?);
    Ok(pairs(pool, project_id, &base, &head, None).await?.0)
}

/// The pairs of two sides, and how many cases each has.
pub async fn pairs(
    pool: &PgPool,
    project_id: i64,
    base: &SideRow,
    head: &SideRow,
    machine: Option<&Slug>,
) -> Result<(Vec<ComparisonPair>, [usize; 2]), DomainError> {
    let mut of_base = outcome::outcomes(pool, project_id, base, machine).await?;
    let of_head = outcome::outcomes(pool, project_id, head, machine).await?;
    outcome::learn(pool, &mut of_base, base.commit.ordinal.min(head.commit.ordinal)).await?;
    let is_of_runs = base.run_id.is_some() && head.run_id.is_some();
    let case_counts = [of_base.len(), of_head.len()];
    let pairs = tokio::task::spawn_blocking(move || outcome::pairs(&of_base, &of_head, is_of_runs));
    Ok((pairs.await.map_err(DomainError::internal)?, case_counts))
}

impl From<comparison::Secondary> for Beside {
    fn from(found: comparison::Secondary) -> Self {
        let comparison::Secondary { change, change_interval, p_adjusted, verdict } = found;
        Self { change, change_interval, p_adjusted, verdict: verdict.map(Verdict::from) }
    }
}
