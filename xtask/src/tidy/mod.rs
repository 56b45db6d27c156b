//! `tidy`: rules of the tree that no compiler and no linter holds. They also run as tests.
//!
//! Here are the rules for what a line may hold and where; [`documents`] has those for documents.

mod circles;
mod documents;

use crate::tally::Outcome;
use crate::{screen, workspace};
use anyhow::{Result, ensure};
use std::process::ExitCode;

/// A file as the rules see it.
struct Source<'a> {
    /// From the root, with forward slashes.
    path: &'a str,
    text: &'a str,
}

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    line: usize,
    message: String,
}

type Rule = fn(&Source) -> Vec<Finding>;

const RULES: &[Rule] = &[
    documents::commands_exist,
    documents::links_lead_somewhere,
    http_in_the_server_alone,
    module_doc_first,
    no_ignored_tests,
    no_registry_hosts,
    no_trailing_whitespace,
    no_unfinished_work,
    platform_choice_in_its_places,
    recharts_in_the_chart_folder,
    short_files,
    sql_in_the_storage_crate,
    transactions_below_http,
];

const PLATFORM_HOMES: &[&str] = &[
    "agents/src/platform/",
    "benches/src/sys/",
    "benches/src/transport/mod.rs",
    // Which of the suite's own tests a system can run.
    "agents/tests/it/main.rs",
    "benches/tests/it/main.rs",
];
const SQL_HOME: &str = "crates/storage/src/";
/// What knows nothing of our HTTP API.
const BELOW_HTTP: &[&str] = &["crates/storage/", "crates/domain/", "crates/github/"];
const ROUTES: &str = "server/src/routes/";
const CHART_HOME: &str = "web/src/components/chart/";
const LINES_MAX: usize = 1_000;
const TEST_LINES_MAX: usize = 1_500;
const TRANSPORTS: &str = "benches/src/transport/";
const REGISTRY: &str = "benches/src/transport/mod.rs";
/// Hosts of package registries, in parts so that this file does not hold them. A checkout must build behind any mirror.
#[rustfmt::skip]
const REGISTRY_HOSTS: &[[&str; 2]] = &[
    ["registry.", "npmjs.org"], ["registry.", "yarnpkg.com"], ["index.", "crates.io"], ["static.", "crates.io"],
    ["://", "crates.io"], ["pypi", ".org"], ["files.", "pythonhosted.org"], ["proxy.", "golang.org"],
    ["deb.", "debian.org"], ["repo.maven.", "apache.org"], ["repo1.", "maven.org"],
];
const UNFINISHED: &[[&str; 2]] = &[["TO", "DO"], ["FIX", "ME"], ["XX", "X:"]];

/// Runs the verb.
pub(crate) fn tidy() -> Result<ExitCode> {
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    screen::error(&format!("{} places break a rule of the tree", findings.len()));
    Ok(ExitCode::FAILURE)
}

/// The same as a step of `test`.
pub(crate) fn holds() -> Result<Outcome> {
    let findings: Vec<String> = findings()?.iter().map(ToString::to_string).collect();
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(Outcome::Passed)
}

fn findings() -> Result<Vec<Finding>> {
    let files = workspace::files()?;
    let mut findings = registry_lists_the_transports(&files)?;
    let mut texts = Vec::new();
    for path in &files {
        // A file that is not text has no lines to check.
        texts.extend(String::from_utf8(fs_err::read(workspace::root().join(path))?).map(|text| (path, text)));
    }
    let sources: Vec<_> = texts.iter().map(|(path, text)| Source { path, text }).collect();
    findings.extend(sources.iter().flat_map(|source| RULES.iter().flat_map(|rule| rule(source))));
    findings.extend(circles::modules_form_no_circle(&sources));
    findings.sort_by(|left, right| (&left.path, left.line).cmp(&(&right.path, right.line)));
    Ok(findings)
}

