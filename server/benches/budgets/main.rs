//! `cargo xtask bench server`: throughput and latency of the server. PostgreSQL and the clients run on the same processors.
//!
//! The parts:
//! - [`ingest`]: throughput and latency of uploads.
//! - [`bombs`]: time to reject a decompression bomb.
//! - [`reads`]: latency of reads with one and with ten million points stored.
//! - [`analysis`]: speed of change detection over the whole database.
//! - [`claims`]: time for agents to claim jobs.
//! - [`advice`]: time to rank transports for a size profile.
//! - [`soak`]: growth of memory and open files over ten minutes. It runs only if named on the command line.
//!
//! What they share:
//! - [`service`]: starts the server as a user does, and talks to it.
//! - [`upload`]: builds the uploads.
//! - [`open_loop`]: sends requests at a fixed rate and times each from its due time.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has nothing better to say")]

mod advice;
mod analysis;
mod bombs;
mod claims;
#[path = "../../tests/it/support/factory.rs"]
#[expect(dead_code, reason = "only the tests use the rest")]
mod factory;
#[path = "../../tests/fakes/agent.rs"]
mod fake_agent;
mod ingest;
mod open_loop;
mod reads;
mod service;
mod soak;
mod upload;

use ingest::Sender;
use open_loop::ms;
use roundtrip_budget::{BarIs, Peer, Row};
use service::Service;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use upload::{LabMachine, RESULTS};

const PARTS: [&str; 5] = ["ingest", "reads", "analysis", "claims", "advice"];
/// Ten minutes under light load.
const SOAK: &str = "soak";

const MACHINES: u64 = 60;
/// Results per second, sent in uploads of 100.
const INGEST_MIN: u32 = 10_000;
/// The time limit of one upload at half that load, in milliseconds.
const UPLOAD_MS_MAX: f64 = 100.0;
const MEMORY_MIB_MAX: f64 = 150.0;
/// The time limit for change detection to catch up, in milliseconds.
const CATCH_UP_MS_MAX: f64 = 5_000.0;
/// The server inflates at most this much of a body.
const INFLATED_MIB_MAX: f64 = 64.0;

/// Keeps the data for `reads` between invocations. PostgreSQL does not run as root, so this directory must be
/// accessible to other users.
const READS_DATA: &str = "/var/tmp/roundtrip-bench";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let is_wanted =
        |part: &str| has(part) || (part != SOAK && !has(SOAK) && !PARTS.iter().any(|part| has(part)));
    match measure(has("--quick"), is_wanted)
        .and_then(|rows| roundtrip_budget::print(&rows, has("json")).map_err(|error| error.to_string()))
    {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(is_quick: bool, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Row>, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_roundtrip-server"));
    let seconds = |full, quick| Duration::from_secs(if is_quick { quick } else { full });
    let mut rows = Vec::new();
    if is_wanted("ingest") {
        rows.extend(uploads(program, seconds(60, 10))?);
    }
    if is_wanted("reads") {
        rows.extend(reads::rows(program, Path::new(READS_DATA), seconds(20, 4))?);
    }
    if is_wanted("analysis") {
        rows.extend(analysis::rows(program, is_quick)?);
    }
    if is_wanted("claims") {
        rows.extend(claims::rows(program, is_quick)?);
    }
    if is_wanted("advice") {
        rows.push(advice::row(program, is_quick)?);
    }
    if is_wanted(SOAK) {
        rows.extend(soak::rows(program, seconds(600, 90))?);
    }
    Ok(rows)
}

fn memory_row(name: &str, mib: u64) -> Row {
    let peer = Peer { name: "the target".into(), value: MEMORY_MIB_MAX };
    Row::new(name, mib, "MiB", peer, BarIs::ValueAtMost, MEMORY_MIB_MAX)
}

fn uploads(program: &Path, duration: Duration) -> Result<Vec<Row>, String> {
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let service = Service::start(program, data_dir.path())?;
    let sender = Sender::new(&service)?;
    eprintln!("building uploads for {MACHINES} machines");
    let machines: Vec<LabMachine> = (0..MACHINES).map(LabMachine::new).collect();
    let commits = AtomicU64::new(1);
    let first = ingest::first_uploads(&sender, &machines, &commits)?;
    eprintln!("first upload of a machine, with {RESULTS} new series: p50 {} ms", ms(&first, 500_000));
    let half = INGEST_MIN / 2 / RESULTS;
    let paced = ingest::paced(&sender, &machines, &commits, half, duration)?;
    eprintln!(
        "{half} uploads/s: p50 {} ms, p99 {} ms, max {} ms",
        ms(&paced, 500_000),
        ms(&paced, 990_000),
        paced.max_ns() / 1_000_000,
    );
    let before = service.cpu_time();
    let full_speed = ingest::full_speed(&sender, &machines, &commits, duration)?;
    let cpu = service.cpu_time().since(before);
    eprintln!(
        "{} results/s, {} MB/s of bodies, p50 {} ms, p99 {} ms, {} retries; CPU time per result: server {:.0} us, \
         PostgreSQL {:.0} us, clients {:.0} us",
        full_speed.results_per_second,
        full_speed.body_bytes_per_second / 1_000_000,
        ms(&full_speed.times, 500_000),
        ms(&full_speed.times, 990_000),
        sender.retries.load(Ordering::Relaxed),
        cpu.server * 1e6 / full_speed.results,
        cpu.postgres * 1e6 / full_speed.results,
        cpu.clients * 1e6 / full_speed.results,
    );
    let catch_up_ms = service.wait_for_analysis()?;
    let peak_mib = service.peak_memory_mib()?;
    let bombs = bombs::rows(&sender)?;
    let peak_after_bombs_mib = service.peak_memory_mib()?;
    let bencher = |value: f64, name: &str| Peer { name: format!("Bencher 0.6.12, {name}"), value };
    let mut rows = vec![
        Row::new(
            "ingest, uploads of 100 results with 10 histograms each",
            full_speed.results_per_second,
            "results/s",
            bencher(11_607.0, "requests of 100 numbers (11,607/s)"),
            BarIs::ValueAtLeast,
            INGEST_MIN.into(),
        ),
        Row::new(
            "change detection catches up after that load",
            catch_up_ms,
            "ms",
            Peer { name: "the load (60 s)".into(), value: duration.as_secs_f64() * 1e3 },
            BarIs::ValueAtMost,
            CATCH_UP_MS_MAX,
        ),
        Row::new(
            format!("upload, p99 at {half}/s"),
            ms(&paced, 990_000),
            "ms",
            Peer {
                name: format!("its p50 ({} ms)", ms(&paced, 500_000)),
                value: paced.quantile_ns(500_000) as f64 / 1e6,
            },
            BarIs::ValueAtMost,
            UPLOAD_MS_MAX,
        ),
        memory_row("server resident memory, peak", peak_mib),
    ];
    rows.extend(bombs);
    rows.push(Row::new(
        "server resident memory after these rejections, peak",
        peak_after_bombs_mib,
        "MiB",
        Peer { name: format!("before them ({peak_mib} MiB)"), value: peak_mib as f64 },
        BarIs::ValueAtMost,
        MEMORY_MIB_MAX + INFLATED_MIB_MAX,
    ));
    Ok(rows)
}
