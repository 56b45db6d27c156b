//! Finds and deletes data past its retention, some thousand rows at a time. The runs of one machine are
//! processed together, so that queries on distributed tables can name it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use std::collections::{BTreeMap, HashMap};
use strum::AsRefStr;
use utoipa::ToSchema;
use uuid::Uuid;

/// The retention of one project; none is forever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of tables project and run, described there")]
pub struct Policy {
    pub project_id: i64,
    pub project: String,
    pub upload_retention_days: Option<i32>,
    pub histogram_retention_days: Option<i32>,
    pub point_retention_days: Option<i32>,
}

/// The parts of a run that can be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr)]
#[strum(serialize_all = "lowercase")]
pub enum Part {
    /// Its upload, and the imported file.
    Upload,
    /// The distributions of its points.
    Histograms,
    /// Everything except the run itself.
    Points,
}

/// Data of a run that was deleted by retention, with dates. The remaining values are unchanged.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct Pruned {
    /// When the upload, imported files and repetitions were deleted; null if they exist.
    #[schema(required)]
    #[serde(rename = "upload_at")]
    pub upload_pruned_at: Option<DateTime<Utc>>,
    /// When the distributions were deleted; null if they exist.
    #[schema(required)]
    #[serde(rename = "histograms_at")]
    pub histograms_pruned_at: Option<DateTime<Utc>>,
    /// When the points, and everything but the run itself, were deleted; null if they exist.
    #[schema(required)]
    #[serde(rename = "points_at")]
    pub points_pruned_at: Option<DateTime<Utc>>,
}

/// A run past its retention.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of tables project and run, described there")]
pub struct Old {
    pub run_id: Uuid,
    pub machine_id: i64,
    pub received_at: DateTime<Utc>,
    pub commit_ordinal: i64,
    pub point_count: i32,
}

/// How much of one project would be deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Runs.
    pub run_count: u64,
    /// Bytes of uploads and files, or of distributions.
    pub byte_count: i64,
}

/// The policies of all projects, by name.
pub async fn policies(pool: &PgPool) -> sqlx::Result<Vec<Policy>> {
    sqlx::query_as!(
        Policy,
        "select project_id, slug as project, upload_retention_days, histogram_retention_days, point_retention_days
         from project order by slug"
    )
    .fetch_all(pool)
    .await
}

/// Sets the policy of a project. False if it does not exist.
pub async fn set(pool: &PgPool, policy: &Policy) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "update project
         set upload_retention_days = $2, histogram_retention_days = $3, point_retention_days = $4
         where project_id = $1",
        policy.project_id,
        policy.upload_retention_days,
        policy.histogram_retention_days,
        policy.point_retention_days,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// When parts of a run were deleted; empty if the run does not exist.
pub async fn pruned(pool: &PgPool, run_id: Uuid) -> sqlx::Result<Pruned> {
    let found = sqlx::query_as!(
        Pruned,
        "select upload_pruned_at, histograms_pruned_at, points_pruned_at from run where run_id = $1",
        run_id,
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.unwrap_or_default())
}

/// Runs of a project that arrived before a time and still have a part, oldest first, after the run `after`.
pub async fn old(
    connection: &mut PgConnection,
    project_id: i64,
    part: Part,
    before: DateTime<Utc>,
    after: Option<Old>,
    limit: i64,
) -> sqlx::Result<Vec<Old>> {
    sqlx::query_as!(
        Old,
        "select run.run_id, run.machine_id, run.received_at, commit.ordinal as commit_ordinal, run.point_count
         from run
         join commit on commit.commit_id = run.commit_id
         where run.project_id = $1 and run.received_at < $2
           and ($3::timestamptz is null or (run.received_at, run.run_id) > ($3, $4::uuid))
           and case $5 when 'upload' then run.upload_pruned_at when 'histograms' then run.histograms_pruned_at
               else run.points_pruned_at end is null
         order by run.received_at, run.run_id
         limit $6",
        project_id,
        before,
        after.map(|after| after.received_at),
        after.map(|after| after.run_id),
        part.as_ref(),
        limit,
    )
    .fetch_all(connection)
    .await
}

/// How much would be deleted.
pub async fn amount(
    pool: &PgPool,
    project_id: i64,
    part: Part,
    before: DateTime<Utc>,
) -> sqlx::Result<Amount> {
    let mut connection = pool.acquire().await?;
    let runs = old(&mut connection, project_id, part, before, None, i64::MAX).await?;
    let mut amount = Amount::default();
    for (machine_id, runs) in by_machine(&runs) {
        let run_ids: Vec<Uuid> = runs.iter().map(|run| run.run_id).collect();
        amount.run_count += runs.len() as u64;
        amount.byte_count += match part {
            Part::Upload => upload_bytes(&mut connection, machine_id, &run_ids).await?,
            Part::Histograms => {
                let places = Places::find(&mut connection, machine_id, &runs).await?;
                histogram_bytes(&mut connection, machine_id, &places).await?
            }
            // Points have a fixed size, so their number is sufficient.
            Part::Points => 0,
        };
    }
    Ok(amount)
}

fn by_machine(runs: &[Old]) -> BTreeMap<i64, Vec<Old>> {
    let mut machines: BTreeMap<i64, Vec<Old>> = BTreeMap::new();
    for run in runs {
        machines.entry(run.machine_id).or_default().push(*run);
    }
    machines
}

