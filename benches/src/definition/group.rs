//! One `[[case]]` of a definition: every combination of its lists is a case.

use super::by_system::BySystem;
use super::declared::Known;
use super::{Mode, Participants, Placement, PlannedCase, Repetitions};
use crate::mechanism::Mechanism;
use crate::ring::{SEATS, Waiting, WakeRule};
use crate::scenario::{self, Pattern, Scenario, Work};
use crate::sizes::SizeProfile;
use crate::system::System;
use crate::transport::{Manner, OnFull, Storage};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    scenario: OneOrMany,
    transports: BySystem<String>,
    #[serde(default)]
    message_bytes: Vec<u64>,
    #[serde(default)]
    size_profile: Option<String>,
    /// Bytes per operation; must be a multiple of the message size.
    #[serde(default)]
    total_bytes: Option<u64>,
    /// Messages per operation.
    #[serde(default)]
    messages_per_operation: Option<u64>,
    #[serde(default)]
    buffer: Buffer,
    #[serde(default)]
    rates_per_second: Vec<u64>,
    /// The values of N in `route` and the channels.
    #[serde(default)]
    peers: Vec<u32>,
    #[serde(default)]
    receive: Vec<Waiting>,
    #[serde(default)]
    on_full: Vec<OnFull>,
    #[serde(default)]
    wake: Vec<WakeRule>,
    #[serde(default)]
    storage: Vec<Storage>,
    modes: Vec<Mode>,
    placements: BySystem<Placement>,
    operations: u64,
    warmup: u64,
    #[serde(default = "one")]
    batch: u64,
    /// Messages in flight.
    #[serde(default = "one_window")]
    windows: Vec<u32>,
    repetitions: Count,
}

/// `"route"`, or `["route", "channel-1-n"]`.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Buffer {
    /// Use the system's default.
    #[default]
    System,
    /// Size the buffer like a message.
    Message,
}

/// `repetitions = 30`, or `{ min = 6, max = 20, width_percent = 3 }`, or `{ max = 30, discarded = 1 }`.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Count {
    Exactly(u32),
    Range(Range),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    #[serde(default)]
    min: Option<u32>,
    max: u32,
    #[serde(default)]
    width_percent: Option<f64>,
    #[serde(default)]
    discarded: u32,
}

fn one() -> u64 {
    1
}

fn one_window() -> Vec<u32> {
    vec![1]
}

impl Group {
    /// Adds the cases of this group for one system. Invalid combinations are errors on every system.
    pub(super) fn expand(
        &self,
        known: &Known,
        wanted: Option<System>,
        cases: &mut Vec<PlannedCase>,
    ) -> Result<(), String> {
        for system in System::ALL {
            let mut own = Vec::new();
            for name in self.scenario.names() {
                let scenario = scenario::find(name).ok_or_else(|| format!("unknown scenario `{name}`"))?;
                self.expand_one(known, system, scenario, &mut own)?;
            }
            if wanted == Some(system) {
                cases.append(&mut own);
            }
        }
        Ok(())
    }

