//! The bars of the transport suite.

use crate::comparison::Turn;
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::interval::Interval;
use roundtrip_stats::share;

const CONFIDENCE: f64 = 0.95;
const BARE_LOOP: &str = "a bare C loop";

/// A bar for the ratio of the harness's time to the bare loop's, with the ratio's interval in millionths.
pub(crate) fn ratio_at_most(bar: f64, name: String, turn: Turn, interval: Option<Interval>) -> Row {
    ratio_to(BARE_LOOP, bar, name, turn, interval)
}

/// A bar for the ratio of a time to that of another program, with the ratio's interval in millionths.
pub(crate) fn ratio_to(other: &str, bar: f64, name: String, turn: Turn, interval: Option<Interval>) -> Row {
    Row::new(name, turn.value, "ns", peer(other, turn), BarIs::RatioAtMost, bar)
        .with_interval(millionths(interval))
}

/// A bar for an absolute time, independent of the bare loop.
pub(crate) fn value_at_most(bar_ns: u64, name: String, turn: Turn, interval: Option<Interval>) -> Row {
    Row::new(name, turn.value, "ns", peer(BARE_LOOP, turn), BarIs::ValueAtMost, bar_ns as f64)
        .with_interval(millionths(interval))
}

/// A bar for a rate that must not fall below another rate.
pub(crate) fn rate_at_least(bar: f64, name: String, rates: Turn, interval: Option<Interval>) -> Row {
    let Turn { value, peer } = rates;
    let peer = Peer { name: format!("one receiver ({peer}/s)"), value: peer.max(1) as f64 };
    Row::new(name, value, "/s", peer, BarIs::RatioAtLeast, bar).with_interval(millionths(interval))
}

/// A bar for a share.
pub(crate) fn share((bar_is, bar): (BarIs, f64), name: String, (found, all): (u64, u64)) -> Row {
    let peer = Peer { name: format!("all {all} comparisons"), value: all.max(1) as f64 };
    Row::new(name, found, "", peer, bar_is, bar).with_interval(Some(share::interval(found, all, CONFIDENCE)))
}

/// A bar for the time of one procedure relative to another, each measured once.
pub(crate) fn time_at_most(bar: f64, name: String, value_ms: u64, (other, other_ms): (String, u64)) -> Row {
    let peer = Peer { name: format!("{other}, {other_ms} ms"), value: other_ms.max(1) as f64 };
    Row::new(name, value_ms, "ms", peer, BarIs::RatioAtMost, bar)
}

fn peer(name: &str, Turn { peer, .. }: Turn) -> Peer {
    Peer { name: format!("{name} ({peer} ns)"), value: peer as f64 }
}

fn millionths(interval: Option<Interval>) -> Option<[f64; 2]> {
    interval.map(|Interval { low, high, .. }| [low, high].map(|ppm| ppm as f64 / 1e6))
}
