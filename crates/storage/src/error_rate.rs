//! Error rates: the points that they are computed from, and the stored counts.

use super::run::Location;
use chrono::{DateTime, Utc};
use roundtrip_stats::error_rate::{halves, history};
use roundtrip_stats::quantile::weighted_median;
use sqlx::{PgConnection, PgPool};

/// Series of one transport and scenario, on one machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The transport.
    pub transport_id: i64,
    /// The traffic pattern.
    pub scenario: String,
}

/// A machine to count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// The project.
    pub project_id: i64,
    /// The machine.
    pub machine_id: i64,
    /// The smallest change that the project reports, as a share; none for the default.
    pub least_change: Option<f64>,
}

/// Counts of a machine's whole comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of table machine_error_rate, described there")]
pub struct MachineCounts {
    pub comparison_count: i64,
    pub false_comparison_count: i64,
}

/// Counts of the changes of one statistic.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::Decode)]
#[expect(missing_docs, reason = "the columns of table error_rate, described there")]
pub struct HistoryCounts {
    pub searched_count: i64,
    pub false_alarm_count: i64,
    pub injected_count: i64,
    pub found_counts: Vec<i64>,
    pub median_delays: Vec<Option<i64>>,
}

/// Counts of a class.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::Decode)]
#[expect(missing_docs, reason = "the columns of table error_rate, described there")]
pub struct ClassCounts {
    pub series_count: i64,
    pub p50: HistoryCounts,
    pub p99: HistoryCounts,
    pub tail: HistoryCounts,
    pub case_count: i64,
    pub false_case_count: i64,
    pub found_case_counts: Vec<i64>,
    /// Cases with too few repetitions to test: column `untold_case_count`.
    pub untested_case_count: i64,
}

is_record!(HistoryCounts);
is_record!(ClassCounts);

impl ClassCounts {
    /// Counts of several classes together.
    pub fn total<'a>(classes: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let sum = |count: fn(&Self) -> i64| classes.clone().map(count).sum();
        Self {
            series_count: sum(|class| class.series_count),
            p50: HistoryCounts::total(classes.clone().map(|class| &class.p50)),
            p99: HistoryCounts::total(classes.clone().map(|class| &class.p99)),
            tail: HistoryCounts::total(classes.clone().map(|class| &class.tail)),
            case_count: sum(|class| class.case_count),
            false_case_count: sum(|class| class.false_case_count),
            found_case_counts: sums(
                classes.clone().map(|class| &class.found_case_counts),
                halves::STEPS.len(),
            ),
            untested_case_count: sum(|class| class.untested_case_count),
        }
    }
}

impl HistoryCounts {
    /// Medians, weighted by the number of detections.
    fn total<'a>(figures: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let sum = |count: fn(&Self) -> i64| figures.clone().map(count).sum();
        let median_delay = |step: usize| {
            let delays = figures.clone().filter_map(|figure| {
                let found = figure.found_counts.get(step)?.unsigned_abs();
                Some(((*figure.median_delays.get(step)?)?, found))
            });
            weighted_median(delays.collect())
        };
        Self {
            searched_count: sum(|figure| figure.searched_count),
            false_alarm_count: sum(|figure| figure.false_alarm_count),
            injected_count: sum(|figure| figure.injected_count),
            found_counts: sums(figures.clone().map(|figure| &figure.found_counts), history::STEPS.len()),
            median_delays: (0..history::STEPS.len()).map(median_delay).collect(),
        }
    }
}

/// Sums by column.
fn sums<'a>(rows: impl Iterator<Item = &'a Vec<i64>>, columns: usize) -> Vec<i64> {
    rows.fold(vec![0; columns], |sums, row| sums.iter().zip(row).map(|(sum, count)| sum + count).collect())
}

/// A counted machine.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables machine_error_rate and error_rate, described there")]
pub struct MachineRow {
    pub machine_id: i64,
    pub machine: String,
    pub comparison_count: i64,
    pub false_comparison_count: i64,
    pub computed_at: DateTime<Utc>,
}