async fn upload_bytes(connection: &mut PgConnection, machine_id: i64, run_ids: &[Uuid]) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce((select sum(octet_length(body_zstd)) from run_upload
                            where machine_id = $1 and run_id = any($2)), 0)::bigint
                  + coalesce((select sum(octet_length(file_zstd)) from run_original
                              where machine_id = $1 and run_id = any($2)), 0)::bigint as "byte_count!""#,
        machine_id,
        run_ids,
    )
    .fetch_one(connection)
    .await
}

async fn histogram_bytes(
    connection: &mut PgConnection,
    machine_id: i64,
    places: &Places,
) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(octet_length(point_histogram.histogram)), 0)::bigint as "byte_count!"
           from unnest($2::uuid[], $3::bigint[]) as old (run_id, series_id)
           join point_histogram on point_histogram.machine_id = $1 and point_histogram.series_id = old.series_id
                               and point_histogram.run_id = old.run_id"#,
        machine_id,
        &places.run_ids,
        &places.series_ids,
    )
    .fetch_one(connection)
    .await
}

/// Deletes a part of some runs of one project.
pub async fn remove(
    connection: &mut PgConnection,
    part: Part,
    runs: &[Old],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    for (machine_id, runs) in by_machine(runs) {
        let run_ids: Vec<Uuid> = runs.iter().map(|run| run.run_id).collect();
        match part {
            Part::Upload => remove_uploads(connection, machine_id, &run_ids).await?,
            Part::Histograms => {
                let places = Places::find(connection, machine_id, &runs).await?;
                remove_histograms(connection, machine_id, &places).await?;
            }
            Part::Points => {
                let places = Places::find(connection, machine_id, &runs).await?;
                remove_points(connection, machine_id, &places).await?;
                remove_histograms(connection, machine_id, &places).await?;
                remove_uploads(connection, machine_id, &run_ids).await?;
                sqlx::query!(
                    "delete from run_result where machine_id = $1 and run_id = any($2)",
                    machine_id,
                    &run_ids,
                )
                .execute(&mut *connection)
                .await?;
            }
        }
        note(connection, part, &run_ids, now).await?;
    }
    Ok(())
}

/// The keys of the points of some runs of one machine: series, commit and run.
struct Places {
    run_ids: Vec<Uuid>,
    series_ids: Vec<i64>,
    commit_ordinals: Vec<i64>,
}

impl Places {
    async fn find(connection: &mut PgConnection, machine_id: i64, runs: &[Old]) -> sqlx::Result<Self> {
        let ordinals: HashMap<Uuid, i64> = runs.iter().map(|run| (run.run_id, run.commit_ordinal)).collect();
        let rows = sqlx::query!(
            r#"select run_result.run_id, of_run.series_id as "series_id!"
               from run_result
               cross join unnest(run_result.series_ids) as of_run (series_id)
               where run_result.machine_id = $1 and run_result.run_id = any($2)"#,
            machine_id,
            &runs.iter().map(|run| run.run_id).collect::<Vec<_>>(),
        )
        .fetch_all(connection)
        .await?;
        let mut places = Self { run_ids: Vec::new(), series_ids: Vec::new(), commit_ordinals: Vec::new() };
        for row in rows {
            places.run_ids.push(row.run_id);
            places.series_ids.push(row.series_id);
            places.commit_ordinals.push(ordinals.get(&row.run_id).copied().unwrap_or_default());
        }
        Ok(places)
    }
}

async fn remove_uploads(
    connection: &mut PgConnection,
    machine_id: i64,
    run_ids: &[Uuid],
) -> sqlx::Result<()> {
    sqlx::query!("delete from run_upload where machine_id = $1 and run_id = any($2)", machine_id, run_ids)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "update run_original set file_zstd = null
         where machine_id = $1 and run_id = any($2) and file_zstd is not null",
        machine_id,
        run_ids,
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn remove_histograms(
    connection: &mut PgConnection,
    machine_id: i64,
    places: &Places,
) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from point_histogram
         using unnest($2::uuid[], $3::bigint[]) as old (run_id, series_id)
         where point_histogram.machine_id = $1 and point_histogram.series_id = old.series_id
           and point_histogram.run_id = old.run_id",
        machine_id,
        &places.run_ids,
        &places.series_ids,
    )
    .execute(connection)
    .await?;
    Ok(())
}

async fn remove_points(connection: &mut PgConnection, machine_id: i64, places: &Places) -> sqlx::Result<()> {
    macro_rules! remove {
        ($table:literal) => {
            sqlx::query!(
                "delete from " + $table + " as measured
                 using unnest($2::uuid[], $3::bigint[], $4::bigint[]) as old (run_id, series_id, commit_ordinal)
                 where measured.machine_id = $1 and measured.series_id = old.series_id
                   and measured.commit_ordinal = old.commit_ordinal and measured.run_id = old.run_id",
                machine_id,
                &places.run_ids,
                &places.series_ids,
                &places.commit_ordinals,
            )
        };
    }
    remove!("point").execute(&mut *connection).await?;
    remove!("summary").execute(connection).await?;
    Ok(())
}

/// Records the deleted parts on the runs. Without points, nothing else is left.
async fn note(
    connection: &mut PgConnection,
    part: Part,
    run_ids: &[Uuid],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update run
         set upload_pruned_at = case when $2 in ('upload', 'points') then coalesce(upload_pruned_at, $3)
                                else upload_pruned_at end,
             histograms_pruned_at = case when $2 in ('histograms', 'points') then coalesce(histograms_pruned_at, $3)
                                    else histograms_pruned_at end,
             points_pruned_at = case when $2 = 'points' then $3 else points_pruned_at end
         where run_id = any($1)",
        run_ids,
        part.as_ref(),
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
