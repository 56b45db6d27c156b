//! The one list of who runs the commands of which page: a file for each kind of reader.

mod choosing;
mod developing;
mod lab;
mod measuring;
mod server;

use super::page::Page;

/// All pages with commands.
pub(super) fn all() -> impl Iterator<Item = &'static Page> {
    [measuring::PAGES, choosing::PAGES, server::PAGES, lab::PAGES, developing::PAGES].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::blocks;
    use super::super::page::Block;
    use super::*;
    use crate::workspace;
    use std::collections::BTreeSet;

    fn read(path: &str) -> String {
        std::fs::read_to_string(workspace::root().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[test]
    fn of_every_block_of_commands_in_the_docs_it_is_said_who_runs_it() {
        let files = workspace::files().unwrap();
        let with_commands =
            files.iter().filter(|path| path.ends_with(".md") && !blocks::of(&read(path)).is_empty());
        let with_commands: BTreeSet<&str> = with_commands.map(String::as_str).collect();
        let listed: Vec<&str> = all().map(|page| page.path).collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), with_commands);
        assert_eq!(listed.len(), with_commands.len(), "a page is listed twice");
    }

    #[test]
    fn what_readers_type_stands_there_but_for_changes_that_still_change_something() {
        for page in all() {
            page.script(&blocks::of(&read(page.path))).unwrap();
        }
    }

    #[test]
    fn who_is_said_to_run_commands_of_a_page_names_it() {
        for page in all() {
            for block in page.blocks {
                if let Block::Elsewhere(file) = block {
                    assert!(read(file).contains(page.path), "{file} does not name {}", page.path);
                }
            }
        }
    }
}
