//! What the kernel's buffers of a channel hold: asking for a size, and what was granted.

use crate::sys::handle::Handle;
use crate::sys::{pipe_capacity, socket};
use std::io;

/// What the system granted, whatever was asked for. Absent where there is no such buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Buffers {
    /// Of the outgoing direction.
    pub send_bytes: Option<u64>,
    /// Of the incoming direction.
    pub receive_bytes: Option<u64>,
}

impl Buffers {
    pub(crate) fn of_pipes(writer: &Handle, reader: &Handle) -> Self {
        Self { send_bytes: pipe_capacity::get(writer), receive_bytes: pipe_capacity::get(reader) }
    }

    pub(crate) fn of_socket(socket: &Handle) -> Self {
        let [send_bytes, receive_bytes] = socket::buffer_bytes(socket);
        Self { send_bytes, receive_bytes }
    }
}

pub(crate) fn size_pipe(pipe: &Handle, bytes: Option<usize>) -> io::Result<()> {
    bytes.map_or(Ok(()), |bytes| pipe_capacity::set(pipe, bytes))
}

/// Makes a socket hold so many bytes in both directions, or as many as the system allows, if a number is
/// asked for.
pub(crate) fn size_socket(socket: &Handle, bytes: Option<usize>) -> io::Result<()> {
    bytes.map_or(Ok(()), |bytes| socket::set_buffer_bytes(socket, bytes))
}
