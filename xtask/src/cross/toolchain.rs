//! The toolchain: compilers, linkers and emulators in a cache folder, never installed, and cargo configured
//! to use them.
//!
//! The folder name is a digest of all inputs. The folder is created next to its final place and then renamed,
//! so a folder with that name is complete. Its file `versions` has Debian's versions.

use super::targets::{Emulator, Linker, TARGETS, Target};
use crate::screen::Step;
use crate::stamp::Stamp;
use crate::tool::Tool;
use crate::{debian, platform, preflight, python, workspace};
use anyhow::{Context, Result, ensure};
use fs_err::{self as fs, File};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
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
    // Without it, Linux can place a program's heap where Wine must map shared memory, and one in several
    // thousand starts fails.
    "wine64-preloader",
];
/// From the Python package index: a compiler and linker with the C libraries of macOS and FreeBSD, and a
/// wrapper for cargo.
const PYTHON_PACKAGES: &[&str] = &["cargo-zigbuild==0.24.0", "ziglang==0.17.0"];
/// Raise it when the build from the same packages changes.
const RECIPE: &str = "1";
/// The compiler must not be older than the workspace's minimum. If it is, newer packages are fetched.
const RUST_VERSION_MIN: &str = env!("CARGO_PKG_RUST_VERSION");
/// The unpacked files take 2.6 GiB, plus the archives during the download.
const BYTES_MIN: u64 = 4_000 * preflight::MEBIBYTE;
/// The same package has emulators of other processors.
const QEMU: &str = "qemu-aarch64-static";
const SUPERFLUOUS: &[&str] =
    &["usr/lib/x86_64-linux-gnu/wine/i386-windows", "usr/share/doc", "usr/share/man"];
/// Completes Wine, and runs Windows programs. The sources add parts that Wine lacks: a library, and a git.
pub(super) const WINE: &str = "xtask/cross/wine.sh";
const SOURCES: &[&str] = &[include_str!("../../cross/bcryptprimitives.c"), include_str!("../../cross/git.c")];
/// Under QEMU, tests start test processes through this command: the kernel cannot run them directly.
const PEER_RUNNER: &str = "ROUNDTRIP_PEER_RUNNER";
/// The parts of the standard library that programs and tests need.
const STANDARD_LIBRARY: &str = "-Zbuild-std=std,test,panic_abort";
/// The compiler and linker for Windows. The plain name is a link of the alternatives system, which is missing
/// here.
const MINGW: &str = "x86_64-w64-mingw32-gcc-posix";
/// The oldest supported macOS: the first for both processors.
const MACOS_VERSION_MIN: &str = "11.0";
/// Variables of the caller that select a compiler or its options.
const OVERRIDES: &[&str] = &[
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];
/// Stubs of the macOS libraries: Apple's SDK cannot be downloaded, and linking needs only the symbols.
const APPLE: &str = "xtask/cross/macos";

/// A complete toolchain, or a draft of one, configured for this checkout.
pub(super) struct Toolchain {
    pub(super) home: PathBuf,
    /// A separate build folder: otherwise both toolchains would rebuild everything after each other.
    builds: PathBuf,
}

impl Toolchain {
    fn at(home: PathBuf) -> Result<Self> {
        Ok(Self { home, builds: workspace::target_folder()?.join("cross") })
    }

    /// The toolchain fetched before.
    pub(super) fn cached() -> Result<Option<Self>> {
        let home = folder()?.join(name());
        home.is_dir().then(|| Self::at(home)).transpose()
    }

    /// Fetches the toolchain if it is missing. Waits for a concurrent fetch.
    pub(super) fn fetch(step: &Step) -> Result<Self> {
        let folder = folder()?;
        fs::create_dir_all(&folder)?;
        let lock = File::create(folder.join("lock"))?;
        step.message("waiting for another fetch to end");
        lock.file().lock().context("cannot wait for another fetch to end")?;
        if let Some(toolchain) = Self::cached()? {
            return Ok(toolchain);
        }
        preflight::room(&folder, BYTES_MIN, "the toolchain")?;
        // The lock is held, so a draft is the rest of a killed fetch.
        let draft = folder.join("draft");
        platform::remove_folder(&draft)?;
        fs::create_dir(&draft)?;
        if let Err(error) = Self::at(draft.clone())?.fill(step) {
            platform::remove_folder(&draft)?;
            return Err(error);
        }
        fs::rename(draft, folder.join(name()))?;
        Self::cached()?.context("the toolchain was deleted")
    }