/// A counted class.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables machine_error_rate and error_rate, described there")]
pub struct ClassRow {
    pub machine_id: i64,
    pub transport: String,
    pub scenario: String,
    pub counts: ClassCounts,
}

/// The machines to count, by project, that were not counted since a time or with another threshold; longest ago first.
/// Excludes those with runs that wait for change detection, because unknown changes would count as noise.
pub async fn due(pool: &PgPool, since: DateTime<Utc>) -> sqlx::Result<Vec<Due>> {
    sqlx::query_as!(
        Due,
        "select measured.project_id, measured.machine_id, project.least_change
         from project_machine as measured
         join project on project.project_id = measured.project_id
         left join machine_error_rate as rate
             on rate.project_id = measured.project_id and rate.machine_id = measured.machine_id
         where (rate.computed_at is null or rate.computed_at <= $1
                or rate.least_change is distinct from project.least_change)
           and not exists (select from analysis_due where analysis_due.machine_id = measured.machine_id)
         order by rate.computed_at nulls first, measured.project_id, measured.machine_id",
        since,
    )
    .fetch_all(pool)
    .await
}

/// The series of a machine in a project, with their classes, in a pseudo-random but stable order.
pub async fn series(pool: &PgPool, project_id: i64, machine_id: i64) -> sqlx::Result<Vec<(i64, Class)>> {
    let rows = sqlx::query!(
        "select series.series_id, measured_case.transport_id, measured_case.scenario
         from series
         join measured_case on measured_case.case_id = series.case_id
         where series.project_id = $1 and series.machine_id = $2
         order by md5(series.series_id::text)",
        project_id,
        machine_id,
    )
    .fetch_all(pool)
    .await?;
    let class = |transport_id, scenario| Class { transport_id, scenario };
    Ok(rows.into_iter().map(|row| (row.series_id, class(row.transport_id, row.scenario))).collect())
}

/// The newest runs with points of a machine in a project, up to a limit.
pub async fn newest_runs(
    pool: &PgPool,
    project_id: i64,
    machine_id: i64,
    limit: i64,
) -> sqlx::Result<Vec<Location>> {
    sqlx::query_as!(
        Location,
        "select run.run_id, run.machine_id, commit.ordinal as commit_ordinal
         from run
         join commit on commit.commit_id = run.commit_id
         where run.project_id = $1 and run.machine_id = $2 and run.points_pruned_at is null
           and not run.quarantined and not run.superseded
         order by run.run_id desc
         limit $3",
        project_id,
        machine_id,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The medians of a run's repetitions in nanoseconds, by series.
pub async fn repetitions(pool: &PgPool, run: Location) -> sqlx::Result<Vec<(i64, Vec<i64>)>> {
    let rows = sqlx::query!(
        "select point.series_id, point.repetition_p50_ns
         from run_result
         join point on point.machine_id = $1 and point.series_id = any(run_result.series_ids)
             and point.commit_ordinal = $2 and point.run_id = $3
         where run_result.machine_id = $1 and run_result.run_id = $3
         order by point.series_id",
        run.machine_id,
        run.commit_ordinal,
        run.run_id,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.repetition_p50_ns)).collect())
}

/// Replaces the counts of a machine. Does nothing if the project was deleted.
pub async fn replace(
    connection: &mut PgConnection,
    Due { project_id, machine_id, least_change }: Due,
    machine: MachineCounts,
    classes: &[(Class, ClassCounts)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "delete from machine_error_rate where project_id = $1 and machine_id = $2",
        project_id,
        machine_id,
    )
    .execute(&mut *connection)
    .await?;
    // Waits for a concurrent deletion of the project, or makes it wait.
    let stored = sqlx::query!(
        "insert into machine_error_rate (
             project_id, machine_id, comparison_count, false_comparison_count, computed_at, least_change
         )
         select project_id, $2, $3, $4, $5, $6 from project where project_id = $1 for share",
        project_id,
        machine_id,
        machine.comparison_count,
        machine.false_comparison_count,
        now,
        least_change,
    )
    .execute(&mut *connection)
    .await?;
    if stored.rows_affected() == 0 {
        return Ok(());
    }
    for (class, counts) in classes {
        insert(&mut *connection, (project_id, machine_id), class, counts).await?;
    }
    Ok(())
}

