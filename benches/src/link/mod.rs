//! [`Link`]: one end of an open channel, and code shared by several transports.
//!
//! - `stream`: bytes over handles; `uring`: through an `io_uring`.
//! - `named_pipe`: the pipes of Windows; `mach`: messages of the Mach kernel.
//! - `datagram`: one message per call, over sockets.
//! - `out_of_line`: memory passed by reference and given back; `memfd`: passed as a descriptor.
//! - `counter`: a number in shared memory that the other side waits for.
//! - `passable`: objects that can be passed; `handle`: over Unix sockets. `buffers`: sizes of kernel buffers.

pub use crate::sys::closed;

use crate::memory::Memory;
use buffers::Buffers;
use passable::Passable;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::time::Duration;

pub(crate) mod buffers;
pub(crate) mod counter;
pub(crate) mod datagram;
pub(crate) mod handle;
pub(crate) mod mach;
pub(crate) mod memfd;
pub(crate) mod named_pipe;
pub(crate) mod out_of_line;
pub(crate) mod passable;
pub(crate) mod stream;
pub(crate) mod uring;

/// An end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Sends first and holds the clock.
    Initiator,
    /// Answers.
    Responder,
}

/// One end of a channel, both directions. Messages arrive whole and in order. A transport that drops when it is full
/// may lose messages.
pub struct Link {
    /// Sends to the other end.
    pub sender: Box<dyn Sender>,
    /// Receives from the other end.
    pub receiver: Box<dyn Receiver>,
    /// The kernel's buffers for this end.
    pub buffers: Buffers,
    /// For transports that send a question and await its answer in one system call: that call.
    pub ask: Option<Box<dyn Ask>>,
}

impl Link {
    /// From two halves.
    pub fn new(sender: impl Sender + 'static, receiver: impl Receiver + 'static, buffers: Buffers) -> Self {
        Self { sender: Box::new(sender), receiver: Box::new(receiver), buffers, ask: None }
    }

    /// Sends a question and waits for an answer of the same length, in one system call if the transport has one.
    /// Returns the answer where it is, as [`Receiver::receive`] does.
    ///
    /// # Errors
    /// If the other end is gone, or from the system.
    #[inline]
    pub fn exchange<'a>(&'a mut self, question: &[u8], buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        match &mut self.ask {
            Some(ask) => ask.ask(question, buffer),
            None => {
                self.sender.send(question)?;
                self.receiver.receive(buffer)
            }
        }
    }

    /// Releases received memory, and waits until the other end has released sent memory, which must stay valid until
    /// then.
    ///
    /// # Errors
    /// If the other end is gone, which then needs nothing more.
    pub fn finish(&mut self) -> io::Result<()> {
        self.receiver.release();
        self.sender.reclaim()
    }
}

/// Sends messages. Dropping it makes the other end fail instead of wait.
pub trait Sender {
    /// Sends a whole message, waiting while the channel is full, unless the transport drops then.
    ///
    /// # Errors
    /// If the other end is gone, or from the system.
    fn send(&mut self, message: &[u8]) -> io::Result<()>;

    /// Memory that [`Sender::send`] passes most cheaply: any memory if it copies, otherwise memory that can be passed
    /// by reference.
    ///
    /// # Errors
    /// From the system, if there is no memory.
    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        Ok(Memory::heap(bytes))
    }

    /// Waits until all sent memory may be written again: returns immediately if `send` copies.
    ///
    /// # Errors
    /// If the other end is gone.
    fn reclaim(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Creates an object for [`Sender::send_handle`].
    fn passable(&mut self) -> io::Result<Passable> {
        Passable::new()
    }

    /// Passes a descriptor or the system's equivalent, with one byte of payload.
    ///
    /// # Errors
    /// From the system, or if the transport cannot ([`crate::transport::Transport::passes_handles`]).
    fn send_handle(&mut self, passed: &Passable) -> io::Result<()> {
        let _ = passed;
        Err(io::Error::from(ErrorKind::Unsupported))
    }
}

/// Asks, and waits for the answer.
pub trait Ask {
    /// Sends a question and receives the answer, which has the buffer's length.
    ///
    /// # Errors
    /// If the other end is gone, or from the system.
    fn ask<'a>(&'a mut self, question: &[u8], buffer: &'a mut [u8]) -> io::Result<&'a [u8]>;
}

/// Receives messages.
pub trait Receiver {
    /// Waits for one message of exactly the buffer's length. Returns it where it is: in the buffer, or where the sender
    /// put it, if the transport passes memory by reference.
    ///
    /// # Errors
    /// If the other end is gone, or from the system.
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]>;

    /// Releases the last received message, so that its sender may write there again; unmaps it where that has a cost.
    /// The next [`Receiver::receive`] does so too.
    fn release(&mut self) {}

    /// Sets the timeout of [`Receiver::receive_soon`]. Only a transport that drops needs it.
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        let _ = timeout;
        Ok(())
    }

    /// Receives one message as [`Receiver::receive`] does, or `None` after the timeout.
    ///
    /// # Errors
    /// If the other end is gone, or from the system.
    fn receive_soon<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        self.receive(buffer).map(Some)
    }

    /// Receives a passed object.
    fn receive_handle(&mut self) -> io::Result<Passable> {
        Err(io::Error::from(ErrorKind::Unsupported))
    }
}

/// Returns [`closed`] if the system's error means that; else that error.
pub(crate) fn closed_or(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => closed(),
        _ => error,
    }
}

/// The error for a message with an unexpected length.
pub(crate) fn unexpected_length(found: usize, expected: usize) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("received a message of {found} B, expected {expected} B"))
}
