//! How fast charts and searches are answered with many points stored, and how that changes when ten times as many are.

use crate::open_loop::{open_loop, wait};
use crate::service::{Client, History, Service};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// As browsers ask.
const ENCODINGS: &str = "gzip, deflate, br, zstd";
/// Requests a second.
const RATE: u32 = 50;
/// How much slower a query may become while ten times as much is stored.
const GROWTH_MAX: f64 = 1.5;
/// What is stored, in millions of points: a tenth of it in series of 10,000 commits, the rest in series of 1,000.
const MILLIONS: [u32; 2] = [1, 10];

/// A read, and what is asked of it besides that it does not grow.
struct Read {
    name: &'static str,
    path: fn(&Stock, u64) -> String,
    bar: Option<Bar>,
    /// Whether an answer is as long at both scales: only then does its time tell what it costs that more is stored.
    is_alike: bool,
}

/// With ten million points stored.
struct Bar {
    us_max: u32,
    /// Bytes of an answer as it is sent.
    bytes_max: Option<u32>,
    peer: (&'static str, f64),
}

/// A read of which only that is asked.
const fn growth_alone(name: &'static str, path: fn(&Stock, u64) -> String) -> Read {
    Read { name, path, bar: None, is_alike: true }
}

const READS: [Read; 10] = [
    Read {
        name: "line of 1,000 points",
        path: |stock, number| {
            format!("/api/v1/charts/line?repetitions=false&series={}", pick(&stock.wide, number))
        },
        bar: Some(Bar { us_max: 3_000, bytes_max: None, peer: ("Bencher 0.6.12 (9,000 us)", 9_000.0) }),
        is_alike: true,
    },
    Read {
        name: "line of 10,000 points x (p50, p90, p99)",
        path: |stock, number| {
            let series = pick(&stock.deep, number);
            format!("/api/v1/charts/line?repetitions=false&last=10000&points=10000&series={series}")
        },
        bar: Some(Bar {
            us_max: 15_000,
            bytes_max: Some(150_000),
            peer: ("Bencher 0.6.12, one number a point (87,000 us)", 87_000.0),
        }),
        is_alike: true,
    },
    Read {
        name: "heat map of 1,000 commits",
        path: |stock, number| {
            format!("/api/v1/charts/heatmap?last=1000&series={}", pick(&stock.deep, number))
        },
        bar: Some(Bar {
            us_max: 50_000,
            bytes_max: None,
            peer: ("Conbench's chart of 1,000 means (459,000 us)", 459_000.0),
        }),
        is_alike: true,
    },
    Read {
        name: "search for series",
        path: |_, number| {
            let query = pick(
                &["pipe+64", "stream+tcp", "seeded-1+ring+4kib", "roundtrip", "message+queue+1mib"],
                number,
            );
            format!("/api/v1/projects/wide/series?limit=50&q={query}")
        },
        bar: Some(Bar {
            us_max: 20_000,
            bytes_max: None,
            peer: ("Conbench's chart of 1,000 means (459,000 us)", 459_000.0),
        }),
        is_alike: false,
    },
    Read {
        name: "search that finds a page of 20 series",
        path: |_, number| {
            let query = pick(&["pipe+64", "stream+tcp", "roundtrip", "ring"], number);
            format!("/api/v1/projects/wide/series?limit=20&q={query}")
        },
        bar: Some(Bar {
            us_max: 20_000,
            bytes_max: None,
            peer: ("Conbench's chart of 1,000 means (459,000 us)", 459_000.0),
        }),
        is_alike: true,
    },
    growth_alone("list of projects", |_, _| "/api/v1/projects".to_owned()),
    growth_alone("page of 6 machines", |_, _| "/api/v1/projects/wide/machines?limit=6".to_owned()),
    growth_alone("page of 50 runs", |_, _| "/api/v1/projects/wide/runs?limit=50".to_owned()),
    growth_alone("page of 50 commits", |_, _| "/api/v1/projects/deep/commits?limit=50".to_owned()),
    growth_alone("one series", |stock, number| format!("/api/v1/series/{}", pick(&stock.wide, number))),
];

/// What one server has stored.
struct Stock {
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

/// Times of one read, and the longest answer.
struct Asked {
    times: Distribution,
    bytes_max: u64,
}

/// All reads at both scales. What is stored is made in `folder` the first time, and kept there for the next.
pub(crate) fn rows(program: &Path, folder: &Path, duration: Duration) -> Result<Vec<Row>, String> {
    let mut of_scales = Vec::new();
    for millions in MILLIONS {
        let data_dir = stored(program, folder, millions)?;
        let service = Service::start(program, &data_dir)?;
        // A server that is new to what is stored searches it first.
        service.until_searched()?;
        let stock = Stock::of(&service)?;
        stock.read_all()?;
        let asked: Result<Vec<Asked>, String> = READS.iter().map(|read| stock.ask(read, duration)).collect();
        of_scales.push(asked?);
    }
    let [small, large] = of_scales.try_into().map_err(|_| "two scales are measured".to_owned())?;
    let us = |asked: &Asked, quantile| asked.times.quantile_ns(quantile) / 1_000;
    let mut rows = Vec::new();
    for ((read, small), large) in READS.iter().zip(small).zip(large) {
        let name = read.name;
        if let Some(Bar { us_max, bytes_max, peer: (peer, value) }) = read.bar {
            let peer = Peer { name: peer.into(), value };
            let title = format!("{name}, p99 at {RATE}/s, 10 million points");
            rows.push(Row::new(title, us(&large, 990_000), "us", peer, BarIs::ValueAtMost, us_max.into()));
            if let Some(bytes_max) = bytes_max {
                let peer = Peer { name: "Bencher 0.6.12, one number a point (8.3 MB)".into(), value: 8.3e6 };
                let (title, bytes) = (format!("{name}, as sent"), large.bytes_max);
                rows.push(Row::new(title, bytes, "bytes", peer, BarIs::ValueAtMost, bytes_max.into()));
            }
        }
        if !read.is_alike {
            continue;
        }
        let (before, after) = (us(&small, 500_000), us(&large, 500_000));
        let peer = Peer { name: format!("with 1 million ({before} us)"), value: before as f64 };
        rows.push(Row::new(format!("{name}, p50"), after, "us", peer, BarIs::RatioAtMost, GROWTH_MAX));
    }
    Ok(rows)
}

/// A data directory with this many million points, created if missing.
fn stored(program: &Path, folder: &Path, millions: u32) -> Result<PathBuf, String> {
    let data_dir = folder.join(format!("{millions}-million-points"));
    // Written last.
    let complete = data_dir.join("complete");
    if complete.exists() {
        return Ok(data_dir);
    }
    eprintln!("storing {millions} million points in {}, once", data_dir.display());
    let wrong = |error: std::io::Error| format!("{}: {error}", data_dir.display());
    if data_dir.exists() {
        std::fs::remove_dir_all(&data_dir).map_err(wrong)?;
    }
    std::fs::create_dir_all(&data_dir).map_err(wrong)?;
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
    std::fs::write(complete, "").map_err(wrong)?;
    Ok(data_dir)
}

impl Stock {
    fn of(service: &Service) -> Result<Self, String> {
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

    /// Every line once. A server that has answered for an hour has its indexes in memory; one whose data was just written
    /// reads them from the disk, which is timed instead.
    fn read_all(&self) -> Result<(), String> {
        // The most that are answered at once.
        const SERIES: usize = 200;
        for series in [&self.deep, &self.wide].into_iter().flat_map(|all| all.chunks(SERIES)) {
            let numbers = series.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            self.get(&format!("/api/v1/charts/line?last=1000&series={numbers}"))?;
        }
        Ok(())
    }

    fn ask(&self, read: &Read, duration: Duration) -> Result<Asked, String> {
        // Once each for what is made the first time: connections, plans.
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
        Ok(Asked { times, bytes_max: bytes_max.into_inner() })
    }

    /// The body as it is sent.
    fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        self.client.get(path, Some(ENCODINGS))
    }
}

/// One after the other, far apart: neighbours were written next to each other.
fn pick<T: Copy>(all: &[T], number: u64) -> T {
    const STRIDE: u64 = 7_919;
    let at = (number * STRIDE) % all.len() as u64;
    all[usize::try_from(at).unwrap_or(0)]
}
