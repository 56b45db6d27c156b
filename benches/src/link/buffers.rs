//! Sizes of a channel's kernel buffers: requested and granted.

use crate::sys::handle::Handle;
use crate::sys::{pipe_capacity, socket};
use std::io;

/// The sizes that the system granted. `None` if there is no such buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Buffers {
    /// For the outgoing direction.
    pub send_bytes: Option<u64>,
    /// For the incoming direction.
    pub receive_bytes: Option<u64>,
}

impl Buffers {
    pub(crate) fn for_pipes(writer: &Handle, reader: &Handle) -> Self {
        Self { send_bytes: pipe_capacity::get(writer), receive_bytes: pipe_capacity::get(reader) }
    }

    pub(crate) fn for_socket(socket: &Handle) -> Self {
        let [send_bytes, receive_bytes] = socket::buffer_bytes(socket);
        Self { send_bytes, receive_bytes }
    }
}

pub(crate) fn size_pipe(pipe: &Handle, bytes: Option<usize>) -> io::Result<()> {
    bytes.map_or(Ok(()), |bytes| pipe_capacity::set(pipe, bytes))
}

/// Sets both buffers of a socket to this size, or to the largest that the system allows. `None` keeps the default.
pub(crate) fn size_socket(socket: &Handle, bytes: Option<usize>) -> io::Result<()> {
    bytes.map_or(Ok(()), |bytes| socket::set_buffer_bytes(socket, bytes))
}
