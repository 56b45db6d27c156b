//! `tidy`: rules of the tree that no compiler and no linter holds. They also run as tests.

mod commands;
mod documents;
mod layers;
mod shape;
mod transports;
mod words;

use crate::tally::Outcome;
use crate::{screen, workspace};
use anyhow::{Context, Result, ensure};
use std::process::ExitCode;

/// A file as the rules see it.
pub(crate) struct Source<'a> {
    /// From the root, with forward slashes.
    path: &'a str,
    text: &'a str,
}

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    message: String,
}

type Rule = fn(&Source) -> Vec<Finding>;

const RULES: &[Rule] = &[
    commands::commands_exist,
    documents::links_lead_somewhere,
    layers::platform_choice_in_its_places,
    layers::recharts_in_the_chart_folder,
    layers::sql_in_the_storage_crate,
    shape::module_doc_first,
    shape::no_trailing_whitespace,
    shape::short_files,
    words::no_ignored_tests,
    words::no_registry_hosts,
    words::no_unfinished_work,
];

/// Runs the verb.
///
/// # Errors
/// The checkout cannot be read.
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
///
/// # Errors
/// A place breaks a rule, or the checkout cannot be read.
pub(crate) fn holds() -> Result<Outcome> {
    let findings: Vec<String> = findings()?.iter().map(ToString::to_string).collect();
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(Outcome::Passed)
}

fn findings() -> Result<Vec<Finding>> {
    let files = workspace::files()?;
    let mut findings = transports::registry_lists_the_folder(&files)?;
    for path in &files {
        let bytes =
            std::fs::read(workspace::root().join(path)).with_context(|| format!("cannot read {path}"))?;
        // What is not text has no lines to judge.
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let source = Source { path, text: &text };
        findings.extend(RULES.iter().flat_map(|rule| rule(&source)));
    }
    findings.sort_by(|left, right| (&left.path, left.line).cmp(&(&right.path, right.line)));
    Ok(findings)
}

impl Source<'_> {
    /// The lines that `breaks` holds for, each with the same message.
    fn lines_where(&self, breaks: impl Fn(&str) -> bool, message: &str) -> Vec<Finding> {
        let numbered = self.text.lines().enumerate().filter(|(_, line)| breaks(line));
        numbered.map(|(index, _)| self.finding(index + 1, message)).collect()
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
        let folder = |name: &str| self.path.split('/').any(|part| part == name);
        folder("tests")
            || folder("e2e")
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
