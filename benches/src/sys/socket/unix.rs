//! Unix: `socketpair`, `send`, `recv` and `recvmsg` (POSIX).

use super::Kind;
use crate::sys::handle::Handle;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use socket2::{Domain, SockRef, Socket, Type};
use std::{io, thread};

/// Where there is no such flag, the library has set `SO_NOSIGPIPE` on the socket.
#[cfg(not(target_vendor = "apple"))]
pub(in crate::sys) const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
#[cfg(target_vendor = "apple")]
pub(in crate::sys) const NO_SIGNAL: SendFlags = SendFlags::empty();

/// A message ends here: without this a record socket of `FreeBSD` 15 is a stream (unix(4)).
#[cfg(target_os = "freebsd")]
const MESSAGE: SendFlags = NO_SIGNAL.union(SendFlags::EOR);
#[cfg(not(target_os = "freebsd"))]
const MESSAGE: SendFlags = NO_SIGNAL;

/// Asks again for as long as there is no room at the receiver. `FreeBSD` and macOS say so (`ENOBUFS`) instead of waiting
/// when a Unix datagram finds none, and nothing tells when there is some (`uipc_send` in their `uipc_usrreq.c`).
#[inline]
pub(in crate::sys) fn when_there_is_room<T>(
    mut send: impl FnMut() -> rustix::io::Result<T>,
) -> rustix::io::Result<T> {
    loop {
        match send() {
            Err(Errno::NOBUFS) => thread::yield_now(),
            sent => return sent,
        }
    }
}

pub(super) fn is_too_large(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::NOBUFS)
}

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
    Ok(when_there_is_room(|| rustix::net::send(socket, message, MESSAGE))?)
}

pub(super) fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    Ok(rustix::net::send(socket, message, MESSAGE | SendFlags::DONTWAIT)?)
}

#[inline]
#[cfg(target_os = "linux")]
pub(super) fn receive(socket: &Handle, buffer: &mut [u8], _kind: Kind) -> io::Result<usize> {
    // With TRUNC this kernel says how long the message was, not how much of it fitted (recv(2)).
    Ok(rustix::net::recv(socket, buffer, RecvFlags::TRUNC).map(|(_, length)| length)?)
}

#[inline]
#[cfg(not(target_os = "linux"))]
pub(super) fn receive(socket: &Handle, buffer: &mut [u8], kind: Kind) -> io::Result<usize> {
    use rustix::net::{RecvAncillaryBuffer, ReturnFlags, recvmsg};
    whole(buffer, |rest| {
        let place = &mut [io::IoSliceMut::new(rest)];
        let received = recvmsg(socket, place, &mut RecvAncillaryBuffer::default(), RecvFlags::empty())?;
        let is_cut = received.flags.contains(ReturnFlags::TRUNC);
        let is_end = kind != Kind::Record || is_cut || received.flags.contains(ReturnFlags::EOR);
        Ok((received.bytes + usize::from(is_cut), is_end))
    })
}

/// Receives the parts of a message until one is the last, which is told beside its length. `FreeBSD` 15 hands over what
/// has arrived of a record.
#[cfg(any(not(target_os = "linux"), test))]
fn whole(
    buffer: &mut [u8],
    mut receive: impl FnMut(&mut [u8]) -> rustix::io::Result<(usize, bool)>,
) -> io::Result<usize> {
    if buffer.is_empty() {
        // Without any room FreeBSD does not wait for a message.
        return Ok(receive(&mut [0])?.0);
    }
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match receive(rest) {
            Ok((part, is_end)) => {
                length += part;
                if is_end || part == 0 {
                    break;
                }
            }
            Err(Errno::INTR) if length > 0 => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_finds_no_room_is_sent_again_and_any_other_answer_is_told() {
        let mut answers = [Err(Errno::NOBUFS), Err(Errno::NOBUFS), Ok(7)].into_iter();
        assert_eq!(when_there_is_room(|| answers.next().unwrap()), Ok(7));
        let mut answers = [Err(Errno::NOBUFS), Err(Errno::PIPE)].into_iter();
        assert_eq!(when_there_is_room(|| answers.next().unwrap()), Err::<usize, _>(Errno::PIPE));
    }

    #[test]
    fn a_message_is_whole_when_its_last_part_has_come() {
        let parts = |parts: &[Result<(usize, bool), Errno>], room| {
            let mut parts = parts.iter().copied();
            let mut buffer = vec![0; room];
            let length = whole(&mut buffer, |rest| {
                let (part, is_end) = parts.next().unwrap()?;
                let filled = part.min(rest.len());
                rest[..filled].fill(u8::try_from(part).unwrap());
                Ok((part, is_end))
            });
            (length.map_err(|error| error.kind()), buffer)
        };
        assert_eq!(parts(&[Ok((2, false)), Err(Errno::INTR), Ok((1, true))], 4), (Ok(3), vec![2, 2, 1, 0]));
        assert_eq!(parts(&[Ok((2, true))], 4), (Ok(2), vec![2, 2, 0, 0]));
        // All the room is used, or the other end is gone.
        assert_eq!(parts(&[Ok((4, false))], 4), (Ok(4), vec![4; 4]));
        assert_eq!(parts(&[Ok((1, false)), Ok((0, false))], 4), (Ok(1), vec![1, 0, 0, 0]));
        // Longer than the room, or without any.
        assert_eq!(parts(&[Ok((5, true))], 4), (Ok(5), vec![5; 4]));
        assert_eq!((parts(&[Ok((0, true))], 0).0, parts(&[Ok((1, true))], 0).0), (Ok(0), Ok(1)));
        assert_eq!(parts(&[Err(Errno::INTR)], 4).0, Err(io::ErrorKind::Interrupted));
    }
}
