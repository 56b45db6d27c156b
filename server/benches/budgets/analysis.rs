//! How fast all that is stored is searched for changes, as after an update that finds them otherwise: from the rows of the
//! database to regressions with their culprits.

use crate::memory_row;
use crate::service::{History, Service};
use roundtrip_budget::{BarIs, Peer, Row};
use std::path::Path;

/// Of each series.
const POINTS: u32 = 200;
/// A hundred thousand such series in a minute.
const POINTS_PER_SECOND_MIN: u32 = 100_000 * POINTS / 60;

pub(crate) fn rows(program: &Path, is_quick: bool) -> Result<Vec<Row>, String> {
    let series = if is_quick { 2_000 } else { 20_000 };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let wide = History { project: "wide", machines: 10, series, commits: POINTS, histograms: Some(0) };
    wide.store(program, folder.path())?;
    let service = Service::start(program, folder.path())?;
    let before = service.spent();
    let ms = service.until_searched()?;
    let spent = service.spent().since(before);
    eprintln!(
        "processor time of a series: server {:.0} us, PostgreSQL {:.0} us",
        spent.server * 1e6 / f64::from(series),
        spent.postgres * 1e6 / f64::from(series),
    );
    Ok(vec![
        Row::new(
            format!("{series} series of {POINTS} points searched again, p50 and p99"),
            u64::from(series * POINTS) * 1_000 / ms.max(1),
            "points/s",
            Peer { name: "100,000 such series in 60 s".into(), value: POINTS_PER_SECOND_MIN.into() },
            BarIs::ValueAtLeast,
            POINTS_PER_SECOND_MIN.into(),
        ),
        memory_row("resident memory of the server meanwhile, at most", service.resident_mib_max()?),
    ])
}
