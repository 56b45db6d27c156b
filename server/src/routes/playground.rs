//! Runs change detection on a stored series with other settings, to explain its results.

use super::permitted;
use super::series::SeriesPath;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query, within};
use crate::routes::charts::LAST_MAX;
use axum::{Json, extract::State};
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::track::{self, Methods, Points, Trial};
use roundtrip_stats::change_point::{Method, Settings, Silence};
use roundtrip_storage as db;
use roundtrip_storage::change_point::{ChangeKind, Figure, Track};
use roundtrip_storage::chart::Columns;
use roundtrip_storage::point::Quantile;
use roundtrip_storage::point::{Lines, Selection};
use roundtrip_storage::series::SeriesRow;
use roundtrip_wire::Better;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use utoipa::ToSchema;

/// The default number of points searched.
const LAST_DEFAULT: i64 = 1_000;

/// The result of change detection with these settings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Playground {
    /// The settings of this search.
    pub settings: MethodSettings,
    /// The project's own settings.
    pub shipped: MethodSettings,
    /// The machine's environments in the points. Only one is searched.
    pub environments: Vec<EnvironmentPoints>,
    /// The searched environment.
    pub environment_id: i64,
    /// The ordinals of the points' commits, in order.
    pub commit_ordinals: Vec<i64>,
    /// The points' times in nanoseconds; for `tail`, ratios.
    pub values: Vec<f64>,
    /// The result at each point, with the reason.
    pub looks: Vec<Look>,
    /// The changes with these settings.
    pub change_points: Vec<TriedChange>,
    /// The changes in the same points with the project's settings.
    pub shipped_change_points: Vec<TriedChange>,
}

/// Settings of change detection.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct MethodSettings {
    /// The required deviation of the ranks, in standard deviations.
    pub deviations: f64,
    /// The smallest change that is reported, as a share, is two standard deviations of the series' noise, but at least
    /// this.
    pub least: f64,
    /// It is at most this.
    pub least_of_noisy: f64,
    /// The minimum number of points on either side of a change.
    pub persistence: usize,
    /// The number of newest points that are searched.
    pub window: usize,
    /// The number of newest points used to estimate the noise.
    pub memory: usize,
    /// The required probability that a reported change is within five points of the true one.
    pub sure: f64,
    /// The number of later points after which `sure` is no longer required.
    pub patience: usize,
}

/// The number of points in one environment.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct EnvironmentPoints {
    /// The fingerprint.
    pub environment_id: i64,
    /// The number of points.
    pub point_count: usize,
}

/// The result of change detection at one point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Look {
    /// The outcome.
    pub outcome: LookOutcome,
    /// The commit at which a new level would begin.
    #[schema(required)]
    pub commit_ordinal: Option<i64>,
    /// The strength of the evidence, where 1 is needed; null if it was not computed, and at a change.
    #[schema(required)]
    pub strength: Option<f64>,
    /// The probability that the step is within five points of its estimated position; null without a step.
    #[schema(required)]
    pub probability: Option<f64>,
}

/// The outcome at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LookOutcome {
    /// A change is reported.
    Reported,
    /// There are too few points, or all are equal.
    Nothing,
    /// There is no evidence of a step.
    Even,
    /// There is evidence, but the possible step is old, so it is only tested occasionally.
    Waiting,
    /// There is evidence, but neighbouring points are so similar that it may not be a step.
    Wandering,
    /// There is a step, but its position is not clear yet, or one side has too few points.
    Open,
}

/// A change point found in the trial.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TriedChange {
    /// The first commit of the new level.
    pub commit_ordinal: i64,
    /// The commit at which it became significant.
    pub reported_by_commit_ordinal: i64,
    /// What kind of change it is: `step`, `drift` (small steps that add up since `after_commit_ordinal`), or `known_state`
    /// (the machine switched between two levels that it had before).
    pub kind: ChangeKind,
    /// The newest measured commit that is before the change with a probability of 95 %. For a drift, the commit at which
    /// the level before it began.
    pub after_commit_ordinal: i64,
    /// The measured commit up to which it happened with the same probability.
    pub until_commit_ordinal: i64,
    /// The level before, in nanoseconds; for `tail`, a ratio.
    pub before_level: f64,
    /// The level after it, likewise.
    pub after_level: f64,
    /// The increase in times, or in the ratio, as a share.
    pub change: f64,
    /// The direction of the change. For `tail`, `regressed` is a larger ratio.
    pub direction: Direction,
    /// False if the change is too small to be reported.
    pub matters: bool,
}

