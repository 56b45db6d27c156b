//! The checkout: where it is, which files belong to it, which commit it is at.

use crate::tool::Tool;
use anyhow::{Context, Result, bail};
use fs_err as fs;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The commit that is checked out.
pub(crate) struct Checkout {
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

/// The text of a file of the checkout.
pub(crate) fn read(path: &str) -> Result<String> {
    Ok(fs::read_to_string(root().join(path))?)
}

/// Where cargo puts what it builds; `CARGO_TARGET_DIR` and configuration included.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = Tool::cargo().words("metadata --no-deps --format-version 1").folder(root()).output()?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).context("cargo metadata did not print JSON")?;
    let folder = metadata["target_directory"].as_str().context("cargo metadata names no target_directory")?;
    Ok(PathBuf::from(folder))
}

/// Makes sure that what cargo finds in its build folder was built from this checkout.
///
/// Cargo distinguishes sources by their path within the workspace and by time. In a build folder that several
/// checkouts share it therefore takes a program of another checkout for this one's, if that was built later.
pub(crate) fn claim_target_folder() -> Result<()> {
    claim_folder(&target_folder()?, || {
        for profile in ["dev", "release"] {
            let clean = Tool::cargo().words("clean --workspace --profile").arguments([profile]);
            clean.folder(root()).output()?;
        }
        Ok(())
    })
}

/// The same for another build folder, from which `clean` removes what was built from the workspace's own sources.
pub(crate) fn claim_folder(folder: &Path, clean: impl FnOnce() -> Result<()>) -> Result<()> {
    let note = folder.join("roundtrip-checkout");
    if fs::read_to_string(&note).is_ok_and(|owner| Path::new(owner.trim_end()) != root()) {
        clean()?;
    }
    fs::create_dir_all(folder)?;
    Ok(fs::write(note, format!("{}\n", root().display()))?)
}

/// The files of the checkout that git does not ignore, new ones included, as sorted paths from the root with
/// forward slashes.
pub(crate) fn files() -> Result<Vec<String>> {
    let list = Tool::named("git")?.words("ls-files --cached --others --exclude-standard -z").folder(root());
    let listed = list.output()?;
    let files = listed.split('\0').map(str::trim);
    let mut files: Vec<String> =
        files.filter(|file| !file.is_empty() && root().join(file).is_file()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The commit of the checkout; an error if it has no commit, because a commit is what is measured.
pub(crate) fn checkout() -> Result<Checkout> {
    let git = |words: &str| Tool::named("git")?.words(words).folder(root()).run_silently();
    if !git("rev-parse --git-dir")?.status.success() {
        bail!(
            "{} is not a git repository: clone it with git, because what is measured is a commit",
            root().display()
        );
    }
    let head = git("log -1 --format=%H%n%s")?;
    let Some((sha, subject)) = head.output.split_once('\n').filter(|_| head.status.success()) else {
        bail!("{} has no commit yet: make one, because what is measured is a commit", root().display());
    };
    let status = git("status --porcelain --untracked-files=no")?.successful()?;
    let (sha, subject) = (sha.to_owned(), subject.trim_end().to_owned());
    Ok(Checkout { sha, subject, modified: !status.output.trim().is_empty() })
}

impl Checkout {
    /// The commit as people name it.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", &self.sha[..self.sha.len().min(10)], self.subject)
    }
}

/// A digest of the names and contents of files and of everything in folders: the same in every checkout.
pub(crate) fn digest(paths: &[PathBuf]) -> Result<String> {
    fn add(path: &Path, hasher: &mut Sha256) -> Result<()> {
        if path.is_dir() {
            return sorted(path)?.iter().try_for_each(|path| add(path, hasher));
        }
        let content = fs::read(path)?;
        hasher.update(path.strip_prefix(root()).unwrap_or(path).to_string_lossy().as_bytes());
        hasher.update([0]);
        hasher.update(content.len().to_le_bytes());
        hasher.update(&content);
        Ok(())
    }
    let mut paths = paths.to_vec();
    paths.sort();
    let mut hasher = Sha256::new();
    paths.iter().try_for_each(|path| add(path, &mut hasher))?;
    Ok(hex(&hasher.finalize()))
}

/// What is in a folder, sorted.
pub(crate) fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_changes_with_any_content_and_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let file = inner.join("a.txt");
        fs::write(&file, "one").unwrap();
        let of_folder = || digest(&[folder.path().to_path_buf()]).unwrap();
        let first = of_folder();
        assert_eq!(first, of_folder());
        fs::write(&file, "two").unwrap();
        let second = of_folder();
        assert_ne!(first, second);
        fs::rename(&file, inner.join("b.txt")).unwrap();
        assert_ne!(second, of_folder());
    }

    #[test]
    fn the_files_of_the_checkout_include_this_one() {
        assert!(files().unwrap().contains(&"xtask/src/workspace.rs".to_owned()));
    }

    #[test]
    fn only_a_build_folder_of_another_checkout_is_cleaned() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let mut cleaned = 0;
        let mut claim = || {
            claim_folder(&target, || {
                cleaned += 1;
                Ok(())
            })
        };
        claim().unwrap();
        claim().unwrap();
        fs::write(target.join("roundtrip-checkout"), "/there\n").unwrap();
        claim().unwrap();
        claim().unwrap();
        assert_eq!(cleaned, 1);
    }

    #[test]
    fn cargo_names_its_target_folder() {
        assert!(target_folder().unwrap().is_absolute());
    }
}
