//! [`Cursor`]: where a list goes on.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::ser::{Serialize, Serializer};
use std::fmt::Display;
use std::str::FromStr;

/// The place of the last entry of an answer: what follows it is asked for with it. Clients pass it on as it is, so that
/// what it holds can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<T>(pub T);

impl<T: FromStr> Cursor<T> {
    /// What was once written; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let place = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        // No place has a control character, and the database would not take all of them.
        if place.contains(char::is_control) { None } else { place.parse().ok().map(Self) }
    }
}

impl<T: Display> Serialize for Cursor<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor("lab-1 roundtrip ä".to_owned());
        let text = serde_json::to_value(&cursor).unwrap();
        assert_eq!(Cursor::parse(text.as_str().unwrap()), Some(cursor));
    }

    #[test]
    fn what_was_never_written_is_no_cursor() {
        for text in ["%", "a", &URL_SAFE_NO_PAD.encode(b"\xff"), &URL_SAFE_NO_PAD.encode("a\0")] {
            assert_eq!(Cursor::<String>::parse(text), None, "{text}");
        }
        assert_eq!(Cursor::<i64>::parse(&URL_SAFE_NO_PAD.encode("x")), None);
    }
}
