//! Cargo for one target: with which compiler, linker and folders.

use super::apple;
use super::targets::{Emulator, Linker, TARGETS, Target};
use super::toolchain::Toolchain;
use crate::{tool::Tool, workspace};
use anyhow::{Context, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The parts of the standard library that programs and tests need.
const STANDARD_LIBRARY: &str = "-Zbuild-std=std,test,panic_abort";

/// The compiler and linker for Windows. Without an alternatives system the plain name leads nowhere.
pub(super) const MINGW: &str = "x86_64-w64-mingw32-gcc-posix";

/// The oldest macOS that the programs are to run on: the first for both processors.
const MACOS_VERSION_MIN: &str = "11.0";

/// Variables of the caller that choose a compiler or what it does.
const OVERRIDES: &[&str] = &[
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];

/// A toolchain put to use on this checkout.
pub(super) struct Workshop<'a> {
    pub(super) toolchain: Toolchain,
    /// This program, which cargo starts again to run programs of other systems.
    pub(super) program: &'a Path,
    folder: PathBuf,
}

impl<'a> Workshop<'a> {
    /// # Errors
    /// Cargo cannot read the workspace.
    pub(super) fn new(toolchain: Toolchain, program: &'a Path) -> Result<Self> {
        // Apart from what the usual toolchain builds: either would build everything anew after the other.
        Ok(Self { toolchain, program, folder: workspace::target_folder()?.join("cross") })
    }

    /// Makes sure that what cargo finds in this folder was built from this checkout, and what the linker looks for is
    /// there.
    ///
    /// # Errors
    /// Cargo cannot clean the folder, or it cannot be written to.
    pub(super) fn claim(&self) -> Result<()> {
        apple::lay_out(&self.apple())?;
        workspace::claim_folder(&self.folder, || {
            for target in TARGETS {
                let clean = Tool::cargo_at(&self.toolchain.program("cargo")).folder(workspace::root());
                let clean = clean.arguments(["clean", "--workspace", "--target", target.triple]);
                self.equip(clean, target)?.run_silently()?.successful()?;
            }
            Ok(())
        })
    }

    /// Where the linker looks for libraries of macOS.
    fn apple(&self) -> PathBuf {
        self.folder.join("apple")
    }

    /// Where it is noted what a step has passed for.
    pub(super) fn stamp(&self, step: &str) -> PathBuf {
        self.stamps().join(step.replace(' ', "-"))
    }

    /// Whether any step has passed.
    pub(super) fn is_begun(&self) -> bool {
        self.stamps().is_dir()
    }

    /// Those of this toolchain.
    fn stamps(&self) -> PathBuf {
        self.folder.join("passed").join(self.toolchain.name().unwrap_or_default())
    }

    /// Where the programs for a target are.
    pub(super) fn programs(&self, target: &Target) -> PathBuf {
        self.folder.join(target.triple).join("debug")
    }

    /// A run of cargo that wants its further arguments.
    ///
    /// # Errors
    /// The toolchain holds no Zig.
    pub(super) fn cargo(&self, target: &Target, verb: &str) -> Result<Tool> {
        let path = match target.linker {
            Linker::Zig(_) => self.toolchain.python_program("cargo-zigbuild"),
            Linker::Host | Linker::Mingw => self.toolchain.program("cargo"),
        };
        let cargo = Tool::cargo_at(&path).arguments(arguments(target, verb)).folder(workspace::root());
        Ok(self.equip(cargo, target)?.with_all_it_starts())
    }

    fn equip(&self, mut cargo: Tool, target: &Target) -> Result<Tool> {
        for name in OVERRIDES {
            cargo = cargo.without_variable(name);
        }
        for (name, value) in self.variables(target)? {
            cargo = cargo.variable(&name, value);
        }
        Ok(cargo)
    }

    fn variables(&self, target: &Target) -> Result<Vec<(String, OsString)>> {
        let toolchain = &self.toolchain;
        let mut variables = vec![
            ("PATH".to_owned(), self.path()?),
            ("LD_LIBRARY_PATH".to_owned(), toolchain.libraries().into()),
            ("CARGO".to_owned(), toolchain.program("cargo").into()),
            ("RUSTC".to_owned(), toolchain.program("rustc").into()),
            // Building the standard library is not stable yet, nor is what follows.
            ("RUSTC_BOOTSTRAP".to_owned(), "1".into()),
            // Whichever packages are asked for, what they depend on is built once.
            ("CARGO_UNSTABLE_FEATURE_UNIFICATION".to_owned(), "true".into()),
            ("CARGO_RESOLVER_FEATURE_UNIFICATION".to_owned(), "workspace".into()),
            ("CARGO_TARGET_DIR".to_owned(), self.folder.clone().into()),
            ("CARGO_INCREMENTAL".to_owned(), "0".into()),
            // Nobody debugs these programs, and six systems' worth of them fill a disk.
            ("CARGO_PROFILE_DEV_DEBUG".to_owned(), "0".into()),
            ("CARGO_PROFILE_DEV_STRIP".to_owned(), "none".into()),
            ("CARGO_ZIGBUILD_ZIG_PATH".to_owned(), toolchain.zig()?.into()),
            ("CARGO_ZIGBUILD_CACHE_DIR".to_owned(), self.folder.join("zigbuild").into()),
            ("ZIG_GLOBAL_CACHE_DIR".to_owned(), self.folder.join("zig").into()),
            ("ZIG_LOCAL_CACHE_DIR".to_owned(), self.folder.join("zig").into()),
            ("MACOSX_DEPLOYMENT_TARGET".to_owned(), MACOS_VERSION_MIN.into()),
        ];
        // All of them for every target: a variable that comes and goes would build the standard library anew.
        for target in TARGETS {
            let name = |end: &str| format!("CARGO_TARGET_{}_{end}", target.in_variables());
            if target.linker == Linker::Mingw {
                variables.push((name("LINKER"), MINGW.into()));
                variables.push((format!("CC_{}", target.triple.replace('-', "_")), MINGW.into()));
            }
            if let Some(emulator) = target.emulator {
                variables.push((name("RUNNER"), self.runner(emulator)));
            }
        }
        if target.triple.ends_with("-apple-darwin") {
            let mut flags = OsString::from("-Clink-arg=-F");
            flags.push(self.apple());
            flags.push("\u{1f}-Lnative=");
            flags.push(self.apple());
            variables.push(("CARGO_ENCODED_RUSTFLAGS".to_owned(), flags));
        }
        Ok(variables)
    }

