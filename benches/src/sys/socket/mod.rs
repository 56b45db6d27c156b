//! Sockets that keep the borders of messages, connected pairs, and what their buffers hold.

use super::handle::Handle;
use socket2::Socket;
use std::io;
use std::time::Duration;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

#[cfg(unix)]
pub(super) use imp::{NO_SIGNAL, when_there_is_room};

/// What the sender of a Unix datagram does that finds no room at the receiver, for people.
pub const FULL: &str = "A sender that finds no room waits on Linux, and asks again until there is some where the system does not let it wait.";

/// What a socket of the Unix family carries (socket(2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    Stream,
    /// Messages.
    Datagram,
    /// Messages, and the end of the connection.
    Record,
}

/// A connected pair of Unix sockets (socketpair(2)), closed in children.
///
/// # Errors
/// Of the system, where it has none of this kind.
pub fn pair(kind: Kind) -> io::Result<(Handle, Handle)> {
    imp::pair(kind)
}

/// A handle as a socket.
///
/// # Errors
/// When it is something else.
pub fn of(handle: Handle) -> io::Result<Socket> {
    imp::of(handle)
}

/// Sends one message, waiting while there is no room; returns its length. Never ends the process (`SIGPIPE`).
///
/// # Errors
/// Of the system.
#[inline]
pub fn send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    imp::send(socket, message)
}

/// Sends one message, unless there is no room.
///
/// # Errors
/// Of the system; `WouldBlock` when there is no room.
pub fn try_send(socket: &Handle, message: &[u8]) -> io::Result<usize> {
    imp::try_send(socket, message)
}

/// Receives one message from a socket of this kind and returns its length: more than the buffer's when it did not fit.
///
/// # Errors
/// Of the system; `WouldBlock` when patience ends.
#[inline]
pub fn receive(socket: &Handle, buffer: &mut [u8], kind: Kind) -> io::Result<usize> {
    imp::receive(socket, buffer, kind)
}

/// How long [`receive`] waits (`SO_RCVTIMEO`).
///
/// # Errors
/// Of the system.
pub fn set_patience(socket: &Handle, patience: Duration) -> io::Result<()> {
    imp::reference(socket)?.set_read_timeout(Some(patience))
}

/// What the buffers hold, `SO_SNDBUF` and `SO_RCVBUF` (socket(7); Linux answers twice what was asked for, because it
/// counts its own records too).
pub fn buffer_bytes(socket: &Handle) -> [Option<u64>; 2] {
    let Ok(socket) = imp::reference(socket) else { return [None; 2] };
    [socket.send_buffer_size(), socket.recv_buffer_size()].map(|bytes| bytes.ok().map(|bytes| bytes as u64))
}

/// Asks for buffers of this size in both directions, and takes what the system allows ([`buffer_bytes`] tells).
///
/// # Errors
/// Of the system.
pub fn set_buffer_bytes(socket: &Handle, bytes: usize) -> io::Result<()> {
    let socket = imp::reference(socket)?;
    allowed(bytes, |bytes| socket.set_send_buffer_size(bytes))?;
    allowed(bytes, |bytes| socket.set_recv_buffer_size(bytes))
}

/// Makes the buffers of a socket of messages hold at least one of this length, where the system's own would not: those
/// of `FreeBSD` and macOS hold 9,216 B of UDP (`udp_sendspace` in `udp_usrreq.c`).
///
/// # Errors
/// Of the system.
pub fn hold_message(socket: &Handle, message_bytes: usize) -> io::Result<()> {
    /// The address of who sent it is in the buffer, too (`struct sockaddr_storage`).
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

/// Linux cuts what is asked for to what it allows; `FreeBSD` and macOS refuse it (`ENOBUFS`, setsockopt(2)), and are
/// asked for half as much then.
fn allowed(bytes: usize, set: impl Fn(usize) -> io::Result<()>) -> io::Result<()> {
    match set(bytes) {
        Err(error) if imp::is_too_large(&error) && bytes > 1 => allowed(bytes / 2, set),
        done => done,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_buffer_is_as_large_as_the_system_allows() {
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
    fn a_socket_holds_a_message_that_its_buffers_would_not() {
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
