//! [`Link`]: one end of an open channel, and the forms that several transports share.
//!
//! - `stream`: bytes over handles.
//! - `named_pipe`: the pipes of Windows; `mach`: messages of the Mach kernel.
//! - `datagram`: one message a call, over sockets.
//! - `out_of_line`: memory passed by reference, and given back; `memfd`: passed as a descriptor.
//! - `counter`: a number in shared memory that the other side waits for.
//! - `passable`: what can be given away; `handle`: over Unix sockets.  `buffers`: what the kernel's buffers hold.

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

/// Which end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Sends first and holds the clock.
    Initiator,
    /// Answers.
    Responder,
}

/// One end of a channel, both directions. What is sent arrives whole and in order, or, on a transport that drops when
/// it is full, not at all.
pub struct Link {
    /// Towards the other end.
    pub sender: Box<dyn Sender>,
    /// From the other end.
    pub receiver: Box<dyn Receiver>,
    /// The kernel's buffers of this end.
    pub buffers: Buffers,
    /// On a transport that sends a question and awaits its answer in one call of the system: that call.
    pub ask: Option<Box<dyn Ask>>,
}

impl Link {
    /// Of two halves.
    pub fn new(sender: impl Sender + 'static, receiver: impl Receiver + 'static, buffers: Buffers) -> Self {
        Self { sender: Box::new(sender), receiver: Box::new(receiver), buffers, ask: None }
    }

    /// Sends a question and waits for an answer of the same length, in one call of the system where the transport has
    /// one. Returns the answer where it is, as [`Receiver::receive`] does.
    ///
    /// # Errors
    /// When the other end is gone, or of the system.
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

    /// Lets go of what was received, and waits until the other end has let go of what was sent: memory that it reads must
    /// not end before.
    ///
    /// # Errors
    /// When the other end is gone, which then needs nothing more.
    pub fn settle(&mut self) -> io::Result<()> {
        self.receiver.release();
        self.sender.reclaim()
    }
}

/// Sends messages. Dropping it tells the other end, which then gets an error instead of waiting.
pub trait Sender {
    /// Sends all of a message, waiting while the channel is full, unless the transport drops then.
    ///
    /// # Errors
    /// When the other end is gone, or of the system.
    fn send(&mut self, message: &[u8]) -> io::Result<()>;

    /// Memory that [`Sender::send`] passes on in the cheapest way: any memory where it copies, memory that can be
    /// passed by reference where it does not.
    ///
    /// # Errors
    /// Of the system, when such memory cannot be had.
    fn allocate(&mut self, bytes: usize) -> io::Result<Memory> {
        Ok(Memory::heap(bytes))
    }

    /// Waits until all that was sent may be written to again: at once where `send` copies.
    ///
    /// # Errors
    /// When the other end is gone.
    fn reclaim(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Makes what [`Sender::send_handle`] passes.
    fn passable(&mut self) -> io::Result<Passable> {
        Passable::new()
    }

    /// Passes a descriptor or whatever the system has in its place, with one byte of payload.
    ///
    /// # Errors
    /// Of the system, or where the transport cannot ([`crate::transport::Transport::passes_handles`]).
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
    /// When the other end is gone, or of the system.
    fn ask<'a>(&'a mut self, question: &[u8], buffer: &'a mut [u8]) -> io::Result<&'a [u8]>;
}

/// Receives messages.
pub trait Receiver {
    /// Receives one message of exactly the buffer's length, waiting for it. Returns it where it is: in the buffer, or
    /// where the sender put it, if the transport passes memory by reference.
    ///
    /// # Errors
    /// When the other end is gone, or of the system.
    fn receive<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]>;

    /// Says that what was received last is no longer looked at, so that its sender may write there again, and unmaps it
    /// where that has a price. The next [`Receiver::receive`] says so too.
    fn release(&mut self) {}

    /// How long [`Receiver::receive_soon`] waits. Only a transport that drops needs it.
    fn set_patience(&mut self, patience: Duration) -> io::Result<()> {
        let _ = patience;
        Ok(())
    }

    /// Receives one message as [`Receiver::receive`] does, or nothing when patience ends.
    ///
    /// # Errors
    /// When the other end is gone, or of the system.
    fn receive_soon<'a>(&'a mut self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        self.receive(buffer).map(Some)
    }

    /// Receives what was passed.
    fn receive_handle(&mut self) -> io::Result<Passable> {
        Err(io::Error::from(ErrorKind::Unsupported))
    }
}

/// [`closed`], if that is what the system's error says; else that error.
pub(crate) fn closed_or(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::BrokenPipe | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => closed(),
        _ => error,
    }
}

/// The error of a message that came with another length than was asked for.
pub(crate) fn unexpected_length(found: usize, expected: usize) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("a message of {found} B came, expected {expected} B"))
}
