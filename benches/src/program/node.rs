//! The programs for Node that come with the suite: `benches/node/ipc.js`, over the channel of `child_process.fork`, with
//! both of its serializations.

use super::{Launch, Place, Program};
use crate::definition::{Plan, PlannedCase};
use crate::mechanism::Mechanism;
use crate::sys::Unsupported;
use crate::system;
use roundtrip_wire::{Slug, TransportInfo};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The script, which is both ends.
const SCRIPT: (&str, &str) = ("ipc.js", include_str!("../../node/ipc.js"));

/// Name, title, serialization, and what that one does.
const ALL: [(&str, &str, &str, &str); 2] = [
    (
        "node-advanced",
        "Node child_process, advanced",
        "advanced",
        "A parent and a forked child exchange strings over Node's channel, a Unix socket or a named pipe: the structured \
         clone format of V8 behind a length of four bytes.",
    ),
    (
        "node-json",
        "Node child_process, JSON",
        "json",
        "A parent and a forked child exchange strings over Node's channel, a Unix socket or a named pipe: JSON, one \
         message a line.",
    ),
];

/// A `node` to measure with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Which of several it is.
    pub variant: Option<Slug>,
    /// The program; a bare name is looked up in `PATH`.
    pub path: PathBuf,
}

/// Those that come with the suite, with the `node` in `PATH`.
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
        unsupported: (!is_in_path("node"))
            .then(|| Unsupported::because("node is not in PATH: expected it there, or --node PATH")),
    })
}

/// Whether a case is measured with a `node`.
pub fn is_of_node(case: &PlannedCase) -> bool {
    let program = case.transport.program();
    program.is_some_and(|program| ALL.iter().any(|(slug, ..)| *slug == program.info.slug.as_str()))
}

/// Measures every case for Node with each of these instead of the one in `PATH`.
pub fn with_each(plan: Plan, nodes: &[Node]) -> Plan {
    let each = |case: PlannedCase| match case.transport.program() {
        Some(program) if is_of_node(&case) => nodes
            .iter()
            .map(|node| PlannedCase { transport: Mechanism::Program(with(program, node)), ..case.clone() })
            .collect(),
        _ => vec![case],
    };
    let cases = plan.cases.into_iter().flat_map(each).collect();
    Plan { cases, ..plan }
}

/// The same with this `node`.
fn with(program: &Program, node: &Node) -> Arc<Program> {
    let mut program = program.clone();
    if let Launch::Command(command) = &mut program.launch
        && let Some(first) = command.first_mut()
    {
        *first = node.path.to_string_lossy().into_owned();
    }
    Arc::new(Program { variant: node.variant.clone(), unsupported: None, ..program })
}

fn is_in_path(name: &str) -> bool {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder: PathBuf| Path::is_file(&folder.join(&name)))
}
