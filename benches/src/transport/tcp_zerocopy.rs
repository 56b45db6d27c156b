//! `tcp-zerocopy`: a TCP connection over the loopback interface, to which the sender gives pages (`MSG_ZEROCOPY` in
//! send(2)).

use super::tcp::{self, Tcp};
use super::{About, Channel, ChannelSpec, End, Parts, Transport, control};
use crate::link::buffers::{Buffers, size_socket};
use crate::link::stream::{StreamReceiver, StreamSender};
use crate::link::{Link, Sender, closed_or};
use crate::memory::Memory;
use crate::sys::{Unsupported, zero_copy};
use crate::system::{SupportedSystem, System};
use std::io::{self, ErrorKind};
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct TcpZerocopy;

impl Transport for TcpZerocopy {
    fn about(&self) -> About {
        const SYSTEMS: &[SupportedSystem] = &[System::Linux.sometimes("since 4.14")];
        control(
            "tcp-zerocopy",
            "TCP loopback, MSG_ZEROCOPY",
            "socket",
            SYSTEMS,
            "Like tcp, but send with MSG_ZEROCOPY takes the message's pages instead of a copy. The loopback interface \
             then copies them all the same, because the receiver is on this machine. The sender reads the \
             notifications in the error queue before it writes to the pages again.",
        )
    }

    fn support(&self, channel: &ChannelSpec) -> Result<(), Unsupported> {
        Tcp.support(channel)?;
        // Both ends may be sending.
        zero_copy::support(2 * channel.message_bytes)
    }

    fn open(&self, channel: &ChannelSpec) -> io::Result<Channel> {
        Tcp.open(channel)
    }

    fn connect(&self, end: End, parts: Parts, channel: &ChannelSpec) -> io::Result<Link> {
        let socket = tcp::connected(end, parts)?;
        size_socket(&socket, channel.buffer_bytes)?;
        zero_copy::enable(&socket)?;
        let buffers = Buffers::for_socket(&socket);
        let reader = socket.try_clone()?;
        let sender = PageSender { socket: StreamSender(socket), pages: Vec::new(), pending: 0 };
        Ok(Link::new(sender, StreamReceiver(reader), buffers))
    }
}

struct PageSender {
    socket: StreamSender,
    /// Addresses of memory that its user does not write to before it is reclaimed. Other memory is copied.
    pages: Vec<Range<usize>>,
    /// The number of calls without a notification.
    pending: u32,
}

impl PageSender {
    #[inline]
    fn gives(&self, message: &[u8]) -> bool {
        let start = message.as_ptr().addr();
        self.pages.iter().any(|range| range.start <= start && start + message.len() <= range.end)
    }

    fn wait(&mut self) -> io::Result<()> {
        self.pending = self.pending.saturating_sub(zero_copy::wait(&self.socket.0).map_err(closed_or)?);
        Ok(())
    }
}

impl Sender for PageSender {
    #[inline]
    fn send(&mut self, mut message: &[u8]) -> io::Result<()> {
        if !self.gives(message) {
            return self.socket.send(message);
        }
        while !message.is_empty() {
            match zero_copy::send(&self.socket.0, message) {
                Ok(sent) => {
                    message = &message[sent..];
                    self.pending += 1;
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::OutOfMemory if self.pending > 0 => self.wait()?,
                    _ => return Err(closed_or(error)),
                },
            }
        }
        Ok(())
    }

    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        let memory = Memory::heap(bytes);
        let start = memory.as_ptr().addr();
        self.pages.push(start..start + bytes);
        Ok(memory)
    }

    fn reclaim(&mut self) -> io::Result<()> {
        while self.pending > 0 {
            self.wait()?;
        }
        Ok(())
    }
}
