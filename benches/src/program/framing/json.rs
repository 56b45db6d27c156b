//! `json`: JSON in UTF-8, one value a line (nodejs/node, `lib/internal/child_process/serialization.js`).

use super::Format;
use std::io;

/// See the module.
#[derive(Debug)]
pub struct Json;

const END: u8 = b'\n';

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn frame(&self, text: &[u8], bytes: &mut Vec<u8>) {
        let is_plain = text.iter().all(|byte| byte.is_ascii());
        let written = match std::str::from_utf8(text) {
            Ok(text) if is_plain => serde_json::to_writer(&mut *bytes, text),
            _ => {
                serde_json::to_writer(&mut *bytes, &text.iter().copied().map(char::from).collect::<String>())
            }
        };
        // Writing a string to memory cannot fail.
        debug_assert!(written.is_ok());
        bytes.push(END);
    }

    fn end_of_frame(&self, bytes: &[u8], seen: usize) -> io::Result<Option<usize>> {
        let new = bytes.get(seen..).unwrap_or_default();
        Ok(new.iter().position(|byte| *byte == END).map(|at| seen + at + 1))
    }

    fn text<'a>(&self, frame: &'a [u8], decoded: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        // In place, unless something is escaped.
        if let Ok(text) = serde_json::from_slice::<&str>(frame)
            && text.is_ascii()
        {
            return Ok(text.as_bytes());
        }
        let text: String = serde_json::from_slice(frame)?;
        decoded.clear();
        for character in text.chars() {
            let byte = u8::try_from(character).map_err(|_| {
                io::Error::other(format!("a string has `{character}`: expected characters below 256"))
            })?;
            decoded.push(byte);
        }
        Ok(decoded)
    }
}
