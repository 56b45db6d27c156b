//! fio, `--output-format=json` or `json+`.
//!
//! The completion latency of a job and direction, `clat_ns`, is a summary of whole nanoseconds, and so is that of its
//! syncs. Its other latencies, bandwidth, operations per second and processor time are measures. A percentile is the
//! bound of a bin, so it can exceed the stated maximum: then it counts as the maximum. Bins and statistics of intervals
//! describe the same operations again, and are ignored. So is `disk_util`, which describes the disks.

use super::Reader;
use crate::collect::{Collector, Entry};
use crate::fault::{Fault, Place};
use crate::json::{self, Loose, Members, Number};
use crate::quantity::Quantity;
use crate::time;
use crate::{Summary, VALUES_MAX};
use roundtrip_wire::Better;
use serde::Deserialize;

pub(super) const READER: Reader = Reader {
    slug: "fio",
    title: "fio (JSON)",
    detect: |probe| {
        let begins = |line: &str| line.trim_start().starts_with("\"fio version\" :");
        probe.outline().has("fio version") || probe.lines().any(begins)
    },
    read,
};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct File {
    #[serde(rename = "fio version", default)]
    version: Loose,
    #[serde(default)]
    timestamp: Loose,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Job {
    jobname: String,
    #[serde(default)]
    error: Loose,
    read: Option<Direction>,
    write: Option<Direction>,
    trim: Option<Direction>,
    sync: Option<Direction>,
    usr_cpu: Option<Number>,
    sys_cpu: Option<Number>,
    ctx: Option<Number>,
    majf: Option<Number>,
    minf: Option<Number>,
}

/// The operations of one kind.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Direction {
    #[serde(default)]
    total_ios: u64,
    bw_bytes: Option<Number>,
    iops: Option<Number>,
    #[serde(default)]
    short_ios: u64,
    #[serde(default)]
    drop_ios: u64,
    slat_ns: Option<Latency>,
    clat_ns: Option<Latency>,
    lat_ns: Option<Latency>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Latency {
    min: Option<Number>,
    max: Option<Number>,
    mean: Option<Number>,
    #[serde(rename = "N")]
    count: Option<u64>,
    #[serde(default)]
    percentile: Members<Number, 1_000>,
}

fn read(text: &str, collector: &mut Collector) -> Result<(), Fault> {
    // Without `--output`, notes of fio come before the JSON.
    let is_note = |line: &&str| !line.trim_start().starts_with(['{', '[']);
    let (notes, text) =
        text.split_at(text.split_inclusive('\n').take_while(is_note).map(str::len).sum::<usize>());
    let (file, jobs) = json::object_with_list::<File, Job, VALUES_MAX>(text, "jobs").map_err(
        |Fault { place, problem }| Fault { place: place.lines_down(notes.lines().count()), problem },
    )?;
    collector.fact("tool_version", file.version.fact());
    collector.fact("date", file.timestamp.number().and_then(time::date_of_unix));
    jobs.each(|index, job| {
        // `numjobs` repeats the name of a job.
        let name = collector.distinct(&Entry::new(&job.jobname, 1)).name;
        let place = Place::member(format!("jobs[{index}]"));
        if let Some(error) = job.error.number().filter(|error| *error != 0.0) {
            collector.warn(format!("{name}: the job failed with error {error}"));
        }
        let directions =
            [("read", &job.read), ("write", &job.write), ("trim", &job.trim), ("sync", &job.sync)];
        for (kind, direction) in directions {
            if let Some(direction) = direction.as_ref().filter(|direction| direction.total_ios > 0) {
                let entry = Entry::new(format!("{name} {kind}"), 1);
                let place = Place::member(format!("jobs[{index}].{kind}"));
                add_direction(&entry, direction, &place, collector)?;
            }
        }
        let percent = |name: &str| Quantity::fine(name, "%", Better::Lower);
        let figures = [
            (percent("usr_cpu"), job.usr_cpu),
            (percent("sys_cpu"), job.sys_cpu),
            (Quantity::counter("context switches"), job.ctx),
            (Quantity::counter("major faults"), job.majf),
            (Quantity::counter("minor faults"), job.minf),
        ];
        collector.stated(&Entry::new(name, 1), figures, &place)
    })
}

fn add_direction(
    entry: &Entry,
    direction: &Direction,
    place: &Place,
    collector: &mut Collector,
) -> Result<(), Fault> {
    let whole_ns = Quantity::time("").whole();
    // Syncs have no other latency.
    let main = direction.clat_ns.as_ref().or(direction.lat_ns.as_ref());
    if let Some(latency) = main {
        match summary(latency, &whole_ns).map_err(|problem| place.fault(problem))? {
            Some(summary) => collector.summary(entry, summary, place)?,
            None => collector.skip(format!("{}: skipped, no latency", entry.name)),
        }
    }
    let others = [("slat_ns", &direction.slat_ns), ("lat_ns", &direction.lat_ns)];
    for (name, latency) in others {
        // Synchronous engines have no submission latency.
        let measured = latency.as_ref().filter(|latency| latency.count != Some(0));
        if let Some(latency) = measured.filter(|_| direction.clat_ns.is_some()) {
            let quantity = Quantity::time(name);
            if let Some(summary) = summary(latency, &quantity).map_err(|problem| place.fault(problem))? {
                collector.summary(&entry.of(&quantity), summary, place)?;
            }
        }
    }
    if direction.short_ios > 0 || direction.drop_ios > 0 {
        let Direction { short_ios, drop_ios, .. } = direction;
        collector.warn(format!("{}: {short_ios} operations were short, {drop_ios} dropped", entry.name));
    }
    let figures =
        [(Quantity::byte_rate("bandwidth"), direction.bw_bytes), (Quantity::rate("iops"), direction.iops)];
    collector.stated(entry, figures, place)
}

/// The statistics of a latency; `None` without operations.
fn summary(latency: &Latency, quantity: &Quantity) -> Result<Option<Summary>, String> {
    let stored = |number: Option<Number>| number.map(|Number(value)| quantity.stored(value)).transpose();
    let (min, max) = (stored(latency.min)?, stored(latency.max)?);
    let mut quantiles = Vec::new();
    for (percent, value) in &latency.percentile.0 {
        let Some(value) = stored(Some(*value))? else { continue };
        let value = value.min(max.unwrap_or(u64::MAX)).max(min.unwrap_or(0));
        if let Some(ppm) = percent.parse().ok().and_then(time::ppm_of_percent) {
            quantiles.push((ppm, value));
        }
    }
    let summary = Summary::from_quantiles_or_mean(quantiles, stored(latency.mean)?);
    let summary = summary.filter(|_| latency.count != Some(0));
    Ok(summary.map(|summary| Summary { min_ns: min, max_ns: max, count: latency.count, ..summary }))
}
