//! The subjects of the commits that are about to land: imperative, and short.

use super::Finding;
use crate::tool::Tool;
use crate::workspace;
use anyhow::Result;

/// Characters of a subject, at most.
const SUBJECT: usize = 72;
/// Words that no imperative begins with.
const OTHERS: &[&str] = &[
    "A", "All", "An", "Any", "Each", "Every", "If", "In", "It", "No", "Of", "On", "One", "That", "The",
    "There", "This", "What", "When", "Where", "Who", "With",
];
/// Imperatives that end as if they were none.
const IMPERATIVES: &[&str] =
    &["Bring", "Embed", "Feed", "Focus", "Need", "Ping", "Seed", "Shed", "Speed", "String"];

/// Commits that the main branch of the remote does not have; without a remote, or on its main branch, the newest one.
pub(super) fn subjects_are_imperative() -> Result<Vec<Finding>> {
    let log = |range: &str| {
        let git = Tool::named("git")?.words("log --no-merges --format=%h%x20%s").arguments([range]);
        git.folder(workspace::root()).run_silently()
    };
    let ahead = log("origin/main..HEAD")?;
    let text = match ahead.status.success() && !ahead.output.trim().is_empty() {
        true => ahead.output,
        false => log("--max-count=1")?.output,
    };
    let commits = text.lines().filter_map(|line| line.split_once(' '));
    let findings = commits.flat_map(|(hash, subject)| {
        problem(subject).map(|problem| Finding {
            path: format!("commit {hash}"),
            line: 1,
            message: format!("{problem}: \"{subject}\""),
        })
    });
    Ok(findings.collect())
}

fn problem(subject: &str) -> Option<&'static str> {
    let first = subject.split(' ').next().unwrap_or_default();
    let is_verb = IMPERATIVES.contains(&first)
        || first.ends_with("ss")
        || !(first.ends_with("ed") || first.ends_with("ing") || first.ends_with('s'));
    if subject.chars().count() > SUBJECT {
        Some("the subject has more than 72 characters: shorten it")
    } else if !first.starts_with(|c: char| c.is_ascii_uppercase()) || subject.ends_with('.') {
        Some("the subject starts with a lower-case letter or ends with a period")
    } else if OTHERS.contains(&first) || !is_verb {
        Some("the subject is not imperative: start with a verb, such as \"Fix exact p-values with ties\"")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_that_are_not_imperative_or_too_long_are_found() {
        for subject in
            ["Fix exact p-values with ties", "Add `roundtrip show`", "Pass the token", "Embed fonts"]
        {
            assert_eq!(problem(subject), None, "{subject}");
        }
        let long = format!("Fix {}", "x".repeat(SUBJECT));
        for (subject, expected) in [
            (long.as_str(), "more than 72"),
            ("fix a typo", "lower-case"),
            ("Fix a typo.", "period"),
            ("A server starts", "not imperative"),
            ("Added a test", "not imperative"),
            ("Adds a test", "not imperative"),
            ("Adding a test", "not imperative"),
        ] {
            assert!(problem(subject).is_some_and(|problem| problem.contains(expected)), "{subject}");
        }
    }
}
