//! Bytes to text, and text of bounded length for messages.

use crate::{Error, INPUT_BYTES_MAX};

/// For what is quoted within a message.
pub(crate) const SHORT: usize = 100;
/// For a message.
pub(crate) const LONG: usize = 300;

/// The text of a file, without a byte order mark.
pub(crate) fn of_bytes(bytes: &[u8]) -> Result<&str, Error> {
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(Error::TooLarge { bytes: bytes.len() });
    }
    let hint = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            " (this begins as UTF-16, which `>` writes in older PowerShell)"
        }
        [0x1f, 0x8b, ..] => " (this begins as gzip)",
        _ => "",
    };
    let text =
        std::str::from_utf8(bytes).map_err(|error| Error::NotText { byte: error.valid_up_to(), hint })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// At most so many characters, none of them a control character.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    let mut rest = text.chars();
    let mut kept: String =
        rest.by_ref().take(chars).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if rest.next().is_some() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf_8_is_refused_at_its_byte() {
        assert_eq!(of_bytes(b"ab\xffc").unwrap_err().to_string(), "byte 2: expected UTF-8 text");
        assert_eq!(
            of_bytes(b"\xff\xfea\0").unwrap_err().to_string(),
            "byte 0: expected UTF-8 text (this begins as UTF-16, which `>` writes in older PowerShell)"
        );
        assert_eq!(of_bytes("\u{feff}a".as_bytes()).unwrap(), "a");
    }

    #[test]
    fn what_is_larger_than_is_read_is_refused() {
        let error = of_bytes(&vec![b' '; INPUT_BYTES_MAX + 1]).unwrap_err();
        assert_eq!(error.to_string(), "67108865 bytes: expected at most 67108864");
    }

    #[test]
    fn quoted_text_is_short_and_on_one_line() {
        assert_eq!(cut("a\nb\u{1b}", 10), "a b ");
        assert_eq!(cut("äöü", 2), "äö…");
    }
}
