//! `handle-passing`: descriptors, or the system's equivalent, go one way. The time is from the first send to the last
//! receipt of an operation; each one is closed as soon as it is received.

use super::{EndReport, Observer, Pair, Pattern, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::link::passable::Passable;
use crate::payload::{ANSWER_BYTES, sequence_of};
use crate::sys::clock::now_ns;
use std::io;

#[derive(Debug)]
pub(crate) struct HandlePassing;

impl Scenario for HandlePassing {
    fn slug(&self) -> &'static str {
        "handle-passing"
    }

    fn about(&self) -> &'static str {
        "Descriptors one way; time from the first send to the last receipt of an operation."
    }

    fn payload(&self) -> &'static str {
        "one byte and one descriptor a message, closed on receipt inside the timed section; in the warm-up every \
         descriptor is checked to be the one that was sent"
    }

    fn message_bytes_min(&self) -> usize {
        1
    }

    fn needs_handles(&self) -> bool {
        true
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Pair(self)
    }
}

impl Pair for HandlePassing {
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let handle = link.sender.passable()?;
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        ready()?;
        link.sender.send(&handle.identity()?.to_le_bytes())?;
        for _ in 0..work.warmup {
            pass(link, &handle, work.messages_per_operation)?;
        }
        let mut observer = Observer::begin(work);
        // One more outside the clock, so that the receiver's observer has started.
        pass(link, &handle, 1)?;

        let first_send_ns = now_ns();
        for _ in 0..work.operations {
            let start_ns = now_ns();
            let last_receipt_ns = pass(link, &handle, work.messages_per_operation)?;
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
        ready()?;
        let expected = sequence_of(link.receiver.receive(&mut [0; ANSWER_BYTES])?);
        for _ in 0..work.warmup {
            take(link, work.messages_per_operation, |handle| {
                if handle.identity()? == expected {
                    return Ok(());
                }
                Err(io::Error::other("received a different descriptor than was sent"))
            })?;
        }
        let mut observer = Observer::begin(work);
        take(link, 1, |_| Ok(()))?;
        let mut report = EndReport::default();
        for _ in 0..work.operations {
            take(link, work.messages_per_operation, |_| Ok(()))?;
            report.delivered += work.messages_per_operation;
            observer.look();
        }
        report.observation = observer.finish();
        Ok(report)
    }
}

fn pass(link: &mut Link, handle: &Passable, count: u64) -> io::Result<u64> {
    for _ in 0..count {
        link.sender.send_handle(handle)?;
    }
    Ok(sequence_of(link.receiver.receive(&mut [0; ANSWER_BYTES])?))
}

fn take(link: &mut Link, count: u64, check: impl Fn(&Passable) -> io::Result<()>) -> io::Result<()> {
    for _ in 0..count {
        check(&link.receiver.receive_handle()?)?;
    }
    link.sender.send(&now_ns().to_le_bytes())
}
