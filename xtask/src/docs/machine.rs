//! [`Machine`]: this machine once more, for a moment: its disk, to which nothing is written, with processes, a network and systemd of
//! its own. Linux, and root.

use crate::cross::debian;
use crate::platform;
use crate::programs::{self, Built};
use crate::release;
use crate::screen::Step;
use crate::stamp::Stamp;
use crate::tool::{self, Running, Tool};
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Makes the machine, and ends with it.
const SCRIPT: &str = "xtask/docs/machine.sh";
/// What readers use, and the package of Debian that has it. What is there already is used as it is.
const TOOLS: [(&str, &str); 7] = [
    ("curl", "curl"),
    ("jq", "jq"),
    ("minisign", "minisign"),
    ("nginx", "nginx"),
    ("perf", "linux-perf"),
    ("prometheus", "prometheus"),
    ("strace", "strace"),
];
/// What of a checkout is copied to `/srv/roundtrip`.
const READ: [&str; 4] = ["benches/external/", "docs/", "install.sh", "server/packaging/"];
/// Where Debian has PostgreSQL's programs.
const POSTGRESQL: &str = "/usr/lib/postgresql";
/// What makes the machine, and what readers use that no package is fetched for.
const MAKING: [&str; 12] = [
    "bash",
    "cc",
    "git",
    "ip",
    "mount",
    "node",
    "nsenter",
    "openssl",
    "python3",
    "strip",
    "systemctl",
    "unshare",
];

/// Why no machine can be made here.
pub(super) fn cannot_be_made() -> Option<String> {
    if let Err(reason) = debian::check_host() {
        return Some(format!("not run: {reason}"));
    }
    if !platform::is_root() {
        return Some("not run: only root makes a machine that is thrown away".into());
    }
    // Its package also makes the user as whom it runs.
    if !Path::new(POSTGRESQL).is_dir() {
        return Some(
            "not run: Debian's package postgresql is missing, which the pages tell to install".into(),
        );
    }
    let missing = MAKING.into_iter().find(|name| tool::find(name).is_err())?;
    Some(format!("not run: {missing} is missing"))
}

/// Makes machines that have the programs of this project.
pub(super) struct Maker {
    folder: TempDir,
    /// What its disk has besides what the disk of this machine has.
    added: Vec<PathBuf>,
}

/// One that runs. It ends with this.
pub(super) struct Machine {
    init: String,
    running: Running,
}

impl Maker {
    /// # Errors
    /// A package cannot be had.
    pub(super) fn prepare(built: &Built, step: &Step) -> Result<Self> {
        let folder =
            tempfile::Builder::new().prefix("roundtrip-docs-").tempdir().context("no temporary folder")?;
        let programs = folder.path().join("programs");
        let bin = programs.join("usr/local/bin");
        fs::create_dir_all(&bin).context("cannot make a folder for the programs")?;
        let fake = programs::build(step, &["roundtrip-github-fake"], "dev")?.program("github-fake")?;
        let built = [built.program("roundtrip")?, built.program(programs::SERVER)?, fake];
        let mut copies = Vec::new();
        for path in &built {
            let copy = bin.join(path.file_name().with_context(|| format!("{} has no name", path.display()))?);
            // Most of a program says where its code comes from, and takes minutes to pack.
            let strip = Tool::named("strip")?.arguments(["--strip-debug", "-o"]).arguments([&copy, path]);
            strip.run_silently()?.successful()?;
            copies.push(copy);
        }
        let released = &copies[..2];
        step.message("packing a release");
        release::of_this_machine(released, &programs.join("srv/releases/latest/download"))?;
        checkout(&programs.join("srv/roundtrip"))?;
        Ok(Self { added: vec![programs, tools(step)?], folder })
    }

    /// One machine.
    ///
    /// # Errors
    /// It does not start.
    pub(super) fn machine(&self) -> Result<Machine> {
        let inside = self.folder.path().join("machine");
        fs::create_dir_all(&inside).context("cannot make a folder for a machine")?;
        let running = Tool::named("unshare")?
            .arguments(["--mount", "--propagation", "private", "sh"])
            .arguments([workspace::root().join(SCRIPT), inside])
            .arguments(&self.added)
            .with_all_it_starts()
            .spawn()?;
        let mut said = Vec::new();
        for line in &running.lines {
            match line {
                tool::Line::Output(init) => return Ok(Machine { init, running }),
                tool::Line::Error(text) => said.push(text),
            }
        }
        bail!("no machine starts:\n{}", said.join("\n"))
    }
}

impl Machine {
    /// A reader types this, which is bash.
    ///
    /// # Errors
    /// A command fails: the error ends with what the reader has seen last. Or the machine has ended.
    pub(super) fn type_in(&self, script: &str) -> Result<()> {
        let disk = Path::new("/proc").join(&self.init).join("root");
        fs::write(disk.join("run/script"), script).context("cannot write to the machine's disk")?;
        // Into a file: what goes on in the background would keep a pipe open.
        let command =
            format!("exec timeout --kill-after=5 {PATIENCE_SECONDS} bash /run/script > /run/seen 2>&1");
        let finished = Tool::named("nsenter")?
            .arguments(["--all", "--wd", "--target", &self.init, "env", "--ignore-environment"])
            .arguments([&format!("PATH={PATH}"), "sh", "-c", &command])
            .with_all_it_starts()
            .run_silently()?;
        if finished.status.success() {
            return Ok(());
        }
        let seen = fs::read(disk.join("run/seen")).unwrap_or_default();
        let seen = String::from_utf8_lossy(&seen);
        let before = seen.lines().count().saturating_sub(SHOWN_LINES);
        let last: Vec<&str> = seen.lines().skip(before).collect();
        bail!("it ended with {}:\n{}", finished.status, last.join("\n"))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The script ends what it has started; nobody waits for the machine to be shut down in order.
        platform::end_process_group(&self.running.child, false);
        let _ = self.running.wait();
    }
}

/// What a page says takes a minute at most, on a machine that does other things as well.
const PATIENCE_SECONDS: u32 = 240;
/// So much is shown of what a reader has seen before something failed.
const SHOWN_LINES: usize = 80;
/// Where a reader's programs are.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What readers take from a checkout.
fn checkout(to: &Path) -> Result<()> {
    let read =
        |file: &&String| READ.iter().any(|part| file.starts_with(part)) && !file.starts_with("docs/images/");
    for file in workspace::files()?.iter().filter(read) {
        let copy = to.join(file);
        let folder = copy.parent().unwrap_or(to);
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        fs::copy(workspace::root().join(file), &copy).with_context(|| format!("cannot copy {file}"))?;
    }
    Ok(())
}

/// The tools that this machine lacks, in a folder that is kept.
fn tools(step: &Step) -> Result<PathBuf> {
    let missing: Vec<&str> =
        TOOLS.iter().filter(|(name, _)| !is_in_path(name)).map(|(_, package)| *package).collect();
    let folder = platform::cache_folder()?.join("docs");
    let root = folder.join("tools");
    let stamp = Stamp::new(folder.join("tools.stamp"), missing.join(" "));
    if !stamp.is_current() {
        platform::remove_folder(&root)?;
        fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
        if !missing.is_empty() {
            let work = tempfile::tempdir_in(&folder).context("no temporary folder")?;
            debian::unpack(&missing, &root, work.path(), step)?;
        }
        stamp.write()?;
    }
    ensure!(root.is_dir(), "{} is gone: remove {} and try again", root.display(), folder.display());
    Ok(root)
}

fn is_in_path(name: &str) -> bool {
    which::which_in(name, Some(PATH), "/").is_ok()
}
