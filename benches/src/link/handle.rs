//! Descriptors over Unix sockets: `SCM_RIGHTS` (unix(7), cmsg(3)).

use super::closed;
use crate::sys::rights;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{self, ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Sends one descriptor along with a few bytes.
///
/// # Errors
/// When the other end is gone, or of the system.
#[inline]
pub fn send(socket: BorrowedFd<'_>, handle: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let handles = [handle];
    loop {
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&handles));
        match sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL) {
            Ok(sent) if sent == bytes.len() => return Ok(()),
            Ok(sent) => return Err(super::unexpected_length(sent, bytes.len())),
            Err(Errno::INTR) => {}
            Err(Errno::PIPE | Errno::CONNREFUSED | Errno::CONNRESET) => return Err(closed()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Receives one descriptor and the bytes that came with it. It is kept from children.
///
/// # Errors
/// When the other end is gone, when a message carried no descriptor, or of the system.
#[inline]
pub fn receive(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<OwnedFd> {
    loop {
        let received = match rights::receive(socket, bytes) {
            Ok(received) => received,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return Err(closed()),
            Err(error) => return Err(error),
        };
        return match received.handle {
            Some(handle) => Ok(handle),
            None if received.bytes == 0 || received.bytes != bytes.len() => Err(closed()),
            None if received.is_cut => Err(io::Error::other(
                "a descriptor was dropped on arrival: this process may open no more files (ulimit -n)",
            )),
            None => Err(io::Error::new(ErrorKind::InvalidData, "a message came without its descriptor")),
        };
    }
}
