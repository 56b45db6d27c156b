//! The search for changes, tried with other settings on a stored series, so that one can see why it tells what it tells.

use super::permitted;
use super::series::SeriesPath;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query, within};
use crate::routes::charts::LAST_MAX;
use axum::{Json, extract::State};
use roundtrip_domain::analysis::Direction;
use roundtrip_domain::analysis::track::{self, Points, Trial};
use roundtrip_stats::change_point::{Method, Settings, Silence};
use roundtrip_storage as db;
use roundtrip_storage::change_point::Figure;
use roundtrip_storage::chart::Columns;
use roundtrip_storage::point::Quantile;
use roundtrip_storage::point::{Lines, Selection};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use utoipa::ToSchema;

/// Points that are searched, unless asked otherwise.
const LAST_DEFAULT: i64 = 1_000;

/// What a search with these settings tells of a series, and why.
#[derive(Debug, Serialize, ToSchema)]
pub struct Playground {
    /// The settings of this search.
    pub settings: MethodSettings,
    /// Those that the server searches every series with.
    pub shipped: MethodSettings,
    /// The environments of the machine among the points; one of them is searched.
    pub environments: Vec<EnvironmentPoints>,
    /// Which one is.
    pub environment_id: i64,
    /// Places of the commits of its points, in their order.
    pub commit_ordinals: Vec<i64>,
    /// Their times in nanoseconds.
    pub values_ns: Vec<f64>,
    /// What each point told when it came, or why it told nothing.
    pub looks: Vec<Look>,
    /// The changes with these settings.
    pub change_points: Vec<TriedChange>,
    /// The changes of the same points with the shipped settings.
    pub shipped_change_points: Vec<TriedChange>,
}

/// What makes a change.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct MethodSettings {
    /// How far ranks have to be from what they are without a change, in standard deviations.
    pub deviations: f64,
    /// The smallest change that is reported in the quietest series, as a share.
    pub least: f64,
    /// The smallest change that is reported in the noisiest series, as a share.
    pub least_of_noisy: f64,
    /// So many points at least are on either side of a change.
    pub persistence: usize,
    /// How many of the newest points are searched.
    pub window: usize,
    /// How many of the newest points tell what the noise is like.
    pub memory: usize,
    /// How probably the place that is named is within five points of the true one when a change is told,
    pub sure: f64,
    /// or how many points have followed it.
    pub patience: usize,
}

/// How many points there are of one environment.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct EnvironmentPoints {
    /// The fingerprint.
    pub environment_id: i64,
    /// How many points.
    pub point_count: usize,
}

/// What was made of a point when it came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Look {
    /// What.
    pub outcome: LookOutcome,
    /// The commit with which a new level would begin.
    #[schema(required)]
    pub commit_ordinal: Option<i64>,
    /// How much speaks for it: it has to be 1; null where nothing was asked, and where there is a step.
    #[schema(required)]
    pub strength: Option<f64>,
    /// How probably the step is within five points of where it seems to be; null where there is none.
    #[schema(required)]
    pub probability: Option<f64>,
}

/// What was made of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LookOutcome {
    /// It made a change sure.
    Told,
    /// There are too few points, or all are equal.
    Nothing,
    /// The points are even.
    Even,
    /// They are uneven, but the split is old: it is looked at closely now and then.
    Waiting,
    /// They are uneven, but neighbours are so much alike that it need not be a step.
    Wandering,
    /// There is a step, but where exactly is not clear yet, or too few points are on one side of it.
    Open,
}

/// A change that a trial tells.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TriedChange {
    /// The first commit of the new level.
    pub commit_ordinal: i64,
    /// The commit whose point made it sure.
    pub told_by_commit_ordinal: i64,
    /// The newest measured commit that is before the change with a probability of 95 %.
    pub after_commit_ordinal: i64,
    /// The measured commit up to which it happened with the same probability.
    pub until_commit_ordinal: i64,
    /// The level before, in nanoseconds.
    pub before_ns: f64,
    /// The level after it.
    pub after_ns: f64,
    /// By how much times are longer, as a share.
    pub change: f64,
    /// Whether they are longer or shorter.
    pub direction: Direction,
    /// False when it is too small to be reported.
    pub matters: bool,
}

