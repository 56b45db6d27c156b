//! The log: to standard error, one line an event. Standard output belongs to what a verb prints. Beside it traces, when a
//! collector is named.

use crate::cli::LogFormat;
use anyhow::{Context, Result};
use roundtrip_server::traces::{Traces, is_for_the_log};
use std::io::IsTerminal;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// Starts to log, and to trace. `RUST_LOG` chooses what is logged. What is given back is dropped last: it sends the last
/// traces.
///
/// # Errors
/// The address of the collector is none.
pub(crate) fn start(format: LogFormat) -> Result<Option<Traces>> {
    let traces = Traces::start().context("cannot send traces where OTEL_EXPORTER_OTLP_ENDPOINT says")?;
    let subscriber = tracing_subscriber::registry().with(log(format));
    // No list of layers: it would not tell them where they are registered, which traces need to know.
    match &traces {
        Some(traces) => subscriber.with(traces.layer()).init(),
        None => subscriber.init(),
    }
    Ok(traces)
}

fn log(format: LogFormat) -> Box<dyn Layer<Registry> + Send + Sync> {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into());
    // PostgreSQL's notices tell of tables that exist already, at every start.
    let filter = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(chosen) if !chosen.is_empty() => filter.parse_lossy(chosen),
        _ => filter.parse_lossy("info,sqlx::postgres::notice=warn"),
    };
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = match format {
        LogFormat::Text => {
            let has_colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(has_colours).boxed()
        }
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    let is_shown = filter_fn(|metadata| is_for_the_log(metadata) && !tells_addresses(metadata));
    lines.with_filter(filter).with_filter(is_shown).boxed()
}

/// Whether an event is one of the client of HTTP, which tells of every request with its whole address. Whoever knows that of a
/// notification channel can write there.
fn tells_addresses(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    *metadata.level() > Level::INFO && (target.starts_with("ureq::") || target.starts_with("ureq_proto::"))
}
