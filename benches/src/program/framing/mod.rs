//! The wire formats of Node's `child_process` without Node. Two processes of this suite exchange the same strings over
//! the same channel as `node-advanced` and `node-json`, which shows the cost of framing without JavaScript.
//!
//! - `Advanced`, `Json`: the two formats. `inbox`: splits a stream of bytes into frames.
//! - `ends`: one end of the channel; the initiator and the responder.

use super::{Launch, Place, Program};
use crate::sys::{death, fork_channel};
use crate::system;
use roundtrip_wire::{Slug, TransportInfo};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

mod ends;
pub(crate) mod inbox;

/// A wire format.
pub trait Format: Sync {
    /// Node's name for it: `advanced`, `json`.
    fn name(&self) -> &'static str;

    /// Appends the frame of a string; each byte is a character below 256.
    fn frame(&self, text: &[u8], bytes: &mut Vec<u8>);

    /// Returns the end of the first frame; `None` while it is incomplete. The first `seen` bytes were searched before.
    ///
    /// # Errors
    /// If the bytes do not begin a frame.
    fn end_of_frame(&self, bytes: &[u8], seen: usize) -> io::Result<Option<usize>>;

    /// Returns the string in a whole frame, borrowed from the frame or from `decoded`.
    ///
    /// # Errors
    /// If the frame holds something else.
    fn text<'a>(&self, frame: &'a [u8], decoded: &'a mut Vec<u8>) -> io::Result<&'a [u8]>;
}

/// Both formats, ordered by name.
pub static ALL: &[&dyn Format] = &[&Advanced, &Json];

/// The first argument of a peer that is one of the two ends.
pub const ARGUMENT: &str = "framing";

/// The programs, one per format.
pub fn programs() -> impl Iterator<Item = Program> {
    let about = ["V8's structured clone format with a 4-byte length.", "lines of JSON."];
    ALL.iter().zip(about).map(|(format, about)| Program {
        info: TransportInfo {
            slug: Slug::from_name(&format!("node-framing-{}", format.name())),
            title: format!("Node's wire format, {}", format.name()),
            family: Slug::from_name("runtime"),
            semantics: format!(
                "Two Rust processes exchange strings over a Unix socket pair in Node's wire format: {about}"
            ),
            control: false,
        },
        launch: Launch::Peer(vec![ARGUMENT.to_owned(), format.name().to_owned()]),
        place: Place::Folder(PathBuf::from(".")),
        variant: None,
        systems: system::UNIX,
        unsupported: fork_channel::support().err(),
        line: None,
    })
}

/// Runs one end: the initiator, which implements the protocol for programs, or the responder that it has started.
///
/// # Errors
/// From the channel or the harness; for an unknown format.
pub fn main(arguments: &[String]) -> io::Result<ExitCode> {
    death::die_with_parent()?;
    let name = arguments.first().map(String::as_str).unwrap_or_default();
    let format = ALL
        .iter()
        .find(|format| format.name() == name)
        .ok_or_else(|| io::Error::other(format!("unknown format `{name}`: expected advanced or json")))?;
    match arguments.get(1).map(String::as_str) {
        None => ends::run(*format),
        Some(case) => ends::respond(*format, case),
    }
}

// `advanced`: a length of four bytes, most significant first, then the value as V8 serializes it (nodejs/node,
// `lib/internal/child_process/serialization.js`; v8/v8, `src/objects/value-serializer.cc`).

#[derive(Debug)]
pub(crate) struct Advanced;

const LENGTH_BYTES: usize = size_of::<u32>();
/// Begins a value; the format version follows.
const VERSION_TAG: u8 = 0xff;
/// V8's version since 2021.
const FORMAT_VERSION: u8 = 15;
/// A string of characters below 256, one byte each, after its length.
const ONE_BYTE_STRING_TAG: u8 = b'"';
/// The longest length, with seven bits per byte.
const VARINT_BYTES_MAX: usize = 5;

impl Format for Advanced {
    fn name(&self) -> &'static str {
        "advanced"
    }

    fn frame(&self, text: &[u8], bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend([0; LENGTH_BYTES]);
        bytes.extend([VERSION_TAG, FORMAT_VERSION, ONE_BYTE_STRING_TAG]);
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
        let refused = |what: &str| io::Error::other(format!("frame with {what}: expected a string"));
        let value = frame.get(LENGTH_BYTES..).unwrap_or_default();
        let [VERSION_TAG, version, rest @ ..] = value else { return Err(refused("no serialised value")) };
        if !(13..=FORMAT_VERSION).contains(version) {
            return Err(refused(&format!("version {version} of the format")));
        }
        let [ONE_BYTE_STRING_TAG, rest @ ..] = rest else { return Err(refused("another value")) };
        let (length, text) = read_varint(rest).ok_or_else(|| refused("a length without end"))?;
        if text.len() == length { Ok(text) } else { Err(refused("a string of another length")) }
    }
}

/// Seven bits per byte, the least significant first.
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

// `json`: JSON in UTF-8, one value per line (nodejs/node, `lib/internal/child_process/serialization.js`).

#[derive(Debug)]
pub(crate) struct Json;

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
                io::Error::other(format!("a string contains `{character}`: expected characters below 256"))
            })?;
            decoded.push(byte);
        }
        Ok(decoded)
    }
}
