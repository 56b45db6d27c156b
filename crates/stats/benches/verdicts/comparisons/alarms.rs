//! A/A comparisons: the share in which any change is reported.

use super::draws::Truth;
use super::simulated::{Machine, compare_pairs, reports, starred};
use super::{ROWS, SEED};
use crate::noise::{Level, Noise, levels};
use rand::{SeedableRng, rngs::StdRng};
use roundtrip_budget::{BarIs, Peer, Row};
use roundtrip_stats::{share, verdict};

pub(super) fn rows(is_quick: bool) -> Vec<Row> {
    let comparisons = if is_quick { 40 } else { 2_000 };
    let machines = [("rows apart", Machine::Independent), ("noise in common", Machine::Shared)];
    let mut rows = Vec::new();
    for (name, machine) in machines {
        // Alternating pairs cancel the drift of a machine. Reports do not, so they have no target under autocorrelated
        // noise.
        let all: Vec<Truth> = equal(|_| true);
        let steady: Vec<Truth> = equal(|level| level != Level::Of(Noise::Autocorrelated));
        let peer = stars(&steady, machine, comparisons.min(400));
        let mut pairs = 0;
        // These take most of the time.
        let some = comparisons / 2;
        let in_turn = alarms(some, |random| {
            let (rows, used) = compare_pairs(&all, machine, random);
            pairs += used;
            rows.iter().any(verdict::Row::changed)
        });
        eprintln!(
            "a side with itself, pairs, {name}: {:.1} pairs a row",
            pairs as f64 / (some * ROWS) as f64
        );
        rows.push(row(&format!("false alarms, pairs, {name}"), in_turn, some, &peer));
        for count in [10, 30] {
            let of_reports = alarms(comparisons, |random| {
                reports(&steady, machine, count, random).iter().any(verdict::Row::changed)
            });
            rows.push(row(
                &format!("false alarms, reports of {count}, {name}"),
                of_reports,
                comparisons,
                &peer,
            ));
        }
    }
    rows
}

/// A comparison of unchanged rows, cycling through these kinds of noise.
fn equal(is_wanted: impl Fn(Level) -> bool) -> Vec<Truth> {
    let levels: Vec<Level> =
        levels().into_iter().map(|(_, level)| level).filter(|&level| is_wanted(level)).collect();
    levels.into_iter().cycle().take(ROWS).map(Truth::equal).collect()
}

fn alarms(comparisons: usize, mut is_alarm: impl FnMut(&mut StdRng) -> bool) -> usize {
    let mut random = StdRng::seed_from_u64(SEED);
    (0..comparisons).filter(|_| is_alarm(&mut random)).count()
}

fn stars(rows: &[Truth], machine: Machine, comparisons: usize) -> Peer {
    let found = alarms(comparisons, |random| starred(rows, machine, random).contains(&true));
    crate::peer("stars of 30 runs", found as f64 / comparisons as f64)
}

fn row(name: &str, found: usize, comparisons: usize, peer: &Peer) -> Row {
    let [low, high] = share::interval(found as u64, comparisons as u64, 0.95);
    eprintln!(
        "{name}: {found} of {comparisons} comparisons of {ROWS} rows ({:.2} % to {:.2} %)",
        100.0 * low,
        100.0 * high
    );
    let share = found as f64 / comparisons as f64;
    crate::row(name, share, peer.clone(), BarIs::ValueAtMost, 0.01)
}