    fn expand_one(
        &self,
        known: &Known,
        system: System,
        scenario: &'static dyn Scenario,
        cases: &mut Vec<PlannedCase>,
    ) -> Result<(), String> {
        if self.operations == 0 || self.batch == 0 {
            return Err("operations and batch must be at least 1".into());
        }
        if self.windows.is_empty() || self.windows.contains(&0) {
            return Err("window must be at least 1".into());
        }
        if self.windows != [1] && scenario.slug() != "roundtrip" {
            return Err(format!("{} does not support windows: only roundtrip does", scenario.slug()));
        }
        let repetitions = self.repetitions.checked()?;
        let sizes = self.sizes()?;
        let rates: Vec<Option<u64>> = match (scenario.slug(), self.rates_per_second.as_slice()) {
            ("open-loop", []) => return Err("open-loop needs rates_per_second".into()),
            ("open-loop", rates) if rates.contains(&0) => {
                return Err("rates_per_second must be at least 1".into());
            }
            ("open-loop", rates) => rates.iter().copied().map(Some).collect(),
            (_, []) => vec![None],
            (other, _) => return Err(format!("{other} does not support rates_per_second")),
        };
        let (transports, placements) = (self.transports.on(system), self.placements.on(system));
        if placements.is_empty() && !transports.is_empty() {
            return Err(format!("transports on {} without placements", system.name()));
        }
        let places = product(&self.modes, placements);
        let streams = product(&product(&rates, &self.participants(scenario)?), &self.windows);
        let loads = product(&streams, &sizes);
        for slug in transports {
            let transport = known.find(slug)?;
            for (manner, (mode, placement)) in product(&self.manners(&transport), &places) {
                for &(((rate_per_second, participants), window), message_bytes) in &loads {
                    let work = self.work(scenario, manner, message_bytes, placement)?;
                    let work = Work { rate_per_second, senders: participants.senders, window, ..work };
                    cases.push(PlannedCase {
                        transport: transport.clone(),
                        scenario,
                        mode,
                        placement,
                        total_bytes: self.total(scenario, &work),
                        buffer_bytes: match self.buffer {
                            Buffer::System => None,
                            Buffer::Message => Some(work.message_bytes),
                        },
                        manner,
                        participants,
                        work,
                        repetitions,
                        probe: None,
                    });
                }
            }
        }
        Ok(())
    }

    /// The participants for each number of peers.
    fn participants(&self, scenario: &dyn Scenario) -> Result<Vec<Participants>, String> {
        match (scenario.pattern(), self.peers.as_slice()) {
            (Pattern::Pair(_), []) => Ok(vec![Participants::PAIR]),
            (Pattern::Pair(_), _) => {
                Err(format!("{} has two ends and does not support peers", scenario.slug()))
            }
            (Pattern::Many(_), []) => Err(format!("{} needs peers, such as [1, 2, 4]", scenario.slug())),
            (Pattern::Many(_), peers) if peers.iter().any(|&peers| peers == 0 || peers as usize > SEATS) => {
                Err(format!("peers must be from 1 to {SEATS}: found {peers:?}"))
            }
            (Pattern::Many(_), _) if (self.operations, self.warmup, self.batch) != (1, 0, 1) => Err(format!(
                "one transfer of {} is one operation: expected operations = 1, warmup = 0",
                scenario.slug()
            )),
            (Pattern::Many(many), peers) => {
                Ok(peers.iter().map(|&peers| (many.participants)(peers)).collect())
            }
        }
    }

    /// Every combination of the requested values; the transport's defaults for the rest.
    fn manners(&self, transport: &Mechanism) -> Vec<Manner> {
        let usual = transport.manner();
        let channels = product(&or(&self.receive, usual.waiting), &or(&self.on_full, usual.on_full));
        let memories = product(&or(&self.wake, usual.wake_rule), &or(&self.storage, usual.storage));
        let manner =
            |((waiting, on_full), (wake_rule, storage))| Manner { waiting, on_full, wake_rule, storage };
        product(&channels, &memories).into_iter().map(manner).collect()
    }

    /// Bytes per operation, if it takes several messages of known sizes.
    fn total(&self, scenario: &dyn Scenario, work: &Work) -> Option<u64> {
        let one_way = matches!(scenario.slug(), "stream" | "handle-passing");
        (one_way && self.size_profile.is_none())
            .then_some(work.message_bytes as u64 * work.messages_per_operation)
    }

    fn sizes(&self) -> Result<Vec<u64>, String> {
        match (&self.size_profile, self.message_bytes.as_slice()) {
            (None, []) => Err("missing message_bytes or size_profile".into()),
            (None, sizes) => Ok(sizes.to_vec()),
            (Some(name), []) => Ok(vec![SizeProfile::named(name)?.max_bytes() as u64]),
            (Some(_), _) => Err("message_bytes and size_profile are mutually exclusive".into()),
        }
    }

