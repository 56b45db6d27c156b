//! [`PeerCommand`]: the command that starts a process of this suite.

use crate::sys::death;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The command that runs a peer.
#[derive(Clone, Debug)]
pub struct PeerCommand {
    /// The program.
    pub program: PathBuf,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// Names a program that runs peers if the kernel cannot: an emulator for another processor.
const PEER_RUNNER: &str = "ROUNDTRIP_PEER_RUNNER";

impl PeerCommand {
    /// A program of this project, run with the emulator in `ROUNDTRIP_PEER_RUNNER`, if set.
    pub fn new(program: PathBuf, argument: Option<&str>) -> Self {
        let argument = argument.map(str::to_owned).into_iter();
        match std::env::var_os(PEER_RUNNER) {
            None => Self { program, arguments: argument.collect() },
            Some(runner) => {
                let emulated = program.to_string_lossy().into_owned();
                Self { program: runner.into(), arguments: [emulated].into_iter().chain(argument).collect() }
            }
        }
    }

    /// This program, whose command `peer` runs a peer.
    ///
    /// # Errors
    /// If the system does not provide the path of the program.
    pub fn this_program() -> io::Result<Self> {
        Ok(Self::new(std::env::current_exe()?, Some("peer")))
    }

    /// Returns a process that is not started yet.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }

    /// Returns the same as a peer: orders go in, answers come out, and it ends with this process.
    pub(crate) fn process(&self) -> Command {
        let mut process = self.command();
        process.stdin(Stdio::piped()).stdout(Stdio::piped());
        death::prepare(&mut process);
        process
    }
}
