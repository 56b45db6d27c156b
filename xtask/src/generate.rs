//! `gen`: the API document from the server's handlers, and the web client's types from the document.

use crate::{programs, screen::Step, tool::Tool, web, workspace};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The generated files, the first made by the server and the second from the first.
const DOCUMENT: &str = "server/openapi.json";
const TYPES: &str = "web/src/api/schema.gen.ts";

/// Runs the verb.
///
/// # Errors
/// The server does not build, or a generator fails.
pub(crate) fn generate() -> Result<ExitCode> {
    workspace::claim_target_folder()?;
    let step = Step::start("server");
    let server = programs::build(&step, &[programs::SERVER], "dev")?.program(programs::SERVER)?;
    step.done("built");
    let step = Step::start("gen");
    web::install(&step)?;
    write_all(&server, &step)?;
    step.done(&format!("{DOCUMENT} and {TYPES}"));
    Ok(ExitCode::SUCCESS)
}

/// The generated files that are not what their sources make now. The checkout is left as it was.
///
/// # Errors
/// A generator fails.
pub(crate) fn stale(server: &Path, step: &Step) -> Result<Vec<&'static str>> {
    let before: Vec<_> = [DOCUMENT, TYPES].map(|file| (file, std::fs::read(path(file)).ok())).into();
    let written = write_all(server, step);
    let mut stale = Vec::new();
    for (file, content) in before {
        if std::fs::read(path(file)).ok() == content {
            continue;
        }
        stale.push(file);
        match content {
            Some(content) => std::fs::write(path(file), content),
            None => std::fs::remove_file(path(file)),
        }
        .with_context(|| format!("cannot restore {file}"))?;
    }
    written.map(|()| stale)
}

fn write_all(server: &Path, step: &Step) -> Result<()> {
    let document = Tool::at(server).arguments(["openapi"]).run_silently()?.successful()?;
    std::fs::write(path(DOCUMENT), &document.output).with_context(|| format!("cannot write {DOCUMENT}"))?;
    web::npm(&["run", "gen"])?.run(step)?.successful()?;
    Ok(())
}

fn path(file: &str) -> PathBuf {
    workspace::root().join(file)
}
