//! Commits of a project on this machine: a work tree for each built commit, kept for the next job with the
//! same commit.

use super::heartbeat::Interrupted;
use super::identity;
use super::job::NoReports;
use super::runner::{Output, Runner, Task};
use crate::explain::suspects;
use crate::failure::{Failure, OnDisk};
use crate::repository::{Git, Repository};
use crate::settings::{self, CommandLine, Imported, Settings};
use crate::{input, platform, presets, spool};
use roundtrip_bench::definition::Plan;
use roundtrip_wire::{CommitSha, Explanation, Slug, Suspect};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Seek};
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

/// Marker next to a work tree: the digest of the commands that built it.
const BUILT: &str = "built";
/// The work tree in its place.
const TREE: &str = "tree";
const KEPT: usize = 10;
/// Fetches submodules as the job user. Also permits local folders, which git rejects by default because a
/// repository could use them to copy files of the user.
const SUBMODULES: [&str; 7] =
    ["git", "-c", "protocol.file.allow=always", "submodule", "update", "--init", "--recursive"];

#[derive(Clone, Debug)]
pub(crate) struct Checkouts {
    pub(crate) folder: PathBuf,
    pub(crate) runner: Runner,
    /// Whether repositories may be on this machine.
    pub(crate) allows_local: bool,
}

#[derive(Debug)]
pub(crate) struct Checkout<'a> {
    checkouts: &'a Checkouts,
    pub(crate) mirror: Mirror,
    url: &'a str,
    builds: PathBuf,
}

#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) root: PathBuf,
    pub(crate) repository: Repository,
    pub(crate) settings: Settings,
}

impl Checkouts {
    pub(crate) fn open<'a>(
        &'a self,
        project: &Slug,
        url: &'a str,
        commits: &[&CommitSha],
    ) -> crate::Result<Checkout<'a>> {
        let repositories = self.folder.join("repositories");
        platform::create_private_folder(&repositories).on_disk(&repositories)?;
        platform::set_mode(&repositories, PRIVATE).on_disk(&repositories)?;
        let mirror = Mirror::new(project, &repositories);
        mirror.fetch(&self.source(url)?, commits)?;
        let all = self.folder.join("builds");
        let builds = all.join(project.as_str());
        platform::create_private_folder(&builds).on_disk(&builds)?;
        platform::set_mode(&all, identity::TRAVERSABLE).on_disk(&all)?;
        // The job user can access a build only while a job uses it.
        for entry in entries(&all)?.into_iter().chain(entries(&builds)?) {
            let mode = if entry == builds { identity::TRAVERSABLE } else { PRIVATE };
            platform::set_mode(&entry, mode).on_disk(&entry)?;
        }
        Ok(Checkout { checkouts: self, mirror, url, builds })
    }

    /// What git may fetch for this address.
    fn source(&self, url: &str) -> crate::Result<Source> {
        let Some(path) = url.strip_prefix("file://") else {
            return Ok(Source { address: url.to_owned(), protocols: REMOTE });
        };
        if !self.allows_local {
            return Err(Failure::Refused(format!(
                "the repository {url} is on this machine: expected https://, ssh:// or git://. To allow it, start the agent \
                 with --allow-local-repositories."
            )));
        }
        let real = |path: &Path| {
            path.canonicalize().map_err(|error| {
                Failure::Other(format!("cannot find the repository {}: {error}", path.display()))
            })
        };
        let found = real(Path::new(path))?;
        if !path.starts_with('/') || found.starts_with(real(&self.folder)?) {
            return Err(Failure::Refused(format!(
                "the repository {url} is not allowed: expected an absolute path outside of the agent's folder"
            )));
        }
        Ok(Source { address: found.to_string_lossy().into_owned(), protocols: LOCAL })
    }
}

fn entries(folder: &Path) -> crate::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(|all| all.map(|entry| Ok(entry?.path())).collect());
    entries.on_disk(folder)
}

