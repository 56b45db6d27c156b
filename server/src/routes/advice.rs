//! What the messages of a size profile would cost over each transport, on each machine: from the newest distributions that were
//! measured there. How that is put together: `roundtrip-advisor`.

mod answer;
mod groups;

use super::charts::crossover::Crossover;
use super::charts::sweep;
use super::projects::{ProjectPath, project_id};
use super::published::ProfileBucket;
use crate::AppState;
use crate::charts::sweep::SweptParameter;
use crate::error::{ApiError, Kind};
use crate::extract::{Caller, Path, Query};
use axum::{Json, extract::State};
use futures_util::stream::{self, StreamExt, TryStreamExt};
pub(super) use groups::{Member, Wanted, of_machine};
use roundtrip_advisor::Figure;
use roundtrip_advisor::ranking::LEFT_OUT_MAX;
use roundtrip_storage as db;
use roundtrip_storage::chart::MeasuredRow;
use roundtrip_storage::run::Outcome;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::size_profile::{self, SizeHistogram, SizeProfile};
use roundtrip_wire::{Slug, TransportInfo};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use utoipa::ToSchema;
use uuid::Uuid;

/// The scenario whose times are asked for, unless another one is: a message there and back.
const SCENARIO: &str = "roundtrip";
/// What transports are measured over.
const OVER: SweptParameter = SweptParameter::MessageBytes;
/// The profile that is asked for, unless another one or sizes are.
const PROFILE: &str = "chromium-ipc";
/// Machines whose distributions are read at a time.
const MACHINES_AT_ONCE: usize = 4;
/// Messages a second beyond which nobody asks.
const RATE_MAX: f64 = 1e9;

/// What the messages of a profile would cost.
#[derive(Debug, Serialize, ToSchema)]
pub struct Advice {
    /// The sizes that it is about.
    pub sizes: AdvisedSizes,
    /// What transports are ranked by.
    pub by: AdvisedFigure,
    /// What is taken to be so, a sentence each.
    pub assumptions: Vec<String>,
    /// By machine, and by what is done there: only what is in one group was measured alike.
    pub groups: Vec<AdviceGroup>,
}

/// Message sizes.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdvisedSizes {
    /// The name of the profile; null where sizes were given.
    #[schema(required)]
    pub profile: Option<&'static str>,
    /// All of them, as the parameter `sizes` takes them.
    #[schema(example = "12-15:4387,16-20:990")]
    pub text: String,
    /// How many messages were counted.
    pub message_count: u64,
    /// By size.
    pub buckets: Vec<ProfileBucket>,
}

/// What transports are ranked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AdvisedFigure {
    /// The expected time of a message.
    Mean,
    /// Half of the messages take no longer.
    #[default]
    P50,
    /// 98 % of them take no longer.
    P98,
    /// 99 % of them take no longer.
    P99,
}

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

/// What advice is wanted on.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AdviceQuery {
    /// The name of a size profile; without it and `sizes`, `chromium-ipc`.
    pub profile: Option<Slug>,
    /// Sizes and how many messages have them: `12-15:4387,64:3`, ascending; in place of `profile`.
    pub sizes: Option<String>,
    /// A machine's name; without it, all that have measured the project.
    pub machine: Option<Slug>,
    /// `same-cpu`, `cross-cpu` or `free`; without it, each is a group.
    pub placement: Option<Slug>,
    /// `2proc` or `2thread`; without it, each is a group.
    pub mode: Option<Slug>,
    /// What transports are ranked by.
    #[param(inline)]
    pub by: Option<AdvisedFigure>,
    /// So many messages a second, for processors and wake-ups.
    #[param(exclusive_minimum = 0.0, maximum = 1_000_000_000.0)]
    pub rate_per_second: Option<f64>,
}

/// What the messages of a profile would cost over each transport.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/advice", tag = "charts", params(ProjectPath, AdviceQuery), responses(
    (status = 200, description = "What it would cost, by machine and by what is done there", body = Advice),
    (status = 400, description = "`invalid-parameter`", body = roundtrip_wire::Problem,
        content_type = "application/problem+json"),
))]
pub(crate) async fn advise(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Query(query): Query<AdviceQuery>,
) -> Result<Json<Advice>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let (profile, sizes) = sizes(&query)?;
    let rate = rate(query.rate_per_second)?;
    let by = query.by.unwrap_or_default();
    let name = |slug: &Slug| slug.as_str().to_owned();
    let filter = Filter {
        machine: query.machine.iter().map(name).collect(),
        scenario: vec![SCENARIO.to_owned()],
        mode: query.mode.iter().map(name).collect(),
        placement: query.placement.iter().map(name).collect(),
        ..Filter::default()
    };
    let wanted = Arc::new(Wanted { sizes, by: by.into(), rate_per_second: rate });
    let machines = series(&state, project_id, &filter).await?;
    let advised = stream::iter(machines).map(|rows| advised(&state, rows, Arc::clone(&wanted)));
    let mut groups: Vec<Vec<AdviceGroup>> = advised.buffered(MACHINES_AT_ONCE).try_collect().await?;
    groups.sort_by(|one, other| name_of(one).cmp(&name_of(other)));
    Ok(Json(Advice {
        sizes: AdvisedSizes {
            profile,
            text: wanted.sizes.to_string(),
            message_count: wanted.sizes.count(),
            buckets: ProfileBucket::of(&wanted.sizes),
        },
        by,
        assumptions: assumptions(),
        groups: groups.into_iter().flatten().collect(),
    }))
}

