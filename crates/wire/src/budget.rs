//! Where the time of a message goes: processor time of both sides, waiting for a processor, sleep.

use crate::{CaseResult, EndObservation, Repetition};
use roundtrip_stats::Quartiles;

/// A part of the time of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The senders' code; in `roundtrip`, the initiator's.
    SenderUser,
    /// The kernel, for the senders.
    SenderKernel,
    /// The receivers' code; in `roundtrip`, the responder's.
    ReceiverUser,
    /// The kernel, for the receivers.
    ReceiverKernel,
    /// No end ran, and an end was ready to: at most this. Zero where the system does not count it.
    Ready,
    /// The rest, in which no end ran. On one processor it should be near zero, because one end is always ready to run.
    Asleep,
    /// Ends ran at the same time: the parts above add up to the measured time and this.
    Overlap,
}

impl Part {
    /// All parts, in the order in which they are shown and stored.
    pub const ALL: [Self; 7] = [
        Self::SenderUser,
        Self::SenderKernel,
        Self::ReceiverUser,
        Self::ReceiverKernel,
        Self::Ready,
        Self::Asleep,
        Self::Overlap,
    ];
}

/// Something that ends do, and the system counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Voluntary context switches: an end waited, and had to be woken.
    Wait,
    /// Involuntary context switches: another thread got the processor.
    Preemption,
    /// Moves to another processor.
    Migration,
    /// Page faults served without the disk.
    PageFault,
}

impl Event {
    /// All events, in the order in which they are shown and stored.
    pub const ALL: [Self; 4] = [Self::Wait, Self::Preemption, Self::Migration, Self::PageFault];

    fn count(self, end: &EndObservation) -> Option<u64> {
        match self {
            Self::Wait => end.voluntary_switches,
            Self::Preemption => end.involuntary_switches,
            Self::Migration => end.migrations,
            Self::PageFault => end.minor_faults,
        }
    }
}

/// A figure per delivered message (in `roundtrip`, per round trip) over the repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerMessage {
    /// The total of all repetitions over their delivered messages. Means add up; quartiles do not.
    pub mean: f64,
    /// First quartile of the repetitions.
    pub q1: f64,
    /// Third quartile.
    pub q3: f64,
}

/// The time of a message by part, and events per message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Nanoseconds by [`Part`], in the order of [`Part::ALL`].
    pub parts_ns: [PerMessage; 7],
    /// Counts by [`Event`]; `None` where the system does not count them for every end.
    pub events: [Option<PerMessage>; 4],
}

impl Budget {
    /// The budget of a result. `None` if the system does not report the processor time of every end, or without a
    /// delivered message.
    pub fn of(result: &CaseResult) -> Option<Self> {
        let senders = result.case.senders.map_or(1, |senders| usize::try_from(senders).unwrap_or(usize::MAX));
        let repetitions: Vec<&Repetition> =
            result.repetitions.iter().filter(|repetition| repetition.delivered > 0).collect();
        if repetitions.is_empty() {
            return None;
        }
        let per_message = |value: &dyn Fn(usize, &Repetition) -> Option<u64>| {
            let values = repetitions.iter().enumerate();
            let values = values.map(|(place, one)| Some((value(place, one)?, one.delivered)));
            values.collect::<Option<Vec<_>>>().map(|values| PerMessage::of(&values))
        };
        let parts: Vec<[u64; 7]> =
            repetitions.iter().map(|repetition| parts_ns(repetition, senders)).collect::<Option<_>>()?;
        let parts_ns = Part::ALL.map(|part| per_message(&|place, _| Some(parts[place][part as usize])));
        let events =
            Event::ALL.map(|event| per_message(&|_, one| of_ends(&one.ends, |end| event.count(end))));
        Some(Self { parts_ns: parts_ns.map(Option::unwrap_or_default), events })
    }

    /// The mean of a part.
    pub fn ns(&self, part: Part) -> f64 {
        self.parts_ns[part as usize].mean
    }

    /// The measured time of a message: all parts, without the overlap.
    pub fn elapsed_ns(&self) -> f64 {
        self.parts_ns.iter().map(|part| part.mean).sum::<f64>() - 2.0 * self.ns(Part::Overlap)
    }

    /// The share of the measured time that no counter explains if all ends share a processor: overlap, which is then
    /// impossible, and sleep, in which all ends would have to wait for a device or a timer.
    pub fn residue(&self) -> f64 {
        (self.ns(Part::Asleep) + self.ns(Part::Overlap)) / self.elapsed_ns().max(f64::MIN_POSITIVE)
    }
}

