//! Words that must not be committed. They are put together from parts, so that this file does not hold them.

use super::{Finding, Source};

/// Hosts of package registries. A checkout must build behind any mirror, so no file may name one.
const REGISTRY_HOSTS: &[[&str; 2]] = &[
    ["registry.", "npmjs.org"],
    ["registry.", "yarnpkg.com"],
    ["index.", "crates.io"],
    ["static.", "crates.io"],
    ["://", "crates.io"],
    ["pypi", ".org"],
    ["files.", "pythonhosted.org"],
    ["proxy.", "golang.org"],
    ["deb.", "debian.org"],
    ["repo.maven.", "apache.org"],
    ["repo1.", "maven.org"],
];

const UNFINISHED: &[[&str; 2]] = &[["TO", "DO"], ["FIX", "ME"], ["XX", "X:"]];

/// Files name no package registry: which one is used is the machine's affair.
pub(super) fn no_registry_hosts(source: &Source) -> Vec<Finding> {
    // A lock file of npm must be free of them, too: `npm config set omit-lockfile-registry-resolved true`.
    let hosts: Vec<String> = REGISTRY_HOSTS.iter().map(|parts| parts.concat()).collect();
    source.lines_where(
        |line| hosts.iter().any(|host| line.contains(host.as_str())),
        "names the host of a package registry: expected a package's name only",
    )
}

/// A marker of work to come is an issue that nobody can find.
pub(super) fn no_unfinished_work(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["css", "html", "md", "rs", "sql", "toml", "ts", "tsx", "yml"]) {
        return Vec::new();
    }
    let markers: Vec<String> = UNFINISHED.iter().map(|parts| parts.concat()).collect();
    source.lines_where(
        |line| markers.iter().any(|marker| line.contains(marker.as_str())),
        "marks work as unfinished: finish it, or file it as an issue",
    )
}

/// A test that does not run proves nothing, and nobody notices.
pub(super) fn no_ignored_tests(source: &Source) -> Vec<Finding> {
    if source.has_extension(&["rs"]) {
        let needle = ["#[", "ignore"].concat();
        return source
            .lines_where(|line| line.contains(&needle), "ignores a test: make it run, or delete it");
    }
    if source.has_extension(&["ts", "tsx"]) {
        let calls = ["skip(", "only(", "fixme(", "todo("].map(|end| format!(".{end}"));
        let begins = ["it", "test", "describe"];
        return source.lines_where(
            |line| {
                begins.iter().any(|begin| calls.iter().any(|call| line.contains(&format!("{begin}{call}"))))
            },
            "leaves tests out: make them run, or delete them",
        );
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaks(rule: super::super::Rule, path: &str, text: &str) -> bool {
        !rule(&Source { path, text }).is_empty()
    }

    #[test]
    fn every_registry_host_is_found() {
        for parts in REGISTRY_HOSTS {
            let line =
                format!("\"resolved\": \"https://{}/a.tgz\"", parts.concat().trim_start_matches("://"));
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
}
