//! Combines the reports of the ends of one repetition.

use crate::scenario::{EndReport, many};
use roundtrip_wire::{Delivery, EndObservation};

/// The results of a repetition, except the conditions of the machine.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) samples_ns: Vec<u64>,
    pub(super) attempted: u64,
    pub(super) accepted: u64,
    pub(super) delivered: u64,
    pub(super) out_of_order: u64,
    pub(super) corrupted: u64,
    pub(super) elapsed_ns: u64,
    pub(super) late: Option<u64>,
    pub(super) missed: Option<u64>,
    pub(super) ends: Vec<EndObservation>,
}

impl Totals {
    /// Adds the counts of a later part of the same repetition.
    pub(super) fn add(&mut self, part: &Self) {
        self.attempted += part.attempted;
        self.accepted += part.accepted;
        self.delivered += part.delivered;
        self.out_of_order += part.out_of_order;
        self.corrupted += part.corrupted;
        self.elapsed_ns += part.elapsed_ns;
    }
}

/// Combines two ends of a pair; each leaves unknown counts at zero.
pub(super) fn from_pair(ends: Vec<EndReport>) -> Totals {
    let sum = |of: fn(&EndReport) -> u64| ends.iter().map(of).sum();
    let mut totals = Totals {
        attempted: sum(|end| end.attempted),
        accepted: sum(|end| end.accepted),
        delivered: sum(|end| end.delivered),
        out_of_order: sum(|end| end.out_of_order),
        corrupted: sum(|end| end.corrupted),
        elapsed_ns: sum(|end| end.elapsed_ns),
        late: ends.iter().find_map(|end| end.late),
        missed: ends.iter().find_map(|end| end.missed),
        ..Totals::default()
    };
    for end in ends {
        // The end that can time an operation has the samples: in `open-loop`, the receiver.
        if totals.samples_ns.is_empty() {
            totals.samples_ns = end.samples_ns;
        }
        totals.ends.push(end.observation);
    }
    totals
}

/// Combines senders and receivers: one operation, from the first send of all to the last receipt of all.
pub(super) fn from_many(ends: Vec<EndReport>) -> Totals {
    let sum = |of: fn(&EndReport) -> u64| ends.iter().map(of).sum::<u64>();
    let accepted = sum(|end| end.accepted);
    let elapsed_ns = many::elapsed_ns(&ends);
    Totals {
        samples_ns: vec![elapsed_ns],
        attempted: sum(|end| end.attempted),
        accepted,
        delivered: sum(|end| end.delivered),
        // Duplicates count as out of order, because a repetition has no other field for them.
        out_of_order: sum(|end| end.out_of_order + end.duplicated),
        corrupted: sum(|end| end.corrupted),
        elapsed_ns,
        late: None,
        missed: None,
        ends: ends
            .into_iter()
            .map(|end| EndObservation { delivery: delivery(&end, accepted), ..end.observation })
            .collect(),
    }
}

fn delivery(end: &EndReport, accepted: u64) -> Option<Delivery> {
    let EndReport { delivered, duplicated, out_of_order, corrupted, .. } = *end;
    end.last_receipt_ns.map(|_| Delivery {
        delivered,
        lost: accepted.saturating_sub(delivered + out_of_order + corrupted),
        duplicated,
        out_of_order,
        torn: corrupted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_lasts_from_first_send_to_last_receipt() {
        let sender = |first_send_ns, accepted| EndReport {
            first_send_ns: Some(first_send_ns),
            attempted: 10,
            accepted,
            ..EndReport::default()
        };
        let receiver = |last_receipt_ns, delivered, duplicated| EndReport {
            last_receipt_ns: Some(last_receipt_ns),
            delivered,
            duplicated,
            ..EndReport::default()
        };
        let totals = from_many(vec![
            sender(1_000, 10),
            sender(900, 8),
            receiver(5_000, 18, 0),
            receiver(4_000, 17, 1),
        ]);
        assert_eq!((totals.elapsed_ns, totals.samples_ns), (4_100, vec![4_100]));
        assert_eq!((totals.attempted, totals.accepted, totals.delivered), (20, 18, 35));
        assert_eq!(totals.out_of_order, 1);
        let deliveries: Vec<_> = totals.ends.iter().filter_map(|end| end.delivery).collect();
        assert_eq!(deliveries[0], Delivery { delivered: 18, ..Delivery::default() });
        assert_eq!(deliveries[1], Delivery { delivered: 17, lost: 1, duplicated: 1, ..Delivery::default() });
        assert_eq!(totals.ends.len(), 4);
    }
}
