//! The commits of a project on this machine: a work tree for each that is built, which is kept for the next job of the same commit.

use super::confine::Confinement;
use super::mirror::{self, Mirror};
use super::output::Output;
use crate::failure::Failure;
use crate::platform;
use crate::repository::Repository;
use crate::run;
use crate::settings::{self, CommandLine, Settings};
use roundtrip_bench::definition::Plan;
use roundtrip_wire::{CommitSha, Slug};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Beside a work tree: it was built, and by which commands.
const BUILT: &str = "built";
/// How many built work trees are kept.
const KEPT: usize = 10;
/// Fetches submodules, as the user of repositories: from a folder, too, which git takes as an attempt to read what its user may
/// not know to be there.
const SUBMODULES: [&str; 7] =
    ["git", "-c", "protocol.file.allow=always", "submodule", "update", "--init", "--recursive"];
/// Of a folder in which others find what they know the name of.
const PASSED: u32 = 0o711;

/// Where commits are kept, and what building them may take.
#[derive(Clone, Debug)]
pub(crate) struct Checkouts {
    pub(crate) folder: PathBuf,
    pub(crate) confinement: Confinement,
    /// How long one command may take.
    pub(crate) build_timeout: Duration,
    /// How much a work tree may hold once it is built, in bytes.
    pub(crate) disk_bytes: u64,
}

/// A project whose commits are built.
#[derive(Debug)]
pub(crate) struct Checkout<'a> {
    checkouts: &'a Checkouts,
    mirror: Mirror,
    url: &'a str,
    builds: PathBuf,
}

/// A commit, built.
#[derive(Debug)]
pub(crate) struct Built {
    /// Its work tree.
    pub(crate) root: PathBuf,
    pub(crate) repository: Repository,
    pub(crate) settings: Settings,
}

impl Checkouts {
    /// Opens a project, and fetches these commits of it.
    ///
    /// # Errors
    /// What git says, or the disk.
    pub(crate) fn open<'a>(
        &'a self,
        project: &Slug,
        url: &'a str,
        commits: &[&CommitSha],
    ) -> crate::Result<Checkout<'a>> {
        let mirror = Mirror::of(project, &self.folder.join("repositories"));
        mirror.fetch(url, commits)?;
        let all = self.folder.join("builds");
        let builds = all.join(project.as_str());
        let disk = |source| Failure::Disk { path: builds.clone(), source };
        fs::create_dir_all(&builds).map_err(disk)?;
        // What was built of other projects is nothing for this one.
        for other in fs::read_dir(&all).map_err(disk)? {
            let other = other.map_err(disk)?.path();
            let mode = if other == builds { PASSED } else { mirror::PRIVATE };
            platform::set_mode(&other, mode).map_err(disk)?;
        }
        Ok(Checkout { checkouts: self, mirror, url, builds })
    }
}

impl Checkout<'_> {
    /// Where a commit left the line of another one.
    ///
    /// # Errors
    /// They have nothing in common.
    pub(crate) fn merge_base(&self, base: &CommitSha, head: &CommitSha) -> crate::Result<CommitSha> {
        self.mirror.merge_base(base, head)
    }

    /// What a preset of a commit says, as one of the suite or as a definition of the repository.
    ///
    /// # Errors
    /// There is none, or it says what it cannot.
    pub(crate) fn plan(&self, built: &Built, preset: &str) -> crate::Result<Plan> {
        if !run::is_definition(preset) {
            return run::plan(preset);
        }
        let commit = &built.repository.commit.sha;
        let text = self.mirror.file(commit, Path::new(preset))?.ok_or_else(|| {
            Failure::Usage(format!(
                "{} has no definition {preset}: expected a file of the commit",
                commit.short()
            ))
        })?;
        run::defined(&built.root.join(preset), &text)
    }

    /// The work tree of a commit, built as its settings say. One that was built before is used again.
    ///
    /// # Errors
    /// What git says, settings that cannot be read, a command that fails or takes more than it may.
    pub(crate) fn built(
        &self,
        commit: &CommitSha,
        output: &mut Output,
        beat: &mut dyn FnMut() -> crate::Result<()>,
    ) -> crate::Result<Built> {
        let place = self.builds.join(commit.as_str());
        let (root, marker) = (place.join("tree"), place.join(BUILT));
        let settings = match self.mirror.file(commit, Path::new(settings::FILE))? {
            Some(text) => Settings::of_text(Path::new(settings::FILE), &text)?,
            None => Settings::default(),
        };
        let commands = digest(&settings.build);
        if fs::read_to_string(&marker).is_ok_and(|built| built == commands) {
            output.say(&format!("{} was built before", commit.short()));
        } else {
            // Built otherwise, or not to the end. It is gone before anything else is there under its name.
            remove(&place)?;
            self.mirror.check_out(commit, self.url, &root)?;
            self.checkouts.build(&root, &settings.build, output, beat)?;
            fs::write(&marker, &commands).map_err(|source| Failure::Disk { path: marker, source })?;
        }
        self.forget_old(&place);
        Ok(Built { root, repository: self.mirror.history(commit)?, settings })
    }

    /// Removes what was built longest ago, beyond those that are kept.
    fn forget_old(&self, keep: &Path) {
        let Ok(entries) = fs::read_dir(&self.builds) else { return };
        let built = |place: &Path| fs::metadata(place.join(BUILT)).and_then(|file| file.modified()).ok();
        let mut places: Vec<_> =
            entries.flatten().map(|entry| entry.path()).filter(|place| place != keep).collect();
        places.sort_by_key(|place| std::cmp::Reverse(built(place)));
        for place in places.iter().skip(KEPT - 1) {
            // What is left goes with the next one.
            let _ = remove(place);
        }
    }
}

