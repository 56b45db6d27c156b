//! Presets: what to measure, as data. `definitions/*.toml` is parsed here into a [`Plan`].

use crate::scenario::{self, Scenario, Work};
use crate::transport::{self, Transport};
use roundtrip_wire::Slug;
use serde::Deserialize;
use std::time::Duration;

/// The presets that come with the suite: name and definition, in the order of names.
const PRESETS: &[(&str, &str)] = &[("quick", include_str!("../definitions/quick.toml"))];

/// Names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|&(name, _)| name)
}

/// What will be measured.
#[derive(Debug)]
pub struct Plan {
    /// The preset's name.
    pub preset: Slug,
    /// One line on what it is for.
    pub about: String,
    /// Every case, in the order of the definition.
    pub cases: Vec<PlannedCase>,
    /// How long one repetition may take before its peers count as hung.
    pub deadline: Duration,
}

/// One case and how much of it.
#[derive(Clone)]
pub struct PlannedCase {
    /// The mechanism.
    pub transport: &'static dyn Transport,
    /// The traffic pattern.
    pub scenario: &'static dyn Scenario,
    /// One process an end, or one thread an end.
    pub mode: Mode,
    /// Which processors.
    pub placement: Placement,
    /// Bytes of one transfer, in `stream`.
    pub total_bytes: Option<u64>,
    /// How much of it.
    pub work: Work,
    /// Fresh starts of the peers.
    pub repetitions: u32,
}

impl std::fmt::Debug for PlannedCase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{}/{}/{}/{}/{} B",
            self.scenario.slug(),
            self.transport.info().slug,
            self.mode.slug(),
            self.placement.slug(),
            self.work.message_bytes
        )
    }
}

/// Whether the ends are processes or threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Mode {
    /// Two processes.
    #[serde(rename = "2proc")]
    TwoProcesses,
    /// Two threads of one process.
    #[serde(rename = "2thread")]
    TwoThreads,
}

impl Mode {
    /// Its name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::TwoProcesses => "2proc",
            Self::TwoThreads => "2thread",
        }
    }
}

/// Which processors the two ends use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Both pinned to the same one.
    SameCpu,
    /// Pinned to two, of different cores where there are such.
    CrossCpu,
    /// As the scheduler likes.
    Free,
}

impl Placement {
    /// Its name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::SameCpu => "same-cpu",
            Self::CrossCpu => "cross-cpu",
            Self::Free => "free",
        }
    }
}

/// Why a preset cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDefinition {
    /// No preset of this name.
    #[error("no preset is called `{name}`: expected one of {known}")]
    UnknownPreset {
        /// As asked.
        name: String,
        /// What there is.
        known: String,
    },
    /// The file is not as expected; the message has line and column.
    #[error("preset `{preset}`: {reason}")]
    Malformed {
        /// Which preset.
        preset: String,
        /// What is wrong.
        reason: String,
    },
}

/// Plans a preset that comes with the suite.
///
/// # Errors
/// When there is none of this name.
pub fn preset(name: &str) -> Result<Plan, InvalidDefinition> {
    let (name, text) = PRESETS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
        InvalidDefinition::UnknownPreset { name: name.into(), known: names().collect::<Vec<_>>().join(", ") }
    })?;
    parse(name, text)
}

/// Plans a definition.
///
/// # Errors
/// Naming the line, or the value and what was expected.
pub fn parse(name: &str, text: &str) -> Result<Plan, InvalidDefinition> {
    let malformed = |reason: String| InvalidDefinition::Malformed { preset: name.to_owned(), reason };
    let preset = Slug::parse(name).map_err(|error| malformed(error.to_string()))?;
    let file: File = toml::from_str(text).map_err(|error| malformed(error.to_string()))?;
    let mut cases = Vec::new();
    for group in &file.case {
        group.expand(&mut cases).map_err(malformed)?;
    }
    Ok(Plan { preset, about: file.about, cases, deadline: Duration::from_secs(file.deadline_seconds) })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    deadline_seconds: u64,
    case: Vec<Group>,
}

/// One `[[case]]`: every combination of its lists.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    scenario: String,
    transports: Vec<String>,
    message_bytes: Vec<u64>,
    #[serde(default)]
    total_bytes: Option<u64>,
    modes: Vec<Mode>,
    placements: Vec<Placement>,
    operations: u64,
    warmup: u64,
    #[serde(default = "one")]
    batch: u64,
    repetitions: u32,
}

fn one() -> u64 {
    1
}

impl Group {
    fn expand(&self, cases: &mut Vec<PlannedCase>) -> Result<(), String> {
        let scenario = scenario::find(&self.scenario)
            .ok_or_else(|| format!("scenario `{}` does not exist", self.scenario))?;
        for positive in [self.operations, self.batch, u64::from(self.repetitions)] {
            if positive == 0 {
                return Err("operations, batch and repetitions must be at least 1".into());
            }
        }
        for slug in &self.transports {
            let transport =
                transport::find(slug).ok_or_else(|| format!("transport `{slug}` does not exist"))?;
            for &mode in &self.modes {
                for &placement in &self.placements {
                    for &message_bytes in &self.message_bytes {
                        cases.push(PlannedCase {
                            transport,
                            scenario,
                            mode,
                            placement,
                            total_bytes: self.total_bytes,
                            work: self.work(message_bytes, placement)?,
                            repetitions: self.repetitions,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn work(&self, message_bytes: u64, placement: Placement) -> Result<Work, String> {
        let streams = self.scenario == "stream";
        if message_bytes == 0 || (streams && message_bytes < crate::payload::ANSWER_BYTES as u64) {
            return Err(format!(
                "message_bytes is {message_bytes}: expected at least 1, in stream at least 8"
            ));
        }
        let messages_per_operation = match (streams, self.total_bytes) {
            (false, None) => 1,
            (true, Some(total)) if total > 0 && total % message_bytes == 0 => total / message_bytes,
            (true, _) => return Err("stream needs total_bytes, a multiple of every message_bytes".into()),
            (false, Some(_)) => return Err(format!("{} takes no total_bytes", self.scenario)),
        };
        Ok(Work {
            message_bytes: usize::try_from(message_bytes).map_err(|error| error.to_string())?,
            messages_per_operation,
            operations: self.operations,
            warmup: self.warmup,
            batch: self.batch,
            free: placement == Placement::Free,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_well_formed() {
        for name in names() {
            assert!(!preset(name).unwrap().cases.is_empty());
        }
    }

    #[test]
    fn an_unknown_preset_names_those_that_exist() {
        let error = preset("quik").unwrap_err().to_string();
        assert!(error.contains("`quik`") && error.contains("quick"), "{error}");
    }

    #[test]
    fn a_stream_that_does_not_divide_is_refused() {
        let error = parse(
            "x",
            "about = ''\ndeadline_seconds = 1\n[[case]]\nscenario = 'stream'\ntransports = ['pipe']\n\
             message_bytes = [3000]\ntotal_bytes = 10000\nmodes = ['2proc']\nplacements = ['free']\n\
             operations = 1\nwarmup = 0\nrepetitions = 1",
        )
        .unwrap_err();
        assert!(error.to_string().contains("multiple"), "{error}");
    }

    #[test]
    fn a_misspelt_key_is_named_with_its_line() {
        let error = parse("x", "about = ''\ndeadline_seconds = 1\ncases = []").unwrap_err().to_string();
        assert!(error.contains("cases") && error.contains("line 3"), "{error}");
    }
}
