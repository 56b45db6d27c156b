//! Two commits or runs, series by series: what changed, and what cannot be told. The rules and the figures are those of
//! `roundtrip compare`.
//!
//! - `outcome`: what each side measured, and which of it belong together. `kind`: which of that is told first. `table`: the
//!   answer as CSV.

mod kind;
mod outcome;
mod table;

use super::csv::negotiated;
use super::sweep::UsualQuantiles;
use crate::AppState;
use crate::error::{ApiError, Kind};
use crate::extract::{Accept, Caller, CommaSeparated, Format, Path, Query};
use crate::routes::points::RepetitionQuartiles;
use crate::routes::projects::{ProjectPath, project_id};
use crate::routes::runs::{CommitSummary, within};
use axum::response::{IntoResponse, Response};
use axum::{Json, extract::State};
use kind::{KindCounts, NotCompared, PairKind};
use roundtrip_stats::{comparison, verdict};
use roundtrip_storage as db;
use roundtrip_storage::comparison::SideRow;
use roundtrip_storage::search_terms::SearchTerms;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::comparable::Difference;
use roundtrip_wire::{Case, CommitSha, Methodology, RunId, Slug, TransportInfo};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use uuid::Uuid;

/// Two commits or runs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct Comparison {
    /// What is compared with.
    pub base: ComparisonSide,
    /// What is compared.
    pub head: ComparisonSide,
    /// How many pairs there are of each kind.
    pub counts: KindCounts,
    /// The least and the largest of the least changes that are said to be one, as shares; null where nothing is compared.
    #[schema(required)]
    pub least_changes: Option<[f64; 2]>,
    /// Why pairs are not compared, the reason of most first.
    pub not_compared: Vec<NotCompared>,
    /// By machine: the series of the head in their order, then those of the base alone. With `limit` by kind, the largest
    /// changes first.
    pub pairs: Vec<ComparisonPair>,
}

/// A commit, or one run of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonSide {
    /// The commit.
    pub commit: CommitSummary,
    /// The run that was asked for; null when it was the commit.
    #[schema(required)]
    pub run_id: Option<Uuid>,
    /// Cases that were measured.
    pub case_count: usize,
}

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

/// What is said of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum Verdict {
    /// Head is slower.
    #[serde(rename = "regressed")]
    Regressed,
    /// Head is faster.
    #[serde(rename = "improved")]
    Improved,
    /// Whatever difference there is, it is too small to matter.
    #[serde(rename = "no change")]
    NoChange,
    /// What was measured does not tell.
    #[serde(rename = "inconclusive")]
    Inconclusive,
    /// Measured in different ways, or not on both sides.
    #[serde(rename = "not comparable")]
    NotComparable,
}

/// A commit or a run in a query.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
enum Revision {
    Commit(CommitSha),
    Run(RunId),
}

impl TryFrom<String> for Revision {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Ok(sha) = CommitSha::parse(&text) {
            return Ok(Self::Commit(sha));
        }
        let run_id = Uuid::parse_str(&text).ok().and_then(|id| RunId::try_from(id).ok());
        run_id.map(Self::Run).ok_or_else(|| {
            let text: String = text.chars().take(64).collect();
            format!(
                "`{text}` is neither a commit nor a run: expected 40 or 64 hexadecimal digits, or a UUID of version 7"
            )
        })
    }
}

/// What is compared.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ComparisonQuery {
    /// What is compared with: a commit's full object name, or a run's identity.
    #[param(value_type = String)]
    base: Revision,
    /// What is compared: the same.
    #[param(value_type = String)]
    head: Revision,
    /// Only on this machine.
    pub machine: Option<Slug>,
    /// Only of series in which all of these words are found, as in the list of series. What is said of them is said of all that
    /// is compared.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "pipe 64kib")]
    q: SearchTerms,
    /// Only pairs of these kinds; all are counted.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "slower,faster")]
    kind: CommaSeparated<PairKind>,
    /// At most so many pairs of each kind; all unless it is said.
    #[param(minimum = 1, maximum = 10_000)]
    limit: Option<i64>,
    /// In place of the header `accept`.
    #[param(value_type = Option<Format>, inline)]
    pub format: Option<Format>,
}

