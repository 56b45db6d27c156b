//! [`Machine`]: a copy of this machine in namespaces, with a copy-on-write disk and separate processes,
//! network and systemd. Needs Linux and root.

use crate::programs::{self, Built, Profile};
use crate::screen::{self, Step};
use crate::stamp::Stamp;
use crate::tool::{self, Line, Running, Tool};
use crate::{debian, platform, workspace};
use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The release target that `install.sh` installs here.
const LINUX_X86_64: &str = "x86_64-unknown-linux-musl";
/// Creates the machine, and ends with it.
const SCRIPT: &str = "xtask/docs/machine.sh";
/// Programs that pages use, with their Debian packages, which are downloaded if missing.
const TOOLS: [(&str, &str); 7] = [
    ("curl", "curl"),
    ("jq", "jq"),
    ("minisign", "minisign"),
    ("nginx", "nginx"),
    ("perf", "linux-perf"),
    ("prometheus", "prometheus"),
    ("strace", "strace"),
];
/// The parts of the checkout copied to `/srv/roundtrip`.
const CHECKOUT: [&str; 4] = ["benches/external/", "docs/", "install.sh", "server/packaging/"];
/// Debian's PostgreSQL. Its package also creates the user that runs it.
const POSTGRESQL: &str = "/usr/lib/postgresql";
/// Programs that must be installed: for the machine itself, or for pages.
const NEEDED: &str = "bash cc git ip mount node nsenter openssl python3 strip systemctl unshare";
/// A page takes at most a minute, even on a busy machine.
const TIMEOUT_SECONDS: u32 = 240;
/// Lines of output shown for a failed page.
const SHOWN_LINES: usize = 80;
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Why no machine can be created here.
pub(super) fn cannot_be_made() -> Option<String> {
    if let Err(reason) = debian::check_host() {
        return Some(reason.to_string());
    }
    if !platform::is_root() {
        return Some("creating a throw-away machine needs root".into());
    }
    if !Path::new(POSTGRESQL).is_dir() {
        return Some("the Debian package postgresql is missing; the pages need it".into());
    }
    tool::missing(NEEDED)
}

pub(super) struct MachineBuilder {
    folder: TempDir,
    /// Files added to the disk.
    added: [PathBuf; 2],
}

pub(super) struct Machine {
    init: String,
    running: Running,
}

impl MachineBuilder {
    pub(super) fn prepare(built: &Built, step: &Step) -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("roundtrip-docs-").tempdir().context("no temporary folder")?;
        let disk = folder.path().join("programs");
        let bin = disk.join("usr/local/bin");
        fs::create_dir_all(&bin)?;
        let fake = programs::build(step, &[programs::GITHUB_FAKE], Profile::Dev)?.program("github-fake")?;
        let mut copies = Vec::new();
        for path in [built.program("roundtrip")?, built.program(programs::SERVER)?, fake] {
            let copy = bin.join(path.file_name().unwrap_or_default());
            // Most of a program is debug information, which takes minutes to pack.
            Tool::named("strip")?.words("--strip-debug -o").arguments([&copy, &path]).output()?;
            copies.push(copy);
        }
        step.message("building a release archive");
        let releases = disk.join("srv/releases/latest/download");
        for program in &copies[..2] {
            programs::pack(LINUX_X86_64, &releases, program)?;
        }
        let archives = ["roundtrip", programs::SERVER];
        let archives = archives.map(|name| format!("{name}-{}-{LINUX_X86_64}.tar.gz", programs::VERSION));
        let sums = Tool::named("sha256sum")?.arguments(archives).folder(&releases).output()?;
        fs::write(releases.join("SHA256SUMS"), sums)?;
        let is_used = |file: &&String| {
            CHECKOUT.iter().any(|part| file.starts_with(part)) && !file.starts_with("docs/images/")
        };
        for file in workspace::files()?.iter().filter(is_used) {
            let copy = disk.join("srv/roundtrip").join(file);
            fs::create_dir_all(copy.parent().unwrap_or(&disk))?;
            fs::copy(workspace::root().join(file), &copy)?;
        }
        Ok(Self { added: [disk, tools(step)?], folder })
    }

    /// Starts a machine.
    pub(super) fn machine(&self) -> Result<Machine> {
        let inside = self.folder.path().join("machine");
        fs::create_dir_all(&inside)?;
        let unshare = Tool::named("unshare")?.words("--mount --propagation private sh");
        let unshare = unshare.arguments([workspace::root().join(SCRIPT), inside]).arguments(&self.added);
        let running = unshare.with_descendants().spawn()?;
        let mut errors = Vec::new();
        for line in &running.lines {
            match line {
                Line::Output(init) => return Ok(Machine { init, running }),
                Line::Error(text) => errors.push(text),
            }
        }
        bail!("cannot start a machine:\n{}", errors.join("\n"))
    }
}

impl Machine {
    /// Runs a bash script. An error includes the last lines of output.
    pub(super) fn run(&self, script: &str) -> Result<()> {
        let disk = Path::new("/proc").join(&self.init).join("root");
        fs::write(disk.join("run/script"), script)?;
        // The output goes to a file, because a background program would keep a pipe open.
        let command =
            format!("exec timeout --kill-after=5 {TIMEOUT_SECONDS} bash /run/script > /run/output 2>&1");
        let finished = Tool::named("nsenter")?
            .arguments(["--all", "--wd", "--target", &self.init, "env", "--ignore-environment"])
            .arguments([&format!("PATH={PATH}"), "sh", "-c", &command])
            .with_descendants()
            .run_silently()?;
        if finished.status.success() {
            return Ok(());
        }
        let output = fs::read(disk.join("run/output")).unwrap_or_default();
        let output = screen::last_lines(&String::from_utf8_lossy(&output), SHOWN_LINES);
        bail!("exited with {}:\n{output}", finished.status)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The script ends all its processes; the machine has no orderly shutdown.
        platform::end_process_group(&self.running.child, false);
        let _ = self.running.wait();
    }
}

/// The tools that this machine lacks, in a cached folder.
fn tools(step: &Step) -> Result<PathBuf> {
    let is_missing = |name: &str| which::which_in(name, Some(PATH), "/").is_err();
    let missing: Vec<&str> =
        TOOLS.iter().filter(|(name, _)| is_missing(name)).map(|(_, package)| *package).collect();
    let folder = platform::cache_folder()?.join("docs");
    let root = folder.join("tools");
    let stamp = Stamp::new(folder.join("tools.stamp"), missing.join(" "));
    if !stamp.is_current() {
        platform::remove_folder(&root)?;
        fs::create_dir_all(&root)?;
        if !missing.is_empty() {
            debian::unpack(&missing, &root, step)?;
        }
        stamp.write()?;
    }
    ensure!(root.is_dir(), "{} was deleted. Delete {} and try again.", root.display(), folder.display());
    Ok(root)
}
