//! The publications. `docs/explanation/` compares them with what is measured here: `chromium-mach.md`, `libipc.md`,
//! `node-framing.md` and `ipc-static.md`.

use super::{PublishedUnit, Source, Table, number, text};

/// Chromium's table of Mach messages and FIFOs.
pub(super) const CHROMIUM: Source = Source {
    slug: "chromium-mach-vs-fifo",
    question: "Would Chromium decide the same today?",
    preset: "sizes",
    title: "Mach messages and FIFOs on two Macs",
    source: "The Chromium project, design document “Mach based OS X Interprocess Communication”, marked obsolete there",
    summary: "Small messages are fastest inline in a Mach message and large ones out of line, where the time does not grow with the \
              size; a FIFO is slower than the better of the two at every size.",
    methodology: &[
        ("Direction", "One way: from the sender to the receiver"),
        ("Statistic", "98th percentile, to the microsecond; the authors give ten microseconds more or less"),
        ("Messages", "More than 2,000 of each size"),
        ("Sizes", "15, from 100 B to 7 MiB"),
        ("Processes", "Two; for the FIFO, a new one is started"),
        (
            "Machines",
            "A laptop and a desktop with four cores, both Macs; no model, and no version of the system",
        ),
        ("Placement", "Not said"),
        ("Clock", "Not said where it starts and stops"),
    ],
    not_comparable_because: &[
        "Processor, system and decade are others: only the shape of a line over sizes can be compared.",
        "Its time out of line ends before anybody has read the memory; what is measured here can count the reading as well.",
        "Where its two processes ran is not said, and whether a processor had to be woken decides small messages.",
        "The 98th percentile is of one long run there, and of ten fresh starts here.",
    ],
    table: Some(Table {
        unit: PublishedUnit::Us,
        columns: &[
            text("host"),
            number("message_bytes", Some(PublishedUnit::Bytes)),
            text("transport"),
            number("p98_us", Some(PublishedUnit::Us)),
        ],
        csv: include_str!("data/chromium-mach-vs-fifo.csv"),
    }),
    statements: &[],
};

/// The comparison of libipc's backends on macOS.
pub(super) const LIBIPC: Source = Source {
    slug: "libipc-macos-backends",
    question: "Is the Rust ring 100x faster?",
    preset: "libipc",
    title: "Ways to sleep and wake over a ring in shared memory, on macOS",
    source: "The authors of the library libipc, its report “macOS IPC Backend Performance Comparison”",
    summary: "Waking nobody when nobody sleeps makes the channels of the C++ library several times as fast; its port to Rust \
              looks ten to a hundred times as fast again, because its time is that of an attempt and not of a message.",
    methodology: &[
        ("Quantity", "Time of a run divided by messages, in microseconds a datum"),
        (
            "What is counted",
            "C++: messages that arrived. Rust: attempts to send, most of which a full ring drops",
        ),
        ("Messages", "100,000 of 2 to 256 random bytes"),
        ("Topologies", "Route: one sender, N receivers. Channel: 1 to N, N to 1, N to N. N = 1, 2, 4, 8"),
        ("Backends", "C++ over __ulock, C++ over Mach semaphores, a port to Rust"),
        (
            "Baseline",
            "Senders wait up to 100 ms for room, receivers sleep up to 100 ms, memory is as the run before left it",
        ),
        (
            "Fair",
            "Memory is cleared before each run, and the C++ receiver looks again and again without sleeping",
        ),
        (
            "Post-optimization",
            "The baseline after a fix: a wake-up is sent only if somebody waits. `waiters_fix` says before or after it",
        ),
        ("Machine", "Apple silicon with 12 hardware threads; no model, and no version of the system"),
        ("Repetitions", "Not said: one figure a cell, without any spread"),
    ],
    not_comparable_because: &[
        "The figures of Rust are of attempts, those of C++ of messages that arrived: they are not to be divided by each other, \
         and neither by ours, which are of messages delivered.",
        "Its three sets differ in how senders and receivers wait: a row of one is not comparable with a row of another.",
        "There is one figure a cell and no spread, so nobody can say which differences are noise.",
        "Processor and system are others.",
        "What is measured here has fresh processes for every repetition, and compares every message byte by byte.",
    ],
    table: Some(Table {
        unit: PublishedUnit::Us,
        columns: &[
            text("methodology"),
            text("topology"),
            number("peers", None),
            text("backend"),
            text("waiters_fix"),
            number("us_per_message", Some(PublishedUnit::Us)),
        ],
        csv: include_str!("data/libipc-macos-backends.csv"),
    }),
    statements: &[],
};

