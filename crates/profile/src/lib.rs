//! Call stacks with their times: the comparison of two sides, and the formats of other tools.
//!
//! - [`comparison`]: merges the stacks of two sides for the report, and separates them again.
//! - [`folded`], [`firefox`], [`pprof`]: the formats, selected by [`Format`].

pub mod comparison;
pub mod firefox;
pub mod folded;
pub mod pprof;

use strum::{EnumIter, IntoEnumIterator as _};

/// The call stacks of an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndStacks {
    /// What it belongs to: a case, or a side of a comparison.
    pub group: String,
    /// The end: `initiator`.
    pub end: String,
    /// The stacks, each once.
    pub stacks: Vec<Stack>,
}

/// A call stack and the times spent in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The functions, outermost first.
    pub frames: Vec<String>,
    /// The times in the innermost function.
    pub time: Time,
}

/// Times in each state, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Time {
    /// On a processor.
    pub on_cpu_ns: u64,
    /// Waiting.
    pub waiting_ns: u64,
}

impl Time {
    /// The sum of both states.
    pub fn sum_ns(&self) -> u64 {
        self.on_cpu_ns + self.waiting_ns
    }
}

impl std::ops::AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        self.on_cpu_ns += other.on_cpu_ns;
        self.waiting_ns += other.waiting_ns;
    }
}

/// The nanoseconds of a state.
type OfState = fn(&Time) -> u64;

/// The states of an end, with their names in files.
const STATES: [(&str, OfState); 2] = [("on CPU", |time| time.on_cpu_ns), ("waiting", |time| time.waiting_ns)];

/// A format of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
pub enum Format {
    /// One line for each stack: `flamegraph.pl`, `inferno`, speedscope.
    Folded,
    /// The Firefox Profiler.
    Firefox,
    /// `pprof`, compressed.
    Pprof,
}

impl Format {
    /// How the names of its files end.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Folded => ".folded",
            Self::Firefox => ".json",
            Self::Pprof => ".pb.gz",
        }
    }

    /// The media type of its files.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Folded => "text/plain; charset=utf-8",
            Self::Firefox => "application/json",
            Self::Pprof => "application/gzip",
        }
    }

    /// The format of a file with this name.
    pub fn of_file(name: &str) -> Option<Self> {
        Self::iter().find(|format| name.ends_with(format.suffix()))
    }

    /// The contents of a file in this format.
    pub fn write(self, ends: &[EndStacks]) -> Vec<u8> {
        match self {
            Self::Folded => folded::write(ends).into_bytes(),
            Self::Firefox => firefox::write(ends).into_bytes(),
            Self::Pprof => pprof::write(ends),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ends of a group with three stacks, one of them recursive.
    pub(crate) fn ends() -> Vec<EndStacks> {
        let stack = |frames: &[&str], on_cpu_ns, waiting_ns| Stack {
            frames: frames.iter().map(|&frame| frame.to_owned()).collect(),
            time: Time { on_cpu_ns, waiting_ns },
        };
        let end = |end: &str, stacks| EndStacks { group: "roundtrip/pipe".into(), end: end.into(), stacks };
        vec![
            end(
                "initiator",
                vec![
                    stack(&["main", "a;b"], 0, 2_000),
                    stack(&["main", "main", "receive"], 1_000, 8_000),
                    stack(&["main", "send"], 3_000, 0),
                ],
            ),
            end("responder", vec![stack(&["main", "receive"], 500, 0)]),
        ]
    }

    #[test]
    fn name_of_a_file_selects_the_format() {
        assert_eq!(Format::of_file("a/stacks.folded"), Some(Format::Folded));
        assert_eq!(Format::of_file("profile.json"), Some(Format::Firefox));
        assert_eq!(Format::of_file("profile.pb.gz"), Some(Format::Pprof));
        assert_eq!(Format::of_file("profile.txt"), None);
    }
}
