//! The measured programs: their place in definitions, the digests of their files, and whether they come from the commit.
//!
//! - `code`: the digest of what executes. `libraries`: the shared libraries of a program. [`identical`]: whether two builds run
//!   the same.

use crate::failure::Failure;
use crate::repository::Git;
use crate::revision::is_within;
use crate::settings::{self, Settings};
use crate::table::Places;
use roundtrip_bench::definition::{Plan, PlannedCase};
use roundtrip_bench::program::node::find_in_path;
use roundtrip_bench::program::{Launch, Program, ProgramFile};
use roundtrip_wire::{MeasuredProgram, ProgramOrigin};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

mod code;
pub(crate) mod identical;
mod libraries;

/// Larger files are not read: a program is smaller, and reading them would take long.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// The length of the first line that systems read.
const SCRIPT_LINE_BYTES_MAX: u64 = 255;

/// A work tree without changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommitTree<'a> {
    pub(crate) root: &'a Path,
    /// The repository, if nothing was built: then only tracked files come from the commit.
    pub(crate) unbuilt: Option<&'a Git>,
}

impl CommitTree<'_> {
    /// Whether a program that starts in this folder comes from the commit.
    fn has(&self, folder: &Path, files: &[ProgramFile]) -> bool {
        let mut own = files.iter().filter(|file| !file.is_installed).map(|file| file.path.as_path());
        let is_within = is_within(self.root, folder) && own.clone().all(|path| is_within(self.root, path));
        let are_tracked = |git: &Git| own.clone().next().is_some() && own.all(|path| git.tracks(path));
        is_within && self.unbuilt.is_none_or(are_tracked)
    }
}

/// The external programs of these cases. Without a tree, those that a definition declares were measured as found.
pub(crate) fn measured<'a>(
    cases: impl IntoIterator<Item = &'a PlannedCase>,
    tree: Option<CommitTree<'_>>,
) -> Vec<MeasuredProgram> {
    let mut digests = Digests::default();
    let mut all: Vec<MeasuredProgram> = Vec::new();
    for program in cases.into_iter().filter_map(|case| case.transport.program()) {
        let (transport, variant) = (&program.info.slug, &program.variant);
        let is_known = all.iter().any(|one| (&one.transport, &one.variant) == (transport, variant));
        if is_known || !matches!(program.launch, Launch::Command(_)) {
            continue;
        }
        let files = program.files();
        let origin = match program.declared() {
            None => ProgramOrigin::Machine,
            Some((_, folder)) if tree.is_some_and(|tree| tree.has(folder, &files)) => ProgramOrigin::Commit,
            Some(_) => ProgramOrigin::Found,
        };
        // No commit changes an installed program: the digest of its file suffices.
        let code = match origin {
            ProgramOrigin::Machine => BTreeMap::new(),
            _ => digests.code(&files, tree.map(|tree| tree.root)),
        };
        let files = files
            .into_iter()
            .filter_map(|ProgramFile { word, path, .. }| Some((word, digests.file(&path)?)))
            .collect();
        all.push(MeasuredProgram {
            transport: transport.clone(),
            variant: variant.clone(),
            origin,
            files,
            code,
        });
    }
    all
}

/// Digests that were computed.
#[derive(Debug, Default)]
struct Digests {
    files: BTreeMap<PathBuf, Option<String>>,
    code: BTreeMap<PathBuf, Option<String>>,
}

impl Digests {
    fn file(&mut self, path: &Path) -> Option<String> {
        self.files.entry(path.to_owned()).or_insert_with_key(|path| digest(path).ok()).clone()
    }

    /// What executes, by name: the files of a command, their shared libraries, and the interpreters of scripts.
    fn code(&mut self, files: &[ProgramFile], root: Option<&Path>) -> BTreeMap<String, String> {
        let mut executed: BTreeMap<String, PathBuf> = BTreeMap::new();
        for ProgramFile { word, path, .. } in files {
            executed.insert(word.clone(), path.clone());
            let interpreter = interpreter(path).filter(|interpreter| is_public(interpreter, root));
            let program = interpreter.as_ref().unwrap_or(path);
            executed.extend(libraries::loaded(program).into_iter().filter(|(_, path)| is_public(path, root)));
            executed.extend(interpreter.map(|path| (path.display().to_string(), path)));
        }
        let digest = |(name, path): (String, PathBuf)| {
            let digest = self.code.entry(path).or_insert_with_key(|path| code::digest(path, root).ok());
            Some((name, digest.clone()?))
        };
        executed.into_iter().filter_map(digest).collect()
    }
}

/// Whether a library or an interpreter comes from the work tree or the system. A build can name any file as one, also a file that
/// only the agent can read.
fn is_public(path: &Path, root: Option<&Path>) -> bool {
    let system = ["/lib", "/lib64", "/usr"].map(Path::new);
    root.into_iter().chain(system).any(|folder| is_within(folder, path))
}

/// The program that the first line of a script names, such as `#!/usr/bin/env node`.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let mut begin = Vec::new();
    File::open(path).ok()?.take(SCRIPT_LINE_BYTES_MAX).read_to_end(&mut begin).ok()?;
    let line = String::from_utf8_lossy(begin.strip_prefix(b"#!")?).lines().next()?.to_owned();
    let mut words = line.split_whitespace();
    let program = PathBuf::from(words.next()?);
    if program.file_name()? != "env" {
        return Some(program);
    }
    let is_name = |word: &&str| !word.starts_with('-') && !word.contains('=');
    find_in_path(words.find(is_name)?)
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() > FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex::encode(hasher.finalize())),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// The places of a plan's programs.
pub(crate) fn places(plan: &Plan) -> Places {
    let place = |program: &Program| {
        let (command, _) = program.declared()?;
        let place = format!("{}, {}", command.first()?, definition(plan, program)?);
        Some((program.info.slug.clone(), place))
    };
    plan.cases.iter().filter_map(|case| place(case.transport.program()?)).collect()
}

/// Checks that the programs of these plans exist.
pub(crate) fn check(plans: &[Plan], settings: &Settings) -> crate::Result<()> {
    let cases = plans.iter().flat_map(|plan| plan.cases.iter().map(move |case| (plan, case)));
    let programs = cases.filter_map(|(plan, case)| Some((plan, case.transport.program()?)));
    let missing = programs
        .filter_map(|(plan, program)| Some((program, program.missing()?, definition(plan, program)?)));
    let Some((program, file, place)) = missing.into_iter().next() else { return Ok(()) };
    let next = if settings.build.is_empty() {
        format!("Build it first, or add its build command to `build` in {}.", settings::FILE)
    } else {
        format!("The commands in `build` of {} did not create it.", settings::FILE)
    };
    Err(Failure::Usage(format!(
        "cannot start `{file}` (program {} in {place}): no such file. {next}",
        program.info.slug
    )))
}

/// The definition and line that declare a program, as in `ipc.toml:12`. The definition's name is the preset's.
fn definition(plan: &Plan, program: &Program) -> Option<String> {
    let (_, folder) = program.declared()?;
    let path = folder.join(format!("{}.toml", plan.preset));
    let here = std::env::current_dir().unwrap_or_default();
    Some(format!("{}:{}", path.strip_prefix(here).unwrap_or(&path).display(), program.line?))
}
