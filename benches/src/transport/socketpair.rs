//! `socketpair`: a connected pair of Unix stream sockets (socketpair(2), unix(7)).

use super::{Channel, End, Parts, Transport};
use crate::link::{Link, StreamLink};
use roundtrip_wire::{Slug, TransportInfo};
use std::io;
use std::os::unix::net::UnixStream;

/// See the module.
#[derive(Debug)]
pub struct Socketpair;

impl Transport for Socketpair {
    fn info(&self) -> TransportInfo {
        TransportInfo {
            slug: Slug::from_name("socketpair"),
            title: "Socket pair".into(),
            family: Slug::from_name("socket"),
            semantics: "A connected pair of Unix stream sockets with the system's default buffers. \
                        A message is copied into the kernel by write and out of it by read."
                .into(),
            control: true,
        }
    }

    fn open(&self) -> io::Result<Channel> {
        let (initiator, responder) = UnixStream::pair()?;
        Ok(Channel {
            initiator: Parts::of([initiator.into()]),
            responder: Parts::of([responder.into()]),
            folder: None,
        })
    }

    fn connect(&self, _end: End, parts: Parts) -> io::Result<Box<dyn Link>> {
        let [writer] = parts.take()?;
        Ok(Box::new(StreamLink { reader: writer.try_clone()?, writer }))
    }
}
