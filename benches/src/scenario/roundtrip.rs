//! `roundtrip`: a message goes to the other end and back, one at a time. The time covers both directions.

use super::{EndReport, Observer, Pair, Pattern, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::memory::Memory;
use crate::payload::Payload;
use crate::sys::clock::now_ns;
use std::io;

#[derive(Debug)]
pub(crate) struct Roundtrip;

/// The responder of a `free` case checks its processor once per this many messages. A check costs 10 to 20 ns of the
/// round trip, so about a nanosecond per message.
const LOOK_EVERY: u64 = 16;

impl Scenario for Roundtrip {
    fn slug(&self) -> &'static str {
        "roundtrip"
    }

    fn about(&self) -> &'static str {
        "One message at a time to the responder and back; time of the round trip."
    }

    fn payload(&self) -> &'static str {
        "every page stamped by the initiator and the answer compared byte by byte, outside the timed section; \
         the responder copies in and out"
    }

    fn message_bytes_min(&self) -> usize {
        0
    }

    fn asks(&self) -> bool {
        true
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Pair(self)
    }
}

impl Pair for Roundtrip {
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = work.sizes()?;
        let mut message = Payload::within(link.sender.allocate(work.message_bytes)?);
        let mut buffer = Memory::heap(work.message_bytes);
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        ready()?;
        for sequence in 0..work.warmup {
            message.stamp(sequence);
            exchange(link, &message.bytes()[..sizes.bytes_of(sequence)], &mut buffer)?;
        }
        let mut observer = Observer::begin(work);
        // One more exchange outside the clock, so that the responder's observer has started.
        exchange(link, &message.bytes()[..sizes.bytes_of(work.warmup)], &mut buffer)?;
        link.receiver.release();

        let first_send_ns = now_ns();
        for operation in 0..work.operations {
            let sequence = work.warmup + operation;
            message.stamp(sequence);
            let bytes = &message.bytes()[..sizes.bytes_of(sequence)];
            let mut answer: &[u8] = &[];
            let start_ns = now_ns();
            for _ in 0..work.batch {
                answer = exchange(link, bytes, &mut buffer)?;
            }
            let end_ns = now_ns();
            report.samples_ns.push((end_ns - start_ns) / work.batch);
            report.attempted += work.batch;
            report.accepted += work.batch;
            if answer == bytes {
                report.delivered += work.batch;
            } else {
                report.corrupted += work.batch;
            }
            link.receiver.release();
            observer.look();
        }
        report.elapsed_ns = now_ns() - first_send_ns;
        report.observation = observer.finish();
        Ok(report)
    }

    fn respond(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = work.sizes()?;
        let mut buffer = link.sender.allocate(work.message_bytes)?;
        ready()?;
        for sequence in 0..work.warmup {
            echo(link, &mut buffer[..sizes.bytes_of(sequence)])?;
        }
        let mut observer = Observer::begin(work);
        echo(link, &mut buffer[..sizes.bytes_of(work.warmup)])?;
        for operation in 0..work.operations {
            let bytes = sizes.bytes_of(work.warmup + operation);
            for _ in 0..work.batch {
                echo(link, &mut buffer[..bytes])?;
            }
            if operation % LOOK_EVERY == 0 {
                observer.look();
            }
        }
        let observation = observer.finish();
        link.finish()?;
        Ok(EndReport { observation, ..EndReport::default() })
    }
}

#[inline]
fn exchange<'a>(link: &'a mut Link, message: &[u8], buffer: &'a mut Memory) -> io::Result<&'a [u8]> {
    link.exchange(message, &mut buffer[..message.len()])
}

#[inline]
fn echo(link: &mut Link, buffer: &mut [u8]) -> io::Result<()> {
    let message = link.receiver.receive(buffer)?;
    link.sender.send(message)
}