impl Checkout<'_> {
    /// The plan of a preset, or of a definition in the commit. If a user of the server chose it, errors do not quote the
    /// file, because the user may not have access to the repository.
    pub(crate) fn plan(&self, built: &Built, preset: &str, is_requested: bool) -> crate::Result<Plan> {
        if !presets::is_definition(preset) {
            return presets::plan(preset);
        }
        let commit = &built.repository.commit.sha;
        let text = self
            .mirror
            .file(commit, Path::new(preset))?
            .ok_or_else(|| Failure::Usage(format!("no file {preset} in commit {}", commit.short())))?;
        presets::defined(&built.root.join(preset), &text).map_err(|failure| {
            let without_contents = format!(
                "{preset} of commit {} is not a definition. Check it in the repository.",
                commit.short()
            );
            if is_requested { Failure::Usage(without_contents) } else { failure }
        })
    }

    /// The work tree of a commit, built as its settings say. Reuses an earlier build.
    pub(crate) fn built(
        &self,
        commit: &CommitSha,
        output: &mut Output,
        heartbeat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<Built, NoReports> {
        let place = self.builds.join(commit.as_str());
        let (root, marker) = (place.join(TREE), place.join(BUILT));
        let settings = match self.mirror.file(commit, Path::new(settings::FILE))? {
            Some(text) => Settings::of_text(Path::new(settings::FILE), &text)?,
            None => Settings::default(),
        };
        let commands = digest(&settings.build);
        if is_built(&marker, &commands).on_disk(&marker)? {
            output.write(&format!("{} is already built", commit.short()));
        } else {
            // Built with other commands, or incomplete. Deleted before it is created again.
            remove(&place)?;
            platform::create_private_folder(&place).on_disk(&place)?;
            self.mirror.check_out(commit, self.url, &root)?;
            self.checkouts
                .build(&place, &settings.build, output, heartbeat)
                .map_err(|reason| reason.with_subject("building:"))?;
            fs::write(&marker, &commands).on_disk(marker)?;
        }
        forget_old(&self.builds, &place);
        Ok(Built { root, repository: self.mirror.history(commit)?, settings })
    }
}

/// Whether the marker of a build has these commands. If so, its time becomes that of its last use.
fn is_built(marker: &Path, commands: &str) -> io::Result<bool> {
    if !fs::read_to_string(marker).is_ok_and(|built| built == commands) {
        return Ok(false);
    }
    File::options().append(true).open(marker)?.set_modified(SystemTime::now())?;
    Ok(true)
}

/// Deletes the builds beyond the limit, those that were not used for the longest time. A paired job uses two.
fn forget_old(builds: &Path, keep: &Path) {
    let Ok(entries) = fs::read_dir(builds) else { return };
    let used = |place: &Path| fs::metadata(place.join(BUILT)).and_then(|file| file.modified()).ok();
    let mut places: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|place| place != keep).collect();
    places.sort_by_key(|place| std::cmp::Reverse(used(place)));
    for place in places.iter().skip(KEPT - 1) {
        // If this fails, the next call deletes it.
        let _ = remove(place);
    }
}

impl Checkouts {
    /// Runs the commands in a new work tree, which the job user owns from now on.
    fn build(
        &self,
        place: &Path,
        commands: &[CommandLine],
        output: &mut Output,
        heartbeat: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(), NoReports> {
        let root = place.join(TREE);
        let home = self.runner.home(place)?;
        self.runner.give(&root)?;
        let submodules =
            root.join(".gitmodules").exists().then(|| CommandLine(SUBMODULES.map(str::to_owned).to_vec()));
        let _shown = Shown::new(place)?;
        submodules.iter().chain(commands).try_for_each(|command| {
            let task = Task { command, home: home.path(), has_network: true, stdout: None };
            self.runner.run(task, &root, output, heartbeat)
        })
    }

    /// Runs a benchmark of the repository in a work tree, without network access, and returns the name and
    /// bytes of its results.
    pub(crate) fn results(
        &self,
        built: &Built,
        imported: &Imported,
        output: &mut Output,
        listen: &mut dyn FnMut() -> ControlFlow<Interrupted>,
    ) -> Result<(String, Vec<u8>), NoReports> {
        let Imported { run: command, file, .. } = imported;
        let place = built.place();
        // The command may change the work tree, so this build is not reused.
        let _ = fs::remove_file(place.join(BUILT));
        let home = self.runner.home(place)?;
        let _shown = Shown::new(place)?;
        // Unnamed, so that only this process and the command can access it.
        let mut printed = tempfile::tempfile().on_disk(&built.root)?;
        let stdout =
            file.is_none().then(|| printed.try_clone().map(Stdio::from)).transpose().on_disk(&built.root)?;
        let task = Task { command, home: home.path(), has_network: false, stdout };
        self.runner.run(task, &built.root, output, listen)?;
        if let Some(file) = file {
            return Ok(input::read(&within(&built.root, file)?)?);
        }
        let bytes = printed.rewind().and_then(|()| input::read_all(printed)).on_disk(&built.root)?;
        Ok((command.program().to_owned(), bytes))
    }
}

/// The real path of a file written by a command. It must be in the command's work tree.
fn within(root: &Path, file: &Path) -> crate::Result<PathBuf> {
    let path = root.join(file);
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))
    };
    let found = real(&path)?;
    // Reading a pipe would block.
    if found.starts_with(real(root)?) && found.is_file() {
        return Ok(found);
    }
    Err(Failure::Usage(format!("{} is not a file in the repository", file.display())))
}

