//! A span for each SQL statement, made when it has ended: sqlx tells of it with the time that it took. Its parameters are
//! not told, only their places.

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

/// Makes the spans.
pub(super) struct Statements {
    tracer: SdkTracer,
    /// Where the span of the request is found.
    dispatch: OnceLock<WeakDispatch>,
}

/// What sqlx tells of a statement.
#[derive(Default)]
struct Told {
    summary: String,
    /// Empty when it is no longer than its summary.
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
        // Statements of no request, such as those that look whether there is something to do, are no part of a trace.
        let Some(parent) = parent.filter(TraceContextExt::has_active_span) else { return };
        let mut told = Told::default();
        event.record(&mut told);
        let Some(started) = ended.checked_sub(told.elapsed) else { return };
        let statement = if told.statement.is_empty() { told.summary } else { told.statement };
        let builder = SpanBuilder::from_name(name(&statement)).with_kind(SpanKind::Client);
        let builder = builder.with_start_time(started).with_attributes([
            KeyValue::new("db.system.name", "postgresql"),
            KeyValue::new("db.query.text", statement.split_whitespace().collect::<Vec<_>>().join(" ")),
            KeyValue::new("db.response.returned_rows", told.rows_returned),
        ]);
        self.tracer.build_with_context(builder, &parent).end_with_timestamp(ended);
    }
}

impl Visit for Told {
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

/// What a statement does, and to which table: `select point`, `insert run`. A table outside of parentheses comes first.
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
    fn statements_are_named_by_what_they_do_and_to_which_table() {
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