    fn work(
        &self,
        scenario: &dyn Scenario,
        manner: Manner,
        message_bytes: u64,
        placement: Placement,
    ) -> Result<Work, String> {
        let shortest = match &self.size_profile {
            Some(name) => SizeProfile::named(name)?.min_bytes(),
            None => usize::try_from(message_bytes).map_err(|error| error.to_string())?,
        };
        let least = scenario.message_bytes_min();
        if shortest < least {
            return Err(format!(
                "message of {shortest} B is too short: at least {least} B in {}",
                scenario.slug()
            ));
        }
        let lossy = manner.on_full == OnFull::Drop;
        let is_pair = matches!(scenario.pattern(), Pattern::Pair(_));
        if lossy && is_pair && self.size_profile.is_some() {
            return Err("a transport that drops messages needs message_bytes instead of size_profile, \
             because the receiver must know the next size"
                .into());
        }
        Ok(Work {
            message_bytes: usize::try_from(message_bytes).map_err(|error| error.to_string())?,
            size_profile: self.size_profile.clone(),
            messages_per_operation: self.messages(scenario, message_bytes)?,
            operations: self.operations,
            warmup: self.warmup,
            batch: self.batch,
            free: placement == Placement::Free,
            lossy,
            ..Work::default()
        })
    }

    fn messages(&self, scenario: &dyn Scenario, message_bytes: u64) -> Result<u64, String> {
        let one_way = matches!(scenario.slug(), "stream" | "handle-passing");
        if !self.peers.is_empty() {
            return match (self.total_bytes, self.messages_per_operation) {
                (None, Some(messages)) if messages > 0 => Ok(messages),
                _ => Err(format!(
                    "{} needs messages_per_operation and does not support total_bytes",
                    scenario.slug()
                )),
            };
        }
        match (one_way, self.total_bytes, self.messages_per_operation) {
            (false, None, None) => Ok(1),
            (false, ..) => {
                Err(format!("{} does not support total_bytes or messages_per_operation", scenario.slug()))
            }
            // The bytes of these operations differ, so a case could not state them.
            (true, None, Some(messages)) if messages > 1 && self.size_profile.is_some() => {
                Err("size_profile needs messages_per_operation = 1".into())
            }
            (true, None, Some(messages)) if messages > 0 => Ok(messages),
            (true, Some(total), None)
                if self.size_profile.is_none() && total > 0 && total.is_multiple_of(message_bytes) =>
            {
                Ok(total / message_bytes)
            }
            (true, ..) => Err(format!(
                "{} needs total_bytes, a multiple of every message_bytes, or messages_per_operation",
                scenario.slug()
            )),
        }
    }
}

impl Count {
    fn checked(self) -> Result<Repetitions, String> {
        let repetitions = match self {
            Self::Exactly(count) => Repetitions::exactly(count),
            Self::Range(Range { min, max, width_percent, discarded }) => Repetitions {
                min: min.unwrap_or(max),
                max,
                width_ppm: width_percent.map(parts_per_million).transpose()?,
                discarded,
            },
        };
        if repetitions.min == 0 || repetitions.min > repetitions.max {
            return Err("repetitions must be at least 1, and min at most max".into());
        }
        Ok(repetitions)
    }
}

fn product<A: Copy, B: Copy>(first: &[A], second: &[B]) -> Vec<(A, B)> {
    first.iter().flat_map(|&one| second.iter().map(move |&other| (one, other))).collect()
}

fn or<T: Copy>(asked: &[T], usual: T) -> Vec<T> {
    if asked.is_empty() { vec![usual] } else { asked.to_vec() }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be between 0 and 100"
)]
fn parts_per_million(percent: f64) -> Result<u32, String> {
    if percent > 0.0 && percent <= 100.0 {
        return Ok((percent * 10_000.0).round() as u32);
    }
    Err(format!("width_percent must be above 0 and at most 100: found {percent}"))
}