    /// What cargo puts before a program to run it, with its arguments after blanks.
    fn runner(&self, emulator: Emulator) -> OsString {
        let mut runner = self.program.as_os_str().to_owned();
        runner.push(match emulator {
            Emulator::Wine => " run-windows",
            Emulator::Qemu => " run-arm64",
        });
        runner
    }

    /// The toolchain's programs before all others.
    fn path(&self) -> Result<OsString> {
        let before = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.toolchain.program(""), self.toolchain.python_program("")];
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&before)))
            .context("the toolchain's path holds a colon")
    }
}

/// What comes first on the command line: the verb, the target and the packages that are to build for it.
fn arguments(target: &Target, verb: &str) -> Vec<OsString> {
    let (verb, triple, standard_library) = match target.linker {
        Linker::Host => (verb, target.triple.to_owned(), None),
        Linker::Mingw => (verb, target.triple.to_owned(), Some(STANDARD_LIBRARY)),
        Linker::Zig(version) => {
            // Clippy goes this way, too, with the same flags: so the standard library is built once.
            let verb = if verb == "build" { "zigbuild" } else { verb };
            (verb, format!("{}{version}", target.triple), Some(STANDARD_LIBRARY))
        }
    };
    let arguments = [verb, "--locked", "--target", &triple];
    let arguments = arguments.into_iter().chain(standard_library);
    arguments.map(|argument| OsStr::new(argument).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn target(triple: &str) -> &'static Target {
        TARGETS.iter().find(|target| target.triple == triple).unwrap()
    }

    #[test]
    fn zig_links_what_only_it_can_link_and_the_library_of_other_systems_is_built() {
        let line = |triple: &str| arguments(target(triple), "build").join(OsStr::new(" "));
        assert_eq!(line("x86_64-unknown-linux-gnu"), "build --locked --target x86_64-unknown-linux-gnu");
        assert_eq!(
            line("x86_64-pc-windows-gnu"),
            format!("build --locked --target x86_64-pc-windows-gnu {STANDARD_LIBRARY}").as_str()
        );
        assert_eq!(
            line("aarch64-unknown-linux-gnu"),
            format!("zigbuild --locked --target aarch64-unknown-linux-gnu.2.36 {STANDARD_LIBRARY}").as_str()
        );
        assert_eq!(arguments(target("aarch64-apple-darwin"), "clippy")[0], "clippy");
    }

    fn variables(triple: &str) -> BTreeMap<String, String> {
        let home = tempfile::tempdir().unwrap();
        let zig = home.path().join("python/lib/python3.11/site-packages/ziglang");
        std::fs::create_dir_all(&zig).unwrap();
        std::fs::write(zig.join("zig"), "").unwrap();
        let workshop = Workshop {
            toolchain: Toolchain::at(home.path()),
            program: Path::new("/p/xtask"),
            folder: "/t/cross".into(),
        };
        let text = |value: OsString| value.into_string().unwrap();
        workshop
            .variables(target(triple))
            .unwrap()
            .into_iter()
            .map(|(name, value)| (name, text(value)))
            .collect()
    }

    #[test]
    fn programs_of_two_systems_are_handed_back_to_this_program() {
        let variables = variables("x86_64-unknown-freebsd");
        assert_eq!(variables["CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER"], "/p/xtask run-windows");
        assert_eq!(variables["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER"], "/p/xtask run-arm64");
        assert_eq!(variables.keys().filter(|name| name.ends_with("_RUNNER")).count(), 2);
    }

    #[test]
    fn what_is_built_lies_apart_and_the_toolchain_comes_first() {
        let variables = variables("x86_64-pc-windows-gnu");
        assert_eq!(variables["CARGO_TARGET_DIR"], "/t/cross");
        let first = std::env::split_paths(&variables["PATH"]).next().unwrap();
        assert!(first.ends_with("root/usr/bin"), "{}", first.display());
        assert!(!variables.contains_key("CARGO_ENCODED_RUSTFLAGS"));
    }

    #[test]
    fn libraries_of_macos_are_looked_for_where_they_are_laid_out() {
        let variables = variables("aarch64-apple-darwin");
        let flags: Vec<_> = variables["CARGO_ENCODED_RUSTFLAGS"].split('\u{1f}').collect();
        assert_eq!(flags, ["-Clink-arg=-F/t/cross/apple", "-Lnative=/t/cross/apple"]);
    }
}
