//! What a sweep of buffer sizes says: where the rate is best, and where it collapses beyond that.

use super::row::rates_per_second;
use crate::format::{bytes, percent};
use roundtrip_stats::Quartiles;
use roundtrip_wire::CaseResult;

/// Fewer sizes are no sweep.
const SIZES_MIN: usize = 5;

/// A rate that falls below this share of the best one, and stays there, has collapsed.
const COLLAPSED_SHARE: f64 = 0.7;

/// One line a transport that was swept over many sizes of message with the same total.
pub(super) fn lines(results: &[&CaseResult]) -> Vec<String> {
    let mut slugs: Vec<&str> = Vec::new();
    for result in results {
        let slug = result.transport.slug.as_str();
        if result.case.scenario.as_str() == "stream" && !slugs.contains(&slug) {
            slugs.push(slug);
        }
    }
    slugs.into_iter().filter_map(|slug| line(slug, results)).collect()
}

fn line(slug: &str, results: &[&CaseResult]) -> Option<String> {
    let mut sizes: Vec<(u64, Quartiles)> = results
        .iter()
        .filter(|result| result.transport.slug.as_str() == slug)
        .filter_map(|result| Some((result.case.message_bytes, rates_per_second(result)?)))
        .collect();
    let one_total = results.windows(2).all(|pair| pair[0].case.total_bytes == pair[1].case.total_bytes);
    if sizes.len() < SIZES_MIN || !one_total {
        return None;
    }
    sizes.sort_unstable_by_key(|(size, _)| *size);
    let best = (0..sizes.len()).max_by_key(|&index| sizes[index].1.median)?;
    let (best_bytes, best_rate) = sizes[best];
    let share = |rate: Quartiles| rate.median as f64 / best_rate.median as f64;
    let mut line = format!("{slug}: best at {}, {}/s", bytes(best_bytes), bytes(best_rate.median));
    let beyond = &sizes[best + 1..];
    let from =
        beyond.iter().rposition(|&(_, rate)| share(rate) >= COLLAPSED_SHARE).map_or(0, |index| index + 1);
    line += &match (beyond.get(from), beyond.last()) {
        (Some(&(size, rate)), _) => {
            format!("; from {} on it falls to {} of that", bytes(size), percent(share(rate)))
        }
        (None, Some(&(size, rate))) => format!("; at {} still {} of that", bytes(size), percent(share(rate))),
        (None, None) => "; no larger size was measured".into(),
    };
    Some(line)
}
