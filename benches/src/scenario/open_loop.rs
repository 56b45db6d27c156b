//! `open-loop`: messages go one way at a fixed rate, whether or not earlier ones have arrived. The time is from the
//! scheduled send to the receipt, so that a stall counts for every message it delays (Tene, "How NOT to Measure
//! Latency", 2013: coordinated omission).

use super::lossy::{self, MessageKind};
use super::{EndReport, Observer, Pair, Pattern, Ready, Scenario, Work, samples};
use crate::link::Link;
use crate::memory::Memory;
use crate::payload::{ANSWER_BYTES, Payload, sequence_of};
use crate::sys::clock::{self, now_ns};
use std::io;
use std::sync::LazyLock;

#[derive(Debug)]
pub(crate) struct OpenLoop;

/// From the start signal to the first scheduled send: both ends are waiting by then.
const LEAD_NS: u64 = 1_000_000;

impl Scenario for OpenLoop {
    fn slug(&self) -> &'static str {
        "open-loop"
    }

    fn about(&self) -> &'static str {
        "Messages one way at a fixed rate; time from a message's scheduled send to its receipt."
    }

    fn payload(&self) -> &'static str {
        static PAYLOAD: LazyLock<String> = LazyLock::new(|| {
            format!(
                "the head of every message stamped by the sender and checked by the receiver inside the timed section \
                 (a few nanoseconds a message); the sender sleeps until each intended send ({})",
                clock::LATENESS
            )
        });
        &PAYLOAD
    }

    fn message_bytes_min(&self) -> usize {
        ANSWER_BYTES
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Pair(self)
    }
}

impl Pair for OpenLoop {
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = work.sizes()?;
        let mut message = Payload::within(link.sender.allocate(work.message_bytes)?);
        let mut report = EndReport { late: Some(0), ..EndReport::default() };
        clock::sleep_precisely();
        ready()?;
        let schedule = Schedule { start_ns: 0, rate_per_second: rate(work)? };
        for _ in 0..=work.warmup {
            start(link, &mut message, now_ns() + LEAD_NS)?;
        }
        let observer = Observer::begin(work);
        let schedule = Schedule { start_ns: now_ns() + LEAD_NS, ..schedule };
        start(link, &mut message, schedule.start_ns)?;

        let mut late = 0;
        for sequence in 0..work.operations {
            link.sender.reclaim()?;
            message.stamp_header(sequence);
            let intended_ns = schedule.intended_ns(sequence);
            clock::sleep_until(intended_ns);
            late += u64::from(now_ns() >= schedule.intended_ns(sequence + 1));
            link.sender.send(&message.bytes()[..sizes.bytes_of(sequence)])?;
            report.attempted += 1;
            report.accepted += 1;
        }
        link.sender.reclaim()?;
        let last_receipt_ns = lossy::end(link, &mut message, work.operations)?;
        report.late = Some(late);
        report.elapsed_ns = last_receipt_ns.saturating_sub(schedule.start_ns);
        report.observation = observer.finish();
        Ok(report)
    }

    fn respond(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = work.sizes()?;
        let mut buffer = Memory::heap(work.message_bytes);
        let mut report = EndReport { samples_ns: samples(work.operations), ..EndReport::default() };
        ready()?;
        for _ in 0..=work.warmup {
            started(link, &mut buffer)?;
        }
        let mut observer = Observer::begin(work);
        let schedule = Schedule { start_ns: started(link, &mut buffer)?, rate_per_second: rate(work)? };

        let (mut next, mut missed, mut last_receipt_ns) = (0, 0, schedule.start_ns);
        loop {
            let wanted = if next < work.operations { sizes.bytes_of(next) } else { work.message_bytes };
            let found = sequence_of(link.receiver.receive(&mut buffer[..wanted])?);
            let receipt_ns = now_ns();
            if let MessageKind::End(_) = lossy::read(found) {
                break;
            }
            if found >= next && found < work.operations {
                report.samples_ns.push(receipt_ns.saturating_sub(schedule.intended_ns(found)).max(1));
                missed += u64::from(receipt_ns >= schedule.intended_ns(found + 1));
                report.delivered += 1;
                next = found + 1;
            } else if found < next {
                report.out_of_order += 1;
            } else {
                report.corrupted += 1;
            }
            last_receipt_ns = receipt_ns;
            observer.look();
        }
        link.receiver.release();
        report.missed = Some(missed + work.operations - report.delivered);
        report.observation = observer.finish();
        link.sender.send(&last_receipt_ns.to_le_bytes())?;
        Ok(report)
    }
}

#[derive(Clone, Copy)]
struct Schedule {
    start_ns: u64,
    rate_per_second: u64,
}

impl Schedule {
    #[inline]
    fn intended_ns(self, sequence: u64) -> u64 {
        self.start_ns + sequence * 1_000_000_000 / self.rate_per_second
    }
}

fn rate(work: &Work) -> io::Result<u64> {
    let rate = work.rate_per_second.filter(|&rate| rate > 0);
    rate.ok_or_else(|| io::Error::other("open-loop needs rate_per_second of at least 1"))
}

/// Sends the receiver the time of the first scheduled send, and waits for its answer.
fn start(link: &mut Link, message: &mut Payload, start_ns: u64) -> io::Result<()> {
    link.sender.reclaim()?;
    message.stamp_header(start_ns);
    link.sender.send(message.bytes())?;
    let mut buffer = [0; ANSWER_BYTES];
    link.receiver.receive(&mut buffer)?;
    link.receiver.release();
    Ok(())
}

fn started(link: &mut Link, buffer: &mut Memory) -> io::Result<u64> {
    let start_ns = sequence_of(link.receiver.receive(buffer)?);
    link.receiver.release();
    link.sender.send(&start_ns.to_le_bytes())?;
    Ok(start_ns)
}
