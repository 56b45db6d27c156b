//! `route` and the channels: messages from one sender or many, all of which go to every receiver, over one ring in
//! shared memory. An operation is a transfer of many messages; its time is from the first send to the last receipt.
//!
//! A route's ring is of one sender; a channel's may have many, even if it has one: that is the difference between
//! `route` and `channel-1-n`.

use super::sequenced_payload::{HEAD_BYTES, Reader, Table};
use super::{Crowd, EndReport, Observer, Pattern, Ready, Scenario, Work};
use crate::link::closed;
use crate::ring::{self, Ring};
use crate::sys::clock::now_ns;
use std::io;

/// One of them.
#[derive(Debug)]
pub struct Many {
    slug: &'static str,
    about: &'static str,
    /// Whether the ring is made for many senders.
    pub many_senders: bool,
    /// How many ends there are for a number of peers.
    pub crowd: fn(u32) -> Crowd,
}

/// One sender whose ring is for it alone.
pub static ROUTE: Many = Many {
    slug: "route",
    about: "One sender, N receivers, each of which gets every message; a time is from the first send to the last receipt.",
    many_senders: false,
    crowd: |peers| Crowd { senders: 1, receivers: peers },
};

/// One sender on a ring for many.
pub static CHANNEL_1_N: Many = Many {
    slug: "channel-1-n",
    about: "As `route`, over a ring that many may send to.",
    many_senders: true,
    crowd: |peers| Crowd { senders: 1, receivers: peers },
};

/// Many senders, one receiver.
pub static CHANNEL_N_1: Many = Many {
    slug: "channel-n-1",
    about: "N senders, one receiver; a time is from the first send to the last receipt.",
    many_senders: true,
    crowd: |peers| Crowd { senders: peers, receivers: 1 },
};

/// Many senders, many receivers.
pub static CHANNEL_N_N: Many = Many {
    slug: "channel-n-n",
    about: "N senders, N receivers, each of which gets every message of all; a time is from the first send to the last \
            receipt.",
    many_senders: true,
    crowd: |peers| Crowd { senders: peers, receivers: peers },
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
        HEAD_BYTES
    }

    fn pattern(&self) -> Pattern<'_> {
        Pattern::Many(self)
    }
}

impl Many {
    /// A sender's part: its share of the messages. The ring is left when all are sent.
    ///
    /// # Errors
    /// When all receivers are gone.
    pub fn send(&self, work: &Work, ring: Ring, sender: u32, ready: Ready<'_>) -> io::Result<EndReport> {
        let (table, sizes) = (Table::new(work.message_bytes), work.sizes_of(sender)?);
        let mut message = vec![0xff; work.message_bytes];
        let mut seat = ring::Sender::join(ring).map_err(io::Error::other)?;
        ready()?;
        let mut observer = Observer::begin(work);
        let first_send_ns = now_ns();
        let mut report = EndReport { first_send_ns: Some(first_send_ns), ..EndReport::default() };
        for _ in 0..share(work, sender) {
            // What was not taken is not numbered, so that a receiver can tell what is lost from what never left.
            let message = &mut message[..sizes.of(report.accepted)];
            table.write(sender, report.accepted, message);
            let taken = if work.lossy { seat.offer(message) } else { seat.send(message).map(|()| true) };
            report.attempted += 1;
            report.accepted += u64::from(taken.map_err(|_| closed())?);
        }
        observer.look();
        report.observation = observer.finish();
        Ok(report)
    }

    /// A receiver's part: everything that all senders send.
    pub fn receive(&self, work: &Work, ring: Ring, ready: Ready<'_>) -> io::Result<EndReport> {
        let sizes = (0..work.senders).map(|sender| work.sizes_of(sender)).collect::<io::Result<_>>()?;
        let mut reader = Reader::new(work.message_bytes, sizes);
        let mut seat = ring::Receiver::join(ring).map_err(io::Error::other)?;
        ready()?;
        let mut observer = Observer::begin(work);
        // What a ring that drops will take is not known before, so its end is that of its senders.
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

/// How long a transfer took: from the first send of all to the last receipt of all.
pub fn elapsed_ns(ends: &[EndReport]) -> u64 {
    let first_send_ns = ends.iter().filter_map(|end| end.first_send_ns).min().unwrap_or_default();
    let last_receipt_ns = ends.iter().filter_map(|end| end.last_receipt_ns).max().unwrap_or_default();
    last_receipt_ns.saturating_sub(first_send_ns)
}

/// Messages of one sender: the first ones send what is left over.
fn share(work: &Work, sender: u32) -> u64 {
    let (all, senders) = (work.messages_per_operation, u64::from(work.senders.max(1)));
    all / senders + u64::from(u64::from(sender) < all % senders)
}

/// Reads so many messages; returns when the last one came. Fewer only if some are lost, which the counts then say.
fn read_all(seat: &mut ring::Receiver, reader: &mut Reader, messages: u64) -> u64 {
    for _ in 0..messages {
        let Ok(message) = seat.receive() else { break };
        reader.read(message);
    }
    now_ns()
}

/// Reads until the last sender has left; returns when the last message had been read. The clock is looked at only when
/// there is nothing else to do.
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
