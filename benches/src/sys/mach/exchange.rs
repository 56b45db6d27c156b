//! Sends and receives one message, as the kernel requires.

use super::frame::Frame;
use super::message::{self, Destination, STOP_BYTES};
use super::{Code, Kernel, Name, Trailer, carried};
use crate::sys::closed;
use std::io;
use std::time::{Duration, Instant};

/// The time that a send waits for room before it is retried.
const TIMEOUT: Duration = Duration::from_millis(100);

/// The longest accepted message, as in Chromium.
pub(crate) const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// Sends a message, waiting while the port is full: after each timeout, the message is rebuilt and sent again. The
/// kernel has then returned its contents, as other rights and other memory.
///
/// # Safety
/// Memory that `put` describes is readable until this returns.
#[inline]
#[expect(unsafe_code, reason = "a message may describe memory")]
pub(crate) unsafe fn deliver<K: Kernel>(
    kernel: &K,
    message: &mut [u8],
    mut put: impl FnMut(&mut [u8]),
) -> io::Result<()> {
    loop {
        put(message);
        // SAFETY: the caller's guarantee; no message gives memory away.
        let code = unsafe { kernel.send(message, TIMEOUT) };
        match code.base() {
            Code::SUCCESS => return Ok(()),
            // SAFETY: the kernel has returned the message, and it is not used any more.
            Code::SEND_TIMED_OUT | Code::SEND_INTERRUPTED => unsafe { carried::release(kernel, message) },
            Code::SEND_INVALID_DEST => return Err(closed()),
            _ => return Err(code.into()),
        }
    }
}

#[expect(unsafe_code, reason = "a message may describe memory")]
pub(crate) fn stop<K: Kernel>(kernel: &K, port: Name) -> io::Result<()> {
    let put = |message: &mut [u8]| message::put_stop(message, Destination::Own(port));
    // SAFETY: it has no memory.
    unsafe { deliver(kernel, &mut [0; STOP_BYTES], put) }
}

/// Receives one message into a frame, which grows until the message and its trailer fit.
#[inline]
#[expect(unsafe_code, reason = "what a message holds is memory by its address")]
pub(crate) fn fill<K: Kernel>(
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
                // SAFETY: the kernel has written as much of it as it could, and nothing uses it.
                unsafe { carried::release(kernel, frame) };
                return Err(code.into());
            }
            _ => return Err(code.into()),
        }
    }
}

/// Receives one message with the sender's audit token behind it, until the deadline, if any. Returns whether the sender
/// has the same user as this process.
pub(crate) fn fill_audited<K: Kernel>(
    kernel: &K,
    frame: &mut Frame,
    port: Name,
    until: Option<Instant>,
) -> io::Result<bool> {
    fill(kernel, frame, Trailer::Audit, |buffer| {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        Ok(kernel.receive(port, buffer, Trailer::Audit, left))
    })?;
    Ok(message::user(frame) == Some(kernel.user()))
}

/// The required size of a frame for the message that did not fit.
#[cold]
fn needed(frame: &Frame, trailer: Trailer) -> io::Result<usize> {
    let bytes = message::reported_bytes(frame);
    let refused = |reason: String| Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    if bytes > MESSAGE_BYTES_MAX {
        return refused(format!(
            "the next Mach message has {bytes} B: expected at most {MESSAGE_BYTES_MAX} B"
        ));
    }
    let needed = bytes + trailer.bytes();
    if needed <= frame.len() {
        return refused(format!("Mach message of {bytes} B exceeds the buffer of {} B", frame.len()));
    }
    Ok(needed)
}
