//! The toolchain: compilers, linkers and emulators, unpacked into a folder of the cache and never installed.
//!
//! The folder is named after all that it is made from. It is made beside its place and then renamed: a folder with
//! that name is complete. Which versions Debian had that day is in its file `versions`.

use super::{debian, wine};
use crate::screen::Step;
use crate::{platform, preflight, python};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

/// From Debian: Rust with the sources of its standard library, MinGW, Wine, and QEMU with the arm64 C library.
const DEBIAN_PACKAGES: &[&str] = &[
    "cargo-web",
    "gcc-mingw-w64-x86-64-posix",
    "libc6-arm64-cross",
    "libgcc-s1-arm64-cross",
    "libstd-rust-web-dev",
    "libz-mingw-w64",
    "qemu-user-static",
    "rust-web-clippy",
    "rust-web-src",
    "rustc-web",
    "wine64",
    // Without it Linux can put a program's heap where Wine must map what all processes share, and one start in some
    // thousands fails.
    "wine64-preloader",
];

/// From Python's index: a compiler and linker with the C libraries of macOS and FreeBSD, and what makes cargo use it.
const PYTHON_PACKAGES: &[&str] = &["cargo-zigbuild==0.24.0", "ziglang==0.17.0"];

/// Raised whenever something else is done with the same packages.
const RECIPE: &str = "1";

/// The compiler must not be older than what the workspace asks for: newer packages are fetched then.
const RUST_VERSION_MIN: &str = env!("CARGO_PKG_RUST_VERSION");

/// What is unpacked takes 2.6 GiB, and the archives lie beside it meanwhile.
const BYTES_MIN: u64 = 4_000 * preflight::MEBIBYTE;

/// Emulators of other processors come in the same package.
const QEMU: &str = "qemu-aarch64-static";

/// What is unpacked and not needed.
const SUPERFLUOUS: &[&str] =
    &["usr/lib/x86_64-linux-gnu/wine/i386-windows", "usr/share/doc", "usr/share/man"];

/// A complete toolchain, or the draft of one.
pub(super) struct Toolchain {
    home: PathBuf,
}

impl Toolchain {
    /// The one that was fetched before.
    ///
    /// # Errors
    /// There is no home directory.
    pub(super) fn cached() -> Result<Option<Self>> {
        let home = folder()?.join(name());
        Ok(home.is_dir().then_some(Self { home }))
    }

    /// Fetches it, unless it is there. One at a time: another fetch is waited for.
    ///
    /// # Errors
    /// Something cannot be fetched, or there is no room for it.
    pub(super) fn fetch(step: &Step) -> Result<Self> {
        let folder = folder()?;
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let lock = folder.join("lock");
        let lock = File::create(&lock).with_context(|| format!("cannot create {}", lock.display()))?;
        step.message("waiting for another fetch to end");
        lock.lock().context("cannot wait for another fetch to end")?;
        if let Some(toolchain) = Self::cached()? {
            return Ok(toolchain);
        }
        preflight::room(&folder, BYTES_MIN, "the toolchain")?;
        let draft = Draft::in_folder(&folder)?;
        draft.fill(step)?;
        let home = folder.join(name());
        std::fs::rename(draft.folder.keep(), &home)
            .with_context(|| format!("cannot create {}", home.display()))?;
        Ok(Self { home })
    }

    /// One that lies in `home`, complete or not.
    #[cfg(test)]
    pub(super) fn at(home: &Path) -> Self {
        Self { home: home.to_path_buf() }
    }

    /// Its name, which says what it is made from.
    pub(super) fn name(&self) -> Option<&OsStr> {
        self.home.file_name()
    }

    /// What Debian's packages hold, as it would lie in `/`.
    pub(super) fn root(&self) -> PathBuf {
        self.home.join("root")
    }

    /// A program of Debian's packages.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.root().join("usr/bin").join(name)
    }

    /// The shared libraries of Debian's packages.
    pub(super) fn libraries(&self) -> PathBuf {
        self.root().join("usr/lib/x86_64-linux-gnu")
    }

    /// The emulator of arm64 processors.
    pub(super) fn qemu(&self) -> PathBuf {
        self.program(QEMU)
    }

    /// A Python package's program.
    pub(super) fn python_program(&self, name: &str) -> PathBuf {
        self.home.join("python/bin").join(name)
    }

    /// Zig itself, which its package hides among Python's modules.
    ///
    /// # Errors
    /// The package is laid out in another way.
    pub(super) fn zig(&self) -> Result<PathBuf> {
        let libraries = self.home.join("python/lib");
        let versions =
            libraries.read_dir().with_context(|| format!("cannot list {}", libraries.display()))?;
        let places = versions.flatten().map(|version| version.path().join("site-packages/ziglang/zig"));
        let found = places.into_iter().find(|place| place.is_file());
        found.with_context(|| format!("no python*/site-packages/ziglang/zig in {}", libraries.display()))
    }

    /// What Windows programs find on their PATH.
    pub(super) fn windows(&self) -> PathBuf {
        self.home.join("windows")
    }

    /// A Wine prefix as it is before any program ran in it.
    pub(super) fn prefix(&self) -> PathBuf {
        self.home.join("prefix")
    }

    /// The version of its compiler, as Debian counts.
    pub(super) fn rust_version(&self) -> Option<String> {
        let versions = std::fs::read_to_string(self.home.join("versions")).ok()?;
        versions.lines().find_map(|line| line.strip_prefix("rustc-web=")).map(str::to_owned)
    }
}

