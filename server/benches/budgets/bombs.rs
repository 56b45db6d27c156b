//! Time to reject small bodies that would exhaust the server's memory or stack.

use crate::ingest::Sender;
use crate::open_loop::ns_since;
use flate2::Compression;
use flate2::write::GzEncoder;
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use roundtrip_wire::RunId;
use std::io::{Read, repeat};
use std::time::Instant;

/// The inflated size of a body, far above the limit.
const INFLATED_BYTES: u64 = 1 << 30;
/// Nesting levels of the JSON body.
const DEPTH: usize = 100_000;
const REQUESTS: usize = 200;
/// The time limit of a rejection, in milliseconds.
const MS_MAX: u32 = 200;

/// Returns one row per kind of body.
///
/// # Errors
/// The server returned a status other than 413 or 422.
pub(crate) fn rows(sender: &Sender) -> Result<Vec<Row>, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut repeat(0).take(INFLATED_BYTES), &mut gzip).map_err(text)?;
    let gzip = gzip.finish().map_err(text)?;
    let zstd = zstd::encode_all(repeat(0).take(INFLATED_BYTES), 1).map_err(text)?;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    let deep = format!(r#"{{"schema_version":1,"later":{open}{close}}}"#).into_bytes();
    let title = |name: &str, bytes: usize| {
        format!("reject {} KiB of {name} that inflate to 1 GiB, p99", bytes.div_ceil(1_024))
    };
    let mut rows = Vec::new();
    for (name, encoding, body) in [
        (title("gzip", gzip.len()), "gzip", gzip),
        (title("zstd", zstd.len()), "zstd", zstd),
        (format!("reject JSON of {DEPTH} levels, p99"), "identity", deep),
    ] {
        let times = time_rejections(sender, encoding, &body)?;
        let p50_ms = times.quantile_ns(500_000) as f64 / 1e6;
        rows.push(Row::new(
            name,
            times.quantile_ns(990_000).div_ceil(1_000_000),
            "ms",
            Peer { name: format!("its p50 ({p50_ms:.1} ms)"), value: p50_ms },
            BarIs::ValueAtMost,
            MS_MAX.into(),
        ));
    }
    Ok(rows)
}

fn time_rejections(sender: &Sender, encoding: &str, body: &[u8]) -> Result<Distribution, String> {
    let mut times_ns = Vec::new();
    for _ in 0..REQUESTS {
        let sent = Instant::now();
        let status = sender.status(&RunId::draw().to_string(), encoding, body)?;
        times_ns.push(ns_since(sent));
        if !matches!(status, 413 | 422) {
            return Err(format!("{encoding}: expected status 413 or 422, got {status}"));
        }
    }
    Distribution::of_samples(times_ns).ok_or_else(|| "no samples".to_owned())
}
