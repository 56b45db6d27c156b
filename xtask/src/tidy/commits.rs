//! The subjects of the commits that are about to land: imperative, and short.

use super::Finding;
use crate::tool::Tool;
use crate::workspace;
use anyhow::Result;

/// Characters of a subject, at most.
const SUBJECT_MAX: usize = 72;
/// Words that start a subject without a verb.
const NO_VERBS: &[&str] = &[
    "A", "All", "An", "Any", "Each", "Every", "If", "In", "It", "No", "Of", "On", "One", "That", "The",
    "There", "This", "What", "When", "Where", "Who", "With",
];
/// Verbs in the imperative that end in -s, -ed or -ing.
const IMPERATIVES: &[&str] =
    &["Alias", "Bias", "Bring", "Embed", "Exceed", "Feed", "Focus", "Need", "Ping", "Seed", "Shed", "Speed"];

/// Commits that the main branch of the remote does not have; without a remote, or on its main branch, the newest one.
pub(super) fn subjects_are_imperative() -> Result<Vec<Finding>> {
    let log = |range: &str| {
        let git = Tool::named("git")?.words("log --no-merges --format=%h%x20%s").arguments([range]);
        git.folder(workspace::root()).run_silently()
    };
    let ahead = log("origin/main..HEAD")?;
    let is_ahead = ahead.status.success() && !ahead.output.trim().is_empty();
    let text = if is_ahead { ahead.output } else { log("--max-count=1")?.output };
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

fn problem(subject: &str) -> Option<String> {
    let first = subject.split(' ').next().unwrap_or_default();
    let is_imperative = IMPERATIVES.contains(&first)
        || first.ends_with("ss")
        || !["ed", "ing", "s"].iter().any(|ending| first.ends_with(ending));
    if subject.chars().count() > SUBJECT_MAX {
        Some(format!("the subject has more than {SUBJECT_MAX} characters: shorten it"))
    } else if !first.starts_with(|c: char| c.is_ascii_uppercase()) {
        Some("the subject does not start with a capital letter".to_owned())
    } else if subject.ends_with('.') {
        Some("the subject ends with a period".to_owned())
    } else if NO_VERBS.contains(&first) || !is_imperative {
        Some("the subject is not imperative: start with a verb, as in \"Fix exact p-values\"".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_long_and_not_imperative_subjects() {
        for subject in [
            "Fix exact p-values with ties",
            "Add `roundtrip show`",
            "Pass the token",
            "Embed fonts",
            "Alias a name",
        ] {
            assert_eq!(problem(subject), None, "{subject}");
        }
        let long = format!("Fix {}", "x".repeat(SUBJECT_MAX));
        for (subject, expected) in [
            (long.as_str(), "more than 72"),
            ("fix a typo", "capital letter"),
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
