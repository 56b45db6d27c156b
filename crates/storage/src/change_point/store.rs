//! Writing changes. Each statement takes many of them: a history that is searched anew has thousands.

use super::Found;
use chrono::{DateTime, Utc};
use roundtrip_stats::cause::Cause;
use sqlx::PgConnection;
use sqlx::types::Json;
use std::collections::HashMap;

/// The commits that some points of a machine's series on the main line are of, by series and ordinal.
///
/// # Errors
/// The database does not answer.
pub async fn commits(
    connection: &mut PgConnection,
    machine_id: i64,
    places: &[(i64, i64)],
) -> sqlx::Result<HashMap<(i64, i64), i64>> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"select wanted.series_id as "series_id!", wanted.ordinal as "ordinal!", point.commit_id
           from unnest($2::bigint[], $3::bigint[]) as wanted (series_id, ordinal)
           cross join lateral (
               select point.commit_id from point
               where point.machine_id = $1 and point.series_id = wanted.series_id
                 and point.commit_ordinal = wanted.ordinal and point.mainline
               order by point.run_id
               limit 1
           ) as point"#,
        machine_id,
        &places.iter().map(|(series_id, _)| *series_id).collect::<Vec<_>>(),
        &places.iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>(),
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| ((row.series_id, row.ordinal), row.commit_id)).collect())
}

/// A change with the keys of its commits.
#[derive(Clone, Debug)]
pub struct Placed<'a> {
    /// What was found.
    pub found: &'a Found,
    /// The first commit of the new level.
    pub commit_id: i64,
    /// The newest measured commit before the interval.
    pub after_commit_id: i64,
    /// The last of the interval.
    pub until_commit_id: i64,
    /// The commits at which the new level may begin.
    pub places: Vec<(i64, f64)>,
}

/// What [`insert`] and [`refine`] write of changes, as columns.
struct Columns<'a> {
    commit_ids: Vec<i64>,
    after_commit_ids: Vec<i64>,
    until_commit_ids: Vec<i64>,
    places: Vec<Json<&'a [(i64, f64)]>>,
    before_ns: Vec<f64>,
    after_ns: Vec<f64>,
    confidences: Vec<f64>,
    matters: Vec<bool>,
}

impl<'a> From<&'a [Placed<'_>]> for Columns<'a> {
    fn from(changes: &'a [Placed<'_>]) -> Self {
        Self {
            commit_ids: changes.iter().map(|placed| placed.commit_id).collect(),
            after_commit_ids: changes.iter().map(|placed| placed.after_commit_id).collect(),
            until_commit_ids: changes.iter().map(|placed| placed.until_commit_id).collect(),
            places: changes.iter().map(|placed| Json(placed.places.as_slice())).collect(),
            before_ns: changes.iter().map(|placed| placed.found.before_ns).collect(),
            after_ns: changes.iter().map(|placed| placed.found.after_ns).collect(),
            confidences: changes.iter().map(|placed| placed.found.confidence).collect(),
            matters: changes.iter().map(|placed| placed.found.matters).collect(),
        }
    }
}

/// Stores changes, and tells their numbers.
///
/// # Errors
/// The database does not answer, or has a change of the same place.
pub async fn insert(
    connection: &mut PgConnection,
    changes: &[Placed<'_>],
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<i64>> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let track =
        |value: fn(&Found) -> i64| changes.iter().map(|placed| value(placed.found)).collect::<Vec<_>>();
    let quantiles: Vec<String> =
        changes.iter().map(|placed| placed.found.track.figure.name().to_owned()).collect();
    let columns = Columns::from(changes);
    sqlx::query_scalar!(
        "insert into change_point (
             series_id, environment_id, quantile, commit_id, after_commit_id, until_commit_id, places, before_ns,
             after_ns, confidence, matters, found_at
         )
         select series_id, environment_id, quantile, commit_id, after_commit_id, until_commit_id, places, before_ns,
                after_ns, confidence, matters, $12
         from unnest(
             $1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::jsonb[],
             $8::float8[], $9::float8[], $10::float8[], $11::boolean[]
         ) as new (
             series_id, environment_id, quantile, commit_id, after_commit_id, until_commit_id, places, before_ns,
             after_ns, confidence, matters
         )
         returning change_point_id",
        &track(|found| found.track.series_id),
        &track(|found| found.track.environment_id),
        &quantiles,
        &columns.commit_ids,
        &columns.after_commit_ids,
        &columns.until_commit_ids,
        columns.places.as_slice() as _,
        &columns.before_ns,
        &columns.after_ns,
        &columns.confidences,
        &columns.matters,
        now,
    )
    .fetch_all(connection)
    .await
}

