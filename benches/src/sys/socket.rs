//! Sockets that keep message boundaries, connected pairs, and buffer sizes.

use super::handle::Handle;
use socket2::Socket;
use std::io;
use std::time::Duration;

#[cfg(unix)]
pub(super) use imp::{NO_SIGNAL, when_there_is_room};

/// What the sender of a Unix datagram does if the receiver is full, as text.
pub(crate) const FULL: &str = "A sender without buffer space blocks on Linux and retries on other systems.";

/// The kind of a Unix socket (socket(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes.
    Stream,
    /// Messages.
    Datagram,
    /// Messages and the end of the connection.
    Record,
}

/// A connected pair of Unix sockets (socketpair(2)), closed in children.
pub(crate) use imp::pair;

pub(crate) use imp::from_handle;

/// Sends one message, waiting while there is no room; returns its length. Never ends the process (`SIGPIPE`).
pub(crate) use imp::send;

/// Sends one message, unless there is no room.
pub(crate) use imp::try_send;

/// Receives one message from a socket of this kind and returns its length: more than the buffer's if it did not fit.
pub(crate) use imp::receive;

/// Sets the timeout of `receive` (`SO_RCVTIMEO`).
pub(crate) fn set_timeout(socket: &Handle, timeout: Duration) -> io::Result<()> {
    imp::reference(socket)?.set_read_timeout(Some(timeout))
}

/// Returns the buffer sizes, `SO_SNDBUF` and `SO_RCVBUF` (socket(7); Linux returns twice the requested size, because it
/// counts its own records too).
pub(crate) fn buffer_bytes(socket: &Handle) -> [Option<u64>; 2] {
    let Ok(socket) = imp::reference(socket) else { return [None; 2] };
    [socket.send_buffer_size(), socket.recv_buffer_size()].map(|bytes| bytes.ok().map(|bytes| bytes as u64))
}

/// Requests buffers of this size in both directions, limited to the system's maximum ([`buffer_bytes`] returns the
/// result).
pub(crate) fn set_buffer_bytes(socket: &Handle, bytes: usize) -> io::Result<()> {
    let socket = imp::reference(socket)?;
    allowed(bytes, |bytes| socket.set_send_buffer_size(bytes))?;
    allowed(bytes, |bytes| socket.set_recv_buffer_size(bytes))
}

/// Makes the buffers of a message socket hold at least one message of this length if the default would not: the
/// defaults of `FreeBSD` and macOS hold 9,216 B of UDP (`udp_sendspace` in `udp_usrreq.c`).
pub(crate) fn hold_message(socket: &Handle, message_bytes: usize) -> io::Result<()> {
    /// The buffer also holds the sender's address (`struct sockaddr_storage`).
    const ADDRESS_BYTES: usize = 128;
    let (socket, least) = (imp::reference(socket)?, message_bytes + ADDRESS_BYTES);
    if socket.send_buffer_size()? < least {
        allowed(least, |bytes| socket.set_send_buffer_size(bytes))?;
    }
    if socket.recv_buffer_size()? < least {
        allowed(least, |bytes| socket.set_recv_buffer_size(bytes))?;
    }
    Ok(())
}

/// Linux limits the requested size to its maximum. `FreeBSD` and macOS reject it (`ENOBUFS`, setsockopt(2)); then this
/// requests half as much.
fn allowed(bytes: usize, set: impl Fn(usize) -> io::Result<()>) -> io::Result<()> {
    match set(bytes) {
        Err(error) if imp::is_too_large(&error) && bytes > 1 => allowed(bytes / 2, set),
        done => done,
    }
}

#[cfg(unix)]
mod imp {
    //! Unix: `socketpair`, `send`, `recv` and `recvmsg` (POSIX).

    use super::*;
    use rustix::io::Errno;
    use rustix::net::{RecvFlags, SendFlags};
    use socket2::{Domain, SockRef, Type};
    use std::thread;