/// Two commits or runs, series by series.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/compare", tag = "charts", params(ProjectPath, ComparisonQuery), responses(
    (status = 200, description = "Every case of either side", content((Comparison = "application/json"),
        (String = "text/csv"))),
))]
pub(crate) async fn compare(
    State(state): State<AppState>,
    caller: Caller,
    Accept(accepted): Accept,
    Path(path): Path<ProjectPath>,
    Query(query): Query<ComparisonQuery>,
) -> Result<Response, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let base = side(&state, project_id, &query.base).await?;
    let head = side(&state, project_id, &query.head).await?;
    let machine = query.machine.as_ref();
    let (mut pairs, case_counts) = pairs(&state, project_id, &base, &head, machine).await?;
    if !query.q.is_empty() {
        let filter = Filter { words: query.q, ..Filter::default() };
        let series = search::all(&state.pool, project_id, &filter).await?;
        kind::of_series(&mut pairs, &series.iter().map(|row| row.series_id).collect());
    }
    let limit = query.limit.map(|limit| within("limit", Some(limit), limit, LIMIT_MAX)).transpose()?;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let (counts, least_changes) = (KindCounts::of(&pairs), kind::least_changes(&pairs));
    let not_compared = kind::not_compared(&pairs);
    let pairs = kind::most_telling(pairs, &query.kind.0, limit);
    Ok(negotiated(match query.format.unwrap_or(accepted) {
        Format::Csv => table::table(pairs, &Arc::new([base.into(), head.into()]))?,
        Format::Json => Json(Comparison {
            base: ComparisonSide::of(base, case_counts[0]),
            head: ComparisonSide::of(head, case_counts[1]),
            counts,
            least_changes,
            not_compared,
            pairs,
        })
        .into_response(),
    }))
}

/// Two runs of a project, series by series, all that there is.
///
/// # Errors
/// A run is gone, or the database does not answer.
pub(crate) async fn of_runs(
    state: &AppState,
    project_id: i64,
    base: Uuid,
    head: Uuid,
) -> Result<Vec<ComparisonPair>, ApiError> {
    let side = async |run_id: Uuid| {
        let found = db::comparison::run(&state.pool, project_id, run_id).await?;
        found.ok_or_else(|| ApiError::unknown(Kind::Run, run_id))
    };
    let (base, head) = (side(base).await?, side(head).await?);
    Ok(pairs(state, project_id, &base, &head, None).await?.0)
}

/// The pairs of two sides, and how many cases each has.
async fn pairs(
    state: &AppState,
    project_id: i64,
    base: &SideRow,
    head: &SideRow,
    machine: Option<&Slug>,
) -> Result<(Vec<ComparisonPair>, [usize; 2]), ApiError> {
    let mut of_base = outcome::outcomes(state, project_id, base, machine).await?;
    let of_head = outcome::outcomes(state, project_id, head, machine).await?;
    outcome::learn(state, &mut of_base, base.ordinal.min(head.ordinal)).await?;
    let is_of_runs = base.run_id.is_some() && head.run_id.is_some();
    let case_counts = [of_base.len(), of_head.len()];
    let pairs = tokio::task::spawn_blocking(move || outcome::pairs(&of_base, &of_head, is_of_runs));
    Ok((pairs.await.map_err(ApiError::internal)?, case_counts))
}

/// The most pairs of each kind that can be asked for.
const LIMIT_MAX: i64 = 10_000;

async fn side(state: &AppState, project_id: i64, revision: &Revision) -> Result<SideRow, ApiError> {
    match revision {
        Revision::Commit(sha) => db::comparison::commit(&state.pool, project_id, sha.as_str())
            .await?
            .ok_or_else(|| ApiError::unknown(Kind::Commit, sha)),
        Revision::Run(run_id) => db::comparison::run(&state.pool, project_id, run_id.as_uuid())
            .await?
            .ok_or_else(|| ApiError::unknown(Kind::Run, run_id.as_uuid())),
    }
}

impl From<verdict::Verdict> for Verdict {
    fn from(verdict: verdict::Verdict) -> Self {
        match verdict {
            verdict::Verdict::Regressed => Self::Regressed,
            verdict::Verdict::Improved => Self::Improved,
            verdict::Verdict::NoChange => Self::NoChange,
            verdict::Verdict::Inconclusive => Self::Inconclusive,
        }
    }
}

impl From<comparison::Beside> for Beside {
    fn from(found: comparison::Beside) -> Self {
        let comparison::Beside { change, change_interval, p_adjusted, verdict } = found;
        Self { change, change_interval, p_adjusted, verdict: verdict.map(Verdict::from) }
    }
}

impl ComparisonSide {
    fn of(row: SideRow, case_count: usize) -> Self {
        Self { run_id: row.run_id, case_count, commit: row.into() }
    }
}