impl Source<'_> {
    /// The lines that `breaks` holds for, each with the same message.
    fn lines_where(&self, breaks: impl Fn(&str) -> bool, message: &str) -> Vec<Finding> {
        let numbered = (1..).zip(self.text.lines()).filter(|(_, line)| breaks(line));
        numbered.map(|(number, _)| self.finding(number, message)).collect()
    }

    fn finding(&self, line: usize, message: &str) -> Finding {
        Finding { path: self.path.to_owned(), line, message: message.to_owned() }
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }

    /// Tests may do what the program may not. In Rust, a file's own tests are its last module.
    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        self.path.split('/').any(|part| part == "tests" || part == "e2e")
            || name == "tests.rs"
            || name.contains(".test.")
            || name.contains(".spec.")
    }

    /// The text before the file's own tests.
    fn without_own_tests(&self) -> Source<'_> {
        let end = self.text.find("#[cfg(test)]\nmod ").unwrap_or(self.text.len());
        Source { path: self.path, text: &self.text[..end] }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A source begins with what it is for.
fn module_doc_first(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs"]) || source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![source.finding(1, "starts without a module doc: expected //! and what the file is for")]
}

/// A long file holds more than one thing. Generated files are not read.
fn short_files(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs", "ts", "tsx"]) || source.path.ends_with(".gen.ts") {
        return Vec::new();
    }
    let lines_max = if source.is_test() { TEST_LINES_MAX } else { LINES_MAX };
    let lines = source.text.lines().count();
    if lines <= lines_max {
        return Vec::new();
    }
    vec![source.finding(lines_max + 1, &format!("has {lines} lines: expected at most {lines_max}"))]
}

/// Markdown's line break by two spaces is invisible, so it is no exception.
fn no_trailing_whitespace(source: &Source) -> Vec<Finding> {
    // Snapshots and golden files hold what a program printed.
    if source.is_test() && !source.has_extension(&["rs", "ts", "tsx"]) {
        return Vec::new();
    }
    source.lines_where(|line| line.ends_with([' ', '\t']), "ends with white space")
}

/// Files name no package registry: which one is used is the machine's affair. A lock file of npm must be free of them, too:
/// `npm config set omit-lockfile-registry-resolved true`.
fn no_registry_hosts(source: &Source) -> Vec<Finding> {
    let hosts: Vec<String> = REGISTRY_HOSTS.iter().map(|parts| parts.concat()).collect();
    source.lines_where(
        |line| hosts.iter().any(|host| line.contains(host)),
        "names the host of a package registry: expected a package's name only",
    )
}

/// Unfinished work is an issue, where it can be found.
fn no_unfinished_work(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["css", "html", "md", "rs", "sql", "toml", "ts", "tsx", "yml"]) {
        return Vec::new();
    }
    let markers: Vec<String> = UNFINISHED.iter().map(|parts| parts.concat()).collect();
    source.lines_where(
        |line| markers.iter().any(|marker| line.contains(marker)),
        "marks work as unfinished: finish it, or file it as an issue",
    )
}

/// A test that does not run proves nothing.
fn no_ignored_tests(source: &Source) -> Vec<Finding> {
    if source.has_extension(&["rs"]) {
        let needle = ["#[", "ignore"].concat();
        return source
            .lines_where(|line| line.contains(&needle), "ignores a test: make it run, or delete it");
    }
    if !source.has_extension(&["ts", "tsx"]) {
        return Vec::new();
    }
    let ends = ["skip(", "only(", "fixme(", "todo("];
    let calls = ["it", "test", "describe"].iter().flat_map(|begin| ends.map(|end| format!("{begin}.{end}")));
    let calls: Vec<String> = calls.collect();
    source.lines_where(
        |line| calls.iter().any(|call| line.contains(call)),
        "leaves tests out: make them run, or delete them",
    )
}

/// A choice by operating system is made where a capability is defined, and nowhere else.
fn platform_choice_in_its_places(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs"]) || PLATFORM_HOMES.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    let needle = concat!("target", "_os");
    source.lines_where(
        |line| line.contains(needle) && line.contains("cfg"),
        &format!("chooses by operating system: expected only in {}", PLATFORM_HOMES.join(", ")),
    )
}

