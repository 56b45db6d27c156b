//! Two commits or runs, series by series: what changed, and what cannot be told. The rules and the figures are those of
//! `roundtrip compare`.
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
use roundtrip_domain::comparison::{self, ComparisonPair};
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
    let (mut pairs, case_counts) = comparison::pairs(&state.pool, project_id, &base, &head, machine).await?;
    if !query.q.is_empty() {
        let filter = Filter { words: query.q, ..Filter::default() };
        let series = search::all(&state.pool, project_id, &filter).await?;
        kind::of_series(&mut pairs, &series.iter().map(|row| row.series_id).collect());
    }
    let limit = query.limit.map(|limit| within("limit", limit, 1..=LIMIT_MAX)).transpose()?;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let (counts, least_changes) = (KindCounts::of(&pairs), kind::least_changes(&pairs));
    let not_compared = kind::not_compared(&pairs);
    let pairs = kind::most_telling(pairs, &query.kind.0, limit);
    Ok(negotiated(match query.format.unwrap_or(accepted) {
        Format::Csv => table::table(pairs, &Arc::new([base.commit, head.commit]))?,
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

impl ComparisonSide {
    fn of(row: SideRow, case_count: usize) -> Self {
        Self { run_id: row.run_id, case_count, commit: row.commit }
    }
}
