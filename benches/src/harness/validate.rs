//! Validates a program's results. An invalid result is a failure with its reason; its data is not recorded.

use super::totals::Totals;
use crate::program::header;
use crate::program::protocol::{Case, Done, Histogram};
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::Encoded;

/// The largest accepted difference between clocks of one machine, in parts per million (adjtime(8) slews by 500).
const CLOCKS_DIFFER_PPM: u64 = 1_000;

/// Allowance for the delay between two lines, including scheduling.
const BETWEEN_LINES_NS: u64 = 50_000_000;

/// If a repetition's times add up to less than this share of its duration, in parts per million, the program probably
/// uses other units.
const TIMED_PPM_MIN: u64 = 10_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// From `go` to `done`.
    pub(super) all_ns: u64,
    /// From `started` to `done`, if the program sent `started`: then the harness measures the time.
    pub(super) timed_ns: Option<u64>,
}

/// Validates an answer and returns the data to record. The error explains why it cannot be true.
pub(super) fn check(case: &Case, done: Done, seen: Seen) -> Result<(Distribution, Totals), String> {
    counts(case, &done)?;
    sums(case, &done)?;
    let (distribution, elapsed_ns) = match seen.timed_ns {
        Some(timed_ns) => (harness_time(case, &done, timed_ns)?, timed_ns),
        None => program_times(case, &done, seen)?,
    };
    let totals = Totals {
        attempted: done.attempted,
        accepted: done.accepted,
        delivered: done.delivered,
        out_of_order: done.out_of_order,
        corrupted: done.corrupted,
        elapsed_ns,
        ..Totals::default()
    };
    Ok((distribution, totals))
}

/// Checks that all requested messages were sent, and none was received that was not sent.
fn counts(case: &Case, done: &Done) -> Result<(), String> {
    let Done { attempted, accepted, delivered, corrupted, .. } = *done;
    let asked = case.messages();
    if attempted != asked {
        return Err(format!("reports {attempted} attempted messages: expected {asked}"));
    }
    if accepted > attempted {
        return Err(format!("reports {accepted} accepted messages of {attempted} attempted"));
    }
    match delivered.checked_add(corrupted) {
        Some(received) if received <= accepted => Ok(()),
        _ => Err(format!(
            "reports {delivered} delivered and {corrupted} corrupted messages of {accepted} accepted"
        )),
    }
}

/// A program that reports all messages delivered must have summed all headers.
fn sums(case: &Case, done: &Done) -> Result<(), String> {
    let is_lossless = done.delivered == done.attempted;
    let expected = header::sum(case.seed, case.messages());
    let agree = |who: &str, sum: u32| {
        if !is_lossless || sum == expected {
            return Ok(());
        }
        Err(format!(
            "reports all {} messages delivered, but the headers that its {who} received sum to {sum}: \
             expected {expected}",
            done.delivered
        ))
    };
    agree("responder", done.responder_sum)?;
    match (case.scenario.as_str(), done.initiator_sum) {
        ("roundtrip", Some(sum)) => agree("initiator", sum),
        ("roundtrip", None) => Err("sent no `initiator_sum`, which `roundtrip` requires".into()),
        _ => Ok(()),
    }
}

/// One sample: the whole part, timed by the harness.
fn harness_time(case: &Case, done: &Done, timed_ns: u64) -> Result<Distribution, String> {
    if done.samples_ns.is_some() || done.histogram.is_some() || done.elapsed_ns.is_some() {
        return Err("sent both `started` (timing by the harness) and its own times".into());
    }
    let operations = (case.samples * case.batch).max(1);
    Distribution::of_samples(vec![timed_ns / operations]).ok_or_else(|| "no operations recorded".into())
}

/// The program's own times, which must fit into the time that the harness measured.
fn program_times(case: &Case, done: &Done, seen: Seen) -> Result<(Distribution, u64), String> {
    let elapsed_ns = done.elapsed_ns.ok_or("sent times without `elapsed_ns`")?;
    let (distribution, sum_ns) = match (&done.samples_ns, &done.histogram) {
        (Some(samples_ns), None) => {
            let sum_ns = samples_ns.iter().fold(0_u64, |sum, sample| sum.saturating_add(*sample));
            let each = samples_ns.iter().map(|sample| sample / case.batch.max(1)).collect();
            (Distribution::of_samples(each).ok_or("sent no samples")?, sum_ns)
        }
        (None, Some(histogram)) if case.batch == 1 => (decode(histogram, case.samples)?, histogram.sum_ns),
        (None, Some(_)) => return Err("sent a histogram for a batch: expected samples_ns".into()),
        (None, None) => return Err("sent no times: expected samples_ns, a histogram, or `started`".into()),
        (Some(_), Some(_)) => return Err("sent samples_ns and a histogram: expected one of them".into()),
    };
    if distribution.count() != case.samples {
        return Err(format!("sent {} times: expected {}", distribution.count(), case.samples));
    }
    let allowance = seen.all_ns / 1_000_000 * CLOCKS_DIFFER_PPM + BETWEEN_LINES_NS / 50;
    for (what, time_ns) in [("its times sum to", sum_ns), ("reports a duration of", elapsed_ns)] {
        // Messages of a window overlap, but times of batches follow each other.
        if time_ns > seen.all_ns.saturating_add(allowance) {
            return Err(format!(
                "{what} {time_ns} ns, but only {} ns passed between `go` and `done`",
                seen.all_ns
            ));
        }
    }
    let least = seen.all_ns.saturating_sub(BETWEEN_LINES_NS) / 1_000_000 * TIMED_PPM_MIN;
    // The times exclude the warm-up.
    let share = case
        .samples
        .checked_mul(1_000_000)
        .and_then(|share| share.checked_div(case.samples + case.warmup_samples));
    let least = least / 1_000_000 * share.unwrap_or(0);
    if sum_ns < least {
        return Err(format!(
            "its times sum to {sum_ns} ns, but {} ns passed between `go` and `done`. Are they in \
             nanoseconds?",
            seen.all_ns
        ));
    }
    Ok((distribution, elapsed_ns))
}

