//! `stream`: transfers of one or more messages one way. The time is from the first write to the last receipt; with one
//! message per transfer, it is the one-way latency.
//!
//! The receiver stamps the last receipt and sends it back as its answer; both read the same clock. The next transfer
//! begins only after that answer, so transfers do not overlap.

use super::lossy::{self, MessageKind};
use super::{EndReport, Observer, Pair, Pattern, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::memory::Memory;
use crate::payload::{ANSWER_BYTES, Payload, sequence_of};
use crate::sizes::Sizes;
use crate::sys::clock::now_ns;
use std::io;

#[derive(Debug)]
pub(crate) struct Stream;

impl Scenario for Stream {
    fn slug(&self) -> &'static str {
        "stream"
    }

    fn about(&self) -> &'static str {
        "Messages one way at full speed; time from the first write to the last receipt."
    }

    fn payload(&self) -> &'static str {
        "the head of every message stamped by the sender and checked by the receiver inside the timed section \
         (a few nanoseconds a message); every byte compared in the warm-up transfers"
    }

    fn message_bytes_min(&self) -> usize {
        ANSWER_BYTES
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Pair(self)
    }
}

impl Pair for Stream {
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let mut sending = Sending {
            work,
            sizes: work.sizes()?,
            message: Payload::within(link.sender.allocate(work.message_bytes)?),
            sequence: 0,
        };
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        ready()?;
        for _ in 0..work.warmup {
            sending.transfer(link, work.messages_per_operation)?;
        }
        let mut observer = Observer::begin(work);
        sending.exchange_untimed(link)?;

        let first_send_ns = now_ns();
        for _ in 0..work.operations {
            sending.prepare(link)?;
            let start_ns = now_ns();
            let last_receipt_ns = sending.transfer(link, work.messages_per_operation)?;
            report.samples_ns.push(last_receipt_ns.saturating_sub(start_ns));
            report.attempted += work.messages_per_operation;
            report.accepted += work.messages_per_operation;
            report.elapsed_ns = last_receipt_ns.saturating_sub(first_send_ns);
            observer.look();
        }
        report.observation = observer.finish();
        Ok(report)
    }

    fn respond(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let mut receiving = Receiving {
            work,
            sizes: work.sizes()?,
            buffer: Memory::heap(work.message_bytes),
            sequence: 0,
            report: EndReport::default(),
        };
        // Only warm-up transfers are compared; creating this takes longer than many transfers.
        let mut expected = Payload::new(if work.warmup > 0 { work.message_bytes } else { 0 });
        ready()?;
        for _ in 0..work.warmup {
            receiving.transfer(link, work.messages_per_operation, |sequence, message| {
                expected.stamp_header(sequence);
                if message == &expected.bytes()[..message.len()] {
                    return Ok(());
                }
                Err(io::Error::other(format!("message {sequence} of the warm-up arrived corrupted")))
            })?;
        }
        let mut observer = Observer::begin(work);
        receiving.answer_untimed(link)?;

        receiving.report = EndReport::default();
        for _ in 0..work.operations {
            receiving.transfer(link, work.messages_per_operation, |_, _| Ok(()))?;
            observer.look();
        }
        receiving.report.observation = observer.finish();
        Ok(receiving.report)
    }
}

struct Sending<'a> {
    work: &'a Work,
    sizes: Sizes,
    message: Payload,
    sequence: u64,
}

impl Sending<'_> {
    /// One message and its answer outside the clock, so that the receiver's observer has started. It is short, so that
    /// it differs from measured messages; but a transport that drops must not mistake it for a repeated end marker.
    fn exchange_untimed(&mut self, link: &mut Link) -> io::Result<()> {
        if self.work.lossy {
            return self.transfer(link, 1).map(|_| ());
        }
        link.sender.reclaim()?;
        link.sender.send(&self.message.bytes()[..ANSWER_BYTES])?;
        receive_answer(link).map(|_| ())
    }

    /// Makes the message's memory writable again before the clock starts.
    fn prepare(&self, link: &mut Link) -> io::Result<()> {
        link.sender.reclaim()
    }

    /// Sends one transfer and returns the time of its last receipt, from the receiver's answer.
    fn transfer(&mut self, link: &mut Link, messages: u64) -> io::Result<u64> {
        for _ in 0..messages {
            link.sender.reclaim()?;
            self.message.stamp_header(self.sequence);
            link.sender.send(&self.message.bytes()[..self.sizes.bytes_of(self.sequence)])?;
            self.sequence += 1;
        }
        if self.work.lossy {
            return lossy::end(link, &mut self.message, self.sequence);
        }
        receive_answer(link)
    }
}

/// Receives the time in the other end's answer.
fn receive_answer(link: &mut Link) -> io::Result<u64> {
    let mut buffer = [0; ANSWER_BYTES];
    let answer = sequence_of(link.receiver.receive(&mut buffer)?);
    link.receiver.release();
    Ok(answer)
}

struct Receiving<'a> {
    work: &'a Work,
    sizes: Sizes,
    buffer: Memory,
    sequence: u64,
    report: EndReport,
}

impl Receiving<'_> {
    /// The other side of [`Sending::exchange_untimed`].
    fn answer_untimed(&mut self, link: &mut Link) -> io::Result<()> {
        if self.work.lossy {
            return self.transfer(link, 1, |_, _| Ok(()));
        }
        link.receiver.receive(&mut self.buffer[..ANSWER_BYTES])?;
        link.receiver.release();
        link.sender.send(&now_ns().to_le_bytes())
    }

    /// Receives one transfer, counts what arrived, and answers with the time of the last receipt.
    fn transfer(
        &mut self,
        link: &mut Link,
        messages: u64,
        mut check: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = self.sequence + messages;
        let mut last_receipt_ns = None;
        while self.sequence < end || self.work.lossy {
            let bytes = self.sizes.bytes_of(self.sequence);
            let message = link.receiver.receive(&mut self.buffer[..bytes])?;
            let found = sequence_of(message);
            match if self.work.lossy { lossy::read(found) } else { MessageKind::Message } {
                MessageKind::End(of) if of == end => break,
                // Repeated, because its answer took long.
                MessageKind::End(_) => continue,
                MessageKind::Message => {}
            }
            if found == self.sequence || (self.work.lossy && found > self.sequence && found < end) {
                check(found, message)?;
                self.report.delivered += 1;
                self.sequence = found + 1;
            } else if found < self.sequence {
                self.report.out_of_order += 1;
                self.sequence += u64::from(!self.work.lossy);
            } else {
                self.report.corrupted += 1;
                self.sequence += u64::from(!self.work.lossy);
            }
            if self.work.lossy {
                last_receipt_ns = Some(now_ns());
            }
        }
        self.sequence = end;
        let answer = last_receipt_ns.unwrap_or_else(now_ns);
        link.sender.send(&answer.to_le_bytes())
    }
}
