//! Elsewhere there is none: on Windows libuv wraps every write of its channel in a frame of its own.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;
use std::process::Command;

const NOT_HERE: &str =
    "the channel of a forked child is a pair of sockets on Unix, and another thing on Windows";

pub(super) fn support() -> Result<(), Unsupported> {
    Err(Unsupported::because(NOT_HERE))
}

#[derive(Debug)]
pub(super) enum Channel {}

pub(super) fn pair() -> io::Result<(Channel, Handle)> {
    Err(io::Error::other(NOT_HERE))
}

pub(super) fn give(_command: &mut Command, _theirs: &Handle) {}

pub(super) fn inherited() -> io::Result<Channel> {
    Err(io::Error::other(NOT_HERE))
}

impl Channel {
    pub(super) fn send(&self, _bytes: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    pub(super) fn receive(&self, _buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match *self {}
    }

    pub(super) fn wait(&self, _to_send: bool) -> io::Result<()> {
        match *self {}
    }
}
