//! `site`: turns reports into static pages, with the server's program.

use crate::cli::SiteArguments;
use crate::failure::Failure;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

const SERVER: &str = "roundtrip-server";

pub(crate) fn site(arguments: &SiteArguments) -> crate::Result<()> {
    let program = next_to_this().unwrap_or_else(|| PathBuf::from(SERVER));
    let status = Command::new(&program).arg("site").args(&arguments.arguments).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::Printed),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::Usage(format!(
            "cannot find {SERVER}, which builds sites. Install it: `sh install.sh --server`, or `cargo build --release -p \
             {SERVER}` in a checkout."
        ))),
        Err(error) => Err(Failure::Other(format!("cannot start {}: {error}", program.display()))),
    }
}

/// The server's program in the folder of this one.
fn next_to_this() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.with_file_name(SERVER);
    program.is_file().then_some(program)
}