fn decode(histogram: &Histogram, count: u64) -> Result<Distribution, String> {
    let Histogram { v2, min_ns, max_ns, sum_ns } = histogram;
    let encoded =
        Encoded { histogram: v2, samples: None, count, min_ns: *min_ns, max_ns: *max_ns, sum_ns: *sum_ns };
    Distribution::decode(&encoded).map_err(|error| format!("invalid histogram: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u32 = 41;

    fn case() -> Case {
        Case {
            scenario: "roundtrip".into(),
            mode: "2proc".into(),
            message_bytes: 64,
            messages_per_operation: 1,
            batch: 1,
            window: 1,
            samples: 4,
            warmup_samples: 0,
            seed: SEED,
        }
    }

    fn done() -> Done {
        let sum = header::sum(SEED, 4);
        Done {
            samples_ns: Some(vec![200_000_000; 4]),
            histogram: None,
            elapsed_ns: Some(800_000_000),
            attempted: 4,
            accepted: 4,
            delivered: 4,
            out_of_order: 0,
            corrupted: 0,
            responder_sum: sum,
            initiator_sum: Some(sum),
        }
    }

    const SEEN: Seen = Seen { all_ns: 900_000_000, timed_ns: None };

    #[test]
    fn accepts_a_valid_answer() {
        let (distribution, totals) = check(&case(), done(), SEEN).unwrap();
        assert_eq!((distribution.count(), distribution.min_ns()), (4, 200_000_000));
        assert_eq!((totals.attempted, totals.delivered, totals.elapsed_ns), (4, 4, 800_000_000));
    }

    #[test]
    fn converts_batch_times_to_message_times() {
        let batched = Case { samples: 2, batch: 2, window: 2, ..case() };
        let answer = Done { samples_ns: Some(vec![400_000_000; 2]), ..done() };
        let (distribution, _) = check(&batched, answer, SEEN).unwrap();
        assert_eq!((distribution.count(), distribution.max_ns()), (2, 200_000_000));
    }

    #[test]
    fn harness_timing_gives_one_sample() {
        let seen = Seen { timed_ns: Some(800_000_000), ..SEEN };
        let answer = Done { samples_ns: None, elapsed_ns: None, ..done() };
        let (distribution, totals) = check(&case(), answer, seen).unwrap();
        assert_eq!((distribution.count(), distribution.min_ns()), (1, 200_000_000));
        assert_eq!(totals.elapsed_ns, 800_000_000);
    }

    #[test]
    fn records_losses_without_checking_sums() {
        let answer = Done { delivered: 3, responder_sum: 1, ..done() };
        let (_, totals) = check(&case(), answer, SEEN).unwrap();
        assert_eq!((totals.attempted, totals.delivered), (4, 3));
    }

    #[test]
    fn rejects_impossible_answers() {
        let lies: [(Done, &str); 12] = [
            (Done { attempted: 3, ..done() }, "3 attempted messages: expected 4"),
            (Done { accepted: 5, ..done() }, "5 accepted messages of 4"),
            (Done { accepted: 3, ..done() }, "4 delivered"),
            (Done { corrupted: u64::MAX, ..done() }, "corrupted"),
            (Done { responder_sum: 1, ..done() }, "its responder received sum to 1"),
            (Done { initiator_sum: Some(1), ..done() }, "its initiator received sum to 1"),
            (Done { initiator_sum: None, ..done() }, "no `initiator_sum`"),
            (Done { samples_ns: Some(vec![1; 3]), ..done() }, "sent 3 times: expected 4"),
            (Done { samples_ns: None, ..done() }, "sent no times"),
            (Done { samples_ns: Some(vec![u64::MAX; 4]), ..done() }, "sum to 18446744073709551615 ns"),
            (Done { elapsed_ns: Some(1_000_000_000), ..done() }, "reports a duration of 1000000000 ns"),
            (Done { samples_ns: Some(vec![200_000; 4]), ..done() }, "Are they in nanoseconds?"),
        ];
        for (lie, expected) in lies {
            let refusal = check(&case(), lie, SEEN).unwrap_err();
            assert!(refusal.contains(expected), "{expected}: {refusal}");
        }
        let twice = check(&case(), done(), Seen { timed_ns: Some(1), ..SEEN }).unwrap_err();
        assert!(twice.contains("its own times"), "{twice}");
    }
}
