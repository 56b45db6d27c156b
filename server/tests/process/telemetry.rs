//! Telemetry of a running server: metrics on a separate port, a log with request ids, traces.

use crate::fake_github::serve;
use crate::support::{Place, SERVE, Server};
use axum::Router;
use axum::body::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind};
use prost::Message;
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};

/// A client's trace, and the span that sends the request.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

#[test]
fn serves_metrics_only_on_their_port() {
    let place = Place::new();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let server = place.serve_with(&["--metrics", &address]);
    assert_eq!(server.get("/api/v1/projects"), 200);
    let text = crate::support::text(&format!("http://{address}/metrics"));
    let counted = r#"roundtrip_http_requests_total{method="GET",route="/api/v1/projects",status="200"} 1"#;
    assert!(text.contains(counted), "{text}");
    assert!(text.contains("\nroundtrip_database_up 1\n") && text.ends_with("# EOF\n"), "{text}");
    assert!(server.stop().status.success());
}

#[test]
fn logs_the_request_id_in_every_line() {
    let place = Place::new();
    let arguments = [&SERVE[..], &["--log-format", "json"]].concat();
    let server = Server::start(&place.data_dir(), &arguments, &[("RUST_LOG", Path::new("debug"))]);
    let answered_id = |id: &str| {
        let answer = server.call("GET", "/api/v1/projects", &[("x-request-id", id)], "");
        answer.headers()["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(answered_id("lab-3.42"), "lab-3.42");
    let drawn = answered_id("no name; at all");
    assert_eq!((drawn.len(), drawn.contains(' ')), (36, false), "an invalid id is replaced: {drawn}");
    let log = server.stop().errors;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let of_request =
        |id: &str| lines.iter().filter(|line| line["span"]["request.id"] == id).collect::<Vec<_>>();
    for id in ["lab-3.42", &drawn] {
        let statements = of_request(id).into_iter().filter(|line| line["summary"].is_string()).count();
        assert!(statements > 0, "{id}: {log}");
    }
    assert!(lines.iter().all(|line| line["timestamp"].is_string() && line["level"].is_string()), "{log}");
}

#[test]
fn traces_requests_and_statements() {
    let (collector, spans) = collector();
    let place = Place::new();
    let server =
        Server::start(&place.data_dir(), &SERVE, &[("OTEL_EXPORTER_OTLP_ENDPOINT", Path::new(&collector))]);
    let caller = format!("00-{TRACE}-{CALLER}-01");
    let answer = server.call("GET", "/api/v1/projects/nothing", &[("traceparent", &caller)], "");
    assert_eq!(answer.status(), 404);
    assert!(server.stop().status.success());
    // The server sends all spans before it ends.
    let spans: Vec<Span> = spans.try_iter().collect();
    let of_trace: Vec<&Span> = spans.iter().filter(|span| hex::encode(&span.trace_id) == TRACE).collect();
    let request =
        of_trace.iter().find(|span| span.kind == SpanKind::Server as i32).expect("a span of the request");
    assert_eq!(request.name, "GET /api/v1/projects/{project}");
    assert_eq!(hex::encode(&request.parent_span_id), CALLER);
    assert_eq!(attribute(request, "http.response.status_code"), "404");
    let statements: Vec<_> = of_trace.iter().filter(|span| span.kind == SpanKind::Client as i32).collect();
    assert!(statements.iter().any(|span| span.name == "select project"), "{of_trace:?}");
    for statement in statements {
        assert_eq!(statement.parent_span_id, request.span_id);
        assert!(statement.start_time_unix_nano >= request.start_time_unix_nano, "{statement:?}");
        assert!(statement.end_time_unix_nano <= request.end_time_unix_nano, "{statement:?}");
        let text = attribute(statement, "db.query.text");
        assert!(!text.contains("nothing"), "spans contain no parameter values");
    }
}

#[test]
fn unreachable_collector_delays_nothing() {
    let place = Place::new();
    let unreachable = Path::new("http://127.0.0.1:1");
    let server = Server::start(&place.data_dir(), &SERVE, &[("OTEL_EXPORTER_OTLP_ENDPOINT", unreachable)]);
    assert_eq!(server.get("/readyz"), 200);
    assert!(server.stop().status.success());
}

/// A collector that accepts spans until the test ends, and forwards them.
fn collector() -> (String, Receiver<Span>) {
    let (sender, spans) = mpsc::channel();
    // It answers afterwards, so that the server knows that the spans were forwarded.
    let forward = async move |body: Bytes| {
        let request = ExportTraceServiceRequest::decode(body).unwrap();
        let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).for_each(|span| sender.send(span).unwrap());
    };
    (format!("http://{}", serve(Router::new().fallback(forward))), spans)
}

fn attribute(span: &Span, key: &str) -> String {
    use opentelemetry_proto::tonic::common::v1::any_value::Value;
    let found = span.attributes.iter().find(|attribute| attribute.key == key);
    match found.and_then(|attribute| attribute.value.clone()?.value) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => panic!("{key}: {other:?}"),
    }
}
