//! [`Search`]: the search syntax of Explore, `transport:pipe size:>=64k ring` (`docs/reference/search.md`).

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The terms that take names, with an example.
const NAMES: [(&str, &str); 6] = [
    ("transport", "a transport name, such as transport:pipe,unix-stream"),
    ("machine", "a machine name, such as machine:lab-1"),
    ("scenario", "a scenario name, such as scenario:roundtrip"),
    ("mode", "mode:2proc or mode:2thread"),
    ("placement", "placement:same-cpu, placement:cross-cpu or placement:free"),
    (OS, "an operating system, such as os:linux"),
];
/// The term for the systems of machines.
pub(super) const OS: &str = "os";
const EXPECTED_SIZE: &str = "a size (64k, 1MiB), a comparison (>=64k) or a range (64k..1m)";
const EXPECTED_PEERS: &str = "a number of receivers, such as peers:2,4";
/// They select what Explore shows. The file has all of them.
const PERCENTILES: [&str; 6] = ["p50", "p90", "p98", "p99", "p99.9", "p999"];
const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A parsed search. An empty list does not restrict.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Search {
    /// Words that series must all have in their names.
    pub(super) words: Vec<String>,
    /// Alternative names, by the term of `NAMES`.
    pub(super) names: BTreeMap<&'static str, Vec<String>>,
    pub(super) peers: Vec<u32>,
    /// A size must be in a range of each list, in bytes.
    sizes: Vec<Vec<RangeInclusive<u64>>>,
}

/// An invalid term of a search.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid search term `{term}`: expected {expected}")]
pub(super) struct InvalidTerm {
    term: String,
    expected: String,
}

impl Search {
    /// Parses a text.
    ///
    /// # Errors
    /// The first invalid term.
    pub(super) fn parse(text: &str) -> Result<Self, InvalidTerm> {
        let mut search = Self::default();
        terms(text).into_iter().try_for_each(|term| search.add(term)).map(|()| search)
    }

    /// Whether it includes messages of this size.
    pub(super) fn has_size(&self, bytes: u64) -> bool {
        self.sizes.iter().all(|ranges| ranges.iter().any(|range| range.contains(&bytes)))
    }

    fn add(&mut self, term: &str) -> Result<(), InvalidTerm> {
        let invalid = |expected: &str| InvalidTerm { term: term.to_owned(), expected: expected.to_owned() };
        if term.contains('"') {
            let word = term.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let word = word.filter(|word| !word.is_empty() && !word.contains('"'));
            self.words
                .push(word.ok_or_else(|| invalid("quotes around words, such as \"two words\""))?.to_owned());
            return Ok(());
        }
        let Some((key, values)) = term.split_once(':') else {
            // The server would ignore it.
            if !term.contains(char::is_alphanumeric) {
                return Err(invalid("a word with a letter or a digit"));
            }
            if !PERCENTILES.contains(&term.to_lowercase().as_str()) {
                self.words.push(term.to_owned());
            }
            return Ok(());
        };
        let repeated = || invalid(&format!("{key}: once, with values separated by commas"));
        match key.to_lowercase().as_str() {
            "size" => {
                let ranges =
                    values.split(',').map(|value| size_range(value).ok_or_else(|| invalid(EXPECTED_SIZE)));
                self.sizes.push(ranges.collect::<Result<_, _>>()?);
            }
            "peers" if !self.peers.is_empty() => return Err(repeated()),
            "peers" => {
                let number = |value: &str| value.parse().ok().filter(|peers| *peers > 0);
                let peers =
                    values.split(',').map(|value| number(value).ok_or_else(|| invalid(EXPECTED_PEERS)));
                self.peers = peers.collect::<Result<_, _>>()?;
            }
            lower => {
                let Some((name, expected)) = NAMES.into_iter().find(|(name, _)| *name == lower) else {
                    let keys: Vec<_> = NAMES.iter().map(|(name, _)| format!("{name}:")).collect();
                    let keys = keys.join(", ");
                    return Err(invalid(&format!(
                        "one of {keys}, size:, peers:; put words that contain a colon in quotes"
                    )));
                };
                let values: Vec<_> = values.split(',').map(str::to_lowercase).collect();
                if !values.iter().all(|value| is_name(value)) {
                    return Err(invalid(expected));
                }
                if self.names.insert(name, values).is_some() {
                    return Err(repeated());
                }
            }
        }
        Ok(())
    }
}

