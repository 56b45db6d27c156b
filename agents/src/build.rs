//! Runs commands of a repository's settings: those that build its programs, and its other benchmarks.

use crate::failure::Failure;
use crate::settings::CommandLine;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Builds the programs of a repository in this folder. Output of the commands goes to standard error;
/// standard output is for results.
pub(crate) fn build(commands: &[CommandLine], folder: &Path) -> crate::Result<()> {
    commands.iter().try_for_each(|command| {
        let failed = |reason| Failure::Other(format!("build failed in {}: {reason}", folder.display()));
        let output = run(command, "Building", folder, std::io::stderr().into()).map_err(failed)?;
        if output.status.success() {
            return Ok(());
        }
        Err(failed(format!("`{command}` failed: {}", output.status)))
    })
}

/// Runs a command in this folder. Prints the command line and its errors to standard error.
pub(crate) fn run(
    command: &CommandLine,
    doing: &str,
    folder: &Path,
    stdout: Stdio,
) -> Result<Output, String> {
    let CommandLine(words) = command;
    let (program, arguments) = words.split_first().ok_or("empty command in roundtrip.toml")?;
    eprintln!("{doing}: {command}");
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start `{command}`: {error}"))
}