    fn fill(&self, step: &Step) -> Result<()> {
        let packages = debian::unpack(DEBIAN_PACKAGES, &self.root(), step)?;
        prune(&self.root())?;
        let interpreter = python::find().context("python3 is missing; it is needed to install Zig")?;
        python::environment(&interpreter, &self.home.join("python"), PYTHON_PACKAGES, step)?;
        self.zig()?;
        step.message("initialising Wine");
        let complete = Tool::named("bash")?.arguments([&workspace::root().join(WINE), Path::new("complete")]);
        complete.arguments([&self.home]).with_descendants().succeed(step)?;
        Ok(fs::write(self.home.join("versions"), packages + &PYTHON_PACKAGES.join("\n") + "\n")?)
    }

    /// The unpacked Debian packages, with the layout of `/`.
    pub(super) fn root(&self) -> PathBuf {
        self.home.join("root")
    }

    fn program(&self, name: &str) -> PathBuf {
        self.root().join("usr/bin").join(name)
    }

    fn python_program(&self, name: &str) -> PathBuf {
        self.home.join("python/bin").join(name)
    }

    /// Zig itself, hidden in its package among Python modules.
    fn zig(&self) -> Result<PathBuf> {
        let versions = workspace::sorted(&self.home.join("python/lib"))?;
        let mut places = versions.iter().map(|version| version.join("site-packages/ziglang/zig"));
        places.find(|place| place.is_file()).context("no site-packages/ziglang/zig in the package ziglang")
    }

    /// Cargo's runner for a program: the command and arguments before it.
    fn runner(&self, emulator: Emulator) -> String {
        match emulator {
            Emulator::Wine => {
                format!("{} run {}", workspace::root().join(WINE).display(), self.home.display())
            }
            // Programs started by the tests inherit the variables. They cannot load this processor's
            // libraries.
            Emulator::Qemu => {
                let (qemu, libraries) = (self.program(QEMU), self.root().join("usr/aarch64-linux-gnu"));
                let (qemu, libraries) = (qemu.display(), libraries.display());
                format!(
                    "{qemu} -L {libraries} -E QEMU_LD_PREFIX={libraries} -E {PEER_RUNNER}={qemu} -U LD_LIBRARY_PATH"
                )
            }
        }
    }

    pub(super) fn rust_version(&self) -> Option<String> {
        let versions = fs::read_to_string(self.home.join("versions")).ok()?;
        versions.lines().find_map(|line| line.strip_prefix("rustc-web=")).map(str::to_owned)
    }

    /// Makes sure that the build folder was built from this checkout.
    pub(super) fn claim(&self) -> Result<()> {
        workspace::claim_folder(&self.builds, || {
            for target in TARGETS {
                let clean = Tool::cargo_at(&self.program("cargo")).folder(workspace::root());
                self.configure(clean.words("clean --workspace --target").arguments([target.triple]), target)?
                    .output()?;
            }
            Ok(())
        })
    }

    pub(super) fn stamp(&self, step: &str, digest: &str) -> Stamp {
        Stamp::new(self.stamps().join(step.replace(' ', "-")), digest.to_owned())
    }

    pub(super) fn is_begun(&self) -> bool {
        self.stamps().is_dir()
    }

    fn stamps(&self) -> PathBuf {
        self.builds.join("passed").join(self.home.file_name().unwrap_or_default())
    }

    pub(super) fn programs(&self, target: &Target) -> PathBuf {
        self.builds.join(target.triple).join("debug")
    }

    pub(super) fn cargo(&self, target: &Target, verb: &str) -> Result<Tool> {
        let path = match target.linker {
            Linker::Zig(_) => self.python_program("cargo-zigbuild"),
            Linker::Mingw => self.program("cargo"),
        };
        let cargo = Tool::cargo_at(&path).words(&arguments(target, verb)).folder(workspace::root());
        Ok(self.configure(cargo, target)?.with_descendants())
    }

    fn configure(&self, cargo: Tool, target: &Target) -> Result<Tool> {
        let cargo = OVERRIDES.iter().fold(cargo, |cargo, name| cargo.without_variable(name));
        let variables = self.variables(target)?;
        Ok(variables.iter().fold(cargo, |cargo, (name, value)| cargo.variable(name, value)))
    }

