//! Lines over a parameter: latency against message size or the number of participants.

use super::csv::{Column, Table, cell, negotiated, text};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Accept, Caller, Format, Path, Query};
use crate::routes::projects::{ProjectPath, project_id};
use axum::response::{IntoResponse, Response};
use axum::{Json, extract::State};
use roundtrip_domain::charts::crossover::{self, Comparable, Crossover};
use roundtrip_domain::charts::members::{self, Member, UsualQuantiles};
use roundtrip_domain::charts::sweep::{self, SweptParameter};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::commit::CommitSummary;
use roundtrip_storage::point::RepetitionQuartiles;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::{Case, CommitSha, Methodology, Slug, TransportInfo, comparable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// The newest points of one machine and scenario over a parameter of their cases.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SweepChart {
    /// The parameter.
    pub over: SweptParameter,
    /// The requested commit; null if each point is the newest of its series.
    #[schema(required)]
    pub commit: Option<CommitSummary>,
    /// The names of fields that differ between lines: from cases, methodologies, and `transport`.
    pub distinguished_by: Vec<String>,
    /// By transport, mode and placement. Points of a line differ only in the parameter.
    pub lines: Vec<SweepLine>,
    /// Crossovers by pair of lines, ascending. Only for comparable lines without loss in one environment, in sweeps
    /// over `message_bytes`.
    pub crossovers: Vec<Crossover>,
}

/// One transport, measured in one way, over a parameter.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SweepLine {
    /// The transport.
    pub transport: TransportInfo,
    /// The methodology.
    pub methodology: Methodology,
    /// The parameters that the cases share. One that grows with the swept parameter reads `1 x message_bytes`.
    pub parameters: BTreeMap<String, String>,
    /// This line's values of the fields in `distinguished_by`.
    pub distinguishing: BTreeMap<String, String>,
    /// The points, by the parameter, ascending.
    pub points: Vec<SweepPoint>,
}

/// A result at one value of the parameter.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SweepPoint {
    /// The value of the parameter.
    pub x: u64,
    /// The series.
    pub series_id: i64,
    /// The run.
    pub run_id: Uuid,
    /// The commit.
    pub commit_sha: String,
    /// The commit's ordinal in its project.
    pub commit_ordinal: i64,
    /// The identity of the machine's stable facts: points with different ones are not compared.
    pub environment_id: i64,
    /// True if tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// True if not every message arrived once, in order and intact. Never compared with a lossless point.
    pub lossy: bool,
    /// Quantiles of all operations.
    pub latency_ns: UsualQuantiles,
    /// Quartiles of the repetitions' medians.
    pub repetition_p50_ns: RepetitionQuartiles,
    /// In `stream`: delivered payload bytes per second, over the time of all transfers.
    #[schema(required)]
    pub bytes_per_second: Option<i64>,
}

/// The query of a sweep.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SweepQuery {
    /// The swept parameter. Cases with a size profile are not in a sweep over sizes.
    #[param(inline)]
    pub over: SweptParameter,
    /// The machine's name.
    pub machine: Slug,
    /// The scenario's name.
    pub scenario: Slug,
    /// `2proc` or `2thread`. The default is both, as separate lines.
    pub mode: Option<Slug>,
    /// `same-cpu`, `cross-cpu` or `free`. The default is all, as separate lines.
    pub placement: Option<Slug>,
    /// A commit's full SHA. The default is the newest commit of each series on the main line.
    pub commit: Option<CommitSha>,
    /// Overrides the header `accept`.
    #[param(value_type = Option<Format>, inline)]
    pub format: Option<Format>,
}

/// Lines over a parameter.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/charts/sweep", tag = "charts", params(ProjectPath, SweepQuery), responses(
    (status = 200, description = "The lines", content((SweepChart = "application/json"), (String = "text/csv"))),
))]
pub(crate) async fn sweep_chart(
    State(state): State<AppState>,
    caller: Caller,
    Accept(accepted): Accept,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SweepQuery>,
) -> Result<Response, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let commit = match &query.commit {
        Some(sha) => {
            let found = db::comparison::commit(&state.pool, project_id, sha.as_str()).await?;
            Some(found.ok_or_else(|| ApiError::unknown(Kind::Commit, sha))?)
        }
        None => None,
    };
    let name = |slug: &Slug| slug.as_str().to_owned();
    let filter = Filter {
        machine: vec![name(&query.machine)],
        scenario: vec![name(&query.scenario)],
        mode: query.mode.iter().map(name).collect(),
        placement: query.placement.iter().map(name).collect(),
        ..Filter::default()
    };
    let rows = search::all(&state.pool, project_id, &filter).await?;
    let points =
        members::points(&state.pool, &rows, commit.as_ref().map(|row| (row.commit_id, row.commit.ordinal)))
            .await?;
    let members = members::members(query.over, rows, points)?;
    Ok(negotiated(match query.format.unwrap_or(accepted) {
        Format::Csv => table(query.over, members)?,
        Format::Json => {
            let commit = commit.map(|row| row.commit);
            // Crossovers of many lines take a while.
            let chart = tokio::task::spawn_blocking(move || chart(query.over, commit, &members)).await;
            Json(chart.map_err(ApiError::internal)?).into_response()
        }
    }))
}