    /// Without this flag, the library has set `SO_NOSIGPIPE` on the socket.
    #[cfg(not(target_vendor = "apple"))]
    pub(in crate::sys) const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
    #[cfg(target_vendor = "apple")]
    pub(in crate::sys) const NO_SIGNAL: SendFlags = SendFlags::empty();

    /// Marks the end of a message: without it, a record socket on `FreeBSD` 15 is a stream (unix(4)).
    #[cfg(target_os = "freebsd")]
    const MESSAGE: SendFlags = NO_SIGNAL.union(SendFlags::EOR);
    #[cfg(not(target_os = "freebsd"))]
    const MESSAGE: SendFlags = NO_SIGNAL;

    /// Retries while the receiver is full. `FreeBSD` and macOS return `ENOBUFS` instead of waiting if a Unix datagram
    /// does not fit, and do not report when there is room (`uipc_send` in their `uipc_usrreq.c`).
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

    pub(crate) fn pair(kind: Kind) -> io::Result<(Handle, Handle)> {
        let kind = match kind {
            Kind::Stream => Type::STREAM,
            Kind::Datagram => Type::DGRAM,
            Kind::Record => Type::SEQPACKET,
        };
        let (one, other) = Socket::pair(Domain::UNIX, kind, None)?;
        Ok((one.into(), other.into()))
    }

    pub(crate) fn from_handle(handle: Handle) -> io::Result<Socket> {
        Ok(handle.into())
    }

