//! Is advanced framing faster? A change to Node claims that framing in C++ makes it so. Here it is compared with lines of
//! JSON: from which size on is it faster?

use super::duel::{self, Duel, Winner, place, range, sentences, times};
use super::evidence::EvidenceUnit;
use super::{Answered, EvidenceTable, Member, Question};
use crate::charts::members;
use crate::charts::sweep::SweptParameter;
use crate::units::upper_first;
use roundtrip_storage::series::Series;
use std::collections::BTreeSet;

pub(super) const QUESTION: Question = Question {
    reference: "node-child-process-framing",
    scenarios: &["roundtrip"],
    transports: &["node-advanced", "node-json", "node-framing-advanced", "node-framing-json"],
    over: SweptParameter::MessageBytes,
    answer,
};

/// The compared pairs: both serializations of Node, and the same bytes between programs without JavaScript.
const PAIRINGS: [[&str; 2]; 2] =
    [["node-advanced", "node-json"], ["node-framing-advanced", "node-framing-json"]];
const NAMES: [&str; 2] = ["advanced messages", "lines of JSON"];
/// Messages in flight in the publication.
const PUBLISHED_WINDOW: u32 = 256;

fn answer(members: &[Member]) -> Option<Answered> {
    let mut duels = duel::duels(members, side, title);
    duels.sort_by_key(|duel| (pairing(duel), duel.series.methodology.window != PUBLISHED_WINDOW));
    let first = duels.first().filter(|duel| pairing(duel) == 0)?;
    let mut reasons = Vec::new();
    for duel in &duels {
        let verdict = (!std::ptr::eq(duel, first)).then(|| format!("{}: {}.", scene(duel), describe(duel)));
        reasons.push(sentences(verdict.into_iter().chain(ends(duel))));
    }
    reasons.push(programs(members));
    let machine = &first.series.machine;
    Some(Answered {
        answer: format!(
            "{} ({}, {}, {machine}).",
            upper_first(&describe(first)),
            in_flight(first),
            place(first.series)
        ),
        reasons,
        tables: duels.iter().map(table).collect(),
    })
}

/// The pairing and side of a series. Different program versions do not form a pair.
fn side(series: &Series) -> Option<((usize, Option<String>), usize)> {
    let slug = series.transport.slug.as_str();
    let variant = series.case.variant.as_ref().map(ToString::to_string);
    let place = |(pairing, sides): (usize, &[&str; 2])| {
        Some(((pairing, variant.clone()), sides.iter().position(|name| *name == slug)?))
    };
    PAIRINGS.iter().enumerate().find_map(place)
}

fn pairing(duel: &Duel<'_>) -> usize {
    side(duel.series).map_or(PAIRINGS.len(), |((pairing, _), _)| pairing)
}

/// Whether it is faster, as part of a sentence.
fn describe(duel: &Duel<'_>) -> String {
    let (all, range) = (duel.sizes.len(), range(&duel.sizes));
    match duel.winner() {
        Winner::Always(0) => format!("yes, at every size from {range}"),
        Winner::Always(_) => format!("no, lines of JSON are faster at every size from {range}"),
        Winner::Changes { below: 1, at } => {
            format!("yes, from {} on; below, lines of JSON are faster", duel::equal_at(&at))
        }
        Winner::Changes { at, .. } => {
            format!("yes, up to {}; beyond, lines of JSON are faster", duel::equal_at(&at))
        }
        Winner::ChangesOften(changes) => {
            format!("at some sizes: the faster one changes {changes} times from {range}")
        }
        Winner::Sometimes { side: 0, sizes } => {
            format!("yes, at {sizes} of {all} sizes; tied with lines of JSON at the others")
        }
        Winner::Sometimes { sizes, .. } => {
            format!("no, lines of JSON are faster at {sizes} of {all} sizes; tied at the others")
        }
        Winner::Unclear => format!("inconclusive: tied at all sizes from {range}"),
    }
}

/// The comparison at the shortest and at the longest messages, in words.
fn ends(duel: &Duel<'_>) -> Option<String> {
    let [first, .., last] = duel.sizes.as_slice() else { return None };
    let at = |at: &duel::AtSize<'_>| {
        format!("{} as fast with {}", times(at.ratio()), crate::units::size(at.message_bytes))
    };
    Some(format!("{} are {} and {}.", upper_first(NAMES[0]), at(first), at(last)))
}

/// The measured Node versions. They are the machine's, not builds of the change.
fn programs(members: &[Member]) -> String {
    let facts = members.iter().flat_map(|member| &member.outcome.facts);
    let versions: BTreeSet<&str> = facts
        .filter(|(name, _)| name.as_str() == "node")
        .map(|(_, version)| version.trim_start_matches('v'))
        .collect();
    let versions: Vec<&str> = versions.into_iter().collect();
    match versions.as_slice() {
        [] => "The Node version is not recorded. The change is in Node itself, and was not measured.".into(),
        [one] => format!(
            "Measured with Node {one}. The change is in Node itself, and one version cannot show its effect."
        ),
        several => format!(
            "Measured with Node {}. The change is in Node itself, but versions differ in more than that.",
            several.join(" and ")
        ),
    }
}

fn in_flight(duel: &Duel<'_>) -> String {
    match duel.series.methodology.window {
        1 => "one message at a time".into(),
        window => format!("{window} messages in flight"),
    }
}

fn scene(duel: &Duel<'_>) -> String {
    let programs = if pairing(duel) == 0 { "" } else { ", the same bytes without JavaScript" };
    let variant =
        duel.series.case.variant.as_ref().map_or_else(String::new, |variant| format!(", {variant}"));
    upper_first(&format!("{}{programs}{variant}", in_flight(duel)))
}

fn table(duel: &Duel<'_>) -> EvidenceTable {
    let names = PAIRINGS.get(pairing(duel)).copied().unwrap_or(NAMES);
    duel.table(title(duel), names, EvidenceUnit::Ns, p50)
}

fn title(duel: &Duel<'_>) -> String {
    format!("{}, {}", scene(duel), place(duel.series))
}

fn p50(member: &members::Member) -> Option<f64> {
    Some(member.point.latency_ns_p50 as f64)
}
