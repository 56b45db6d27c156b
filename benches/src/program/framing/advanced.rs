//! `advanced`: a length of four bytes, most significant first, then the value as V8 serializes it (nodejs/node,
//! `lib/internal/child_process/serialization.js`; v8/v8, `src/objects/value-serializer.cc`).

use super::Format;
use std::io;

/// See the module.
#[derive(Debug)]
pub struct Advanced;

const LENGTH_BYTES: usize = size_of::<u32>();
/// Begins a value; the version of the format follows.
const VERSION_TAG: u8 = 0xff;
/// That of V8 since 2021.
const VERSION: u8 = 15;
/// A string of characters below 256, a byte each; its length follows.
const ONE_BYTE_STRING_TAG: u8 = b'"';
/// The longest length of seven bits a byte.
const VARINT_BYTES_MAX: usize = 5;

impl Format for Advanced {
    fn name(&self) -> &'static str {
        "advanced"
    }

    fn frame(&self, text: &[u8], bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend([0; LENGTH_BYTES]);
        bytes.extend([VERSION_TAG, VERSION, ONE_BYTE_STRING_TAG]);
        write_varint(text.len(), bytes);
        bytes.extend_from_slice(text);
        // A message is far below 4 GiB.
        let length = u32::try_from(bytes.len() - begin - LENGTH_BYTES).unwrap_or(u32::MAX);
        bytes[begin..begin + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
    }

    fn end_of_frame(&self, bytes: &[u8], _seen: usize) -> io::Result<Option<usize>> {
        let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        Ok((rest.len() >= length).then_some(LENGTH_BYTES + length))
    }

    fn text<'a>(&self, frame: &'a [u8], _decoded: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        let refused = |what: &str| io::Error::other(format!("a frame holds {what}: expected a string"));
        let value = frame.get(LENGTH_BYTES..).unwrap_or_default();
        let [VERSION_TAG, version, rest @ ..] = value else { return Err(refused("no serialized value")) };
        if !(13..=VERSION).contains(version) {
            return Err(refused(&format!("version {version} of the format")));
        }
        let [ONE_BYTE_STRING_TAG, rest @ ..] = rest else { return Err(refused("another value")) };
        let (length, text) = read_varint(rest).ok_or_else(|| refused("a length without end"))?;
        if text.len() == length { Ok(text) } else { Err(refused("a string of another length")) }
    }
}

/// Seven bits a byte, the least significant first.
#[expect(clippy::cast_possible_truncation, reason = "of seven bits")]
fn write_varint(mut value: usize, bytes: &mut Vec<u8>) {
    while value > 0x7f {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
}

fn read_varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(VARINT_BYTES_MAX).position(|byte| byte & 0x80 == 0)?;
    let value = bytes[..=end].iter().rev().fold(0, |value, byte| value << 7 | usize::from(byte & 0x7f));
    Some((value, &bytes[end + 1..]))
}