fn chart(over: SweptParameter, commit: Option<CommitSummary>, members: &[Member]) -> SweepChart {
    let lines = members::lines(over, members);
    let distinguished_by = sweep::distinguishing_facts(&lines);
    let line = |line: &sweep::Line| {
        let of_line: Vec<&Member> =
            line.members.iter().filter_map(|&(_, place)| members.get(place)).collect();
        let series = &of_line.first()?.series;
        let fact = |name: &String| Some((name.clone(), line.facts.get(name)?.clone()));
        let parameters = comparable::facts(&series.case);
        Some(SweepLine {
            transport: series.transport.clone(),
            methodology: series.methodology.clone(),
            parameters: parameters.keys().filter_map(fact).collect(),
            distinguishing: distinguished_by.iter().filter_map(fact).collect(),
            points: of_line.into_iter().map(SweepPoint::from).collect(),
        })
    };
    let lines_told = lines.iter().filter_map(line).collect();
    let crossovers = crossovers(over, &lines, members);
    SweepChart { over, commit, lines: lines_told, crossovers, distinguished_by }
}

fn crossovers(over: SweptParameter, lines: &[sweep::Line], members: &[Member]) -> Vec<Crossover> {
    if over != SweptParameter::MessageBytes {
        return Vec::new();
    }
    let comparable = lines.iter().map(|line| {
        let points = line.members.iter().filter_map(|&(x, place)| Some((x, &members.get(place)?.point)));
        Comparable::new(&line.facts, points)
    });
    crossover::of_all_pairs(&comparable.collect::<Vec<_>>())
}

impl From<&Member> for SweepPoint {
    fn from(Member { x, point, .. }: &Member) -> Self {
        Self {
            x: *x,
            series_id: point.series_id,
            run_id: point.run_id,
            commit_sha: point.commit_sha.clone(),
            commit_ordinal: point.commit_ordinal,
            environment_id: point.environment_id,
            work_tree_modified: point.work_tree_modified,
            lossy: point.lossy,
            latency_ns: UsualQuantiles::from(point),
            repetition_p50_ns: RepetitionQuartiles::from(point),
            bytes_per_second: point.throughput_bytes_per_second,
        }
    }
}

/// A row of the CSV table: a point of a line.
struct SweepRow {
    line: usize,
    member: Member,
    distinguishing: String,
}

const COLUMNS: &[Column<SweepRow>] = &[
    ("line", |row| row.line.to_string()),
    ("transport", |row| row.member.series.transport.slug.to_string()),
    ("distinguishing", |row| text(&row.distinguishing)),
    ("scenario", |row| case(row).scenario.to_string()),
    ("mode", |row| case(row).mode.to_string()),
    ("placement", |row| case(row).placement.to_string()),
    ("message_bytes", |row| case(row).message_bytes.to_string()),
    ("total_bytes", |row| cell(case(row).total_bytes)),
    ("senders", |row| case(row).senders.unwrap_or(1).to_string()),
    ("peers", |row| case(row).peers.to_string()),
    ("messages", |row| cell(case(row).messages)),
    ("buffer_bytes", |row| cell(case(row).buffer_bytes)),
    ("rate_per_second", |row| cell(case(row).rate_per_second)),
    ("size_profile", |row| cell(case(row).size_profile.as_ref())),
    ("variant", |row| cell(case(row).variant.as_ref())),
    ("series_id", |row| row.member.point.series_id.to_string()),
    ("run_id", |row| row.member.point.run_id.to_string()),
    ("commit_sha", |row| row.member.point.commit_sha.clone()),
    ("commit_ordinal", |row| row.member.point.commit_ordinal.to_string()),
    ("environment_id", |row| row.member.point.environment_id.to_string()),
    ("work_tree_modified", |row| row.member.point.work_tree_modified.to_string()),
    ("lossy", |row| row.member.point.lossy.to_string()),
    ("p50_ns", |row| row.member.point.latency_ns_p50.to_string()),
    ("p90_ns", |row| row.member.point.latency_ns_p90.to_string()),
    ("p99_ns", |row| row.member.point.latency_ns_p99.to_string()),
    ("repetition_p50_q1_ns", |row| row.member.point.repetition_p50_ns_q1.to_string()),
    ("repetition_p50_median_ns", |row| row.member.point.repetition_p50_ns_median.to_string()),
    ("repetition_p50_q3_ns", |row| row.member.point.repetition_p50_ns_q3.to_string()),
    ("throughput_bytes_per_second", |row| cell(row.member.point.throughput_bytes_per_second)),
];

fn case(row: &SweepRow) -> &Case {
    &row.member.series.case
}

fn table(over: SweptParameter, members: Vec<Member>) -> Result<Response, ApiError> {
    let lines = members::lines(over, &members);
    // Each series is in one line.
    let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
    let names = sweep::distinguishing_facts(&lines);
    let mut table = Table::new(COLUMNS)?;
    for (number, line) in (1..).zip(&lines) {
        let fact = |name: &String| line.facts.get(name).map(|value| format!("{name}: {value}"));
        let distinguishing = names.iter().filter_map(fact).collect::<Vec<_>>().join("; ");
        for &(_, place) in &line.members {
            if let Some(member) = members.get_mut(place).and_then(Option::take) {
                table.push(&SweepRow { line: number, member, distinguishing: distinguishing.clone() })?;
            }
        }
    }
    table.finish("sweep")
}
