//! The advice in words: the fastest transport, ties, and how message size would change the ranking.

use super::{AdviceChange, RankedTransport};
use crate::units::{ratio, size, time};
use roundtrip_advisor::Figure;

/// The receive mode that busy-waits.
const SPIN: &str = "spin";
/// Maximum number of tied transports to name.
const NAMED_MAX: usize = 3;

/// The advice, in a few sentences. Uses slugs, because titles can contain commas.
pub(super) fn answer(ranking: &[RankedTransport], changes: &[AdviceChange], by: Figure) -> String {
    let Some(first) = ranking.first() else {
        return "No transport has results for these sizes.".into();
    };
    let mut sentences = vec![format!("{}: {}.", name(first), cost(first, by))];
    let sleeping = ranking.iter().find(|other| !is_spinning(other));
    match sleeping {
        _ if !is_spinning(first) => sentences.extend(others(ranking)),
        Some(other) => sentences.push(format!(
            "It busy-waits: each end needs its own processor. Otherwise use {}: {}.",
            name(other),
            cost(other, by)
        )),
        None => sentences.push("It busy-waits: each end needs its own processor.".into()),
    }
    for change in changes {
        if let Some(other) = ranking.get(change.place) {
            sentences.push(format!("{}, {} would be first.", messages(change.factor), name(other)));
        }
    }
    sentences.join(" ")
}

/// Why a transport whose longest measured size is too short is not ranked.
pub(super) fn too_short(above_share: f64, longest_bytes: u64, most: f64) -> String {
    format!(
        "Measured up to {} only, but {} of the messages are longer (limit: {}).",
        size(longest_bytes),
        percent(above_share),
        percent(most)
    )
}

/// The transports tied with the first, or else the second one.
fn others(ranking: &[RankedTransport]) -> Option<String> {
    let tied = |other: &&RankedTransport| other.behind_first.is_some_and(|behind| !behind.is_sure);
    let names: Vec<&str> = ranking.iter().filter(tied).map(name).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let named = names[..names.len() - more].join(", ");
    match (names.len(), more) {
        (0, _) => {
            let second = ranking.get(1)?;
            Some(format!("Next: {}, {}x the time.", name(second), ratio(second.behind_first?.ratio)))
        }
        (_, 0) => Some(format!("Statistically tied: {named}.")),
        _ => Some(format!("Statistically tied: {named} and {more} more.")),
    }
}

fn cost(ranked: &RankedTransport, by: Figure) -> String {
    let latency = &ranked.latency_ns;
    let [p50, p98, p99] = [latency.p50, latency.p98, latency.p99].map(time);
    match by {
        Figure::Mean => format!("mean round trip {}", time(latency.mean)),
        Figure::P50 => format!("median round trip {p50}, p99 {p99}"),
        Figure::P98 => format!("p98 round trip {p98}, median {p50}"),
        Figure::P99 => format!("p99 round trip {p99}, median {p50}"),
    }
}

fn messages(factor: f64) -> String {
    if factor > 1.0 {
        format!("With {factor}x longer messages")
    } else {
        format!("With {}x shorter messages", 1.0 / factor)
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