impl Checkouts {
    /// Runs the commands as the user of repositories, who owns the work tree meanwhile, and no longer.
    fn build(
        &self,
        root: &Path,
        commands: &[CommandLine],
        output: &mut Output,
        beat: &mut dyn FnMut() -> crate::Result<()>,
    ) -> crate::Result<()> {
        if commands.is_empty() {
            return Ok(());
        }
        let own = |user_id, group_id| {
            platform::give(root, user_id, group_id)
                .map_err(|source| Failure::Disk { path: root.to_owned(), source })
        };
        if let Confinement::Confined(limits) = &self.confinement {
            own(limits.user_id, limits.group_id)?;
        }
        let home = tempfile::tempdir_in(root.parent().unwrap_or(root))
            .map_err(|source| Failure::Disk { path: root.to_owned(), source })?;
        if let Confinement::Confined(limits) = &self.confinement {
            platform::give(home.path(), limits.user_id, limits.group_id)
                .map_err(|source| Failure::Disk { path: home.path().to_owned(), source })?;
        }
        let submodules =
            root.join(".gitmodules").exists().then(|| CommandLine(SUBMODULES.map(str::to_owned).to_vec()));
        let done = submodules.iter().chain(commands).try_for_each(|command| {
            let mut process = self.confinement.builder(&command.0, home.path())?;
            process.current_dir(root);
            output.say(&format!("$ {command}"));
            let ended = self.run(process, root, output, beat);
            self.confinement.sweep();
            ended.map_err(|reason| match reason {
                Failure::Other(reason) => Failure::Other(format!("building: `{command}` {reason}")),
                other => other,
            })
        });
        if matches!(self.confinement, Confinement::Confined(_)) {
            // What is measured from it cannot change it.
            own(0, 0)?;
        }
        done
    }

    /// Runs one command to its end, within its time and its place on the disk.
    fn run(
        &self,
        process: std::process::Command,
        root: &Path,
        output: &mut Output,
        beat: &mut dyn FnMut() -> crate::Result<()>,
    ) -> crate::Result<()> {
        let began = Instant::now();
        let failed = |error: std::io::Error| Failure::Other(format!("does not run: {error}"));
        let mut child = output.start(process).map_err(failed)?;
        let mut looked = Instant::now();
        loop {
            if let Some(status) = child.wait_for(LOOK_INTERVAL).map_err(failed)? {
                output.hear(&mut child);
                return if status.success() {
                    Ok(())
                } else {
                    Err(Failure::Other(format!("ended with {status}")))
                };
            }
            output.hear(&mut child);
            if began.elapsed() > self.build_timeout {
                return Err(Failure::Other(format!(
                    "took longer than {} s, and was ended",
                    self.build_timeout.as_secs()
                )));
            }
            if looked.elapsed() > DISK_INTERVAL {
                let bytes = bytes_in(root);
                if bytes > self.disk_bytes {
                    return Err(Failure::Other(format!(
                        "wrote {} MiB, of {} that it may, and was ended",
                        bytes >> 20,
                        self.disk_bytes >> 20
                    )));
                }
                looked = Instant::now();
            }
            beat()?;
        }
    }
}

/// How often a command that runs is looked at,
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// and what it has written.
const DISK_INTERVAL: Duration = Duration::from_secs(5);

/// Which commands built a work tree.
fn digest(commands: &[CommandLine]) -> String {
    let mut sha = Sha256::new();
    for command in commands {
        sha.update(command.to_string());
        sha.update([0]);
    }
    hex::encode(sha.finalize())
}

fn remove(place: &Path) -> crate::Result<()> {
    match fs::remove_dir_all(place) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(Failure::Disk { path: place.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => bytes_in(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}
