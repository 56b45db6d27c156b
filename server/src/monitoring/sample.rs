//! Values read on each request: connections, queues and database statistics. If the database does not answer,
//! `database_up` is 0 and its statistics are missing.

use crate::AppState;
use crate::metrics::{Labels, PREFIX};
use chrono::Utc;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use roundtrip_storage::{analysis, installation, schema, task};
use std::time::Duration;

/// The timeout for the database. Metrics are usually scraped every few seconds.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(3);

struct DatabaseSample {
    bytes: i64,
    runs_lost: i64,
    waiting: analysis::Waiting,
    tasks: Vec<task::State>,
}

/// All metrics as text.
pub(super) async fn text(state: &AppState) -> Result<String, std::fmt::Error> {
    let mut sampled = Registry::with_prefix(PREFIX);
    sample_process(&mut sampled, state);
    let sample = tokio::time::timeout(DATABASE_TIMEOUT, read_database(state)).await;
    let sample = sample.ok().and_then(Result::ok);
    gauge(&mut sampled, "database_up", "Whether the database answers", i64::from(sample.is_some()));
    if let Some(sample) = sample {
        sample_database(&mut sampled, sample);
    }
    let mut text = String::new();
    encode_registry(&mut text, &state.metrics.registry)?;
    encode_registry(&mut text, &sampled)?;
    encode_eof(&mut text)?;
    Ok(text)
}

fn sample_process(registry: &mut Registry, state: &AppState) {
    let connections = Family::<Labels<1>, Gauge>::default();
    let idle = i64::try_from(state.pool.num_idle()).unwrap_or(i64::MAX);
    let all = i64::from(state.pool.size());
    connections.get_or_create(&[("state", "idle".into())]).set(idle);
    connections.get_or_create(&[("state", "in_use".into())]).set((all - idle).max(0));
    registry.register("database_connections", "Connections to the database", connections);
    let max = i64::from(state.pool.options().get_max_connections());
    gauge(registry, "database_connections_max", "Maximum number of connections", max);
    let load = state.ingest.memory().load();
    let help = "Memory for uploads in progress, as estimated";
    gauge(registry, "upload_memory_bytes", help, load.bytes);
    let help = "Limit for the memory of uploads in progress; more wait, then are rejected";
    gauge(registry, "upload_memory_bytes_max", help, load.bytes_max);
    let help = "Uploads being decompressed and parsed";
    gauge(registry, "uploads_parsing", help, load.parsing);
}

fn sample_database(registry: &mut Registry, sample: DatabaseSample) {
    gauge(registry, "database_size_bytes", "Size of all tables and indexes", sample.bytes);
    let help = "Acknowledged runs missing from the database; must be 0";
    gauge(registry, "runs_lost", help, sample.runs_lost);
    let help = "Runs waiting for change detection";
    gauge(registry, "analysis_runs_waiting", help, sample.waiting.run_count);
    let help = "Waiting time of the oldest run";
    gauge(registry, "analysis_lag_seconds", help, sample.waiting.seconds);
    let (lags, failures) = (Family::<Labels<1>, Gauge>::default(), Family::<Labels<1>, Gauge>::default());
    for task in sample.tasks {
        let lag_seconds = (Utc::now() - task.due_at).num_seconds().max(0);
        let labels = [("task", task.name.into())];
        lags.get_or_create(&labels).set(lag_seconds);
        failures.get_or_create(&labels).set(i64::from(task.has_failed));
    }
    registry.register("task_lag_seconds", "How long a background task is overdue", lags);
    registry.register("task_failed", "Whether the last run of a background task failed", failures);
}

async fn read_database(state: &AppState) -> sqlx::Result<DatabaseSample> {
    Ok(DatabaseSample {
        bytes: schema::database_bytes(&state.pool).await?,
        runs_lost: installation::lost_run_count(&state.pool).await?,
        waiting: analysis::waiting(&state.pool).await?,
        tasks: task::states(&state.pool).await?,
    })
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: i64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}