#[cfg(test)]
mod tests {
    use super::super::parse as parse_in;
    use std::path::Path;

    fn parse(name: &str, text: &str) -> Result<super::super::Plan, super::super::InvalidDefinition> {
        parse_in(name, text, Path::new("."))
    }

    #[test]
    fn checks_groups_for_other_systems() {
        let cases = |lists: &str| {
            parse(
                "x",
                &format!(
                    "about = ''\ndeadline_seconds = 1\n[[case]]\nmodes = ['2proc']\noperations = 1\nwarmup = 0\n\
                     scenario = 'roundtrip'\nmessage_bytes = [64]\nrepetitions = 1\n{lists}"
                ),
            )
            .map(|plan| plan.cases.len())
            .map_err(|error| error.to_string())
        };
        let here = std::env::consts::OS;
        let elsewhere = if here == "linux" { "windows" } else { "linux" };
        let free = "placements = ['free']";
        assert_eq!(cases(&format!("transports = {{ {here} = ['tcp', 'udp'] }}\n{free}")), Ok(2));
        assert_eq!(cases(&format!("transports = {{ {elsewhere} = ['tcp'] }}\n{free}")), Ok(0));

        let unknown = cases(&format!("transports = {{ {elsewhere} = ['smoke-signal'] }}\n{free}"));
        assert!(unknown.unwrap_err().contains("unknown transport `smoke-signal`"));
        let nowhere = cases(&format!("transports = ['tcp']\nplacements = {{ {here} = ['free'] }}"));
        assert!(nowhere.unwrap_err().contains("without placements"));
    }

    #[test]
    fn rejects_invalid_combinations() {
        for (scenario, transport, lines, expected) in [
            ("'stream'", "pipe", "message_bytes = [3000]\ntotal_bytes = 10000", "multiple"),
            ("'stream'", "pipe", "message_bytes = [4]\ntotal_bytes = 4", "at least 8 B"),
            ("'open-loop'", "pipe", "message_bytes = [64]", "rates_per_second"),
            ("'roundtrip'", "pipe", "message_bytes = [64]\nrates_per_second = [1]", "does not support rates"),
            ("'roundtrip'", "pipe", "", "message_bytes or size_profile"),
            ("'roundtrip'", "pipe", "size_profile = 'x'", "unknown size profile"),
            (
                "'stream'",
                "udp",
                "size_profile = 'chromium-ipc'\nmessages_per_operation = 1",
                "needs message_bytes",
            ),
            (
                "'roundtrip'",
                "pipe",
                "message_bytes = [64]\nrepetitions = { min = 9, max = 3 }",
                "min at most max",
            ),
            (
                "'roundtrip'",
                "pipe",
                "message_bytes = [64]\nrepetitions = { min = 6, max = 9, width_percent = 0 }",
                "width_percent must be above 0",
            ),
            ("'route'", "ring-futex", "message_bytes = [64]", "needs peers"),
            ("'route'", "ring-futex", "message_bytes = [64]\npeers = [33]", "from 1 to 32"),
            ("'route'", "ring-futex", "message_bytes = [64]\npeers = [1]", "needs messages_per_operation"),
            (
                "['stream', 'route']",
                "ring-futex",
                "message_bytes = [64]\npeers = [1]\nmessages_per_operation = 1",
                "stream has two ends and does not support peers",
            ),
        ] {
            let repetitions = if lines.contains("repetitions") { "" } else { "repetitions = 1" };
            let text = format!(
                "about = ''\ndeadline_seconds = 1\n[[case]]\nmodes = ['2proc']\nplacements = ['free']\noperations = 1\n\
                 warmup = 0\nscenario = {scenario}\ntransports = ['{transport}']\n{lines}\n{repetitions}"
            );
            let refusal = parse("x", &text).unwrap_err().to_string();
            assert!(refusal.contains(expected), "{text}\n{refusal}");
        }
    }
}
