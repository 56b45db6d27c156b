//! Summaries: values from other tools without samples. Stored separately from points.

use super::point::{Placement, Selection, SeriesKey, of_each_machine, of_selection};
use super::run::Location;
use chrono::{DateTime, Utc};
use roundtrip_wire::{StatedQuantile, Summary};
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use uuid::Uuid;

/// Another tool's values for one run in one series, in nanoseconds, for as many operations as the case has. The
/// methodology's `statistic` names them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StatedPoint {
    /// The run.
    pub run_id: Uuid,
    /// The commit.
    pub commit_sha: String,
    /// The commit's place in its project.
    pub commit_ordinal: i64,
    /// True when tracked files differed from the commit.
    pub work_tree_modified: bool,
    /// When the run began.
    pub measured_at: DateTime<Utc>,
    /// The identity of the machine's stable facts.
    pub environment_id: i64,
    /// The value.
    #[serde(rename = "center_ns")]
    pub latency_ns_center: i64,
    /// The lower end of the stated interval.
    #[schema(required)]
    #[serde(rename = "low_ns")]
    pub latency_ns_low: Option<i64>,
    /// The upper end of the stated interval.
    #[schema(required)]
    #[serde(rename = "high_ns")]
    pub latency_ns_high: Option<i64>,
    /// Smallest time.
    #[schema(required)]
    #[serde(rename = "min_ns")]
    pub latency_ns_min: Option<i64>,
    /// Largest time.
    #[schema(required)]
    #[serde(rename = "max_ns")]
    pub latency_ns_max: Option<i64>,
    /// Quantiles, ascending.
    #[schema(value_type = Vec<StatedQuantile>)]
    pub quantiles: Json<Vec<StatedQuantile>>,
    /// The number of samples behind it.
    #[schema(required)]
    #[serde(rename = "count")]
    pub operation_count: Option<i64>,
    /// Its series.
    #[serde(skip)]
    pub series_id: i64,
    /// Its commit.
    #[serde(skip)]
    pub commit_id: i64,
}

/// Summaries by commit, then by the start of their runs. Selected before they are joined, like points.
macro_rules! select_summaries {
    ($from:literal $(+ $more:literal)*, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            StatedPoint,
            r#"with selected as materialized (
                   select summary.series_id, summary.run_id, summary.commit_id, summary.commit_ordinal,
                          summary.environment_id, summary.work_tree_modified, summary.latency_ns_center,
                          summary.latency_ns_low, summary.latency_ns_high, summary.latency_ns_min,
                          summary.latency_ns_max, summary.quantiles as "quantiles: Json<Vec<StatedQuantile>>",
                          summary.operation_count, summary.measured_at
                   from "# + $from $(+ $more)* + r#"
               )
               select selected.*, commit.sha as commit_sha
               from selected
               join commit on commit.commit_id = selected.commit_id
               order by selected.series_id, selected.commit_ordinal, selected.run_id"#,
            $($argument),+
        )
    };
}

/// The selected summaries of each series, by commit, then by the start of their runs.
pub async fn selected(
    pool: &PgPool,
    series: &[SeriesKey],
    selection: &Selection<'_>,
) -> sqlx::Result<Vec<StatedPoint>> {
    of_each_machine(series, async |machine_id, series_ids| {
        of_selection!(
            select_summaries!("unnest($2::bigint[]) as wanted (series_id) cross join lateral "),
            "summary",
            "",
            machine_id,
            &series_ids,
            selection,
        )
        .fetch_all(pool)
        .await
    })
    .await
}

/// The summaries of one run in some series.
pub async fn of_run(pool: &PgPool, run: Location, series_ids: &[i64]) -> sqlx::Result<Vec<StatedPoint>> {
    select_summaries!(
        "summary
         where summary.machine_id = $1 and summary.commit_ordinal = $2 and summary.run_id = $3 and summary.series_id = any($4)",
        run.machine_id,
        run.commit_ordinal,
        run.run_id,
        series_ids,
    )
    .fetch_all(pool)
    .await
}

/// Stores the summaries of one run, each with its series. All numbers have been checked to fit.
pub async fn insert(
    connection: &mut PgConnection,
    placement: Placement,
    summaries: &[(i64, &Summary)],
) -> sqlx::Result<()> {
    if summaries.is_empty() {
        return Ok(());
    }
    let series_ids: Vec<i64> = summaries.iter().map(|(series_id, _)| *series_id).collect();
    let number = |of: fn(&Summary) -> Option<u64>| {
        summaries.iter().map(|(_, summary)| of(summary).map(u64::cast_signed)).collect::<Vec<_>>()
    };
    let centers: Vec<i64> = summaries.iter().map(|(_, summary)| summary.center_ns.cast_signed()).collect();
    let quantiles: Vec<_> = summaries.iter().map(|(_, summary)| Json(&summary.quantiles)).collect();
    sqlx::query!(
        "insert into summary (
             machine_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified, mainline, measured_at,
             series_id, latency_ns_center, latency_ns_low, latency_ns_high, latency_ns_min, latency_ns_max,
             operation_count, quantiles
         )
         select $1, $2, $3, $4, $5, $6, $7, $8, given.*
         from unnest(
             $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
             $16::jsonb[]
         ) as given",
        placement.key.machine_id,
        placement.commit_ordinal,
        placement.key.run_id,
        placement.key.commit_id,
        placement.key.environment_id,
        placement.work_tree_modified,
        placement.mainline,
        placement.measured_at,
        &series_ids,
        &centers,
        &number(|summary| summary.low_ns) as &[Option<i64>],
        &number(|summary| summary.high_ns) as &[Option<i64>],
        &number(|summary| summary.min_ns) as &[Option<i64>],
        &number(|summary| summary.max_ns) as &[Option<i64>],
        &number(|summary| summary.count) as &[Option<i64>],
        quantiles.as_slice() as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}
