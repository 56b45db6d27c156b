//! Where the time of a message goes, over commits.

use super::{LinesAsked, PointRange};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Query, within};
use crate::routes::permitted;
use crate::routes::series::SeriesIds;
use axum::{Json, extract::State};
use roundtrip_domain::charts::delta::Deltas;
use roundtrip_storage as db;
use roundtrip_storage::chart::BudgetRow;
use roundtrip_wire::{Event, Part};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// The maximum number of points over all series, which have 33 numbers each.
const POINTS_OF_ALL_MAX: i64 = 20_000;
/// The default number of points per series.
const LAST_DEFAULT: i64 = 500;

/// The time of a message by part, over commits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BudgetChart {
    /// One entry per series, in the order of the request.
    pub series: Vec<BudgetSeries>,
}

/// The budgets of one series as columns, oldest commit first. Points without one are left out: some systems do not
/// report the processor time of every end, and older servers did not store it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BudgetSeries {
    /// The series.
    pub series_id: i64,
    /// The ordinals of the commits in their project.
    pub commit_ordinals: Deltas,
    /// Nanoseconds per delivered message; in `roundtrip`, per round trip.
    pub parts_ns: BudgetParts,
    /// Events per delivered message.
    pub events: BudgetEvents,
}

/// The parts of the time. The means of all but `overlap` add up to the measured time and `overlap`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BudgetParts {
    /// The senders' code; in `roundtrip`, the initiator's.
    pub sender_user: BudgetColumn,
    /// The kernel, for the senders.
    pub sender_kernel: BudgetColumn,
    /// The receivers' code; in `roundtrip`, the responder's.
    pub receiver_user: BudgetColumn,
    /// The kernel, for the receivers.
    pub receiver_kernel: BudgetColumn,
    /// No end ran, and an end waited for a processor: at most this.
    pub ready: BudgetColumn,
    /// No end ran, for another reason.
    pub asleep: BudgetColumn,
    /// Ends ran at the same time.
    pub overlap: BudgetColumn,
}

/// Events that the system counts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BudgetEvents {
    /// Voluntary context switches: an end waited, and had to be woken.
    pub waits: EventColumn,
    /// Involuntary context switches: another thread got the processor.
    pub preemptions: EventColumn,
    /// Moves of an end to another processor.
    pub migrations: EventColumn,
    /// Page faults served without the disk.
    pub page_faults: EventColumn,
}

/// A figure of each point.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BudgetColumn {
    /// The total of all repetitions, divided by their delivered messages.
    pub mean: Vec<f32>,
    /// The first quartile of the repetitions.
    pub q1: Vec<f32>,
    /// The third quartile.
    pub q3: Vec<f32>,
}

/// As [`BudgetColumn`]; null if the system does not count it for every end.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EventColumn {
    /// The total of all repetitions, divided by their delivered messages.
    pub mean: Vec<Option<f32>>,
    /// The first quartile of the repetitions.
    pub q1: Vec<Option<f32>>,
    /// The third quartile.
    pub q3: Vec<Option<f32>>,
}

/// The query of budgets.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BudgetQuery {
    /// Series numbers, separated by commas: at most 200.
    #[param(value_type = String, example = "1,2,3")]
    series: SeriesIds,
    /// The number of newest points per series. The limit for all series together is 20,000.
    #[param(minimum = 1, maximum = 10_000, default = 500)]
    pub last: Option<i64>,
    /// Only commits from this ordinal.
    #[param(minimum = 0)]
    pub from: Option<i64>,
    /// Only commits up to and including this ordinal.
    #[param(minimum = 0)]
    pub to: Option<i64>,
    /// Selects the runs. The default is `main`, or all runs of `branch`.
    #[param(value_type = Option<LinesAsked>, inline)]
    pub lines: Option<LinesAsked>,
    /// Only runs of this branch.
    pub branch: Option<String>,
}

/// Where the time of a message goes, over commits.
#[utoipa::path(get, path = "/api/v1/charts/budget", tag = "charts", params(BudgetQuery), responses(
    (status = 200, description = "The budgets", body = BudgetChart),
))]
pub(crate) async fn budget_chart(
    State(state): State<AppState>,
    caller: Caller,
    Query(query): Query<BudgetQuery>,
) -> Result<Json<BudgetChart>, ApiError> {
    let series = query.series.as_slice();
    let last_max = POINTS_OF_ALL_MAX / i64::try_from(series.len()).unwrap_or(i64::MAX).max(1);
    let last = within("last", query.last.unwrap_or(LAST_DEFAULT.min(last_max)), 1..=last_max)?;
    let range = PointRange {
        last: Some(last),
        from: query.from,
        to: query.to,
        lines: query.lines,
        branch: query.branch.as_deref(),
        series_count: series.len(),
    };
    let selection = range.selection()?;
    let keys = permitted::series(&state, &caller, series).await?;
    let rows = db::chart::budgets(&state.pool, &keys, &selection).await?;
    let mut rows_of: HashMap<i64, &[BudgetRow]> = HashMap::new();
    rows_of
        .extend(rows.chunk_by(|one, next| one.series_id == next.series_id).map(|of| (of[0].series_id, of)));
    let of_series =
        |series_id: &i64| BudgetSeries::new(*series_id, rows_of.get(series_id).copied().unwrap_or_default());
    Ok(Json(BudgetChart { series: series.iter().map(of_series).collect() }))
}

impl BudgetSeries {
    fn new(series_id: i64, rows: &[BudgetRow]) -> Self {
        // Three numbers for each part and event: mean, first and third quartile.
        let part = |part: Part| {
            let column = |number: usize| {
                rows.iter().filter_map(|row| row.budget_ns.get(3 * part as usize + number).copied()).collect()
            };
            BudgetColumn { mean: column(0), q1: column(1), q3: column(2) }
        };
        let event = |event: Event| {
            let column = |number: usize| {
                let numbers = rows.iter().map(|row| row.events_per_message.get(3 * event as usize + number));
                numbers.map(|number| number.copied().flatten()).collect()
            };
            EventColumn { mean: column(0), q1: column(1), q3: column(2) }
        };
        Self {
            series_id,
            commit_ordinals: rows.iter().map(|row| row.commit_ordinal).collect(),
            parts_ns: BudgetParts {
                sender_user: part(Part::SenderUser),
                sender_kernel: part(Part::SenderKernel),
                receiver_user: part(Part::ReceiverUser),
                receiver_kernel: part(Part::ReceiverKernel),
                ready: part(Part::Ready),
                asleep: part(Part::Asleep),
                overlap: part(Part::Overlap),
            },
            events: BudgetEvents {
                waits: event(Event::Wait),
                preemptions: event(Event::Preemption),
                migrations: event(Event::Migration),
                page_faults: event(Event::PageFault),
            },
        }
    }
}