fn digest(commands: &[CommandLine]) -> String {
    let mut sha = Sha256::new();
    for command in commands {
        sha.update(command.to_string());
        sha.update([0]);
    }
    hex::encode(sha.finalize())
}

impl Built {
    /// The folder with the work tree, its marker and homes of commands.
    fn place(&self) -> &Path {
        self.root.parent().unwrap_or(&self.root)
    }

    /// Shows the work tree to the job user until the returned value is dropped.
    pub(crate) fn show(&self) -> crate::Result<Shown> {
        Shown::new(self.place())
    }
}

/// Lets the job user access a build until this is dropped, so that no command can change builds of other commits.
pub(crate) struct Shown(PathBuf);

impl Shown {
    fn new(place: &Path) -> crate::Result<Self> {
        platform::set_mode(place, identity::TRAVERSABLE).on_disk(place)?;
        Ok(Self(place.to_owned()))
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        // The next job does this again.
        let _ = platform::set_mode(&self.0, PRIVATE);
    }
}

/// Deletes a place. What is in it belongs to the job user, the place itself to the agent.
fn remove(place: &Path) -> crate::Result<()> {
    let remove = || {
        for entry in fs::read_dir(place)? {
            platform::remove_tree(&entry?.path())?;
        }
        fs::remove_dir(place)
    };
    spool::removed(remove(), place)
}

// The mirror of a project's repository. Only the agent writes to it, so commits are read from here. A work
// tree belongs to the job user during a build, so its git data cannot be trusted.

/// A repository's address for git, with the protocols that it may use.
pub(crate) struct Source {
    address: String,
    protocols: &'static str,
}

/// None of these protocols runs a program named by a URL.
const REMOTE: &str = "https:http:ssh:git";
/// Repositories on this machine.
const LOCAL: &str = "file";
/// Readable only by the agent: a project's build must not see the sources of another project.
pub(super) const PRIVATE: u32 = 0o700;
/// The size limit for a settings file.
const FILE_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Mirror {
    project: Slug,
    folder: PathBuf,
}

impl Mirror {
    pub(crate) fn new(project: &Slug, repositories: &Path) -> Self {
        Self { project: project.clone(), folder: repositories.join(format!("{project}.git")) }
    }

    pub(crate) fn fetch(&self, source: &Source, commits: &[&CommitSha]) -> crate::Result<()> {
        let Source { address, protocols } = source;
        if address.is_empty() {
            return Err(Failure::Other(format!(
                "project {} has no repository URL. Set it in the project's settings.",
                self.project
            )));
        }
        if !self.folder.join("HEAD").exists() {
            platform::create_private_folder(&self.folder).on_disk(&self.folder)?;
            self.git().ask(&["init", "--quiet", "--template=", "--bare", "."])?;
        }
        let git = Git::of_agent(&self.folder, protocols);
        // Git also fails for a missing object.
        let is_here =
            |commit: &&CommitSha| git.ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_ok();
        if commits.iter().all(is_here) {
            return Ok(());
        }
        git.ask(&["fetch", "--quiet", "--no-tags", "--force", "--", address, "+refs/heads/*:refs/heads/*"])?;
        for commit in commits.iter().filter(|commit| !is_here(commit)) {
            // On no branch: a pull request's commit, or one replaced by a force push.
            git.ask(&["fetch", "--quiet", "--no-tags", "--", address, commit.as_str()])?;
        }
        Ok(())
    }

