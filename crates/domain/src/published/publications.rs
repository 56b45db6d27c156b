//! The publications. `docs/explanation/` compares them with our results: `chromium-mach.md`, `libipc.md`, `node-framing.md`
//! and `ipc-static.md`.

use super::{PublishedUnit, Reference, fact, number, text};

/// Chromium's table of Mach messages and FIFOs.
pub(super) const CHROMIUM: Reference = Reference {
    slug: "chromium-mach-vs-fifo",
    question: "Would Chromium decide the same today?",
    preset: "sizes",
    title: "Mach messages and FIFOs on two Macs",
    source: "The Chromium project, design document “Mach based OS X Interprocess Communication”, marked as obsolete",
    summary: "Small messages are fastest inline in a Mach message, large ones out of line, where the time does not grow with the size. \
              A FIFO is slower than the better of the two at every size.",
    methodology: &[
        fact("Direction", "One way: from the sender to the receiver"),
        fact("Statistic", "98th percentile in whole microseconds; the authors state an error of 10 µs"),
        fact("Messages", "More than 2,000 of each size"),
        fact("Sizes", "15, from 100 B to 7 MiB"),
        fact("Processes", "Two; for the FIFO, one is started by the test"),
        fact(
            "Machines",
            "Two Macs, a laptop and a desktop with four cores; model and system version are not stated",
        ),
        fact("Placement", "Not stated"),
        fact("Clock", "Start and end are not stated"),
    ],
    not_comparable_because: &[
        "Processor, system and decade differ: compare only the shape of a line over sizes.",
        "Its out-of-line time ends before the memory is read; times here can include the reading.",
        "Its CPU placement is not stated; for small messages, waking a processor dominates the time.",
        "Its 98th percentile is from one long run; here it is from ten process restarts.",
    ],
    unit: Some(PublishedUnit::Us),
    columns: &[
        text("host"),
        number("message_bytes", Some(PublishedUnit::Bytes)),
        text("transport"),
        number("p98_us", Some(PublishedUnit::Us)),
    ],
    rows: Vec::new(),
    statements: &[],
    csv: include_str!("data/chromium-mach-vs-fifo.csv"),
};

/// The comparison of libipc's backends on macOS.
pub(super) const LIBIPC: Reference = Reference {
    slug: "libipc-macos-backends",
    question: "Is the Rust ring 100x faster?",
    preset: "libipc",
    title: "Sleeping and waking with a shared-memory ring on macOS",
    source: "The authors of the library libipc, report “macOS IPC Backend Performance Comparison”",
    summary: "Skipping needless wake-ups makes the channels of the C++ library several times faster. The port to Rust looks another \
              10 to 100 times faster, because its time is per attempt, not per message.",
    methodology: &[
        fact("Quantity", "Time of a run divided by messages, in microseconds"),
        fact("Counted", "C++: delivered messages. Rust: attempts to send, most of which a full ring drops"),
        fact("Messages", "100,000 of 2 to 256 random bytes"),
        fact("Topologies", "Route: one sender, N receivers. Channel: 1 to N, N to 1, N to N. N = 1, 2, 4, 8"),
        fact("Backends", "C++ with __ulock, C++ with Mach semaphores, a port to Rust"),
        fact(
            "Baseline",
            "Senders wait up to 100 ms for space, receivers sleep up to 100 ms, memory is reused from the previous run",
        ),
        fact("Fair", "Memory is cleared before each run, and the C++ receiver busy-waits"),
        fact(
            "Post-optimization",
            "The baseline after a fix that sends wake-ups only to waiting receivers; `waiters_fix` is before or after it",
        ),
        fact("Machine", "Apple silicon with 12 hardware threads; model and system version are not stated"),
        fact("Repetitions", "Not stated: one value per cell, without spread"),
    ],
    not_comparable_because: &[
        "The Rust values are per attempt, the C++ values per delivered message. Do not divide them by each other, nor by ours, \
         which are per delivered message.",
        "Its three methodologies differ in how senders and receivers wait, so their rows are not comparable.",
        "There is one value per cell and no spread, so noise cannot be separated from differences.",
        "Processor and system differ.",
        "Here, every repetition starts new processes, and every message is verified byte by byte.",
    ],
    unit: Some(PublishedUnit::Us),
    columns: &[
        text("methodology"),
        text("topology"),
        number("peers", None),
        text("backend"),
        text("waiters_fix"),
        number("us_per_message", Some(PublishedUnit::Us)),
    ],
    rows: Vec::new(),
    statements: &[],
    csv: include_str!("data/libipc-macos-backends.csv"),
};

