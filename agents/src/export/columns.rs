//! [`COLUMNS`]: the columns of the file. Names are those of the API, with the unit last; nested names are joined.

use super::point::{Point, Row};
use chrono::{DateTime, Utc};
use roundtrip_wire::measure::{Better, Measure};
use roundtrip_wire::{Case, Slug};

/// A column.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) value: Value,
}

/// The type of a column, and its value in a row; `None` is null.
pub(super) enum Value {
    Text(fn(&Row) -> Option<String>),
    Whole(fn(&Row) -> Option<i64>),
    Real(fn(&Row) -> Option<f64>),
    Flag(fn(&Row) -> Option<bool>),
    /// In UTC.
    Time(fn(&Row) -> Option<DateTime<Utc>>),
}

use Value::{Flag, Real, Text, Time, Whole};

const fn column(name: &'static str, value: Value) -> Column {
    Column { name, value }
}

/// Missing values of old servers, and of reports, are null.
#[rustfmt::skip]
pub(super) const COLUMNS: &[Column] = &[
    column("series_id",                Whole(|row| row.series.series_id)),
    column("project",                  Text(|row| text(&row.series.project))),
    column("machine",                  Text(|row| text(&row.series.machine))),
    column("transport",                Text(|row| text(&row.series.transport.slug))),
    column("family",                   Text(|row| text(&row.series.transport.family))),
    column("control",                  Flag(|row| Some(row.series.transport.control))),
    // The case.
    column("scenario",                 Text(|row| text(&row.case().scenario))),
    column("message_bytes",            Whole(|row| whole(row.case().message_bytes))),
    column("total_bytes",              Whole(|row| row.case().total_bytes.and_then(whole))),
    column("peers",                    Whole(|row| whole(row.case().peers))),
    column("mode",                     Text(|row| text(&row.case().mode))),
    column("placement",                Text(|row| text(&row.case().placement))),
    column("buffer_bytes",             Whole(|row| row.case().buffer_bytes.and_then(whole))),
    column("rate_per_second",          Whole(|row| row.case().rate_per_second.and_then(whole))),
    column("size_profile",             Text(|row| row.case().size_profile.as_ref().and_then(text))),
    column("senders",                  Whole(|row| row.case().senders.and_then(whole))),
    column("messages",                 Whole(|row| row.case().messages.and_then(whole))),
    column("variant",                  Text(|row| row.case().variant.as_ref().and_then(text))),
    column("benchmark",                Text(|row| row.case().benchmark.clone())),
    column("operations",               Whole(|row| row.case().operations.and_then(whole))),
    column("measure",                  Text(|row| Some(row.measure()?.name.clone()))),
    // The methodology.
    column("protocol_version",         Whole(|row| whole(row.series.methodology.protocol_version))),
    column("send",                     Text(|row| text(&row.series.methodology.send))),
    column("receive",                  Text(|row| text(&row.series.methodology.receive))),
    column("on_full",                  Text(|row| text(&row.series.methodology.on_full))),
    column("window",                   Whole(|row| whole(row.series.methodology.window))),
    column("batch",                    Whole(|row| whole(row.series.methodology.batch))),
    column("clock",                    Text(|row| text(&row.series.methodology.clock))),
    column("warmup",                   Whole(|row| whole(row.series.methodology.warmup))),
    column("payload",                  Text(|row| Some(row.series.methodology.payload.clone()))),
    column("storage",                  Text(|row| text(&row.series.methodology.storage))),
    column("discarded_repetitions",    Whole(|row| row.series.methodology.discarded_repetitions.and_then(whole))),
    column("probe",                    Text(|row| row.series.methodology.probe.as_ref().and_then(text))),
    column("wake",                     Text(|row| row.series.methodology.wake.as_ref().and_then(text))),
    column("parts",                    Whole(|row| row.series.methodology.parts.and_then(whole))),
    column("statistic",                Text(|row| row.series.methodology.statistic.as_ref().and_then(text))),
    // The run.
    column("commit_ordinal",           Whole(|row| row.point.commit_ordinal)),
    column("commit_sha",               Text(|row| row.point.commit_sha.clone())),
    column("committed_at",             Time(|row| row.committed_at)),
    column("run_id",                   Text(|row| Some(row.point.run_id.clone()))),
    column("measured_at",              Time(|row| Some(row.point.measured_at))),
    column("environment_id",           Whole(|row| row.point.environment_id)),
    column("work_tree_modified",       Flag(|row| Some(row.point.work_tree_modified))),
    // The main value.
    column("value",                    Real(Row::value)),
    column("unit",                     Text(|row| Some(unit(row).to_owned()))),
    column("better",                   Text(|row| Some(better(row.case()).to_owned()))),
    // All values.
    column("latency_ns_min",           Whole(|row| row.point.latency_ns.map(|all| all.min).or(row.point.min_ns))),
    column("latency_ns_p25",           Whole(|row| row.point.quantile(|all| all.p25, 250_000))),
    column("latency_ns_p50",           Whole(|row| row.point.quantile(|all| all.p50, 500_000))),
    column("latency_ns_p75",           Whole(|row| row.point.quantile(|all| all.p75, 750_000))),
    column("latency_ns_p90",           Whole(|row| row.point.quantile(|all| all.p90, 900_000))),
    column("latency_ns_p98",           Whole(|row| row.point.quantile(|all| all.p98, 980_000))),
    column("latency_ns_p99",           Whole(|row| row.point.quantile(|all| all.p99, 990_000))),
    column("latency_ns_p999",          Whole(|row| row.point.quantile(|all| all.p999, 999_000))),
    column("latency_ns_max",           Whole(|row| row.point.latency_ns.map(|all| all.max).or(row.point.max_ns))),
    column("sum_ns",                   Whole(|row| row.point.sum_ns)),
    column("count",                    Whole(|row| row.point.count)),
    column("repetition_count",         Whole(|row| row.point.repetition_count)),
    column("failure_count",            Whole(|row| row.point.failure_count)),
    column("disturbed_count",          Whole(|row| row.point.disturbed_count)),
    column("repetition_p50_ns_q1",     Whole(|row| Some(row.point.repetition_p50_ns?.q1))),
    column("repetition_p50_ns_median", Whole(|row| Some(row.point.repetition_p50_ns?.median))),
    column("repetition_p50_ns_q3",     Whole(|row| Some(row.point.repetition_p50_ns?.q3))),
    column("bytes_per_second",         Whole(|row| row.point.bytes_per_second)),
    column("attempted",                Whole(|row| row.point.attempted)),
    column("accepted",                 Whole(|row| row.point.accepted)),
    column("delivered",                Whole(|row| row.point.delivered)),
    column("lossy",                    Flag(|row| row.point.lossy)),
    column("center_ns",                Whole(|row| row.point.center_ns)),
    column("low_ns",                   Whole(|row| row.point.low_ns)),
    column("high_ns",                  Whole(|row| row.point.high_ns)),
    column("stated_quantiles",         Text(|row| stated_quantiles(&row.point))),
];

impl Row {
    fn case(&self) -> &Case {
        &self.series.case
    }

    fn measure(&self) -> Option<&Measure> {
        self.series.case.measure.as_ref()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "columns are optional")]
fn text(slug: &Slug) -> Option<String> {
    Some(slug.as_str().to_owned())
}

fn unit(row: &Row) -> &str {
    row.measure().map_or("ns", |measure| &measure.unit)
}

fn better(case: &Case) -> &'static str {
    match case.better() {
        Better::Lower => "lower",
        Better::Higher => "higher",
    }
}

/// The server stores no larger numbers.
fn whole(number: impl TryInto<i64>) -> Option<i64> {
    number.try_into().ok()
}

/// All of them, as JSON: a tool may state others than those with a column.
fn stated_quantiles(point: &Point) -> Option<String> {
    if point.quantiles.is_empty() { None } else { serde_json::to_string(&point.quantiles).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_lists_each_column() {
        let guide = include_str!("../../../docs/how-to/notebooks.md");
        for Column { name, .. } in COLUMNS {
            assert!(guide.contains(&format!("`{name}`")), "docs/how-to/notebooks.md lacks `{name}`");
        }
    }
}
