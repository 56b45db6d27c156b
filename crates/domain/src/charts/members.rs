//! Series with their points, at a commit or the newest ones.

use super::sweep::{self, SweptParameter};
use roundtrip_storage as db;
use roundtrip_storage::chart::MeasuredRow;
use roundtrip_storage::series::Series;
use serde::Serialize;
use sqlx::PgPool;
use std::collections::{BTreeMap, HashMap};
use utoipa::ToSchema;

/// Nearest-rank quantiles of all operations, in nanoseconds.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct UsualQuantiles {
    /// Median.
    pub p50: i64,
    /// 90 %.
    pub p90: i64,
    /// 99 %.
    pub p99: i64,
}

/// A series with a point.
#[derive(Debug)]
pub struct Member {
    /// The swept parameter.
    pub x: u64,
    /// The series.
    pub series: Series,
    /// Its point.
    pub point: MeasuredRow,
}

/// Groups series by machine.
pub fn by_machine(rows: Vec<db::series::SeriesRow>) -> Vec<Vec<db::series::SeriesRow>> {
    let mut machines: BTreeMap<i64, Vec<db::series::SeriesRow>> = BTreeMap::new();
    for row in rows {
        machines.entry(row.key().machine_id).or_default().push(row);
    }
    machines.into_values().collect()
}

/// The points of series of one machine: at a commit, or the newest on the main line.
pub async fn points(
    pool: &PgPool,
    series: &[db::series::SeriesRow],
    commit: Option<(i64, i64)>,
) -> sqlx::Result<Vec<MeasuredRow>> {
    let Some(machine_id) = series.first().map(|row| row.key().machine_id) else { return Ok(Vec::new()) };
    let series_ids: Vec<i64> = series.iter().map(|row| row.series_id).collect();
    Ok(match commit {
        Some(commit) => db::chart::of_commit(pool, machine_id, &series_ids, commit, None).await?,
        None => db::chart::newest_of_main_line(pool, machine_id, &series_ids).await?,
    })
}

/// The series that have the parameter and a point, in the given order.
///
/// # Errors
/// A series in the database cannot be parsed.
pub fn members(
    over: SweptParameter,
    series: Vec<db::series::SeriesRow>,
    points: Vec<MeasuredRow>,
) -> sqlx::Result<Vec<Member>> {
    let mut points: HashMap<i64, MeasuredRow> =
        points.into_iter().map(|point| (point.series_id, point)).collect();
    let mut members = Vec::new();
    for row in series {
        let Some(point) = points.remove(&row.series_id) else { continue };
        let series = row.into_series()?;
        if let Some(x) = over.value_in(&series.case) {
            members.push(Member { x, series, point });
        }
    }
    Ok(members)
}

/// The lines of these series.
pub fn lines<'a>(over: SweptParameter, members: impl IntoIterator<Item = &'a Member>) -> Vec<sweep::Line> {
    let series = members.into_iter().map(|Member { x, series, .. }| {
        (*x, over.others(&series.transport.slug, &series.case, &series.methodology))
    });
    sweep::lines(over, series.collect())
}

impl From<&MeasuredRow> for UsualQuantiles {
    fn from(point: &MeasuredRow) -> Self {
        Self { p50: point.latency_ns_p50, p90: point.latency_ns_p90, p99: point.latency_ns_p99 }
    }
}
