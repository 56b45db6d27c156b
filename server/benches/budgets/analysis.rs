//! Speed of change detection over the whole database, from stored rows to regressions with their suspect commits. An
//! update that changes the detection method causes this work.

use crate::memory_row;
use crate::service::{History, Service};
use roundtrip_budget::{BarIs, Peer, Row};
use std::path::Path;

/// Points of each series.
const POINTS: u32 = 200;
/// 100,000 series per minute.
const POINTS_PER_SECOND_MIN: u32 = 100_000 * POINTS / 60;

/// Prints the CPU time and returns the rows.
pub(crate) fn rows(program: &Path, is_quick: bool) -> Result<Vec<Row>, String> {
    let series = if is_quick { 2_000 } else { 20_000 };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let wide = History { project: "wide", machines: 10, series, commits: POINTS, histograms: Some(0) };
    wide.store(program, folder.path())?;
    let service = Service::start(program, folder.path())?;
    let before = service.cpu_time();
    let ms = service.wait_for_analysis()?;
    let cpu = service.cpu_time().since(before);
    eprintln!(
        "CPU time per series: server {:.0} us, PostgreSQL {:.0} us",
        cpu.server * 1e6 / f64::from(series),
        cpu.postgres * 1e6 / f64::from(series),
    );
    Ok(vec![
        Row::new(
            format!("change detection over p50, p99 and tail of {series} series of {POINTS} points"),
            u64::from(series * POINTS) * 1_000 / ms.max(1),
            "points/s",
            Peer { name: "100,000 series in 60 s".into(), value: POINTS_PER_SECOND_MIN.into() },
            BarIs::ValueAtLeast,
            POINTS_PER_SECOND_MIN.into(),
        ),
        memory_row("server resident memory, peak", service.peak_memory_mib()?),
    ])
}
