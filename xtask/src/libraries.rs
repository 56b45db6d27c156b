//! `libraries`: builds the programs that use IPC libraries, and checks that each delivers every message.

use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::tally::{self, Outcome};
use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Libraries whose programs need no build.
pub(crate) const UNBUILT: [&str; 2] = ["node", "python"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only these libraries.
    #[arg(value_name = "LIBRARY")]
    names: Vec<String>,
}

pub(crate) fn libraries(options: &Options) -> Result<ExitCode> {
    tally::verb(|tally| tally.step("libraries", |step| run(&options.names, step)))
}

/// Builds these libraries, or all, and runs the tests of their programs.
pub(crate) fn run(names: &[impl AsRef<str>], step: &Step) -> Result<Outcome> {
    let built = programs::build(step, &[programs::AGENT], Profile::Dev)?;
    let agent = built.program(programs::program_of(programs::AGENT))?;
    let build = Tool::at(&agent).words("libraries build").arguments(names.iter().map(AsRef::as_ref));
    build.run(step)?.successful().context("cannot build all libraries")?;
    let listed = Tool::at(&agent).words("libraries --format json").output()?;
    let listed: Listed = serde_json::from_str(&listed)?;
    let is_wanted =
        |library: &&Library| names.is_empty() || names.iter().any(|name| name.as_ref() == library.slug);
    let programs = listed.libraries.iter().filter(is_wanted).flat_map(|library| &library.program);
    let slugs: Vec<&str> = programs.map(|program| program.slug.as_str()).collect();
    let tests = Tool::cargo()
        .words("test --package roundtrip-bench --test external -- programs_of_libraries")
        .folder(workspace::root())
        .variable("ROUNDTRIP_LIBRARIES", &listed.definition)
        .variable("ROUNDTRIP_PROGRAMS", slugs.join(","));
    Ok(Outcome::from_tests(&tests.run(step)?))
}

/// The output of `roundtrip libraries --format json`.
#[derive(Deserialize)]
struct Listed {
    definition: PathBuf,
    libraries: Vec<Library>,
}

#[derive(Deserialize)]
struct Library {
    slug: String,
    program: Vec<LibraryProgram>,
}

#[derive(Deserialize)]
struct LibraryProgram {
    slug: String,
}
