//! Groups series into lines over a parameter, such as the message size.
//!
//! The series of a line are equal in everything else: transport, case and methodology. Some parameters scale
//! with the swept one: a kernel buffer as large as the message, or a channel with as many senders as
//! receivers. Series that differ only in such a parameter form a line if its ratio to the swept one is
//! constant.

use roundtrip_wire::{Case, Methodology, Slug, comparable};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use strum::AsRefStr;
use utoipa::ToSchema;

/// The swept parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema, AsRefStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SweptParameter {
    /// Bytes of one message.
    MessageBytes,
    /// Receivers.
    Peers,
    /// Senders.
    Senders,
}

/// The facts of a series except the swept parameter, by their names in the wire format.
pub type Facts = BTreeMap<String, String>;

/// The series of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Their common facts. A parameter that scales with the swept one reads `1 x message_bytes`.
    pub facts: Facts,
    /// The swept parameter and the index of each series, ascending.
    pub members: Vec<(u64, usize)>,
}

impl SweptParameter {
    /// The parameter's value in a case. None without one: cases with a size profile have no single size, and
    /// imported cases have no parameters.
    pub fn value_in(self, case: &Case) -> Option<u64> {
        let is_own = case.benchmark.is_none();
        match self {
            Self::MessageBytes => (is_own && case.size_profile.is_none()).then_some(case.message_bytes),
            Self::Peers => is_own.then_some(u64::from(case.peers)),
            Self::Senders => is_own.then_some(u64::from(case.senders.unwrap_or(1))),
        }
    }

    /// The other facts of a series.
    pub fn others(self, transport: &Slug, case: &Case, methodology: &Methodology) -> Facts {
        let mut facts = comparable::facts(case);
        facts.extend(comparable::facts(methodology));
        facts.insert("transport".into(), transport.to_string());
        // It is 1 if absent.
        facts.entry("senders".into()).or_insert_with(|| "1".into());
        facts.remove(self.as_ref());
        facts
    }

    /// The parameters that may scale with it, alone or together.
    fn growing(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::MessageBytes => &[&["buffer_bytes"], &["total_bytes"], &["buffer_bytes", "total_bytes"]],
            Self::Peers => &[&["senders"]],
            Self::Senders => &[&["peers"]],
        }
    }

    /// The facts with these parameters as multiples of the swept one. None if they are not multiples.
    fn in_proportion(self, x: u64, facts: &Facts, growing: &[&str]) -> Option<Facts> {
        let mut facts = facts.clone();
        for name in growing {
            let value: u64 = facts.get(*name)?.parse().ok()?;
            let is_multiple = x > 0 && value > 0 && value.is_multiple_of(x);
            let text = is_multiple.then(|| format!("{} x {}", value / x, self.as_ref()))?;
            facts.insert((*name).to_owned(), text);
        }
        Some(facts)
    }
}

/// The lines of series, each given by its swept parameter and other facts. Every series is in one line. Lines
/// are in the order of their first series.
pub fn lines(over: SweptParameter, series: Vec<(u64, Facts)>) -> Vec<Line> {
    let places = series.iter().enumerate().map(|(place, (x, facts))| (facts.clone(), (*x, place)));
    let (mut lines, mut alone): (Vec<Line>, Vec<Line>) =
        grouped(places).into_iter().partition(|line| line.members.len() > 1);
    for growing in over.growing() {
        let proportional = |line: &Line| {
            let &member = line.members.first()?;
            Some((over.in_proportion(member.0, &line.facts, growing)?, member))
        };
        let found = grouped(alone.iter().filter_map(proportional)).into_iter();
        lines.extend(found.filter(|line| line.members.len() > 1));
        let in_lines: BTreeSet<usize> = lines.iter().flat_map(Line::places).collect();
        alone.retain(|line| line.places().all(|place| !in_lines.contains(&place)));
    }
    lines.extend(alone);
    lines.sort_by_key(|line| line.places().min());
    lines
}

/// The names of the facts that differ between lines.
pub fn distinguishing_facts(lines: &[Line]) -> Vec<String> {
    let names: BTreeSet<&String> = lines.iter().flat_map(|line| line.facts.keys()).collect();
    let differs =
        |name: &&String| lines.iter().any(|line| line.facts.get(*name) != lines[0].facts.get(*name));
    names.into_iter().filter(differs).cloned().collect()
}

impl Line {
    fn places(&self) -> impl Iterator<Item = usize> {
        self.members.iter().map(|&(_, place)| place)
    }
}