impl PerMessage {
    /// Of the totals of repetitions and their delivered messages, at least one.
    fn of(totals: &[(u64, u64)]) -> Self {
        let sum = |value: fn(&(u64, u64)) -> u64| totals.iter().map(|pair| value(pair) as f64).sum::<f64>();
        // Whole thousandths, which quartiles need: a message may take less than a nanosecond.
        let thousandths = totals.iter().map(|(total, delivered)| total.saturating_mul(1_000) / delivered);
        let quartiles = Quartiles::of(&thousandths.collect::<Vec<_>>());
        let quartile = |value: fn(Quartiles) -> u64| quartiles.map_or(0.0, |found| value(found) as f64 / 1e3);
        Self {
            mean: sum(|pair| pair.0) / sum(|pair| pair.1),
            q1: quartile(|found| found.q1),
            q3: quartile(|found| found.q3),
        }
    }
}

/// The parts of a repetition, in the order of [`Part::ALL`]. Saturates, because a report may contain any number.
fn parts_ns(repetition: &Repetition, senders: usize) -> Option<[u64; 7]> {
    let (from, to) = repetition.ends.split_at_checked(senders).filter(|(_, to)| !to.is_empty())?;
    let running = [
        of_ends(from, |end| end.user_ns)?,
        of_ends(from, |end| end.system_ns)?,
        of_ends(to, |end| end.user_ns)?,
        of_ends(to, |end| end.system_ns)?,
    ];
    let cpu_ns = running.into_iter().fold(0, u64::saturating_add);
    let idle_ns = repetition.elapsed_ns.saturating_sub(cpu_ns);
    let ready_ns = of_ends(&repetition.ends, |end| end.ready_ns).unwrap_or(0).min(idle_ns);
    let overlap_ns = cpu_ns.saturating_sub(repetition.elapsed_ns);
    let [a, b, c, d] = running;
    Some([a, b, c, d, ready_ns, idle_ns - ready_ns, overlap_ns])
}

fn of_ends(ends: &[EndObservation], value: impl Fn(&EndObservation) -> Option<u64>) -> Option<u64> {
    ends.iter().try_fold(0, |sum: u64, end| Some(sum.saturating_add(value(end)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunReport;

    fn end(user_ns: u64, system_ns: u64, ready_ns: u64) -> EndObservation {
        let of = |ns: u64| Some(100 * ns);
        EndObservation {
            user_ns: of(user_ns),
            system_ns: of(system_ns),
            ready_ns: of(ready_ns),
            voluntary_switches: of(1),
            ..EndObservation::default()
        }
    }

    /// Repetitions of 100 round trips with these times of one, and these ends.
    fn result(elapsed_ns: &[u64], ends: &[EndObservation]) -> CaseResult {
        let report: RunReport = serde_json::from_str(include_str!("../tests/golden/v1/full.json")).unwrap();
        let mut result = report.results.into_iter().next().unwrap();
        let like = result.repetitions[0].clone();
        let repetition = |ns: &u64| Repetition {
            delivered: 100,
            elapsed_ns: 100 * ns,
            ends: ends.to_vec(),
            ..like.clone()
        };
        result.repetitions = elapsed_ns.iter().map(repetition).collect();
        result
    }

    #[test]
    fn parts_add_up_to_the_measured_time() {
        let budget = Budget::of(&result(&[10_000], &[end(1_000, 2_000, 700), end(500, 3_000, 800)])).unwrap();
        let means = budget.parts_ns.map(|part| part.mean);
        assert_eq!(means, [1_000.0, 2_000.0, 500.0, 3_000.0, 1_500.0, 2_000.0, 0.0]);
        assert_eq!((budget.elapsed_ns(), budget.residue()), (10_000.0, 0.2));
    }

    #[test]
    fn ends_that_run_at_the_same_time_overlap() {
        let budget = Budget::of(&result(&[3_000], &[end(2_000, 0, 50), end(1_000, 900, 0)])).unwrap();
        assert_eq!((budget.ns(Part::Overlap), budget.ns(Part::Ready)), (900.0, 0.0));
        assert_eq!(budget.elapsed_ns(), 3_000.0);
    }

    #[test]
    fn quartiles_are_those_of_repetitions() {
        let budget = Budget::of(&result(&[2_000, 3_000, 4_000, 5_000], &[end(500, 0, 0), end(500, 0, 0)]));
        let asleep = budget.unwrap().parts_ns[Part::Asleep as usize];
        assert_eq!((asleep.q1, asleep.mean, asleep.q3), (1_000.0, 2_500.0, 3_000.0));
    }

    #[test]
    fn needs_the_processor_time_of_every_end() {
        let unknown = EndObservation::default();
        assert_eq!(Budget::of(&result(&[1_000], &[end(1, 1, 1), unknown])), None);
        assert_eq!(Budget::of(&result(&[1_000], &[end(1, 1, 1)])), None);
        assert_eq!(Budget::of(&result(&[], &[])), None);
    }

    #[test]
    fn events_that_are_not_counted_are_absent() {
        let budget = Budget::of(&result(&[1_000], &[end(1, 1, 1), end(1, 1, 1)])).unwrap();
        let means = budget.events.map(|event| event.map(|count| count.mean));
        assert_eq!(means, [Some(2.0), None, None, None]);
    }
}
