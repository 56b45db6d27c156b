//! Within a crate, top-level modules use each other in one direction: those that form a circle can only be read together.

use super::{Finding, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Where one module uses another.
type Uses = BTreeMap<(String, String), (String, usize)>;

/// The circles of all crates whose sources are among these files.
pub(super) fn modules_form_no_circle(sources: &[Source]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.has_extension(&["rs"])) {
        if let Some((folder, _)) = source.path.split_once("/src/") {
            crates.entry(folder).or_default().push(source);
        }
    }
    crates.into_iter().flat_map(|(folder, sources)| circles(folder, &sources)).collect()
}

fn circles(folder: &str, sources: &[&Source]) -> Vec<Finding> {
    let exported = exported(folder, sources);
    let mut uses = Uses::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let inner = &source.path[folder.len() + "/src/".len()..];
        let Some(module) = top_module(inner) else { continue };
        for (line, name) in names_from_root(source.without_own_tests().text, depth(inner)) {
            let target = exported.get(&name).unwrap_or(&name);
            if target != module {
                let place = (source.path.to_owned(), line);
                uses.entry((module.to_owned(), target.clone())).or_insert(place);
            }
        }
    }
    let modules: BTreeSet<_> = sources
        .iter()
        .filter_map(|source| top_module(&source.path[folder.len() + "/src/".len()..]))
        .map(str::to_owned)
        .collect();
    uses.retain(|(_, to), _| modules.contains(to));
    keep_circles(&mut uses);
    let finding = |((from, to), (path, line)): ((String, String), (String, usize))| Finding {
        path,
        line,
        message: format!(
            "module {from} uses {to}, which leads back to {from}: move what both need below them"
        ),
    };
    uses.into_iter().map(finding).collect()
}

/// Removes uses by modules that nothing uses, and uses of modules that use nothing, until only circles are left, and what connects
/// them.
fn keep_circles(uses: &mut Uses) {
    loop {
        let before = uses.len();
        let from: BTreeSet<_> = uses.keys().map(|(from, _)| from.clone()).collect();
        let to: BTreeSet<_> = uses.keys().map(|(_, to)| to.clone()).collect();
        uses.retain(|(user, used), _| to.contains(user) && from.contains(used));
        if uses.len() == before {
            return;
        }
    }
}

/// What the crate's root passes on, by name, with the module that it comes from.
fn exported(folder: &str, sources: &[&Source]) -> BTreeMap<String, String> {
    let roots = ["lib.rs", "main.rs"].map(|name| format!("{folder}/src/{name}"));
    let mut exported = BTreeMap::new();
    for root in sources.iter().filter(|source| roots.contains(&source.path.to_owned())) {
        for statement in root.text.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
            let Some((module, names)) = statement.split_once("::") else { continue };
            for name in names.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
                exported.entry(name.to_owned()).or_insert_with(|| module.trim().to_owned());
            }
        }
    }
    exported
}

/// The module at the root of the crate that a file belongs to; none for the root itself.
fn top_module(inner: &str) -> Option<&str> {
    match inner.split_once('/') {
        Some(("bin", _)) => None,
        Some((folder, _)) => Some(folder),
        None => inner.strip_suffix(".rs").filter(|name| !["lib", "main"].contains(name)),
    }
}

/// How many times `super` leads from a file to the root.
fn depth(inner: &str) -> usize {
    inner.split('/').count() - usize::from(inner.ends_with("/mod.rs"))
}

/// The first names of all paths that begin at the crate's root, with their lines.
fn names_from_root(text: &str, depth: usize) -> Vec<(usize, String)> {
    let supers = "super::".repeat(depth);
    let mut names = Vec::new();
    for start in ["crate::", supers.as_str()] {
        for (at, _) in text.match_indices(start) {
            let is_longer =
                text[..at].ends_with("super::") || text[at + start.len()..].starts_with("super::");
            let is_part = text[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let is_comment = text[line_start..at].trim_start().starts_with("//");
            if !is_longer && !is_part && !is_comment {
                let line = text[..at].matches('\n').count() + 1;
                names.extend(first_names(&text[at + start.len()..]).into_iter().map(|name| (line, name)));
            }
        }
    }
    names
}

/// The first name of a path, or of each path in a list in braces.
fn first_names(rest: &str) -> Vec<String> {
    let name_of = |path: &str| {
        let end = path.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(path.len());
        path[..end].to_owned()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![name_of(rest)] };
    let (mut names, mut open, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => open += 1,
            '}' if open == 0 => {
                names.push(name_of(list[start..at].trim()));
                break;
            }
            '}' => open -= 1,
            ',' if open == 0 => {
                names.push(name_of(list[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<_> = files.iter().map(|(path, text)| Source { path, text }).collect();
        modules_form_no_circle(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn modules_that_use_each_other_are_found_with_both_places() {
        let found = found(&[
            ("a/src/lib.rs", "mod one;\nmod two;\nmod three;\n"),
            ("a/src/one.rs", "//! One.\nuse crate::two::Two;\n"),
            ("a/src/two/mod.rs", "use crate::{three::{Three, Four}, one};\n"),
            ("a/src/three.rs", "struct Three;\n"),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a/src/one.rs:2: module one uses two"), "{found:?}");
        assert!(found[1].starts_with("a/src/two/mod.rs:1: module two uses one"), "{found:?}");
    }

    #[test]
    fn a_chain_tests_and_comments_form_no_circle() {
        let found = found(&[
            ("a/src/one.rs", "use crate::two;\n"),
            (
                "a/src/two.rs",
                "// As in crate::one.\n/// [`crate::one`]\n#[cfg(test)]\nmod tests {\n    use crate::one;\n}\n",
            ),
            ("a/src/two/tests.rs", "use crate::one;\n"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_the_root_passes_on_counts_for_its_module_and_so_does_super() {
        let found = found(&[
            ("a/src/lib.rs", "pub use two::{Two, Three};\n"),
            ("a/src/one.rs", "use crate::Three;\n"),
            ("a/src/two/inner.rs", "use super::super::one;\nuse super::one;\n"),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn crates_are_looked_at_one_by_one() {
        let found = found(&[("a/src/one.rs", "use crate::two;\n"), ("b/src/two.rs", "use crate::one;\n")]);
        assert!(found.is_empty(), "{found:?}");
    }
}
