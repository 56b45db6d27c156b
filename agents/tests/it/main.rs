//! Tests the `roundtrip` command from outside: output, exit codes, and no lost reports.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod ab;
mod advise;
mod agent;
#[cfg(target_os = "linux")]
mod attack;
// Builds with shell scripts.
#[cfg(unix)]
mod bisect;
#[cfg(unix)]
mod builds;
mod comment;
mod compare;
#[cfg(target_os = "linux")]
mod confine;
mod detect;
mod doctor;
mod exchange;
#[cfg(target_os = "linux")]
mod explain;
mod export;
// Uses shell scripts, limits and transports of Linux.
#[cfg(target_os = "linux")]
mod faults;
mod forge;
#[cfg(target_os = "linux")]
mod identical;
mod import;
mod init;
// Reads the registers of one processor architecture.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod killed;
// Builds with shell scripts.
#[cfg(unix)]
mod lab;
#[cfg(target_os = "linux")]
mod lab_confined;
mod list;
mod mcp;
mod proxy;
#[cfg(target_os = "linux")]
mod record;
mod remote;
#[cfg(unix)]
mod rounds;
mod run;
mod server;
mod service;
mod settings;
#[cfg(unix)]
mod site;
mod sizes;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod traced;
mod unreliable;
// Runs copies of this program as newer versions, as Linux permits.
#[cfg(target_os = "linux")]
mod update;
mod upload;

use roundtrip_bench::harness::PeerCommand;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

/// The command under test.
fn program() -> PeerCommand {
    PeerCommand::new(env!("CARGO_BIN_EXE_roundtrip").into(), None)
}

/// The start of a quoted command line, because a folder in the path may have a space in its name.
fn words() -> String {
    let PeerCommand { program, arguments } = program();
    shell_words::join([vec![program.display().to_string()], arguments].concat())
}

/// The command in this folder, without variables of the caller that change its behaviour.
fn roundtrip(folder: &Path) -> Command {
    started(&program(), folder)
}

/// The same for another program file.
fn started(program: &PeerCommand, folder: &Path) -> Command {
    let mut command = program.command();
    let ours = ["ROUNDTRIP_SERVER", "ROUNDTRIP_TOKEN_FILE", "ROUNDTRIP_MACHINE", "ROUNDTRIP_PROJECT"];
    // The tests may run in a CI job.
    let of_jobs = ["GITHUB_ACTIONS", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"];
    for variable in ours.into_iter().chain(of_jobs) {
        command.env_remove(variable);
    }
    command.current_dir(folder).env("XDG_STATE_HOME", folder.join("a state"));
    command
}

/// The folder of pending reports of [`roundtrip`], if it is the test's own: other systems ignore the
/// variable.
fn own_spool(folder: &Path) -> Option<std::path::PathBuf> {
    cfg!(any(target_os = "linux", target_os = "freebsd")).then(|| folder.join("a state/roundtrip/spool"))
}

/// The number of repetitions of a fault: `few`, unless `ROUNDTRIP_FAULT_ROUNDS` sets it.
fn fault_rounds(few: usize) -> usize {
    let asked = std::env::var("ROUNDTRIP_FAULT_ROUNDS").ok();
    asked.map_or(few, |asked| asked.parse().expect("ROUNDTRIP_FAULT_ROUNDS is a number"))
}

/// Runs the command with these arguments in this folder.
fn run_command(folder: &Path, arguments: &[&str]) -> Output {
    roundtrip(folder).args(arguments).output().unwrap()
}

/// The same with this standard input, which is written while the command runs.
fn run_with_input(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = roundtrip(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The command stops reading at the first error.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// A running command. Killed when dropped.
struct Process(Child);

#[cfg(unix)]
impl Process {
    /// Asks it to stop, like a service manager.
    fn terminate(&self) {
        use rustix::process::{Pid, Signal, kill_process};
        kill_process(Pid::from_child(&self.0), Signal::TERM).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The command's standard error.
fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The standard output of a successful command.
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, error_text(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The standard output of a successful command, as JSON.
fn printed_json(output: &Output) -> Value {
    serde_json::from_str(&printed(output)).unwrap()
}

/// Asserts the exit code and words in the error message, and returns the message.
fn refused(output: &Output, code: i32, words: &[&str]) -> String {
    let error_text = error_text(output);
    assert_eq!(output.status.code(), Some(code), "{error_text}");
    assert_contains(&error_text, words);
    error_text
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A definition of one short case.
fn definition(transport: &str, repetitions: u32) -> String {
    format!(
        "about = ''\ndeadline_seconds = 20\n[[case]]\nscenario = 'roundtrip'\ntransports = ['{transport}']\n\
         message_bytes = [64]\nmodes = ['2proc']\nplacements = ['free']\noperations = 20\nwarmup = 2\n\
         repetitions = {repetitions}\n"
    )
}

/// A definition with messages of 64 KiB through programs with these names, each started with this command.
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

/// Whether this system supports the channel of external programs. Prints why not.
fn has_programs() -> bool {
    let reason = roundtrip_bench::sys::fork_channel::support().err();
    reason.iter().for_each(|reason| println!("not run, because {reason}"));
    reason.is_none()
}

/// Whether this system reports which files were opened, so that identical programs are found. Prints if not.
#[cfg(unix)]
fn reports_opened_files() -> bool {
    let reports = cfg!(target_os = "linux");
    if !reports {
        println!("not run, because only Linux reports opened files");
    }
    reports
}
