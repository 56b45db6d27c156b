//! Why a file cannot be taken in.

use std::{fmt, io};

/// In a sentence for the person who reads it; the name of the file comes before it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Malformed {
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    #[error(
        "nothing is in it: expected a header with the columns `series`, `index` and `value`, and rows below it"
    )]
    Empty,
    #[error("no row is below the header: expected a row for each value")]
    NoRows,
    #[error("line {line}: {found}: expected {expected}")]
    At { line: u64, found: String, expected: String },
}

/// The same of a row whose line is not known yet.
#[derive(Debug)]
pub(super) enum Problem {
    Unreadable(io::Error),
    Unexpected { found: String, expected: String },
}

impl Problem {
    pub(super) fn at(self, line: u64) -> Malformed {
        match self {
            Self::Unreadable(error) => Malformed::Unreadable(error),
            Self::Unexpected { found, expected } => Malformed::At { line, found, expected },
        }
    }
}

impl From<csv::Error> for Problem {
    fn from(error: csv::Error) -> Self {
        let told = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Utf8 { err, .. } => Self::Unexpected {
                found: format!("cell {} is not UTF-8", err.field() + 1),
                expected: "text in UTF-8".into(),
            },
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => Self::Unexpected {
                found: format!("the row has {len} {}", if len == 1 { "cell" } else { "cells" }),
                expected: format!("{expected_len}, as the header has"),
            },
            csv::ErrorKind::Io(error) => Self::Unreadable(error),
            _ => Self::Unreadable(io::Error::other(told)),
        }
    }
}

/// A text of the file as it can be printed: its beginning in quotes, special characters by their codes.
pub(super) fn clipped(text: &str) -> impl fmt::Display {
    const CHARACTERS_MAX: usize = 40;
    let beginning: String = text.chars().take(CHARACTERS_MAX).collect();
    let end = if beginning.len() < text.len() { "…" } else { "" };
    format!("{beginning:?}{end}")
}