fn sizes(query: &AdviceQuery) -> Result<(Option<&'static str>, SizeHistogram), ApiError> {
    let slug = match (&query.profile, &query.sizes) {
        (Some(_), Some(_)) => {
            return Err(ApiError::parameter("sizes", "expected either `profile` or `sizes`, not both"));
        }
        (None, Some(text)) => {
            let sizes = text.parse().map_err(|error| ApiError::parameter("sizes", format!("{error}")));
            return Ok((None, sizes?));
        }
        (profile, None) => profile.as_ref().map_or(PROFILE, Slug::as_str),
    };
    let profile = SizeProfile::named(slug).ok_or_else(|| {
        let names: Vec<&str> = size_profile::ALL.iter().map(|profile| profile.slug).collect();
        let names = names.join(", ");
        ApiError::parameter("profile", format!("no size profile is called {slug}: expected one of {names}"))
    })?;
    let sizes = profile.sizes().map_err(|error| ApiError::internal(anyhow::anyhow!(error)))?;
    Ok((Some(profile.slug), sizes))
}

fn rate(rate_per_second: Option<f64>) -> Result<Option<f64>, ApiError> {
    match rate_per_second {
        Some(rate) if !(rate > 0.0 && rate <= RATE_MAX) => {
            Err(ApiError::parameter("rate_per_second", "expected more than 0 and at most 1000000000"))
        }
        rate => Ok(rate),
    }
}

/// The machine of some groups.
fn name_of(groups: &[AdviceGroup]) -> Option<&str> {
    groups.first().map(|group| group.machine.as_str())
}

/// The series that advice may be of, by machine.
async fn series(
    state: &AppState,
    project_id: i64,
    filter: &Filter,
) -> Result<Vec<Vec<db::series::Row>>, ApiError> {
    let rows = search::all(&state.pool, project_id, filter).await?;
    if let (true, Some(machine)) = (rows.is_empty(), filter.machine.first()) {
        let known = db::machine::list(&state.pool, project_id, "", i64::MAX).await?;
        if !known.iter().any(|row| row.slug == *machine) {
            return Err(ApiError::unknown(Kind::Machine, machine));
        }
    }
    Ok(sweep::by_machine(rows))
}

async fn advised(
    state: &AppState,
    rows: Vec<db::series::Row>,
    wanted: Arc<Wanted>,
) -> Result<Vec<AdviceGroup>, ApiError> {
    let members = members(state, OVER, rows).await?;
    // Whole distributions of many transports are put together.
    let advised = tokio::task::spawn_blocking(move || of_machine(&members, &wanted));
    advised.await.map_err(ApiError::internal)
}

/// The series of one machine that have a parameter, with their newest points.
pub(super) async fn members(
    state: &AppState,
    over: SweptParameter,
    rows: Vec<db::series::Row>,
) -> Result<Vec<Member>, ApiError> {
    let Some(machine_id) = rows.first().map(|row| row.key().machine_id) else { return Ok(Vec::new()) };
    let points = sweep::points(state, &rows, None).await?;
    let mut outcomes = outcomes(state, machine_id, &points).await?;
    let mut histograms = db::chart::distributions(&state.pool, machine_id, &points).await?;
    let of_sizes = sweep::members(over, rows, points)?.into_iter();
    let member = |of_a_size: sweep::Member| {
        let point = &of_a_size.point;
        let outcome = outcomes.remove(&(point.run_id, point.series_id)).unwrap_or_default();
        Member { histogram: histograms.remove(&point.series_id), outcome, of_a_size }
    };
    Ok(of_sizes.map(member).collect())
}

/// What runs say of their cases besides times, by run and series.
async fn outcomes(
    state: &AppState,
    machine_id: i64,
    points: &[MeasuredRow],
) -> Result<HashMap<(Uuid, i64), Outcome>, ApiError> {
    let runs: BTreeMap<Uuid, i64> = points.iter().map(|point| (point.run_id, point.commit_ordinal)).collect();
    let mut outcomes = HashMap::new();
    for (run_id, commit_ordinal) in runs {
        let location = db::run::Location { run_id, machine_id, commit_ordinal };
        let of_run = db::run::outcomes(&state.pool, location).await?;
        outcomes.extend(of_run.into_iter().map(|(series_id, outcome)| ((run_id, series_id), outcome)));
    }
    Ok(outcomes)
}

fn assumptions() -> Vec<String> {
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

impl From<AdvisedFigure> for Figure {
    fn from(figure: AdvisedFigure) -> Self {
        match figure {
            AdvisedFigure::Mean => Self::Mean,
            AdvisedFigure::P50 => Self::P50,
            AdvisedFigure::P98 => Self::P98,
            AdvisedFigure::P99 => Self::P99,
        }
    }
}