/// SQL is in one place. Tests may ask the database whatever they like.
fn sql_in_the_storage_crate(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs"]) || source.path.starts_with(SQL_HOME) || source.is_test() {
        return Vec::new();
    }
    source.without_own_tests().lines_where(holds_sql, &format!("holds SQL: expected only in {SQL_HOME}"))
}

/// The compiler holds the order of the crates; this holds what they are made from.
fn http_in_the_server_alone(source: &Source) -> Vec<Finding> {
    if !source.path.ends_with("/Cargo.toml") || !BELOW_HTTP.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    source.lines_where(|line| line.starts_with("axum"), "depends on axum: HTTP is the server's alone")
}

/// A handler asks the domain for one thing, which is done or not done.
fn transactions_below_http(source: &Source) -> Vec<Finding> {
    if !source.path.starts_with(ROUTES) {
        return Vec::new();
    }
    source
        .lines_where(|line| line.contains("pool.begin()"), "begins a transaction: expected in crates/domain")
}

fn holds_sql(line: &str) -> bool {
    // In quotes it is where events of statements come from.
    let names = |call: &str| {
        let call = format!("sqlx::{call}");
        line.replace(&format!("\"{call}\""), "").contains(&call)
    };
    let calls = ["query", "raw_sql"].into_iter().any(names);
    let line = line.to_ascii_lowercase();
    let starts = ["select", "insert into", "delete from"].map(|start| format!("{start} "));
    let begins =
        |start: &String| line.trim_start().starts_with(start) || line.contains(&format!("\"{start}"));
    calls || starts.iter().any(begins)
}

/// The chart library can be replaced as long as one folder knows it.
fn recharts_in_the_chart_folder(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["ts", "tsx"]) || source.path.starts_with(CHART_HOME) {
        return Vec::new();
    }
    let imports = ['\'', '"'].map(|quote| format!("{quote}recharts"));
    source.lines_where(
        |line| imports.iter().any(|import| line.contains(import)),
        &format!("imports Recharts: expected only in {CHART_HOME}"),
    )
}

/// A transport is one file and one line of the registry: none is forgotten, and all are found by their name.
fn registry_lists_the_transports(files: &[String]) -> Result<Vec<Finding>> {
    let mut transports = Vec::new();
    for path in files {
        let inside = path.strip_prefix(TRANSPORTS).and_then(|name| name.strip_suffix(".rs"));
        if let Some(name) = inside.filter(|name| *name != "mod" && !name.contains('/')) {
            transports.push((name.to_owned(), workspace::read(path)?));
        }
    }
    Ok(compare(&workspace::read(REGISTRY)?, &transports))
}

fn compare(registry: &str, transports: &[(String, String)]) -> Vec<Finding> {
    let source = Source { path: REGISTRY, text: registry };
    let Some(listed) = listed(registry) else {
        return vec![source.finding(1, "holds no list: expected `static ALL: ... = &[&pipe::Pipe, ...];`")];
    };
    let mut findings = Vec::new();
    let line = |name: &str| {
        let needle = format!("&{name}::");
        registry.lines().position(|line| line.contains(&needle)).map_or(1, |index| index + 1)
    };
    for pair in listed.windows(2) {
        if let [before, after] = pair
            && before >= after
        {
            let message = format!("{after} after {before}: expected the order of the alphabet");
            findings.push(source.finding(line(after), &message));
        }
    }
    for name in listed.iter().filter(|name| !transports.iter().any(|(file, _)| file == *name)) {
        let message = format!("lists {name}, but {TRANSPORTS}{name}.rs does not exist");
        findings.push(source.finding(line(name), &message));
    }
    for (name, text) in transports {
        let path = format!("{TRANSPORTS}{name}.rs");
        let file = Source { path: &path, text };
        if !listed.contains(&name.as_str()) {
            findings.push(file.finding(1, &format!("is not in the list of {REGISTRY}")));
        }
        let slug = name.replace('_', "-");
        if !text.contains(&format!("\"{slug}\"")) {
            let message = format!("does not name the slug \"{slug}\": expected the file's name with hyphens");
            findings.push(file.finding(1, &message));
        }
    }
    findings
}

