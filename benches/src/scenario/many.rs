//! `route` and the channels: messages from one or more senders to every receiver, over one ring in shared memory. An
//! operation is a transfer of many messages; its time is from the first send to the last receipt. A route's ring
//! supports one sender; a channel's ring supports several, even if it has one. This is the difference between `route`
//! and `channel-1-n`.

use super::sequenced_payload::{HEADER_BYTES, Reader, Table};
use super::{EndReport, Observer, Participants, Pattern, Ready, Scenario, Work};
use crate::link::closed;
use crate::ring::{self, Ring};
use crate::sys::clock::now_ns;
use std::io;

/// One of these scenarios.
#[derive(Debug)]
pub struct Many {
    slug: &'static str,
    about: &'static str,
    /// Whether the ring supports several senders.
    pub many_senders: bool,
    /// The participants for a number of peers.
    pub participants: fn(u32) -> Participants,
}

/// One sender, on a ring for one sender.
pub static ROUTE: Many = Many {
    slug: "route",
    about: "One sender, N receivers that each get every message; time from the first send to the last \
     receipt.",
    many_senders: false,
    participants: |peers| Participants { senders: 1, receivers: peers },
};

/// One sender, on a ring for several.
pub static CHANNEL_1_N: Many = Many {
    slug: "channel-1-n",
    about: "Like `route`, over a ring for several senders.",
    many_senders: true,
    participants: |peers| Participants { senders: 1, receivers: peers },
};

/// Many senders, one receiver.
pub static CHANNEL_N_1: Many = Many {
    slug: "channel-n-1",
    about: "N senders, one receiver; time from the first send to the last receipt.",
    many_senders: true,
    participants: |peers| Participants { senders: peers, receivers: 1 },
};

/// Many senders, many receivers.
pub static CHANNEL_N_N: Many = Many {
    slug: "channel-n-n",
    about: "N senders, N receivers that each get every message; time from the first send to the last \
     receipt.",
    many_senders: true,
    participants: |peers| Participants { senders: peers, receivers: peers },
};

impl Scenario for Many {
    fn slug(&self) -> &'static str {
        self.slug
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn payload(&self) -> &'static str {
        "every message written by its sender and every byte of it compared by every receiver, inside the timed section"
    }

    fn message_bytes_min(&self) -> usize {
        HEADER_BYTES
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Many(self)
    }
}

impl Many {
    /// Sends one sender's share of the messages, then leaves the ring.
    ///
    /// # Errors
    /// If all receivers are gone.
    pub fn send(&self, work: &Work, ring: Ring, sender: u32, ready: Ready<'_>) -> io::Result<EndReport> {
        let (table, sizes) = (Table::new(work.message_bytes), work.sizes_of(sender)?);
        let mut message = vec![0xff; work.message_bytes];
        let mut seat = ring::Sender::join(ring).map_err(io::Error::other)?;
        ready()?;
        let mut observer = Observer::begin(work);
        let first_send_ns = now_ns();
        let mut report = EndReport { first_send_ns: Some(first_send_ns), ..EndReport::default() };
        for _ in 0..share(work, sender) {
            // Rejected messages get no number, so that receivers can distinguish lost messages from messages never
            // sent.
            let message = &mut message[..sizes.bytes_of(report.accepted)];
            table.write(sender, report.accepted, message);
            let taken = if work.lossy { seat.offer(message) } else { seat.send(message).map(|()| true) };
            report.attempted += 1;
            report.accepted += u64::from(taken.map_err(|_| closed())?);
        }
        observer.look();
        report.observation = observer.finish();
        Ok(report)
    }

    /// Receives everything that all senders send.
    pub fn receive(&self, work: &Work, ring: Ring, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = (0..work.senders).map(|sender| work.sizes_of(sender)).collect::<io::Result<_>>()?;
        let mut reader = Reader::new(work.message_bytes, sizes);
        let mut seat = ring::Receiver::join(ring).map_err(io::Error::other)?;
        ready()?;
        let mut observer = Observer::begin(work);
        // The number of messages through a lossy ring is unknown beforehand, so it ends with its senders.
        let last_receipt_ns = if work.lossy {
            read_until_closed(&mut seat, &mut reader)
        } else {
            read_all(&mut seat, &mut reader, (0..work.senders).map(|sender| share(work, sender)).sum())
        };
        observer.look();
        Ok(EndReport {
            delivered: reader.delivered,
            duplicated: reader.duplicated,
            out_of_order: reader.out_of_order,
            corrupted: reader.torn,
            last_receipt_ns: Some(last_receipt_ns),
            observation: observer.finish(),
            ..EndReport::default()
        })
    }
}

/// Returns the duration of a transfer: from the first send of all to the last receipt of all.
pub fn elapsed_ns(ends: &[EndReport]) -> u64 {
    let first_send_ns = ends.iter().filter_map(|end| end.first_send_ns).min().unwrap_or_default();
    let last_receipt_ns = ends.iter().filter_map(|end| end.last_receipt_ns).max().unwrap_or_default();
    last_receipt_ns.saturating_sub(first_send_ns)
}

/// Messages of one sender: the first senders also send the remainder.
fn share(work: &Work, sender: u32) -> u64 {
    let (all, senders) = (work.messages_per_operation, u64::from(work.senders.max(1)));
    all / senders + u64::from(u64::from(sender) < all % senders)
}

/// Reads this many messages; returns the time of the last one. Fewer only if some are lost, which the counts show.
fn read_all(seat: &mut ring::Receiver, reader: &mut Reader, messages: u64) -> u64 {
    for _ in 0..messages {
        let Ok(message) = seat.receive() else { break };
        reader.read(message);
    }
    now_ns()
}

/// Reads until the last sender has left; returns the time of the last message. It reads the clock only when no message
/// is available.
fn read_until_closed(seat: &mut ring::Receiver, reader: &mut Reader) -> u64 {
    let mut last_receipt_ns = None;
    loop {
        if last_receipt_ns.is_none() && seat.is_empty() {
            last_receipt_ns = Some(now_ns());
        }
        let Ok(message) = seat.receive() else { return last_receipt_ns.unwrap_or_else(now_ns) };
        reader.read(message);
        seat.release();
        last_receipt_ns = None;
    }
}
