//! Descriptors over Unix sockets, each with some bytes.

use super::closed;
use super::passable::Passable;
use crate::sys::handle::Handle;
use crate::sys::rights;
use std::io::{self, ErrorKind};

#[inline]
pub(crate) fn send(socket: &Handle, passed: &Passable) -> io::Result<()> {
    send_with(socket, passed.handle()?, &[0])
}

#[inline]
pub(crate) fn receive(socket: &Handle) -> io::Result<Passable> {
    receive_with(socket, &mut [0]).map(Passable::Handle)
}

#[inline]
pub(crate) fn send_with(socket: &Handle, handle: &Handle, bytes: &[u8]) -> io::Result<()> {
    loop {
        match rights::send(socket, handle, bytes) {
            Ok(sent) if sent == bytes.len() => return Ok(()),
            Ok(sent) => return Err(super::unexpected_length(sent, bytes.len())),
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                _ => return Err(super::closed_or(error)),
            },
        }
    }
}

/// Receives one descriptor and its bytes. Child processes do not inherit it.
#[inline]
pub(crate) fn receive_with(socket: &Handle, bytes: &mut [u8]) -> io::Result<Handle> {
    loop {
        let received = match rights::receive(socket, bytes) {
            Ok(received) => received,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(super::closed_or(error)),
        };
        return match received.handle {
            Some(handle) => Ok(handle),
            None if received.bytes == 0 || received.bytes != bytes.len() => Err(closed()),
            None if received.is_cut => Err(io::Error::other(
                "received descriptor dropped: too many open files in this process (ulimit -n)",
            )),
            None => Err(io::Error::new(ErrorKind::InvalidData, "received a message without its descriptor")),
        };
    }
}
