//! The kernel's text files (`/proc`, `/sys`), below a root that tests can replace.

use std::fs;
use std::path::PathBuf;
use std::str::SplitWhitespace;

/// A tree of small text files. Unreadable files count as absent, as on a kernel without them.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    pub(crate) fn system() -> Self {
        Self::at("/")
    }

    /// Below another root, with the same paths.
    pub(crate) fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok().map(|text| text.trim().to_owned())
    }

    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// The rest of the first line that begins with `prefix`, trimmed.
    pub(crate) fn field(&self, path: &str, prefix: &str) -> Option<String> {
        field(&self.text(path)?, prefix)
    }

    /// The names in a folder, in order. Empty if the folder does not exist.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }
}

/// The rest of the first line that begins with `prefix`, trimmed.
pub(crate) fn field(text: &str, prefix: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix(prefix)).map(|rest| rest.trim().to_owned())
}

/// The fields of a `/proc/PID/stat` from the third on, the state (`proc_pid_stat(5)`): the second is a name in
/// parentheses, which may hold anything.
pub(crate) fn after_name(stat: &str) -> Option<SplitWhitespace<'_>> {
    Some(stat.rsplit_once(')')?.1.split_whitespace())
}

/// The numbers in a kernel's list such as `0-2,8`. Invalid parts are skipped.
pub(crate) fn numbers(list: &str) -> Vec<u32> {
    let parts = list.split(',').filter_map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<u32>().ok()?..=last.trim().parse::<u32>().ok()?)
    });
    parts.flatten().collect()
}

#[cfg(test)]
pub(crate) mod fixture {
    use super::Tree;
    use std::fs;

    /// A tree with these files; it lasts as long as the folder.
    pub(crate) fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::at(folder.path());
        (folder, tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_ranges_of_processors() {
        assert_eq!(numbers("0-2,8"), [0, 1, 2, 8]);
        assert_eq!(numbers("none"), Vec::<u32>::new());
    }

    #[test]
    fn unreadable_files_are_absent() {
        let (_folder, tree) = fixture::tree(&[("/proc/a", "name: 1 \nother: 2\n"), ("/proc/b", "12\n")]);
        assert_eq!(tree.field("/proc/a", "other:").as_deref(), Some("2"));
        assert_eq!(
            (tree.number("/proc/b"), tree.number("/proc/a"), tree.number("/proc/c")),
            (Some(12), None, None)
        );
        assert_eq!(tree.names("/proc"), ["a", "b"]);
        assert!(tree.names("/sys").is_empty());
    }
}