    fn variables(&self, target: &Target) -> Result<Vec<(String, OsString)>> {
        let folder = |name: &str| self.builds.join(name).into();
        let before = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.program(""), self.python_program("")];
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&before)));
        let fixed: [(&str, OsString); 16] = [
            ("PATH", path.context("the toolchain's path contains a colon")?),
            ("LD_LIBRARY_PATH", self.root().join("usr/lib/x86_64-linux-gnu").into()),
            ("CARGO", self.program("cargo").into()),
            ("RUSTC", self.program("rustc").into()),
            // Building the standard library is unstable, and so is the next option.
            ("RUSTC_BOOTSTRAP", "1".into()),
            // Builds dependencies once, for any selection of packages.
            ("CARGO_UNSTABLE_FEATURE_UNIFICATION", "true".into()),
            ("CARGO_RESOLVER_FEATURE_UNIFICATION", "workspace".into()),
            ("CARGO_TARGET_DIR", self.builds.clone().into()),
            ("CARGO_INCREMENTAL", "0".into()),
            // These programs are not debugged, and debug information for six systems fills a disk.
            ("CARGO_PROFILE_DEV_DEBUG", "0".into()),
            ("CARGO_PROFILE_DEV_STRIP", "none".into()),
            ("CARGO_ZIGBUILD_ZIG_PATH", self.zig()?.into()),
            ("CARGO_ZIGBUILD_CACHE_DIR", folder("zigbuild")),
            ("ZIG_GLOBAL_CACHE_DIR", folder("zig")),
            ("ZIG_LOCAL_CACHE_DIR", folder("zig")),
            ("MACOSX_DEPLOYMENT_TARGET", MACOS_VERSION_MIN.into()),
        ];
        let mut variables: Vec<_> = fixed.map(|(name, value)| (name.to_owned(), value)).into();
        // Set for all targets: a changed variable would rebuild the standard library.
        for target in TARGETS {
            let triple = target.triple.replace('-', "_");
            let name = |end: &str| format!("CARGO_TARGET_{}_{end}", triple.to_ascii_uppercase());
            if target.linker == Linker::Mingw {
                variables.push((name("LINKER"), MINGW.into()));
                variables.push((format!("CC_{triple}"), MINGW.into()));
            }
            if let Some(emulator) = target.emulator {
                variables.push((name("RUNNER"), self.runner(emulator).into()));
            }
        }
        if target.triple.ends_with("-apple-darwin") {
            let folder = workspace::root().join(APPLE);
            let flags = format!("-Clink-arg=-F{0}\u{1f}-Lnative={0}", folder.display());
            variables.push(("CARGO_ENCODED_RUSTFLAGS".to_owned(), flags.into()));
        }
        Ok(variables)
    }
}

fn prune(root: &Path) -> Result<()> {
    SUPERFLUOUS.iter().try_for_each(|path| platform::remove_folder(&root.join(path)))?;
    let programs = root.join("usr/bin");
    for entry in fs::read_dir(&programs)? {
        let name = entry?.file_name();
        if name.to_string_lossy().starts_with("qemu-") && name != QEMU {
            fs::remove_file(programs.join(name))?;
        }
    }
    ensure!(programs.join(QEMU).is_file(), "no {QEMU} in qemu-user-static");
    Ok(())
}

fn folder() -> Result<PathBuf> {
    Ok(platform::cache_folder()?.join("cross"))
}

fn name() -> String {
    let fetched = DEBIAN_PACKAGES.iter().chain(PYTHON_PACKAGES).chain(SOURCES).copied();
    name_of(fetched.chain([RECIPE, RUST_VERSION_MIN]))
}

fn name_of<'a>(ingredients: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for ingredient in ingredients {
        hasher.update(ingredient.len().to_le_bytes());
        hasher.update(ingredient);
    }
    format!("toolchain-{}", hex::encode(&hasher.finalize()[..6]))
}