/// Two tables of a change to Node's `child_process`.
pub(super) const NODE: Reference = Reference {
    slug: "node-child-process-framing",
    question: "Is advanced framing faster?",
    preset: "node-framing",
    title: "Framing of child_process messages in Node, before and after a change",
    source: "The author of pull request 64072 of nodejs/node, June 2026",
    summary: "Moving the framing of advanced messages from JavaScript to C++ raises their rate by 2.8 to 20.3 %, except for the \
              largest messages in one table. The rate of json, which was not changed, falls by up to 1.2 %.",
    methodology: &[
        fact("Quantity", "Messages per second, before and after the change"),
        fact(
            "Table roundtrip",
            "The author's round-trip benchmark: alternating builds, 8 repetitions of 5 s per side, advanced messages only; Student's t \
             for two of four rows",
        ),
        fact(
            "Table compare",
            "Node's own tool for comparing benchmarks, both serializations; up to three stars for significance",
        ),
        fact("In flight", "256 messages, so the rate is not the inverse of a round trip"),
        fact("Clock", "Starts before the child process"),
        fact("Machine", "Not stated"),
    ],
    not_comparable_because: &[
        "The machine is not named, and rates from different machines or days are not comparable.",
        "The two tables use different procedures and disagree: advanced messages of 64 KiB gain 12.0 % in one and lose 1.3 % in \
         the other.",
        "A rate with 256 messages in flight does not show the latency of one caller.",
        "Its clock includes the start of the child; here it starts when both ends are ready.",
        "It compares two builds of Node; results here are from the Node installed on a machine.",
    ],
    unit: Some(PublishedUnit::PerSecond),
    columns: &[
        text("table"),
        text("serialization"),
        number("message_bytes", Some(PublishedUnit::Bytes)),
        number("before_msgs_per_s", Some(PublishedUnit::PerSecond)),
        number("after_msgs_per_s", Some(PublishedUnit::PerSecond)),
        number("delta_percent", Some(PublishedUnit::Percent)),
        number("t", None),
        text("significance"),
    ],
    rows: Vec::new(),
    statements: &[],
    csv: include_str!("data/node-child-process-framing.csv"),
};

/// The study of pipes and sockets in FreeBSD. It has plots and no table, so only its statements can be checked.
pub(super) const FREEBSD: Reference = Reference {
    slug: "freebsd-pipes-and-sockets",
    question: "Pipes or sockets on your machine?",
    preset: "ipc-static",
    title: "Pipes and sockets in FreeBSD, by buffer size",
    source: "A laboratory report on interprocess communication in FreeBSD 11, using Robert N. M. Watson's ipc-static",
    summary: "Pipes are faster than socket pairs, and both get faster with larger buffers up to 32 to 64 KiB, where the second-level \
              cache is exhausted.",
    methodology: &[
        fact("Quantity", "Effective bandwidth: 16 MiB divided by the time to move them"),
        fact("Direction", "One way, shown between two threads; two processes are possible"),
        fact("Transports", "pipe; socketpair; socketpair with kernel buffers as large as the buffer (-s)"),
        fact("Statistic", "Median and quartiles"),
        fact("Repetitions", "At least 30; the first is discarded"),
        fact("Test", "Paired Wilcoxon signed-rank test at 5 %, on lines divided by their mean"),
        fact(
            "Machine",
            "BeagleBone Black: ARM Cortex-A8, one core of 1 GHz, 256 KiB of second-level cache, 512 MB of memory",
        ),
        fact("System", "FreeBSD 11.0, kern.ipc.maxsockbuf raised to 32 MiB"),
    ],
    not_comparable_because: &[
        "Its results are plots: there are no numbers per size, only statements in the text.",
        "The board has one core and 256 KiB of cache, and the best buffer size depends on the machine.",
        "A default socket buffer has 8 KiB on FreeBSD and 208 KiB on Linux, so the two make different calls.",
    ],
    unit: None,
    columns: &[],
    rows: Vec::new(),
    statements: &[
        "Bandwidth grows with the buffer up to 32 to 64 KiB for every transport, and collapses above.",
        "A pipe has its highest bandwidth with a buffer of 64 KiB.",
        "Pipes are 63 % faster than socket pairs, averaged over all configurations.",
        "Moving 16 MiB through a default socket pair takes 2,048 reads of 8 KiB, for every buffer larger than 8 KiB.",
        "Moving 16 MiB through a pipe takes 256 reads of 64 KiB, for every buffer larger than 64 KiB.",
        "With -s, reads from a socket pair are not limited to 8 KiB.",
        "Instrumentation changes the bandwidth but not the shape of the line: after dividing each line by its mean, three sizes \
         differ, all of them small.",
    ],
    csv: "",
};
