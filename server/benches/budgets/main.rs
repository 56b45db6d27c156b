//! `cargo xtask bench server`: what the server takes in and how fast it answers, with PostgreSQL and the clients on the
//! same processors.
//!
//! - [`service`]: the server, started as a user starts it. [`upload`]: what is sent to it.
//! - [`ingest`]: how much it takes in. [`bombs`]: how soon it refuses what would be too much. [`reads`]: how fast it
//!   answers, with a million points stored and with ten. [`analysis`]: how fast all that is stored is searched for changes.
//!   [`claims`]: how soon agents are given work. [`advice`]: how soon it is said which transport is best.
//!   [`soak`]: whether it stays what it is; a part that is measured only when it is asked for.
//! - [`open_loop`]: requests at a rate, timed from when they are due.

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
/// Ten minutes in which little happens.
const SOAK: &str = "soak";

const MACHINES: u64 = 60;
/// Results a second, in uploads of a hundred.
const INGEST_MIN: u32 = 10_000;
/// Milliseconds of one upload at half that load.
const UPLOAD_MS_MAX: f64 = 100.0;
const MEMORY_MIB_MAX: f64 = 150.0;
/// Milliseconds until the search for changes has caught up.
const CAUGHT_UP_MS_MAX: f64 = 5_000.0;
/// The most of a body that is inflated.
const INFLATED_MIB_MAX: f64 = 64.0;

/// Where what reads are measured on is kept from one time to the next: PostgreSQL, which refuses to be root, reaches it.
const STORED: &str = "/var/tmp/roundtrip-bench";

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
        rows.extend(reads::rows(program, Path::new(STORED), seconds(20, 4))?);
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
    let bar = Peer { name: "the bar".into(), value: MEMORY_MIB_MAX };
    Row::new(name, mib, "MiB", bar, BarIs::ValueAtMost, MEMORY_MIB_MAX)
}

fn uploads(program: &Path, duration: Duration) -> Result<Vec<Row>, String> {
    let data_dir = tempfile::tempdir().map_err(|error| error.to_string())?;
    let service = Service::start(program, data_dir.path())?;
    let sender = Sender::new(&service)?;
    eprintln!("making the uploads of {MACHINES} machines");
    let machines: Vec<LabMachine> = (0..MACHINES).map(LabMachine::new).collect();
    let commits = AtomicU64::new(1);
    let introduced = ingest::introduce(&sender, &machines, &commits)?;
    eprintln!(
        "the first upload of a machine, with {RESULTS} series that are new: p50 {} ms",
        ms(&introduced, 500_000)
    );
    let half = INGEST_MIN / 2 / RESULTS;
    let paced = ingest::paced(&sender, &machines, &commits, half, duration)?;
    eprintln!(
        "at {half} uploads a second: p50 {} ms, p99 {} ms, at most {} ms",
        ms(&paced, 500_000),
        ms(&paced, 990_000),
        paced.max_ns() / 1_000_000,
    );
    let before = service.spent();
    let sustained = ingest::sustained(&sender, &machines, &commits, duration)?;
    let spent = service.spent().since(before);
    eprintln!(
        "{} results/s, {} MB/s of bodies, p50 {} ms, p99 {} ms, {} told to come back; processor time of a result: \
         server {:.0} us, PostgreSQL {:.0} us, clients {:.0} us",
        sustained.results_per_second,
        sustained.body_bytes_per_second / 1_000_000,
        ms(&sustained.times, 500_000),
        ms(&sustained.times, 990_000),
        sender.refused.load(Ordering::Relaxed),
        spent.server * 1e6 / sustained.results,
        spent.postgres * 1e6 / sustained.results,
        spent.clients * 1e6 / sustained.results,
    );
    let caught_up = service.until_searched()?;
    let resident_mib_max = service.resident_mib_max()?;
    let bombs = bombs::rows(&sender)?;
    let resident_after_bombs_mib_max = service.resident_mib_max()?;
    let bencher = |value: f64, name: &str| Peer { name: format!("Bencher 0.6.12, {name}"), value };
    let mut rows = vec![
        Row::new(
            "ingest, 100 results of 10 histograms an upload",
            sustained.results_per_second,
            "results/s",
            bencher(11_607.0, "100 numbers a request (11,607/s)"),
            BarIs::ValueAtLeast,
            INGEST_MIN.into(),
        ),
        Row::new(
            "until all that was stored is searched for changes, after that load",
            caught_up,
            "ms",
            Peer { name: "the load (60 s)".into(), value: duration.as_secs_f64() * 1e3 },
            BarIs::ValueAtMost,
            CAUGHT_UP_MS_MAX,
        ),
        Row::new(
            format!("p99 of an upload at {half} a second"),
            ms(&paced, 990_000),
            "ms",
            Peer {
                name: format!("its p50 ({} ms)", ms(&paced, 500_000)),
                value: paced.quantile_ns(500_000) as f64 / 1e6,
            },
            BarIs::ValueAtMost,
            UPLOAD_MS_MAX,
        ),
        memory_row("resident memory of the server, at most", resident_mib_max),
    ];
    rows.extend(bombs);
    rows.push(Row::new(
        "resident memory of the server after these, at most",
        resident_after_bombs_mib_max,
        "MiB",
        Peer { name: format!("before them ({resident_mib_max} MiB)"), value: resident_mib_max as f64 },
        BarIs::ValueAtMost,
        MEMORY_MIB_MAX + INFLATED_MIB_MAX,
    ));
    Ok(rows)
}
