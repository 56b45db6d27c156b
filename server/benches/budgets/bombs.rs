//! How soon the server refuses bodies that would take all its memory, or its stack: small as they are sent.

use crate::ingest::Sender;
use crate::open_loop::ns_since;
use flate2::Compression;
use flate2::write::GzEncoder;
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::Distribution;
use roundtrip_wire::RunId;
use std::io::{Read, repeat};
use std::time::Instant;

/// What a body inflates to: far more than is allowed.
const INFLATED_BYTES: u64 = 1 << 30;
const DEPTH: usize = 100_000;
const TIMES: usize = 200;
/// Milliseconds until it is refused.
const MS_MAX: u32 = 200;

/// One row for each; whatever else than 413 or 422 it is answered with is an error.
pub(crate) fn rows(sender: &Sender) -> Result<Vec<Row>, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut repeat(0).take(INFLATED_BYTES), &mut gzip).map_err(wrong)?;
    let gzip = gzip.finish().map_err(wrong)?;
    let zstd = zstd::encode_all(repeat(0).take(INFLATED_BYTES), 1).map_err(wrong)?;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    let deep = format!(r#"{{"schema_version":1,"later":{open}{close}}}"#).into_bytes();
    let of_a_bomb = |name: &str, bytes: usize| {
        format!("1 GiB in {} KiB of {name} is refused, p99", bytes.div_ceil(1_024))
    };
    let mut rows = Vec::new();
    for (title, encoding, body) in [
        (of_a_bomb("gzip", gzip.len()), "gzip", gzip),
        (of_a_bomb("zstd", zstd.len()), "zstd", zstd),
        (format!("JSON of {DEPTH} levels is refused, p99"), "identity", deep),
    ] {
        let times = refusals(sender, encoding, &body)?;
        let p50_ms = times.quantile_ns(500_000) as f64 / 1e6;
        rows.push(Row::new(
            title,
            times.quantile_ns(990_000).div_ceil(1_000_000),
            "ms",
            Peer { name: format!("its p50 ({p50_ms:.1} ms)"), value: p50_ms },
            BarIs::ValueAtMost,
            MS_MAX.into(),
        ));
    }
    Ok(rows)
}

fn refusals(sender: &Sender, encoding: &str, body: &[u8]) -> Result<Distribution, String> {
    let mut times_ns = Vec::new();
    for _ in 0..TIMES {
        let sent = Instant::now();
        let status = sender.status(&RunId::draw().to_string(), encoding, body)?;
        times_ns.push(ns_since(sent));
        if !matches!(status, 413 | 422) {
            return Err(format!("{encoding}: answered with {status} in place of 413 or 422"));
        }
    }
    Distribution::of_samples(times_ns).ok_or_else(|| "nothing was refused".to_owned())
}
