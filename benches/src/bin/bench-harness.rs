//! `cargo xtask bench harness`: what the harness adds to a bare C loop that makes the same calls.
//!
//! The two take turns, fresh processes each time, on the same processor; what is compared is the median over the
//! turns of each one's p50. Prints one row a bar; exit code 3 when one does not hold.

use roundtrip_bench::definition::{Mode, Placement, PlannedCase, Repetitions};
use roundtrip_bench::harness::{PeerCommand, pair};
use roundtrip_bench::scenario::{self, Work};
use roundtrip_bench::sys::affinity;
use roundtrip_bench::transport;
use roundtrip_stats::{Quartiles, nearest_rank};
use serde::Serialize;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// `p50 of roundtrip/pipe/same-cpu/1024 B` may be this much of the bare loop's.
const BAR: f64 = 1.05;
const MESSAGE_BYTES: usize = 1024;
const WARMUP: u64 = 500;
const OPERATIONS: u64 = 5_000;

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    value: u64,
    unit: &'static str,
    bar: f64,
    ratio_to: String,
    ratio: f64,
    holds: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "peer") {
        return roundtrip_bench::peer::main();
    }
    let turns = if arguments.iter().any(|argument| argument == "--quick") { 11 } else { 41 };
    match measure(turns) {
        Ok(row) => {
            if arguments.iter().any(|argument| argument == "json") {
                println!("{}", serde_json::to_string_pretty(&[&row]).unwrap_or_default());
            } else {
                let Row { name, value, unit, bar, ratio_to, ratio, holds } = &row;
                let verdict = if *holds { "holds" } else { "MISSED" };
                println!("{name}: {value} {unit}; bar {bar:.2} of {ratio_to}; ratio {ratio:.3}; {verdict}");
            }
            if row.holds { ExitCode::SUCCESS } else { ExitCode::from(3) }
        }
        Err(error) => {
            eprintln!("bench-harness: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(turns: usize) -> Result<Row, String> {
    let cpu = *affinity::allowed().map_err(|error| error.to_string())?.last().ok_or("no processor")?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let bare = folder.path().join("roundtrip");
    compile(&bare)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for turn in 0..turns {
        // Who goes first alternates, so that neither always finds the machine as the other left it.
        if turn % 2 == 0 {
            ours.push(harness_p50()?);
            theirs.push(bare_p50(&bare, cpu)?);
        } else {
            theirs.push(bare_p50(&bare, cpu)?);
            ours.push(harness_p50()?);
        }
    }
    let median = |values: &[u64]| Quartiles::of(values).map(|quartiles| quartiles.median).ok_or("no turns");
    let (ours, theirs) = (median(&ours)?, median(&theirs)?);
    let ratio = ours as f64 / theirs as f64;
    Ok(Row {
        name: format!("p50 of roundtrip/pipe/2proc/same-cpu/{MESSAGE_BYTES} B, median of {turns} turns"),
        value: ours,
        unit: "ns",
        bar: BAR,
        ratio_to: format!("a bare C loop ({theirs} ns)"),
        ratio,
        holds: ratio <= BAR,
    })
}

fn compile(program: &Path) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("reference/roundtrip.c");
    let status = Command::new("cc").args(["-O2", "-o"]).arg(program).arg(source).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cc ended with {status}")),
        Err(error) => Err(format!("a C compiler called `cc` is needed for the bare loop: {error}")),
    }
}

fn harness_p50() -> Result<u64, String> {
    let case = PlannedCase {
        transport: transport::find("pipe").ok_or("no pipe")?,
        scenario: scenario::find("roundtrip").ok_or("no roundtrip")?,
        mode: Mode::TwoProcesses,
        placement: Placement::SameCpu,
        total_bytes: None,
        work: Work {
            message_bytes: MESSAGE_BYTES,
            messages_per_operation: 1,
            operations: OPERATIONS,
            warmup: WARMUP,
            batch: 1,
            ..Work::default()
        },
        buffer_bytes: None,
        probe: None,
        repetitions: Repetitions::exactly(1),
    };
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let peer = PeerCommand { program, arguments: vec!["peer".into()] };
    let mut report = pair::run(&case, &peer, Duration::from_secs(30), &mut |_| {})?;
    report.initiator.samples_ns.sort_unstable();
    nearest_rank(&report.initiator.samples_ns, 500_000).ok_or_else(|| "no samples".into())
}

fn bare_p50(program: &Path, cpu: u32) -> Result<u64, String> {
    let arguments = [cpu.to_string(), MESSAGE_BYTES.to_string(), WARMUP.to_string(), OPERATIONS.to_string()];
    let output = Command::new(program).args(arguments).output().map_err(|error| error.to_string())?;
    let times: Vec<u64> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.parse().ok()).collect();
    nearest_rank(&times, 500_000).ok_or_else(|| "the bare loop printed no times".into())
}