/// Two tables of a change to Node's `child_process`.
pub(super) const NODE: Source = Source {
    slug: "node-child-process-framing",
    question: "Is advanced framing faster?",
    preset: "node-framing",
    title: "Framing of child_process messages in Node, before and after",
    source: "The author of pull request 64072 of nodejs/node, June 2026",
    summary: "Moving the framing of advanced messages from JavaScript into C++ raises their rate by 2.8 to 20.3 %, \
              but for the largest in one of the tables; json was not changed, and its rate falls by up to 1.2 % all the same.",
    methodology: &[
        ("Quantity", "Messages a second, before and after the change"),
        (
            "Table roundtrip",
            "The author's benchmark of round trips: both builds in turns, 8 repetitions of 5 s a side, advanced messages only; t of \
             Student's test beside two of four rows",
        ),
        (
            "Table compare",
            "Node's own tool for comparing benchmarks, both serializations; stars for how sure it is, three the surest",
        ),
        ("In flight", "256 messages at once, so the rate is not the reciprocal of a round trip"),
        ("Clock", "Runs before the child does"),
        ("Machine", "Not said"),
    ],
    not_comparable_because: &[
        "The machine is not named, and rates of two machines, or of two afternoons on one, are no comparison.",
        "The two tables are of two procedures, and disagree: advanced messages of 64 KiB gain 12.0 % in one and lose 1.3 % in the \
         other.",
        "A rate with 256 messages in flight says nothing of what one caller waits for.",
        "The clock counts the start of the child; here it starts once both ends are ready.",
        "It compares two builds of Node; what is measured here is the Node that a machine has.",
    ],
    table: Some(Table {
        unit: PublishedUnit::PerSecond,
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
        csv: include_str!("data/node-child-process-framing.csv"),
    }),
    statements: &[],
};

/// The study of pipes and sockets in FreeBSD, which prints drawings and no table: what it says in words can be checked.
pub(super) const FREEBSD: Source = Source {
    slug: "freebsd-pipes-and-sockets",
    question: "Pipes or sockets on your machine?",
    preset: "ipc-static",
    title: "Pipes and sockets in FreeBSD, over the size of their buffers",
    source: "A laboratory report on interprocess communication in FreeBSD 11, made with Robert N. M. Watson's ipc-static",
    summary: "Pipes are ahead of socket pairs, and both get faster with larger buffers up to 32 to 64 KiB, where the processor's \
              second-level cache is exhausted.",
    methodology: &[
        ("Quantity", "Effective bandwidth: 16 MiB over the time to move them"),
        ("Direction", "One way, between two threads in what is shown; two processes are possible"),
        (
            "Transports",
            "pipe; socketpair; socketpair whose kernel buffers are asked to be as large as the buffer (-s)",
        ),
        ("Statistic", "Median and quartiles"),
        ("Repetitions", "At least 30, of which the first is discarded"),
        ("Test", "Paired Wilcoxon signed-rank test at 5 %, on lines divided by their mean"),
        (
            "Machine",
            "BeagleBone Black: ARM Cortex-A8, one core of 1 GHz, 256 KiB of second-level cache, 512 MB of memory",
        ),
        ("System", "FreeBSD 11.0, kern.ipc.maxsockbuf raised to 32 MiB"),
    ],
    not_comparable_because: &[
        "Its figures are drawings: there is no number a size, only what is said in words.",
        "The board has one core and 256 KiB of cache: where larger buffers stop helping is a matter of the machine.",
        "FreeBSD limits a socket that is not set to 8 KiB, Linux to 208 KiB, so the two do not make the same calls.",
    ],
    table: None,
    statements: &[
        "Bandwidth grows with the buffer up to 32 to 64 KiB for every transport, and collapses beyond.",
        "The greatest bandwidth of a pipe is with a buffer of 64 KiB.",
        "Pipes are ahead of socket pairs by 63 %, averaged over all configurations.",
        "Of 16 MiB through a socket pair that is not set, every buffer larger than 8 KiB makes 2,048 reads of 8 KiB.",
        "Of 16 MiB through a pipe, every buffer larger than 64 KiB makes 256 reads of 64 KiB.",
        "With -s, reads of a socket pair are not limited to 8 KiB.",
        "Instruments change the bandwidth and keep the shape of the line: once each line is divided by its mean, three sizes \
         differ, all of them small.",
    ],
};
