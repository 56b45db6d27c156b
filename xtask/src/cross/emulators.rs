//! Programs of other systems: Windows programs under Wine, each in a prefix of its own so that they do not affect each other and
//! can start at the same time; arm64 programs of Linux under QEMU, with Debian's arm64 C library.

use super::Program;
use super::toolchain::{MINGW, Toolchain};
use crate::platform;
use crate::screen::Step;
use crate::tool::{self, Tool};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use tempfile::TempDir;

/// The sources of what Wine lacks: a library, and a git.
pub(super) const SOURCES: &[&str] = &[PRNG, GIT];
const PRNG: &str = include_str!("../../cross/bcryptprimitives.c");
const GIT: &str = include_str!("../../cross/git.c");
/// A file of a prefix, by which Wine knows that it need not be brought up to date.
const TIMESTAMP: &str = ".update-timestamp";
/// By this, tests start further programs of their own kind: the kernel cannot run these by itself.
const PEER_RUNNER: &str = "ROUNDTRIP_PEER_RUNNER";

/// Runs a program under QEMU to its end, with this one's inputs and outputs.
pub(super) fn run_arm64(toolchain: &Toolchain, program: &Program) -> Result<ExitCode> {
    let mut command = Command::new(toolchain.qemu());
    command.arg(&program.program).args(&program.arguments);
    command.env(PEER_RUNNER, toolchain.qemu());
    command.env("QEMU_LD_PREFIX", toolchain.root().join("usr/aarch64-linux-gnu"));
    // The program cannot use this processor's libraries, and QEMU needs none.
    let status = tool::run_attached(command.env_remove("LD_LIBRARY_PATH"))?;
    Ok(tool::exit_code(status))
}

/// Runs a program under Wine to its end, with this one's inputs and outputs. No process of Wine is left then.
pub(super) fn run_windows(toolchain: &Toolchain, program: &Program) -> Result<ExitCode> {
    let prefix = Prefix::new(toolchain)?;
    let status = tool::run_attached(prefix.command().arg(&program.program).args(&program.arguments))?;
    drop(prefix);
    Ok(tool::exit_code(status))
}

