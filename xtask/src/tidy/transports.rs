//! A transport is one file and one line of the registry: none is forgotten, and all are found by their name.

use super::{Finding, Source};
use crate::workspace;
use anyhow::{Context, Result};

const FOLDER: &str = "benches/src/transport/";
const REGISTRY: &str = "benches/src/transport/mod.rs";

/// Compares the registry with the folder it stands in.
///
/// # Errors
/// A file cannot be read.
pub(super) fn registry_lists_the_folder(files: &[String]) -> Result<Vec<Finding>> {
    let read = |path: &str| {
        std::fs::read_to_string(workspace::root().join(path)).with_context(|| format!("cannot read {path}"))
    };
    let registry = read(REGISTRY)?;
    let mut transports = Vec::new();
    for path in files {
        let inside = path.strip_prefix(FOLDER).and_then(|name| name.strip_suffix(".rs"));
        if let Some(name) = inside.filter(|name| *name != "mod" && !name.contains('/')) {
            transports.push((name.to_owned(), read(path)?));
        }
    }
    Ok(compare(&registry, &transports))
}

fn compare(registry: &str, transports: &[(String, String)]) -> Vec<Finding> {
    let source = Source { path: REGISTRY, text: registry };
    let Some(listed) = listed(registry) else {
        return vec![source.finding(1, "holds no list: expected `static ALL: ... = &[&pipe::Pipe, ...];`")];
    };
    let mut findings = Vec::new();
    let line = |name: &str| line_of(registry, &format!("&{name}::"));
    for pair in listed.windows(2) {
        if let [before, after] = pair
            && before >= after
        {
            findings.push(source.finding(
                line(after),
                &format!("{after} after {before}: expected the order of the alphabet"),
            ));
        }
    }
    for name in listed.iter().filter(|name| !transports.iter().any(|(file, _)| file == *name)) {
        findings
            .push(source.finding(line(name), &format!("lists {name}, but {FOLDER}{name}.rs does not exist")));
    }
    for (name, text) in transports {
        let path = format!("{FOLDER}{name}.rs");
        let file = Source { path: &path, text };
        if !listed.contains(&name.as_str()) {
            findings.push(file.finding(1, &format!("is not in the list of {REGISTRY}")));
        }
        let slug = name.replace('_', "-");
        if !text.contains(&format!("\"{slug}\"")) {
            findings.push(file.finding(
                1,
                &format!("does not name the slug \"{slug}\": expected the file's name with hyphens"),
            ));
        }
    }
    findings
}

/// The modules in the list, in its order.
fn listed(registry: &str) -> Option<Vec<&str>> {
    let (_, list) = registry.split_once("static ALL:")?;
    let (_, list) = list.split_once('=')?;
    let (list, _) = list.split_once("];")?;
    Some(
        list.split('&').filter_map(|entry| entry.split_once("::")).map(|(module, _)| module.trim()).collect(),
    )
}

fn line_of(text: &str, needle: &str) -> usize {
    text.lines().position(|line| line.contains(needle)).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRY_TEXT: &str = "//! Doc.\npub static ALL: &[&dyn Transport] = &[\n    &fifo::Fifo,\n    #[cfg(unix)]\n    &ring_futex::RingFutex,\n];\n";

    fn transports(names: &[&str]) -> Vec<(String, String)> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), format!("slug(\"{}\")", name.replace('_', "-"))))
            .collect()
    }

    fn messages(registry: &str, names: &[&str]) -> Vec<String> {
        compare(registry, &transports(names)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_complete_registry_in_order_is_fine() {
        assert_eq!(messages(REGISTRY_TEXT, &["fifo", "ring_futex"]), Vec::<String>::new());
    }

    #[test]
    fn a_file_that_is_not_listed_is_found() {
        let found = messages(REGISTRY_TEXT, &["fifo", "pipe", "ring_futex"]);
        assert_eq!(
            found,
            ["benches/src/transport/pipe.rs:1: is not in the list of benches/src/transport/mod.rs"]
        );
    }

    #[test]
    fn a_listed_transport_without_a_file_is_found() {
        let found = messages(REGISTRY_TEXT, &["fifo"]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("benches/src/transport/mod.rs:5: lists ring_futex"), "{found:?}");
    }

    #[test]
    fn a_list_out_of_order_is_found() {
        let registry = "static ALL: &[&dyn Transport] = &[&pipe::Pipe, &fifo::Fifo];";
        let found = messages(registry, &["fifo", "pipe"]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("fifo after pipe"), "{found:?}");
    }

    #[test]
    fn a_slug_that_is_not_the_name_of_its_file_is_found() {
        let named = vec![
            ("fifo".to_owned(), "slug(\"named-pipe\")".to_owned()),
            ("ring_futex".to_owned(), "\"ring-futex\"".to_owned()),
        ];
        let found = compare(REGISTRY_TEXT, &named);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "benches/src/transport/fifo.rs");
    }

    #[test]
    fn a_registry_without_a_list_is_found() {
        assert_eq!(compare("//! Nothing.\n", &[]).len(), 1);
    }
}
