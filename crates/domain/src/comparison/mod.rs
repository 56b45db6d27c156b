//! Compares two commits or runs, series by series, with the rules and figures of `roundtrip compare`; the runs of
//! one paired job with those of `roundtrip ab`.
//!
//! - `outcome`: the results of each side, and their pairing. `moved`: the movement of machines between the sides.
//!   [`kind`]: classification and order.

pub mod kind;
mod moved;
mod outcome;

pub use moved::MachineMovement;
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
    /// The transport.
    pub transport: TransportInfo,
    /// The case.
    pub case: Case,
    /// The result in the base; null if not measured there.
    #[schema(required)]
    pub base: Option<MeasuredSide>,
    /// The result in the head; null if not measured there.
    #[schema(required)]
    pub head: Option<MeasuredSide>,
    /// The head's time divided by the base's, both medians over repetitions. Null if not compared, here and
    /// below.
    #[schema(required)]
    pub ratio: Option<f64>,
    /// The change in head's times relative to base's (Hodges and Lehmann), as a share.
    #[schema(required)]
    pub change: Option<f64>,
    /// The 95 % interval of the change; null with too few repetitions.
    #[schema(required)]
    pub change_interval: Option<[f64; 2]>,
    /// The p-value: how probable a difference this large is without a change.
    #[schema(required)]
    pub p: Option<f64>,
    /// The p-value, adjusted for all pairs of the comparison (Benjamini and Hochberg).
    #[schema(required)]
    pub p_adjusted: Option<f64>,
    /// Welch's t of the rates, positive where head is faster.
    #[schema(required)]
    pub t: Option<f64>,
    /// The stars of Node's tool for that t, up to three, not adjusted for the number of pairs.
    pub stars: &'static str,
    /// The verdict on its p50.
    pub verdict: Verdict,
    /// The overall result.
    pub kind: PairKind,
    /// Whether it was compared in pairs of repetitions that one job alternated, by the rule of `roundtrip ab`. Otherwise all
    /// repetitions of base with all of head.
    pub paired: bool,
    /// The log ratios of head's times to base's in these pairs.
    #[serde(skip)]
    pub log_ratios: Vec<f64>,
    /// The threshold for changes, as a share: 1 %, or the case's variation between runs without a change.
    #[schema(required)]
    pub least_change: Option<f64>,
    /// The minimum detectable change of the p50, as a share: with this case's noise and number of repetitions, 90 % of
    /// comparisons would report a slowdown of this size. Null with too few repetitions to report any.
    #[schema(required)]
    pub detectable_change: Option<f64>,
    /// Why it is inconclusive, in a sentence; null if it is not.
    #[schema(required)]
    pub undecided: Option<String>,
    /// About how many more pairs, or repetitions of each side, would decide it; null if it is decided, or more would not help.
    #[schema(required)]
    pub repetitions_needed: Option<usize>,
    /// The p90 of the repetitions; null if an upload was deleted, here and below.
    #[schema(required)]
    pub p90: Option<QuantileChange>,
    /// Their p99.
    #[schema(required)]
    pub p99: Option<QuantileChange>,
    /// The shape of their distributions.
    #[schema(required)]
    pub shape: Option<ShapeChange>,
    /// The differences that prevent a comparison.
    pub differences: Vec<Difference>,
    /// Why there is nothing to compare: a side without the case or without results per repetition, or a machine that
    /// moved by more than 10 % between the sides.
    pub reasons: Vec<String>,
}

/// The change of a quantile other than p50.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct QuantileChange {
    /// The change in head's times relative to base's, as a share.
    #[schema(required)]
    pub change: Option<f64>,
    /// The 95 % interval of that change.
    #[schema(required)]
    pub change_interval: Option<[f64; 2]>,
    /// The p-value, adjusted for the whole comparison.
    pub p_adjusted: f64,
    /// Regressed or improved; null without a significant change.
    #[schema(required)]
    pub verdict: Option<Verdict>,
}

