//! Unix: `socketpair`, `send`, `recv` and `recvmsg` (POSIX).

use super::Kind;
use crate::sys::handle::Handle;
use rustix::net::{RecvFlags, SendFlags};
use socket2::{Domain, SockRef, Socket, Type};
use std::io;

/// Where there is no such flag, the library has set `SO_NOSIGPIPE` on the socket.
#[cfg(not(target_vendor = "apple"))]
const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
#[cfg(target_vendor = "apple")]
const NO_SIGNAL: SendFlags = SendFlags::empty();

pub(super) fn pair(kind: Kind) -> io::Result<(Handle, Handle)> {
    let kind = match kind {
        Kind::Stream => Type::STREAM,
        Kind::Datagram => Type::DGRAM,
        Kind::Record => Type::SEQPACKET,
    };
    let (one, other) = Socket::pair(Domain::UNIX, kind, None)?;
    Ok((one.into(), other.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "on other systems a handle may be something else")]
pub(super) fn of(handle: Handle) -> io::Result<Socket> {
    Ok(handle.into())
}

#[expect(clippy::unnecessary_wraps, reason = "on other systems a handle may be something else")]
pub(super) fn reference(socket: &Handle) -> io::Result<SockRef<'_>> {
    Ok(SockRef::from(socket))
}

#[inline]
pub(super) fn send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    Ok(rustix::net::send(socket, message, NO_SIGNAL)?)
}

pub(super) fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    Ok(rustix::net::send(socket, message, NO_SIGNAL | SendFlags::DONTWAIT)?)
}

#[inline]
#[cfg(target_os = "linux")]
pub(super) fn receive(socket: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    // With TRUNC this kernel says how long the message was, not how much of it fitted (recv(2)).
    Ok(rustix::net::recv(socket, buffer, RecvFlags::TRUNC).map(|(_, length)| length)?)
}

#[inline]
#[cfg(not(target_os = "linux"))]
pub(super) fn receive(socket: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    use rustix::net::{RecvAncillaryBuffer, ReturnFlags, recvmsg};
    let place = &mut [io::IoSliceMut::new(buffer)];
    let received = recvmsg(socket, place, &mut RecvAncillaryBuffer::default(), RecvFlags::empty())?;
    Ok(received.bytes + usize::from(received.flags.contains(ReturnFlags::TRUNC)))
}
