//! How often what is said of a project's machines is wrong, and what is found: counted once a day of their own points.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use roundtrip_stats::error_rate::{halves, history};
use roundtrip_stats::share;
use roundtrip_storage as db;
use roundtrip_storage::error_rate::{ClassCounts, ClassRow, HistoryCounts, MachineRow};
use serde::Serialize;
use utoipa::ToSchema;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// How often what is said of a project is wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorRateList {
    /// When the oldest of it was counted; null before the first count, which is about an hour after the first upload.
    #[schema(required)]
    pub computed_at: Option<DateTime<Utc>>,
    /// All machines together.
    pub total: TotalErrorRates,
    /// By name; empty before the first count.
    pub machines: Vec<MachineErrorRates>,
}

/// How often what is said of a project is wrong, wherever it was measured. A median delay is that of the classes' medians, each
/// as often as it was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalErrorRates {
    /// Changes of p50.
    pub p50: HistoryErrorRates,
    /// Changes of p99.
    pub p99: HistoryErrorRates,
    /// Whole comparisons of a commit with itself.
    pub false_comparisons: CountedShare,
    /// Cases of comparisons.
    pub comparisons: ComparisonErrorRates,
}

/// How often what is said of one machine is wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct MachineErrorRates {
    /// Its name.
    #[schema(example = "lab-1")]
    pub machine: String,
    /// When it was counted.
    pub computed_at: DateTime<Utc>,
    /// Whole comparisons of a commit with itself, all cases of a run at once, in which any case is said to have changed.
    pub false_comparisons: CountedShare,
    /// By transport and scenario.
    pub classes: Vec<ClassErrorRates>,
}

/// How often what is said of series of one transport and scenario is wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClassErrorRates {
    /// The transport.
    #[schema(example = "pipe")]
    pub transport: String,
    /// The traffic pattern.
    #[schema(example = "roundtrip")]
    pub scenario: String,
    /// Series whose points were read: some of the class.
    pub series_count: i64,
    /// Changes of p50, the median over the repetitions' medians.
    pub p50: HistoryErrorRates,
    /// Changes of p99 of all operations.
    pub p99: HistoryErrorRates,
    /// Cases of comparisons.
    pub comparisons: ComparisonErrorRates,
}

/// How the search for changes does in series that are made of the class's own noise.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryErrorRates {
    /// Changes told by mistake, of the points searched. Of 0 where no series has enough points.
    pub false_alarms: CountedShare,
    /// What is found of steps of known size, the smallest first.
    pub steps: Vec<StepErrorRates>,
}

/// What is found of steps of one size.
#[derive(Debug, Serialize, ToSchema)]
pub struct StepErrorRates {
    /// By how much times become longer, as a share.
    #[schema(example = 0.05)]
    pub change: f64,
    /// Those told within five points of their place.
    pub found: CountedShare,
    /// How many points such a step had when it was told, the median of those found; null where none was.
    #[schema(required)]
    pub median_delay_points: Option<i64>,
}

/// How comparisons do where both sides are one commit.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonErrorRates {
    /// Cases said to have changed.
    pub false_verdicts: CountedShare,
    /// What is found when one side of a single case is made slower, the smallest change first.
    pub changes: Vec<ChangeErrorRates>,
    /// Cases that cannot tell: each half of their repetitions would be fewer than six.
    pub untold_count: i64,
}

/// What is found of changes of one size.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeErrorRates {
    /// By how much times become longer, as a share.
    #[schema(example = 0.05)]
    pub change: f64,
    /// Those said to have regressed.
    pub found: CountedShare,
}

/// A share that was counted.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct CountedShare {
    /// How many.
    pub count: i64,
    /// Of how many.
    pub of_count: i64,
    /// The share; null of none.
    #[schema(required)]
    pub share: Option<f64>,
    /// Its exact 95 % interval (Clopper and Pearson); null of none.
    #[schema(required)]
    pub interval: Option<[f64; 2]>,
}

/// How often what is said of each machine is wrong, and what is found.
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
    let rows = db::error_rate::machines(&state.pool, project_id).await?;
    let classes = db::error_rate::classes(&state.pool, project_id).await?;
    let computed_at = rows.iter().map(|row| row.computed_at).min();
    let total = TotalErrorRates::of(&rows, &classes);
    let machines = rows.into_iter().map(|row| MachineErrorRates::of(row, &classes)).collect();
    Ok(Json(ErrorRateList { computed_at, total, machines }))
}

impl TotalErrorRates {
    fn of(machines: &[MachineRow], classes: &[ClassRow]) -> Self {
        let comparisons = machines.iter().fold((0, 0), |(count, of_count), row| {
            (count + row.false_comparison_count, of_count + row.comparison_count)
        });
        let counts = ClassCounts::total(classes.iter().map(|row| &row.counts));
        Self {
            p50: HistoryErrorRates::from(&counts.p50),
            p99: HistoryErrorRates::from(&counts.p99),
            false_comparisons: CountedShare::of(comparisons.0, comparisons.1),
            comparisons: ComparisonErrorRates::from(&counts),
        }
    }
}

impl MachineErrorRates {
    fn of(row: MachineRow, classes: &[ClassRow]) -> Self {
        let classes = classes.iter().filter(|class| class.machine_id == row.machine_id);
        Self {
            machine: row.machine,
            computed_at: row.computed_at,
            false_comparisons: CountedShare::of(row.false_comparison_count, row.comparison_count),
            classes: classes.map(ClassErrorRates::from).collect(),
        }
    }
}

impl From<&ClassRow> for ClassErrorRates {
    fn from(row: &ClassRow) -> Self {
        Self {
            transport: row.transport.clone(),
            scenario: row.scenario.clone(),
            series_count: row.counts.series_count,
            p50: HistoryErrorRates::from(&row.counts.p50),
            p99: HistoryErrorRates::from(&row.counts.p99),
            comparisons: ComparisonErrorRates::from(&row.counts),
        }
    }
}

impl From<&HistoryCounts> for HistoryErrorRates {
    fn from(counts: &HistoryCounts) -> Self {
        let steps = history::STEPS.iter().zip(&counts.found_counts).zip(&counts.median_delays);
        Self {
            false_alarms: CountedShare::of(counts.false_alarm_count, counts.searched_count),
            steps: steps
                .map(|((&change, &found), &median_delay_points)| StepErrorRates {
                    change,
                    found: CountedShare::of(found, counts.injected_count),
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
            false_verdicts: CountedShare::of(counts.false_case_count, counts.case_count),
            changes: changes
                .map(|(&change, &found)| ChangeErrorRates {
                    change,
                    found: CountedShare::of(found, counts.case_count),
                })
                .collect(),
            untold_count: counts.untold_case_count,
        }
    }
}

impl CountedShare {
    fn of(count: i64, of_count: i64) -> Self {
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
