//! Whether two builds run the same program: then nothing is measured, because any difference would be noise.
//!
//! Two builds of a program are identical if all files of their work trees that its cases open are: the started program, its
//! shared libraries, modules of scripts, other programs and data. Each case runs once on each side to find them. If that is
//! unknown, the builds count as different. Files outside of the work trees are the same for both.

use super::code;
use crate::platform::{CAN_WATCH_FILES, OpenedFiles, WatchedFiles};
use roundtrip_bench::definition::PlannedCase;
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::harness::ab::{Pair, try_once};
use roundtrip_bench::program::Program;
use roundtrip_wire::Slug;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Files with their digests, by path in the work tree.
type Files = BTreeMap<PathBuf, String>;

/// A work tree with built programs.
#[derive(Debug)]
pub(crate) struct Build {
    /// With symbolic links resolved.
    root: PathBuf,
    /// Digests that were computed, by path in the tree. They stay, because nothing is built later.
    digests: BTreeMap<PathBuf, Option<String>>,
    /// What programs opened.
    opened: BTreeMap<Slug, Option<Files>>,
}

impl Build {
    pub(crate) fn new(root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { root, digests: BTreeMap::new(), opened: BTreeMap::new() }
    }

    /// The digest of a file of the work tree.
    fn digest(&mut self, path: &Path) -> Option<String> {
        let Self { root, digests, .. } = self;
        let known = digests.entry(path.to_owned());
        known.or_insert_with_key(|path| code::digest(&root.join(path), Some(root)).ok()).clone()
    }

    /// The files that the command of a case names, by their word, with the digests of those in the work tree. Others are named
    /// by their path.
    fn named(&mut self, case: &PlannedCase) -> Option<BTreeMap<String, String>> {
        let program = case.transport.program()?;
        if program.missing().is_some() {
            return None;
        }
        let named = program.files().into_iter().map(|file| {
            let path = file.path.canonicalize().ok()?;
            let what = match path.strip_prefix(&self.root) {
                Ok(within) => self.digest(within)?,
                Err(_) => path.to_str()?.to_owned(),
            };
            Some((file.word, what))
        });
        named.collect()
    }

    /// The files of the work tree that the cases of a program open, and the targets of symbolic links that leave it.
    fn opened(&mut self, program: &Program, run: &mut dyn FnMut() -> bool) -> Option<Files> {
        let name = program.info.slug.clone();
        if !self.opened.contains_key(&name) {
            let opened = self.open(program, run);
            self.opened.insert(name.clone(), opened);
        }
        self.opened.get(&name)?.clone()
    }

    fn open(&mut self, program: &Program, run: &mut dyn FnMut() -> bool) -> Option<Files> {
        let watch = WatchedFiles::of(&self.root).ok()?;
        if !run() {
            return None;
        }
        let OpenedFiles { files, links } = watch.end().ok()?;
        // Some file systems report nothing.
        let named = program.files().into_iter().filter_map(|file| file.path.canonicalize().ok());
        let mut named = named.filter_map(|path| Some(path.strip_prefix(&self.root).ok()?.to_owned()));
        if files.is_empty() || !named.all(|path| files.contains(&path)) {
            return None;
        }
        let mut all = Files::new();
        for path in files {
            all.insert(path.clone(), self.digest(&path)?);
        }
        for (path, target) in links {
            all.insert(path, target.to_str()?.to_owned());
        }
        Some(all)
    }
}

/// Which of these pairs are known to run the same program in both builds. The programs run as they are declared.
pub(crate) fn of_pairs(
    builds: [&mut Build; 2],
    pairs: &[Pair],
    deadline: Duration,
    peer: &PeerCommand,
) -> Vec<bool> {
    identical(builds, pairs, &mut |place, side| {
        let Pair { base, head } = &pairs[place];
        try_once(if side == 0 { base } else { head }, deadline, peer)
    })
}

/// The same. `run` runs a pair's side, base or head (0 or 1), once,
/// and returns whether that succeeded.
pub(crate) fn identical(
    builds: [&mut Build; 2],
    pairs: &[Pair],
    run: &mut dyn FnMut(usize, usize) -> bool,
) -> Vec<bool> {
    let mut found = vec![false; pairs.len()];
    if !CAN_WATCH_FILES {
        return found;
    }
    let [base, head] = builds;
    let mut programs: BTreeMap<Slug, Vec<usize>> = BTreeMap::new();
    for (place, pair) in pairs.iter().enumerate() {
        if let Some(program) = pair.base.transport.program() {
            programs.entry(program.info.slug.clone()).or_default().push(place);
        }
    }
    for places in programs.into_values() {
        let mut is_same = || {
            let Pair { base: base_case, head: head_case } = &pairs[*places.first()?];
            let named = base.named(base_case)?;
            if head.named(head_case)? != named {
                return None;
            }
            let mut run_all = |side: usize| places.iter().all(|&place| run(place, side));
            let opened = base.opened(base_case.transport.program()?, &mut || run_all(0))?;
            Some(opened == head.opened(head_case.transport.program()?, &mut || run_all(1))?)
        };
        let is_same = is_same() == Some(true);
        places.iter().for_each(|&place| found[place] = is_same);
    }
    found
}