fn grouped(members: impl Iterator<Item = (Facts, (u64, usize))>) -> Vec<Line> {
    let mut groups: BTreeMap<Facts, Vec<(u64, usize)>> = BTreeMap::new();
    for (facts, member) in members {
        groups.entry(facts).or_default().push(member);
    }
    let line = |(facts, mut members): (Facts, Vec<(u64, usize)>)| {
        members.sort_unstable();
        Line { facts, members }
    };
    groups.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts(entries: &[(&str, &str)]) -> Facts {
        entries.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn members(lines: &[Line]) -> Vec<Vec<(u64, usize)>> {
        lines.iter().map(|line| line.members.clone()).collect()
    }

    #[test]
    fn other_differences_split_lines_and_are_named() {
        let series = vec![
            (64, facts(&[("transport", "pipe"), ("receive", "block"), ("clock", "one")])),
            (16, facts(&[("transport", "pipe"), ("receive", "block"), ("clock", "one")])),
            (64, facts(&[("transport", "ring"), ("receive", "block"), ("clock", "one"), ("wake", "always")])),
            (64, facts(&[("transport", "ring"), ("receive", "spin"), ("clock", "one")])),
        ];
        let lines = lines(SweptParameter::MessageBytes, series);
        assert_eq!(members(&lines), [vec![(16, 1), (64, 0)], vec![(64, 2)], vec![(64, 3)]]);
        assert_eq!(distinguishing_facts(&lines), ["receive", "transport", "wake"]);
        assert_eq!(distinguishing_facts(&[]), [""; 0]);
    }

    #[test]
    fn proportional_buffers_and_fixed_buffers_form_separate_lines() {
        let of = |message: u64, buffer: &str| {
            (message, facts(&[("buffer_bytes", buffer), ("total_bytes", "16384")]))
        };
        let series = vec![
            of(64, "64"),
            of(64, "4096"),
            of(128, "128"),
            of(256, "256"),
            of(128, "4096"),
            of(512, "999"),
        ];
        let lines = lines(SweptParameter::MessageBytes, series);
        assert_eq!(
            members(&lines),
            [vec![(64, 0), (128, 2), (256, 3)], vec![(64, 1), (128, 4)], vec![(512, 5)]]
        );
        assert_eq!(lines[0].facts["buffer_bytes"], "1 x message_bytes");
        assert_eq!(lines[1].facts["buffer_bytes"], "4096");
        assert_eq!(distinguishing_facts(&lines), ["buffer_bytes"]);
    }

    #[test]
    fn proportional_transfers_form_a_line() {
        let of = |message: u64| {
            let (buffer, total) = (message.to_string(), (100 * message).to_string());
            (message, facts(&[("buffer_bytes", &buffer), ("total_bytes", &total)]))
        };
        let lines = lines(SweptParameter::MessageBytes, vec![of(64), of(128)]);
        assert_eq!(members(&lines), [vec![(64, 0), (128, 1)]]);
        assert_eq!(lines[0].facts["total_bytes"], "100 x message_bytes");
    }

    #[test]
    fn equal_senders_and_receivers_form_a_line() {
        let of = |peers: u64, senders: &str| (peers, facts(&[("senders", senders)]));
        let n_to_n = lines(SweptParameter::Peers, vec![of(1, "1"), of(2, "2"), of(8, "8")]);
        assert_eq!(members(&n_to_n), [vec![(1, 0), (2, 1), (8, 2)]]);
        let one_to_n = lines(SweptParameter::Peers, vec![of(1, "1"), of(2, "1"), of(8, "1")]);
        assert_eq!(members(&one_to_n), [vec![(1, 0), (2, 1), (8, 2)]]);
        assert_eq!(one_to_n[0].facts["senders"], "1");
    }

    proptest! {
        #[test]
        fn every_series_is_in_exactly_one_line(
            series in proptest::collection::hash_set((1..6_u64, 1..6_u64, 1..4_u64, 0..2_u8), 0..30),
        ) {
            let series: Vec<(u64, Facts)> = series
                .into_iter()
                .map(|(x, buffer, total, transport)| {
                    let [buffer, total] = [buffer, total].map(|value| value.to_string());
                    let transport = transport.to_string();
                    (x, facts(&[("buffer_bytes", &buffer), ("total_bytes", &total), ("transport", &transport)]))
                })
                .collect();
            let lines = lines(SweptParameter::MessageBytes, series.clone());
            let mut places: Vec<usize> = lines.iter().flat_map(Line::places).collect();
            places.sort_unstable();
            prop_assert_eq!(places, (0..series.len()).collect::<Vec<_>>());
            for line in &lines {
                prop_assert!(line.members.is_sorted_by(|one, other| one.0 < other.0), "{line:?}");
                for &(x, place) in &line.members {
                    prop_assert_eq!(x, series[place].0);
                    prop_assert_eq!(&line.facts["transport"], &series[place].1["transport"]);
                }
            }
        }
    }
}
