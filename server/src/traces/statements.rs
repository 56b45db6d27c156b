//! A span for each SQL statement, from sqlx's log event with its duration. Parameters are not included.

use opentelemetry::KeyValue;
use opentelemetry::trace::{Span, SpanBuilder, SpanKind, TraceContextExt, Tracer};
use opentelemetry_sdk::trace::SdkTracer;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};
use tracing::dispatcher::WeakDispatch;
use tracing::field::{Field, Visit};
use tracing::{Dispatch, Event, Subscriber};
use tracing_opentelemetry::get_otel_context;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// A layer that creates spans for statements.
pub(super) struct Statements {
    tracer: SdkTracer,
    /// Used to find the span of the request.
    dispatch: OnceLock<WeakDispatch>,
}

/// The fields of sqlx's log event.
#[derive(Default)]
struct StatementEvent {
    summary: String,
    /// Empty if it is no longer than its summary.
    statement: String,
    elapsed: Duration,
    rows_returned: i64,
}

impl Statements {
    pub(super) fn new(tracer: SdkTracer) -> Self {
        Self { tracer, dispatch: OnceLock::new() }
    }
}

impl<S> Layer<S> for Statements
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn on_register_dispatch(&self, dispatch: &Dispatch) {
        let _ = self.dispatch.set(dispatch.downgrade());
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let ended = SystemTime::now();
        let parent = context.event_scope(event).and_then(|mut scope| {
            let dispatch = self.dispatch.get()?.upgrade()?;
            scope.find_map(|span| get_otel_context(&span.id(), &dispatch))
        });
        // Statements outside requests, such as polling for work, are not traced.
        let Some(parent) = parent.filter(TraceContextExt::has_active_span) else { return };
        let mut fields = StatementEvent::default();
        event.record(&mut fields);
        let Some(started) = ended.checked_sub(fields.elapsed) else { return };
        let statement = if fields.statement.is_empty() { fields.summary } else { fields.statement };
        let builder = SpanBuilder::from_name(name(&statement)).with_kind(SpanKind::Client);
        let builder = builder.with_start_time(started).with_attributes([
            KeyValue::new("db.system.name", "postgresql"),
            KeyValue::new("db.query.text", statement.split_whitespace().collect::<Vec<_>>().join(" ")),
            KeyValue::new("db.response.returned_rows", fields.rows_returned),
        ]);
        self.tracer.build_with_context(builder, &parent).end_with_timestamp(ended);
    }
}

impl Visit for StatementEvent {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.statement),
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.elapsed = Duration::try_from_secs_f64(value).unwrap_or_default();
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows_returned" {
            self.rows_returned = i64::try_from(value).unwrap_or(i64::MAX);
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn std::fmt::Debug) {}
}

/// The operation and table of a statement: `select point`, `insert run`. A table outside of parentheses takes
/// precedence.
fn name(statement: &str) -> String {
    let is_table = |word: &str| {
        !word.is_empty()
            && word != "select"
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let (mut depth, mut tables) = (0, Vec::new());
    let mut words = statement.split_whitespace().peekable();
    let verb = words.peek().map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    while let Some(word) = words.next() {
        if matches!(word.trim_start_matches('('), "from" | "into" | "update" | "join") {
            let table = words.peek().map(|word| word.trim_matches(['(', ')', ',']));
            tables.extend(table.filter(|word| is_table(word)).map(|table| (depth, table)));
        }
        let opened = word.matches('(').count();
        depth = (depth + opened).saturating_sub(word.matches(')').count());
    }
    match tables.iter().min_by_key(|(depth, _)| *depth) {
        Some((_, table)) => format!("{verb} {table}"),
        None => verb,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_statements_by_operation_and_table() {
        for (statement, named) in [
            ("select slug from project where project_id = $1", "select project"),
            ("insert into run (run_id)\n values ($1)", "insert run"),
            ("update commit set ordinal = $1", "update commit"),
            ("delete from point_histogram using unnest($1::uuid[]) as old", "delete point_histogram"),
            ("select series_id from unnest($1::bigint[]) as wanted join point on true", "select point"),
            ("select exists (select from token)", "select token"),
            ("select slug, (select count(*) from run) as \"runs!\" from project", "select project"),
            ("select pg_try_advisory_lock($1)", "select"),
            ("", ""),
        ] {
            assert_eq!(name(statement), named, "{statement}");
        }
    }
}
