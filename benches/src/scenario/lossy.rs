//! The end of a transfer on a lossy transport: the sender repeats an end marker until the receiver replies.
//! The reply is never lost, because nothing else is sent that way.

use crate::link::Link;
use crate::payload::{ANSWER_BYTES, Payload, sequence_of};
use std::io;
use std::time::Duration;

/// The time without an answer after which the sender repeats the end marker.
const TIMEOUT: Duration = Duration::from_millis(20);

/// Marks the header of an end marker; the rest of the header is the number of the message that would come next.
const END: u64 = 1 << 63;

pub(super) enum MessageKind {
    Message,
    /// The end of all messages before this number.
    End(u64),
}

#[inline]
pub(super) fn read(header: u64) -> MessageKind {
    if header & END == 0 { MessageKind::Message } else { MessageKind::End(header & !END) }
}

/// Sends the end marker for all messages before this number until the receiver answers; returns the answer.
pub(super) fn end(link: &mut Link, message: &mut Payload, next: u64) -> io::Result<u64> {
    link.receiver.set_timeout(TIMEOUT)?;
    message.stamp_header(END | next);
    loop {
        link.sender.send(message.bytes())?;
        let mut buffer = [0; ANSWER_BYTES];
        let answer = link.receiver.receive_soon(&mut buffer)?.map(sequence_of);
        if let Some(answer) = answer {
            link.receiver.release();
            return Ok(answer);
        }
    }
}
