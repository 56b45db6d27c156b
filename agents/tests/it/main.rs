//! The `roundtrip` command from outside: what it says, its exit codes, and that it loses nothing.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod ab;
mod advise;
mod agent;
mod compare;
#[cfg(target_os = "linux")]
mod confine;
mod detect;
mod doctor;
mod exchange;
// Its shell scripts, limits and transports are those of Linux.
#[cfg(target_os = "linux")]
mod faults;
mod import;
// Registers are those of one processor.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod killed;
// Its builds are shell scripts.
#[cfg(unix)]
mod lab;
#[cfg(target_os = "linux")]
mod lab_confined;
mod list;
mod proxy;
#[cfg(target_os = "linux")]
mod record;
mod run;
mod server;
mod service;
mod settings;
mod sizes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod traced;
mod unreliable;
// Its newer programs are copies of this one, as Linux runs them.
#[cfg(target_os = "linux")]
mod update;
mod upload;

use roundtrip_bench::harness::PeerCommand;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// What runs the command.
fn program() -> PeerCommand {
    PeerCommand::new(env!("CARGO_BIN_EXE_roundtrip").into(), None)
}

/// The same as the beginning of a command line, quoted: a folder of the path may have a space in its name.
fn words() -> String {
    let PeerCommand { program, arguments } = program();
    shell_words::join([vec![program.display().to_string()], arguments].concat())
}

/// The command, in a folder of its own, without what the caller's environment sets.
fn roundtrip(folder: &Path) -> Command {
    started(&program(), folder)
}

/// The same of another file than the one that was built.
fn started(program: &PeerCommand, folder: &Path) -> Command {
    let mut command = program.command();
    let ours = ["ROUNDTRIP_SERVER", "ROUNDTRIP_TOKEN_FILE", "ROUNDTRIP_MACHINE", "ROUNDTRIP_PROJECT"];
    // The tests may run in a job themselves.
    let of_jobs = ["GITHUB_ACTIONS", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];
    for variable in ours.into_iter().chain(of_jobs) {
        command.env_remove(variable);
    }
    command.current_dir(folder).env("XDG_STATE_HOME", folder.join("a state"));
    command
}

/// Where reports of [`roundtrip`] wait, if that is a folder of the test's own: other systems do not ask the variable.
fn own_spool(folder: &Path) -> Option<std::path::PathBuf> {
    cfg!(any(target_os = "linux", target_os = "freebsd")).then(|| folder.join("a state/roundtrip/spool"))
}

/// How often a fault is repeated: so often, unless `ROUNDTRIP_FAULT_ROUNDS` asks for more.
fn fault_rounds(few: usize) -> usize {
    let asked = std::env::var("ROUNDTRIP_FAULT_ROUNDS").ok();
    asked.map_or(few, |asked| asked.parse().expect("ROUNDTRIP_FAULT_ROUNDS is a number"))
}

/// Runs the command with these arguments in this folder.
fn ran(folder: &Path, arguments: &[&str]) -> Output {
    roundtrip(folder).args(arguments).output().unwrap()
}

/// What a command wrote to standard error.
fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command that succeeded wrote to standard output.
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, complaint(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The same as JSON.
fn printed_json(output: &Output) -> Value {
    serde_json::from_str(&printed(output)).unwrap()
}

/// Checks that a command ended with this code, and complained in these words. Returns the complaint.
fn refused(output: &Output, code: i32, words: &[&str]) -> String {
    let complaint = complaint(output);
    assert_eq!(output.status.code(), Some(code), "{complaint}");
    for expected in words {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    complaint
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A definition of one case that takes a moment.
fn definition(transport: &str, repetitions: u32) -> String {
    format!(
        "about = ''\ndeadline_seconds = 20\n[[case]]\nscenario = 'roundtrip'\ntransports = ['{transport}']\n\
         message_bytes = [64]\nmodes = ['2proc']\nplacements = ['free']\noperations = 20\nwarmup = 2\n\
         repetitions = {repetitions}\n"
    )
}

/// A definition of messages of 64 KiB through programs of these names, each started by this command.
fn definition_of_programs(names: &[&str], command: &str) -> String {
    let program = |name: &&str| {
        format!(
            "[[program]]\nslug = '{name}'\ntitle = ''\nfamily = 'runtime'\nsemantics = ''\ncommand = {command}\n"
        )
    };
    let programs: String = names.iter().map(program).collect();
    format!(
        "about = ''\ndeadline_seconds = 60\n{programs}[[case]]\nscenario = 'roundtrip'\ntransports = ['{}']\n\
         message_bytes = [65536]\nmodes = ['2proc']\nplacements = ['free']\noperations = 30\nwarmup = 5\n\
         repetitions = 1\n",
        names.join("', '")
    )
}

/// Whether this system has the channel over which such programs talk; it says why not.
fn has_programs() -> bool {
    let reason = roundtrip_bench::sys::fork_channel::support().err();
    reason.iter().for_each(|reason| println!("not run, because {reason}"));
    reason.is_none()
}
