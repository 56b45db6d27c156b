//! Who chooses a transport, or takes in what others measured.

use super::super::page::{Page, change, changed};

pub(super) const PAGES: &[Page] = &[
    Page {
        path: "docs/explanation/advice.md",
        given: r#"
            repository .
            server
            report report.json
            sizes_csv
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
            results_json
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
