//! What every file looks like: documented on top, short, without loose ends of lines.

use super::{Finding, Source};

const LINES_MAX: usize = 500;
const TEST_LINES_MAX: usize = 1_000;

/// Whoever opens a file reads first what it is for.
pub(super) fn module_doc_first(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["rs"]) || source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![source.finding(1, "starts without a module doc: expected //! and what the file is for")]
}

/// A long file holds more than one thing. Generated files are not read.
pub(super) fn short_files(source: &Source) -> Vec<Finding> {
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
pub(super) fn no_trailing_whitespace(source: &Source) -> Vec<Finding> {
    // Snapshots and golden files hold what a program printed.
    if source.is_test() && !source.has_extension(&["rs", "ts", "tsx"]) {
        return Vec::new();
    }
    source.lines_where(|line| line.ends_with([' ', '\t']), "ends with white space")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaks(rule: super::super::Rule, path: &str, text: &str) -> bool {
        !rule(&Source { path, text }).is_empty()
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
}
