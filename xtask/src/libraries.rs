//! `libraries`: builds the programs that use IPC libraries, and checks that each delivers every message.

use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::tally::{self, Outcome};
use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result};
use serde_json::Value;
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

/// Builds these libraries, or all, and runs the tests of all that are built on this machine.
pub(crate) fn run(names: &[impl AsRef<str>], step: &Step) -> Result<Outcome> {
    let built = programs::build(step, &[programs::AGENT], Profile::Dev)?;
    let agent = built.program(programs::program_of(programs::AGENT))?;
    let build = Tool::at(&agent).words("libraries build").arguments(names.iter().map(AsRef::as_ref));
    build.run(step)?.successful().context("cannot build all libraries")?;
    let listed = Tool::at(&agent).words("libraries --format json").output()?;
    let listed: Value = serde_json::from_str(&listed)?;
    let definition = listed["definition"].as_str().context("`roundtrip libraries` names no definition")?;
    let tests = Tool::cargo()
        .words("test --package roundtrip-bench --test external -- programs_of_libraries")
        .folder(workspace::root())
        .variable("ROUNDTRIP_LIBRARIES", definition);
    Ok(Outcome::from_tests(&tests.run(step)?))
}
