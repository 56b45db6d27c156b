//! Latency of charts, searches and lists with ten million points stored, and its growth since one million.

use crate::open_loop::{open_loop, wait};
use crate::service::{Client, History, Service};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The `Accept-Encoding` header of a browser.
const ENCODINGS: &str = "gzip, deflate, br, zstd";
/// Requests per second.
const RATE: u32 = 50;
/// The accepted ratio of the latencies with ten million and with one million points.
const GROWTH_MAX: f64 = 1.5;
/// Stored points in millions, at each scale: a tenth in series of 10,000 commits, the rest in series of 1,000.
const MILLIONS: [u32; 2] = [1, 10];

/// A read and its targets.
struct Read {
    name: &'static str,
    path: fn(&Dataset, u64) -> String,
    /// Targets with ten million points stored.
    target: Option<Target>,
    /// Whether the answer has the same length at both scales. Only then is the growth of its latency measured.
    is_same_length: bool,
}

struct Target {
    us_max: u32,
    /// The largest compressed answer.
    bytes_max: Option<u32>,
    peer: (&'static str, f64),
}

/// A read whose only target is the growth of its latency.
const fn growth_only(name: &'static str, path: fn(&Dataset, u64) -> String) -> Read {
    Read { name, path, target: None, is_same_length: true }
}

const READS: [Read; 10] = [
    Read {
        name: "line of 1,000 points",
        path: |data, number| {
            format!("/api/v1/charts/line?repetitions=false&series={}", pick(&data.wide, number))
        },
        target: Some(Target { us_max: 3_000, bytes_max: None, peer: ("Bencher 0.6.12 (9,000 us)", 9_000.0) }),
        is_same_length: true,
    },
    Read {
        name: "line of 10,000 points with p50, p90 and p99",
        path: |data, number| {
            let series = pick(&data.deep, number);
            format!("/api/v1/charts/line?repetitions=false&last=10000&points=10000&series={series}")
        },
        target: Some(Target {
            us_max: 15_000,
            bytes_max: Some(150_000),
            peer: ("Bencher 0.6.12, one number per point (87,000 us)", 87_000.0),
        }),
        is_same_length: true,
    },
    Read {
        name: "heat map of 1,000 commits",
        path: |data, number| format!("/api/v1/charts/heatmap?last=1000&series={}", pick(&data.deep, number)),
        target: Some(Target {
            us_max: 50_000,
            bytes_max: None,
            peer: ("Conbench's chart of 1,000 means (459,000 us)", 459_000.0),
        }),
        is_same_length: true,
    },
    Read {
        name: "search with up to 50 results",
        path: |_, number| {
            let query = pick(
                &["pipe+64", "stream+tcp", "seeded-1+ring+4kib", "roundtrip", "message+queue+1mib"],
                number,
            );
            format!("/api/v1/projects/wide/series?limit=50&q={query}")
        },
        target: Some(Target {
            us_max: 20_000,
            bytes_max: None,
            peer: ("Conbench's chart of 1,000 means (459,000 us)", 459_000.0),
        }),
        is_same_length: false,
    },
    Read {
        name: "search with 20 results",
        path: |_, number| {
            let query = pick(&["pipe+64", "stream+tcp", "roundtrip", "ring"], number);
            format!("/api/v1/projects/wide/series?limit=20&q={query}")
        },
        target: Some(Target {
            us_max: 20_000,
            bytes_max: None,
            peer: ("Conbench's chart of 1,000 means (459,000 us)", 459_000.0),
        }),
        is_same_length: true,
    },
    growth_only("list of projects", |_, _| "/api/v1/projects".to_owned()),
    growth_only("page of 6 machines", |_, _| "/api/v1/projects/wide/machines?limit=6".to_owned()),
    growth_only("page of 50 runs", |_, _| "/api/v1/projects/wide/runs?limit=50".to_owned()),
    growth_only("page of 50 commits", |_, _| "/api/v1/projects/deep/commits?limit=50".to_owned()),
    growth_only("one series", |data, number| format!("/api/v1/series/{}", pick(&data.wide, number))),
];

/// The series of one server.
struct Dataset {
    client: Client,
    /// Series of 10,000 points, the newest 1,000 with distributions.
    deep: Vec<u64>,
    /// Series of 1,000 points.
    wide: Vec<u64>,
}

#[derive(Deserialize)]
struct Page {
    series: Vec<Series>,
    next_after: Option<String>,
}

#[derive(Deserialize)]
struct Series {
    series_id: u64,
}

/// The times of one read, and the size of its largest answer.
struct Answers {
    times: Distribution,
    bytes_max: u64,
}

/// Measures all reads at both scales. `folder` keeps the stored data for the next time.
pub(crate) fn rows(program: &Path, folder: &Path, duration: Duration) -> Result<Vec<Row>, String> {
    let mut scales = Vec::new();
    for millions in MILLIONS {
        let data_dir = prepare(program, folder, millions)?;
        let service = Service::start(program, &data_dir)?;
        // On its first start, the server searches the stored series for changes.
        service.wait_for_analysis()?;
        let dataset = Dataset::load(&service)?;
        dataset.warm_up()?;
        let answers: Result<Vec<Answers>, String> =
            READS.iter().map(|read| dataset.measure(read, duration)).collect();
        scales.push(answers?);
    }
    let [small, large] = scales.try_into().map_err(|_| "expected two scales".to_owned())?;
    let us = |answers: &Answers, quantile| answers.times.quantile_ns(quantile) / 1_000;
    let mut rows = Vec::new();
    for ((read, small), large) in READS.iter().zip(small).zip(large) {
        let name = read.name;
        if let Some(Target { us_max, bytes_max, peer: (peer, value) }) = read.target {
            let peer = Peer { name: peer.into(), value };
            let title = format!("{name}, p99 at {RATE}/s, 10 million points");
            rows.push(Row::new(title, us(&large, 990_000), "us", peer, BarIs::ValueAtMost, us_max.into()));
            if let Some(bytes_max) = bytes_max {
                let peer =
                    Peer { name: "Bencher 0.6.12, one number per point (8.3 MB)".into(), value: 8.3e6 };
                let (title, bytes) = (format!("{name}, compressed size"), large.bytes_max);
                rows.push(Row::new(title, bytes, "bytes", peer, BarIs::ValueAtMost, bytes_max.into()));
            }
        }
        if !read.is_same_length {
            continue;
        }
        let (before, after) = (us(&small, 500_000), us(&large, 500_000));
        let peer = Peer { name: format!("with 1 million ({before} us)"), value: before as f64 };
        rows.push(Row::new(format!("{name}, p50"), after, "us", peer, BarIs::RatioAtMost, GROWTH_MAX));
    }
    Ok(rows)
}

/// Returns a data directory with this many million points, and fills it if it is missing or incomplete.
fn prepare(program: &Path, folder: &Path, millions: u32) -> Result<PathBuf, String> {
    let data_dir = folder.join(format!("{millions}-million-points"));
    // Created last.
    let complete = data_dir.join("complete");
    if complete.exists() {
        return Ok(data_dir);
    }
    eprintln!("storing {millions} million points in {} for this and later runs", data_dir.display());
    let with_path = |error: std::io::Error| format!("{}: {error}", data_dir.display());
    if data_dir.exists() {
        std::fs::remove_dir_all(&data_dir).map_err(with_path)?;
    }
    std::fs::create_dir_all(&data_dir).map_err(with_path)?;
    let (machines, series) = (6 * millions, 900 * millions);
    for history in [
        History {
            project: "deep",
            machines: 2,
            series: 10 * millions,
            commits: 10_000,
            histograms: Some(1_000),
        },
        History { project: "wide", machines, series, commits: 1_000, histograms: None },
    ] {
        history.store(program, &data_dir)?;
    }
    std::fs::write(complete, "").map_err(with_path)?;
    Ok(data_dir)
}

impl Dataset {
    fn load(service: &Service) -> Result<Self, String> {
        let client = Client::new(service, None);
        let (deep, wide) = (Self::series(&client, "deep")?, Self::series(&client, "wide")?);
        Ok(Self { client, deep, wide })
    }

