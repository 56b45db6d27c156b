//! Presets: what to measure, as data. `definitions/*.toml` is parsed here into a [`Plan`].

pub use crate::scenario::Crowd;

use crate::mechanism::Mechanism;
use crate::probe::Probe;
use crate::program::node::Node;
use crate::program::{Launch, Place, Program};
use crate::scenario::{Scenario, Work};
use crate::system::System;
use crate::transport::{ChannelSpec, Manner};
use declared::Known;
use roundtrip_wire::Slug;
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod by_system;
mod declared;
mod group;

/// The presets that come with the suite: name and definition, in the order of names.
const PRESETS: &[(&str, &str)] = &[
    ("chromium-mach", include_str!("../../definitions/chromium-mach.toml")),
    ("ipc-static", include_str!("../../definitions/ipc-static.toml")),
    ("libipc", include_str!("../../definitions/libipc.toml")),
    ("node-framing", include_str!("../../definitions/node-framing.toml")),
    ("quick", include_str!("../../definitions/quick.toml")),
    ("sizes", include_str!("../../definitions/sizes.toml")),
];

/// Names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|&(name, _)| name)
}

/// What will be measured.
#[derive(Clone, Debug)]
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

impl Plan {
    /// Measures every case for Node with each of these instead of the one in `PATH`.
    #[must_use]
    pub fn with_nodes(self, nodes: &[Node]) -> Self {
        let each = |case: PlannedCase| match case.transport.program() {
            Some(program) if program.is_of_node() => nodes
                .iter()
                .map(|node| PlannedCase { transport: program.with_node(node).into(), ..case.clone() })
                .collect(),
            _ => vec![case],
        };
        Self { cases: self.cases.into_iter().flat_map(each).collect(), ..self }
    }
}

/// One case and how much of it.
#[derive(Clone)]
pub struct PlannedCase {
    /// What carries the messages.
    pub transport: Mechanism,
    /// The traffic pattern.
    pub scenario: &'static dyn Scenario,
    /// One process an end, or one thread an end.
    pub mode: Mode,
    /// Which processors.
    pub placement: Placement,
    /// Bytes of one operation, where it takes several messages.
    pub total_bytes: Option<u64>,
    /// The kernel buffer to ask for; none: the system's default.
    pub buffer_bytes: Option<usize>,
    /// How the channel and its ends behave.
    pub manner: Manner,
    /// How many ends there are of which kind.
    pub crowd: Crowd,
    /// How much of it.
    pub work: Work,
    /// Fresh starts of the peers.
    pub repetitions: Repetitions,
    /// What watches the ends meanwhile; no definition asks for it.
    pub probe: Option<Probe>,
}

impl PlannedCase {
    /// One repetition of this work between two processes, wherever the system puts them.
    pub fn of(transport: impl Into<Mechanism>, scenario: &'static dyn Scenario, work: Work) -> Self {
        let transport = transport.into();
        Self {
            manner: transport.manner(),
            transport,
            scenario,
            mode: Mode::TwoProcesses,
            placement: Placement::Free,
            total_bytes: None,
            buffer_bytes: None,
            crowd: Crowd::PAIR,
            work,
            repetitions: Repetitions::exactly(1),
            probe: None,
        }
    }

    /// What its channel must carry.
    pub fn channel(&self) -> ChannelSpec {
        ChannelSpec {
            message_bytes: self.work.message_bytes,
            buffer_bytes: self.buffer_bytes,
            manner: self.manner,
        }
    }

    /// Whether it is measured with a `node`.
    pub fn is_of_node(&self) -> bool {
        self.transport.program().is_some_and(|program| program.is_of_node())
    }

    /// What starts the program that it is measured with and in which folder, if its definition declares one.
    pub fn declared(&self) -> Option<(&[String], &Path)> {
        self.transport.program()?.declared()
    }

    /// The same case with its program started by another command, or in another folder.
    #[must_use]
    pub fn started_by(&self, command: Vec<String>, folder: PathBuf) -> Self {
        let Some(program) = self.transport.program() else { return self.clone() };
        let (launch, place) = (Launch::Command(command), Place::Folder(folder));
        let program = Program { launch, place, ..program.as_ref().clone() };
        Self { transport: program.into(), ..self.clone() }
    }
}

