//! `--budget`: where the time of a message goes, as a table for each traffic and placement.

use crate::format::{nanoseconds, whole};
use crate::{output, table};
use roundtrip_wire::{Budget, CaseResult, Part, RunReport};

const BAR_WIDTH: usize = 20;

/// The letter of each part in a bar, in the order of [`Part::ALL`]; overlap is not in the bar.
const LETTERS: [char; 6] = ['s', 'S', 'r', 'R', 'w', '.'];

const LEGEND: &str = "sender, receiver: CPU time; kernel: its share in the kernel, on most systems estimated from clock \
    ticks; waiting: ready to run, but no CPU free; overlap: both ran at the same time. Bar: s, r user mode; S, R kernel; \
    w waiting; . asleep.";

/// The tables of all results with a budget.
pub(crate) fn render(report: &RunReport, width: u16) -> String {
    let mut text = String::from("\nWhere the time of a message goes\n");
    let mut has_rows = false;
    for (title, results) in table::groups(report) {
        let rows: Vec<Vec<String>> = results.into_iter().filter_map(row).collect();
        if !rows.is_empty() {
            has_rows = true;
            let title = output::wrapped(&title, 0, width);
            text.push_str(&format!("\n{title}\n{}\n", table::fitted(HEADER.into(), rows, width).0));
        }
    }
    let note = if has_rows { LEGEND } else { "No result has the processor time of every end." };
    text + "\n" + &output::wrapped(note, 0, width) + "\n"
}

const HEADER: [&str; 10] =
    ["transport", "message", "time", "sender", "receiver", "kernel", "waiting", "asleep", "overlap", "bar"];

fn row(result: &CaseResult) -> Option<Vec<String>> {
    let budget = Budget::of(result)?;
    let (ns, time) = (|part| budget.ns(part), |ns: f64| nanoseconds(whole(ns)));
    let [sender, receiver] =
        [ns(Part::SenderUser) + ns(Part::SenderKernel), ns(Part::ReceiverUser) + ns(Part::ReceiverKernel)];
    let kernel = (ns(Part::SenderKernel) + ns(Part::ReceiverKernel)) / (sender + receiver);
    let overlap = ns(Part::Overlap) / budget.elapsed_ns();
    Some(vec![
        table::transport_name(result),
        table::message(result),
        time(budget.elapsed_ns()),
        time(sender),
        time(receiver),
        if kernel.is_finite() { format!("{:.0} %", 100.0 * kernel) } else { String::new() },
        time(ns(Part::Ready)),
        time(ns(Part::Asleep)),
        // Less is rounding.
        if overlap > 0.01 { format!("{:.0} %", 100.0 * overlap) } else { String::new() },
        bar(&budget),
    ])
}

/// One letter for each twentieth of the parts, which add up to more than the time if ends overlap.
fn bar(budget: &Budget) -> String {
    let parts = &Part::ALL[..LETTERS.len()];
    let total: f64 = parts.iter().map(|&part| budget.ns(part)).sum();
    let (mut text, mut end, mut drawn) = (String::new(), 0.0, 0);
    for (&part, letter) in parts.iter().zip(LETTERS) {
        end += budget.ns(part) / total.max(f64::MIN_POSITIVE);
        let until = usize::try_from(whole(end * BAR_WIDTH as f64)).unwrap_or(BAR_WIDTH);
        text.extend(std::iter::repeat_n(letter, until.saturating_sub(drawn)));
        drawn = drawn.max(until);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_wire::{EndObservation, PerMessage};

    #[test]
    fn bar_has_one_letter_for_each_twentieth() {
        let parts_ns = [1_000.0, 3_000.0, 1_000.0, 4_000.0, 500.0, 500.0, 0.0].map(|mean| PerMessage {
            mean,
            q1: mean,
            q3: mean,
        });
        let budget = Budget { parts_ns, events: [None; 4] };
        assert_eq!(bar(&budget), "ssSSSSSSrrRRRRRRRRw.");
    }

    #[test]
    fn report_without_processor_times_says_so() {
        let mut report = crate::golden_report();
        report.results.iter_mut().for_each(|result| result.repetitions.clear());
        assert!(render(&report, 80).ends_with("No result has the processor time of every end.\n"));
    }

    #[test]
    fn row_shows_the_processor_time_of_both_sides() {
        let mut result = crate::golden_report().results.remove(0);
        for repetition in &mut result.repetitions {
            repetition.delivered = 10;
            repetition.elapsed_ns = 100_000;
            let end = EndObservation {
                user_ns: Some(10_000),
                system_ns: Some(30_000),
                ready_ns: Some(4_000),
                ..EndObservation::default()
            };
            repetition.ends = vec![end; 2];
        }
        let cells = row(&result).unwrap();
        assert_eq!(&cells[2..9], ["10 µs", "4 µs", "4 µs", "75 %", "800 ns", "1.20 µs", ""]);
    }
}
