//! Growth of the server's memory and open files, with uploads and reads at a tenth of the load that it is built for.
//!
//! A day has 864,000 uploads. These ten minutes have 6,000, enough to see a leak per upload, read or minute. The first third
//! fills the caches and does not count.
//!
//! Change detection needs more memory for a longer history, up to a limit: 10 MiB more, with two machines at a time. The
//! benchmark therefore starts with a history of that length. Another process stores it, because the memory that it used and
//! freed would hide a leak in the measured process.
//!
//! The allocator does not return the memory of concurrent uploads. On a busy machine, uploads pile up from time to time, and
//! memory grows in steps. The printed curve and the upload times show them. This retained memory can hide a leak of the same
//! size, so the benchmark does not find leaks of a few bytes per upload.

use crate::ingest::{self, Sender};
use crate::open_loop::{ms, open_loop, wait};
use crate::service::{Client, Service};
use crate::upload::{LabMachine, RESULTS};
use crate::{INGEST_MIN, MACHINES};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::change_point::Method;
use serde::Deserialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Uploads per second, and reads per second.
const RATE: u32 = INGEST_MIN / RESULTS / LOAD_DIVISOR;
/// A tenth of the load: a tenth of the machines, each at its full rate.
const LOAD_DIVISOR: u32 = 10;
/// Uploads per second while the history is stored.
const HISTORY_RATE: u32 = INGEST_MIN / RESULTS / 2;
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);
/// Samples per point of the printed curve.
const CURVE_INTERVAL: usize = 60;
/// The accepted growth of memory as a share of its median, after the first third: less than 1 KiB per upload.
const MEMORY_GROWTH_MAX: f64 = 0.03;
/// The accepted growth of open files over the same time.
const FILES_GROWTH_MAX: f64 = 1.0;
const DAY_S: f64 = 86_400.0;

/// One measurement of the server.
struct Sample {
    seconds: f64,
    memory_kib: f64,
    open_files: f64,
}

/// The median of a value over time, and its growth per second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Trend {
    median: f64,
    per_second: f64,
}

#[derive(Deserialize)]
struct Page {
    series: Vec<Series>,
}

#[derive(Deserialize)]
struct Series {
    series_id: u64,
}

/// Prints the load and the memory curve, and returns the rows.
pub(crate) fn rows(program: &Path, duration: Duration) -> Result<Vec<Row>, String> {
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let machines: Vec<LabMachine> = (0..MACHINES / u64::from(LOAD_DIVISOR)).map(LabMachine::new).collect();
    let commits = AtomicU64::new(1);
    store_history(&Service::start(program, data_dir.path())?, &machines, &commits)?;
    let service = Service::start(program, data_dir.path())?;
    let sender = Sender::new(&service)?;
    let reader = Reader::new(&service)?;
    let is_over = AtomicBool::new(false);
    let (uploads, reads, samples) = thread::scope(|scope| {
        let samples = scope.spawn(|| sample(&service, &is_over));
        let reads = scope.spawn(|| open_loop(RATE, duration, |number, due| reader.read(number, due)));
        let uploads = ingest::paced(&sender, &machines, &commits, RATE, duration);
        let reads = reads.join();
        is_over.store(true, Ordering::Relaxed);
        (uploads, reads, samples.join())
    });
    let (uploads, reads) = (uploads?, reads.map_err(|_| "a reader panicked")??);
    let samples = samples.map_err(|_| "the sampler panicked")??;
    let acknowledged = sender.acknowledged.load(Ordering::Relaxed);
    eprintln!(
        "{acknowledged} uploads in {} s, {:.1} % of a day at this rate, {} retries; p99 of uploads {} ms, of reads {} ms",
        duration.as_secs(),
        100.0 * duration.as_secs_f64() / DAY_S,
        sender.retries.load(Ordering::Relaxed),
        ms(&uploads, 990_000),
        ms(&reads, 990_000),
    );
    let curve: Vec<String> = samples
        .iter()
        .step_by(CURVE_INTERVAL)
        .map(|sample| format!("{:.0}", sample.memory_kib / 1024.0))
        .collect();
    eprintln!("memory each minute, MiB: {}", curve.join(" "));
    Ok(growth_rows(&samples, duration))
}

/// Stores as many commits per machine as change detection reads before a new one.
fn store_history(service: &Service, machines: &[LabMachine], commits: &AtomicU64) -> Result<(), String> {
    let sender = Sender::new(service)?;
    ingest::first_uploads(&sender, machines, commits)?;
    let uploads = Method::shipped().settings().memory * machines.len();
    eprintln!("storing a history of {uploads} uploads");
    let seconds = (uploads as u64).div_ceil(HISTORY_RATE.into());
    ingest::paced(&sender, machines, commits, HISTORY_RATE, Duration::from_secs(seconds))?;
    service.wait_for_analysis().map(|_| ())
}

