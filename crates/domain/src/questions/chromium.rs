//! Would Chromium decide the same today? It took a pipe and not a faster mechanism, because nearly all of its messages are small
//! and what it would have gained was little: 20 µs at most. What would it gain over the fastest way that was measured?

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
/// What it took.
const TAKEN: &str = "pipe";
/// What it did not take begins so.
const REFUSED: &str = "mach-";
/// A gain that it let go: Mach messages, with the bridge that they need, were as much faster on its laptop, and 10 µs slower on
/// its desktop.
const LET_GO_NS: f64 = 20_000.0;
/// A mechanism whose ends never sleep needs a processor for each: no browser has those.
const SPIN: &str = "spin";

fn answer(members: &[Member]) -> Option<Answered> {
    let sizes = SizeProfile::named(PROFILE)?.sizes().ok()?;
    // The document's figure.
    let wanted = Wanted { sizes, by: Figure::P98, rate_per_second: None };
    let is_sleeping = |member: &&Member| member.of_a_size.series.methodology.receive.as_str() != SPIN;
    let mut groups = advice::of_machine(members.iter().filter(is_sleeping), &wanted);
    groups.retain(|group| group.ranking.len() > 1 && taken(group).is_some());
    // Two processes, where most was measured and nobody had to wake a processor.
    let fact =
        |group: &AdviceGroup, name: &str, value: &str| group.does.get(name).is_none_or(|is| is != value);
    groups.sort_by_key(|group| {
        (fact(group, "mode", "2proc"), fact(group, "placement", "same-cpu"), group.oversubscribed)
    });
    // Of what was measured in several ways at one place, that of which most was.
    let mut places = BTreeSet::new();
    groups.retain(|group| places.insert(place(group)));
    let first = groups.first()?;
    let mut reasons = Vec::new();
    for group in &groups {
        if !std::ptr::eq(group, first) {
            reasons.push(format!("Between {}: {}.", place(group), told(group)?));
        }
        reasons.extend(longest(group));
    }
    reasons.push(if first.ranking.iter().any(|ranked| ranked.transport.slug.as_str().starts_with(REFUSED)) {
        "Mach messages are among what was measured here.".into()
    } else {
        "Mach messages, which it did not take, were not measured on this machine: asked is whether anything that was would have \
         been worth more."
            .into()
    });
    reasons.push(
        "A time is there and back, put together of whole distributions at single sizes; what it let go, 20 µs, was one way. Ways \
         whose ends never sleep are left out."
            .into(),
    );
    Some(Answered {
        answer: format!("{}, between {} of {}.", upper_first(&told(first)?), place(first), first.machine),
        reasons,
        tables: groups.iter().map(table).collect(),
    })
}

fn taken(group: &AdviceGroup) -> Option<&RankedTransport> {
    group.ranking.iter().find(|ranked| ranked.transport.slug.as_str() == TAKEN)
}

/// What would be gained over a pipe, as part of a sentence. What the repetitions leave open is not decided.
fn told(group: &AdviceGroup) -> Option<String> {
    let (first, taken) = (group.ranking.first()?, taken(group)?);
    let [fastest, pipe] = [first, taken].map(|ranked| ranked.latency_ns.p98);
    let Some(behind) = taken.behind_first else {
        return Some(format!("yes: nothing is faster than a pipe, {} at p98 for its messages", time(pipe)));
    };
    let times = format!(
        "over a pipe its messages take {} at p98 and over {} {}",
        time(pipe),
        first.transport.slug,
        time(fastest)
    );
    let gain = |ratio: f64| pipe - pipe / ratio;
    Some(match (behind.low.map(gain), behind.high.map(gain)) {
        (_, Some(most)) if most <= LET_GO_NS => {
            format!("yes: {times}, a gain of {} at most, and it let 20 µs go", time(most.max(0.0)))
        }
        (Some(least), _) if least > LET_GO_NS => {
            format!("no: {times}, a gain of {} at least, and it let no more than 20 µs go", time(least))
        }
        (Some(_), Some(most)) => format!(
            "these repetitions do not tell: {times}, and the gain may be up to {}, where it let 20 µs go",
            time(most)
        ),
        _ => format!("there are too few repetitions to tell: {times}"),
    })
}

/// Who is the fastest for the longest messages, and whether that matters.
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
        "With messages of {} {} is the fastest; for those of the document it takes {} times as long as {}.",
        size(longest_bytes),
        fastest.transport.slug,
        ratio(behind.ratio),
        group.ranking.first()?.transport.slug
    ))
}

/// What the ends are, and where they run.
fn place(group: &AdviceGroup) -> String {
    let fact = |name: &str| group.does.get(name).map(String::as_str).unwrap_or_default();
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
            EvidenceColumn::new("p50, there and back", EvidenceUnit::Ns),
            EvidenceColumn::new("p98, there and back", EvidenceUnit::Ns),
            EvidenceColumn::new("p98 as long as the first", EvidenceUnit::Times),
        ],
        rows: group.ranking.iter().map(row).collect(),
    }
}
