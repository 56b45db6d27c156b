//! What is read when somebody asks: connections, what waits, and what the database says of itself. When it does not answer,
//! what it says is missing, and that it does not answer is told.

use crate::AppState;
use crate::metrics::PREFIX;
use chrono::Utc;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use roundtrip_storage::{analysis, installation, schema, task};
use std::time::Duration;

/// How long the database may take: whoever asks does so every few seconds.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TaskLabels {
    task: String,
}

/// What the database says of itself.
struct Told {
    bytes: i64,
    runs_lost: i64,
    waiting: analysis::Waiting,
    tasks: Vec<task::State>,
}

/// All metrics as text.
pub(super) async fn text(state: &AppState) -> Result<String, std::fmt::Error> {
    let mut sampled = Registry::with_prefix(PREFIX);
    sample_process(&mut sampled, state);
    let told = tokio::time::timeout(DATABASE_TIMEOUT, ask(state)).await;
    let told = told.ok().and_then(Result::ok);
    gauge(&mut sampled, "database_up", "Whether the database answers", i64::from(told.is_some()));
    if let Some(told) = told {
        sample_database(&mut sampled, told);
    }
    let mut text = String::new();
    encode_registry(&mut text, &state.metrics.registry)?;
    encode_registry(&mut text, &sampled)?;
    encode_eof(&mut text)?;
    Ok(text)
}

fn sample_process(registry: &mut Registry, state: &AppState) {
    let connections = Family::<StateLabels, Gauge>::default();
    let idle = i64::try_from(state.pool.num_idle()).unwrap_or(i64::MAX);
    let all = i64::from(state.pool.size());
    connections.get_or_create(&StateLabels { state: "idle" }).set(idle);
    connections.get_or_create(&StateLabels { state: "in_use" }).set((all - idle).max(0));
    registry.register("database_connections", "Connections to the database", connections);
    let max = i64::from(state.pool.options().get_max_connections());
    gauge(registry, "database_connections_max", "Most connections at a time", max);
    let queue = state.ingest.admission().queue();
    let help = "Bytes of uploads that are being taken in";
    gauge(registry, "upload_queue_bytes", help, queue.bytes);
    gauge(registry, "upload_queue_bytes_max", "Uploads beyond are turned away", queue.bytes_max);
    let help = "Uploads that are being inflated and parsed";
    gauge(registry, "uploads_parsing", help, queue.parsing);
}

fn sample_database(registry: &mut Registry, told: Told) {
    gauge(registry, "database_size_bytes", "Bytes of all tables and indexes", told.bytes);
    let help = "Runs that were acknowledged to agents and are not stored: must be 0";
    gauge(registry, "runs_lost", help, told.runs_lost);
    let help = "Runs that were not searched for changes yet";
    gauge(registry, "analysis_runs_waiting", help, told.waiting.run_count);
    let help = "How long the first of them has been waiting";
    gauge(registry, "analysis_lag_seconds", help, told.waiting.seconds);
    let (lags, failures) = (Family::<TaskLabels, Gauge>::default(), Family::<TaskLabels, Gauge>::default());
    for task in told.tasks {
        let lag_seconds = (Utc::now() - task.due_at).num_seconds().max(0);
        let labels = TaskLabels { task: task.name };
        lags.get_or_create(&labels).set(lag_seconds);
        failures.get_or_create(&labels).set(i64::from(task.has_failed));
    }
    registry.register("task_lag_seconds", "How long background work has been due", lags);
    registry.register("task_failed", "Whether background work failed the last time", failures);
}

async fn ask(state: &AppState) -> sqlx::Result<Told> {
    Ok(Told {
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