/// Says better where stored changes are, by their numbers: commits in between were measured.
///
/// # Errors
/// The database does not answer.
pub async fn refine(
    connection: &mut PgConnection,
    change_point_ids: &[i64],
    changes: &[Placed<'_>],
) -> sqlx::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let columns = Columns::from(changes);
    sqlx::query!(
        "update change_point
         set commit_id = better.commit_id, after_commit_id = better.after_commit_id,
             until_commit_id = better.until_commit_id, places = better.places, before_ns = better.before_ns,
             after_ns = better.after_ns, confidence = better.confidence, matters = better.matters
         from unnest(
             $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::jsonb[], $6::float8[], $7::float8[],
             $8::float8[], $9::boolean[]
         ) as better (
             change_point_id, commit_id, after_commit_id, until_commit_id, places, before_ns, after_ns, confidence,
             matters
         )
         where change_point.change_point_id = better.change_point_id",
        change_point_ids,
        &columns.commit_ids,
        &columns.after_commit_ids,
        &columns.until_commit_ids,
        columns.places.as_slice() as _,
        &columns.before_ns,
        &columns.after_ns,
        &columns.confidences,
        &columns.matters,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes changes back.
///
/// # Errors
/// The database does not answer.
pub async fn withdraw(
    connection: &mut PgConnection,
    change_point_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    if change_point_ids.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update change_point set withdrawn_at = $2 where change_point_id = any($1)",
        change_point_ids,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// What is said of a change.
#[derive(Clone, Debug)]
pub struct Attribution {
    /// Which one.
    pub change_point_id: i64,
    /// What made it.
    pub cause: Cause,
    /// Who says what, as sentences.
    pub witnesses: Vec<String>,
}

/// Says of changes what made them.
///
/// # Errors
/// The database does not answer.
pub async fn explain(connection: &mut PgConnection, attributions: &[Attribution]) -> sqlx::Result<()> {
    let causes: Vec<String> = attributions.iter().map(|said| said.cause.name().to_owned()).collect();
    let witnesses: Vec<_> = attributions.iter().map(|said| Json(said.witnesses.as_slice())).collect();
    sqlx::query!(
        "update change_point
         set cause = said.cause,
             witnesses = array(select sentence from jsonb_array_elements_text(said.witnesses) as sentence)
         from unnest($1::bigint[], $2::text[], $3::jsonb[]) as said (change_point_id, cause, witnesses)
         where change_point.change_point_id = said.change_point_id",
        &attributions.iter().map(|said| said.change_point_id).collect::<Vec<_>>(),
        &causes,
        witnesses.as_slice() as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Makes changes part of regressions: each pair is the number of a change and that of its regression.
///
/// # Errors
/// The database does not answer.
pub async fn assign(connection: &mut PgConnection, members: &[(i64, i64)]) -> sqlx::Result<()> {
    sqlx::query!(
        "update change_point set regression_id = assigned.regression_id
         from unnest($1::bigint[], $2::bigint[]) as assigned (change_point_id, regression_id)
         where change_point.change_point_id = assigned.change_point_id",
        &members.iter().map(|(change_point_id, _)| *change_point_id).collect::<Vec<_>>(),
        &members.iter().map(|(_, regression_id)| *regression_id).collect::<Vec<_>>(),
    )
    .execute(connection)
    .await?;
    Ok(())
}
