//! The answer for people: what was recorded, how, what it cost, and what to mind.

use super::Recording;
use super::counting::quantile_bytes;
use crate::format::{bytes, count, percent};
use crate::output::paragraph;
use roundtrip_wire::size_profile::SizeHistogram;

pub(crate) fn render(recording: &Recording, profile: &SizeHistogram) -> String {
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]
        .map(|(name, share)| format!("{name} {}", bytes(quantile_bytes(profile, share))));
    let mut text = vec![
        paragraph(
            &format!(
                "{} calls of process {} to pipes and sockets ({}) in {:.1} s, by {}{}.",
                count(recording.call_count),
                recording.pid,
                recording.calls.join(", "),
                recording.seconds,
                recording.by,
                match recording.ended {
                    "process" => "; then it ended",
                    "full" => "; then the recording was as large as it may be",
                    "stopped" => "; then you ended it",
                    _ => "",
                }
            ),
            0,
        ),
        format!(
            "Sizes: min {}, {}, max {}",
            bytes(profile.min_bytes()),
            quantiles.join(", "),
            bytes(profile.max_bytes())
        ),
        String::new(),
        // One word, to be copied.
        recording.sizes.clone(),
        String::new(),
    ];
    text.extend(missing(recording).iter().map(|line| paragraph(line, 0)));
    text.push(paragraph(&cost(recording), 0));
    text.push(paragraph(
        "On a stream (a pipe, TCP) a call is not always a message: a program may write one in several calls, or several in \
         one. Where it does, these are the sizes of its writes.",
        0,
    ));
    text.join("\n")
}

pub(crate) fn nothing(recording: &Recording) -> String {
    let mut text = vec![format!(
        "in {:.1} s process {} made no call that counts ({} to pipes and sockets), seen by {}{}",
        recording.seconds,
        recording.pid,
        recording.calls.join(", "),
        recording.by,
        if recording.ended == "process" { "; then it ended" } else { "" }
    )];
    if recording.elsewhere_count > 0 {
        text.push(format!(
            "{} calls went to files, terminals and the like",
            count(recording.elsewhere_count)
        ));
    }
    text.extend(missing(recording));
    text.join("\n")
}

/// What is not counted though it may belong there.
fn missing(recording: &Recording) -> Vec<String> {
    let (unknown, batched, lost) = (recording.unknown_count, recording.batched_count, recording.lost_count);
    [
        (
            unknown,
            format!(
                "Not counted: {} calls to descriptors that were gone before they could be looked at.",
                count(unknown)
            ),
        ),
        (
            batched,
            format!(
                "Not counted: {} messages sent or received several at a time, whose sizes the system does not tell.",
                count(batched)
            ),
        ),
        (
            lost,
            format!(
                "{} events were lost because they came faster than they could be written down: the counts are too low.",
                count(lost)
            ),
        ),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(_, line)| line)
    .collect()
}

fn cost(recording: &Recording) -> String {
    let Some(overhead) = recording.overhead else {
        return "What recording cost the process could not be measured.".into();
    };
    let spent_ns = overhead.longer_ns().max(0.0) * recording.call_count as f64;
    let share = spent_ns / (recording.seconds.max(0.001) * 1e9);
    format!(
        "Measured on a process of our own on this machine, a call takes {:.0} ns longer while it is recorded ({:.0} ns \
         instead of {:.0} ns, {:.1} times as long). For the calls above that is {} of the time of one processor{}.",
        overhead.longer_ns(),
        overhead.recorded_ns,
        overhead.alone_ns,
        overhead.ratio,
        percent(share),
        if recording.by == "strace" { "; strace delays all others by as much" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::super::overhead::Overhead;
    use super::*;

    fn recording() -> (Recording, SizeHistogram) {
        let profile: SizeHistogram = "12-15:90,64:10".parse().unwrap();
        let overhead = Overhead { alone_ns: 250.0, recorded_ns: 1_250.0, ratio: 5.0 };
        let recording = Recording {
            by: "perf",
            pid: 42,
            seconds: 10.0,
            ended: "seconds",
            calls: &["write"],
            call_count: 100_000,
            sizes: profile.to_string(),
            unknown_count: 0,
            elsewhere_count: 0,
            batched_count: 0,
            lost_count: 0,
            overhead: Some(overhead),
        };
        (recording, profile)
    }

    #[test]
    fn a_recording_says_how_it_was_made_what_it_cost_and_that_a_write_is_not_always_a_message() {
        let (recording, profile) = recording();
        let text = render(&recording, &profile);
        assert!(
            text.contains("Sizes: min 12 B, p50 15 B, p90 15 B, p99 64 B, max 64 B\n\n12-15:90,64:10\n"),
            "{text}"
        );
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.starts_with("100,000 calls of process 42 to pipes and sockets (write) in 10.0 s, by perf."),
            "{text}"
        );
        assert!(
            text.contains(
                "a call takes 1000 ns longer while it is recorded (1250 ns instead of 250 ns, 5.0 times"
            ),
            "{text}"
        );
        assert!(text.contains("that is 1.0 % of the time of one processor."), "{text}");
        assert!(text.contains("a call is not always a message"), "{text}");
    }

    #[test]
    fn what_is_missing_is_told_and_only_then() {
        let (complete, profile) = recording();
        assert!(!render(&complete, &profile).contains("Not counted"));
        let broken = Recording { unknown_count: 7, batched_count: 8, lost_count: 9, ..complete };
        let text = render(&broken, &profile).split_whitespace().collect::<Vec<_>>().join(" ");
        for told in [
            "7 calls to descriptors that were gone",
            "8 messages sent or received several",
            "9 events were lost",
        ] {
            assert!(text.contains(told), "{told}: {text}");
        }
    }
}
