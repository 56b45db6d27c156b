//! Time to rank transports for a size profile: twenty transports, five machines, a hundred buckets.

use crate::ingest::{Sender, first_uploads};
use crate::open_loop::ns_since;
use crate::service::{Client, Service};
use crate::upload::LabMachine;
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

const MACHINES: u64 = 5;
const TRANSPORTS: u64 = 20;
/// Ten sizes for each transport.
const RESULTS: u64 = 200;
const BUCKETS: u64 = 100;
/// The time limit of an answer, in milliseconds.
const ANSWER_MS_MAX: f64 = 100.0;

/// Prints the latencies and returns the row.
pub(crate) fn row(program: &Path, is_quick: bool) -> Result<Row, String> {
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let service = Service::start(program, data_dir.path())?;
    let sender = Sender::new(&service)?;
    let machine = |number| LabMachine::with_results(number, 0..RESULTS);
    let machines: Vec<LabMachine> = (0..MACHINES).map(machine).collect();
    first_uploads(&sender, &machines, &AtomicU64::new(1))?;
    service.wait_for_analysis()?;
    let client = Client::new(&service, None);
    let bucket = |nth: u64| format!("{}-{}:{}", 70 * (nth + 1), 70 * (nth + 1) + 69, 1 + nth % 7);
    let sizes = (0..BUCKETS).map(bucket).collect::<Vec<_>>().join(",");
    let path = format!("/api/v1/projects/lab/advice?sizes={sizes}");
    let first: Value = client.read(&path)?;
    let ranked: u64 = first["groups"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|group| Some(group["ranking"].as_array()?.len() as u64))
        .sum();
    if ranked != TRANSPORTS * MACHINES {
        return Err(format!("expected {} ranked transports, got {ranked}", TRANSPORTS * MACHINES));
    }
    let timed = |path: &str, count: usize| {
        let times: Result<Vec<u64>, String> = (0..count)
            .map(|_| {
                let begin = Instant::now();
                client.get(path, None)?;
                Ok(ns_since(begin))
            })
            .collect();
        Distribution::of_samples(times?).ok_or_else(|| "no samples".to_owned())
    };
    let count = if is_quick { 20 } else { 100 };
    let (answers, one) = (timed(&path, count)?, timed(&format!("{path}&machine=lab-0"), count)?);
    let ms = |distribution: &Distribution, ppm| distribution.quantile_ns(ppm) as f64 / 1e6;
    eprintln!("advice p50 {:.1} ms, p99 {:.1} ms", ms(&answers, 500_000), ms(&answers, 990_000));
    Ok(Row::new(
        format!("advice on {TRANSPORTS} transports of {MACHINES} machines, {BUCKETS} buckets, p50"),
        answers.quantile_ns(500_000) / 1_000_000,
        "ms",
        Peer { name: "one machine".into(), value: ms(&one, 500_000) },
        BarIs::ValueAtMost,
        ANSWER_MS_MAX,
    ))
}
