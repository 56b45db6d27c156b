//! `fmt`: formats all Rust and web sources, including files that no `mod` line references.

use crate::{screen::Step, tool::Tool, web, workspace};
use anyhow::Result;
use std::process::ExitCode;

const EDITION: &str = "2024";

pub(crate) fn fmt() -> Result<ExitCode> {
    let step = Step::start("rustfmt");
    rustfmt()?.succeed(&step)?;
    step.done("formatted");
    let step = Step::start("biome");
    web::install(&step)?;
    web::npm(&["run", "format"])?.succeed(&step)?;
    step.done("formatted");
    Ok(ExitCode::SUCCESS)
}

/// Runs rustfmt on every Rust source of the checkout.
pub(crate) fn rustfmt() -> Result<Tool> {
    let sources = workspace::files()?.into_iter().filter(|file| file.ends_with(".rs"));
    Ok(Tool::named("rustfmt")?.arguments(["--edition", EDITION]).arguments(sources).folder(workspace::root()))
}