/// How often a case is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetitions {
    /// At least so often, and at most.
    pub min: u32,
    /// At most so often.
    pub max: u32,
    /// Between the two, until the 95 % interval of the median over the repetitions' p50 is no wider than this share of
    /// it, in parts per million. None: always `max`.
    pub width_ppm: Option<u32>,
    /// Done first, and not reported.
    pub discarded: u32,
}

impl Repetitions {
    /// Always so many.
    pub fn exactly(count: u32) -> Self {
        Self { min: count, max: count, width_ppm: None, discarded: 0 }
    }
}

impl fmt::Display for PlannedCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, transport, mode, placement, work, crowd, .. } = self;
        let (scenario, transport) = (scenario.slug(), transport.info().slug);
        write!(formatter, "{scenario}/{transport}/{}/{placement}/{} B", mode.slug(), work.message_bytes)?;
        if work.window > 1 {
            write!(formatter, "/window {}", work.window)?;
        }
        match *crowd {
            Crowd::PAIR => Ok(()),
            Crowd { senders, receivers } => write!(formatter, "/{senders} to {receivers}"),
        }
    }
}

impl fmt::Debug for PlannedCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Whether the ends are processes or threads. The names are those of a pair; there may be more ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Mode {
    /// A process each.
    #[serde(rename = "2proc")]
    TwoProcesses,
    /// Threads of one process.
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
    /// Pinned to two, of different cores where there are such; more ends in turn to all processors.
    CrossCpu,
    /// As the scheduler likes.
    Free,
    /// The initiator's and the responder's, for a matrix of all pairs; a definition cannot ask for it.
    #[serde(skip)]
    Cpus(u32, u32),
}

impl fmt::Display for Placement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameCpu => formatter.write_str("same-cpu"),
            Self::CrossCpu => formatter.write_str("cross-cpu"),
            Self::Free => formatter.write_str("free"),
            Self::Cpus(initiator, responder) => write!(formatter, "cpus-{initiator}-{responder}"),
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
    preset_on(name, System::here())
}

/// What a preset that comes with the suite measures on one system, from wherever it is asked.
///
/// # Errors
/// When there is none of this name.
pub fn preset_on(name: &str, system: Option<System>) -> Result<Plan, InvalidDefinition> {
    let (name, text) = PRESETS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
        InvalidDefinition::UnknownPreset { name: name.into(), known: names().collect::<Vec<_>>().join(", ") }
    })?;
    parse_for(system, name, text, Path::new("."))
}

/// Plans a definition. Its programs are started in `folder`.
///
/// # Errors
/// Naming the line, or the value and what was expected.
pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Plan, InvalidDefinition> {
    parse_for(System::here(), name, text, folder)
}

fn parse_for(
    system: Option<System>,
    name: &str,
    text: &str,
    folder: &Path,
) -> Result<Plan, InvalidDefinition> {
    let malformed = |reason: String| InvalidDefinition::Malformed { preset: name.to_owned(), reason };
    let preset = Slug::parse(name).map_err(|error| malformed(error.to_string()))?;
    let file: File = toml::from_str(text).map_err(|error| malformed(error.to_string()))?;
    let known = Known::with(file.program, folder).map_err(malformed)?;
    let mut cases = Vec::new();
    for group in &file.case {
        group.expand(&known, system, &mut cases).map_err(malformed)?;
    }
    Ok(Plan { preset, about: file.about, cases, deadline: Duration::from_secs(file.deadline_seconds) })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    deadline_seconds: u64,
    #[serde(default)]
    program: Vec<declared::Declared>,
    case: Vec<group::Group>,
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
    fn a_misspelt_key_is_named_with_its_line() {
        let error = parse("x", "about = ''\ndeadline_seconds = 1\ncases = []", Path::new("."))
            .unwrap_err()
            .to_string();
        assert!(error.contains("cases") && error.contains("line 3"), "{error}");
    }
}
