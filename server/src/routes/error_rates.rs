//! The error rates of a project's machines, computed once a day from their own points.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_domain::track::Methods;
use roundtrip_stats::change_point::Method;
use roundtrip_stats::error_rate::{halves, history};
use roundtrip_stats::share;
use roundtrip_storage as db;
use roundtrip_storage::change_point::Figure;
use roundtrip_storage::error_rate::{ClassCounts, ClassRow, HistoryCounts, MachineRow};
use serde::Serialize;
use utoipa::ToSchema;

const CONFIDENCE: f64 = 0.95;

/// The error rates of a project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorRateList {
    /// When the oldest value was computed; null before the first computation, about an hour after the first upload or a
    /// new threshold.
    #[schema(required)]
    pub computed_at: Option<DateTime<Utc>>,
    /// All machines together.
    pub total: TotalErrorRates,
    /// Machines with rates for the project's threshold, by name.
    pub machines: Vec<MachineErrorRates>,
}

/// The error rates of a project over all machines. A median delay is the median of the classes' medians, weighted by
/// detections.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TotalErrorRates {
    /// Changes of p50.
    pub p50: HistoryErrorRates,
    /// Changes of p99.
    pub p99: HistoryErrorRates,
    /// Changes of the tail, p99 / p50, which send no alert.
    pub tail: HistoryErrorRates,
    /// A/A comparisons of whole runs.
    pub false_comparisons: CountedShare,
    /// Cases of comparisons.
    pub comparisons: ComparisonErrorRates,
}

/// The error rates of one machine.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MachineErrorRates {
    /// The machine's name.
    #[schema(example = "lab-1")]
    pub machine: String,
    /// The time of the computation.
    pub computed_at: DateTime<Utc>,
    /// A/A comparisons of whole runs in which any case is reported as changed.
    pub false_comparisons: CountedShare,
    /// The classes, by transport and scenario.
    pub classes: Vec<ClassErrorRates>,
}

/// The error rates of the series of one transport and scenario.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ClassErrorRates {
    /// The transport.
    #[schema(example = "pipe")]
    pub transport: String,
    /// The traffic pattern.
    #[schema(example = "roundtrip")]
    pub scenario: String,
    /// The sampled series of the class.
    pub series_count: i64,
    /// Changes of p50, the median over the repetitions' medians.
    pub p50: HistoryErrorRates,
    /// Changes of p99 of all operations.
    pub p99: HistoryErrorRates,
    /// Changes of the tail, p99 / p50, which send no alert.
    pub tail: HistoryErrorRates,
    /// Cases of comparisons.
    pub comparisons: ComparisonErrorRates,
}

/// Change detection on series simulated from the class's own noise.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct HistoryErrorRates {
    /// The smallest change that counts: two standard deviations of the noise, but at least and at most these shares. If
    /// the project sets a threshold, they are equal.
    #[schema(example = json!([0.01, 0.03]))]
    pub threshold: [f64; 2],
    /// False alarms among the searched points. 0 points if no series is long enough.
    pub false_alarms: CountedShare,
    /// Detection of steps of known size, smallest first.
    pub steps: Vec<StepErrorRates>,
}

/// Detection of steps of one size.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StepErrorRates {
    /// The increase, as a share.
    #[schema(example = 0.05)]
    pub change: f64,
    /// Steps found within five points of their place.
    pub found: CountedShare,
    /// The median number of points until a step was found; null if none was.
    #[schema(required)]
    pub median_delay_points: Option<i64>,
}

/// Comparisons in which both sides are the same commit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ComparisonErrorRates {
    /// Cases reported as changed.
    pub false_verdicts: CountedShare,
    /// Detection rates when one side of a case is slowed down, smallest change first.
    pub changes: Vec<ChangeErrorRates>,
    /// Cases with fewer than 12 repetitions, too few for two halves of six.
    pub untested_count: i64,
}

/// Detection of changes of one size.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangeErrorRates {
    /// The increase in times, as a share.
    #[schema(example = 0.05)]
    pub change: f64,
    /// The number reported as regressed.
    pub found: CountedShare,
}

/// A counted share.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct CountedShare {
    /// The numerator.
    pub count: i64,
    /// The denominator.
    pub of_count: i64,
    /// The share; null if the denominator is 0.
    #[schema(required)]
    pub share: Option<f64>,
    /// The exact 95 % interval (Clopper and Pearson); null if the denominator is 0.
    #[schema(required)]
    pub interval: Option<[f64; 2]>,
}