async fn insert(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    class: &Class,
    counts: &ClassCounts,
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into error_rate (
             project_id, machine_id, transport_id, scenario, series_count,
             p50_searched_count, p50_false_alarm_count, p50_injected_count, p50_found_counts, p50_median_delays,
             p99_searched_count, p99_false_alarm_count, p99_injected_count, p99_found_counts, p99_median_delays,
             tail_searched_count, tail_false_alarm_count, tail_injected_count, tail_found_counts, tail_median_delays,
             case_count, false_case_count, found_case_counts, untold_case_count
         )
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
                 $23, $24)",
        project_id,
        machine_id,
        class.transport_id,
        class.scenario,
        counts.series_count,
        counts.p50.searched_count,
        counts.p50.false_alarm_count,
        counts.p50.injected_count,
        &counts.p50.found_counts,
        &counts.p50.median_delays as &[Option<i64>],
        counts.p99.searched_count,
        counts.p99.false_alarm_count,
        counts.p99.injected_count,
        &counts.p99.found_counts,
        &counts.p99.median_delays as &[Option<i64>],
        counts.tail.searched_count,
        counts.tail.false_alarm_count,
        counts.tail.injected_count,
        &counts.tail.found_counts,
        &counts.tail.median_delays as &[Option<i64>],
        counts.case_count,
        counts.false_case_count,
        &counts.found_case_counts,
        counts.untested_case_count,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The machines of a project that were counted with a threshold, by name.
pub async fn machines(
    pool: &PgPool,
    project_id: i64,
    least_change: Option<f64>,
) -> sqlx::Result<Vec<MachineRow>> {
    sqlx::query_as!(
        MachineRow,
        "select rate.machine_id, machine.slug as machine, rate.comparison_count, rate.false_comparison_count,
                rate.computed_at
         from machine_error_rate as rate
         join machine on machine.machine_id = rate.machine_id
         where rate.project_id = $1 and rate.least_change is not distinct from $2
         order by machine.slug",
        project_id,
        least_change,
    )
    .fetch_all(pool)
    .await
}

/// The classes of a project that were counted with a threshold, by transport and scenario.
pub async fn classes(
    pool: &PgPool,
    project_id: i64,
    least_change: Option<f64>,
) -> sqlx::Result<Vec<ClassRow>> {
    sqlx::query_as!(
        ClassRow,
        r#"select rate.machine_id, transport.slug as transport, rate.scenario,
                  (rate.series_count,
                   (rate.p50_searched_count, rate.p50_false_alarm_count, rate.p50_injected_count,
                    rate.p50_found_counts, rate.p50_median_delays),
                   (rate.p99_searched_count, rate.p99_false_alarm_count, rate.p99_injected_count,
                    rate.p99_found_counts, rate.p99_median_delays),
                   (rate.tail_searched_count, rate.tail_false_alarm_count, rate.tail_injected_count,
                    rate.tail_found_counts, rate.tail_median_delays),
                   rate.case_count, rate.false_case_count, rate.found_case_counts, rate.untold_case_count)
                      as "counts!: ClassCounts"
           from error_rate as rate
           join machine_error_rate as of_machine
               on of_machine.project_id = rate.project_id and of_machine.machine_id = rate.machine_id
           join transport on transport.transport_id = rate.transport_id
           where rate.project_id = $1 and of_machine.least_change is not distinct from $2
           order by transport.slug, rate.scenario"#,
        project_id,
        least_change,
    )
    .fetch_all(pool)
    .await
}
