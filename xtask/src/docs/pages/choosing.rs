//! Who chooses a transport, or takes in what others measured.

use super::super::page::{Page, change, changed};

pub(super) const PAGES: &[Page] = &[
    Page {
        path: "docs/explanation/advice.md",
        given: r#"
            repository .
            server
            report report.json
            printf 'bytes,count\n64,1000\n4096,10\n' > sizes.csv
        "#,
        blocks: &[
            changed(
                &[change("--preset sizes", "--preset moment.toml", "the preset measures for minutes")],
                "",
            ),
            super::developing::BENCH,
        ],
    },
    Page {
        path: "docs/how-to/import.md",
        given: r#"
            repository .
            far_server
            printf '{"results": [{"command": "./bench", "times": [0.1, 0.11, 0.12]}]}' > results.json
            go() { printf 'goos: linux\npkg: queue\nBenchmarkSend-2 \t 1000\t 1234 ns/op\nBenchmarkSend-2 \t 1000\t 1240 ns/op\nPASS\n'; }
        "#,
        blocks: &[changed(
            &[change(
                "--upload … --token-file …",
                "--upload https://roundtrip.example.org --token-file agent.token",
                "the same as above",
            )],
            "test -s report.json; test \"$(runs here https://roundtrip.example.org)\" = 2",
        )],
    },
];