/// Completes the toolchain's Wine: what it lacks, and a first prefix.
pub(super) fn complete_wine(toolchain: &Toolchain, step: &Step) -> Result<()> {
    step.message("completing Wine");
    // Debian's wrapper looks below the folder that the package would be installed to.
    let server = wine(toolchain, "wineserver");
    fs::remove_file(&server)?;
    platform::link_or_copy(&wine(toolchain, "wineserver64"), &server)?;
    // Wine's own user32 asks for it; Debian's Wine comes without it. It is needed to make a prefix, too.
    let zlib = toolchain.root().join("usr/x86_64-w64-mingw32/lib/zlib1.dll");
    fs::copy(&zlib, toolchain.libraries().join("wine/x86_64-windows/zlib1.dll"))?;
    let folder = toolchain.windows();
    fs::create_dir(&folder)?;
    compile(toolchain, GIT, "-municode", "git.exe", "")?;
    compile(toolchain, PRNG, "-shared", "bcryptprimitives.dll", "-ladvapi32")?;

    step.message("making a Wine prefix");
    fs::create_dir(toolchain.prefix())?;
    let prefix = Prefix { path: toolchain.prefix(), toolchain, _folder: None };
    let mut boot = prefix.command();
    boot.args(["wineboot", "--init"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Its exit code reports the missing 32-bit half, which is not needed: what was made counts.
    tool::run_attached(&mut boot)?;
    // The registry is written when the last process has ended.
    drop(prefix);
    for made in ["drive_c/windows/system32/kernel32.dll", "system.reg", TIMESTAMP] {
        ensure!(toolchain.prefix().join(made).is_file(), "Wine made a prefix without {made}");
    }
    // Services of Wine know no other folder to look in.
    let system = toolchain.prefix().join("drive_c/windows/system32");
    fs::copy(&zlib, system.join("zlib1.dll"))?;
    fs::copy(folder.join("bcryptprimitives.dll"), system.join("bcryptprimitives.dll"))?;
    Ok(())
}

fn compile(toolchain: &Toolchain, source: &str, option: &str, name: &str, library: &str) -> Result<()> {
    let output = toolchain.windows().join(name);
    let path = output.with_extension("c");
    fs::write(&path, source)?;
    let compiler = Tool::at(&toolchain.program(MINGW)).words("-O2 -s -Wall -Werror").words(option);
    let compiler = compiler.arguments(["-o".as_ref(), output.as_os_str(), path.as_os_str()]).words(library);
    compiler.variable("LD_LIBRARY_PATH", toolchain.libraries()).output().map(drop)
}

/// A prefix: registry, drives and the processes that use them.
struct Prefix<'a> {
    path: PathBuf,
    toolchain: &'a Toolchain,
    _folder: Option<TempDir>,
}

impl<'a> Prefix<'a> {
    /// A fresh one. It has its own registry and folders of users; the system's folder is the toolchain's.
    fn new(toolchain: &'a Toolchain) -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("roundtrip-wine-").tempdir().context("no temporary folder")?;
        lay_out(&toolchain.prefix(), folder.path())?;
        Ok(Self { path: folder.path().to_path_buf(), toolchain, _folder: Some(folder) })
    }

    /// A run of Wine that wants its arguments.
    fn command(&self) -> Command {
        let mut command = self.wine("wine64");
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }

    fn wine(&self, name: &str) -> Command {
        let toolchain = self.toolchain;
        let variables: [(&str, OsString); 7] = [
            ("LD_LIBRARY_PATH", toolchain.libraries().into()),
            ("WINEARCH", "win64".into()),
            ("WINEDEBUG", "-all".into()),
            // No browser engine, no .NET, no entries in the desktop's menus.
            ("WINEDLLOVERRIDES", "mscoree,mshtml=;winemenubuilder.exe=d".into()),
            ("WINEDLLPATH", toolchain.libraries().join("wine").into()),
            ("WINEPATH", windows_path(&toolchain.windows()).into()),
            ("WINEPREFIX", self.path.clone().into()),
        ];
        let mut command = Command::new(wine(toolchain, name));
        command.envs(variables);
        command
    }
}

/// Ends what still runs in it: the program's own children, and Wine's services, which would stay for seconds with the
/// program's pipes open.
impl Drop for Prefix<'_> {
    fn drop(&mut self) {
        let mut kill = self.wine("wineserver");
        // It fails if nothing runs, which is what is wanted.
        let _ = kill.arg("--kill").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn lay_out(template: &Path, prefix: &Path) -> Result<()> {
    copy_folders(&template.join("drive_c/users"), &prefix.join("drive_c/users"))?;
    fs::create_dir(prefix.join("dosdevices"))?;
    for name in ["system.reg", "user.reg", "userdef.reg", TIMESTAMP] {
        fs::copy(template.join(name), prefix.join(name))?;
    }
    platform::link_or_copy(&template.join("drive_c/windows"), &prefix.join("drive_c/windows"))?;
    platform::link_or_copy(&prefix.join("drive_c"), &prefix.join("dosdevices/c:"))?;
    platform::link_or_copy(Path::new("/"), &prefix.join("dosdevices/z:"))
}

/// Folders alone: there are no files yet, and links lead to the real user's folders.
fn copy_folders(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            copy_folders(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// A path as Windows programs write it: `Z:` is the root.
fn windows_path(path: &Path) -> String {
    format!("Z:{}", path.display()).replace('/', "\\")
}

fn wine(toolchain: &Toolchain, name: &str) -> PathBuf {
    toolchain.root().join("usr/lib/wine").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_windows_writes_them() {
        assert_eq!(windows_path(Path::new("/var/cache/a b")), "Z:\\var\\cache\\a b");
    }

    #[cfg(unix)]
    #[test]
    fn a_prefix_has_its_own_registry_and_users_and_borrows_the_system() {
        let (template, prefix) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let system = template.path().join("drive_c/windows/system32");
        fs::create_dir_all(&system).unwrap();
        fs::write(system.join("kernel32.dll"), "").unwrap();
        let user = template.path().join("drive_c/users/somebody");
        fs::create_dir_all(user.join("Temp")).unwrap();
        std::os::unix::fs::symlink("/root", user.join("Desktop")).unwrap();
        for name in ["system.reg", "user.reg", "userdef.reg", TIMESTAMP] {
            fs::write(template.path().join(name), name).unwrap();
        }
        lay_out(template.path(), prefix.path()).unwrap();
        assert!(prefix.path().join("dosdevices/c:/windows/system32/kernel32.dll").is_file());
        fs::write(prefix.path().join("user.reg"), "changed").unwrap();
        assert_eq!(fs::read_to_string(template.path().join("user.reg")).unwrap(), "user.reg");
        let user = prefix.path().join("drive_c/users/somebody");
        assert!(user.join("Temp").is_dir());
        assert!(!user.join("Desktop").is_symlink(), "a program would write to the real user's folders");
    }
}
