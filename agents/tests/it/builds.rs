//! Builds that hang: they end in time and on request, with all their processes.

use crate::run::{commit_all, git, repository};
use crate::server::wait_until;
use crate::{Process, definition_of_programs, refused, roundtrip};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use tempfile::TempDir;

/// Starts a child that never ends. It keeps the command's standard error open.
pub(crate) const HANG: &str = "tail -f /dev/null & wait\n";

const TIMED_OUT: &str = "`sh bench/build` timed out after 1 s (--command-timeout)";

/// A repository whose build hangs.
fn hanging() -> TempDir {
    let folder = repository();
    let path = folder.path();
    fs::create_dir(path.join("bench")).unwrap();
    fs::write(path.join("bench/ours.toml"), definition_of_programs(&["ours"], "['sh', 'ours']")).unwrap();
    fs::write(path.join("bench/build"), format!("touch {}\n{HANG}", path.join("running").display())).unwrap();
    fs::write(path.join("roundtrip.toml"), "presets = ['bench/ours.toml']\nbuild = ['sh bench/build']")
        .unwrap();
    commit_all(path, "hangs");
    folder
}

fn ab(folder: &Path) -> Command {
    let mut command = roundtrip(folder);
    command.args(["ab", "--of", "revision", "--base", "HEAD", "--head", "HEAD"]);
    command
}

fn run(folder: &Path) -> Command {
    let mut command = roundtrip(folder);
    command.arg("run");
    command
}

fn started(mut command: Command) -> Process {
    Process(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// The output of a command after all its processes have ended.
fn ended(mut process: Process) -> Output {
    let (stdout, stderr) = (process.0.stdout.take().unwrap(), process.0.stderr.take().unwrap());
    let read = |mut from: Box<dyn std::io::Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).map(|_| bytes)
        })
    };
    let [stdout, stderr] = [read(Box::new(stdout)), read(Box::new(stderr))];
    wait_until("all processes end", || stdout.is_finished() && stderr.is_finished());
    let [stdout, stderr] = [stdout, stderr].map(|thread| thread.join().unwrap().unwrap());
    Output { status: process.0.wait().unwrap(), stdout, stderr }
}

#[test]
fn build_that_hangs_ends_with_all_its_processes() {
    let folder = hanging();
    let folder = folder.path();
    let commit = git(folder, &["rev-parse", "HEAD"]);
    let at_commit = format!("build of commit {} failed: {TIMED_OUT}", &commit[..7]);
    let here = format!("build failed in {}: {TIMED_OUT}", folder.canonicalize().unwrap().display());
    for (mut command, message) in [(ab(folder), at_commit), (run(folder), here)] {
        command.args(["--command-timeout", "1s"]);
        refused(&ended(started(command)), 1, &[&message]);
    }
}

#[test]
fn signal_ends_a_build_with_all_its_processes() {
    let folder = hanging();
    let folder = folder.path();
    let messages = ["Stopped by a signal before all cases were decided.", "`sh bench/build` was stopped"];
    for (command, message) in [ab(folder), run(folder)].into_iter().zip(messages) {
        let process = started(command);
        wait_until("the build runs", || folder.join("running").exists());
        process.terminate();
        refused(&ended(process), 130, &[message]);
        fs::remove_file(folder.join("running")).unwrap();
    }
}
