//! Would Chromium decide the same today? It chose a pipe over a faster mechanism, because nearly all of its messages are small
//! and the gain was at most 20 µs. This computes the gain of the fastest measured transport.

use super::evidence::{EvidenceCell, EvidenceColumn, EvidenceRow, EvidenceRows, EvidenceTable, EvidenceUnit};
use super::{Answered, Member, Question};
use crate::advice::{self, AdviceGroup, BehindFirst, RankedTransport, Wanted};
use crate::charts::sweep::SweptParameter;
use crate::units::{ratio, size, time, upper_first};
use roundtrip_advisor::Figure;
use roundtrip_wire::size_profile::SizeProfile;
use std::collections::BTreeSet;

pub(super) const QUESTION: Question = Question {
    reference: "chromium-mach-vs-fifo",
    scenarios: &["roundtrip"],
    transports: &[],
    over: SweptParameter::MessageBytes,
    answer,
};

const PROFILE: &str = "chromium-ipc";
/// The transport that Chromium chose.
const TAKEN: &str = "pipe";
/// Prefix of the transports that it rejected.
const REFUSED: &str = "mach-";
/// The gain that it gave up: Mach messages, with the bridge that they need, were 20 µs faster on its laptop, and 10 µs slower
/// on its desktop.
const LET_GO_NS: f64 = 20_000.0;
/// Ends that busy-wait need a processor each, which a browser does not have.
const SPIN: &str = "spin";

fn answer(members: &[Member]) -> Option<Answered> {
    let sizes = SizeProfile::named(PROFILE)?.sizes().ok()?;
    // The document's figure.
    let wanted = Wanted { sizes, by: Figure::P98, rate_per_second: None };
    let is_sleeping = |member: &&Member| member.of_a_size.series.methodology.receive.as_str() != SPIN;
    let mut groups = advice::of_machine(members.iter().filter(is_sleeping), &wanted);
    groups.retain(|group| group.ranking.len() > 1 && taken(group).is_some());
    // First two processes on one processor: most results, and no processor to wake.
    let fact =
        |group: &AdviceGroup, name: &str, value: &str| group.case.get(name).is_none_or(|is| is != value);
    groups.sort_by_key(|group| {
        (fact(group, "mode", "2proc"), fact(group, "placement", "same-cpu"), group.oversubscribed)
    });
    // For each placement, the group with most results.
    let mut places = BTreeSet::new();
    groups.retain(|group| places.insert(place(group)));
    let first = groups.first()?;
    let mut reasons = Vec::new();
    for group in &groups {
        if !std::ptr::eq(group, first) {
            reasons.push(format!("With {}: {}.", place(group), describe(group)?));
        }
        reasons.extend(longest(group));
    }
    reasons.push(if first.ranking.iter().any(|ranked| ranked.transport.slug.as_str().starts_with(REFUSED)) {
        "Mach messages were measured on this machine.".into()
    } else {
        "Mach messages, which Chromium rejected, were not measured on this machine. The answer covers the transports that were."
            .into()
    });
    reasons.push(
        "Times are round trips, estimated from distributions at single sizes; Chromium's 20 µs were one way. Transports that \
         busy-wait are excluded."
            .into(),
    );
    Some(Answered {
        answer: format!("{} ({}, {}).", upper_first(&describe(first)?), place(first), first.machine),
        reasons,
        tables: groups.iter().map(table).collect(),
    })
}

fn taken(group: &AdviceGroup) -> Option<&RankedTransport> {
    group.ranking.iter().find(|ranked| ranked.transport.slug.as_str() == TAKEN)
}

/// The gain over a pipe, as part of a sentence.
fn describe(group: &AdviceGroup) -> Option<String> {
    let (first, taken) = (group.ranking.first()?, taken(group)?);
    let [fastest, pipe] = [first, taken].map(|ranked| ranked.latency_ns.p98);
    let Some(behind) = taken.behind_first else {
        return Some(format!("yes: nothing is faster than a pipe, p98 {} for its messages", time(pipe)));
    };
    let times = format!(
        "p98 for its messages is {} over a pipe and {} over {}",
        time(pipe),
        time(fastest),
        first.transport.slug
    );
    let gain = |ratio: f64| pipe - pipe / ratio;
    Some(match (behind.low.map(gain), behind.high.map(gain)) {
        (_, Some(most)) if most <= LET_GO_NS => {
            format!("yes: {times}. Chromium gave up 20 µs; the gain here is at most {}", time(most.max(0.0)))
        }
        (Some(least), _) if least > LET_GO_NS => {
            format!("no: {times}. Chromium gave up at most 20 µs; the gain here is at least {}", time(least))
        }
        (Some(_), Some(most)) => {
            format!(
                "inconclusive: {times}. Chromium gave up 20 µs; the gain here may be up to {}",
                time(most)
            )
        }
        _ => format!("inconclusive, too few repetitions: {times}"),
    })
}

/// The fastest transport for the longest messages, if it is not the best overall.
fn longest(group: &AdviceGroup) -> Option<String> {
    let longest_bytes =
        group.ranking.iter().filter_map(|ranked| Some(ranked.measured.last()?.message_bytes)).max()?;
    let at_longest = |ranked: &&RankedTransport| {
        ranked.measured.last().filter(|at| at.message_bytes == longest_bytes).map(|at| at.p98_ns)
    };
    let (fastest, _) = group
        .ranking
        .iter()
        .filter_map(|ranked| Some((ranked, at_longest(&ranked)?)))
        .min_by_key(|(_, ns)| *ns)?;
    let behind = fastest.behind_first.filter(|behind| behind.is_sure)?;
    Some(format!(
        "At {}, {} is fastest; for Chromium's messages it takes {}x the time of {}.",
        size(longest_bytes),
        fastest.transport.slug,
        ratio(behind.ratio),
        group.ranking.first()?.transport.slug
    ))
}

/// The kind of the ends and their placement.
fn place(group: &AdviceGroup) -> String {
    let fact = |name: &str| group.case.get(name).map(String::as_str).unwrap_or_default();
    super::duel::place_of(fact("mode"), fact("placement"))
}

fn table(group: &AdviceGroup) -> EvidenceTable {
    let row = |ranked: &RankedTransport| {
        let behind = match ranked.behind_first {
            None => EvidenceCell::of_several(1.0, None),
            Some(BehindFirst { ratio, low, high, .. }) => {
                EvidenceCell::of_several(ratio, low.zip(high).map(|(low, high)| [low, high]))
            }
        };
        EvidenceRow {
            name: ranked.transport.slug.to_string(),
            message_bytes: None,
            cells: vec![
                Some(EvidenceCell::of_several(ranked.latency_ns.p50, None)),
                Some(EvidenceCell::of_several(ranked.latency_ns.p98, None)),
                Some(behind),
            ],
        }
    };
    EvidenceTable {
        title: upper_first(&place(group)),
        rows_are: EvidenceRows::Transport,
        columns: vec![
            EvidenceColumn::new("p50 round trip", EvidenceUnit::Ns),
            EvidenceColumn::new("p98 round trip", EvidenceUnit::Ns),
            EvidenceColumn::new("p98 vs. fastest", EvidenceUnit::Times),
        ],
        rows: group.ranking.iter().map(row).collect(),
    }
}