    pub(super) fn reference(socket: &Handle) -> io::Result<SockRef<'_>> {
        Ok(SockRef::from(socket))
    }

    #[inline]
    pub(crate) fn send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
        Ok(when_there_is_room(|| rustix::net::send(socket, message, MESSAGE))?)
    }

    pub(crate) fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
        Ok(rustix::net::send(socket, message, MESSAGE | SendFlags::DONTWAIT)?)
    }

    #[inline]
    #[cfg(target_os = "linux")]
    pub(crate) fn receive(socket: &Handle, buffer: &mut [u8], _kind: Kind) -> io::Result<usize> {
        // With TRUNC, this kernel returns the length of the whole message, not of the part that fits (recv(2)).
        Ok(rustix::net::recv(socket, buffer, RecvFlags::TRUNC).map(|(_, length)| length)?)
    }

    #[inline]
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn receive(socket: &Handle, buffer: &mut [u8], kind: Kind) -> io::Result<usize> {
        use rustix::net::{RecvAncillaryBuffer, ReturnFlags, recvmsg};
        whole(buffer, |rest| {
            let place = &mut [io::IoSliceMut::new(rest)];
            let received = recvmsg(socket, place, &mut RecvAncillaryBuffer::default(), RecvFlags::empty())?;
            let is_cut = received.flags.contains(ReturnFlags::TRUNC);
            let is_end = kind != Kind::Record || is_cut || received.flags.contains(ReturnFlags::EOR);
            Ok((received.bytes + usize::from(is_cut), is_end))
        })
    }

    /// Receives the parts of a message until the last one. Each call returns the length and whether the part is the
    /// last. `FreeBSD` 15 delivers the part of a record that has arrived.
    #[cfg(any(not(target_os = "linux"), test))]
    fn whole(
        buffer: &mut [u8],
        mut receive: impl FnMut(&mut [u8]) -> rustix::io::Result<(usize, bool)>,
    ) -> io::Result<usize> {
        if buffer.is_empty() {
            // With an empty buffer, FreeBSD does not wait for a message.
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
        fn retries_only_without_room() {
            let mut answers = [Err(Errno::NOBUFS), Err(Errno::NOBUFS), Ok(7)].into_iter();
            assert_eq!(when_there_is_room(|| answers.next().unwrap()), Ok(7));
            let mut answers = [Err(Errno::NOBUFS), Err(Errno::PIPE)].into_iter();
            assert_eq!(when_there_is_room(|| answers.next().unwrap()), Err::<usize, _>(Errno::PIPE));
        }

        #[test]
        fn message_is_complete_with_its_last_part() {
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
            assert_eq!(
                parts(&[Ok((2, false)), Err(Errno::INTR), Ok((1, true))], 4),
                (Ok(3), vec![2, 2, 1, 0])
            );
            assert_eq!(parts(&[Ok((2, true))], 4), (Ok(2), vec![2, 2, 0, 0]));
            // The buffer is full, or the other end is gone.
            assert_eq!(parts(&[Ok((4, false))], 4), (Ok(4), vec![4; 4]));
            assert_eq!(parts(&[Ok((1, false)), Ok((0, false))], 4), (Ok(1), vec![1, 0, 0, 0]));
            // Longer than the buffer, or with an empty buffer.
            assert_eq!(parts(&[Ok((5, true))], 4), (Ok(5), vec![5; 4]));
            assert_eq!((parts(&[Ok((0, true))], 0).0, parts(&[Ok((1, true))], 0).0), (Ok(0), Ok(1)));
            assert_eq!(parts(&[Err(Errno::INTR)], 4).0, Err(io::ErrorKind::Interrupted));
        }
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: Winsock (`winsock2.h`), which has no `socketpair`.

    use super::*;
    use socket2::SockRef;
    use windows_sys::Win32::Networking::WinSock::{WSAEMSGSIZE, WSAENOBUFS, WSAETIMEDOUT};

    pub(crate) fn pair(_kind: Kind) -> io::Result<(Handle, Handle)> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "Windows has no socketpair"))
    }

    pub(crate) fn from_handle(handle: Handle) -> io::Result<Socket> {
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
        io::Error::other("received a kernel handle, expected a socket")
    }

    pub(super) fn is_too_large(error: &io::Error) -> bool {
        error.raw_os_error() == Some(WSAENOBUFS)
    }

    #[inline]
    pub(crate) fn send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
        reference(socket)?.send(message)
    }

    pub(crate) fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
        let socket = reference(socket)?;
        socket.set_nonblocking(true)?;
        let sent = socket.send(message);
        socket.set_nonblocking(false)?;
        sent
    }

    #[inline]
    pub(crate) fn receive(socket: &Handle, buffer: &mut [u8], _kind: Kind) -> io::Result<usize> {
        io::Read::read(&mut &*reference(socket)?, buffer).or_else(|error| match error.raw_os_error() {
            Some(WSAEMSGSIZE) => Ok(buffer.len() + 1),
            Some(WSAETIMEDOUT) => Err(io::Error::from(io::ErrorKind::WouldBlock)),
            _ => Err(error),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn buffer_is_as_large_as_allowed() {
        let granted = Cell::new(0);
        let of_system = |most: usize| {
            let granted = &granted;
            move |bytes| {
                if bytes > most {
                    return Err(rustix::io::Errno::NOBUFS.into());
                }
                granted.set(bytes);
                Ok(())
            }
        };
        allowed(1_048_576, of_system(300_000)).unwrap();
        assert_eq!(granted.get(), 262_144);
        allowed(1_048_576, of_system(1_048_576)).unwrap();
        assert_eq!(granted.get(), 1_048_576);
        assert!(allowed(1_048_576, of_system(0)).is_err());
        let refused = allowed(64, |_| Err(rustix::io::Errno::INVAL.into())).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn socket_buffers_grow_for_a_message() {
        let (sender, receiver) = pair(Kind::Datagram).unwrap();
        set_buffer_bytes(&sender, 4_096).unwrap();
        let [Some(before), _] = buffer_bytes(&sender) else { panic!("sockets have buffers") };
        assert!(before < 100_000, "{before}");
        hold_message(&sender, 100_000).unwrap();
        hold_message(&receiver, 100_000).unwrap();
        assert_eq!(try_send(&sender, &[7; 100_000]).unwrap(), 100_000);
        let mut message = vec![0; 100_000];
        assert_eq!(
            (receive(&receiver, &mut message, Kind::Datagram).unwrap(), message[99_999]),
            (100_000, 7)
        );
    }
}
