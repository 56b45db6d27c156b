//! Whether the server's memory and open files stay constant, with uploads and reads at a tenth of the load that it is built
//! for.
//!
//! A day has 864,000 uploads. These ten minutes have 6,000: enough to see a leak per upload, read or minute. The first third
//! fills the caches and is not judged.
//!
//! What a search for changes takes grows with the history that it reads, up to a limit: by 10 MiB, two machines at a time. So
//! there is as much history from the beginning; and another process stored it, because what that one had used and freed would
//! hide what this one keeps.
//!
//! The allocator does not give back what many uploads at once took. Where others keep the machine busy, uploads pile up now and
//! then, and memory grows by steps: the curve that is printed shows them, and so do the times of uploads. What it keeps hides as
//! much growth of what is in use: a few bytes an upload are not seen here.

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

/// Uploads a second, and reads.
const RATE: u32 = INGEST_MIN / RESULTS / SHARE;
/// A tenth of the load is that of a tenth of the machines, each as busy as it would be among all.
const SHARE: u32 = 10;
/// Uploads a second while the history is stored.
const HISTORY_RATE: u32 = INGEST_MIN / RESULTS / 2;
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);
/// Of the curve that is printed, in samples.
const CURVE_INTERVAL: usize = 60;
/// By how much of itself memory may grow in the time that is judged: less than a KiB for each upload of it.
const MEMORY_GROWTH_MAX: f64 = 0.03;
/// By how many files, over the same time.
const FILES_GROWTH_MAX: f64 = 1.0;
const DAY_S: f64 = 86_400.0;

/// What the server is at a moment.
struct Sample {
    seconds: f64,
    memory_kib: f64,
    open_files: f64,
}

/// A value over time: what it mostly is, and by how much it grows a second.
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

/// Prints how it went, and gives the rows.
pub(crate) fn rows(program: &Path, duration: Duration) -> Result<Vec<Row>, String> {
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let machines: Vec<LabMachine> = (0..MACHINES / u64::from(SHARE)).map(LabMachine::new).collect();
    let commits = AtomicU64::new(1);
    store_history(&Service::start(program, data_dir.path())?, &machines, &commits)?;
    let service = Service::start(program, data_dir.path())?;
    let sender = Sender::new(&service)?;
    let reader = Reader::new(&service)?;
    let is_over = AtomicBool::new(false);
    let (written, read, samples) = thread::scope(|scope| {
        let samples = scope.spawn(|| sample(&service, &is_over));
        let read = scope.spawn(|| open_loop(RATE, duration, |number, due| reader.read(number, due)));
        let written = ingest::paced(&sender, &machines, &commits, RATE, duration);
        let read = read.join();
        is_over.store(true, Ordering::Relaxed);
        (written, read, samples.join())
    });
    let (written, read) = (written?, read.map_err(|_| "a reader panicked")??);
    let samples = samples.map_err(|_| "the sampler panicked")??;
    let uploads = sender.acknowledged.load(Ordering::Relaxed);
    eprintln!(
        "{uploads} uploads in {} s, {:.1} % of a day's at this rate, {} told to come back; p99 of an upload {} ms, of a read {} ms",
        duration.as_secs(),
        100.0 * duration.as_secs_f64() / DAY_S,
        sender.refused.load(Ordering::Relaxed),
        ms(&written, 990_000),
        ms(&read, 990_000),
    );
    let curve: Vec<String> = samples
        .iter()
        .step_by(CURVE_INTERVAL)
        .map(|sample| format!("{:.0}", sample.memory_kib / 1024.0))
        .collect();
    eprintln!("memory each minute, in MiB: {}", curve.join(" "));
    Ok(judged(&samples, duration))
}

/// Stores as many commits of each machine as a search for changes ever reads before the first that is new.
fn store_history(service: &Service, machines: &[LabMachine], commits: &AtomicU64) -> Result<(), String> {
    let sender = Sender::new(service)?;
    ingest::introduce(&sender, machines, commits)?;
    let uploads = Method::shipped().settings().memory * machines.len();
    eprintln!("storing a history of {uploads} uploads");
    let seconds = (uploads as u64).div_ceil(HISTORY_RATE.into());
    ingest::paced(&sender, machines, commits, HISTORY_RATE, Duration::from_secs(seconds))?;
    service.until_searched().map(|_| ())
}

/// Looks at the server until it is over.
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

/// What is said of the samples after the first third.
fn judged(samples: &[Sample], duration: Duration) -> Vec<Row> {
    let warm = duration.as_secs_f64() / 3.0;
    let samples: Vec<&Sample> = samples.iter().filter(|sample| sample.seconds >= warm).collect();
    let seconds = duration.as_secs_f64() - warm;
    let trend = |of: fn(&Sample) -> f64| {
        Trend::of(&samples.iter().map(|sample| (sample.seconds, of(sample))).collect::<Vec<_>>())
    };
    let (memory, files) = (trend(|sample| sample.memory_kib), trend(|sample| sample.open_files));
    for (what, trend, unit) in [("memory", memory, "KiB"), ("open files", files, "files")] {
        eprintln!(
            "{what}: {:.0} {unit} in the middle, {:+.4} {unit} a second, {:+.3} for each upload, {:+.0} in a day",
            trend.median,
            trend.per_second,
            trend.per_second / f64::from(RATE),
            trend.per_second * DAY_S,
        );
    }
    let peer = |trend: Trend, unit| Peer {
        name: format!("what it has ({:.0} {unit})", trend.median),
        value: trend.median,
    };
    vec![
        Row::new(
            format!(
                "growth of the server's memory in {seconds:.0} s with {:.0} uploads",
                seconds * f64::from(RATE)
            ),
            memory.growth(seconds),
            "KiB",
            peer(memory, "KiB"),
            BarIs::RatioAtMost,
            MEMORY_GROWTH_MAX,
        ),
        Row::new(
            "growth of its open files meanwhile",
            files.growth(seconds),
            "files",
            peer(files, "files"),
            BarIs::ValueAtMost,
            FILES_GROWTH_MAX,
        ),
    ]
}

impl Trend {
    /// The median of the slopes between any two points (Theil 1950, Sen 1968): what happens now and then does not bend it.
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

    /// What shrinks does not grow.
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

/// Who looks at pages meanwhile.
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

    /// One page after the other, in turn.
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