/// The start of a command line: the subcommand, the target and the parts of the standard library to build.
fn arguments(target: &Target, verb: &str) -> String {
    let (verb, version, library) = match target.linker {
        Linker::Mingw => (verb, "", STANDARD_LIBRARY),
        // Clippy also uses it, with the same flags, so the standard library is built once.
        Linker::Zig(version) => (if verb == "build" { "zigbuild" } else { verb }, version, STANDARD_LIBRARY),
    };
    format!("{verb} --locked --target {}{version} {library}", target.triple)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn name_depends_on_every_input() {
        let name = name_of(["rustc-web", "ziglang==0.17.0"]);
        assert_eq!(name, name_of(["rustc-web", "ziglang==0.17.0"]));
        assert_ne!(name, name_of(["rustc-web", "ziglang==0.17.1"]));
        assert_ne!(name, name_of(["rustc-webziglang==0.17.0"]));
    }

    #[test]
    fn every_python_package_is_pinned() {
        assert!(PYTHON_PACKAGES.iter().all(|package| package.contains("==")), "{PYTHON_PACKAGES:?}");
    }

    #[test]
    fn keeps_only_the_used_emulator() {
        let root = tempfile::tempdir().unwrap();
        let programs = root.path().join("usr/bin");
        fs::create_dir_all(&programs).unwrap();
        for name in [QEMU, "qemu-arm-static", "rustc"] {
            fs::write(programs.join(name), "").unwrap();
        }
        prune(root.path()).unwrap();
        assert_eq!(workspace::sorted(&programs).unwrap(), [QEMU, "rustc"].map(|name| programs.join(name)));
    }

    fn target(triple: &str) -> &'static Target {
        TARGETS.iter().find(|target| target.triple == triple).unwrap()
    }

    #[test]
    fn selects_linker_and_standard_library() {
        let line = |triple: &str| arguments(target(triple), "build").trim_end().to_owned();
        let windows = format!("build --locked --target x86_64-pc-windows-gnu {STANDARD_LIBRARY}");
        assert_eq!(line("x86_64-pc-windows-gnu"), windows);
        let arm = format!("zigbuild --locked --target aarch64-unknown-linux-gnu.2.36 {STANDARD_LIBRARY}");
        assert_eq!(line("aarch64-unknown-linux-gnu"), arm);
        assert!(arguments(target("aarch64-apple-darwin"), "clippy").starts_with("clippy "));
    }

    fn variables(triple: &str) -> BTreeMap<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("toolchain");
        let zig = home.join("python/lib/python3.11/site-packages/ziglang");
        fs::create_dir_all(&zig).unwrap();
        fs::write(zig.join("zig"), "").unwrap();
        let toolchain = Toolchain { home, builds: "/t/cross".into() };
        let variables = toolchain.variables(target(triple)).unwrap().into_iter();
        variables.map(|(name, value)| (name, value.into_string().unwrap())).collect()
    }

    #[test]
    fn sets_build_folder_path_and_runners() {
        let windows = variables("x86_64-pc-windows-gnu");
        assert_eq!(windows["CARGO_TARGET_DIR"], "/t/cross");
        let first = std::env::split_paths(&windows["PATH"]).next().unwrap();
        assert!(first.ends_with("root/usr/bin"), "{}", first.display());
        assert!(!windows.contains_key("CARGO_ENCODED_RUSTFLAGS"));
        let macos = variables("aarch64-apple-darwin");
        let flags = &macos["CARGO_ENCODED_RUSTFLAGS"];
        assert!(flags.starts_with("-Clink-arg=-F/") && flags.contains("\u{1f}-Lnative=/"), "{flags}");
        let wine: Vec<_> = macos["CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER"].split(' ').collect();
        assert!(wine[0].ends_with(WINE) && wine[1] == "run" && wine[2].ends_with("/toolchain"), "{wine:?}");
        let arm64 = &macos["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER"];
        let qemu = arm64.split(' ').next().unwrap();
        assert!(qemu.ends_with(QEMU) && arm64.contains(&format!("{PEER_RUNNER}={qemu} ")), "{arm64}");
        assert_eq!(macos.keys().filter(|name| name.ends_with("_RUNNER")).count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn wine_prefix_shares_the_system_files() {
        let (template, prefix) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let system = template.path().join("drive_c/windows/system32");
        fs::create_dir_all(&system).unwrap();
        fs::write(system.join("kernel32.dll"), "").unwrap();
        let user = template.path().join("drive_c/users/ada");
        fs::create_dir_all(user.join("Temp")).unwrap();
        std::os::unix::fs::symlink("/root", user.join("Desktop")).unwrap();
        for name in ["system.reg", "user.reg", "userdef.reg", ".update-timestamp"] {
            fs::write(template.path().join(name), name).unwrap();
        }
        let script = |verb: &str| {
            Tool::named("bash").unwrap().arguments([&workspace::root().join(WINE), Path::new(verb)])
        };
        script("layout").arguments([template.path(), prefix.path()]).output().unwrap();
        assert!(prefix.path().join("dosdevices/c:/windows/system32/kernel32.dll").is_file());
        fs::write(prefix.path().join("user.reg"), "changed").unwrap();
        assert_eq!(fs::read_to_string(template.path().join("user.reg")).unwrap(), "user.reg");
        let user = prefix.path().join("drive_c/users/ada");
        assert!(user.join("Temp").is_dir());
        assert!(!user.join("Desktop").is_symlink(), "a program would write to the real user's folders");
        let path = script("windows_path").arguments(["/var/cache/a b"]).output().unwrap();
        assert_eq!(path, "Z:\\var\\cache\\a b\n");
    }

    #[test]
    fn libraries_have_the_names_that_the_linker_expects() {
        for name in ["libobjc", "CoreFoundation", "Foundation"] {
            let path = if name.starts_with("lib") { String::new() } else { format!("{name}.framework/") };
            let exports = workspace::read(&format!("{APPLE}/{path}{name}.tbd")).unwrap();
            let line = exports.lines().find(|line| line.starts_with("install-name: ")).unwrap();
            assert!(line.contains(&format!("/{name}")), "{name}: {line}");
        }
    }
}
