//! Builds the programs of a repository with the commands of its settings.

use crate::failure::Failure;
use crate::settings::CommandLine;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the commands in this folder, one after the other. What they print goes to standard error: standard output is
/// for results.
///
/// # Errors
/// One that does not start, or fails.
pub(crate) fn build(commands: &[CommandLine], folder: &Path) -> crate::Result<()> {
    commands.iter().try_for_each(|CommandLine(words)| {
        let line = shell_words::join(words);
        let (program, arguments) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        eprintln!("Building: {line}");
        let status = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(std::io::stderr())
            .status()
            .map_err(|error| {
                Failure::Other(format!("building in {}: `{line}` does not start: {error}", folder.display()))
            })?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::Other(format!("building in {}: `{line}` ended with {status}", folder.display())))
    })
}
