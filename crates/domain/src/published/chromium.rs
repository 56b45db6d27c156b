//! Chromium's table of Mach messages and FIFOs. `docs/explanation/chromium-mach.md` sets what is measured here beside it.

use super::{PublishedUnit, Source, Table, number, text};

pub(super) const SOURCE: Source = Source {
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
