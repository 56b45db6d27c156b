//! The log on standard error, one line per event, and traces if a collector is configured.

use crate::cli::LogFormat;
use anyhow::{Context, Result};
use roundtrip_server::traces::{Traces, is_for_the_log};
use std::io::IsTerminal;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// Starts logging and tracing. `RUST_LOG` filters the log. Drop the returned guard last, because it sends the last
/// traces.
pub(crate) fn start(format: LogFormat) -> Result<Option<Traces>> {
    let traces = Traces::start().context("cannot send traces to OTEL_EXPORTER_OTLP_ENDPOINT")?;
    let subscriber = tracing_subscriber::registry().with(log(format));
    // Not a list of layers: a list would not call `on_register_dispatch`, which traces need.
    match &traces {
        Some(traces) => subscriber.with(traces.layer()).init(),
        None => subscriber.init(),
    }
    Ok(traces)
}

fn log(format: LogFormat) -> Box<dyn Layer<Registry> + Send + Sync> {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into());
    // PostgreSQL logs a notice about existing tables at every start, and `rmcp` the begin and end of each request.
    let filter = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(chosen) if !chosen.is_empty() => filter.parse_lossy(chosen),
        _ => filter.parse_lossy("info,sqlx::postgres::notice=warn,rmcp=warn"),
    };
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = match format {
        LogFormat::Text => {
            let has_colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(has_colours).boxed()
        }
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    let is_shown = filter_fn(|metadata| is_for_the_log(metadata) && !contains_addresses(metadata));
    lines.with_filter(filter).with_filter(is_shown).boxed()
}

/// Whether an event is from the HTTP client, which logs full addresses. Those of notification channels are secret.
fn contains_addresses(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    *metadata.level() > Level::INFO && (target.starts_with("ureq::") || target.starts_with("ureq_proto::"))
}
