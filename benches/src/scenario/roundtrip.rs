//! `roundtrip`: a message goes there and comes back, one at a time. The time is that of the whole way.

use super::{EndReport, Observer, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::payload::{Payload, buffer};
use crate::sys::clock::now_ns;
use std::io;

/// See the module.
#[derive(Debug)]
pub struct Roundtrip;

/// The responder of a `free` case looks at its processor every so many messages: looking costs it 10 to 20 ns
/// inside the round trip, so about a nanosecond a message.
const LOOK_EVERY: u64 = 16;

impl Scenario for Roundtrip {
    fn slug(&self) -> &'static str {
        "roundtrip"
    }

    fn payload(&self) -> &'static str {
        "every page stamped by the initiator and the answer compared byte by byte, outside the timed section; \
         the responder copies in and out"
    }

    fn initiate(&self, work: &Work, link: &mut dyn Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let mut message = Payload::new(work.message_bytes);
        let mut answer = buffer(work.message_bytes);
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        ready()?;
        for sequence in 0..work.warmup {
            message.stamp(sequence);
            exchange(link, &message, &mut answer)?;
        }
        let mut observer = Observer::begin();
        // One more exchange outside the clock, so that the responder's own observer has begun.
        exchange(link, &message, &mut answer)?;

        let first_send_ns = now_ns();
        for operation in 0..work.operations {
            message.stamp(work.warmup + operation);
            let start_ns = now_ns();
            for _ in 0..work.batch {
                exchange(link, &message, &mut answer)?;
            }
            let end_ns = now_ns();
            report.samples_ns.push((end_ns - start_ns) / work.batch);
            report.attempted += work.batch;
            report.accepted += work.batch;
            if answer == message.bytes() {
                report.delivered += work.batch;
            } else {
                report.corrupted += work.batch;
            }
            if work.free {
                observer.look();
            }
        }
        report.elapsed_ns = now_ns() - first_send_ns;
        report.observation = observer.finish();
        Ok(report)
    }

    fn respond(&self, work: &Work, link: &mut dyn Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let mut message = buffer(work.message_bytes);
        ready()?;
        for _ in 0..work.warmup {
            echo(link, &mut message)?;
        }
        let mut observer = Observer::begin();
        echo(link, &mut message)?;
        for count in 0..work.operations * work.batch {
            echo(link, &mut message)?;
            if work.free && count % LOOK_EVERY == 0 {
                observer.look();
            }
        }
        Ok(EndReport { observation: observer.finish(), ..EndReport::default() })
    }
}

#[inline]
fn exchange(link: &mut dyn Link, message: &Payload, answer: &mut [u8]) -> io::Result<()> {
    link.send(message.bytes())?;
    link.receive(answer)
}

#[inline]
fn echo(link: &mut dyn Link, message: &mut [u8]) -> io::Result<()> {
    link.receive(message)?;
    link.send(message)
}
