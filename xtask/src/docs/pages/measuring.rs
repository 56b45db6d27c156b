//! Who measures and compares: the command, without a server.

use super::super::page::{Block, Page, change, changed, glance, typed};

pub(super) const PAGES: &[Page] = &[
    Page {
        path: "README.md",
        given: r#"
            builds
            mkdir -p target/release
            ln -s /usr/local/bin/roundtrip target/release/
            mv node-22 node-22.folder
            mv node-24 node-24.folder
            ln -s node-22.folder/bin/node node-22
            ln -s node-24.folder/bin/node node-24
            report base.json
            report head.json
            results_json
            times_csv
            sizes_csv
            sends
            server
        "#,
        blocks: &[
            Block::Not("it builds; `cargo xtask test` runs `up` in its last steps"),
            changed(
                &[
                    change("cargo build --release", "", "it is built already"),
                    glance("target/release/roundtrip run    "),
                    glance("target/release/roundtrip run --format"),
                    glance("target/release/roundtrip run --preset"),
                    glance("target/release/roundtrip ab"),
                    glance("target/release/roundtrip run --probe"),
                    glance("target/release/roundtrip probe-effect"),
                    change(
                        "target/release/roundtrip run --upload",
                        "target/release/roundtrip run --preset moment.toml --upload",
                        "it measures for minutes: a moment will do",
                    ),
                    glance("target/release/roundtrip agent"),
                    change(
                        "--pid 1234 ",
                        "--pid $sender --seconds 1 ",
                        "which process it is, and a shorter look",
                    ),
                    change(
                        "target/release/roundtrip advise --profile chromium",
                        "target/release/roundtrip run --preset moment.toml --upload http://127.0.0.1:7979 --token-file agent.token; \
                         target/release/roundtrip advise --profile chromium",
                        "what was measured here, for a moment",
                    ),
                ],
                "",
            ),
        ],
    },
    Page {
        path: "docs/how-to/compare-two-builds.md",
        given: "builds",
        blocks: &[changed(&[glance("roundtrip ab")], "")],
    },
    Page {
        path: "docs/how-to/find-changes.md",
        given: r#"
            times_csv
            cp times.csv rates.csv
            gzip --keep times.csv
        "#,
        blocks: &[typed(
            "roundtrip detect times.csv | grep -q regressed; roundtrip detect rates.csv --direction higher | grep -q improved",
        )],
    },
    Page {
        path: "docs/how-to/size-profiles.md",
        given: r#"
            sizes_csv
            printf '{"histograms": [{"name": "IPC.MessageSize", "count": 2, "sum": 130, "buckets": [{"low": 64, "high": 70, "count": 2}]}]}' > all.json
            printf '#!/bin/sh\nseq 10 60 >&2\n' > your-program
            chmod +x your-program
            repository .
            server
            uploads .
        "#,
        blocks: &[
            typed(""),
            typed("roundtrip sizes sizes.csv"),
            Block::Not("no library that writes such a log is here; `agents/tests/it/sizes.rs` reads one"),
        ],
    },
    Page {
        path: "docs/how-to/record-sizes.md",
        given: r#"
            sends
            printf 'process.send?.({}); const s = require("net").createServer((c) => c.end()).listen("other", () => require("net").connect("other", () => { s.close() }).end("hello"));' > program.js
        "#,
        blocks: &[
            changed(
                &[
                    change(
                        "--pid 1234 ",
                        "--pid $sender --seconds 1 ",
                        "which process it is, and a shorter look",
                    ),
                    change("--seconds 60 ", "", "the same"),
                ],
                "grep -q ^64, sizes.csv",
            ),
            typed("grep -q ^5, sizes.csv"),
        ],
    },
    Page {
        path: "docs/tutorials/your-own-transport.md",
        given: r#"
            repository .
            cp /srv/roundtrip/benches/external/c/* .
            mv unix_socket.c my-ipc.c
            server
            printf 'my-ipc:\n\tcc -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -o my-ipc my-ipc.c\n' > Makefile
            stands toml 1 docs/tutorials/your-own-transport.md > ipc.toml
            stands toml 2 docs/tutorials/your-own-transport.md > roundtrip.toml
            git add my-ipc.c roundtrip.h ipc.toml roundtrip.toml Makefile
            git commit --quiet --message Queue
            git branch my-branch
        "#,
        blocks: &[typed(""), typed(""), typed(""), changed(&[glance("roundtrip ab")], "")],
    },
    Page {
        path: "docs/explanation/chromium-mach.md",
        given: "repository .",
        blocks: &[changed(&[glance("roundtrip run")], "")],
    },
    Page {
        path: "docs/explanation/ipc-static.md",
        given: "repository .",
        blocks: &[changed(&[glance("roundtrip run")], ""), changed(&[glance("roundtrip probe-effect")], "")],
    },
    Page {
        path: "docs/explanation/libipc.md",
        given: "repository .",
        blocks: &[changed(&[glance("roundtrip run")], "")],
    },
    Page {
        path: "docs/explanation/node-framing.md",
        given: "builds",
        blocks: &[changed(&[glance("roundtrip run"), glance("roundtrip ab")], "")],
    },
];
