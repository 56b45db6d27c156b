//! The wire formats of Node's `child_process` without Node: two processes of this suite that exchange the same strings
//! over the same channel as `node-advanced` and `node-json`, so that what framing costs is seen without JavaScript.
//!
//! - [`advanced`], [`json`]: the two formats.  [`inbox`]: frames out of a stream of bytes, however it was cut.
//! - `end`: one end of the channel.  `initiator`, `responder`: what each does.

use super::{Launch, Place, Program};
use crate::sys::{death, fork_channel};
use crate::system;
use roundtrip_wire::{Slug, TransportInfo};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

pub mod advanced;
mod end;
pub mod inbox;
mod initiator;
pub mod json;
mod responder;

/// One of the wire formats.
pub trait Format: Sync {
    /// What Node calls it: `advanced`, `json`.
    fn name(&self) -> &'static str;

    /// Appends the frame of a string, each byte of which is a character below 256.
    fn frame(&self, text: &[u8], bytes: &mut Vec<u8>);

    /// Where the first frame of these bytes ends; `None` while it is not all there. The first `seen` bytes were looked
    /// at before.
    ///
    /// # Errors
    /// What is there begins no frame.
    fn end_of_frame(&self, bytes: &[u8], seen: usize) -> io::Result<Option<usize>>;

    /// The string of a whole frame, in the frame itself or in `decoded`.
    ///
    /// # Errors
    /// The frame holds something else.
    fn text<'a>(&self, frame: &'a [u8], decoded: &'a mut Vec<u8>) -> io::Result<&'a [u8]>;
}

/// Both formats, in the order of names.
pub static ALL: &[&dyn Format] = &[&advanced::Advanced, &json::Json];

/// What the first argument of a peer is that is to be one of the two ends.
pub const ARGUMENT: &str = "framing";

/// The programs, one a format.
pub fn programs() -> impl Iterator<Item = Program> {
    let about = [
        "the structured clone format of V8 behind a length of four bytes, written and parsed in Rust.",
        "JSON, one message a line, written and parsed in Rust.",
    ];
    ALL.iter().zip(about).map(|(format, about)| Program {
        info: TransportInfo {
            slug: Slug::from_name(&format!("node-framing-{}", format.name())),
            title: format!("Node's wire format, {}", format.name()),
            family: Slug::from_name("runtime"),
            semantics: format!(
                "Two processes without JavaScript exchange strings over a pair of Unix sockets as Node's child_process \
                 does: {about}"
            ),
            control: false,
        },
        launch: Launch::Peer(vec![ARGUMENT.to_owned(), format.name().to_owned()]),
        place: Place::Folder(PathBuf::from(".")),
        variant: None,
        systems: system::UNIX,
        unsupported: fork_channel::support().err(),
    })
}

/// Runs one end: the initiator, which speaks the protocol for programs, or the responder that it has started.
///
/// # Errors
/// Of the channel or the harness; an unknown format.
pub fn main(arguments: &[String]) -> io::Result<ExitCode> {
    death::die_with_parent()?;
    let name = arguments.first().map(String::as_str).unwrap_or_default();
    let format = ALL.iter().find(|format| format.name() == name).ok_or_else(|| {
        io::Error::other(format!("no format is called `{name}`: expected advanced or json"))
    })?;
    match arguments.get(1).map(String::as_str) {
        None => initiator::run(*format),
        Some(case) => responder::run(*format, case),
    }
}
