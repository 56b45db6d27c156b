//! The bars of the transport suite.

use crate::comparison::Turn;
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::interval::Interval;

/// A bar for the ratio of the harness's time to the bare loop's, with the ratio's interval in millionths.
pub(crate) fn ratio_at_most(bar: f64, name: String, turn: Turn, interval: Option<Interval>) -> Row {
    Row::new(name, turn.harness_ns, "ns", bare_loop(turn), BarIs::RatioAtMost, bar)
        .with_interval(millionths(interval))
}

/// A bar for an absolute time, independent of the bare loop.
pub(crate) fn value_at_most(bar_ns: u64, name: String, turn: Turn, interval: Option<Interval>) -> Row {
    Row::new(name, turn.harness_ns, "ns", bare_loop(turn), BarIs::ValueAtMost, bar_ns as f64)
        .with_interval(millionths(interval))
}

/// A bar for a rate that must not fall below another rate.
pub(crate) fn rate_at_least(
    bar: f64,
    name: String,
    (rate, other): (u64, u64),
    interval: Option<Interval>,
) -> Row {
    let peer = Peer { name: format!("one receiver ({other}/s)"), value: other.max(1) as f64 };
    Row::new(name, rate, "/s", peer, BarIs::RatioAtLeast, bar).with_interval(millionths(interval))
}

/// A bar for the largest share, with its interval.
pub(crate) fn share_at_most(bar: f64, name: String, (found, all): (u64, u64), interval: [f64; 2]) -> Row {
    Row::new(name, found, "", comparisons(all), BarIs::RatioAtMost, bar).with_interval(Some(interval))
}

/// A bar for the smallest share, with its interval.
pub(crate) fn share_at_least(bar: f64, name: String, (found, all): (u64, u64), interval: [f64; 2]) -> Row {
    Row::new(name, found, "", comparisons(all), BarIs::RatioAtLeast, bar).with_interval(Some(interval))
}

/// A bar for the time of one procedure relative to another, each measured once.
pub(crate) fn time_at_most(bar: f64, name: String, value_ms: u64, (other, other_ms): (String, u64)) -> Row {
    let peer = Peer { name: format!("{other}, {other_ms} ms"), value: other_ms.max(1) as f64 };
    Row::new(name, value_ms, "ms", peer, BarIs::RatioAtMost, bar)
}

fn bare_loop(Turn { bare_ns, .. }: Turn) -> Peer {
    Peer { name: format!("a bare C loop ({bare_ns} ns)"), value: bare_ns as f64 }
}

fn comparisons(all: u64) -> Peer {
    Peer { name: format!("all {all} comparisons"), value: all.max(1) as f64 }
}

fn millionths(interval: Option<Interval>) -> Option<[f64; 2]> {
    interval.map(|Interval { low, high, .. }| [low, high].map(|ppm| ppm as f64 / 1e6))
}
