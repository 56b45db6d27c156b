//! Writing synthetic history, fast: what uploads write in many small statements goes through `copy` here.

use super::copy::Rows;
use super::project::{self, OrderLock};
use super::run::Key;
use crate::access::Visibility;
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// A run of synthetic history.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table run, described there")]
pub struct Run {
    pub key: Key,
    pub commit_ordinal: i64,
    pub preset: String,
    pub suite_version: String,
    pub build: String,
    pub order_seed: String,
    pub conditions: String,
    pub canaries: String,
    pub started_at: DateTime<Utc>,
    pub finished_at: DateTime<Utc>,
}

/// A point of synthetic history.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the columns of table point, described there")]
pub struct Point {
    pub lossy: bool,
    pub disturbed_count: i32,
    pub operation_count: i64,
    pub attempted: i64,
    pub delivered: i64,
    pub latency_ns_sum: i64,
    pub latency_ns_min: i64,
    pub latency_ns_p25: i64,
    pub latency_ns_p50: i64,
    pub latency_ns_p75: i64,
    pub latency_ns_p90: i64,
    pub latency_ns_p98: i64,
    pub latency_ns_p99: i64,
    pub latency_ns_p999: i64,
    pub latency_ns_max: i64,
    pub repetition_p50_ns_q1: i64,
    pub repetition_p50_ns_median: i64,
    pub repetition_p50_ns_q3: i64,
    pub throughput_bytes_per_second: Option<i64>,
    pub repetition_p50_ns: Vec<i64>,
    pub repetition_p90_ns: Vec<i64>,
    pub repetition_p99_ns: Vec<i64>,
    /// The merged distribution, where it is kept.
    pub histogram: Option<Vec<u8>>,
}

/// Some runs with all that is of them.
#[derive(Debug, Default)]
pub struct Batch {
    runs: Rows,
    results: Rows,
    points: Rows,
    histograms: Rows,
}

impl Batch {
    /// Adds a run and its points, each with its series.
    pub fn push(&mut self, run: &Run, points: &[(i64, Point)]) {
        self.push_run(run, points.len());
        self.push_results(run, points);
        for (series_id, point) in points {
            self.push_point(run, *series_id, point);
            if let Some(histogram) = &point.histogram {
                self.histograms.push(|row| {
                    row.bigint(run.key.machine_id);
                    row.bigint(*series_id);
                    row.uuid(run.key.run_id);
                    row.bytea(histogram);
                });
            }
        }
    }

    /// How many points there are.
    pub fn point_count(&self) -> u64 {
        self.points.count()
    }

    /// How many of them have a histogram.
    pub fn histogram_count(&self) -> u64 {
        self.histograms.count()
    }

