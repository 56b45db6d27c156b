//! `tidy`: rules of the tree that no compiler or linter covers. They also run as tests.

mod commits;
mod cycles;
mod documents;
mod prose;

use crate::tally::Outcome;
use crate::{screen, workspace};
use anyhow::{Result, ensure};
use std::process::ExitCode;

struct Source<'a> {
    /// The path from the root, with forward slashes.
    path: &'a str,
    text: &'a str,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    message: String,
}

struct Rule {
    files: fn(&Source) -> bool,
    breaks: fn(&str) -> bool,
    message: &'static str,
}

const PLATFORM_HOMES: &[&str] = &[
    "agents/src/platform/",
    "benches/src/sys/",
    "benches/src/transport/mod.rs",
    // The files that select the suite's tests for each system.
    "agents/tests/it/main.rs",
    "benches/tests/it/main.rs",
];
const TRANSPORTS: &str = "benches/src/transport/";
const REGISTRY: &str = "benches/src/transport/mod.rs";
/// Split, so that this file does not match itself. A checkout must build behind any mirror.
#[rustfmt::skip]
const REGISTRY_HOSTS: &[&str] = &[
    concat!("registry.", "npmjs.org"), concat!("registry.", "yarnpkg.com"), concat!("index.", "crates.io"),
    concat!("static.", "crates.io"), concat!("://", "crates.io"), concat!("pypi", ".org"),
    concat!("files.", "pythonhosted.org"), concat!("proxy.", "golang.org"), concat!("deb.", "debian.org"),
    concat!("repo.maven.", "apache.org"), concat!("repo1.", "maven.org"),
];
const UNFINISHED: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];

const RULES: &[Rule] = &[
    Rule {
        // Snapshots and golden files hold program output. Markdown's line break by two spaces is invisible.
        files: |source| !source.is_test() || source.has_extension(&["rs", "ts", "tsx"]),
        breaks: |line| line.ends_with([' ', '\t']),
        message: "ends with white space",
    },
    Rule {
        // For npm's lock file, set `npm config set omit-lockfile-registry-resolved true`.
        files: |_| true,
        breaks: |line| REGISTRY_HOSTS.iter().any(|host| line.contains(host)),
        message: "contains the host of a package registry: expected only the package's name",
    },
    Rule {
        files: |source| source.has_extension(&["css", "html", "md", "rs", "sql", "toml", "ts", "tsx", "yml"]),
        breaks: |line| UNFINISHED.iter().any(|marker| line.contains(marker)),
        message: "unfinished work: finish it, or open an issue",
    },
    Rule {
        files: |source| source.has_extension(&["rs"]),
        breaks: |line| line.contains(concat!("#[", "ignore")),
        message: "ignored test: fix or delete it",
    },
    Rule {
        files: |source| source.has_extension(&["ts", "tsx"]),
        breaks: |line| {
            let calls = [".skip(", ".only(", ".fixme(", ".todo("];
            let mut places = calls.into_iter().flat_map(|call| line.match_indices(call));
            places.any(|(at, _)| ["it", "test", "describe"].iter().any(|name| line[..at].ends_with(name)))
        },
        message: "skipped tests: fix or delete them",
    },
    Rule {
        files: |source| {
            source.has_extension(&["rs"]) && !PLATFORM_HOMES.iter().any(|home| source.path.starts_with(home))
        },
        breaks: |line| line.contains(concat!("target", "_os")) && line.contains("cfg"),
        message: "conditional on the operating system: expected only in agents/src/platform/ and benches/src/sys/",
    },
    Rule {
        // The compiler enforces the order of the crates; this rule covers their dependencies.
        files: |source| {
            let crates = ["crates/storage/", "crates/domain/", "crates/github/"];
            crates.iter().any(|path| source.path.starts_with(path)) && source.path.ends_with("/Cargo.toml")
        },
        breaks: |line| line.starts_with("axum"),
        message: "depends on axum: expected only in the server",
    },
    Rule {
        // A handler makes one call to the domain, which succeeds or fails as a whole.
        files: |source| source.path.starts_with("server/src/routes/"),
        breaks: |line| line.contains("pool.begin()"),
        message: "begins a transaction: expected in crates/domain",
    },
    Rule {
        // The chart library can be replaced if only one folder uses it.
        files: |source| {
            source.has_extension(&["ts", "tsx"]) && !source.path.starts_with("web/src/components/chart/")
        },
        breaks: |line| line.contains("'recharts") || line.contains("\"recharts"),
        message: "imports Recharts: expected only in web/src/components/chart/",
    },
];

/// Tests may run any SQL.
const SQL: Rule = Rule {
    files: |source| {
        source.has_extension(&["rs"]) && !source.is_test() && !source.path.starts_with("crates/storage/src/")
    },
    breaks: holds_sql,
    message: "contains SQL: expected only in crates/storage/src/",
};

