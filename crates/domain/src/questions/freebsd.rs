//! Pipes or sockets on your machine? The study of FreeBSD says pipes, by 63 % on average, and that bandwidth collapses beyond 64
//! KiB.

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
/// What the study moves through each buffer.
const TOTAL_BYTES: u64 = 16 << 20;
/// With so much of the best bandwidth left at the largest size, it has not collapsed.
const COLLAPSED_TO: f64 = 0.5;

fn answer(members: &[Member]) -> Option<Answered> {
    let mut duels = duel::duels(members, side, title);
    // One core is what the study had, and processes are what most have.
    duels.sort_by_key(|duel| {
        (duel.series.case.placement.as_str() != "same-cpu", duel.series.case.mode.as_str() != "2proc")
    });
    let first = duels.first()?;
    let mut reasons = Vec::new();
    for duel in &duels {
        let verdict =
            (!std::ptr::eq(duel, first)).then(|| format!("Between {}: {}.", place(duel.series), told(duel)));
        let most = [0, 1].into_iter().filter_map(|side| best(duel, side));
        reasons.push(sentences(verdict.into_iter().chain(average(duel)).chain(most)));
    }
    reasons.push(format!(
        "The study has pipes 63 % ahead, on average over its configurations. A bandwidth is that of {} through \
         buffers of one size, one way. Sockets are as the system makes them: with buffers that are asked to be as large as the message, they are another transport.",
        size(TOTAL_BYTES)
    ));
    let machine = &first.series.machine;
    Some(Answered {
        answer: format!("{}, between {} of {machine}.", upper_first(&told(first)), place(first.series)),
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
fn told(duel: &Duel<'_>) -> String {
    let (all, range) = (duel.sizes.len(), range(&duel.sizes));
    match duel.winner() {
        Winner::Always(side) => format!("{} at every size from {range}", NAMES[side]),
        Winner::Changes { below, at } => {
            format!("{} up to {}, {} beyond", NAMES[below], duel::equal_at(&at), NAMES[1 - below])
        }
        Winner::ChangesOften(changes) => {
            format!("neither throughout, as which is faster changes {changes} times from {range}")
        }
        Winner::Sometimes { side, sizes } => {
            format!("{} at {sizes} of {all} sizes, and at the others nothing tells them apart", NAMES[side])
        }
        Winner::Unclear => format!("either, as nothing tells them apart at any size from {range}"),
    }
}

fn average(duel: &Duel<'_>) -> Option<String> {
    let mean = times(duel.mean()?);
    let count = duel.sizes.len();
    Some(format!(
        "On the geometric mean of these {count} sizes pipes have {mean} the bandwidth of socket pairs."
    ))
}

/// With which buffers a side carries most, and what is left of it with the largest.
fn best(duel: &Duel<'_>, side: usize) -> Option<String> {
    let figure = |at: &duel::AtSize<'_>| Some((at.message_bytes, bandwidth(at.sides[side])?));
    let figures: Vec<(u64, f64)> = duel.sizes.iter().filter_map(figure).collect();
    let &(best_bytes, most) = figures.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let &(last_bytes, last) = figures.last()?;
    let name = upper_first(NAMES[side]);
    let carry = format!("{name} carry most with buffers of {}, {}", size(best_bytes), rate(most));
    if best_bytes == last_bytes {
        return Some(format!("{carry}, the largest that were measured."));
    }
    let left = format!("{:.0} % of it with {}", 100.0 * last / most, size(last_bytes));
    let collapse = if last / most < COLLAPSED_TO { "a collapse" } else { "no collapse" };
    Some(format!("{carry}, and {left}: {collapse}."))
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