/// A toolchain in the making, removed unless it becomes complete.
struct Draft {
    folder: tempfile::TempDir,
}

impl Draft {
    const PREFIX: &str = "draft-";

    /// An empty one. Whoever holds the lock also removes what a killed fetch left.
    fn in_folder(folder: &Path) -> Result<Self> {
        for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))?.flatten()
        {
            if entry.file_name().to_string_lossy().starts_with(Self::PREFIX) {
                std::fs::remove_dir_all(entry.path())
                    .with_context(|| format!("cannot remove {}", entry.path().display()))?;
            }
        }
        let made = tempfile::Builder::new().prefix(Self::PREFIX).tempdir_in(folder);
        Ok(Self { folder: made.with_context(|| format!("cannot write to {}", folder.display()))? })
    }

    fn fill(&self, step: &Step) -> Result<()> {
        let toolchain = Toolchain { home: self.folder.path().to_path_buf() };
        let work = toolchain.home.join("apt");
        let packages = debian::unpack(DEBIAN_PACKAGES, &toolchain.root(), &work, step)?;
        std::fs::remove_dir_all(&work).context("cannot remove the archives")?;
        prune(&toolchain.root())?;

        let interpreter = python::find().context("python3 is missing: install it, Zig comes with it")?;
        let wanted: Vec<String> = PYTHON_PACKAGES.iter().map(|&package| package.to_owned()).collect();
        python::environment(&interpreter, &toolchain.home.join("python"), &wanted, step)?;
        toolchain.zig()?;

        wine::prepare(&toolchain, step)?;

        let debian = packages.iter().map(|package| format!("{}={}", package.name, package.version));
        let versions: Vec<String> = debian.chain(wanted).collect();
        std::fs::write(toolchain.home.join("versions"), versions.join("\n") + "\n")
            .context("cannot write the list of versions")
    }
}

fn prune(root: &Path) -> Result<()> {
    for path in SUPERFLUOUS.iter().map(|path| root.join(path)) {
        if path.is_dir() {
            std::fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    let programs = root.join("usr/bin");
    for entry in programs.read_dir().with_context(|| format!("cannot list {}", programs.display()))?.flatten()
    {
        if entry.file_name().to_string_lossy().starts_with("qemu-") && entry.file_name() != QEMU {
            std::fs::remove_file(entry.path())
                .with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    if !programs.join(QEMU).is_file() {
        bail!("qemu-user-static holds no {QEMU}");
    }
    Ok(())
}

fn folder() -> Result<PathBuf> {
    Ok(platform::cache_folder()?.join("cross"))
}

/// Whoever asks for something else, asks for another folder.
fn name() -> String {
    let fetched = DEBIAN_PACKAGES.iter().chain(PYTHON_PACKAGES).copied();
    name_of(fetched.chain(wine::SOURCES.iter().copied()).chain([RECIPE, RUST_VERSION_MIN]))
}

fn name_of<'a>(ingredients: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for ingredient in ingredients {
        hasher.update(ingredient.len().to_le_bytes());
        hasher.update(ingredient);
    }
    let digest: String = hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("toolchain-{digest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_goes_in_changes_the_name() {
        let name = name_of(["rustc-web", "ziglang==0.17.0"]);
        assert_eq!(name, name_of(["rustc-web", "ziglang==0.17.0"]));
        assert_ne!(name, name_of(["rustc-web", "ziglang==0.17.1"]));
        assert_ne!(name, name_of(["rustc-webziglang==0.17.0"]));
    }

    #[test]
    fn a_draft_that_a_killed_fetch_left_is_removed_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(format!("{}left/root", Draft::PREFIX));
        let complete = folder.path().join("toolchain-0");
        std::fs::create_dir_all(&left).unwrap();
        std::fs::create_dir(&complete).unwrap();
        let draft = Draft::in_folder(folder.path()).unwrap();
        assert!(!left.exists() && complete.exists());
        let path = draft.folder.path().to_path_buf();
        drop(draft);
        assert!(!path.exists(), "a fetch that fails leaves nothing");
    }

    #[test]
    fn every_python_package_is_pinned() {
        assert!(PYTHON_PACKAGES.iter().all(|package| package.contains("==")), "{PYTHON_PACKAGES:?}");
    }

    #[test]
    fn only_the_emulator_that_is_used_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let programs = root.path().join("usr/bin");
        std::fs::create_dir_all(&programs).unwrap();
        for name in [QEMU, "qemu-arm-static", "rustc"] {
            std::fs::write(programs.join(name), "").unwrap();
        }
        prune(root.path()).unwrap();
        let mut kept: Vec<_> = programs.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        kept.sort();
        assert_eq!(kept, [QEMU, "rustc"]);
    }
}
