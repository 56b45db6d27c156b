//! The bundled programs for Node: `benches/node/ipc.js`, over the channel of `child_process.fork`, with both of its
//! serializations.

use super::{Launch, Place, Program};
use crate::sys::Unsupported;
use crate::system;
use roundtrip_wire::{Slug, TransportInfo};
use std::env;
use std::path::PathBuf;

/// The script for both ends.
const SCRIPT: (&str, &str) = ("ipc.js", include_str!("../../node/ipc.js"));

/// Name, title, serialization, and description.
const ALL: [(&str, &str, &str, &str); 2] = [
    (
        "node-advanced",
        "Node child_process, advanced",
        "advanced",
        "A parent and a forked child exchange strings over Node's channel (Unix socket or named pipe), in \
         V8's structured clone format with a 4-byte length.",
    ),
    (
        "node-json",
        "Node child_process, JSON",
        "json",
        "A parent and a forked child exchange strings over Node's channel (Unix socket or named pipe), as \
         lines of JSON.",
    ),
];

/// A `node` to measure with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its variant.
    pub variant: Option<Slug>,
    /// The program; a bare name is looked up in `PATH`.
    pub path: PathBuf,
}

/// The bundled programs, with the `node` in `PATH`.
pub fn programs() -> impl Iterator<Item = Program> {
    ALL.into_iter().map(|(slug, title, serialization, semantics)| Program {
        info: TransportInfo {
            slug: Slug::from_name(slug),
            title: title.to_owned(),
            family: Slug::from_name("runtime"),
            semantics: semantics.to_owned(),
            control: false,
        },
        launch: Launch::Command(["node", SCRIPT.0, serialization].map(str::to_owned).into()),
        place: Place::Fresh(&[SCRIPT]),
        variant: None,
        systems: system::EVERY,
        unsupported: find_in_path("node")
            .is_none()
            .then(|| Unsupported::because("no `node` in PATH. Install it, or pass --node PATH.")),
        line: None,
    })
}

impl Program {
    /// Whether it is one of these.
    pub fn uses_node(&self) -> bool {
        ALL.iter().any(|(slug, ..)| *slug == self.info.slug.as_str())
    }

    /// The same program with this `node`.
    #[must_use]
    pub fn with_node(&self, node: &Node) -> Self {
        let mut program = self.clone();
        if let Launch::Command(command) = &mut program.launch
            && let Some(first) = command.first_mut()
        {
            *first = node.path.to_string_lossy().into_owned();
        }
        Self { variant: node.variant.clone(), unsupported: None, ..program }
    }
}

/// The file of a program in `PATH`.
pub fn find_in_path(name: &str) -> Option<PathBuf> {
    let suffix = env::consts::EXE_SUFFIX;
    let name = format!("{}{suffix}", name.strip_suffix(suffix).unwrap_or(name));
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}
