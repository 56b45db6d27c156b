//! Lines over a parameter: latency against the size of a message, or against how many take part.

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
pub struct SweepChart {
    /// The parameter.
    pub over: SweptParameter,
    /// The commit that was asked for; null when every point is the newest of its series.
    #[schema(required)]
    pub commit: Option<CommitSummary>,
    /// Names of what is not the same in all lines: of cases, of methodologies, and `transport`.
    pub told_apart_by: Vec<String>,
    /// By transport, mode and placement. What differs in anything but the parameter is never one line.
    pub lines: Vec<SweepLine>,
    /// Where the faster one of two lines changes, by the lines, then ascending: of pairs that do the same but for their
    /// mechanism, and were measured in one environment without loss. None but over `message_bytes`.
    pub crossovers: Vec<Crossover>,
}

/// One transport, measured in one way, over a parameter.
#[derive(Debug, Serialize, ToSchema)]
pub struct SweepLine {
    /// On what.
    pub transport: TransportInfo,
    /// How.
    pub methodology: Methodology,
    /// What the cases have in common, by name. A parameter that grows with the swept one reads `1 x message_bytes`.
    pub parameters: BTreeMap<String, String>,
    /// Of `told_apart_by`, what this line has.
    pub told_apart: BTreeMap<String, String>,
    /// By the parameter, ascending.
    pub points: Vec<SweepPoint>,
}

/// One run's result at one value of the parameter.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SweepPoint {
    /// The value of the parameter.
    pub x: u64,
    /// Of which series.
    pub series_id: i64,
    /// Of which run.
    pub run_id: Uuid,
    /// Of which commit.
    pub commit_sha: String,
    /// The commit's place in its project.
    pub commit_ordinal: i64,
    /// The identity of the machine's stable facts: points with different ones are not compared.
    pub environment_id: i64,
    /// True when tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// True when not everything arrived once, in order and intact: never compared with a lossless point.
    pub lossy: bool,
    /// Quantiles of all operations.
    pub latency_ns: UsualQuantiles,
    /// How the medians of the repetitions lie.
    pub repetition_p50_ns: RepetitionQuartiles,
    /// In `stream`: payload bytes that arrived, over the time of all transfers.
    #[schema(required)]
    pub bytes_per_second: Option<i64>,
}

/// Which sweep is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SweepQuery {
    /// The parameter of the cases. Sizes that are drawn from a profile are no size.
    #[param(inline)]
    pub over: SweptParameter,
    /// The machine's name.
    pub machine: Slug,
    /// The scenario's name.
    pub scenario: Slug,
    /// `2proc` or `2thread`; without it, each has its own lines.
    pub mode: Option<Slug>,
    /// `same-cpu`, `cross-cpu` or `free`; without it, each has its own lines.
    pub placement: Option<Slug>,
    /// A commit's full object name, in place of the newest one of each series on the main line.
    pub commit: Option<CommitSha>,
    /// In place of the header `accept`.
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
    let told_apart_by = sweep::told_apart(&lines);
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
            told_apart: told_apart_by.iter().filter_map(fact).collect(),
            points: of_line.into_iter().map(SweepPoint::from).collect(),
        })
    };
    let lines_told = lines.iter().filter_map(line).collect();
    let crossovers = crossovers(over, &lines, members);
    SweepChart { over, commit, lines: lines_told, crossovers, told_apart_by }
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

/// A series of a line, which has a number.
struct Row {
    line: usize,
    member: Member,
    told_apart: String,
}

const COLUMNS: &[Column<Row>] = &[
    ("line", |row| row.line.to_string()),
    ("transport", |row| row.member.series.transport.slug.to_string()),
    ("told_apart", |row| text(&row.told_apart)),
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

fn case(row: &Row) -> &Case {
    &row.member.series.case
}

fn table(over: SweptParameter, members: Vec<Member>) -> Result<Response, ApiError> {
    let lines = members::lines(over, &members);
    // Each is in one line.
    let mut members: Vec<Option<Member>> = members.into_iter().map(Some).collect();
    let names = sweep::told_apart(&lines);
    let mut table = Table::new(COLUMNS)?;
    for (number, line) in (1..).zip(&lines) {
        let fact = |name: &String| line.facts.get(name).map(|value| format!("{name}: {value}"));
        let told_apart = names.iter().filter_map(fact).collect::<Vec<_>>().join("; ");
        for &(_, place) in &line.members {
            if let Some(member) = members.get_mut(place).and_then(Option::take) {
                table.push(&Row { line: number, member, told_apart: told_apart.clone() })?;
            }
        }
    }
    table.finish("sweep")
}
