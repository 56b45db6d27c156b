//! [`Inbox`]: receives messages of any size, in one of three ways; and the buffer that grows for them.

use super::carried;
use super::frame::Frame;
use super::message;
use super::port::ReceivePort;
use crate::link::closed;
use crate::sys::mach::{Code, Kernel, Trailer};
use std::io;

/// Room for messages at first: most fit, and whoever sends longer ones makes it grow before the clock runs.
pub(super) const FRAME_BYTES_FIRST: usize = 64 << 10;

/// The longest message that is taken: as Chromium had it.
pub(super) const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// A port, and room for one message from it.
pub(super) struct Inbox<K: Kernel> {
    kernel: K,
    port: ReceivePort<K>,
    frame: Frame,
    way: Way<K>,
}

/// How a message is awaited and received.
pub(super) enum Way<K: Kernel> {
    /// By one call.
    Call,
    /// A kqueue says that it is there, and a call receives it.
    Event(K::Queue),
    /// Inside the call that waits for the kqueue.
    ByEvent(K::Queue),
}

impl<K: Kernel> Way<K> {
    /// Waits for the port by a kqueue.
    pub(super) fn event(kernel: &K, port: &ReceivePort<K>) -> io::Result<Self> {
        let mut queue = kernel.queue()?;
        kernel.watch_port(&mut queue, port.name())?;
        Ok(Self::Event(queue))
    }
}

impl<K: Kernel> Inbox<K> {
    pub(super) fn new(kernel: &K, port: ReceivePort<K>, way: Way<K>) -> Self {
        let frame = Frame::new(FRAME_BYTES_FIRST, kernel.page_bytes());
        Self { kernel: kernel.clone(), port, frame, way }
    }

    /// Waits for the next message, and returns it where it lies.
    #[inline]
    pub(super) fn next(&mut self) -> io::Result<&Frame> {
        let (kernel, port) = (&self.kernel, self.port.name());
        let receive = |buffer: &mut [u8]| kernel.receive(port, buffer, Trailer::Least, None);
        match &mut self.way {
            Way::Call => fill(kernel, &mut self.frame, Trailer::Least, |buffer| Ok(receive(buffer))),
            Way::Event(queue) => fill(kernel, &mut self.frame, Trailer::Least, |buffer| {
                kernel.wait(queue)?;
                Ok(receive(buffer))
            }),
            Way::ByEvent(queue) => fill(kernel, &mut self.frame, Trailer::Least, |buffer| {
                kernel.receive_by_event(queue, port, buffer)
            }),
        }?;
        Ok(&self.frame)
    }

    /// What [`Inbox::next`] has returned last.
    #[inline]
    pub(super) fn frame(&self) -> &Frame {
        &self.frame
    }
}

/// Receives one message into a frame, which grows until the message and its trailer fit.
#[inline]
#[expect(unsafe_code, reason = "what a message holds is memory by its address")]
pub(super) fn fill<K: Kernel>(
    kernel: &K,
    frame: &mut Frame,
    trailer: Trailer,
    mut receive: impl FnMut(&mut [u8]) -> io::Result<Code>,
) -> io::Result<()> {
    loop {
        let code = receive(frame)?;
        match code.base() {
            Code::SUCCESS => return Ok(()),
            Code::RECEIVE_TOO_LARGE => frame.grow(needed(frame, trailer)?),
            Code::RECEIVE_INTERRUPTED => {}
            Code::RECEIVE_TIMED_OUT => return Err(io::Error::from(io::ErrorKind::TimedOut)),
            Code::RECEIVE_PORT_DIED | Code::RECEIVE_PORT_CHANGED => return Err(closed()),
            Code::RECEIVE_BODY_ERROR => {
                // SAFETY: the kernel has put there what it could, and nobody uses it.
                unsafe { carried::release(kernel, frame) };
                return Err(code.into());
            }
            _ => return Err(code.into()),
        }
    }
}

/// How large a frame must be for the message that did not fit it.
#[cold]
fn needed(frame: &Frame, trailer: Trailer) -> io::Result<usize> {
    let bytes = message::reported_bytes(frame);
    let refused = |reason: String| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    if bytes > MESSAGE_BYTES_MAX {
        return refused(format!("a Mach message of {bytes} B waits: expected at most {MESSAGE_BYTES_MAX} B"));
    }
    let needed = bytes + trailer.bytes();
    if needed <= frame.len() {
        return refused(format!("a Mach message of {bytes} B does not fit a buffer of {} B", frame.len()));
    }
    Ok(needed)
}
