//! The comparison of libipc's backends on macOS. `docs/explanation/libipc.md` sets what is measured here beside it.

use super::{PublishedUnit, Source, Table, number, text};

pub(super) const SOURCE: Source = Source {
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
