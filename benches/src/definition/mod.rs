//! Presets: what to measure, as data. `definitions/*.toml` is parsed here into a [`Plan`].

pub use crate::scenario::Participants;

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

/// The bundled presets: name and definition, ordered by name.
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

/// The cases to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The preset's name.
    pub preset: Slug,
    /// One line on the purpose of the preset.
    pub about: String,
    /// Every case, in the order of the definition.
    pub cases: Vec<PlannedCase>,
    /// Time limit of one repetition; then its peers count as hung.
    pub deadline: Duration,
}

impl Plan {
    /// Measures every Node case with each of these programs instead of the `node` in `PATH`.
    #[must_use]
    pub fn with_nodes(self, nodes: &[Node]) -> Self {
        let each = |case: PlannedCase| match case.transport.program() {
            Some(program) if program.uses_node() => nodes
                .iter()
                .map(|node| PlannedCase { transport: program.with_node(node).into(), ..case.clone() })
                .collect(),
            _ => vec![case],
        };
        Self { cases: self.cases.into_iter().flat_map(each).collect(), ..self }
    }
}

/// One case and its amount of work.
#[derive(Clone)]
pub struct PlannedCase {
    /// The transport or program.
    pub transport: Mechanism,
    /// The traffic pattern.
    pub scenario: &'static dyn Scenario,
    /// Whether ends are processes or threads.
    pub mode: Mode,
    /// The processors of the ends.
    pub placement: Placement,
    /// Bytes per operation, if it takes several messages.
    pub total_bytes: Option<u64>,
    /// The kernel buffer to request; `None` for the system's default.
    pub buffer_bytes: Option<usize>,
    /// Behaviour of the channel and its ends.
    pub manner: Manner,
    /// Number of ends of each kind.
    pub participants: Participants,
    /// Amount of work.
    pub work: Work,
    /// Repetitions, each with new peers.
    pub repetitions: Repetitions,
    /// The probe that observes the ends. Definitions cannot set it.
    pub probe: Option<Probe>,
}

impl PlannedCase {
    /// One repetition of this work between two unpinned processes.
    pub fn new(transport: impl Into<Mechanism>, scenario: &'static dyn Scenario, work: Work) -> Self {
        let transport = transport.into();
        Self {
            manner: transport.manner(),
            transport,
            scenario,
            mode: Mode::TwoProcesses,
            placement: Placement::Free,
            total_bytes: None,
            buffer_bytes: None,
            participants: Participants::PAIR,
            work,
            repetitions: Repetitions::exactly(1),
            probe: None,
        }
    }

    /// The properties of the channel that this case needs.
    pub fn channel(&self) -> ChannelSpec {
        ChannelSpec {
            message_bytes: self.work.message_bytes,
            buffer_bytes: self.buffer_bytes,
            manner: self.manner,
        }
    }

    /// Whether it is measured with a `node`.
    pub fn uses_node(&self) -> bool {
        self.transport.program().is_some_and(|program| program.uses_node())
    }

    /// The command and folder of its program, if its definition declares one.
    pub fn declared(&self) -> Option<(&[String], &Path)> {
        self.transport.program()?.declared()
    }

    /// The same case with another command or folder for its program.
    #[must_use]
    pub fn started_by(&self, command: Vec<String>, folder: PathBuf) -> Self {
        let Some(program) = self.transport.program() else { return self.clone() };
        let (launch, place) = (Launch::Command(command), Place::Folder(folder));
        let program = Program { launch, place, ..program.as_ref().clone() };
        Self { transport: program.into(), ..self.clone() }
    }
}

/// The number of repetitions of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetitions {
    /// The fewest repetitions.
    pub min: u32,
    /// The most repetitions.
    pub max: u32,
    /// Stop between the two once the 95 % interval of the median over the repetitions' p50 is at most this share of it,
    /// in parts per million. `None`: always `max`.
    pub width_ppm: Option<u32>,
    /// Repetitions that run first and are not reported.
    pub discarded: u32,
}

impl Repetitions {
    /// A fixed number of repetitions.
    pub fn exactly(count: u32) -> Self {
        Self { min: count, max: count, width_ppm: None, discarded: 0 }
    }
}

