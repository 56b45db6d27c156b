//! `gen`: the API document from the server's handlers, the web client's types from the document, the schema of
//! `roundtrip.toml` from the types that read it, the reference of both commands from their arguments, the page of transports
//! from the suite, and the page of promises from the list of `chaos`.

use crate::programs::Built;
use crate::{chaos::page, programs, screen::Step, tool::Tool, web, workspace};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// The generated files: made by the server, from the first one, by the agent, and by this program.
const DOCUMENT: &str = "server/openapi.json";
const TYPES: &str = "web/src/api/schema.gen.ts";
const SCHEMA: &str = "docs/reference/roundtrip.schema.json";
const COMMAND: &str = "docs/reference/roundtrip.md";
const SERVER_COMMAND: &str = "docs/reference/roundtrip-server.md";
const TRANSPORTS: &str = "docs/reference/transports.md";
const PROMISES: &str = page::FILE;
/// All of them.
const FILES: [&str; 7] = [DOCUMENT, TYPES, SCHEMA, COMMAND, SERVER_COMMAND, TRANSPORTS, PROMISES];

/// The packages whose programs make them.
pub(crate) const PROGRAMS: [&str; 2] = [programs::AGENT, programs::SERVER];

/// Runs the verb.
///
/// # Errors
/// The server does not build, or a generator fails.
pub(crate) fn generate() -> Result<ExitCode> {
    workspace::claim_target_folder()?;
    let step = Step::start("programs");
    let built = programs::build(&step, &PROGRAMS, "dev")?;
    step.done("built");
    let step = Step::start("gen");
    web::install(&step)?;
    write_all(&built, &step)?;
    step.done(&FILES.join(", "));
    Ok(ExitCode::SUCCESS)
}

/// The generated files that are not what their sources make now. The checkout is left as it was.
///
/// # Errors
/// A generator fails.
pub(crate) fn stale(built: &Built, step: &Step) -> Result<Vec<&'static str>> {
    let before = FILES.map(|file| (file, std::fs::read(path(file)).ok()));
    let written = write_all(built, step);
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

fn write_all(built: &Built, step: &Step) -> Result<()> {
    for (program, argument, file) in [
        (programs::SERVER, "openapi", DOCUMENT),
        ("roundtrip", "schema", SCHEMA),
        ("roundtrip", "reference", COMMAND),
        ("roundtrip", "transports", TRANSPORTS),
        (programs::SERVER, "reference", SERVER_COMMAND),
    ] {
        let made = Tool::at(&built.program(program)?).arguments([argument]).run_silently()?.successful()?;
        std::fs::write(path(file), &made.output).with_context(|| format!("cannot write {file}"))?;
    }
    std::fs::write(path(PROMISES), page::page()).with_context(|| format!("cannot write {PROMISES}"))?;
    web::npm(&["run", "gen"])?.run(step)?.successful()?;
    Ok(())
}

fn path(file: &str) -> PathBuf {
    workspace::root().join(file)
}
