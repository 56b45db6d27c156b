//! The commits of a project on this machine: one copy of its repository, and a work tree for each commit that is built, which
//! is kept for the next job of the same commit.

use super::confine::Confinement;
use super::output::Output;
use crate::failure::Failure;
use crate::platform;
use crate::repository::{Git, Repository};
use crate::settings::{CommandLine, Settings};
use roundtrip_wire::{CommitSha, Slug};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Beside a work tree: it was built, and by which commands.
const BUILT: &str = "built";
/// How many built work trees are kept.
const KEPT: usize = 10;
/// Transports that git may use: none that runs what an address names.
const PROTOCOLS: &str = "https:http:ssh:git:file";

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

/// A commit, built.
#[derive(Debug)]
pub(crate) struct Built {
    /// Its work tree.
    pub(crate) root: PathBuf,
    pub(crate) repository: Repository,
    pub(crate) settings: Settings,
}

impl Checkouts {
    /// Fetches these commits of a project, unless they are here.
    ///
    /// # Errors
    /// What git says.
    pub(crate) fn fetch(&self, project: &Slug, url: &str, commits: &[&CommitSha]) -> crate::Result<()> {
        if url.is_empty() {
            return Err(Failure::Other(format!(
                "nobody has said where the repository of {project} is: set it in the project's settings"
            )));
        }
        let mirror = self.mirror(project);
        if !mirror.join("HEAD").exists() {
            fs::create_dir_all(&mirror).map_err(|source| Failure::Disk { path: mirror.clone(), source })?;
            Git::named(&mirror).ask(&["init", "--quiet", "--bare", "."])?;
        }
        let git = Git::named(&mirror).quiet(PROTOCOLS);
        // An answer of git for an object that is not there is a failure as well.
        let is_here =
            |commit: &&CommitSha| git.ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_ok();
        if commits.iter().all(is_here) {
            return Ok(());
        }
        git.ask(&["fetch", "--quiet", "--no-tags", "--force", url, "+refs/heads/*:refs/heads/*"])?;
        for commit in commits.iter().filter(|commit| !is_here(commit)) {
            // Of no branch: a pull request's, or one that was pushed over.
            git.ask(&["fetch", "--quiet", "--no-tags", url, commit.as_str()])?;
        }
        Ok(())
    }

    /// Where a commit left the line of another one.
    ///
    /// # Errors
    /// They have nothing in common, or are not here.
    pub(crate) fn merge_base(
        &self,
        project: &Slug,
        base: &CommitSha,
        head: &CommitSha,
    ) -> crate::Result<CommitSha> {
        let git = Git::named(&self.mirror(project)).quiet(PROTOCOLS);
        let found = git.ask(&["merge-base", base.as_str(), head.as_str()])?;
        CommitSha::parse(found.trim())
            .map_err(|_| Failure::Other(format!("git names no commit from which {} comes", short(head))))
    }

    /// The work tree of a commit, built as its settings say. One that was built before is used again.
    ///
    /// # Errors
    /// What git says, settings that cannot be read, a command that fails or takes more than it may.
    pub(crate) fn built(
        &self,
        project: &Slug,
        commit: &CommitSha,
        output: &mut Output,
        beat: &mut dyn FnMut() -> crate::Result<()>,
    ) -> crate::Result<Built> {
        let place = self.folder.join("builds").join(project.as_str()).join(commit.as_str());
        let root = place.join("tree");
        // git reads what a work tree says of itself, and this one was somebody else's while it was built: root reads it before
        // that alone, and where that user is not to be trusted nothing is used again.
        if matches!(self.confinement, Confinement::Confined(_)) && place.exists() {
            self.remove(project, &place);
        }
        if !root.join(".git").exists() {
            self.check_out(project, commit, &root)?;
        }
        let settings = Settings::read(&root)?;
        let marker = place.join(BUILT);
        let commands = digest(&settings.build);
        // Read before anything is built: what a build changes of tracked files was not changed by who measures.
        let repository = if fs::read_to_string(&marker).is_ok_and(|built| built == commands) {
            output.say(&format!("{} was built before", short(commit)));
            Repository::read(&Git::named(&root))?
        } else {
            if marker.exists() || place.join("begun").exists() {
                // Built otherwise, or not to the end.
                self.remove(project, &place);
                self.check_out(project, commit, &root)?;
            }
            let repository = Repository::read(&Git::named(&root))?;
            let begun = place.join("begun");
            fs::write(&begun, "").map_err(|source| Failure::Disk { path: begun, source })?;
            self.build(&root, &settings.build, output, beat)?;
            fs::write(&marker, &commands).map_err(|source| Failure::Disk { path: marker, source })?;
            repository
        };
        self.forget_old(project, &place);
        // A work tree that was built may differ from its commit, which is what was asked for all the same.
        Ok(Built { root, repository: Repository { work_tree_modified: false, ..repository }, settings })
    }

    fn mirror(&self, project: &Slug) -> PathBuf {
        self.folder.join("repositories").join(format!("{project}.git"))
    }

    fn check_out(&self, project: &Slug, commit: &CommitSha, root: &Path) -> crate::Result<()> {
        if let Some(place) = root.parent() {
            fs::create_dir_all(place).map_err(|source| Failure::Disk { path: place.to_owned(), source })?;
        }
        let git = Git::named(&self.mirror(project)).quiet(PROTOCOLS);
        git.ask(&["worktree", "prune"])?;
        git.ask(&[
            "worktree",
            "add",
            "--quiet",
            "--force",
            "--detach",
            &root.to_string_lossy(),
            commit.as_str(),
        ])?;
        Ok(())
    }

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
        let submodules = root.join(".gitmodules").exists().then(|| {
            CommandLine(["git", "submodule", "update", "--init", "--recursive"].map(str::to_owned).to_vec())
        });
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

    fn remove(&self, project: &Slug, place: &Path) {
        // What is left registered goes with the next one.
        let _ = fs::remove_dir_all(place);
        let _ = Git::named(&self.mirror(project)).ask(&["worktree", "prune"]);
    }

    /// Removes what was built longest ago, beyond those that are kept.
    fn forget_old(&self, project: &Slug, keep: &Path) {
        let Ok(entries) = fs::read_dir(self.folder.join("builds").join(project.as_str())) else { return };
        let built = |place: &Path| fs::metadata(place.join(BUILT)).and_then(|file| file.modified()).ok();
        let mut places: Vec<_> =
            entries.flatten().map(|entry| entry.path()).filter(|place| place != keep).collect();
        places.sort_by_key(|place| std::cmp::Reverse(built(place)));
        for place in places.iter().skip(KEPT - 1) {
            self.remove(project, place);
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
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn short(commit: &CommitSha) -> &str {
    commit.short()
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