impl fmt::Display for PlannedCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, transport, mode, placement, work, participants, .. } = self;
        let (scenario, transport) = (scenario.slug(), transport.info().slug);
        write!(formatter, "{scenario}/{transport}/{}/{placement}/{} B", mode.slug(), work.message_bytes)?;
        if work.window > 1 {
            write!(formatter, "/window {}", work.window)?;
        }
        match *participants {
            Participants::PAIR => Ok(()),
            Participants { senders, receivers } => write!(formatter, "/{senders} to {receivers}"),
        }
    }
}

impl fmt::Debug for PlannedCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Whether the ends are processes or threads. The names are for a pair; there may be more ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Mode {
    /// One process per end.
    #[serde(rename = "2proc")]
    TwoProcesses,
    /// Threads of one process.
    #[serde(rename = "2thread")]
    TwoThreads,
}

impl Mode {
    /// Returns its name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::TwoProcesses => "2proc",
            Self::TwoThreads => "2thread",
        }
    }
}

/// The processors that the ends use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Both pinned to the same processor.
    SameCpu,
    /// Pinned to two processors, on different cores if possible; more ends use all processors in turn.
    CrossCpu,
    /// Left to the scheduler.
    Free,
    /// The initiator's and the responder's processor, for a matrix of all pairs. Definitions cannot request it.
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
    /// There is no preset with this name.
    #[error("unknown preset `{name}`: expected one of {known}")]
    UnknownPreset {
        /// The requested name.
        name: String,
        /// The known presets.
        known: String,
    },
    /// The file is invalid; the message has line and column.
    #[error("preset `{preset}`: {reason}")]
    Malformed {
        /// The preset.
        preset: String,
        /// The error.
        reason: String,
    },
}

/// Plans a bundled preset.
///
/// # Errors
/// If no preset has this name.
pub fn preset(name: &str) -> Result<Plan, InvalidDefinition> {
    preset_on(name, System::here())
}

/// Plans a bundled preset for a given system, which may differ from this one.
///
/// # Errors
/// If no preset has this name.
pub fn preset_on(name: &str, system: Option<System>) -> Result<Plan, InvalidDefinition> {
    let (name, text) = PRESETS.iter().find(|(known, _)| *known == name).ok_or_else(|| {
        InvalidDefinition::UnknownPreset { name: name.into(), known: names().collect::<Vec<_>>().join(", ") }
    })?;
    parse_for(system, name, text, Path::new("."))
}

/// Plans a definition. Its programs are started in `folder`.
///
/// # Errors
/// Naming the line, or the value and the expected values.
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
    let known = Known::with(file.program, text, folder).map_err(malformed)?;
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
    fn every_preset_is_valid() {
        for name in names() {
            assert!(!preset(name).unwrap().cases.is_empty());
        }
    }

    #[test]
    fn unknown_preset_lists_known_ones() {
        let error = preset("quik").unwrap_err().to_string();
        assert!(error.contains("`quik`") && error.contains("quick"), "{error}");
    }

    #[test]
    fn programs_have_the_line_of_their_command() {
        let program = |slug: &str| {
            format!(
                "[[program]]\nslug = '{slug}'\ntitle = 'ä'\nfamily = 'x'\nsemantics = ''\ncommand = ['./{slug}']\n"
            )
        };
        let case = "[[case]]\nscenario = 'roundtrip'\ntransports = ['one', 'two']\nmessage_bytes = [64]\nmodes = ['2proc']\n\
                    placements = ['free']\noperations = 1\nwarmup = 0\nrepetitions = 1\n";
        let text = format!("about = ''\ndeadline_seconds = 1\n{}{}{case}", program("one"), program("two"));
        let plan = parse("x", &text, Path::new("/nowhere")).unwrap();
        let lines = plan.cases.iter().map(|case| case.transport.program().unwrap().line);
        assert_eq!(lines.collect::<Vec<_>>(), [Some(8), Some(14)]);
        let program = plan.cases[0].transport.program().unwrap();
        assert_eq!(program.missing(), Some("./one"));
    }

    #[test]
    fn misspelt_key_is_reported_with_its_line() {
        let error = parse("x", "about = ''\ndeadline_seconds = 1\ncases = []", Path::new("."))
            .unwrap_err()
            .to_string();
        assert!(error.contains("cases") && error.contains("line 3"), "{error}");
    }
}