pub(crate) fn tidy() -> Result<ExitCode> {
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    screen::error(&format!("{} violations of project rules", findings.len()));
    Ok(ExitCode::FAILURE)
}

pub(crate) fn holds() -> Result<Outcome> {
    let findings: Vec<String> = findings()?.iter().map(ToString::to_string).collect();
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(Outcome::Passed)
}

fn findings() -> Result<Vec<Finding>> {
    let mut texts = Vec::new();
    for path in workspace::files()? {
        // A file that is not text has no lines to check.
        let text = String::from_utf8(fs_err::read(workspace::root().join(&path))?);
        texts.extend(text.map(|text| (path, text)));
    }
    let sources: Vec<_> = texts.iter().map(|(path, text)| Source { path, text }).collect();
    let mut findings: Vec<_> = sources.iter().flat_map(findings_in).collect();
    findings.extend(cycles::modules_form_no_cycle(&sources));
    findings.extend(commits::subjects_are_imperative()?);
    findings.extend(registry_lists_the_transports(&sources));
    findings.sort();
    Ok(findings)
}

fn findings_in(source: &Source) -> Vec<Finding> {
    let mut findings = documents::references_lead_somewhere(source);
    findings.extend(prose::reads_plainly(source));
    if source.has_extension(&["rs"]) && !source.text.starts_with("//! ") {
        findings.push(source.finding(1, "no module doc: expected //! with the file's purpose"));
    }
    let rules = RULES.iter().map(|rule| (rule, source.text)).chain([(&SQL, source.without_own_tests())]);
    for (Rule { breaks, message, .. }, text) in rules.filter(|(rule, _)| (rule.files)(source)) {
        let broken = (1..).zip(text.lines()).filter(|(_, line)| breaks(line));
        findings.extend(broken.map(|(number, _)| source.finding(number, message)));
    }
    findings
}

