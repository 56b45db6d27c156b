//! Connects two ends: one checks a name in with the bootstrap server; the other looks it up and introduces
//! itself with a send right to its port and a [`Token`]. The answer is an introduction too. Then each has the other's
//! port.
//!
//! A process with another token or user is rejected: its message is released, and the wait continues. The user is known
//! from the audit token, which the kernel appends to a message.

use super::exchange::{deliver, fill_audited};
use super::frame::Frame;
use super::message::{self, Content, Destination, INTRODUCTION_BYTES};
use super::port::{ReceivePort, SendRight};
use super::token::{Address, Token};
use super::{Code, Kernel, Trailer, carried};
use crate::sys::closed;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// Pause between look-ups of a name that is not checked in yet.
const PAUSE: Duration = Duration::from_millis(1);

pub(crate) struct ConnectedPorts<K: Kernel> {
    pub(crate) peer: SendRight<K>,
    pub(crate) port: ReceivePort<K>,
}

pub(crate) fn initiate<K: Kernel>(
    kernel: &K,
    address: &Address,
    timeout: Duration,
) -> io::Result<ConnectedPorts<K>> {
    let until = Instant::now() + timeout;
    let service = loop {
        match kernel.look_up(address.service()) {
            Ok(name) => break SendRight::owning(kernel, name),
            Err(Code::UNKNOWN_SERVICE) if Instant::now() < until => thread::sleep(PAUSE),
            Err(code) => return Err(code.into()),
        }
    };
    let port = ReceivePort::new(kernel)?;
    introduce(kernel, &service, &port, &address.token)?;
    // Now only the accepted process can send to the port, and the kernel reports when no senders are left.
    drop(service);
    let peer = accept_peer(kernel, &port, &address.token, until)?;
    Ok(ConnectedPorts { peer, port })
}

pub(crate) fn respond<K: Kernel>(
    kernel: &K,
    address: &Address,
    timeout: Duration,
) -> io::Result<ConnectedPorts<K>> {
    let until = Instant::now() + timeout;
    let service = ReceivePort::checked_in(kernel, address.service())?;
    let peer = accept_peer(kernel, &service, &address.token, until)?;
    let port = ReceivePort::new(kernel)?;
    introduce(kernel, &peer, &port, &address.token)?;
    Ok(ConnectedPorts { peer, port })
}

#[expect(unsafe_code, reason = "a message may describe memory")]
pub(crate) fn introduce<K: Kernel>(
    kernel: &K,
    to: &SendRight<K>,
    port: &ReceivePort<K>,
    token: &Token,
) -> io::Result<()> {
    let (to, port) = (Destination::Peer(to.name()), port.name());
    let put = |message: &mut [u8]| message::put_introduction(message, to, port, token);
    // SAFETY: it has no memory.
    unsafe { deliver(kernel, &mut [0; INTRODUCTION_BYTES], put) }
}

/// Waits for a process with the token and the same user, and returns the right to send to it.
pub(crate) fn accept_peer<K: Kernel>(
    kernel: &K,
    port: &ReceivePort<K>,
    token: &Token,
    until: Instant,
) -> io::Result<SendRight<K>> {
    let recognise = |shown: &Token| (shown == token).then_some(());
    admit(kernel, port, Some(until), recognise).map(|(peer, ())| peer)
}

/// Waits for a process with a recognized token and the same user, until the deadline, if any. Returns the right to send
/// to it, and the result of recognizing the token.
#[expect(unsafe_code, reason = "what a message holds is memory by its address")]
pub(crate) fn admit<K: Kernel, T>(
    kernel: &K,
    port: &ReceivePort<K>,
    until: Option<Instant>,
    recognise: impl Fn(&Token) -> Option<T>,
) -> io::Result<(SendRight<K>, T)> {
    let mut frame = Frame::new(INTRODUCTION_BYTES + Trailer::Audit.bytes(), kernel.page_bytes());
    let mut refused = "no connection";
    loop {
        let is_same_user = match fill_audited(kernel, &mut frame, port.name(), until) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let waited = format!("the other end did not connect in time: {refused}");
                return Err(io::Error::new(io::ErrorKind::TimedOut, waited));
            }
            received => received?,
        };
        refused = match message::read(&frame) {
            Ok(Content::Introduction { port, token }) if is_same_user => match recognise(&token) {
                Some(recognised) => return Ok((SendRight::owning(kernel, port), recognised)),
                None => "the last connection had a wrong token",
            },
            Ok(Content::NoSenders | Content::Stop) => return Err(closed()),
            Ok(Content::Introduction { .. }) => "the last connection was from another user",
            Ok(_) => "the last connection sent no introduction",
            Err(reason) => reason,
        };
        // SAFETY: it has just been received, and is not used.
        unsafe { carried::release(kernel, &frame) };
    }
}
