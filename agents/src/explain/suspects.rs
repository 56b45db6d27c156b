//! The commits between two sides that change what the findings name.

use crate::repository::Git;
use roundtrip_wire::explanation::FINDINGS_MAX;
use roundtrip_wire::{CommitSha, Finding, Suspect};
use std::collections::BTreeSet;

/// Older commits are not looked at.
const COMMITS_MAX: usize = 200;
/// The contents of larger files are not read.
const BINARY_FROM: &str = "core.bigFileThreshold=1m";
/// A shorter name is part of too many lines.
const NAME_MIN: usize = 3;

/// System calls with another name than the functions that make them.
const CALLERS: [(&str, &[&str]); 12] = [
    ("clock_nanosleep", &["nanosleep", "usleep", "sleep"]),
    ("epoll_pwait", &["epoll_wait"]),
    ("fdatasync", &["sync_data"]),
    ("fsync", &["sync_all"]),
    ("newfstatat", &["stat", "lstat", "fstatat"]),
    ("openat", &["open", "fopen"]),
    ("ppoll", &["poll"]),
    ("pselect6", &["select", "pselect"]),
    ("recvfrom", &["recv"]),
    ("sched_yield", &["yield_now"]),
    ("sendto", &["send"]),
    ("setsockopt", &["set_nodelay"]),
];

/// What `git log` prints before a commit, and after its name.
const COMMIT: char = '\x1e';
const END_OF_NAME: char = '\x1f';

/// The commits after `base` up to `head` whose changed lines, or the functions around them, contain a name from the findings: those
/// with the most names first, then the newest. Empty if there is only one commit.
pub(crate) fn find(
    git: &Git,
    base: &CommitSha,
    head: &CommitSha,
    findings: &[Finding],
) -> crate::Result<Vec<Suspect>> {
    let names: BTreeSet<String> = findings.iter().flat_map(names).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let range = format!("{base}..{head}");
    let count = git.ask(&["rev-list", "--first-parent", "--count", &range])?;
    if count.trim() == "1" {
        return Ok(Vec::new());
    }
    let log = git.ask(&[
        "-c",
        BINARY_FROM,
        "log",
        "--first-parent",
        "--diff-merges=first-parent",
        &format!("--max-count={COMMITS_MAX}"),
        "--patch",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        &format!("--format={COMMIT}%H{END_OF_NAME}"),
        &range,
    ])?;
    let mut suspects: Vec<Suspect> = log.split(COMMIT).filter_map(|commit| suspect(commit, &names)).collect();
    suspects.sort_by_key(|suspect| std::cmp::Reverse(suspect.names.len()));
    suspects.truncate(FINDINGS_MAX);
    Ok(suspects)
}

fn suspect(commit: &str, names: &BTreeSet<String>) -> Option<Suspect> {
    let (sha, patch) = commit.split_once(END_OF_NAME)?;
    let lines = patch.lines().filter_map(changed);
    let words: BTreeSet<&str> =
        lines.flat_map(|line| line.split(|letter: char| !is_part_of_name(letter))).collect();
    let found: Vec<String> = names.iter().filter(|name| words.contains(name.as_str())).cloned().collect();
    (!found.is_empty()).then_some(Suspect { sha: CommitSha::parse(sha).ok()?, names: found })
}

/// The text of a changed line, or the function around a change.
fn changed(line: &str) -> Option<&str> {
    if let Some(place) = line.strip_prefix("@@ ") {
        return place.split_once(" @@").map(|(_, function)| function);
    }
    let is_file = line.starts_with("+++ ") || line.starts_with("--- ");
    line.strip_prefix(['+', '-']).filter(|_| !is_file)
}

/// The names of functions and calls in a finding, as source code writes them.
fn names(finding: &Finding) -> Vec<String> {
    let quoted = finding.text.split('`').skip(1).step_by(2);
    let names = quoted.chain(finding.function.as_deref()).filter_map(name);
    names
        .flat_map(|name| {
            let callers = CALLERS.iter().filter(|(call, _)| *call == name).flat_map(|(_, callers)| *callers);
            let callers: Vec<String> = callers.map(|&caller| caller.to_owned()).collect();
            callers.into_iter().chain([name])
        })
        .collect()
}

