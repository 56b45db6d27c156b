//! Mach messages, after the design that Chromium had for them in 2008 and rejected.
//!
//! Each end has its own port, which holds five messages, and a send right to the other's. All of it uses [`Kernel`]
//! ([`crate::sys::mach`]), so that any system can test it (`tests/`); over the kernel of macOS it has never run.
//!
//! - `sender`, `receiver`, `inbox`, `bridge`: the halves of a link; [`Arrival`] is the way to wait for a message.
//! - `passing`: the same over the kernel of this machine, with rights that are passed.
//! - [`Right`]: a passed right; released when dropped.
//!
//! # When the other end is gone
//! The kernel reports it in both directions. A receiver has requested a message for the moment when its port has no
//! senders left. It arrives after all sent messages, whether the other's sender was dropped or its process has ended. A
//! sender to a port whose receiver was dropped finds a dead name; one that waits for room there is woken. No goodbye
//! message is needed.
//!
//! # A send that times out
//! The kernel returns it as if it had been received: the header has another reference to the right that it was sent
//! with, and out-of-line memory is mapped again, at another address. All that is released, and the message is rebuilt.
//!
//! # Empty messages
//! Possible in every form: an inline message with a header and a length, or an out-of-line one with a descriptor of no
//! memory at no address, which the kernel passes unchanged.

mod bridge;
mod inbox;
mod passing;
mod receiver;
mod right;
mod sender;
#[cfg(test)]
mod tests;

pub(crate) use crate::sys::mach::message::Copying;
pub(crate) use receiver::MachReceiver;
pub(crate) use right::Right;
pub(crate) use sender::{Carriage, MachSender};

use super::buffers::Buffers;
use super::{End, Link};
use crate::sys::mach::rendezvous::{self, ConnectedPorts};
use crate::sys::mach::token::Address;
use crate::sys::mach::{Kernel, System};
use passing::{PassingReceiver, PassingSender};
use std::io;
use std::time::Duration;

/// The time that two ends wait for each other. The harness has a separate deadline.
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    Call,
    /// A kqueue reports the message; a call then receives it.
    Event,
    ByEvent,
    /// A kqueue reports a byte in a pipe, from a thread that has received the message.
    Bridge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Inline or out of line.
    pub(crate) carriage: Carriage,
    pub(crate) arrival: Arrival,
    /// Whether receiving includes reading each page of out-of-line memory.
    pub(crate) reads_every_page: bool,
}

impl Form {
    pub(crate) const fn inline(arrival: Arrival) -> Self {
        Self { carriage: Carriage::Inline, arrival, reads_every_page: false }
    }

    pub(crate) const fn out_of_line(copying: Copying, reads_every_page: bool) -> Self {
        Self { carriage: Carriage::OutOfLine(copying), arrival: Arrival::Call, reads_every_page }
    }
}

pub(crate) fn new_address() -> io::Result<String> {
    Ok(Address::generate()?.to_string())
}

pub(crate) fn connect(kernel: System, end: End, address: &str, form: Form) -> io::Result<Link> {
    let (sender, receiver) = halves(&kernel, end, address, form)?;
    Ok(Link::new(PassingSender { kernel, sender }, PassingReceiver(receiver), Buffers::default()))
}

/// Connects to the other end; returns both halves with their types, so that rights can be passed too.
pub(crate) fn halves<K: Kernel>(
    kernel: &K,
    end: End,
    address: &str,
    form: Form,
) -> io::Result<(MachSender<K>, MachReceiver<K>)> {
    let address = address.parse()?;
    let ConnectedPorts { peer, port } = match end {
        End::Initiator => rendezvous::initiate(kernel, &address, TIMEOUT)?,
        End::Responder => rendezvous::respond(kernel, &address, TIMEOUT)?,
    };
    let receiver = MachReceiver::new(kernel, port, form)?;
    Ok((MachSender::new(kernel, peer, form.carriage), receiver))
}