    /// The commits up to `head` that change what an explanation names.
    pub(crate) fn suspects(
        &self,
        explanation: &Explanation,
        head: &CommitSha,
    ) -> crate::Result<Vec<Suspect>> {
        suspects::find(&self.git(), &explanation.base_sha, head, &explanation.findings)
    }

    /// The last common ancestor of two commits.
    pub(crate) fn merge_base(&self, base: &CommitSha, head: &CommitSha) -> crate::Result<CommitSha> {
        let found = self.git().ask(&["merge-base", base.as_str(), head.as_str()])?;
        CommitSha::parse(found.trim()).map_err(|_| {
            Failure::Other(format!("no common ancestor of {} and {}", base.short(), head.short()))
        })
    }

    pub(crate) fn history(&self, commit: &CommitSha) -> crate::Result<Repository> {
        Repository::of_commit(&self.git(), commit, self.project.as_str())
    }

    /// A file of a commit, by its path from the root; `None` if the commit has none there.
    pub(crate) fn file(&self, commit: &CommitSha, path: &Path) -> crate::Result<Option<String>> {
        let refused = |why: &str| Failure::Usage(format!("{} of {}: {why}", path.display(), commit.short()));
        let mut names = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => names.push(name.to_string_lossy()),
                Component::CurDir => {}
                _ => return Err(refused("expected a path inside the repository")),
            }
        }
        let git = self.git();
        let entry = git.ask(&["ls-tree", "--long", commit.as_str(), "--", &names.join("/")])?;
        // `mode type name size<TAB>path` (git-ls-tree(1)).
        let mut fields = entry.split_ascii_whitespace();
        let Some(mode) = fields.next() else { return Ok(None) };
        if mode == "120000" {
            return Err(refused("is a symbolic link: expected a file"));
        }
        let (Some("blob"), Some(object), Some(size)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(refused("expected a file"));
        };
        if size.parse().is_ok_and(|bytes: u64| bytes > FILE_BYTES_MAX) {
            return Err(refused(&format!("has {size} bytes: expected {FILE_BYTES_MAX} at most")));
        }
        git.ask(&["cat-file", "blob", object]).map(Some)
    }

    /// Creates a repository with only this commit, checked out in a new folder. It shares nothing with the
    /// mirror, because the build may write to all of it.
    pub(crate) fn check_out(&self, commit: &CommitSha, url: &str, folder: &Path) -> crate::Result<()> {
        fs::create_dir_all(folder).on_disk(folder)?;
        let git = Git::of_agent(folder, LOCAL);
        git.ask(&["init", "--quiet", "--template=", "."])?;
        // Submodules may be relative to it.
        git.ask(&["remote", "add", "--", "origin", url])?;
        let mirror = format!("file://{}", self.folder.display());
        git.ask(&["fetch", "--quiet", "--no-tags", "--depth=1", "--", &mirror, commit.as_str()])?;
        git.ask(&["checkout", "--quiet", "--detach", commit.as_str()]).map(|_| ())
    }

    fn git(&self) -> Git {
        Git::of_agent(&self.folder, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    /// A repository of one commit with these files, and its mirror.
    fn mirror(prepare: impl Fn(&Path)) -> (tempfile::TempDir, Mirror, CommitSha) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::create_dir(&source).unwrap();
        let git = Git::named(&source);
        git.ask(&["init", "--quiet", "."]).unwrap();
        prepare(&source);
        git.ask(&["add", "--all"]).unwrap();
        let author = ["-c", "user.name=A. Author", "-c", "user.email=a@example.org"];
        git.ask(&[&author[..], &["commit", "--quiet", "--message=one"]].concat()).unwrap();
        let (mirror, head) =
            (Mirror::new(&Slug::parse("libfoo").unwrap(), folder.path()), git.head().unwrap());
        let source = Source { address: source.to_string_lossy().into_owned(), protocols: LOCAL };
        mirror.fetch(&source, &[&head]).unwrap();
        (folder, mirror, head)
    }

    fn file(mirror: &Mirror, head: &CommitSha, path: &str) -> Result<Option<String>, String> {
        mirror.file(head, Path::new(path)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn build_that_a_job_uses_again_is_not_deleted_as_old() {
        let builds = tempfile::tempdir().unwrap();
        let hours = |count: u32| SystemTime::now() - Duration::from_secs(3_600) * count;
        let names: Vec<String> = (1..=KEPT).map(|age| format!("{age}-hours")).collect();
        for (name, age) in names.iter().zip(1..) {
            fs::create_dir(builds.path().join(name)).unwrap();
            fs::write(builds.path().join(name).join(BUILT), "make").unwrap();
            let marker = File::options().append(true).open(builds.path().join(name).join(BUILT)).unwrap();
            marker.set_modified(hours(age)).unwrap();
        }
        let [.., older, oldest] = &names[..] else { unreachable!() };
        assert!(!is_built(&builds.path().join(oldest).join(BUILT), "make all").unwrap());
        assert!(is_built(&builds.path().join(oldest).join(BUILT), "make").unwrap());
        let new = builds.path().join("new");
        fs::create_dir(&new).unwrap();
        forget_old(builds.path(), &new);
        assert!(builds.path().join(oldest).exists() && new.exists());
        assert!(!builds.path().join(older).exists());
    }

    #[test]
    fn reads_a_file_from_its_commit() {
        let (_folder, mirror, head) = mirror(|source| {
            fs::create_dir(source.join("bench")).unwrap();
            fs::write(source.join("bench/one.toml"), "about = 'ä'\n").unwrap();
        });
        for path in ["bench/one.toml", "./bench/one.toml"] {
            assert_eq!(file(&mirror, &head, path), Ok(Some("about = 'ä'\n".into())));
        }
        assert_eq!(file(&mirror, &head, "roundtrip.toml"), Ok(None));
        assert!(file(&mirror, &head, "bench").unwrap_err().contains("expected a file"));
    }

    #[test]
    fn reads_nothing_outside_the_repository() {
        let (_folder, mirror, head) = mirror(|source| fs::write(source.join("a.toml"), "").unwrap());
        for path in ["/etc/passwd", "../source/a.toml", "a/../a.toml"] {
            let refusal = file(&mirror, &head, path).unwrap_err();
            assert!(refusal.contains("expected a path inside the repository"), "{refusal}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn ignores_symbolic_links_as_settings() {
        let (_folder, mirror, head) = mirror(|source| {
            std::os::unix::fs::symlink("/etc/passwd", source.join("roundtrip.toml")).unwrap();
            std::os::unix::fs::symlink("/etc", source.join("bench")).unwrap();
        });
        let refusal = file(&mirror, &head, "roundtrip.toml").unwrap_err();
        assert!(refusal.contains("is a symbolic link"), "{refusal}");
        assert_eq!(file(&mirror, &head, "bench/passwd"), Ok(None));
    }

    #[test]
    fn rejects_long_files_before_reading() {
        let (_folder, mirror, head) =
            mirror(|source| fs::write(source.join("roundtrip.toml"), "#".repeat((1 << 20) + 1)).unwrap());
        let refusal = file(&mirror, &head, "roundtrip.toml").unwrap_err();
        assert!(refusal.contains("1048577 bytes"), "{refusal}");
    }

    #[test]
    fn checkout_shares_nothing_with_the_mirror() {
        let (folder, mirror, head) = mirror(|source| fs::write(source.join("a.c"), "int a;").unwrap());
        let tree = folder.path().join("tree");
        mirror.check_out(&head, "https://git.example.org/team/libfoo.git", &tree).unwrap();
        assert_eq!(fs::read_to_string(tree.join("a.c")).unwrap(), "int a;");
        let git = Git::named(&tree);
        assert_eq!(git.head().unwrap(), head);
        assert_eq!(
            git.ask(&["remote", "get-url", "origin"]).unwrap().trim(),
            "https://git.example.org/team/libfoo.git"
        );
        // Moved, not deleted: Wine does not delete git's read-only files.
        fs::rename(&mirror.folder, folder.path().join("moved")).unwrap();
        let status =
            Command::new("git").arg("-C").arg(&tree).args(["fsck", "--no-dangling"]).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    }
}