    fn series(client: &Client, project: &str) -> Result<Vec<u64>, String> {
        let (mut series, mut cursor) = (Vec::new(), String::new());
        loop {
            let page: Page = client.read(&format!("/api/v1/projects/{project}/series?limit=200{cursor}"))?;
            series.extend(page.series.into_iter().map(|series| series.series_id));
            let Some(next) = page.next_after else { return Ok(series) };
            cursor = format!("&after={next}");
        }
    }

    /// Reads every line once. This loads the indexes into memory, as on a server that has run for an hour; otherwise the
    /// benchmark would time the disk.
    fn warm_up(&self) -> Result<(), String> {
        // The server's limit for one request.
        const SERIES: usize = 200;
        for series in [&self.deep, &self.wide].into_iter().flat_map(|all| all.chunks(SERIES)) {
            let numbers = series.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            self.get(&format!("/api/v1/charts/line?last=1000&series={numbers}"))?;
        }
        Ok(())
    }

    fn measure(&self, read: &Read, duration: Duration) -> Result<Answers, String> {
        // Warm up: the first requests open connections and plan queries.
        for number in 0..u64::from(RATE) {
            self.get(&(read.path)(self, number))?;
        }
        let bytes_max = AtomicU64::new(0);
        let times = open_loop(RATE, duration, |number, due| {
            let path = (read.path)(self, number);
            wait(due);
            let body = self.get(&path)?;
            bytes_max.fetch_max(body.len() as u64, Ordering::Relaxed);
            Ok(())
        })?;
        Ok(Answers { times, bytes_max: bytes_max.into_inner() })
    }

    /// Returns the compressed body.
    fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        self.client.get(path, Some(ENCODINGS))
    }
}

/// Picks an item for a request. Successive requests get distant items, because neighbours are stored next to each other.
fn pick<T: Copy>(all: &[T], number: u64) -> T {
    const STRIDE: u64 = 7_919;
    let at = (number * STRIDE) % all.len() as u64;
    all[usize::try_from(at).unwrap_or(0)]
}