impl Source<'_> {
    fn finding(&self, line: usize, message: &str) -> Finding {
        Finding { path: self.path.to_owned(), line, message: message.to_owned() }
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }

    /// Tests are exempt from some rules.
    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        self.path.split('/').any(|part| part == "tests" || part == "e2e")
            || name == "tests.rs"
            || name.contains(".test.")
            || name.contains(".spec.")
    }

    /// The text of a Rust file before its test module, which is the last.
    fn without_own_tests(&self) -> &str {
        self.text.split("#[cfg(test)]\nmod ").next().unwrap_or_default()
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

fn holds_sql(line: &str) -> bool {
    // In quotes, it is the target of log events about statements.
    let names = |call: &str| {
        let call = format!("sqlx::{call}");
        line.replace(&format!("\"{call}\""), "").contains(&call)
    };
    let lower = line.to_ascii_lowercase();
    let begins = |start: &str| {
        let start = format!("{start} ");
        lower.trim_start().starts_with(&start) || lower.contains(&format!("\"{start}"))
    };
    names("query") || names("raw_sql") || ["select", "insert into", "delete from"].into_iter().any(begins)
}

/// A transport is one file and one line in the registry, so none is missing and each can be found by name.
fn registry_lists_the_transports(sources: &[Source]) -> Vec<Finding> {
    let Some(registry) = sources.iter().find(|source| source.path == REGISTRY) else { return Vec::new() };
    let lines = (1..).zip(registry.text.lines());
    let listed: Vec<(usize, &str)> = lines
        .filter_map(|(number, line)| Some((number, line.trim().strip_prefix('&')?.split_once("::")?.0)))
        .collect();
    let mut findings = Vec::new();
    for pair in listed.windows(2).filter(|pair| pair[0].1 >= pair[1].1) {
        let [(_, before), (line, after)] = [pair[0], pair[1]];
        findings
            .push(registry.finding(line, &format!("{after} after {before}: expected alphabetical order")));
    }
    for source in sources {
        let inside = source.path.strip_prefix(TRANSPORTS).and_then(|name| name.strip_suffix(".rs"));
        let Some(name) = inside.filter(|name| *name != "mod" && !name.contains('/')) else { continue };
        if !listed.iter().any(|(_, other)| *other == name) {
            findings.push(source.finding(1, &format!("is missing from {REGISTRY}")));
        }
        let slug = name.replace('_', "-");
        if !source.text.contains(&format!("\"{slug}\"")) {
            let message =
                format!("does not contain the slug \"{slug}\": expected the file's name with hyphens");
            findings.push(source.finding(1, &message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let findings: Vec<String> = findings().unwrap().iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "\n{}", findings.join("\n"));
    }

    /// Asserts the violations of a rule, as `path:line: message`.
    #[track_caller]
    fn finds(findings: &[Finding], expected: &[&str]) {
        let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}, expected {expected:?}");
        let mut pairs = found.iter().zip(expected);
        assert!(
            pairs.all(|(found, expected)| found.starts_with(expected)),
            "{found:?}, expected {expected:?}"
        );
    }

    #[test]
    fn each_rule_finds_only_its_violations() {
        let platform = format!("//! Doc.\n#[cfg({} = \"linux\")]\nfn f() {{}}\n", concat!("target", "_os"));
        let ignored = format!("//! Doc.\n{}]\nfn f() {{}}\n", concat!("#[", "ignore"));
        let unfinished = UNFINISHED.iter().map(|marker| format!("{marker} later\n")).collect::<String>();
        let hosts =
            REGISTRY_HOSTS.iter().map(|host| format!("https://{}/a.tgz\n", host.trim_start_matches("://")));
        let hosts = hosts.collect::<String>();
        let sql = "//! D.\nlet row = sqlx::query(text);\nlet text = \"SELECT 1\";\nlet text = r#\"\n    insert into run\n";
        let own_sql = "//! D.\nfn f() {}\n#[cfg(test)]\nmod tests {\n    let row = sqlx::query(text);\n}\n";
        let begins = "//! D.\nlet mut transaction = state.pool.begin().await?;\n";
        let recharts = "import { Line } from \"recharts\";\nimport x from 'recharts/types';\n";
        let axum = "[dependencies]\naxum.workspace = true\n";
        for (path, text, lines, message) in [
            ("a.rs", "fn main() {}\n", &[1][..], "no module doc"),
            ("tests/it/a.rs", "// A comment.\n", &[1], "no module doc"),
            ("a.rs", "//! What it is for.\n", &[], ""),
            ("a.ts", "export {};\n", &[], ""),
            ("notes.txt", "a  \nb\n", &[1], "ends with white space"),
            ("a.ts", "a\t\n", &[1], "ends with white space"),
            ("a.ts", "  a\n", &[], ""),
            ("web/package-lock.json", &hosts, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "contains the host"),
            ("Cargo.toml", "serde = \"1\"\n", &[], ""),
            ("a.ts", &unfinished, &[1, 2, 3], "unfinished work"),
            ("a.ts", "// Done.\n", &[], ""),
            ("a.rs", &ignored, &[2], "ignored test"),
            ("a.test.ts", "it.skip('x', () => {})\ntest.only('x')\nit('x')\n", &[1, 2], "skipped tests"),
            ("server/src/main.rs", &platform, &[2], "conditional on the operating system"),
            ("benches/src/transport/pipe.rs", &platform, &[2], "conditional on the operating system"),
            ("benches/src/sys/wait.rs", &platform, &[], ""),
            ("benches/src/transport/mod.rs", &platform, &[], ""),
            ("crates/domain/Cargo.toml", axum, &[2], "depends on axum"),
            ("server/Cargo.toml", axum, &[], ""),
            ("server/src/routes/jobs.rs", begins, &[2], "begins a transaction"),
            ("crates/domain/src/queue/mod.rs", begins, &[], ""),
            ("server/src/routes/runs.rs", sql, &[2, 3, 5], "contains SQL"),
            ("crates/storage/src/runs.rs", sql, &[], ""),
            ("server/tests/it/runs.rs", sql, &[], ""),
            ("server/src/app.rs", own_sql, &[], ""),
            ("web/src/features/run/RunPage.tsx", recharts, &[1, 2], "imports Recharts"),
            ("web/src/components/chart/Line.tsx", recharts, &[], ""),
        ] {
            let expected: Vec<String> =
                lines.iter().map(|line| format!("{path}:{line}: {message}")).collect();
            finds(
                &findings_in(&Source { path, text }),
                &expected.iter().map(String::as_str).collect::<Vec<_>>(),
            );
        }
    }

    #[test]
    fn finds_differences_between_registry_and_folder() {
        let [fifo, pipe, ring] = ["fifo", "pipe", "ring_futex"]
            .map(|name| (format!("{TRANSPORTS}{name}.rs"), format!("slug(\"{}\")", name.replace('_', "-"))));
        let list =
            |names: &str| (REGISTRY.to_owned(), format!("static ALL: &[&dyn Transport] = &[\n{names}];\n"));
        let both = list("    &fifo::Fifo,\n    #[cfg(unix)]\n    &ring_futex::RingFutex,\n");
        let unordered = list("    &pipe::Pipe,\n    &fifo::Fifo,\n");
        let misnamed = (fifo.0.clone(), "slug(\"named-pipe\")".to_owned());
        for (files, expected) in [
            (vec![&both, &fifo, &ring], &[][..]),
            (vec![&both, &fifo, &pipe, &ring], &["benches/src/transport/pipe.rs:1: is missing from"]),
            (vec![&unordered, &fifo, &pipe], &["benches/src/transport/mod.rs:3: fifo after pipe: expected"]),
            (
                vec![&both, &misnamed, &ring],
                &["benches/src/transport/fifo.rs:1: does not contain the slug \"fifo\""],
            ),
        ] {
            let sources: Vec<_> = files.iter().map(|(path, text)| Source { path, text }).collect();
            finds(&registry_lists_the_transports(&sources), expected);
        }
    }
}
