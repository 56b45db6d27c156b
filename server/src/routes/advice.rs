//! Estimated costs of a size profile's messages for each transport and machine, from the newest distributions
//! measured there. The estimate is in `roundtrip-advisor`.

use super::projects::{ProjectPath, project_id};
use super::published::ProfileBucket;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query};
use axum::{Json, extract::State};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use roundtrip_advisor::Figure;
use roundtrip_domain::advice::{self, AdviceGroup, OVER, Wanted};
use roundtrip_domain::charts::members::by_machine;
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::series::search::{self, Filter};
use roundtrip_wire::Slug;
use roundtrip_wire::size_profile::{self, SizeHistogram, SizeProfile};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// The default scenario.
const SCENARIO: &str = "roundtrip";
/// The default profile.
const PROFILE: &str = "chromium-ipc";
/// The number of machines read concurrently.
const MACHINES_AT_ONCE: usize = 4;
/// The maximum message rate.
const RATE_MAX: f64 = 1e9;

/// Estimated costs of a profile's messages.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Advice {
    /// The message sizes.
    pub sizes: AdvisedSizes,
    /// The statistic to rank by.
    pub by: AdvisedFigure,
    /// The assumptions, a sentence each.
    pub assumptions: Vec<String>,
    /// By machine and case. Only transports within a group are comparable.
    pub groups: Vec<AdviceGroup>,
}

/// Message sizes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AdvisedSizes {
    /// The name of the profile; null if sizes were given.
    #[schema(required)]
    pub profile: Option<&'static str>,
    /// All sizes, in the format of the parameter `sizes`.
    #[schema(example = "12-15:4387,16-20:990")]
    pub text: String,
    /// The number of counted messages.
    pub message_count: u64,
    /// The buckets, by size.
    pub buckets: Vec<ProfileBucket>,
}

/// The statistic to rank by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AdvisedFigure {
    /// The expected time of a message.
    Mean,
    /// The median.
    #[default]
    P50,
    /// The 98th percentile.
    P98,
    /// The 99th percentile.
    P99,
}

/// The query of an estimate.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AdviceQuery {
    /// A size profile. The default is `chromium-ipc`.
    pub profile: Option<Slug>,
    /// A histogram of message sizes in ascending order, such as `12-15:4387,64:3`. Replaces `profile`.
    pub sizes: Option<String>,
    /// A machine. The default is all machines with results for the project.
    pub machine: Option<Slug>,
    /// `same-cpu`, `cross-cpu` or `free`. The default is a group for each.
    pub placement: Option<Slug>,
    /// `2proc` or `2thread`. The default is a group for each.
    pub mode: Option<Slug>,
    /// The statistic to rank by.
    #[param(inline)]
    pub by: Option<AdvisedFigure>,
    /// The message rate per second, to estimate processors and wake-ups.
    #[param(exclusive_minimum = 0.0, maximum = 1_000_000_000.0)]
    pub rate_per_second: Option<f64>,
}

/// Estimates the cost of a size profile for each transport, and ranks the transports.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/advice", tag = "charts", params(ProjectPath, AdviceQuery), responses(
    (status = 200, description = "The rankings by machine and group", body = Advice),
    (status = 400, description = "`invalid-parameter`"),
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
            buckets: ProfileBucket::from_histogram(&wanted.sizes),
        },
        by,
        assumptions: advice::assumptions(),
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
        ApiError::parameter("profile", format!("unknown size profile {slug}: expected one of {names}"))
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

/// The series to estimate from, by machine.
async fn series(
    state: &AppState,
    project_id: i64,
    filter: &Filter,
) -> Result<Vec<Vec<db::series::SeriesRow>>, ApiError> {
    let rows = search::all(&state.pool, project_id, filter).await?;
    if let (true, Some(machine)) = (rows.is_empty(), filter.machine.first()) {
        let known = db::machine::list(&state.pool, project_id, "", i64::MAX).await?;
        if !known.iter().any(|row| row.machine == *machine) {
            return Err(ApiError::unknown(Kind::Machine, machine));
        }
    }
    Ok(by_machine(rows))
}

async fn advised(
    state: &AppState,
    rows: Vec<db::series::SeriesRow>,
    wanted: Arc<Wanted>,
) -> Result<Vec<AdviceGroup>, ApiError> {
    let members = advice::members(&state.pool, OVER, rows).await?;
    // Combining distributions of many transports takes a while.
    let advised = tokio::task::spawn_blocking(move || advice::of_machine(&members, &wanted));
    advised.await.map_err(ApiError::internal)
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
