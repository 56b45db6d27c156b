//! `gen`: files that are generated from sources: the API document from the server's handlers, the web client's types from
//! that, the schema of `roundtrip.toml`, the references of both commands, the page of transports, the page of promises.

use crate::programs::{self, Built};
use crate::{chaos, screen::Step, tool::Tool, web, workspace};
use anyhow::Result;
use fs_err as fs;
use std::process::ExitCode;

/// Files that programs print, with the argument that makes them do it.
const PRINTED: [(&str, &str, &str); 5] = [
    (programs::SERVER, "openapi", "server/openapi.json"),
    ("roundtrip", "schema", "docs/reference/roundtrip.schema.json"),
    ("roundtrip", "reference", "docs/reference/roundtrip.md"),
    ("roundtrip", "transports", "docs/reference/transports.md"),
    (programs::SERVER, "reference", "docs/reference/roundtrip-server.md"),
];
const TYPES: &str = "web/src/api/schema.gen.ts";

pub(crate) fn generate() -> Result<ExitCode> {
    workspace::claim_target_folder()?;
    let step = Step::start("programs");
    let built = programs::build(&step, &[programs::AGENT, programs::SERVER], "dev")?;
    step.done("built");
    let step = Step::start("gen");
    web::install(&step)?;
    write_all(&built, &step)?;
    step.done(&files().join(", "));
    Ok(ExitCode::SUCCESS)
}

/// The generated files that are not what their sources make now. The checkout is left as it was.
pub(crate) fn stale(built: &Built, step: &Step) -> Result<Vec<&'static str>> {
    let path = |file: &str| workspace::root().join(file);
    let before: Vec<_> = files().into_iter().map(|file| (file, fs::read(path(file)).ok())).collect();
    let written = write_all(built, step);
    let mut stale = Vec::new();
    for (file, content) in before {
        if fs::read(path(file)).ok() == content {
            continue;
        }
        stale.push(file);
        content.map_or_else(|| fs::remove_file(path(file)), |content| fs::write(path(file), content))?;
    }
    written.map(|()| stale)
}

fn files() -> Vec<&'static str> {
    PRINTED.iter().map(|(.., file)| *file).chain([TYPES, chaos::PAGE]).collect()
}

fn write_all(built: &Built, step: &Step) -> Result<()> {
    for (program, argument, file) in PRINTED {
        let made = Tool::at(&built.program(program)?).arguments([argument]).output()?;
        fs::write(workspace::root().join(file), made)?;
    }
    fs::write(workspace::root().join(chaos::PAGE), chaos::page()?)?;
    web::npm(&["run", "gen"])?.succeed(step)
}
