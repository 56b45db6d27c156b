//! Windows: Winsock (`winsock2.h`), which has no `socketpair`.

use super::Kind;
use crate::sys::handle::Handle;
use socket2::{SockRef, Socket};
use std::io;
use windows_sys::Win32::Networking::WinSock::{WSAEMSGSIZE, WSAENOBUFS, WSAETIMEDOUT};

pub(super) fn pair(_kind: Kind) -> io::Result<(Handle, Handle)> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "Windows has no socketpair"))
}

pub(super) fn of(handle: Handle) -> io::Result<Socket> {
    match handle {
        Handle::Socket(socket) => Ok(socket.into()),
        Handle::Object(_) => Err(not_a_socket()),
    }
}

pub(super) fn reference(socket: &Handle) -> io::Result<SockRef<'_>> {
    match socket {
        Handle::Socket(socket) => Ok(SockRef::from(socket)),
        Handle::Object(_) => Err(not_a_socket()),
    }
}

fn not_a_socket() -> io::Error {
    io::Error::other("a handle of the kernel was passed, expected a socket")
}

pub(super) fn is_too_large(error: &io::Error) -> bool {
    error.raw_os_error() == Some(WSAENOBUFS)
}

#[inline]
pub(super) fn send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    reference(socket)?.send(message)
}

pub(super) fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    let socket = reference(socket)?;
    socket.set_nonblocking(true)?;
    let sent = socket.send(message);
    socket.set_nonblocking(false)?;
    sent
}

#[inline]
pub(super) fn receive(socket: &Handle, buffer: &mut [u8], _kind: Kind) -> io::Result<usize> {
    io::Read::read(&mut &*reference(socket)?, buffer).or_else(|error| match error.raw_os_error() {
        Some(WSAEMSGSIZE) => Ok(buffer.len() + 1),
        Some(WSAETIMEDOUT) => Err(io::Error::from(io::ErrorKind::WouldBlock)),
        _ => Err(error),
    })
}
