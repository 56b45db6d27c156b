//! Writes synthetic history with `copy`, which is faster than the many small statements of uploads.

use super::copy::Rows;
use super::point::{self, Numbers, Placement};
use super::project::{self, OrderLock};
use super::run::Key;
use crate::access::Visibility;
use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::{PgConnection, PgPool};

/// A synthetic run.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table run, described there")]
pub struct Run {
    pub key: Key,
    pub commit_ordinal: i64,
    pub preset: String,
    pub suite_version: String,
    pub build: String,
    pub order_seed: String,
    pub started_at: DateTime<Utc>,
    pub finished_at: DateTime<Utc>,
}

/// Some runs with all their rows.
#[derive(Debug, Default)]
pub struct Batch {
    runs: Rows,
    results: Rows,
    points: point::Rows,
}

impl Batch {
    /// Adds a run and its points, each with its series.
    pub fn push(&mut self, run: &Run, points: &[(i64, Numbers)]) {
        let placement = Placement {
            key: run.key,
            commit_ordinal: run.commit_ordinal,
            work_tree_modified: false,
            mainline: true,
            measured_at: run.started_at,
        };
        self.push_run(run, points.len());
        self.push_results(run, points);
        for (series_id, numbers) in points {
            self.points.push(placement, *series_id, numbers);
        }
    }

    /// How many points there are.
    pub fn point_count(&self) -> u64 {
        self.points.points.count()
    }

    /// The number of points with a histogram.
    pub fn histogram_count(&self) -> u64 {
        self.points.histograms.count()
    }

    /// Writes all rows.
    pub async fn store(self, connection: &mut PgConnection) -> sqlx::Result<()> {
        let run =
            "copy run (run_id, project_id, machine_id, environment_id, commit_id, work_tree_modified, preset,
                suite_version, build, order_seed, conditions, canaries, started_at, finished_at, received_at,
                result_count, point_count, unsupported_count, failure_count, body_sha256, upload_pruned_at)
            from stdin (format binary)";
        let result = "copy run_result (machine_id, run_id, series_ids, outcomes) from stdin (format binary)";
        self.runs.store(connection, run).await?;
        self.results.store(connection, result).await?;
        self.points.store(connection).await
    }

    fn push_run(&mut self, run: &Run, point_count: usize) {
        let count = i32::try_from(point_count).unwrap_or(i32::MAX);
        // Synthetic runs have no body.
        let body_sha256: &[u8] = &[];
        self.runs.push(&[
            &run.key.run_id,
            &run.key.project_id,
            &run.key.machine_id,
            &run.key.environment_id,
            &run.key.commit_id,
            &false,
            &run.preset,
            &run.suite_version,
            &run.build,
            &run.order_seed,
            &json!({}),
            &json!([]),
            &run.started_at,
            &run.finished_at,
            &run.finished_at,
            &count,
            &count,
            &0_i32,
            &0_i32,
            &body_sha256,
            &run.finished_at,
        ]);
    }

    fn push_results(&mut self, run: &Run, points: &[(i64, Numbers)]) {
        let series_ids: Vec<i64> = points.iter().map(|(series_id, _)| *series_id).collect();
        let nothing = json!({"counters": {}, "facts": {}, "failures": [], "unsupported": null});
        let outcomes = json!(vec![nothing; points.len()]);
        self.results.push(&[&run.key.machine_id, &run.key.run_id, &series_ids, &outcomes]);
    }
}

/// The key of a project without runs, inserted if new; none if it has runs.
pub async fn claim(connection: &mut PgConnection, slug: &str) -> sqlx::Result<Option<i64>> {
    let project_id = project::upsert(connection, slug, Visibility::Public, None).await?;
    // Blocks uploads meanwhile.
    project::lock_order(connection, project_id, OrderLock::Exclusive).await?;
    let has_runs = sqlx::query_scalar!(
        r#"select exists (select from run where project_id = $1) as "exist!""#,
        project_id
    )
    .fetch_one(connection)
    .await?;
    Ok((!has_runs).then_some(project_id))
}

/// Updates the visibility map and statistics, as after a while of normal use.
pub async fn vacuum(pool: &PgPool) -> sqlx::Result<()> {
    for statement in [
        "vacuum (analyze) project, machine, environment, transport, measured_case, methodology, series, commit, run, project_machine, run_result",
        "vacuum (analyze) point, point_histogram",
    ] {
        sqlx::query(statement).execute(pool).await?;
    }
    Ok(())
}
