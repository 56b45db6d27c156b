//! Reference series for the attribution of changes: other series, and the canaries of runs.

use super::point::SeriesKey;
use roundtrip_wire::Canary;
use sqlx::PgPool;
use sqlx::types::Json;

/// The fields of a series that select its reference series.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of tables series and run, described there")]
pub struct Subject {
    pub series_id: i64,
    pub project_id: i64,
    pub machine_id: i64,
    pub is_control: bool,
    /// Whether its values are times.
    pub is_time: bool,
}

/// A reference series.
#[derive(Clone, Debug)]
pub struct Other {
    /// Which one.
    pub key: SeriesKey,
    /// Its display name: transport and case of a control, or the machine of a sibling.
    pub name: String,
}

/// The subjects of some series.
pub async fn subjects(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<Vec<Subject>> {
    sqlx::query_as!(
        Subject,
        r#"select series.series_id, series.project_id, series.machine_id,
                  coalesce(described.control, transport.control) as "is_control!",
                  measured_case.measure is null as "is_time!"
           from series
           join measured_case on measured_case.case_id = series.case_id
           join transport on transport.transport_id = measured_case.transport_id
           left join project_transport as described
               on described.project_id = series.project_id and described.transport_id = transport.transport_id
           where series.series_id = any($1)"#,
        series_ids,
    )
    .fetch_all(pool)
    .await
}

/// Control series of a machine in a project, up to a limit, spread over all transports.
pub async fn controls(
    pool: &PgPool,
    project_id: i64,
    machine_id: i64,
    limit: i64,
) -> sqlx::Result<Vec<Other>> {
    let rows = sqlx::query!(
        r#"select series_id as "series_id!", name as "name!"
           from (
               select series.series_id,
                      concat_ws(' ', transport.slug, measured_case.scenario, measured_case.placement,
                                measured_case.message_bytes || ' B') as name,
                      row_number() over (partition by transport.transport_id order by series.series_id) as nth
               from series
               join measured_case on measured_case.case_id = series.case_id
               join transport on transport.transport_id = measured_case.transport_id
               left join project_transport as described
                   on described.project_id = series.project_id and described.transport_id = transport.transport_id
               join methodology on methodology.methodology_id = series.methodology_id
               where series.project_id = $1 and series.machine_id = $2
                 and coalesce(described.control, transport.control)
                 and methodology.document ->> 'statistic' is null
           ) as control
           order by nth, series_id
           limit $3"#,
        project_id,
        machine_id,
        limit,
    )
    .fetch_all(pool)
    .await?;
    let other = |series_id, name| Other { key: SeriesKey { series_id, machine_id }, name };
    Ok(rows.into_iter().map(|row| other(row.series_id, row.name)).collect())
}

/// Siblings: series of the same case and methodology for the same project on other machines, each with the id
/// of the given series.
pub async fn siblings(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<Vec<(i64, Other)>> {
    let rows = sqlx::query!(
        "select series.series_id as of_series_id, sibling.series_id, sibling.machine_id, machine.slug as name
         from series
         join series as sibling
             on sibling.project_id = series.project_id and sibling.case_id = series.case_id
            and sibling.methodology_id = series.methodology_id and sibling.machine_id <> series.machine_id
         join machine on machine.machine_id = sibling.machine_id
         where series.series_id = any($1)
         order by series.series_id, machine.slug",
        series_ids,
    )
    .fetch_all(pool)
    .await?;
    let other = |series_id, machine_id, name| Other { key: SeriesKey { series_id, machine_id }, name };
    let siblings =
        rows.into_iter().map(|row| (row.of_series_id, other(row.series_id, row.machine_id, row.name)));
    Ok(siblings.collect())
}

/// The canary readings of a machine in one environment, from runs of a project's trend in a range of
/// ordinals, each with its commit's ordinal.
pub async fn canaries(
    pool: &PgPool,
    (project_id, machine_id, environment_id): (i64, i64, i64),
    (from_ordinal, to_ordinal): (i64, i64),
) -> sqlx::Result<Vec<(i64, Vec<Canary>)>> {
    sqlx::query!(
        r#"select commit.ordinal as commit_ordinal, run.canaries as "canaries: Json<Vec<Canary>>"
           from run
           join commit on commit.commit_id = run.commit_id
           join project on project.project_id = run.project_id
           where run.project_id = $1 and run.machine_id = $2 and run.environment_id = $3
             and commit.ordinal between $4 and $5 and not run.work_tree_modified and run.pull_request is null and not run.quarantined and not run.superseded
             and (project.default_branch is null or run.branch is null or run.branch = project.default_branch)
           order by commit.ordinal, run.run_id"#,
        project_id,
        machine_id,
        environment_id,
        from_ordinal,
        to_ordinal,
    )
    .map(|row| (row.commit_ordinal, row.canaries.0))
    .fetch_all(pool)
    .await
}
