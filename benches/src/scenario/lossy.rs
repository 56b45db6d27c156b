//! How a transfer ends on a transport that drops: the sender says that it was the last message until the receiver
//! answers. The answer itself is never dropped, because nothing else goes that way.

use crate::link::Link;
use crate::payload::{ANSWER_BYTES, Payload, sequence_of};
use std::io;
use std::time::Duration;

/// How long the sender waits for an answer before it says once more that it has ended.
const PATIENCE: Duration = Duration::from_millis(20);

/// Marks the head of a message that says so; the rest of the head is the number of the message that would come next.
const END: u64 = 1 << 63;

pub(super) enum Word {
    Message,
    /// The end of all messages before this number.
    End(u64),
}

#[inline]
pub(super) fn read(head: u64) -> Word {
    if head & END == 0 { Word::Message } else { Word::End(head & !END) }
}

/// Says that all messages before this number have been sent, until the receiver answers; returns its answer.
pub(super) fn end(link: &mut Link, message: &mut Payload, next: u64) -> io::Result<u64> {
    link.receiver.set_patience(PATIENCE)?;
    message.stamp_head(END | next);
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
