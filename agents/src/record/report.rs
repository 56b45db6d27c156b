//! The text output: the sizes, the method, the overhead and caveats.

use super::Recording;
use super::counting::{Tally, quantile_bytes};
use crate::format::{bytes, count, percent};
use crate::output::paragraph;
use roundtrip_wire::size_profile::SizeHistogram;

pub(crate) fn render(recording: &Recording, profile: &SizeHistogram) -> String {
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]
        .map(|(name, share)| format!("{name} {}", bytes(quantile_bytes(profile, share))));
    let mut text = vec![
        paragraph(
            &format!(
                "{} calls by process {} on pipes and sockets ({}) in {:.1} s, recorded with {}{}.",
                count(recording.call_count),
                recording.pid,
                recording.calls.join(", "),
                recording.seconds,
                recording.by,
                match recording.ended {
                    "process" => "; the process exited",
                    "full" => "; stopped at the size limit",
                    "stopped" => "; stopped by you",
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
        // One word, for copying.
        recording.sizes.clone(),
        String::new(),
    ];
    text.extend(missing(recording).iter().map(|line| paragraph(line, 0)));
    text.push(paragraph(&cost(recording), 0));
    text.push(paragraph(
        "On streams (pipes, TCP) these are the sizes of calls. A program may write one message in several \
         calls, or several messages in one.",
        0,
    ));
    text.join("\n")
}

pub(crate) fn no_calls(recording: &Recording) -> String {
    let mut text = vec![format!(
        "process {} made no calls ({}) on pipes or sockets in {:.1} s, recorded with {}{}",
        recording.pid,
        recording.calls.join(", "),
        recording.seconds,
        recording.by,
        if recording.ended == "process" { "; the process exited" } else { "" }
    )];
    if recording.tally.elsewhere_count > 0 {
        text.push(format!(
            "{} calls were on other descriptors, such as files and terminals",
            count(recording.tally.elsewhere_count)
        ));
    }
    text.extend(missing(recording));
    text.join("\n")
}

/// Calls that may be messages but are not counted.
fn missing(recording: &Recording) -> Vec<String> {
    let Tally { unknown_count, batched_count, lost_count, .. } = recording.tally;
    let lines = [
        ("Not counted: ", unknown_count, "calls on descriptors that were closed too soon to inspect."),
        ("Not counted: ", batched_count, "batched messages; the system does not report their sizes."),
        (
            "",
            lost_count,
            "events were lost because they arrived faster than they could be written. The counts are too low.",
        ),
    ];
    let given = lines.into_iter().filter(|(_, number, _)| *number > 0);
    given.map(|(begin, number, end)| format!("{begin}{} {end}", count(number))).collect()
}

fn cost(recording: &Recording) -> String {
    let Some(overhead) = recording.overhead else {
        return "Recording overhead: unknown.".into();
    };
    let spent_ns = overhead.longer_ns().max(0.0) * recording.call_count as f64;
    let share = spent_ns / (recording.seconds.max(0.001) * 1e9);
    format!(
        "Recording overhead: {:.0} ns per call ({:.0} ns instead of {:.0} ns, {:.1} times as long), \
         measured with a test process. For the calls above, {} of one CPU{}.",
        overhead.longer_ns(),
        overhead.recorded_ns,
        overhead.alone_ns,
        overhead.ratio,
        percent(share),
        if recording.by == "strace" { "; strace slows all other calls equally" } else { "" }
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
            tally: Tally::default(),
            overhead: Some(overhead),
        };
        (recording, profile)
    }

    #[test]
    fn prints_method_overhead_and_caveats() {
        let (recording, profile) = recording();
        let text = render(&recording, &profile);
        assert!(
            text.contains("Sizes: min 12 B, p50 15 B, p90 15 B, p99 64 B, max 64 B\n\n12-15:90,64:10\n"),
            "{text}"
        );
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.starts_with(
                "100,000 calls by process 42 on pipes and sockets (write) in 10.0 s, recorded with perf."
            ),
            "{text}"
        );
        assert!(text.contains("1000 ns per call (1250 ns instead of 250 ns, 5.0 times"), "{text}");
        assert!(text.contains("1.0 % of one CPU."), "{text}");
        assert!(text.contains("these are the sizes of calls"), "{text}");
    }

    #[test]
    fn reports_only_real_gaps() {
        let (complete, profile) = recording();
        assert!(!render(&complete, &profile).contains("Not counted"));
        let tally = Tally { unknown_count: 7, batched_count: 8, lost_count: 9, ..Tally::default() };
        let broken = Recording { tally, ..complete };
        let text = render(&broken, &profile).split_whitespace().collect::<Vec<_>>().join(" ");
        for expected in
            ["7 calls on descriptors that were closed", "8 batched messages", "9 events were lost"]
        {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
