//! Is the Rust ring 100 times as fast? Its published time is per attempt to send, and a full ring drops most of them. Here the
//! same ring is measured with a dropping and with a waiting sender, and delivered messages are counted.

use super::evidence::{EvidenceCell, EvidenceColumn, EvidenceRow, EvidenceRows, EvidenceTable, EvidenceUnit};
use super::{Answered, Member, Question};
use crate::charts::members;
use crate::charts::sweep::SweptParameter;
use crate::units::time;
use std::collections::BTreeMap;

pub(super) const QUESTION: Question = Question {
    reference: "libipc-macos-backends",
    scenarios: &["route", "channel-1-n", "channel-n-1", "channel-n-n"],
    transports: &[],
    over: SweptParameter::Peers,
    answer,
};

/// The receive mode of the published tables: spin for a while, then sleep.
const RECEIVE: &str = "spin-then-block";
/// The memory of the published tables.
const STORAGE: &str = "cleared";

/// The largest ratio in the published tables, from attempts.
const PUBLISHED_TIMES: f64 = 100.0;

/// One ring with the same members, with a dropping and a waiting sender.
#[derive(Default)]
struct Pair<'m> {
    drops: Option<&'m members::Member>,
    waits: Option<&'m members::Member>,
}

type Ends = (String, u32, u32);

/// Both senders with the same number of members.
struct RingComparison<'m> {
    name: String,
    drops: &'m members::Member,
    waits: &'m members::Member,
    /// The time of the dropping sender per attempt.
    attempt_ns: f64,
    /// The share of attempts that arrived.
    arrived_share: f64,
    /// The time of the waiting sender per message; all of them arrived.
    waiting_ns: f64,
}

fn answer(members: &[Member]) -> Option<Answered> {
    let mut rings: BTreeMap<(&str, &str), BTreeMap<Ends, Pair<'_>>> = BTreeMap::new();
    for member in members.iter().map(|member| &member.of_a_size) {
        let (case, methodology) = (&member.series.case, &member.series.methodology);
        if methodology.receive.as_str() != RECEIVE || methodology.storage.as_str() != STORAGE {
            continue;
        }
        let ends = (case.scenario.to_string(), case.senders.unwrap_or(1), case.peers);
        let ring = rings.entry((case.mode.as_str(), member.series.transport.slug.as_str())).or_default();
        let pair = ring.entry(ends).or_default();
        match methodology.on_full.as_str() {
            "drop" => pair.drops = Some(member),
            "wait" if !member.point.lossy => pair.waits = Some(member),
            _ => {}
        }
    }
    let mut tables: Vec<(&str, &str, Vec<RingComparison<'_>>)> = rings
        .into_iter()
        .map(|((mode, ring), pairs)| {
            (mode, ring, pairs.into_iter().filter_map(RingComparison::new).collect())
        })
        .collect();
    tables.retain(|(.., rows)| !rows.is_empty());
    // As published: threads of one process.
    tables.sort_by_key(|(mode, _, rows)| (*mode != "2thread", std::cmp::Reverse(rows.len())));
    let (_, ring, rows) = tables.first()?;
    let machine = &rows.first()?.drops.series.machine;
    let [_, most] = ends(rows.iter().map(RingComparison::as_fast))?;
    let verdict = if most >= PUBLISHED_TIMES { "Yes" } else { "No" };
    let answer = format!(
        "{verdict}: on {machine}, {} of the attempts are delivered; per delivered message it is {} times as fast as the same ring \
         with a waiting sender.",
        between(rows.iter().map(|row| row.arrived_share * 100.0), |share| format!("{share:.0} %"))?,
        between(rows.iter().map(RingComparison::as_fast), |times| format!("{times:.2}"))?,
    );
    let reasons = vec![
        format!(
            "Counting attempts, as published, it would be {} times as fast: a sender that drops is fast because it sends less.",
            between(rows.iter().map(|row| row.waiting_ns / row.attempt_ns), |times| format!("{times:.1}"))?
        ),
        format!(
            "A delivered message takes {} if the sender of {ring} drops, and {} if it waits.",
            between(rows.iter().map(RingComparison::arrived_ns), time)?,
            between(rows.iter().map(|row| row.waiting_ns), time)?
        ),
        "These ratios have no confidence interval. Results with losses are compared nowhere else.".into(),
    ];
    let tables = tables.iter().map(|(mode, ring, rows)| table(mode, ring, rows)).collect();
    Some(Answered { answer, reasons, tables })
}

impl<'m> RingComparison<'m> {
    fn new(((scenario, senders, receivers), pair): (Ends, Pair<'m>)) -> Option<Self> {
        let (drops, waits) = (pair.drops?, pair.waits?);
        // Results from different environments are not paired.
        if drops.point.environment_id != waits.point.environment_id {
            return None;
        }
        let due = drops.point.attempted as f64 * f64::from(receivers);
        let arrived_share = drops.point.delivered as f64 / due;
        let members = senders.max(receivers);
        let kind = match scenario.as_str() {
            "route" => "Route 1 to N",
            "channel-1-n" => "Channel 1 to N",
            "channel-n-1" => "Channel N to 1",
            _ => "Channel N to N",
        };
        (arrived_share > 0.0).then_some(Self {
            name: format!("{kind}, N = {members}"),
            drops,
            waits,
            attempt_ns: over_messages(drops)?,
            arrived_share,
            waiting_ns: over_messages(waits)?,
        })
    }

    /// The time of the dropping sender per delivered message.
    fn arrived_ns(&self) -> f64 {
        self.attempt_ns / self.arrived_share
    }

    /// The speed ratio of the dropping sender, by delivered messages.
    fn as_fast(&self) -> f64 {
        self.waiting_ns / self.arrived_ns()
    }
}

/// The median time of an operation, per message.
fn over_messages(member: &members::Member) -> Option<f64> {
    Some(member.point.latency_ns_p50 as f64 / member.series.case.messages? as f64)
}

/// The minimum and maximum.
fn ends(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.fold(None, |ends, value| {
        let [least, most] = ends.unwrap_or([value; 2]);
        Some([least.min(value), most.max(value)])
    })
}

/// The minimum and maximum in words: `5 % to 67 %`.
fn between(values: impl Iterator<Item = f64>, text: impl Fn(f64) -> String) -> Option<String> {
    let [least, most] = ends(values)?.map(text);
    Some(if least == most { least } else { format!("{least} to {most}") })
}

fn table(mode: &str, ring: &str, rows: &[RingComparison<'_>]) -> EvidenceTable {
    let ends = if mode == "2thread" { "threads of one process" } else { "one process each" };
    let row = |row: &RingComparison<'_>| EvidenceRow {
        name: row.name.clone(),
        message_bytes: None,
        cells: [
            (row.drops, row.attempt_ns),
            (row.drops, row.arrived_share),
            (row.drops, row.arrived_ns()),
            (row.waits, row.waiting_ns),
        ]
        .map(|(member, value)| Some(EvidenceCell::from_member(member, value)))
        .into(),
    };
    EvidenceTable {
        title: format!("{ring}, {ends}"),
        rows_are: EvidenceRows::Topology,
        columns: vec![
            EvidenceColumn::new("Dropping: per attempt", EvidenceUnit::Ns),
            EvidenceColumn::new("Delivered", EvidenceUnit::Share),
            EvidenceColumn::new("Per delivered message", EvidenceUnit::Ns),
            EvidenceColumn::new("Waiting: per message", EvidenceUnit::Ns),
        ],
        rows: rows.iter().map(row).collect(),
    }
}
