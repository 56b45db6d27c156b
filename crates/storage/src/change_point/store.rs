//! Writes changes in batches, because searching a history again yields thousands.

use super::Found;
use chrono::{DateTime, Utc};
use roundtrip_stats::cause::Cause;
use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use std::collections::HashMap;

/// The commits of a machine's points and summaries on the main line, by series and ordinal.
pub async fn commits(
    connection: &mut PgConnection,
    machine_id: i64,
    places: &[(i64, i64)],
) -> sqlx::Result<HashMap<(i64, i64), i64>> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"select wanted.series_id as "series_id!", wanted.ordinal as "ordinal!", point.commit_id as "commit_id!"
           from unnest($2::bigint[], $3::bigint[]) as wanted (series_id, ordinal)
           cross join lateral (
               (select point.commit_id from point
                where point.machine_id = $1 and point.series_id = wanted.series_id
                  and point.commit_ordinal = wanted.ordinal and point.mainline
                order by point.run_id
                limit 1)
               union all
               (select summary.commit_id from summary
                where summary.machine_id = $1 and summary.series_id = wanted.series_id
                  and summary.commit_ordinal = wanted.ordinal and summary.mainline
                order by summary.run_id
                limit 1)
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

/// The commits of stored changes of some series, by series and ordinal. Their points may have been deleted.
pub async fn commits_of_changes(
    connection: &mut PgConnection,
    places: &[(i64, i64)],
) -> sqlx::Result<HashMap<(i64, i64), i64>> {
    let rows = sqlx::query!(
        "select change_point.series_id, commit.ordinal, commit.commit_id
         from unnest($1::bigint[], $2::bigint[]) as wanted (series_id, ordinal)
         join change_point on change_point.series_id = wanted.series_id and change_point.withdrawn_at is null
         join commit on commit.commit_id in (change_point.commit_id, change_point.after_commit_id)
                    and commit.ordinal = wanted.ordinal",
        &places.iter().map(|(series_id, _)| *series_id).collect::<Vec<_>>(),
        &places.iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>(),
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| ((row.series_id, row.ordinal), row.commit_id)).collect())
}

/// A change with the keys of its commits: the columns that [`insert`] and [`refine`] write.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of table change_point, described there")]
pub struct Placed<'a> {
    /// None for a new change.
    pub change_point_id: Option<i64>,
    #[serde(flatten)]
    pub found: &'a Found,
    pub commit_id: i64,
    /// The newest measured commit before the interval, or that at which the level before a drift began.
    pub after_commit_id: i64,
    pub until_commit_id: i64,
    /// The commits at which the new level may begin.
    pub places: Vec<(i64, f64)>,
    /// The suspicion whose paired comparison confirmed it.
    pub suspicion_id: Option<i64>,
}

/// Stores changes and returns their ids.
pub async fn insert(
    connection: &mut PgConnection,
    changes: &[Placed<'_>],
    now: DateTime<Utc>,
) -> sqlx::Result<Vec<i64>> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_scalar!(
        "insert into change_point (
             series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id, places, before_level,
             after_level, confidence, matters, kind, suspicion_id, found_at, higher_is_better
         )
         select found.series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id, places,
                before_level, after_level, confidence, matters, kind, suspicion_id, $2,
                coalesce(measured_case.measure ->> 'better' = 'higher', false)
         from jsonb_array_elements($1) with ordinality as given (found, nth)
         cross join lateral jsonb_populate_record(null::change_point, given.found) as found
         join series on series.series_id = found.series_id
         join measured_case on measured_case.case_id = series.case_id
         order by given.nth
         returning change_point_id",
        Json(changes) as _,
        now,
    )
    .fetch_all(connection)
    .await
}

/// Updates the locations of stored changes after more commits were measured.
pub async fn refine(connection: &mut PgConnection, changes: &[Placed<'_>]) -> sqlx::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update change_point
         set commit_id = better.commit_id, after_commit_id = better.after_commit_id,
             until_commit_id = better.until_commit_id, places = better.places, before_level = better.before_level,
             after_level = better.after_level, confidence = better.confidence, matters = better.matters
         from jsonb_populate_recordset(null::change_point, $1) as better
         where change_point.change_point_id = better.change_point_id",
        Json(changes) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Withdraws changes.
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

/// The attribution of a change.
#[derive(Clone, Debug)]
pub struct Attribution {
    /// Which one.
    pub change_point_id: i64,
    /// The cause.
    pub cause: Cause,
    /// The evidence, as sentences.
    pub witnesses: Vec<String>,
}

/// Stores the causes of changes.
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

/// Adds changes to regressions, as pairs of a change's id and a regression's id.
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
