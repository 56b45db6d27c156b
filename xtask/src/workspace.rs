//! The checkout: where it is, which files belong to it, which commit it is at.

use crate::tool::Tool;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The commit that is checked out.
pub(crate) struct Checkout {
    /// The full object name.
    pub(crate) sha: String,
    /// The first line of its message.
    pub(crate) subject: String,
    /// True when tracked files differ from it.
    pub(crate) modified: bool,
}

/// The folder that holds the workspace. Asked of cargo at run time: with a build folder that several checkouts
/// share, this program may have been compiled in another one.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let xtask =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        Path::new(&xtask).parent().unwrap_or(Path::new(".")).to_path_buf()
    })
}

/// Where cargo puts what it builds; `CARGO_TARGET_DIR` and configuration included.
///
/// # Errors
/// Cargo cannot read the workspace.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = Tool::cargo()
        .arguments(["metadata", "--no-deps", "--format-version", "1"])
        .folder(root())
        .run_silently()?
        .successful()?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata.output).context("cargo metadata did not print JSON")?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names no target_directory")?;
    Ok(PathBuf::from(folder))
}

/// Makes sure that what cargo finds in its build folder was built from this checkout.
///
/// Cargo tells sources apart by their path within the workspace and by time. In a build folder that several
/// checkouts share it therefore takes a program of another checkout for this one's, if that was built later.
///
/// # Errors
/// Cargo fails, or the build folder cannot be written to.
pub(crate) fn claim_target_folder() -> Result<()> {
    claim_folder(&target_folder()?, || {
        for profile in ["dev", "release"] {
            let clean =
                Tool::cargo().arguments(["clean", "--workspace", "--profile", profile]).folder(root());
            clean.run_silently()?.successful()?;
        }
        Ok(())
    })
}

/// The same for another build folder, which `clean` rids of what was built from the workspace's own sources.
///
/// # Errors
/// Cleaning fails, or the folder cannot be written to.
pub(crate) fn claim_folder(folder: &Path, clean: impl FnOnce() -> Result<()>) -> Result<()> {
    let note = folder.join("roundtrip-checkout");
    if is_claimed_by_another(&note, root()) {
        clean()?;
    }
    claim(&note, root())
}

fn is_claimed_by_another(note: &Path, root: &Path) -> bool {
    std::fs::read_to_string(note).is_ok_and(|owner| Path::new(owner.trim_end()) != root)
}

fn claim(note: &Path, root: &Path) -> Result<()> {
    let folder = note.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(note, format!("{}\n", root.display())))
        .with_context(|| format!("cannot write to the build folder {}", folder.display()))
}

/// The files of the checkout that git does not ignore, new ones included, as sorted paths from the root with
/// forward slashes.
///
/// # Errors
/// Git is missing, or this is no git repository.
pub(crate) fn files() -> Result<Vec<String>> {
    let listed = Tool::named("git")?
        .arguments(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .folder(root())
        .run_silently()?
        .successful()?;
    let mut files: Vec<String> = listed
        .output
        .split('\0')
        .map(str::trim)
        .filter(|file| !file.is_empty() && root().join(file).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// What git says of the checkout.
///
/// # Errors
/// This is no git repository, or it has no commit: there would be nothing to measure.
pub(crate) fn checkout() -> Result<Checkout> {
    let git = |arguments: &[&str]| Tool::named("git")?.arguments(arguments).folder(root()).run_silently();
    if !git(&["rev-parse", "--git-dir"])?.status.success() {
        bail!(
            "{} is not a git repository: clone it with git, because what is measured is a commit",
            root().display()
        );
    }
    let head = git(&["log", "-1", "--format=%H%n%s"])?;
    let Some((sha, subject)) = head.output.split_once('\n').filter(|_| head.status.success()) else {
        bail!("{} has no commit yet: make one, because what is measured is a commit", root().display());
    };
    let status = git(&["status", "--porcelain", "--untracked-files=no"])?.successful()?;
    Ok(Checkout {
        sha: sha.to_owned(),
        subject: subject.trim_end().to_owned(),
        modified: !status.output.trim().is_empty(),
    })
}

impl Checkout {
    /// The commit as people name it.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", &self.sha[..self.sha.len().min(10)], self.subject)
    }
}

/// A digest of the names and contents of files and of everything in folders: the same in every checkout.
///
/// # Errors
/// One of them cannot be read.
pub(crate) fn digest(paths: &[PathBuf]) -> Result<String> {
    let mut hasher = Sha256::new();
    let mut waiting: Vec<PathBuf> = paths.to_vec();
    waiting.sort();
    waiting.reverse();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let mut inside = Vec::new();
            for entry in path.read_dir().with_context(|| format!("cannot list {}", path.display()))? {
                inside.push(entry?.path());
            }
            inside.sort();
            waiting.extend(inside.into_iter().rev());
        } else {
            let content = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.strip_prefix(root()).unwrap_or(&path);
            hasher.update(name.to_string_lossy().as_bytes());
            hasher.update([0]);
            hasher.update(content.len().to_le_bytes());
            hasher.update(&content);
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_changes_with_any_content_and_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let file = inner.join("a.txt");
        std::fs::write(&file, "one").unwrap();
        let of_folder = || digest(&[folder.path().to_path_buf()]).unwrap();
        let first = of_folder();
        assert_eq!(first, of_folder());
        std::fs::write(&file, "two").unwrap();
        let second = of_folder();
        assert_ne!(first, second);
        std::fs::rename(&file, inner.join("b.txt")).unwrap();
        assert_ne!(second, of_folder());
    }

    #[test]
    fn the_files_of_the_checkout_include_this_one() {
        assert!(files().unwrap().contains(&"xtask/src/workspace.rs".to_owned()));
    }

    #[test]
    fn a_build_folder_of_another_checkout_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("target/note");
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        assert!(!is_claimed_by_another(&note, here), "nobody has built yet");
        claim(&note, there).unwrap();
        assert!(is_claimed_by_another(&note, here));
        claim(&note, here).unwrap();
        assert!(!is_claimed_by_another(&note, here));
    }

    #[test]
    fn only_a_build_folder_of_another_checkout_is_cleaned() {
        let folder = tempfile::tempdir().unwrap();
        let mut cleaned = 0;
        let mut claim_counted = || {
            claim_folder(folder.path(), || {
                cleaned += 1;
                Ok(())
            })
        };
        claim_counted().unwrap();
        claim_counted().unwrap();
        claim(&folder.path().join("roundtrip-checkout"), Path::new("/there")).unwrap();
        claim_counted().unwrap();
        assert_eq!(cleaned, 1);
    }

    #[test]
    fn cargo_names_its_target_folder() {
        assert!(target_folder().unwrap().is_absolute());
    }
}