/// The modules in the registry's list, in its order.
fn listed(registry: &str) -> Option<Vec<&str>> {
    let (list, _) = registry.split_once("static ALL:")?.1.split_once('=')?.1.split_once("];")?;
    Some(list.split('&').filter_map(|entry| Some(entry.split_once("::")?.0.trim())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that break a rule.
    fn lines(rule: Rule, path: &str, text: &str) -> Vec<usize> {
        rule(&Source { path, text }).iter().map(|finding| finding.line).collect()
    }

    fn breaks(rule: Rule, path: &str, text: &str) -> bool {
        !lines(rule, path, text).is_empty()
    }

    #[test]
    fn the_tree_is_tidy() {
        let findings: Vec<String> = findings().unwrap().iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "\n{}", findings.join("\n"));
    }

    #[test]
    fn findings_are_named_by_file_and_line() {
        let source = Source { path: "a/b.rs", text: "one\ntwo\n" };
        let findings = source.lines_where(|line| line == "two", "is two");
        assert_eq!(findings.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a/b.rs:2: is two"]);
    }

    #[test]
    fn a_source_without_module_doc_is_found() {
        assert!(breaks(module_doc_first, "a.rs", "fn main() {}\n"));
        assert!(breaks(module_doc_first, "tests/it/a.rs", "// A comment.\n"));
        assert!(!breaks(module_doc_first, "a.rs", "//! What it is for.\n"));
        assert!(!breaks(module_doc_first, "a.ts", "export {};\n"));
    }

    #[test]
    fn a_long_file_is_found_and_tests_may_be_longer() {
        let text = "\n".repeat(LINES_MAX + 1);
        assert!(breaks(short_files, "a.rs", &text));
        assert!(breaks(short_files, "web/src/a.tsx", &text));
        assert!(!breaks(short_files, "web/src/a.gen.ts", &text));
        assert!(!breaks(short_files, "server/tests/it/a.rs", &text));
        assert!(breaks(short_files, "server/tests/it/a.rs", &"\n".repeat(TEST_LINES_MAX + 1)));
        assert!(!breaks(short_files, "a.rs", &"\n".repeat(LINES_MAX)));
    }

    #[test]
    fn white_space_at_the_end_of_a_line_is_found() {
        assert!(breaks(no_trailing_whitespace, "README.md", "a  \nb\n"));
        assert!(breaks(no_trailing_whitespace, "a.rs", "a\t\n"));
        assert!(!breaks(no_trailing_whitespace, "a.rs", "  a\n"));
    }

    #[test]
    fn every_registry_host_is_found() {
        for parts in REGISTRY_HOSTS {
            let host = parts.concat();
            let line = format!("\"resolved\": \"https://{}/a.tgz\"", host.trim_start_matches("://"));
            assert!(breaks(no_registry_hosts, "web/package-lock.json", &line), "{line}");
        }
        assert!(!breaks(no_registry_hosts, "Cargo.toml", "serde = \"1\"\n"));
    }

    #[test]
    fn a_marker_of_unfinished_work_is_found() {
        for parts in UNFINISHED {
            assert!(breaks(no_unfinished_work, "a.rs", &format!("// {} later", parts.concat())));
        }
        assert!(!breaks(no_unfinished_work, "a.rs", "// Done.\n"));
    }

    #[test]
    fn an_ignored_test_is_found_in_rust_and_in_typescript() {
        let rust = format!("{}]\nfn f() {{}}\n", ["#[", "ignore"].concat());
        assert!(breaks(no_ignored_tests, "a.rs", &rust));
        for end in ["skip", "only"] {
            assert!(breaks(no_ignored_tests, "a.test.ts", &format!("it.{end}('x', () => {{}})\n")));
        }
        assert!(!breaks(no_ignored_tests, "a.test.ts", "it('x', () => {})\n"));
    }

    #[test]
    fn a_platform_choice_outside_its_homes_is_found() {
        let text = format!("//! Doc.\n#[cfg({} = \"linux\")]\nfn f() {{}}\n", concat!("target", "_os"));
        let rule = platform_choice_in_its_places;
        assert_eq!(lines(rule, "server/src/main.rs", &text), [2]);
        assert_eq!(lines(rule, "benches/src/transport/pipe.rs", &text), [2]);
        assert!(!breaks(rule, "benches/src/sys/wait.rs", &text));
        assert!(!breaks(rule, "benches/src/transport/mod.rs", &text));
    }

    #[test]
    fn http_below_the_server_and_transactions_above_the_domain_are_found() {
        let rule = http_in_the_server_alone;
        let text = "[dependencies]\naxum.workspace = true\n";
        assert_eq!(lines(rule, "crates/domain/Cargo.toml", text), [2]);
        assert!(!breaks(rule, "server/Cargo.toml", text));
        let begins = "let mut transaction = state.pool.begin().await?;\n";
        assert_eq!(lines(transactions_below_http, "server/src/routes/jobs.rs", begins), [1]);
        assert!(!breaks(transactions_below_http, "crates/domain/src/queue/mod.rs", begins));
    }

    #[test]
    fn sql_outside_its_folder_is_found_but_not_in_tests() {
        let call = "let row = sqlx::query(text);\n";
        let text = "let text = \"SELECT 1\";\nlet text = r#\"\n    insert into run\n";
        let rule = sql_in_the_storage_crate;
        assert_eq!(lines(rule, "server/src/routes/runs.rs", call), [1]);
        assert_eq!(lines(rule, "server/src/routes/runs.rs", text), [1, 3]);
        assert!(!breaks(rule, &format!("{SQL_HOME}runs.rs"), call));
        assert!(!breaks(rule, "server/tests/it/runs.rs", call));
        let own_tests = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{call}}}\n");
        assert!(!breaks(rule, "server/src/app.rs", &own_tests));
    }

    #[test]
    fn recharts_outside_the_chart_folder_is_found() {
        let text = "import { Line } from \"recharts\";\nimport x from 'recharts/types';\n";
        let rule = recharts_in_the_chart_folder;
        assert_eq!(lines(rule, "web/src/features/run/RunPage.tsx", text), [1, 2]);
        assert!(!breaks(rule, "web/src/components/chart/Line.tsx", text));
    }

    #[test]
    fn a_registry_that_differs_from_the_folder_is_found() {
        const COMPLETE: &str = "//! Doc.\npub static ALL: &[&dyn Transport] = &[\n    &fifo::Fifo,\n    #[cfg(unix)]\n    &ring_futex::RingFutex,\n];\n";
        let own = |name: &str| (name.to_owned(), format!("slug(\"{}\")", name.replace('_', "-")));
        let found = |registry: &str, names: &[&str]| -> Vec<String> {
            let transports: Vec<_> = names.iter().map(|name| own(name)).collect();
            compare(registry, &transports).iter().map(ToString::to_string).collect()
        };
        assert_eq!(found(COMPLETE, &["fifo", "ring_futex"]), [""; 0]);
        let unlisted = format!("benches/src/transport/pipe.rs:1: is not in the list of {REGISTRY}");
        assert_eq!(found(COMPLETE, &["fifo", "pipe", "ring_futex"]), [unlisted]);
        let missing =
            format!("{REGISTRY}:5: lists ring_futex, but benches/src/transport/ring_futex.rs does not exist");
        assert_eq!(found(COMPLETE, &["fifo"]), [missing]);
        let unordered = "static ALL: &[&dyn Transport] = &[&pipe::Pipe, &fifo::Fifo];";
        let order = format!("{REGISTRY}:1: fifo after pipe: expected the order of the alphabet");
        assert_eq!(found(unordered, &["fifo", "pipe"]), [order]);
        let misnamed = [("fifo".to_owned(), "slug(\"named-pipe\")".to_owned()), own("ring_futex")];
        let findings = compare(COMPLETE, &misnamed);
        assert_eq!(
            findings.iter().map(|finding| &*finding.path).collect::<Vec<_>>(),
            ["benches/src/transport/fifo.rs"]
        );
        assert_eq!(found("//! Nothing.\n", &[]).len(), 1, "there is no list");
    }
}
