//! The checkout: its path, files and commit.

use crate::tool::Tool;
use anyhow::{Context, Result, bail};
use fs_err as fs;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(crate) struct Checkout {
    pub(crate) sha: String,
    /// The first line of its message.
    pub(crate) subject: String,
    /// Whether tracked files differ from it.
    pub(crate) modified: bool,
}

/// The workspace folder. Queried from cargo at run time: with a build folder shared by several checkouts,
/// this program may have been compiled in another one.
pub(crate) fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let xtask =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        Path::new(&xtask).parent().unwrap_or(Path::new(".")).to_path_buf()
    })
}

/// Reads a file of the checkout.
pub(crate) fn read(path: &str) -> Result<String> {
    Ok(fs::read_to_string(root().join(path))?)
}

/// Cargo's build folder, according to `CARGO_TARGET_DIR` and the configuration.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata = Tool::cargo().words("metadata --no-deps --format-version 1").folder(root()).output()?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).context("cargo metadata did not print JSON")?;
    let folder = metadata["target_directory"].as_str();
    let folder = folder.context("no target_directory in the output of cargo metadata")?;
    Ok(PathBuf::from(folder))
}

/// Makes sure that the build folder was built from this checkout.
///
/// Cargo identifies sources by their path within the workspace and by time. In a build folder shared by
/// several checkouts, it would therefore mistake a newer program of another checkout for this one's.
pub(crate) fn claim_target_folder() -> Result<()> {
    claim_folder(&target_folder()?, || {
        for profile in ["dev", "release"] {
            let clean = Tool::cargo().words("clean --workspace --profile").arguments([profile]);
            clean.folder(root()).output()?;
        }
        Ok(())
    })
}

/// Likewise for another build folder. `clean` removes what was built from the workspace's own sources.
pub(crate) fn claim_folder(folder: &Path, clean: impl FnOnce() -> Result<()>) -> Result<()> {
    let note = folder.join("roundtrip-checkout");
    if fs::read_to_string(&note).is_ok_and(|owner| Path::new(owner.trim_end()) != root()) {
        clean()?;
    }
    fs::create_dir_all(folder)?;
    Ok(fs::write(note, format!("{}\n", root().display()))?)
}

/// The files of the checkout that git does not ignore, including new ones, as sorted paths from the root with
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

/// The checked-out commit; an error without a commit, because measurements need one.
pub(crate) fn checkout() -> Result<Checkout> {
    let git = |words: &str| Tool::named("git")?.words(words).folder(root()).run_silently();
    if !git("rev-parse --git-dir")?.status.success() {
        bail!(
            "{} is not a Git repository. Clone it with git, because results belong to a commit.",
            root().display()
        );
    }
    let head = git("log -1 --format=%H%n%s")?;
    let Some((sha, subject)) = head.output.split_once('\n').filter(|_| head.status.success()) else {
        bail!("{} has no commits. Create one, because results belong to a commit.", root().display());
    };
    let status = git("status --porcelain --untracked-files=no")?.successful()?;
    let (sha, subject) = (sha.to_owned(), subject.trim_end().to_owned());
    Ok(Checkout { sha, subject, modified: !status.output.trim().is_empty() })
}

/// A digest of the names and contents of files and folders: the same in every checkout.
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
    Ok(hex::encode(hasher.finalize()))
}

pub(crate) fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_depends_on_names_and_contents() {
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
    fn lists_this_file() {
        assert!(files().unwrap().contains(&"xtask/src/workspace.rs".to_owned()));
    }

    #[test]
    fn cleans_only_build_folders_of_other_checkouts() {
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
