//! Mach messages, after the design that Chromium had for them in 2008 and rejected.
//!
//! Each end has a port of its own, which holds five messages, and a send right to the other's. All of it is written
//! against [`Kernel`] ([`crate::sys::mach`]), so that it is tested on any system (`tests/`); over the kernel of macOS it has never been run.
//!
//! - `sender`, `receiver`, `inbox`, `bridge`: the halves of a link; [`Arrival`] says how a message is awaited.
//! - `passing`: the same over the kernel of this machine, with rights that are passed.
//! - [`Right`]: what is passed; released when dropped.
//!
//! # When the other end is gone
//! The kernel says so in both directions. A receiver has asked for a message once nobody can send to its port any more,
//! which comes after all that was sent: be it because the other's sender was dropped or its process has ended. A sender to a
//! port whose receiver was dropped finds a dead name, and one that waits for room there is woken. Nobody says goodbye.
//!
//! # A send that times out
//! It is given back by the kernel as if it had been received: the header has another reference to the right that it was
//! sent with, out-of-line memory is mapped once more, at another address. All that is released, and the message is put
//! together anew.
//!
//! # Empty messages
//! Possible in every form: an inline message of a header and a length, an out-of-line one with a descriptor of no memory at
//! no address, which the kernel passes as it is.

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
use crate::sys::mach::rendezvous::{self, Meeting};
use crate::sys::mach::token::Address;
use crate::sys::mach::{Kernel, System};
use passing::{PassingReceiver, PassingSender};
use std::io;
use std::time::Duration;

/// How long two ends wait for each other. The harness has a deadline of its own.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    Call,
    /// By a kqueue that says that it is there; then it is received by a call.
    Event,
    ByEvent,
    /// By a kqueue that says that there is a byte in a pipe, from a thread that has received it.
    Bridge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Inline or out of line.
    pub(crate) carriage: Carriage,
    pub(crate) arrival: Arrival,
    /// Whether receiving includes looking at each page of what came out of line.
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

pub(crate) fn draw_address() -> io::Result<String> {
    Ok(Address::draw()?.to_string())
}

pub(crate) fn connect(kernel: System, end: End, address: &str, form: Form) -> io::Result<Link> {
    let (sender, receiver) = halves(&kernel, end, address, form)?;
    Ok(Link::new(PassingSender { kernel, sender }, PassingReceiver(receiver), Buffers::default()))
}

/// Meets the other end; both halves as they are, so that rights can be passed, too.
pub(crate) fn halves<K: Kernel>(
    kernel: &K,
    end: End,
    address: &str,
    form: Form,
) -> io::Result<(MachSender<K>, MachReceiver<K>)> {
    let address = address.parse()?;
    let Meeting { peer, port } = match end {
        End::Initiator => rendezvous::initiate(kernel, &address, PATIENCE)?,
        End::Responder => rendezvous::respond(kernel, &address, PATIENCE)?,
    };
    let receiver = MachReceiver::new(kernel, port, form)?;
    Ok((MachSender::new(kernel, peer, form.carriage), receiver))
}