/// The error rates of each machine: false positives, and detected changes.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/error-rates", tag = "verdicts", params(ProjectPath), responses(
    (status = 200, description = "The rates, by machine, then class", body = ErrorRateList),
))]
pub(crate) async fn list_error_rates(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Json<ErrorRateList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let least_changes = db::project::least_changes(&mut *state.pool.acquire().await?, &[project_id]).await?;
    let least_change = least_changes.get(&project_id).copied().flatten();
    let methods = Methods::new(least_change);
    let rows = db::error_rate::machines(&state.pool, project_id, least_change).await?;
    let classes = db::error_rate::classes(&state.pool, project_id, least_change).await?;
    let computed_at = rows.iter().map(|row| row.computed_at).min();
    let total = TotalErrorRates::from_machines(&rows, &classes, &methods);
    let machines = rows.into_iter().map(|row| MachineErrorRates::from_row(row, &classes, &methods)).collect();
    Ok(Json(ErrorRateList { computed_at, total, machines }))
}

impl TotalErrorRates {
    fn from_machines(machines: &[MachineRow], classes: &[ClassRow], methods: &Methods) -> Self {
        let comparisons = machines.iter().fold((0, 0), |(count, of_count), row| {
            (count + row.false_comparison_count, of_count + row.comparison_count)
        });
        let counts = ClassCounts::total(classes.iter().map(|row| &row.counts));
        Self {
            p50: HistoryErrorRates::new(&counts.p50, methods.of(Figure::P50)),
            p99: HistoryErrorRates::new(&counts.p99, methods.of(Figure::P99)),
            tail: HistoryErrorRates::new(&counts.tail, methods.of(Figure::Tail)),
            false_comparisons: CountedShare::new(comparisons.0, comparisons.1),
            comparisons: ComparisonErrorRates::from(&counts),
        }
    }
}

impl MachineErrorRates {
    fn from_row(row: MachineRow, classes: &[ClassRow], methods: &Methods) -> Self {
        let classes = classes.iter().filter(|class| class.machine_id == row.machine_id);
        Self {
            machine: row.machine,
            computed_at: row.computed_at,
            false_comparisons: CountedShare::new(row.false_comparison_count, row.comparison_count),
            classes: classes.map(|class| ClassErrorRates::from_row(class, methods)).collect(),
        }
    }
}

impl ClassErrorRates {
    fn from_row(row: &ClassRow, methods: &Methods) -> Self {
        Self {
            transport: row.transport.clone(),
            scenario: row.scenario.clone(),
            series_count: row.counts.series_count,
            p50: HistoryErrorRates::new(&row.counts.p50, methods.of(Figure::P50)),
            p99: HistoryErrorRates::new(&row.counts.p99, methods.of(Figure::P99)),
            tail: HistoryErrorRates::new(&row.counts.tail, methods.of(Figure::Tail)),
            comparisons: ComparisonErrorRates::from(&row.counts),
        }
    }
}

impl HistoryErrorRates {
    fn new(counts: &HistoryCounts, method: &Method) -> Self {
        let steps = history::STEPS.iter().zip(&counts.found_counts).zip(&counts.median_delays);
        Self {
            threshold: method.settings().least,
            false_alarms: CountedShare::new(counts.false_alarm_count, counts.searched_count),
            steps: steps
                .map(|((&change, &found), &median_delay_points)| StepErrorRates {
                    change,
                    found: CountedShare::new(found, counts.injected_count),
                    median_delay_points,
                })
                .collect(),
        }
    }
}

impl From<&ClassCounts> for ComparisonErrorRates {
    fn from(counts: &ClassCounts) -> Self {
        let changes = halves::STEPS.iter().zip(&counts.found_case_counts);
        Self {
            false_verdicts: CountedShare::new(counts.false_case_count, counts.case_count),
            changes: changes
                .map(|(&change, &found)| ChangeErrorRates {
                    change,
                    found: CountedShare::new(found, counts.case_count),
                })
                .collect(),
            untested_count: counts.untested_case_count,
        }
    }
}

impl CountedShare {
    fn new(count: i64, of_count: i64) -> Self {
        let is_any = of_count > 0;
        let interval = || share::interval(count.unsigned_abs(), of_count.unsigned_abs(), CONFIDENCE);
        Self {
            count,
            of_count,
            share: is_any.then(|| count as f64 / of_count as f64),
            interval: is_any.then(interval),
        }
    }
}
