//! [`Folder`]: the files of a site.

use super::Written;
use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The answer whose file marks a folder as a site. It is written first.
const MARK: &str = "site";
/// The folders that only a site writes to, and the ending of its feeds. Other files are kept, such as `CNAME`.
const OWN_FOLDERS: [&str; 3] = ["assets", "badges", "data"];
const FEED_ENDING: &str = "atom";
/// Hosts such as GitHub Pages would otherwise process the files.
const NO_JEKYLL: &str = ".nojekyll";

/// The folder of a site while it is written, by several tasks.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    done: Mutex<Done>,
}

#[derive(Debug, Default)]
struct Done {
    /// The files of this site, relative to the root.
    files: BTreeSet<PathBuf>,
    written: Written,
}

/// Checks that a folder is empty, contains a site, or does not exist yet.
///
/// # Errors
/// It contains something else, or cannot be read.
pub fn check(root: &Path) -> Result<()> {
    let shown = root.display();
    let mut entries = match std::fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot read the folder {shown}")),
    };
    // A checkout of the branch that hosts the site has a folder `.git`.
    let has_others = entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != ".git"));
    if has_others && !root.join(path_of(MARK)).exists() {
        bail!("{shown} is not empty and not a site: expected a new folder, or one from an earlier `site`");
    }
    Ok(())
}

impl Folder {
    /// Opens a folder that passes [`check`], and marks it as a site.
    pub(super) fn open(root: &Path, mark: &[u8]) -> Result<Self> {
        check(root)?;
        let folder = Self { root: root.to_owned(), done: Mutex::default() };
        folder.write_answer(MARK, mark)?;
        folder.write(NO_JEKYLL, b"")?;
        Ok(folder)
    }

    /// Writes an answer of the API: its path and query without `/api/v1/`, and the JSON.
    pub(super) fn write_answer(&self, request: &str, json: &[u8]) -> Result<()> {
        // Without a time or a name in the header, the same JSON gives the same bytes.
        let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
        encoder.write_all(json)?;
        self.write(&path_of(request), &encoder.finish()?)
    }

    /// Writes a file, unless it is there already with the same contents.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let file = self.root.join(path);
        let shown = file.display();
        let is_unchanged = match std::fs::read(&file) {
            Ok(old) => old == bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
        };
        if !is_unchanged {
            let written = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            let written = written.and_then(|()| std::fs::write(&file, bytes));
            written.with_context(|| format!("cannot write {shown}"))?;
        }
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.files.insert(PathBuf::from(path));
        done.written.byte_count += bytes.len() as u64;
        done.written.changed_count += usize::from(!is_unchanged);
        Ok(())
    }

    /// Removes the files of an earlier site that this one does not have.
    pub(super) fn finish(&self) -> Result<Written> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        list(&self.root, Path::new(""), &mut found)?;
        let Done { files, written } = &mut *done;
        let is_old = |path: &PathBuf| {
            let is_own = OWN_FOLDERS.iter().any(|own| path.starts_with(own))
                || path.extension().is_some_and(|ending| ending == FEED_ENDING);
            is_own && !files.contains(path)
        };
        for path in found.into_iter().filter(is_old) {
            let file = self.root.join(&path);
            std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
            written.removed_count += 1;
        }
        written.file_count = files.len();
        Ok(*written)
    }
}

/// The files below a folder, relative to the root.
fn list(root: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let folder = root.join(below);
    let shown = folder.display();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {shown}"))? {
        let entry = entry.with_context(|| format!("cannot read {shown}"))?;
        let path = below.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && path != Path::new(".git") => list(root, &path, found)?,
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
    Ok(())
}

/// The file of an answer.
fn path_of(request: &str) -> String {
    format!("data/{}.json.gz", escaped(request))
}

/// A request as a file name: `~` and two hexadecimal digits replace each byte that is not a letter, digit, `.`, `_`, `-` or
/// `/`. `web/src/site/` does the same.
fn escaped(request: &str) -> String {
    let mut name = String::with_capacity(request.len());
    for byte in request.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'/' => name.push(byte.into()),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(name, "~{byte:02x}");
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(root: &Path, answers: &[(&str, &str)]) -> Written {
        let folder = Folder::open(root, b"1").unwrap();
        for (request, answer) in answers {
            folder.write_answer(request, answer.as_bytes()).unwrap();
        }
        folder.finish().unwrap()
    }

    #[test]
    fn query_is_part_of_the_file_name() {
        assert_eq!(escaped("charts/line?series=1&q=é"), "charts/line~3fseries~3d1~26q~3d~c3~a9");
    }

    #[test]
    fn second_site_writes_only_what_changed_and_removes_the_rest() {
        let root = tempfile::tempdir().unwrap();
        let first = site(root.path(), &[("a", "1"), ("b/c", "1")]);
        assert_eq!((first.file_count, first.changed_count, first.removed_count), (4, 4, 0));
        std::fs::create_dir(root.path().join(".git")).unwrap();
        std::fs::write(root.path().join(".git/config"), "").unwrap();
        std::fs::write(root.path().join("CNAME"), "bench.example.org").unwrap();
        let second = site(root.path(), &[("a", "2")]);
        assert_eq!((second.file_count, second.changed_count, second.removed_count), (3, 1, 1));
        assert!(root.path().join(".git/config").exists() && root.path().join("CNAME").exists());
        assert!(!root.path().join("data/b/c.json.gz").exists());
    }

    #[test]
    fn folder_with_other_files_is_refused() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("thesis.txt"), "ten years").unwrap();
        let refused = check(root.path()).unwrap_err().to_string();
        assert!(refused.contains("is not empty and not a site"), "{refused}");
    }
}
