//! A commit of a repository, checked out in a temporary folder that is deleted with it.

use crate::build::{self, Limits};
use crate::failure::{Failure, OnDisk};
use crate::presets;
use crate::repository::Git;
use crate::settings::{self, CommandLine, Settings};
use roundtrip_bench::definition::{Plan, PlannedCase};
use roundtrip_bench::scratch;
use roundtrip_wire::CommitSha;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

/// Fetches submodules without a change to the repository's configuration.
const SUBMODULES: [&str; 6] = ["git", "-c", "submodule.active=.", "submodule", "update", "--recursive"];

/// Follows the reason why a commit is missing.
pub(crate) const SHALLOW: &str =
    "\nThis clone is shallow. Get the whole history first: git fetch --unshallow";

#[derive(Debug)]
pub(crate) struct Revision {
    /// The root of the repository.
    root: PathBuf,
    pub(crate) commit: CommitSha,
    folder: TempDir,
}

/// The id of a revision's commit.
pub(crate) fn resolve(git: &Git, root: &Path, name: &str) -> crate::Result<CommitSha> {
    let commit = git.commit(&["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{commit}}")]);
    commit.map_err(|_| {
        let place = root.display();
        let hint = if git.is_shallow().unwrap_or_default() { SHALLOW } else { "" };
        Failure::Usage(format!("no revision `{name}` in {place}: expected a commit, branch or tag{hint}"))
    })
}

/// Whether a file or folder is in this folder, with symbolic links resolved.
pub(crate) fn is_within(folder: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(path).zip(real(folder)).is_some_and(|(path, folder)| path.starts_with(folder))
}

/// The folders of the definitions in the settings, except the root: it has more than benchmarks.
fn benchmark_folders(settings: &Settings) -> impl Iterator<Item = PathBuf> {
    let definitions = settings.presets.iter().map(|preset| Path::new(preset.as_str()));
    let is_inside = |path: &&Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let folders =
        definitions.filter(|path| presets::is_definition(&path.to_string_lossy())).filter(is_inside);
    let folders: BTreeSet<PathBuf> = folders
        .filter_map(|path| Some(path.parent()?.to_owned()))
        .filter(|path| path != Path::new(""))
        .collect();
    folders.into_iter()
}

