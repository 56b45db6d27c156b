//! `pipe`: two anonymous pipes, one each way (pipe(2)).

use super::{Channel, End, Parts, Transport};
use crate::link::{Link, StreamLink};
use roundtrip_wire::{Slug, TransportInfo};
use rustix::pipe::{PipeFlags, pipe_with};
use std::io;

/// See the module.
#[derive(Debug)]
pub struct Pipe;

impl Transport for Pipe {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("pipe"),
            title: "Pipe".into(),
            family: Slug::from_name("pipe"),
            semantics: "Two anonymous pipes, one each way, with the system's default capacity. \
                        A message is copied into the kernel by write and out of it by read."
                .into(),
            control: true,
        }
    }

    fn open(&self) -> io::Result<Channel> {
        let (there_reader, there_writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let (back_reader, back_writer) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok(Channel {
            initiator: Parts::of([there_writer, back_reader]),
            responder: Parts::of([back_writer, there_reader]),
            folder: None,
        })
    }

    fn connect(&self, _end: End, parts: Parts) -> io::Result<Box<dyn Link>> {
        let [writer, reader] = parts.take()?;
        Ok(Box::new(StreamLink { writer, reader }))
    }
}
