//! What documents point at is there: files, and tests by their names.

use super::{Finding, Source};
use crate::workspace;
use std::path::{Component, Path, PathBuf};

/// Links within the tree lead to something. One whose text is a name in code, and which leads to a Rust file, names a test or
/// another function of it: [`the_tree_is_tidy`](../tidy.rs).
pub(super) fn links_lead_somewhere(source: &Source) -> Vec<Finding> {
    if !source.has_extension(&["md"]) {
        return Vec::new();
    }
    let read = |path: &Path| std::fs::read_to_string(workspace::root().join(path)).ok();
    let exists = |path: &Path| workspace::root().join(path).exists();
    broken(source, exists, read)
}

fn broken(
    source: &Source,
    exists: impl Fn(&Path) -> bool,
    read: impl Fn(&Path) -> Option<String>,
) -> Vec<Finding> {
    let folder = Path::new(source.path).parent().unwrap_or(Path::new(""));
    let mut findings = Vec::new();
    let mut is_code = false;
    for (index, line) in source.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        for (text, target) in links(line).filter(|_| !is_code) {
            let file = target.split('#').next().unwrap_or(target);
            if file.is_empty() || file.contains(':') {
                continue;
            }
            let path = within(folder, file);
            if !exists(&path) {
                findings.push(source.finding(index + 1, &format!("links to {target}, which does not exist")));
            } else if let Some(name) = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'))
                && path.extension().is_some_and(|extension| extension == "rs")
                && is_name(name)
                && !read(&path).is_some_and(|text| text.contains(&format!("fn {name}(")))
            {
                findings
                    .push(source.finding(index + 1, &format!("names {name}, which {file} does not have")));
            }
        }
    }
    findings
}

/// The links of a line: text and target.
fn links(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.match_indices("](").filter_map(|(middle, _)| {
        let text = &line[line[..middle].rfind('[')? + 1..middle];
        let rest = &line[middle + 2..];
        Some((text, &rest[..rest.find(')')?]))
    })
}

/// A path from a folder of the tree, without the steps up.
fn within(folder: &Path, file: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in folder.join(file).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    path
}

/// A name in code of several words: `the_tree_is_tidy`, and not `sleep(1)` or `Kind`.
fn is_name(text: &str) -> bool {
    text.contains('_')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let source = Source { path: "docs/how-to/a.md", text };
        let exists =
            |path: &Path| ["docs/b.md", "server/src/c.rs"].iter().any(|known| path == Path::new(known));
        let read = |_: &Path| Some("async fn it_works(pool: PgPool) {}".to_owned());
        broken(&source, exists, read).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_to_what_is_not_there_is_found() {
        assert_eq!(found("[one](../b.md#there), [two](https://example.org), [three](#here)"), [""; 0]);
        assert_eq!(found("x\n[one](b.md)"), ["docs/how-to/a.md:2: links to b.md, which does not exist"]);
        assert_eq!(found("```\n[one](b.md)\n```"), [""; 0], "an example is no link");
    }

    #[test]
    fn a_test_that_is_named_and_gone_is_found() {
        assert_eq!(found("[`it_works`](../../server/src/c.rs) [`Kind`](../../server/src/c.rs)"), [""; 0]);
        assert_eq!(
            found("[`it_worked`](../../server/src/c.rs)"),
            ["docs/how-to/a.md:1: names it_worked, which ../../server/src/c.rs does not have"]
        );
    }
}