/// `encode` of `codec::Frame::encode`, `ns::encode(char const*)` or `LazyCompile:*encode /srv/frame.js:3`.
fn name(function: &str) -> Option<String> {
    if function.ends_with(roundtrip_profile::comparison::KERNEL) {
        return None;
    }
    let mut depth = 0_i32;
    // Without generic arguments.
    let outer: String = function
        .chars()
        .filter(|letter| {
            depth -= i32::from(*letter == '>');
            let is_outer = depth <= 0 && *letter != '>';
            depth += i32::from(*letter == '<');
            is_outer && *letter != '<'
        })
        .collect();
    let path = outer.split(['(', ' ']).next().unwrap_or_default();
    let parts = path.rsplit([':', '.']).map(|part| part.trim_start_matches(['*', '~', '^']));
    let mut names = parts.filter(|part| part.len() >= NAME_MIN && part.chars().all(is_part_of_name));
    names.next().map(str::to_owned)
}

fn is_part_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_wire::Slug;
    use std::path::Path;

    fn commit(folder: &Path, file: &str, text: &str) -> CommitSha {
        std::fs::write(folder.join(file), text).unwrap();
        let git = Git::named(folder);
        git.ask(&["add", "."]).unwrap();
        git.ask(&["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", file]).unwrap();
        git.head().unwrap()
    }

    #[test]
    fn commit_that_changes_a_named_call_is_suspect() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::named(folder.path());
        git.ask(&["init", "-q"]).unwrap();
        let base = commit(folder.path(), "main.c", "int main(void) {\n    work();\n}\n");
        let slower =
            commit(folder.path(), "main.c", "int main(void) {\n    stat(\"/\", &found);\n    work();\n}\n");
        let head = commit(folder.path(), "note", "stats are not the call\n");
        let finding = |text: &str| Finding {
            rule: Slug::from_name("extra-call"),
            text: text.to_owned(),
            explains_ns: None,
            explains_range_ns: None,
            function: None,
        };
        let call = [finding("+40.0 `newfstatat` per round trip")];
        let expected = [Suspect { sha: slower.clone(), names: vec!["stat".to_owned()] }];
        assert_eq!(find(&git, &base, &head, &call).unwrap(), expected);
        assert_eq!(find(&git, &base, &head, &[finding("+1.00 `sendmsg` per round trip")]).unwrap(), []);
        // A single commit needs no search.
        assert_eq!(find(&git, &base, &slower, &call).unwrap(), []);
    }

    #[test]
    fn names_are_those_in_source_code() {
        for (function, expected) in [
            ("encode", Some("encode")),
            ("codec::Frame::encode", Some("encode")),
            ("<codec::Frame<u8> as Encode>::encode", Some("encode")),
            ("courier::send::{closure#0}", Some("send")),
            ("ns::encode(char const*, unsigned long)", Some("encode")),
            ("LazyCompile:*encode /srv/frame.js:3", Some("encode")),
            ("json.dumps", Some("dumps")),
            ("sys_write_[k]", None),
            ("[libc.so.6]", None),
            ("f", None),
        ] {
            assert_eq!(name(function).as_deref(), expected, "{function}");
        }
    }

    #[test]
    fn patch_names_changed_lines_and_the_function_around_them() {
        let names = ["encode", "flush", "other"].map(str::to_owned).into();
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let patch = format!(
            "{sha}{END_OF_NAME}\n\ndiff --git a/other b/other\n--- a/other\n+++ b/other\n@@ -3,0 +4 @@ fn encode(frame: &Frame) {{\n\
             +    flush(&frame);\n"
        );
        let found = suspect(&patch, &names).unwrap();
        assert_eq!((found.sha.as_str(), found.names), (sha, vec!["encode".to_owned(), "flush".to_owned()]));
        // A longer name is another function.
        let other = format!("{sha}{END_OF_NAME}\n\n@@ -1 +1 @@\n+    flush_all();\n");
        assert!(suspect(&other, &names).is_none());
    }
}
