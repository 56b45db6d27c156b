//! `stream`: a transfer of many messages one way. The time is from the first write to the last receipt.
//!
//! The receiver stamps the last receipt and sends it back as its answer; both read the same clock. The next
//! transfer begins only after that answer, so transfers do not overlap.

use super::{EndReport, Observer, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::payload::{ANSWER_BYTES, Payload, buffer, carried, sequence_of};
use crate::sys::clock::now_ns;
use std::io;

/// See the module.
#[derive(Debug)]
pub struct Stream;

impl Scenario for Stream {
    fn slug(&self) -> &'static str {
        "stream"
    }

    fn payload(&self) -> &'static str {
        "the head of every message stamped by the sender and checked by the receiver inside the timed section \
         (a few nanoseconds a message); every byte compared in the warm-up transfers"
    }

    fn initiate(&self, work: &Work, link: &mut dyn Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let mut message = Payload::new(work.message_bytes);
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        ready()?;
        let mut sequence = 0;
        for _ in 0..work.warmup {
            transfer(work, link, &mut message, &mut sequence)?;
        }
        let mut observer = Observer::begin();
        // One more transfer outside the clock, so that the receiver's own observer has begun.
        transfer(work, link, &mut message, &mut sequence)?;

        let first_send_ns = now_ns();
        for _ in 0..work.operations {
            let start_ns = now_ns();
            let last_receipt_ns = transfer(work, link, &mut message, &mut sequence)?;
            report.samples_ns.push(last_receipt_ns.saturating_sub(start_ns));
            report.attempted += work.messages_per_operation;
            report.accepted += work.messages_per_operation;
            report.elapsed_ns = last_receipt_ns.saturating_sub(first_send_ns);
            if work.free {
                observer.look();
            }
        }
        report.observation = observer.finish();
        Ok(report)
    }

    fn respond(&self, work: &Work, link: &mut dyn Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let mut message = buffer(work.message_bytes);
        let mut expected = Payload::new(work.message_bytes);
        ready()?;
        let mut sequence = 0;
        for _ in 0..work.warmup {
            for _ in 0..work.messages_per_operation {
                link.receive(&mut message)?;
                expected.stamp_head(sequence);
                if message != expected.bytes() {
                    return Err(io::Error::other(format!(
                        "message {sequence} of the warm-up arrived altered"
                    )));
                }
                sequence += 1;
            }
            answer(link)?;
        }
        let mut observer = Observer::begin();
        sequence = collect(work, link, &mut message, sequence, &mut EndReport::default())?;

        let mut report = EndReport::default();
        for _ in 0..work.operations {
            sequence = collect(work, link, &mut message, sequence, &mut report)?;
            if work.free {
                observer.look();
            }
        }
        report.observation = observer.finish();
        Ok(report)
    }
}

/// Sends one transfer and returns the time of its last receipt, as the receiver's answer says it.
fn transfer(work: &Work, link: &mut dyn Link, message: &mut Payload, sequence: &mut u64) -> io::Result<u64> {
    for _ in 0..work.messages_per_operation {
        message.stamp_head(*sequence);
        link.send(message.bytes())?;
        *sequence += 1;
    }
    let mut receipt_ns = [0; ANSWER_BYTES];
    link.receive(&mut receipt_ns)?;
    Ok(u64::from_le_bytes(receipt_ns))
}

/// Receives one transfer, counts what arrived, answers; returns the sequence number to expect next.
fn collect(
    work: &Work,
    link: &mut dyn Link,
    message: &mut [u8],
    mut sequence: u64,
    report: &mut EndReport,
) -> io::Result<u64> {
    for _ in 0..work.messages_per_operation {
        link.receive(message)?;
        let (found, expected) = (sequence_of(message), carried(sequence, message.len()));
        if found == expected {
            report.delivered += 1;
        } else if found < expected {
            report.out_of_order += 1;
        } else {
            report.corrupted += 1;
        }
        sequence += 1;
    }
    answer(link)?;
    Ok(sequence)
}

fn answer(link: &mut dyn Link) -> io::Result<()> {
    link.send(&now_ns().to_le_bytes())
}
