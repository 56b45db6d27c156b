//! Errors in a file: place, expectation and finding. Messages and names have a bounded length for any input.

use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// The longest quotation in a message, in characters.
pub(crate) const SHORT: usize = 100;
pub(crate) const LONG: usize = 300;

/// Shortens a text to `chars` characters, without control characters.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    let mut rest = text.chars();
    let mut kept: String =
        rest.by_ref().take(chars).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if rest.next().is_some() {
        kept.push('…');
    }
    kept
}

/// The text with each run of control characters and blanks around them as one space. `None` if it is blank.
pub(crate) fn on_one_line(text: &str) -> Option<Cow<'_, str>> {
    if text.trim().is_empty() {
        return None;
    }
    if !text.contains(char::is_control) {
        return Some(Cow::Borrowed(text));
    }
    let parts = text.split(char::is_control).map(str::trim).filter(|part| !part.is_empty());
    let joined = parts.collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then_some(Cow::Owned(joined))
}

/// The text, or if it has more than `chars` characters, its beginning and a digest of the whole: texts stay distinct.
pub(crate) fn shortened(text: String, chars: usize) -> String {
    const DIGEST_BYTES: usize = 6;
    if text.chars().count() <= chars {
        return text;
    }
    let digest = Sha256::digest(&text);
    let mut short = cut(&text, chars - 2 * DIGEST_BYTES - 1);
    for byte in &digest[..DIGEST_BYTES] {
        // Writing to a text cannot fail.
        let _ = write!(short, "{byte:02x}");
    }
    short
}

/// The place of an error in a file, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: Option<usize>,
    /// Counted from 1.
    pub column: Option<usize>,
    /// The path to a member, such as `benchmarks[3].real_time`.
    pub member: Option<String>,
    /// The offset in the inflated bytes of a histogram, from 0.
    pub byte: Option<usize>,
}

impl Place {
    pub(crate) fn line(line: usize) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    pub(crate) fn at_byte(&self, byte: usize) -> Self {
        Self { byte: Some(byte), ..self.clone() }
    }

    pub(crate) fn member(path: impl AsRef<str>) -> Self {
        Self::default().with_member(path.as_ref())
    }

    pub(crate) fn with_member(&self, path: &str) -> Self {
        Self { member: (!path.is_empty()).then(|| cut(path, SHORT)), ..self.clone() }
    }

    /// Converts a place in a part of the file that begins `lines` further down.
    pub(crate) fn lines_down(self, lines: usize) -> Self {
        Self { line: Some(self.line.unwrap_or(1) + lines), ..self }
    }

    pub(crate) fn is_known(&self) -> bool {
        *self != Self::default()
    }

    pub(crate) fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault { place: self.clone(), problem: cut(&problem.into(), LONG) }
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

/// An error found by a format reader, before the format's name is added.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) problem: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_text_on_one_short_line() {
        assert_eq!(cut("a\nb\u{1b}", 10), "a b ");
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