    /// Writes it.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn store(self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let run =
            "copy run (run_id, project_id, machine_id, environment_id, commit_id, work_tree_modified, preset,
                suite_version, build, order_seed, conditions, canaries, started_at, finished_at, received_at,
                result_count, point_count, unsupported_count, failure_count, body_sha256, upload_pruned_at)
            from stdin (format binary)";
        let result = "copy run_result (machine_id, run_id, series_ids, outcomes) from stdin (format binary)";
        let point =
            "copy point (machine_id, series_id, commit_ordinal, run_id, commit_id, environment_id, work_tree_modified,
                lossy, repetition_count, failure_count, disturbed_count, operation_count, attempted, accepted, delivered,
                latency_ns_sum, latency_ns_min, latency_ns_p25, latency_ns_p50, latency_ns_p75, latency_ns_p90,
                latency_ns_p98, latency_ns_p99, latency_ns_p999, latency_ns_max, repetition_p50_ns_q1,
                repetition_p50_ns_median, repetition_p50_ns_q3, throughput_bytes_per_second, measured_at, mainline,
                repetition_p50_ns, repetition_p90_ns, repetition_p99_ns)
            from stdin (format binary)";
        let histogram =
            "copy point_histogram (machine_id, series_id, run_id, histogram) from stdin (format binary)";
        self.runs.store(connection, run).await?;
        self.results.store(connection, result).await?;
        self.points.store(connection, point).await?;
        self.histograms.store(connection, histogram).await
    }

    fn push_run(&mut self, run: &Run, point_count: usize) {
        let count = i32::try_from(point_count).unwrap_or(i32::MAX);
        self.runs.push(|row| {
            row.uuid(run.key.run_id);
            row.bigint(run.key.project_id);
            row.bigint(run.key.machine_id);
            row.bigint(run.key.environment_id);
            row.bigint(run.key.commit_id);
            row.boolean(false);
            row.text(&run.preset);
            row.text(&run.suite_version);
            row.text(&run.build);
            row.text(&run.order_seed);
            row.jsonb(&run.conditions);
            row.jsonb(&run.canaries);
            row.timestamptz(run.started_at);
            row.timestamptz(run.finished_at);
            row.timestamptz(run.finished_at);
            row.integer(count);
            row.integer(count);
            row.integer(0);
            row.integer(0);
            // There never was a body.
            row.bytea(&[]);
            row.timestamptz(run.finished_at);
        });
    }

    fn push_results(&mut self, run: &Run, points: &[(i64, Point)]) {
        let series_ids: Vec<i64> = points.iter().map(|(series_id, _)| *series_id).collect();
        let nothing = r#"{"counters": {}, "facts": {}, "failures": [], "unsupported": null}"#;
        let outcomes = format!("[{}]", vec![nothing; points.len()].join(","));
        self.results.push(|row| {
            row.bigint(run.key.machine_id);
            row.uuid(run.key.run_id);
            row.bigints(&series_ids);
            row.jsonb(&outcomes);
        });
    }

    fn push_point(&mut self, run: &Run, series_id: i64, point: &Point) {
        self.points.push(|row| {
            row.bigint(run.key.machine_id);
            row.bigint(series_id);
            row.bigint(run.commit_ordinal);
            row.uuid(run.key.run_id);
            row.bigint(run.key.commit_id);
            row.bigint(run.key.environment_id);
            row.boolean(false);
            row.boolean(point.lossy);
            row.integer(i32::try_from(point.repetition_p50_ns.len()).unwrap_or(i32::MAX));
            row.integer(0);
            row.integer(point.disturbed_count);
            for value in [
                point.operation_count,
                point.attempted,
                point.attempted,
                point.delivered,
                point.latency_ns_sum,
                point.latency_ns_min,
                point.latency_ns_p25,
                point.latency_ns_p50,
                point.latency_ns_p75,
                point.latency_ns_p90,
                point.latency_ns_p98,
                point.latency_ns_p99,
                point.latency_ns_p999,
                point.latency_ns_max,
                point.repetition_p50_ns_q1,
                point.repetition_p50_ns_median,
                point.repetition_p50_ns_q3,
            ] {
                row.bigint(value);
            }
            row.bigint_or_null(point.throughput_bytes_per_second);
            row.timestamptz(run.started_at);
            row.boolean(true);
            row.bigints(&point.repetition_p50_ns);
            row.bigints(&point.repetition_p90_ns);
            row.bigints(&point.repetition_p99_ns);
        });
    }
}

/// The key of a project without runs, made when it is new; none when it has runs.
///
/// # Errors
/// The database does not answer.
pub async fn claim(connection: &mut PgConnection, slug: &str) -> sqlx::Result<Option<i64>> {
    let project_id = project::upsert(connection, slug, Visibility::Public, None).await?;
    // No upload comes in between.
    project::lock_order(connection, project_id, OrderLock::Exclusive).await?;
    let has_runs = sqlx::query_scalar!(
        r#"select exists (select from run where project_id = $1) as "exist!""#,
        project_id
    )
    .fetch_one(connection)
    .await?;
    Ok((!has_runs).then_some(project_id))
}

/// Leaves the tables as they are after a while of ordinary use: visible to all, with statistics.
///
/// # Errors
/// The database does not answer.
pub async fn vacuum(pool: &PgPool) -> sqlx::Result<()> {
    for statement in [
        "vacuum (analyze) project, machine, environment, transport, measured_case, methodology, series, commit, run, project_machine, run_result",
        "vacuum (analyze) point, point_histogram",
    ] {
        sqlx::query(statement).execute(pool).await?;
    }
    Ok(())
}