/// The change of a distribution's shape, apart from a uniform shift.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ShapeChange {
    /// The p-value of the shape test, adjusted for the whole comparison.
    pub p_adjusted: f64,
    /// Whether the change is significant.
    pub changed: bool,
    /// A description of the change, if significant.
    #[schema(required)]
    pub difference: Option<String>,
}

/// The result of a case on one side.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MeasuredSide {
    /// The series' number.
    pub series_id: i64,
    /// The machine.
    pub machine: String,
    /// The methodology.
    pub methodology: Methodology,
    /// The run; among several, the newest with a clean work tree.
    pub run_id: Uuid,
    /// The identity of the machine's stable facts.
    pub environment_id: i64,
    /// True when tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// True when not everything arrived once, in order and intact.
    pub lossy: bool,
    /// Quantiles of all operations.
    pub latency_ns: UsualQuantiles,
    /// Quartiles of the repetitions' medians.
    pub repetition_p50_ns: RepetitionQuartiles,
    /// In `stream`: delivered payload bytes per second of transfer time.
    #[schema(required)]
    pub bytes_per_second: Option<i64>,
    /// The 95 % interval of the median over the repetitions' medians; null with fewer than six repetitions.
    #[schema(required)]
    pub interval_ns: Option<[u64; 2]>,
    /// The values of each repetition.
    pub repetitions: RepetitionFigures,
}

/// Quantiles of each repetition, in the order of the upload. Empty where they were stored before these were.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RepetitionFigures {
    /// Medians. Comparisons use these.
    pub p50_ns: Vec<i64>,
    /// 90 %.
    pub p90_ns: Vec<i64>,
    /// 99 %.
    pub p99_ns: Vec<i64>,
}

/// Two sides, series by series.
#[derive(Debug)]
pub struct Comparison {
    /// By machine: first the series of the head, then those only in the base.
    pub pairs: Vec<ComparisonPair>,
    /// The number of cases on each side.
    pub case_counts: [usize; 2],
    /// The machines with pairs that were not measured alternately, by name.
    pub machines: Vec<MachineMovement>,
}

/// Compares all series of two runs of a project.
///
/// # Errors
/// A run has been deleted.
pub async fn of_runs(
    pool: &PgPool,
    project_id: i64,
    base: Uuid,
    head: Uuid,
) -> Result<Comparison, DomainError> {
    let side = async |run_id: Uuid| {
        let found = db::comparison::run(pool, project_id, run_id).await?;
        found.ok_or_else(|| DomainError::unknown(Kind::Run, run_id))
    };
    let (base, head) = (side(base).await?, side(head).await?);
    of_sides(pool, project_id, &base, &head, None).await
}

/// Compares two sides, on one machine if given.
pub async fn of_sides(
    pool: &PgPool,
    project_id: i64,
    base: &SideRow,
    head: &SideRow,
    machine: Option<&Slug>,
) -> Result<Comparison, DomainError> {
    let mut of_base = outcome::outcomes(pool, project_id, base, machine).await?;
    let of_head = outcome::outcomes(pool, project_id, head, machine).await?;
    outcome::learn(pool, &mut of_base, base.commit.ordinal.min(head.commit.ordinal)).await?;
    let is_of_runs = base.run_id.is_some() && head.run_id.is_some();
    let case_counts = [of_base.len(), of_head.len()];
    let compared = tokio::task::spawn_blocking(move || outcome::pairs(&of_base, &of_head, is_of_runs));
    let (pairs, machines) = compared.await.map_err(DomainError::internal)?;
    Ok(Comparison { pairs, case_counts, machines })
}

impl From<comparison::QuantileChange> for QuantileChange {
    fn from(found: comparison::QuantileChange) -> Self {
        let comparison::QuantileChange { change, change_interval, p_adjusted, verdict } = found;
        Self { change, change_interval, p_adjusted, verdict: verdict.map(Verdict::from) }
    }
}
