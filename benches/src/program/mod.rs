//! External programs with their own transport, in any language, driven by the same definitions.
//!
//! - `protocol`: the protocol; `benches/external/PROTOCOL.md` documents it for authors of programs.
//! - [`header`]: how receivers recognize a message, and the sum that they report.
//! - [`node`]: the bundled programs for Node; [`framing`]: its wire formats without it.

use crate::peer_command::PeerCommand;
use crate::scratch;
use crate::sys::Unsupported;
use crate::system::SupportedSystem;
use roundtrip_wire::{Slug, TransportInfo};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};
use tempfile::TempDir;

pub mod framing;
pub mod header;
pub mod node;
pub(crate) mod protocol;

/// A program and how to start it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name, family and semantics, recorded with every result.
    pub info: TransportInfo,
    /// The command to start.
    pub launch: Launch,
    /// The working folder.
    pub place: Place,
    /// Distinguishes programs with the same name in one run.
    pub variant: Option<Slug>,
    /// The supported systems.
    pub systems: &'static [SupportedSystem],
    /// Why it cannot run on this machine, if that is not an error.
    pub unsupported: Option<Unsupported>,
    /// The line of its command in the definition that declares it.
    pub line: Option<usize>,
}

/// The command of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A program and its arguments.
    Command(Vec<String>),
    /// A peer of this suite with these arguments.
    Peer(Vec<String>),
}

/// The working folder of a program. A relative program path starts there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// This folder.
    Folder(PathBuf),
    /// A new folder with these files, by name and text; removed after the repetition.
    Fresh(&'static [(&'static str, &'static str)]),
}

/// A file that a program's command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// The word of the command.
    pub word: String,
    /// Its absolute path.
    pub path: PathBuf,
    /// Whether it is the started program, not an argument.
    pub is_started: bool,
    /// Whether it was found in `PATH`.
    pub is_installed: bool,
}

/// Whether a program is looked up in `PATH`, as in a shell; a path is relative to the working folder.
fn is_bare(program: &str) -> bool {
    !program.contains(['/', std::path::MAIN_SEPARATOR])
}

impl Program {
    /// The command and folder, if a definition declares the program: then it belongs to the definition's repository.
    pub fn declared(&self) -> Option<(&[String], &Path)> {
        match (&self.launch, &self.place) {
            (Launch::Command(command), Place::Folder(folder)) => Some((command, folder)),
            _ => None,
        }
    }

    /// The program in its command, if a definition declares it and there is no such file.
    pub fn missing(&self) -> Option<&str> {
        let (command, _) = self.declared()?;
        let is_found = self.files().iter().any(|file| file.is_started);
        if is_found { None } else { command.first().map(String::as_str) }
    }

    /// The files of its command: the started program, and arguments that name files. None for a peer of this suite.
    pub fn files(&self) -> Vec<ProgramFile> {
        let Launch::Command(command) = &self.launch else { return Vec::new() };
        let file = |(index, word): (usize, &String)| {
            let (is_started, is_installed) = (index == 0, index == 0 && is_bare(word));
            let path = match &self.place {
                _ if is_installed => node::find_in_path(word)?,
                Place::Folder(folder) => folder.join(word),
                Place::Fresh(_) => PathBuf::from(word),
            };
            let with_suffix = PathBuf::from(format!("{}{}", path.display(), env::consts::EXE_SUFFIX));
            let path = [path, with_suffix].into_iter().find(|path| path.is_absolute() && path.is_file())?;
            Some(ProgramFile { word: word.clone(), path, is_started, is_installed })
        };
        command.iter().enumerate().filter_map(file).collect()
    }

    /// Returns a process that is not started yet, and the folder to keep until it has ended.
    ///
    /// # Errors
    /// If the command is empty, or a file cannot be written.
    pub fn process(&self, peer: &PeerCommand) -> io::Result<(Command, Option<TempDir>)> {
        let command = match &self.launch {
            Launch::Command(command) => command,
            Launch::Peer(arguments) => {
                let mut process = peer.command();
                process.args(arguments);
                return Ok((process, None));
            }
        };
        let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("empty command"))?;
        let (folder, fresh) = match &self.place {
            Place::Folder(folder) => (folder.clone(), None),
            Place::Fresh(files) => {
                let fresh = scratch::folder()?;
                for (name, text) in *files {
                    fs::write(fresh.path().join(name), text)?;
                }
                (fresh.path().to_owned(), Some(fresh))
            }
        };
        let program = if is_bare(program) { PathBuf::from(program) } else { folder.join(program) };
        let mut process = Command::new(program);
        process.args(arguments).current_dir(folder);
        Ok((process, fresh))
    }
}

/// The bundled programs, ordered by slug.
pub fn bundled() -> impl Iterator<Item = Program> {
    let mut programs: Vec<Program> = node::programs().chain(framing::programs()).collect();
    programs.sort_by(|one, other| one.info.slug.cmp(&other.info.slug));
    programs.into_iter()
}