/// The settings to try. Absent ones have the project's values.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PlaygroundQuery {
    /// `p50`, `p99` or `tail`, the p99 divided by the p50.
    #[param(value_type = Option<String>, default = "p50")]
    figure: Option<FigureAsked>,
    /// The environment of the points. The default is that of the newest point.
    pub environment: Option<i64>,
    /// The number of newest points.
    #[param(minimum = 1, maximum = 10_000, default = 1_000)]
    pub last: Option<i64>,
    /// Standard deviations, 1 to 20.
    #[param(minimum = 1, maximum = 20, default = 5.2)]
    pub deviations: Option<f64>,
    /// A share, 0 to 1. The default is that of the project, if it has one; for `tail`, at least 0.1.
    #[param(minimum = 0, maximum = 1, default = 0.01)]
    pub least: Option<f64>,
    /// A share, 0 to 1. The default is that of the project, if it has one; for `tail`, at least 0.1.
    #[param(minimum = 0, maximum = 1, default = 0.03)]
    pub least_of_noisy: Option<f64>,
    /// Points, 2 to 100.
    #[param(minimum = 2, maximum = 100, default = 4)]
    pub persistence: Option<i64>,
    /// Points, 8 to 1,024.
    #[param(minimum = 8, maximum = 1_024, default = 256)]
    pub window: Option<i64>,
    /// Points, 8 to 4,096.
    #[param(minimum = 8, maximum = 4_096, default = 512)]
    pub memory: Option<i64>,
    /// A probability, 0 to 1.
    #[param(minimum = 0, maximum = 1, default = 0.95)]
    pub sure: Option<f64>,
    /// Points, 1 to 10,000.
    #[param(minimum = 1, maximum = 10_000, default = 60)]
    pub patience: Option<i64>,
}

/// A statistic in a query.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
struct FigureAsked(Figure);

impl TryFrom<String> for FigureAsked {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Figure::from_str(&text).map(Self).map_err(|error| error.to_string())
    }
}

/// Runs change detection on a stored series with your own settings. Stores nothing.
#[utoipa::path(
    get, path = "/api/v1/series/{series_id}/playground", tag = "verdicts", params(SeriesPath, PlaygroundQuery),
    responses((status = 200, description = "The change points found, and the reason for each point", body = Playground)),
)]
pub(crate) async fn try_settings(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SeriesPath>,
    Query(query): Query<PlaygroundQuery>,
) -> Result<Json<Playground>, ApiError> {
    let keys = permitted::series(&state, &caller, &[path.series_id]).await?;
    let figure = query.figure.map_or(Figure::P50, |figure| figure.0);
    let methods = Methods::new(db::project::least_change(&state.pool, path.series_id).await?);
    let settings = query.settings(methods.of(figure).settings())?;
    let last = within("last", query.last.unwrap_or(LAST_DEFAULT), 1..=LAST_MAX)?;
    let selection = Selection { from_ordinal: 0, to_ordinal: i64::MAX, last, lines: Lines::Main };
    let lines = db::chart::searched_lines(
        &state.pool,
        &keys,
        &selection,
        Columns { quantiles: &[Quantile::P99], repetitions: true, ..Columns::default() },
    )
    .await?;
    let row = db::series::find(&state.pool, &[path.series_id]).await?.pop();
    let series = row.map(SeriesRow::into_series).transpose()?;
    let better = series.map_or(Better::Lower, |series| series.case.better());
    let newest = lines.iter().find_map(|line| line.environment_ids.last().copied());
    let mut tracks = track::tracks(&lines.iter().collect::<Vec<_>>());
    tracks.retain(|track, _| track.figure == figure);
    let environments = tracks
        .iter()
        .map(|(track, points)| EnvironmentPoints {
            environment_id: track.environment_id,
            point_count: points.values.len(),
        })
        .collect();
    let environment_id = query.environment.or(newest).unwrap_or_default();
    let track = Track { series_id: path.series_id, environment_id, figure };
    let points = match (tracks.remove(&track), query.environment) {
        (Some(points), _) => points,
        (None, None) => Points::default(),
        (None, Some(requested)) => {
            let detail =
                format!("{requested} has no point among the newest {last}: expected one of `environments`");
            return Err(ApiError::parameter("environment", detail));
        }
    };
    let playground = tokio::task::spawn_blocking(move || {
        Playground::new((settings, better), methods.of(figure), environments, track, points)
    });
    Ok(Json(playground.await.map_err(ApiError::internal)?))
}

