//! Pipes or sockets on your machine? The FreeBSD study found pipes 63 % faster on average, and a collapse of bandwidth beyond
//! 64 KiB.

use super::duel::{self, Duel, Winner, place, range, sentences, times};
use super::evidence::EvidenceUnit;
use super::{Answered, Member, Question};
use crate::charts::members;
use crate::charts::sweep::SweptParameter;
use crate::units::{rate, size, upper_first};
use roundtrip_storage::series::Series;

pub(super) const QUESTION: Question = Question {
    reference: "freebsd-pipes-and-sockets",
    scenarios: &["stream"],
    transports: &SIDES,
    over: SweptParameter::MessageBytes,
    answer,
};

const SIDES: [&str; 2] = ["pipe", "socketpair"];
const NAMES: [&str; 2] = ["pipes", "socket pairs"];
/// The bytes that the study moves.
const TOTAL_BYTES: u64 = 16 << 20;
/// Below this share of the best bandwidth at the largest size, it has collapsed.
const COLLAPSED_TO: f64 = 0.5;

fn answer(members: &[Member]) -> Option<Answered> {
    let mut duels = duel::duels(members, side, title);
    // First one processor, as in the study, and processes, which are most common.
    duels.sort_by_key(|duel| {
        (duel.series.case.placement.as_str() != "same-cpu", duel.series.case.mode.as_str() != "2proc")
    });
    let first = duels.first()?;
    let mut reasons = Vec::new();
    for duel in &duels {
        let verdict =
            (!std::ptr::eq(duel, first)).then(|| format!("With {}: {}.", place(duel.series), describe(duel)));
        let most = [0, 1].into_iter().filter_map(|side| best(duel, side));
        reasons.push(sentences(verdict.into_iter().chain(average(duel)).chain(most)));
    }
    reasons.push(format!(
        "The study found pipes 63 % faster, on average over its configurations. Bandwidth is measured one way, for {} in \
         buffers of one size. Sockets have the system's default buffers; sockets with buffers as large as the message are another \
         transport.",
        size(TOTAL_BYTES)
    ));
    let machine = &first.series.machine;
    Some(Answered {
        answer: format!("{} ({}, {machine}).", upper_first(&describe(first)), place(first.series)),
        reasons,
        tables: duels.iter().map(table).collect(),
    })
}

fn side(series: &Series) -> Option<((), usize)> {
    let is_of_study = series.case.total_bytes == Some(TOTAL_BYTES) && series.case.buffer_bytes.is_none();
    let side = SIDES.iter().position(|name| *name == series.transport.slug.as_str())?;
    is_of_study.then_some(((), side))
}

/// Which is faster, as part of a sentence.
fn describe(duel: &Duel<'_>) -> String {
    let (all, range) = (duel.sizes.len(), range(&duel.sizes));
    match duel.winner() {
        Winner::Always(side) => format!("{} at every size from {range}", NAMES[side]),
        Winner::Changes { below, at } => {
            format!("{} up to {}, {} beyond", NAMES[below], duel::equal_at(&at), NAMES[1 - below])
        }
        Winner::ChangesOften(changes) => {
            format!("it depends: the faster one changes {changes} times from {range}")
        }
        Winner::Sometimes { side, sizes } => {
            format!("{} at {sizes} of {all} sizes, tied at the others", NAMES[side])
        }
        Winner::Unclear => format!("either: tied at all sizes from {range}"),
    }
}

fn average(duel: &Duel<'_>) -> Option<String> {
    let mean = times(duel.mean()?);
    let count = duel.sizes.len();
    Some(format!("Geometric mean over {count} sizes: pipes have {mean} the bandwidth of socket pairs."))
}

/// A side's best bandwidth, and the share left with the largest buffers.
fn best(duel: &Duel<'_>, side: usize) -> Option<String> {
    let figure = |at: &duel::AtSize<'_>| Some((at.message_bytes, bandwidth(at.sides[side])?));
    let figures: Vec<(u64, f64)> = duel.sizes.iter().filter_map(figure).collect();
    let &(best_bytes, most) = figures.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let &(last_bytes, last) = figures.last()?;
    let name = upper_first(NAMES[side]);
    let carry = format!("{name} peak at {} with {} buffers", rate(most), size(best_bytes));
    if best_bytes == last_bytes {
        return Some(format!("{carry}, the largest measured."));
    }
    let left = format!("{:.0} % of it with {}", 100.0 * last / most, size(last_bytes));
    let collapse = if last / most < COLLAPSED_TO { "a collapse" } else { "no collapse" };
    Some(format!("{carry} and keep {left}: {collapse}."))
}

fn table(duel: &Duel<'_>) -> super::EvidenceTable {
    duel.table(title(duel), SIDES, EvidenceUnit::BytesPerSecond, bandwidth)
}

fn title(duel: &Duel<'_>) -> String {
    upper_first(&place(duel.series))
}

fn bandwidth(member: &members::Member) -> Option<f64> {
    member.point.throughput_bytes_per_second.map(|rate| rate as f64)
}
