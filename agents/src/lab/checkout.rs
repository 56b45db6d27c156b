//! The commits of a project on this machine: a work tree for each that is built, which is kept for the next job of the same commit.

use super::heartbeat::Interrupted;
use super::identity;
use super::job::NoReports;
use super::mirror::{self, Mirror};
use super::output::Output;
use super::runner::{Runner, Task};
use crate::failure::Failure;
use crate::import;
use crate::platform;
use crate::repository::Repository;
use crate::run;
use crate::settings::{self, CommandLine, Imported, Settings};
use roundtrip_bench::definition::Plan;
use roundtrip_wire::{CommitSha, Slug};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{ErrorKind, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Beside a work tree: it was built, and by which commands.
const BUILT: &str = "built";
/// How many built work trees are kept.
const KEPT: usize = 10;
/// Fetches submodules, as the user of repositories: from a folder, too, which git takes as an attempt to read what its user may
/// not know to be there.
const SUBMODULES: [&str; 7] =
    ["git", "-c", "protocol.file.allow=always", "submodule", "update", "--init", "--recursive"];

/// Where commits are kept, and what building them may take.
#[derive(Clone, Debug)]
pub(crate) struct Checkouts {
    pub(crate) folder: PathBuf,
    pub(crate) runner: Runner,
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
            let mode = if other == builds { identity::PASSED } else { mirror::PRIVATE };
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
        beat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<Built, NoReports> {
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
            self.checkouts
                .build(&root, &settings.build, output, beat)
                .map_err(|reason| reason.of("building:"))?;
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
    /// Runs the commands in a work tree, which belongs to the user of repositories meanwhile.
    fn build(
        &self,
        root: &Path,
        commands: &[CommandLine],
        output: &mut Output,
        beat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let home = self.runner.home(root.parent().unwrap_or(root))?;
        let submodules =
            root.join(".gitmodules").exists().then(|| CommandLine(SUBMODULES.map(str::to_owned).to_vec()));
        self.runner.lend(root, || {
            submodules.iter().chain(commands).try_for_each(|command| {
                let task = Task { command, home: home.path(), has_network: true, stdout: None };
                self.runner.run(task, root, output, beat)
            })
        })
    }

    /// Runs a benchmark of the repository's own in a work tree, without a network, and gives the name and bytes of its results.
    ///
    /// # Errors
    /// It fails, or leaves no results; or what `listen` says.
    pub(crate) fn results(
        &self,
        built: &Built,
        imported: &Imported,
        output: &mut Output,
        listen: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(String, Vec<u8>), NoReports> {
        let Imported { run: command, file, .. } = imported;
        let disk = |source| Failure::Disk { path: built.root.clone(), source };
        let place = built.root.parent().unwrap_or(&built.root);
        // What it leaves in the work tree is no commit's: whoever wants this one again builds it again.
        let _ = fs::remove_file(place.join(BUILT));
        let home = self.runner.home(place)?;
        // In no folder, so that nobody but us and the command ever has it.
        let mut printed = tempfile::tempfile().map_err(disk)?;
        let stdout =
            file.is_none().then(|| printed.try_clone().map(Stdio::from)).transpose().map_err(disk)?;
        self.runner.lend(&built.root, || {
            let task = Task { command, home: home.path(), has_network: false, stdout };
            self.runner.run(task, &built.root, output, listen)
        })?;
        if let Some(file) = file {
            return Ok(import::read(&within(&built.root, file)?)?);
        }
        let bytes = printed.rewind().and_then(|()| import::read_all(printed)).map_err(disk)?;
        Ok((command.program().to_owned(), bytes))
    }
}

/// A file that a command has written: where it really is, which must be in its work tree.
fn within(root: &Path, file: &Path) -> crate::Result<PathBuf> {
    let path = root.join(file);
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))
    };
    let found = real(&path)?;
    // A pipe would be waited for.
    if found.starts_with(real(root)?) && found.is_file() {
        return Ok(found);
    }
    Err(Failure::Usage(format!("{} is no file of the repository", file.display())))
}

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
