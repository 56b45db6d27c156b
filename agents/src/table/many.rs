//! Results of `route` and the channels: how many to how many, how they wait, and the time a message that arrived took.

use super::row;
use crate::format::{count, half_width, nanoseconds, percent};
use roundtrip_stats::comparison::CONFIDENCE_PPM;
use roundtrip_stats::{Quartiles, interval};
use roundtrip_wire::{CaseResult, Repetition};

/// Heads of the columns.
pub(super) const HEADER: [&str; 11] = [
    "transport",
    "message",
    "from",
    "to",
    "waits",
    "wakes",
    "when full",
    "storage",
    "a message delivered",
    "\u{b1}",
    "delivered",
];

/// The cells of one result that has repetitions.
pub(super) fn cells(result: &CaseResult) -> Vec<String> {
    let (case, methodology) = (&result.case, &result.methodology);
    let times_ns: Vec<u64> = result.repetitions.iter().filter_map(|one| time_ns(one, case.peers)).collect();
    let time = Quartiles::of(&times_ns).map_or("nothing arrived".into(), |times| nanoseconds(times.median));
    let interval = interval::median(&times_ns, CONFIDENCE_PPM);
    let uncertainty = interval.map(|interval| half_width(interval.low, interval.high, interval.median));
    vec![
        result.transport.slug.to_string(),
        row::message(result),
        count(u64::from(case.senders.unwrap_or(1))),
        count(u64::from(case.peers)),
        methodology.receive.to_string(),
        methodology.wake.as_ref().map_or("never".into(), ToString::to_string),
        methodology.on_full.to_string(),
        methodology.storage.to_string(),
        time,
        uncertainty.unwrap_or_default(),
        delivered(result),
    ]
}

/// From the first send to the last receipt, shared among the messages that every receiver got. What was attempted and
/// not taken is no message: time divided by attempts is a rate of nothing.
fn time_ns(repetition: &Repetition, receivers: u32) -> Option<u64> {
    repetition.elapsed_ns.checked_div(repetition.delivered / u64::from(receivers.max(1)))
}

fn delivered(result: &CaseResult) -> String {
    let sum = |of: fn(&Repetition) -> u64| result.repetitions.iter().map(of).sum::<u64>();
    let (attempted, accepted) = (sum(|one| one.attempted), sum(|one| one.accepted));
    let mut text = row::delivered(result);
    if result.is_lossy() {
        let share = percent(accepted as f64 / attempted.max(1) as f64);
        text = format!("LOSSY: {share} of {} attempts taken", count(attempted));
        let expected = accepted * u64::from(result.case.peers);
        if sum(|one| one.delivered) != expected {
            text = format!("{text}, {} of these delivered", count(sum(|one| one.delivered)));
        }
        text.push_str(&row::remarks(result));
    }
    if result.oversubscribed { format!("{text}, oversubscribed") } else { text }
}
