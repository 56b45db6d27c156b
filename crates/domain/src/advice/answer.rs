//! What to take, in words: what it depends on, and what would change it.

use super::{AdviceChange, RankedTransport};
use crate::units::{ratio, size, time};
use roundtrip_advisor::Figure;

/// A receive that never gives up its processor.
const SPIN: &str = "spin";
/// So many of those that cannot be told from the first are named.
const NAMED_MAX: usize = 3;

/// What to take, in a few sentences. Transports are called as commands call them: a title may have a comma.
pub(super) fn answer(ranking: &[RankedTransport], changes: &[AdviceChange], by: Figure) -> String {
    let Some(first) = ranking.first() else {
        return "No transport was measured over these sizes.".into();
    };
    let mut sentences = vec![format!("{}: {}.", name(first), cost(first, by))];
    let sleeping = ranking.iter().find(|other| !is_spinning(other));
    match sleeping {
        _ if !is_spinning(first) => sentences.extend(others(ranking)),
        Some(other) => sentences.push(format!(
            "It never sleeps: each end needs a processor of its own. Else it is {}: {}.",
            name(other),
            cost(other, by)
        )),
        None => sentences.push("It never sleeps: each end needs a processor of its own.".into()),
    }
    for change in changes {
        if let Some(other) = ranking.get(change.place) {
            sentences.push(format!("{}, {} would be first.", messages(change.factor), name(other)));
        }
    }
    sentences.join(" ")
}

/// Why a transport is not ranked that was measured up to a size only.
pub(super) fn too_short(above_share: f64, longest_bytes: u64, most: f64) -> String {
    format!(
        "It was measured up to {}, and {} of the messages are longer: at most {} may be.",
        size(longest_bytes),
        percent(above_share),
        percent(most)
    )
}

/// Those that may be as fast as the first one, or else the next one.
fn others(ranking: &[RankedTransport]) -> Option<String> {
    let tied = |other: &&RankedTransport| other.behind_first.is_some_and(|behind| !behind.is_sure);
    let names: Vec<&str> = ranking.iter().filter(tied).map(name).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let named = names[..names.len() - more].join(", ");
    match (names.len(), more) {
        (0, _) => {
            let second = ranking.get(1)?;
            Some(format!("Next is {}: {} times as long.", name(second), ratio(second.behind_first?.ratio)))
        }
        (_, 0) => Some(format!("Not told apart from it: {named}.")),
        _ => Some(format!("Not told apart from it: {named} and {more} more.")),
    }
}

fn cost(ranked: &RankedTransport, by: Figure) -> String {
    let latency = &ranked.latency_ns;
    let [p50, p98, p99] = [latency.p50, latency.p98, latency.p99].map(time);
    match by {
        Figure::Mean => format!("{} on average, there and back", time(latency.mean)),
        Figure::P50 => format!("{p50} at the median, there and back, and {p99} at p99"),
        Figure::P98 => format!("{p98} at p98, there and back, and {p50} at the median"),
        Figure::P99 => format!("{p99} at p99, there and back, and {p50} at the median"),
    }
}

fn messages(factor: f64) -> String {
    if factor > 1.0 {
        format!("With messages {factor} times as long")
    } else {
        format!("With messages {} times as short", 1.0 / factor)
    }
}

fn name(ranked: &RankedTransport) -> &str {
    ranked.transport.slug.as_str()
}

fn is_spinning(ranked: &RankedTransport) -> bool {
    ranked.receive.as_str() == SPIN
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = usize::from(percent < 9.95);
    format!("{percent:.decimals$} %")
}
