//! What was wrong, where, and what was expected. A message has a bounded length, whatever the input.

use crate::{Format, INPUT_BYTES_MAX, text};
use std::fmt;

/// Why a file is not imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Larger than is read.
    #[error("{bytes} bytes: expected at most {INPUT_BYTES_MAX}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Not text.
    #[error("byte {byte}: expected UTF-8 text{hint}")]
    NotText {
        /// The first byte that is none, counted from 0.
        byte: usize,
        /// What may help.
        hint: &'static str,
    },
    /// The content is of no known format.
    #[error("not recognised: expected the results of one of {}", Format::list())]
    NotRecognised,
    /// The content could be of several formats.
    #[error("could be any of {}: expected to be told which", slugs(formats))]
    Ambiguous {
        /// Which.
        formats: Vec<Format>,
    },
    /// No format has this name.
    #[error("`{slug}` is no format: expected one of {}", Format::list())]
    UnknownFormat {
        /// The beginning of what was given.
        slug: String,
    },
    /// The content is not what its format asks for.
    #[error("{format}: {place}{}{problem}", if place.is_known() { ": " } else { "" })]
    Invalid {
        /// In which format it was read.
        format: Format,
        /// Where.
        place: Place,
        /// What was expected, and what was found.
        problem: String,
    },
    /// The content is in order, but there is no time in it.
    #[error("{format}: expected at least one benchmark with a time{why}")]
    Nothing {
        /// In which format it was read.
        format: Format,
        /// What was left out.
        why: String,
    },
}

fn slugs(formats: &[Format]) -> String {
    formats.iter().map(|format| format.slug()).collect::<Vec<_>>().join(", ")
}

/// Where in a file something is wrong, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: Option<usize>,
    /// Counted from 1.
    pub column: Option<usize>,
    /// The path to a member, such as `benchmarks[3].real_time`.
    pub member: Option<String>,
    /// Of a histogram's bytes as they are inflated, counted from 0.
    pub byte: Option<usize>,
}

impl Place {
    pub(crate) fn line(line: usize) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    pub(crate) fn member(path: impl AsRef<str>) -> Self {
        Self::default().of_member(path.as_ref())
    }

    pub(crate) fn of_member(self, path: &str) -> Self {
        Self { member: (!path.is_empty()).then(|| text::cut(path, text::SHORT)), ..self }
    }

    /// This place in what begins `lines` further down in the file.
    pub(crate) fn lines_down(self, lines: usize) -> Self {
        Self { line: Some(self.line.unwrap_or(1) + lines), ..self }
    }

    pub(crate) fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// What is wrong here.
    pub(crate) fn fault(self, problem: impl Into<String>) -> Fault {
        Fault { place: self, problem: text::cut(&problem.into(), text::LONG) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |what: &str, number: Option<usize>| number.map(|number| format!("{what} {number}"));
        let parts = [
            number("line", self.line),
            number("column", self.column),
            self.member.clone(),
            number("byte", self.byte),
        ];
        formatter.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// What a format finds wrong, before it is said of which format.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) problem: String,
}

impl Fault {
    pub(crate) fn in_format(self, format: Format) -> Error {
        Error::Invalid { format, place: self.place, problem: self.problem }
    }
}
