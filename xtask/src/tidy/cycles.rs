//! Within a crate, top-level modules must depend on each other in one direction: modules in a cycle can only
//! be read together.

use super::{Finding, Source};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn modules_form_no_cycle(sources: &[Source]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(&str, &Source)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.has_extension(&["rs"])) {
        if let Some((folder, inner)) = source.path.split_once("/src/") {
            crates.entry(folder).or_default().push((inner, source));
        }
    }
    crates.values().flat_map(|sources| cycles(sources)).collect()
}

fn cycles(sources: &[(&str, &Source)]) -> Vec<Finding> {
    let exported = exported(sources);
    let modules: BTreeSet<_> = sources.iter().filter_map(|(inner, _)| top_module(inner)).collect();
    let mut uses = BTreeMap::new();
    for (inner, source) in sources.iter().filter(|(_, source)| !source.is_test()) {
        let Some(module) = top_module(inner) else { continue };
        for (line, name) in names_from_root(source.without_own_tests(), inner) {
            let used = exported.get(name).copied().unwrap_or(name);
            if used != module && modules.contains(used) {
                uses.entry((module, used)).or_insert((source, line));
            }
        }
    }
    // Removes modules without users or dependencies until only cycles and their connections are left.
    loop {
        let before = uses.len();
        let (from, to): (BTreeSet<_>, BTreeSet<_>) = uses.keys().copied().unzip();
        uses.retain(|(user, used), _| to.contains(user) && from.contains(used));
        if uses.len() == before {
            break;
        }
    }
    let finding = |((from, to), (source, line)): ((&str, &str), (&&Source, usize))| {
        source.finding(
            line,
            &format!(
                "import cycle: module {from} uses {to}, which leads back to {from}. Move shared code to a \
                 lower module."
            ),
        )
    };
    uses.into_iter().map(finding).collect()
}

/// The names that the crate's root re-exports, with their modules.
fn exported<'a>(sources: &[(&str, &Source<'a>)]) -> BTreeMap<&'a str, &'a str> {
    let mut exported = BTreeMap::new();
    for (_, root) in sources.iter().filter(|(inner, _)| ["lib.rs", "main.rs"].contains(inner)) {
        for statement in root.text.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
            let Some((module, names)) = statement.split_once("::") else { continue };
            for name in names.split(|letter: char| !is_in_name(letter)) {
                exported.entry(name).or_insert(module.trim());
            }
        }
    }
    exported
}

/// The top-level module of a file; `None` for the crate's root.
fn top_module(inner: &str) -> Option<&str> {
    match inner.split_once('/') {
        Some((folder, _)) => Some(folder).filter(|folder| *folder != "bin"),
        None => inner.strip_suffix(".rs").filter(|name| !["lib", "main"].contains(name)),
    }
}

fn is_in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The first names of all paths from the crate's root, with their lines.
fn names_from_root<'a>(text: &'a str, inner: &str) -> Vec<(usize, &'a str)> {
    let depth = inner.split('/').count() - usize::from(inner.ends_with("/mod.rs"));
    let mut names = Vec::new();
    for start in ["crate::", &"super::".repeat(depth)] {
        for (at, _) in text.match_indices(start) {
            let (before, rest) = (&text[..at], &text[at + start.len()..]);
            let line = before.rsplit('\n').next().unwrap_or_default();
            let is_longer = before.ends_with("super::") || rest.starts_with("super::");
            if !is_longer && !before.ends_with(is_in_name) && !line.trim_start().starts_with("//") {
                let number = before.matches('\n').count() + 1;
                names.extend(first_names(rest).into_iter().map(|name| (number, name)));
            }
        }
    }
    names
}

fn first_names(rest: &str) -> Vec<&str> {
    fn name(path: &str) -> &str {
        path.trim_start().split(|letter| !is_in_name(letter)).next().unwrap_or_default()
    }
    let Some(list) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut names, mut open, mut end) = (Vec::new(), 1, ',');
    for part in list.split_inclusive(['{', '}', ',']) {
        if open == 1 && end == ',' {
            names.push(name(part));
        }
        end = part.chars().next_back().unwrap_or(end);
        open += i32::from(end == '{') - i32::from(end == '}');
        if open == 0 {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_module_cycles() {
        let comment =
            "// As in crate::one.\n/// [`crate::one`]\n#[cfg(test)]\nmod tests {\n    use crate::one;\n}\n";
        for (about, files, expected) in [
            (
                "a cycle of two",
                &[
                    ("a/src/lib.rs", "mod one;\nmod two;\nmod three;\n"),
                    ("a/src/one.rs", "//! One.\nuse crate::two::Two;\n"),
                    ("a/src/two/mod.rs", "use crate::{three::{Three, Four}, one};\n"),
                    ("a/src/three.rs", "struct Three;\n"),
                ][..],
                &[
                    "a/src/one.rs:2: import cycle: module one uses two",
                    "a/src/two/mod.rs:1: import cycle: module two uses one",
                ][..],
            ),
            (
                "a chain, tests and comments",
                &[
                    ("a/src/one.rs", "use crate::two;\n"),
                    ("a/src/two.rs", comment),
                    ("a/src/two/tests.rs", "use crate::one;\n"),
                ],
                &[],
            ),
            (
                "what the root passes on counts for its module, and so does super",
                &[
                    ("a/src/lib.rs", "pub use two::{Two, Three};\n"),
                    ("a/src/one.rs", "use crate::Three;\n"),
                    ("a/src/two/inner.rs", "use super::super::one;\nuse super::one;\n"),
                ],
                &[
                    "a/src/one.rs:1: import cycle: module one uses two",
                    "a/src/two/inner.rs:1: import cycle: module two uses one",
                ],
            ),
            (
                "two crates",
                &[("a/src/one.rs", "use crate::two;\n"), ("b/src/two.rs", "use crate::one;\n")],
                &[],
            ),
        ] {
            let sources: Vec<_> = files.iter().map(|(path, text)| Source { path, text }).collect();
            let found: Vec<_> = modules_form_no_cycle(&sources).iter().map(ToString::to_string).collect();
            assert_eq!(found.len(), expected.len(), "{about}: {found:?}");
            let mut pairs = found.iter().zip(expected);
            assert!(pairs.all(|(found, expected)| found.starts_with(expected)), "{about}: {found:?}");
        }
    }
}
