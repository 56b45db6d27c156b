//! Two tables of a change to Node's `child_process`. `docs/explanation/node-framing.md` sets what is measured here beside them.

use super::{PublishedUnit, Source, Table, number, text};

pub(super) const SOURCE: Source = Source {
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