/// What is tried; what is absent is as it is shipped.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PlaygroundQuery {
    /// `p50` or `p99`.
    #[param(value_type = Option<String>, default = "p50")]
    figure: Option<FigureAsked>,
    /// Points of this environment; unless it is said, that of the newest point.
    pub environment: Option<i64>,
    /// The newest so many points.
    #[param(minimum = 1, maximum = 10_000, default = 1_000)]
    pub last: Option<i64>,
    /// Standard deviations, 1 to 20.
    #[param(minimum = 1, maximum = 20, default = 4.7)]
    pub deviations: Option<f64>,
    /// A share, 0 to 1.
    #[param(minimum = 0, maximum = 1, default = 0.01)]
    pub least: Option<f64>,
    /// A share, 0 to 1.
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

/// A figure in a query.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
struct FigureAsked(Figure);

impl TryFrom<String> for FigureAsked {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Figure::from_str(&text).map(Self).map_err(|error| error.to_string())
    }
}

/// Searches a stored series with settings of one's own. Nothing of it is stored.
#[utoipa::path(
    get, path = "/api/v1/series/{series_id}/playground", tag = "verdicts", params(SeriesPath, PlaygroundQuery),
    responses((status = 200, description = "What it tells, and why", body = Playground)),
)]
pub(crate) async fn try_settings(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SeriesPath>,
    Query(query): Query<PlaygroundQuery>,
) -> Result<Json<Playground>, ApiError> {
    let keys = permitted::series(&state, &caller, &[path.series_id]).await?;
    let settings = query.settings()?;
    let last = within("last", query.last.unwrap_or(LAST_DEFAULT), 1..=LAST_MAX)?;
    let figure = query.figure.map_or(Figure::P50, |asked| asked.0);
    let selection = Selection { from_ordinal: 0, to_ordinal: i64::MAX, last, lines: Lines::Main };
    let lines = db::chart::lines(
        &state.pool,
        &keys,
        &selection,
        Columns { quantiles: &[Quantile::P99], repetitions: true, ..Columns::default() },
    )
    .await?;
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
    let points = tracks.into_iter().find(|(track, _)| track.environment_id == environment_id);
    let points = match (points, query.environment) {
        (Some((_, points)), _) => points,
        (None, None) => Points::default(),
        (None, Some(asked)) => {
            let detail =
                format!("{asked} has no point among the newest {last}: expected one of `environments`");
            return Err(ApiError::parameter("environment", detail));
        }
    };
    let playground =
        tokio::task::spawn_blocking(move || Playground::of(settings, environments, environment_id, points));
    Ok(Json(playground.await.map_err(ApiError::internal)?))
}

impl Playground {
    fn of(
        settings: Settings,
        environments: Vec<EnvironmentPoints>,
        environment_id: i64,
        points: Points,
    ) -> Self {
        let method = Method::new(settings);
        let trial = points.try_out(&method);
        let shipped = points.try_out(Method::shipped());
        let changes = |trial: &Trial| trial.steps.iter().map(|step| TriedChange::of(&points, step)).collect();
        Self {
            settings: method.settings().into(),
            shipped: Method::shipped().settings().into(),
            environments,
            environment_id,
            change_points: changes(&trial),
            shipped_change_points: changes(&shipped),
            looks: trial.looks.iter().map(|look| Look::of(&points, *look)).collect(),
            commit_ordinals: points.ordinals,
            values_ns: points.values,
        }
    }
}

impl Look {
    fn of(points: &Points, look: track::Look) -> Self {
        let commit = |index: usize| points.ordinals.get(index).copied();
        let (outcome, commit_ordinal, strength, probability) = match look {
            track::Look::Told => (LookOutcome::Told, None, None, None),
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
    fn of(points: &Points, (told_by, step): &track::Told) -> Self {
        let change = step.after / step.before - 1.0;
        Self {
            commit_ordinal: points.ordinals[step.index],
            told_by_commit_ordinal: points.ordinals[*told_by],
            after_commit_ordinal: points.ordinals[step.interval[0].saturating_sub(1)],
            until_commit_ordinal: points.ordinals[step.interval[1]],
            before_ns: step.before,
            after_ns: step.after,
            change,
            direction: Direction::of(change),
            matters: step.matters,
        }
    }
}

impl PlaygroundQuery {
    fn settings(&self) -> Result<Settings, ApiError> {
        let shipped = Settings::default();
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
        } = *settings;
        Self { deviations, least, least_of_noisy, persistence, window, memory, sure, patience }
    }
}
