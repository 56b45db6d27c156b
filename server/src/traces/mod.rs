//! Traces by OpenTelemetry, when its standard variables name a collector: a span for each request, within the trace that the
//! client began (W3C `traceparent`), and one for each SQL statement in it. Without these variables none of it exists, and a
//! request pays for one comparison.

mod exporter;
mod requests;
mod statements;

use opentelemetry::global;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
pub(crate) use requests::observe;
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// Where spans for traces come from. They are not for the log, which has its own.
pub const TARGET: &str = "roundtrip_server::traces";
/// Where sqlx tells of statements.
const STATEMENTS: &str = "sqlx::query";
/// The name of the service, unless `OTEL_SERVICE_NAME` says another.
const SERVICE: &str = "roundtrip-server";
/// How long the last spans may take on their way.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Spans on their way to a collector. Dropping it sends the last of them.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Begins to send spans, if the environment names a collector.
    ///
    /// # Errors
    /// The address is none.
    pub fn start() -> Result<Option<Self>, opentelemetry_otlp::ExporterBuildError> {
        if !is_wanted(|name| std::env::var(name).ok()) {
            return Ok(None);
        }
        let exporter =
            SpanExporter::builder().with_http().with_http_client(exporter::Client::default()).build()?;
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name(SERVICE);
        }
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build())
            .build();
        global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Some(Self { provider }))
    }

    /// What makes spans out of what happens.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let tracer = self.provider.tracer(SERVICE);
        let spans = tracing_opentelemetry::layer().with_tracer(tracer.clone());
        let statements = statements::Statements::new(tracer);
        let of_spans = Targets::new().with_target(TARGET, LevelFilter::INFO);
        // A layer is shown no span that its filter keeps from it.
        let of_statements = of_spans.clone().with_target(STATEMENTS, LevelFilter::DEBUG);
        spans.with_filter(of_spans).and_then(statements.with_filter(of_statements))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(error.cause = %error, "the last traces did not reach their collector");
        }
    }
}

/// Whether something belongs into the log.
pub fn is_for_the_log(metadata: &Metadata<'_>) -> bool {
    metadata.target() != TARGET
}

fn is_wanted(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is =
        |name: &str, wanted: &str| variable(name).is_some_and(|value| value.eq_ignore_ascii_case(wanted));
    (is_set("OTEL_EXPORTER_OTLP_ENDPOINT") || is_set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
        && !is("OTEL_SDK_DISABLED", "true")
        && !is("OTEL_TRACES_EXPORTER", "none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_wanted_when_a_collector_is_named_and_nothing_speaks_against_it() {
        let wanted = |variables: &[(&str, &str)]| {
            is_wanted(|name| {
                let found = variables.iter().find(|(given, _)| *given == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        assert!(wanted(&[endpoint]));
        assert!(wanted(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:4318/v1/traces")]));
        assert!(!wanted(&[]));
        assert!(!wanted(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]));
        assert!(!wanted(&[endpoint, ("OTEL_SDK_DISABLED", "true")]));
        assert!(!wanted(&[endpoint, ("OTEL_TRACES_EXPORTER", "none")]));
    }
}