impl Playground {
    fn new(
        (settings, better): (Settings, Better),
        shipped: &Method,
        environments: Vec<EnvironmentPoints>,
        track: Track,
        points: Points,
    ) -> Self {
        let method = Method::new(settings);
        let trial = points.try_out(&method, track);
        let changes = |trial: &Trial| {
            trial.changes.iter().map(|change| TriedChange::new(&points, change, better)).collect()
        };
        Self {
            settings: method.settings().into(),
            shipped: shipped.settings().into(),
            environments,
            environment_id: track.environment_id,
            change_points: changes(&trial),
            shipped_change_points: changes(&points.try_out(shipped, track)),
            looks: trial.looks.iter().map(|look| Look::new(&points, *look)).collect(),
            commit_ordinals: points.ordinals,
            values: points.values,
        }
    }
}

impl Look {
    fn new(points: &Points, look: track::Look) -> Self {
        let commit = |index: usize| points.ordinals.get(index).copied();
        let (outcome, commit_ordinal, strength, probability) = match look {
            track::Look::Confirmed => (LookOutcome::Reported, None, None, None),
            track::Look::Silent(None) => (LookOutcome::Nothing, None, None, None),
            track::Look::Silent(Some(silence)) => match silence {
                Silence::Even { index, strength } => (LookOutcome::Even, commit(index), Some(strength), None),
                Silence::Waiting { index, strength } => {
                    (LookOutcome::Waiting, commit(index), Some(strength), None)
                }
                Silence::Wandering { index, strength } => {
                    (LookOutcome::Wandering, commit(index), Some(strength), None)
                }
                Silence::Open { index, probability } => {
                    (LookOutcome::Open, commit(index), None, Some(probability))
                }
            },
        };
        Self { outcome, commit_ordinal, strength, probability }
    }
}

impl TriedChange {
    fn new(points: &Points, (found, reported_by): &track::Confirmed, better: Better) -> Self {
        Self {
            commit_ordinal: found.ordinal,
            reported_by_commit_ordinal: points.ordinals[*reported_by],
            kind: found.kind,
            after_commit_ordinal: found.after_ordinal,
            until_commit_ordinal: found.until_ordinal,
            before_level: found.before_level,
            after_level: found.after_level,
            change: found.change(),
            direction: Direction::from_change(found.change(), better),
            matters: found.matters,
        }
    }
}

impl PlaygroundQuery {
    fn settings(&self, shipped: &Settings) -> Result<Settings, ApiError> {
        let share = |name: &str, value: Option<f64>, default: f64, [low, high]: [f64; 2]| {
            within(name, value.unwrap_or(default), low..=high)
        };
        let count = |name: &str, value: Option<i64>, default: usize, [low, high]: [i64; 2]| match value {
            None => Ok(default),
            Some(value) => usize::try_from(within(name, value, low..=high)?).map_err(ApiError::internal),
        };
        Ok(Settings {
            deviations: share("deviations", self.deviations, shipped.deviations, [1.0, 20.0])?,
            least: [
                share("least", self.least, shipped.least[0], [0.0, 1.0])?,
                share("least_of_noisy", self.least_of_noisy, shipped.least[1], [0.0, 1.0])?,
            ],
            persistence: count("persistence", self.persistence, shipped.persistence, [2, 100])?,
            window: count("window", self.window, shipped.window, [8, 1_024])?,
            memory: count("memory", self.memory, shipped.memory, [8, 4_096])?,
            sure: share("sure", self.sure, shipped.sure, [0.0, 1.0])?,
            patience: count("patience", self.patience, shipped.patience, [1, 10_000])?,
            drift: Settings::default().drift,
        })
    }
}

impl From<&Settings> for MethodSettings {
    fn from(settings: &Settings) -> Self {
        let Settings {
            deviations,
            least: [least, least_of_noisy],
            persistence,
            window,
            memory,
            sure,
            patience,
            drift: _,
        } = *settings;
        Self { deviations, least, least_of_noisy, persistence, window, memory, sure, patience }
    }
}
