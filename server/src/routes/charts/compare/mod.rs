//! Compares two commits or runs, series by series, with the rules of `roundtrip compare`.
//!
//! `table`: the answer as CSV.

mod table;

use super::csv::negotiated;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Accept, Caller, CommaSeparated, Format, Path, Query, within};
use crate::routes::projects::{ProjectPath, project_id};
use axum::response::{IntoResponse, Response};
use axum::{Json, extract::State};
use roundtrip_domain::comparison::kind::{self, KindCounts, NotCompared, PairKind};
use roundtrip_domain::comparison::{self, ComparisonPair, MachineMovement};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::comparison::SideRow;
use roundtrip_storage::search_terms::SearchTerms;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::{CommitSha, RunId, Slug};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;
use uuid::Uuid;

/// Two commits or runs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// The base.
    pub base: ComparisonSide,
    /// The head.
    pub head: ComparisonSide,
    /// The number of pairs of each kind.
    pub counts: KindCounts,
    /// The smallest and largest `detectable_change` of the unchanged pairs; null if none has one.
    #[schema(required)]
    pub detectable_changes: Option<[f64; 2]>,
    /// The machines whose sides were not measured alternately, by name, and how much they moved between the sides.
    pub machines: Vec<MachineMovement>,
    /// Reasons why pairs are not compared, most frequent first.
    pub not_compared: Vec<NotCompared>,
    /// By machine: first the series of the head, then those only in the base. With `limit`: by kind, largest changes
    /// first.
    pub pairs: Vec<ComparisonPair>,
}

/// A commit or a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ComparisonSide {
    /// The commit.
    pub commit: CommitSummary,
    /// The requested run; null if a commit was requested.
    #[schema(required)]
    pub run_id: Option<Uuid>,
    /// The number of measured cases.
    pub case_count: usize,
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

/// The head.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ComparisonQuery {
    /// The base: a commit's full SHA, or a run id.
    #[param(value_type = String)]
    base: Revision,
    /// The head: a commit's full SHA, or a run id.
    #[param(value_type = String)]
    head: Revision,
    /// Only on this machine.
    pub machine: Option<Slug>,
    /// Only series that contain all these words, as in the list of series. Verdicts are still adjusted for the whole
    /// comparison.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "pipe 64kib")]
    q: SearchTerms,
    /// Only pairs of these kinds. The counts include all pairs.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "slower,faster")]
    kind: CommaSeparated<PairKind>,
    /// The maximum number of pairs per kind. The default is all.
    #[param(minimum = 1, maximum = 10_000)]
    limit: Option<i64>,
    /// Overrides the header `accept`.
    #[param(value_type = Option<Format>, inline)]
    pub format: Option<Format>,
}

/// Two commits or runs, series by series.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/compare", tag = "charts", params(ProjectPath, ComparisonQuery), responses(
    (status = 200, description = "The pairs of both sides", content((Comparison = "application/json"),
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
    let found = comparison::of_sides(&state.pool, project_id, &base, &head, machine).await?;
    let comparison::Comparison { mut pairs, case_counts, machines } = found;
    if !query.q.is_empty() {
        let filter = Filter { words: query.q, ..Filter::default() };
        let series = search::all(&state.pool, project_id, &filter).await?;
        kind::of_series(&mut pairs, &series.iter().map(|row| row.series_id).collect());
    }
    let limit = query.limit.map(|limit| within("limit", limit, 1..=LIMIT_MAX)).transpose()?;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let (counts, detectable_changes) = (KindCounts::new(&pairs), kind::detectable_changes(&pairs));
    let not_compared = kind::not_compared(&pairs);
    let pairs = kind::largest_changes(pairs, &query.kind.0, limit);
    Ok(negotiated(match query.format.unwrap_or(accepted) {
        Format::Csv => table::table(pairs, &Arc::new([base.commit, head.commit]))?,
        Format::Json => Json(Comparison {
            base: ComparisonSide::new(base, case_counts[0]),
            head: ComparisonSide::new(head, case_counts[1]),
            counts,
            detectable_changes,
            machines,
            not_compared,
            pairs,
        })
        .into_response(),
    }))
}

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

impl ComparisonSide {
    fn new(row: SideRow, case_count: usize) -> Self {
        Self { run_id: row.run_id, case_count, commit: row.commit }
    }
}
