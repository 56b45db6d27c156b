//! [`SearchTerms`]: the text of a search.

use serde::Deserialize;

const CHARACTERS_MAX: usize = 200;
const WORDS_MAX: usize = 16;
/// Words are compared up to this many characters, as stored.
const WORD_CHARACTERS_MAX: usize = 64;

/// The words of a text, in lower case and without punctuation around them. The usual spellings of a size, `64
/// KiB`, `64kb` and `64K`, become one word, `64kib`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct SearchTerms(Vec<String>);

/// Why a search text is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSearchTerms {
    /// It is too long.
    #[error("expected at most {CHARACTERS_MAX} characters")]
    TooLong,
    /// It has too many words.
    #[error("expected at most {WORDS_MAX} words")]
    TooMany,
}

impl SearchTerms {
    /// Splits a text into words.
    ///
    /// # Errors
    /// The text is too long, or has too many words.
    pub fn parse(text: &str) -> Result<Self, InvalidSearchTerms> {
        if text.chars().count() > CHARACTERS_MAX {
            return Err(InvalidSearchTerms::TooLong);
        }
        let lower = text.to_lowercase();
        let mut words: Vec<String> = Vec::new();
        let split = |character: char| character.is_whitespace() || character.is_control();
        for part in lower.split(split) {
            let word = part.trim_matches(|character: char| !character.is_alphanumeric());
            if word.is_empty() {
                continue;
            }
            // `64 KiB`: the number was parsed as a separate word.
            let number =
                words.pop_if(|before| is_number(before) && size(&format!("{before}{word}")).is_some());
            let whole = number.unwrap_or_default() + word;
            words.push(size(&whole).unwrap_or_else(|| whole.chars().take(WORD_CHARACTERS_MAX).collect()));
        }
        if words.len() > WORDS_MAX { Err(InvalidSearchTerms::TooMany) } else { Ok(Self(words)) }
    }

    /// Each word.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The word, if there is exactly one.
    pub fn only(&self) -> Option<&str> {
        match self.0.as_slice() {
            [word] => Some(word),
            _ => None,
        }
    }
}

impl TryFrom<String> for SearchTerms {
    type Error = InvalidSearchTerms;

    fn try_from(text: String) -> Result<Self, InvalidSearchTerms> {
        Self::parse(&text)
    }
}

/// Whether a word is a number, which matches exactly. Other words match as prefixes.
pub fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number of bytes as sizes are stored: `64`, `64kib`.
fn size(word: &str) -> Option<String> {
    let unit_at = word.find(|character: char| !character.is_ascii_digit())?;
    let (number, unit) = word.split_at(unit_at);
    let unit = match unit {
        "b" => "",
        "k" | "kb" | "kib" => "kib",
        "m" | "mb" | "mib" => "mib",
        "g" | "gb" | "gib" => "gib",
        _ => return None,
    };
    (!number.is_empty()).then(|| format!("{number}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        SearchTerms::parse(text).unwrap().0
    }

    #[test]
    fn words_are_lower_case_without_punctuation() {
        assert_eq!(
            words("  Ring-Futex (JSON), BM_Pipe/64 --- \t'x'"),
            ["ring-futex", "json", "bm_pipe/64", "x"]
        );
        assert!(words(" -- ").is_empty());
    }

    #[test]
    fn all_spellings_of_a_size_are_one_word() {
        for text in ["64kib", "64KiB", "64 KiB", "64kb", "64K", "64 k"] {
            assert_eq!(words(text), ["64kib"], "{text}");
        }
        assert_eq!(words("64 B pipe 1 MiB"), ["64", "pipe", "1mib"]);
        assert_eq!(words("64 2proc"), ["64", "2proc"]);
        assert_eq!(words("64 128"), ["64", "128"]);
        assert_eq!(words("b"), ["b"]);
    }

    #[test]
    fn rejects_long_searches() {
        assert_eq!(SearchTerms::parse(&"a".repeat(201)), Err(InvalidSearchTerms::TooLong));
        assert_eq!(SearchTerms::parse(&"a ".repeat(17)), Err(InvalidSearchTerms::TooMany));
        assert_eq!(words(&"a".repeat(100)), ["a".repeat(64)]);
    }
}
