//! OpenTelemetry traces, if the standard variables name a collector: a span for each request, within the client's
//! trace (W3C `traceparent`), and one for each of its SQL statements. Without these variables, a request costs one
//! comparison.

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

/// The target of trace spans. The log has its own spans.
pub const TARGET: &str = "roundtrip_server::traces";
/// The log target of sqlx's statements.
const STATEMENTS: &str = "sqlx::query";
/// The default service name, without `OTEL_SERVICE_NAME`.
const SERVICE: &str = "roundtrip-server";
/// The timeout for sending the last spans.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The exporter of spans. Dropping it sends the last ones.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Starts to export spans, if the environment names a collector.
    ///
    /// # Errors
    /// The address is invalid.
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

    /// The tracing layer that creates spans.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let tracer = self.provider.tracer(SERVICE);
        let spans = tracing_opentelemetry::layer().with_tracer(tracer.clone());
        let statements = statements::Statements::new(tracer);
        let of_spans = Targets::new().with_target(TARGET, LevelFilter::INFO);
        // The filter hides other spans from the layer.
        let of_statements = of_spans.clone().with_target(STATEMENTS, LevelFilter::DEBUG);
        spans.with_filter(of_spans).and_then(statements.with_filter(of_statements))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(error.cause = %error, "cannot send the last traces to the collector");
        }
    }
}

/// Whether an event or span belongs in the log.
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
    fn traces_require_a_collector() {
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
