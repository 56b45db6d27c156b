//! What to take, in words: what it depends on, and what would change it.

use super::{AdviceChange, RankedTransport};
use crate::units::{size, time};
use roundtrip_advisor::Figure;
use roundtrip_wire::Slug;

/// A receive that never gives up its processor.
const SPIN: &str = "spin";
/// So many of those that cannot be told from the first are named.
const NAMED_MAX: usize = 3;

/// What to take, in a few sentences.
pub(super) fn answer(ranking: &[RankedTransport], changes: &[AdviceChange], by: Figure) -> String {
    let Some(first) = ranking.first() else {
        return "No transport was measured over these sizes.".into();
    };
    let mut sentences = vec![format!("{}: {}.", name(first), cost(first, by))];
    if is(&first.receive, SPIN) {
        let needs = "It never sleeps, so it needs a processor for each end.";
        sentences.push(match ranking.iter().find(|other| !is(&other.receive, SPIN)) {
            Some(other) => {
                format!("{needs} Without one to spare it is {}: {}.", name(other), cost(other, by))
            }
            None => needs.to_owned(),
        });
    } else if ranking.iter().any(|other| is(&other.receive, SPIN)) {
        sentences.push("Transports that never sleep were measured as well, and are not ahead.".into());
    }
    sentences.extend(ties(ranking));
    for change in changes {
        let Some(other) = ranking.get(change.place) else { continue };
        sentences.push(format!("{}, {} would be first.", messages(change.factor), name(other)));
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

/// Those that may be as fast as the first one.
fn ties(ranking: &[RankedTransport]) -> Option<String> {
    let tied = |other: &&RankedTransport| other.behind_first.is_some_and(|behind| !behind.is_sure);
    let names: Vec<&str> = ranking.iter().filter(tied).map(name).collect();
    let named = names.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => {
            let second = ranking.get(1)?;
            let behind = second.behind_first?;
            Some(format!("Next is {}, which takes {:.2} times as long.", name(second), behind.ratio))
        }
        count if count > NAMED_MAX => {
            Some(format!("{named} and {} more cannot be told from it.", count - NAMED_MAX))
        }
        _ => Some(format!("{named} cannot be told from it.")),
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
    &ranked.transport.title
}

fn is(receive: &Slug, what: &str) -> bool {
    receive.as_str() == what
}

/// As in `0.1 %` or `34 %`.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = usize::from(percent < 9.95);
    format!("{percent:.decimals$} %")
}
