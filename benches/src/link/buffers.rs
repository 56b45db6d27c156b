//! What the kernel's buffers of a channel hold: asking for a size, and what was granted.

use crate::sys::pipe_capacity;
use rustix::net::sockopt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// What the system granted, whatever was asked for. Absent where there is no such buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Buffers {
    /// Of the outgoing direction.
    pub send_bytes: Option<u64>,
    /// Of the incoming direction.
    pub receive_bytes: Option<u64>,
}

impl Buffers {
    /// Of a pipe each way.
    pub fn of_pipes(writer: impl AsFd, reader: impl AsFd) -> Self {
        Self {
            send_bytes: pipe_capacity::get(writer.as_fd()),
            receive_bytes: pipe_capacity::get(reader.as_fd()),
        }
    }

    /// Of a socket (`SO_SNDBUF`, `SO_RCVBUF`: socket(7); Linux answers twice what was asked for, because it counts its
    /// own records too).
    pub fn of_socket(socket: impl AsFd) -> Self {
        Self {
            send_bytes: sockopt::socket_send_buffer_size(&socket).ok().map(|bytes| bytes as u64),
            receive_bytes: sockopt::socket_recv_buffer_size(&socket).ok().map(|bytes| bytes as u64),
        }
    }
}

/// Makes a pipe hold so many bytes, if a number is asked for.
///
/// # Errors
/// Of the system, when it is more than it allows.
pub fn size_pipe(pipe: &OwnedFd, bytes: Option<usize>) -> io::Result<()> {
    bytes.map_or(Ok(()), |bytes| pipe_capacity::set(pipe.as_fd(), bytes))
}

/// Makes a socket hold so many bytes in both directions, if a number is asked for. The system caps it in silence.
///
/// # Errors
/// Of the system.
pub fn size_socket(socket: &OwnedFd, bytes: Option<usize>) -> io::Result<()> {
    if let Some(bytes) = bytes {
        sockopt::set_socket_send_buffer_size(socket, bytes)?;
        sockopt::set_socket_recv_buffer_size(socket, bytes)?;
    }
    Ok(())
}
