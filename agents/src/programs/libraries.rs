//! The shared libraries that a program loads at its start, found as the loader of ELF files does (ld.so(8)), without running
//! it.

use super::code;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader};
use object::{Endianness, FileKind, Object};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The loader's own folders, after those of its settings.
const FOLDERS: [&str; 5] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"];

const SETTINGS: &str = "/etc/ld.so.conf";

/// The most libraries of a program.
const LIBRARIES_MAX: usize = 500;

/// What the loader reads in a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Dynamic {
    /// The class and the machine, which libraries must share.
    kind: (bool, u16),
    loader: Option<PathBuf>,
    needed: Vec<String>,
    /// Searched before `LD_LIBRARY_PATH`.
    before: Vec<PathBuf>,
    /// Searched after it.
    after: Vec<PathBuf>,
}

/// The shared libraries of an ELF file and their own, and the loader, by name. Those that are not found are absent. None for
/// other files.
pub(super) fn loaded(program: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut pending = VecDeque::from([program.to_owned()]);
    let system = system_folders();
    let asked = std::env::var_os("LD_LIBRARY_PATH");
    let asked: Vec<PathBuf> = asked.iter().flat_map(std::env::split_paths).collect();
    // Those of the program count for all its libraries.
    let mut inherited = Vec::new();
    while let Some(path) = pending.pop_front() {
        let Some(dynamic) = Dynamic::read(&path) else { continue };
        if let Some(loader) = &dynamic.loader {
            found.entry(loader.display().to_string()).or_insert_with(|| loader.clone());
        }
        inherited.extend(dynamic.before.iter().cloned());
        for name in &dynamic.needed {
            if found.contains_key(name) || found.len() >= LIBRARIES_MAX {
                continue;
            }
            let folders = [&inherited, &asked, &dynamic.after, &system].into_iter().flatten();
            let is_fitting = |path: &PathBuf| Dynamic::read(path).is_some_and(|one| one.kind == dynamic.kind);
            let place = if name.contains('/') {
                Some(PathBuf::from(name)).filter(is_fitting)
            } else {
                folders.map(|folder| folder.join(name)).find(is_fitting)
            };
            if let Some(place) = place {
                pending.push_back(place.clone());
                found.insert(name.clone(), place);
            }
        }
    }
    found
}

impl Dynamic {
    fn read(path: &Path) -> Option<Self> {
        let bytes = code::read(path).ok()?;
        match FileKind::parse(&bytes[..]) {
            Ok(FileKind::Elf32) => Self::parse::<FileHeader32<Endianness>>(path, &bytes),
            Ok(FileKind::Elf64) => Self::parse::<FileHeader64<Endianness>>(path, &bytes),
            _ => None,
        }
    }

    fn parse<Elf: FileHeader<Endian = Endianness>>(path: &Path, bytes: &[u8]) -> Option<Self> {
        let file = ElfFile::<Elf>::parse(bytes).ok()?;
        let endian = file.endian();
        let table = file.elf_dynamic_table().ok()?;
        let texts = |tag: i64| -> Vec<String> {
            let entries = table.iter().filter(|entry| entry.tag == tag);
            let text = entries.filter_map(|entry| table.string(entry).ok());
            text.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
        };
        let origin = path.canonicalize().ok()?.parent()?.display().to_string();
        let folders = |tag: i64| -> Vec<PathBuf> {
            let all = texts(tag).into_iter().flat_map(|text| {
                let text = text.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
                std::env::split_paths(OsStr::new(&text)).collect::<Vec<_>>()
            });
            all.collect()
        };
        let loader =
            file.elf_program_headers().iter().find_map(|header| header.interpreter(endian, bytes).ok()?);
        let after = folders(elf::DT_RUNPATH);
        Some(Self {
            kind: (file.is_64(), file.elf_header().e_machine(endian)),
            loader: loader.map(|loader| PathBuf::from(String::from_utf8_lossy(loader).into_owned())),
            needed: texts(elf::DT_NEEDED),
            before: if after.is_empty() { folders(elf::DT_RPATH) } else { Vec::new() },
            after,
        })
    }
}

/// The folders that the loader searches for every program.
fn system_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    add_settings(Path::new(SETTINGS), &mut folders);
    folders.extend(FOLDERS.map(PathBuf::from));
    folders
}

/// Adds the folders of a file of settings, and of those that it includes.
fn add_settings(path: &Path, folders: &mut Vec<PathBuf>) {
    for line in fs::read_to_string(path).unwrap_or_default().lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match line.strip_prefix("include") {
            Some(pattern) => {
                // As distributions write it: `include /etc/ld.so.conf.d/*.conf`.
                let Some(folder) = pattern.trim().strip_suffix("/*.conf") else { continue };
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let mut included: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                included.retain(|path| path.extension() == Some(OsStr::new("conf")));
                included.sort();
                included.iter().for_each(|path| add_settings(path, folders));
            }
            None if line.starts_with('/') => folders.push(PathBuf::from(line)),
            None => {}
        }
    }
}
