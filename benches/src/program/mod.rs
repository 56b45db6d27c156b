//! Programs that bring a transport of their own: any language, any library, driven by the same definitions.
//!
//! - `protocol`: what is said, line by line; `benches/external/PROTOCOL.md` says it to who writes such a program.
//! - [`head`]: how a message is recognised, and what its receivers must have added up.
//! - [`node`]: the programs for Node that come with the suite; [`framing`]: its wire formats without it.

use crate::peer_command::PeerCommand;
use crate::scratch;
use crate::sys::Unsupported;
use crate::system::Home;
use roundtrip_wire::{Slug, TransportInfo};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};
use tempfile::TempDir;

pub mod framing;
pub mod head;
pub mod node;
pub(crate) mod protocol;

/// A program and how it is started.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name, family and semantics, as they travel with every result.
    pub info: TransportInfo,
    /// What is started.
    pub launch: Launch,
    /// Where it is started.
    pub place: Place,
    /// Which of several with the same name it is, where a run has several.
    pub variant: Option<Slug>,
    /// The systems that it is for.
    pub systems: &'static [Home],
    /// Why it cannot be started on this machine, where that is no mistake.
    pub unsupported: Option<Unsupported>,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// A program and its arguments.
    Command(Vec<String>),
    /// A peer of this suite with these arguments.
    Peer(Vec<String>),
}

/// Where a program is started. A program with a relative path is found from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this folder.
    Folder(PathBuf),
    /// In a new folder with these files, by name and text; it is removed when the repetition is over.
    Fresh(&'static [(&'static str, &'static str)]),
}

impl Program {
    /// What starts it and in which folder, if a definition declares it: then it is of the repository that the definition
    /// stands in.
    pub fn declared(&self) -> Option<(&[String], &Path)> {
        match (&self.launch, &self.place) {
            (Launch::Command(command), Place::Folder(folder)) => Some((command, folder)),
            _ => None,
        }
    }

    /// A process of it that is not started yet, and the folder to keep until it has ended.
    ///
    /// # Errors
    /// When the command is empty, or a file cannot be written.
    pub fn process(&self, peer: &PeerCommand) -> io::Result<(Command, Option<TempDir>)> {
        let command = match &self.launch {
            Launch::Command(command) => command,
            Launch::Peer(arguments) => {
                let mut process = peer.command();
                process.args(arguments);
                return Ok((process, None));
            }
        };
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("its command is empty"))?;
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
        // A bare name is looked up in PATH, as a shell does; a path is taken from where the program is started.
        let is_bare = !program.contains(['/', std::path::MAIN_SEPARATOR]);
        let program = if is_bare { PathBuf::from(program) } else { folder.join(program) };
        let mut process = Command::new(program);
        process.args(arguments).current_dir(folder);
        Ok((process, fresh))
    }
}

/// The programs that come with the suite, in the order of slugs.
pub fn of_suite() -> impl Iterator<Item = Program> {
    let mut programs: Vec<Program> = node::programs().chain(framing::programs()).collect();
    programs.sort_by(|one, other| one.info.slug.cmp(&other.info.slug));
    programs.into_iter()
}