/// Splits at spaces outside of quotes.
fn terms(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let parts = text.split(|character: char| {
        is_quoted ^= character == '"';
        character.is_whitespace() && !is_quoted
    });
    parts.filter(|part| !part.is_empty()).collect()
}

fn is_name(text: &str) -> bool {
    roundtrip_wire::Slug::parse(text).is_ok()
}

fn size_range(text: &str) -> Option<RangeInclusive<u64>> {
    if let Some(size) = text.strip_prefix(">=") {
        return Some(bytes(size)?..=u64::MAX);
    }
    if let Some(size) = text.strip_prefix("<=") {
        return Some(0..=bytes(size)?);
    }
    if let Some(size) = text.strip_prefix('>') {
        return Some(bytes(size)?.checked_add(1)?..=u64::MAX);
    }
    if let Some(size) = text.strip_prefix('<') {
        return bytes(size)?.checked_sub(1).map(|last| 0..=last);
    }
    match text.split_once("..") {
        Some((from, to)) => Some(bytes(from)?..=bytes(to)?).filter(|range| !range.is_empty()),
        None => bytes(text).map(|exact| exact..=exact),
    }
}

/// A whole number of bytes. Units are binary.
fn bytes(text: &str) -> Option<u64> {
    let lower = text.to_lowercase();
    let unit_at = lower.find(|character: char| character.is_ascii_lowercase()).unwrap_or(lower.len());
    let (amount, unit) = lower.split_at(unit_at);
    let factor = match unit {
        "" | "b" => 1,
        "k" | "kib" => KIB,
        "m" | "mib" => MIB,
        _ => return None,
    };
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let parts = 10_u64.checked_pow(fraction.len().try_into().ok()?)?;
    let fraction = fraction.parse::<u64>().ok()?.checked_mul(factor)?;
    if !fraction.is_multiple_of(parts) {
        return None;
    }
    whole.parse::<u64>().ok()?.checked_mul(factor)?.checked_add(fraction / parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Search {
        Search::parse(text).unwrap()
    }

    #[test]
    fn reads_words_names_sizes_and_receivers() {
        let search =
            parse("Transport:PIPE,fifo ring \"two words\" os:linux peers:1,2 size:>=64k size:<1m,2m p99.9");
        assert_eq!(search.words, ["ring", "two words"]);
        let names =
            [("os", vec!["linux".to_owned()]), ("transport", vec!["pipe".to_owned(), "fifo".to_owned()])];
        assert_eq!(search.names, BTreeMap::from(names));
        assert_eq!(search.peers, [1, 2]);
        let (kib, mib) = (1024, 1_048_576);
        for (bytes, is_found) in [(63 * kib, false), (64 * kib, true), (mib, false), (2 * mib, true)] {
            assert_eq!(search.has_size(bytes), is_found, "{bytes}");
        }
        assert_eq!(parse("  p50 "), Search::default());
    }

    #[test]
    fn reads_each_form_of_a_size() {
        for (text, from, to) in [
            ("64", 64, 64),
            ("64B", 64, 64),
            ("1.5k", 1536, 1536),
            ("64KiB", 65_536, 65_536),
            (">64", 65, u64::MAX),
            ("<=4k", 0, 4096),
            ("<1m", 0, 1_048_575),
            ("64k..1m", 65_536, 1_048_576),
        ] {
            assert_eq!(size_range(text), Some(from..=to), "{text}");
        }
    }

    #[test]
    fn names_the_invalid_term_and_what_was_expected() {
        for (text, term, expected) in [
            ("pipe colour:red", "colour:red", "one of transport:, "),
            ("size:64q", "size:64q", "a size (64k"),
            ("size:64,>=", "size:64,>=", "a size (64k"),
            ("size:1m..64k", "size:1m..64k", "a size (64k"),
            ("size:0.3k", "size:0.3k", "a size (64k"),
            ("transport:", "transport:", "a transport name"),
            ("transport:pipe,,fifo", "transport:pipe,,fifo", "a transport name"),
            ("os:linux os:macos", "os:macos", "os: once"),
            ("peers:0", "peers:0", "a number of receivers"),
            ("peers:1 peers:2", "peers:2", "peers: once"),
            ("ring \"half", "\"half", "quotes around"),
            ("pipe -", "-", "a letter or a digit"),
        ] {
            let error = Search::parse(text).unwrap_err();
            assert_eq!(error.term, term, "{text}");
            assert!(error.expected.contains(expected), "{error}");
        }
    }
}
