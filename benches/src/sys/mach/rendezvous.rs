//! How two ends find each other: one checks a name in with the bootstrap server, the other looks it up and introduces
//! itself with a send right to its port and a [`Token`]; the answer is an introduction too. Then each has the other's port.
//!
//! Whoever comes with another token, or as another user, is refused: what it sent is let go of, and the wait goes on. The
//! user is known from the audit token, which the kernel appends to a message.

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

/// Between two look-ups of a name that nobody has checked in yet.
const PAUSE: Duration = Duration::from_millis(1);

pub(crate) struct Meeting<K: Kernel> {
    pub(crate) peer: SendRight<K>,
    pub(crate) port: ReceivePort<K>,
}

pub(crate) fn initiate<K: Kernel>(
    kernel: &K,
    address: &Address,
    patience: Duration,
) -> io::Result<Meeting<K>> {
    let until = Instant::now() + patience;
    let service = loop {
        match kernel.look_up(address.service()) {
            Ok(name) => break SendRight::owning(kernel, name),
            Err(Code::UNKNOWN_SERVICE) if Instant::now() < until => thread::sleep(PAUSE),
            Err(code) => return Err(code.into()),
        }
    };
    let port = ReceivePort::new(kernel)?;
    introduce(kernel, &service, &port, &address.token)?;
    // Now only who has taken the introduction can send to the port, and that nobody can is heard.
    drop(service);
    let peer = welcome(kernel, &port, &address.token, until)?;
    Ok(Meeting { peer, port })
}

pub(crate) fn respond<K: Kernel>(
    kernel: &K,
    address: &Address,
    patience: Duration,
) -> io::Result<Meeting<K>> {
    let until = Instant::now() + patience;
    let service = ReceivePort::checked_in(kernel, address.service())?;
    let peer = welcome(kernel, &service, &address.token, until)?;
    let port = ReceivePort::new(kernel)?;
    introduce(kernel, &peer, &port, &address.token)?;
    Ok(Meeting { peer, port })
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

/// Waits for somebody who knows the token and is the same user, and returns the right to send there.
pub(crate) fn welcome<K: Kernel>(
    kernel: &K,
    port: &ReceivePort<K>,
    token: &Token,
    until: Instant,
) -> io::Result<SendRight<K>> {
    let recognise = |shown: &Token| (shown == token).then_some(());
    admit(kernel, port, Some(until), recognise).map(|(peer, ())| peer)
}

/// Waits for somebody who shows a token that is recognised and is the same user, until then if it shall end at all. Returns
/// the right to send there, and as what the token was recognised.
#[expect(unsafe_code, reason = "what a message holds is memory by its address")]
pub(crate) fn admit<K: Kernel, T>(
    kernel: &K,
    port: &ReceivePort<K>,
    until: Option<Instant>,
    recognise: impl Fn(&Token) -> Option<T>,
) -> io::Result<(SendRight<K>, T)> {
    let mut frame = Frame::new(INTRODUCTION_BYTES + Trailer::Audit.bytes(), kernel.page_bytes());
    let mut refused = "nobody came";
    loop {
        let is_same_user = match fill_audited(kernel, &mut frame, port.name(), until) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let waited = format!("the other end did not introduce itself in time: {refused}");
                return Err(io::Error::new(io::ErrorKind::TimedOut, waited));
            }
            received => received?,
        };
        refused = match message::read(&frame) {
            Ok(Content::Introduction { port, token }) if is_same_user => match recognise(&token) {
                Some(recognised) => return Ok((SendRight::owning(kernel, port), recognised)),
                None => "the last who came had another token",
            },
            Ok(Content::NoSenders | Content::Stop) => return Err(closed()),
            Ok(Content::Introduction { .. }) => "the last who came was another user",
            Ok(_) => "the last who came did not introduce itself",
            Err(reason) => reason,
        };
        // SAFETY: it has just been received, and is not used.
        unsafe { carried::release(kernel, &frame) };
    }
}