impl Revision {
    /// Checks out a commit. The repository and its work tree are unchanged.
    pub(crate) fn check_out(git: &Git, root: &Path, commit: &CommitSha) -> crate::Result<Self> {
        let folder = scratch::folder().map_err(|error| {
            Failure::Other(format!("cannot create a folder for commit {}: {error}", commit.short()))
        })?;
        // A linked work tree (gitrepository-layout(5)) that is not registered in the repository: the repository can be
        // read-only, and a killed run leaves nothing in it.
        let own = folder.path().join(".git");
        let common = git.common_folder()?;
        let written = fs::create_dir(&own)
            .and_then(|()| fs::write(own.join("HEAD"), format!("{commit}\n")))
            .and_then(|()| fs::write(own.join("commondir"), format!("{}\n", common.display())));
        written.on_disk(&own)?;
        Git::named(folder.path()).ask(&["checkout", "--quiet", "--force", "--detach", commit.as_str()])?;
        Ok(Self { root: root.to_owned(), commit: commit.clone(), folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Copies the folders of the definitions in the settings from the work tree of the repository, if the commit lacks them:
    /// the programs that measure old commits may be newer. Returns the copied folders.
    pub(crate) fn add_benchmarks(&self, git: &Git, settings: &Settings) -> crate::Result<Vec<PathBuf>> {
        let mut added = Vec::new();
        for folder in benchmark_folders(settings) {
            if self.path().join(&folder).exists() {
                continue;
            }
            let pathspec = format!(":(top,literal){}", folder.display());
            let list = ["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--"];
            let files = git.ask(&[&list[..], &[&pathspec]].concat())?;
            for file in files.split_terminator('\0') {
                let (from, to) = (self.root.join(file), self.path().join(file));
                // A deleted file is still listed.
                if from.is_file() {
                    let parent = to.parent().unwrap_or(&to);
                    fs::create_dir_all(parent).and_then(|()| fs::copy(&from, &to)).on_disk(&to)?;
                }
            }
            if self.path().join(&folder).exists() {
                added.push(folder);
            }
        }
        Ok(added)
    }

    /// The settings of this commit. If it lacks them, those of another commit, whose definitions and programs are added.
    /// Returns whether they were added.
    pub(crate) fn settings(&self, newer: &CommitSha) -> crate::Result<(Settings, bool)> {
        let git = Git::named(self.path());
        let has_newer = git.ask(&["cat-file", "-e", &format!("{newer}:{}", settings::FILE)]).is_ok();
        if self.path().join(settings::FILE).exists() || !has_newer {
            return Ok((Settings::read(self.path())?, false));
        }
        let add = |path: &str| {
            git.ask(&["checkout", "--quiet", newer.as_str(), "--", &format!(":(top,literal){path}")])
                .map(drop)
        };
        add(settings::FILE)?;
        let settings = Settings::read(self.path())?;
        for folder in benchmark_folders(&settings).filter(|folder| !self.path().join(folder).exists()) {
            add(&folder.to_string_lossy())?;
        }
        Ok((settings, true))
    }

    /// Fetches submodules and runs the build commands.
    pub(crate) fn build(&self, commands: &[CommandLine], mut limits: Limits<'_>) -> crate::Result<()> {
        let submodules = self.path().join(".gitmodules").exists();
        let submodules = submodules.then(|| CommandLine(SUBMODULES.map(str::to_owned).to_vec()));
        let built = build::build(submodules.iter().chain(commands), self.path(), &mut limits);
        built.map_err(|reason| {
            Failure::Other(format!("build of commit {} failed: {reason}", self.commit.short()))
        })
    }

    /// The case with its program from this revision, if a definition of the repository declares the program.
    pub(crate) fn place(&self, case: &PlannedCase) -> crate::Result<PlannedCase> {
        let Some((command, folder)) = case.declared() else { return Ok(case.clone()) };
        Ok(case.started_by(command.to_vec(), self.folder(folder)?))
    }

    /// The folder of this revision that is where this folder is in the repository.
    fn folder(&self, folder: &Path) -> crate::Result<PathBuf> {
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| Failure::Other(format!("cannot find {}: {error}", path.display())))
        };
        let within = real(folder)?;
        let within = within.strip_prefix(real(&self.root)?).map_err(|_| self.outside(folder))?;
        Ok(self.path().join(within))
    }

    /// The plan of a preset, or of a definition in this revision.
    pub(crate) fn plan(&self, preset: &Path) -> crate::Result<Plan> {
        let name = preset.to_string_lossy();
        if presets::is_definition(&name) && preset.exists() && !is_within(self.path(), preset) {
            return Err(self.outside(preset.parent().unwrap_or(preset)));
        }
        presets::plan(&name)
    }

    fn outside(&self, folder: &Path) -> Failure {
        Failure::Usage(format!(
            "the definition in {} is outside the repository {}. Use a definition inside it.",
            folder.display(),
            self.root.display()
        ))
    }

    /// Rejects programs that do not come from this revision, except installed ones that are started by their name.
    pub(crate) fn check_programs(&self, plan: &Plan) -> crate::Result<()> {
        for case in plan.cases.iter().filter(|case| case.declared().is_some()) {
            let Some(program) = case.transport.program() else { continue };
            for file in program.files().into_iter().filter(|file| !file.is_installed) {
                let is_foreign = file.is_started || is_within(&self.root, &file.path);
                if is_foreign && !is_within(self.path(), &file.path) {
                    return Err(Failure::Usage(format!(
                        "`{}` of program {} is outside the commit's work tree. Use a path from the definition, or start \
                         an installed program by its name.",
                        file.word, program.info.slug
                    )));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) -> String {
        let settings = ["-c", "user.name=A. Author", "-c", "user.email=a@example.org"];
        Git::named(folder).ask(&[&settings, arguments].concat()).unwrap()
    }

    #[test]
    fn leaves_the_repository_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        git(folder, &["init", "-q"]);
        fs::write(folder.join("file"), "one").unwrap();
        git(folder, &["add", "file"]);
        git(folder, &["commit", "-q", "-m", "one"]);
        fs::write(folder.join("file"), "modified").unwrap();

        let named = Git::named(folder);
        let commit = named.head().unwrap();
        let revision = Revision::check_out(&named, folder, &commit).unwrap();
        assert_eq!(fs::read_to_string(revision.path().join("file")).unwrap(), "one");
        assert_eq!(git(revision.path(), &["status", "--porcelain"]), "");
        assert_eq!(git(revision.path(), &["rev-parse", "HEAD"]).trim(), commit.as_str());
        assert_eq!(git(folder, &["status", "--porcelain"]), " M file\n");
        assert!(!folder.join(".git/worktrees").exists());
    }
}
