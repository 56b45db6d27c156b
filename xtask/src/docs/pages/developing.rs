//! Who works on Roundtrip: verbs of `cargo xtask`, which have tests of their own.

use super::super::page::{Block, Page};

/// A benchmark.
pub(super) const BENCH: Block =
    Block::Not("a benchmark: it takes minutes, and says something on a machine that does nothing else");

pub(super) const PAGES: &[Page] = &[
    Page {
        path: "crates/import/fuzz/README.md",
        given: "",
        blocks: &[Block::Not("it needs a nightly compiler, and goes on until it finds something")],
    },
    Page { path: "docs/explanation/crossovers.md", given: "", blocks: &[BENCH] },
    Page {
        path: "docs/how-to/cross.md",
        given: "",
        blocks: &[Block::Not(
            "it needs the toolchains for the other systems; `cargo xtask cross` has cargo do the same",
        )],
    },
    Page {
        path: "docs/how-to/work-on-the-web-interface.md",
        given: "",
        blocks: &[Block::Not("it measures a history, which takes an hour")],
    },
    Page {
        path: "migrations/README.md",
        given: "",
        blocks: &[Block::Not("it compiles the server against a database; who adds a migration does it")],
    },
];