/// Samples the server until `is_over`.
fn sample(service: &Service, is_over: &AtomicBool) -> Result<Vec<Sample>, String> {
    let (begin, mut samples) = (Instant::now(), Vec::new());
    while !is_over.load(Ordering::Relaxed) {
        samples.push(Sample {
            seconds: begin.elapsed().as_secs_f64(),
            memory_kib: service.resident_kib()? as f64,
            open_files: service.open_files()? as f64,
        });
        thread::sleep(SAMPLE_INTERVAL);
    }
    Ok(samples)
}

/// Prints the trends after the first third, and returns their rows.
fn growth_rows(samples: &[Sample], duration: Duration) -> Vec<Row> {
    let warm_up_s = duration.as_secs_f64() / 3.0;
    let samples: Vec<&Sample> = samples.iter().filter(|sample| sample.seconds >= warm_up_s).collect();
    let seconds = duration.as_secs_f64() - warm_up_s;
    let trend = |value: fn(&Sample) -> f64| {
        Trend::of(&samples.iter().map(|sample| (sample.seconds, value(sample))).collect::<Vec<_>>())
    };
    let (memory, files) = (trend(|sample| sample.memory_kib), trend(|sample| sample.open_files));
    for (name, trend, unit) in [("memory", memory, "KiB"), ("open files", files, "files")] {
        eprintln!(
            "{name}: median {:.0} {unit}; growth {:+.4} {unit} per second, {:+.3} per upload, {:+.0} per day",
            trend.median,
            trend.per_second,
            trend.per_second / f64::from(RATE),
            trend.per_second * DAY_S,
        );
    }
    let peer = |trend: Trend, unit| Peer {
        name: format!("its median ({:.0} {unit})", trend.median),
        value: trend.median,
    };
    vec![
        Row::new(
            format!(
                "growth of server resident memory in {seconds:.0} s with {:.0} uploads",
                seconds * f64::from(RATE)
            ),
            memory.growth(seconds),
            "KiB",
            peer(memory, "KiB"),
            BarIs::RatioAtMost,
            MEMORY_GROWTH_MAX,
        ),
        Row::new(
            "growth of open files in the same time",
            files.growth(seconds),
            "files",
            peer(files, "files"),
            BarIs::ValueAtMost,
            FILES_GROWTH_MAX,
        ),
    ]
}

impl Trend {
    /// Uses the median of the slopes between any two points (Theil 1950, Sen 1968), which is robust to outliers.
    fn of(points: &[(f64, f64)]) -> Self {
        let mut slopes: Vec<f64> = points
            .iter()
            .enumerate()
            .flat_map(|(at, (time, value))| {
                points[at + 1..].iter().map(move |(later, other)| (other - value) / (later - time))
            })
            .collect();
        let mut values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
        Self { median: median(&mut values), per_second: median(&mut slopes) }
    }

    /// Returns the growth over this time; a decrease counts as 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and less than the memory"
    )]
    fn growth(self, seconds: f64) -> u64 {
        (self.per_second * seconds).max(0.0).round() as u64
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Loads pages during the soak.
struct Reader {
    client: Client,
    series: Vec<u64>,
}

impl Reader {
    fn new(service: &Service) -> Result<Self, String> {
        let client = Client::new(service, None);
        let page: Page = client.read("/api/v1/projects/lab/series?limit=50")?;
        Ok(Self { client, series: page.series.into_iter().map(|series| series.series_id).collect() })
    }

    /// Requests the pages in turn.
    fn read(&self, number: u64, due: Instant) -> Result<(), String> {
        let series = usize::try_from(number)
            .ok()
            .and_then(|number| self.series.get(number % self.series.len().max(1)));
        let series = series.ok_or("the project has no series")?;
        let path = match number % 5 {
            0 => "/api/v1/projects".to_owned(),
            1 => "/api/v1/projects/lab/machines?limit=6".to_owned(),
            2 => "/api/v1/projects/lab/runs?limit=50".to_owned(),
            3 => "/api/v1/projects/lab/series?limit=50&q=transport".to_owned(),
            _ => format!("/api/v1/charts/line?repetitions=false&series={series}"),
        };
        wait(due);
        self.client.get(&path, None).map(|_| ())
    }
}
