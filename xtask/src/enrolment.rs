//! Lets agents of this machine in at a server that was started for them.

use crate::http;
use crate::tool::Tool;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Has an agent drawn its key and let in with a code, as a machine; all that is its own is then in `state`.
///
/// # Errors
/// The server gives out no code, or does not let it in.
pub(crate) fn enrol(agent: &Path, url: &str, administrator: &str, machine: &str, state: &Path) -> Result<()> {
    let asked = json!({"machine": machine});
    let (status, answer) = http::post(&format!("{url}/api/v1/enrolments"), Some(administrator), &asked)?;
    ensure!(status == 201, "the server gives out no code: it answers with status {status}: {answer}");
    let answer: Value = serde_json::from_str(&answer).context("a code is not JSON")?;
    let file = state.with_extension("code");
    fs::write(&file, answer["code"].as_str().context("there is no code in the answer")?)
        .with_context(|| format!("cannot write {}", file.display()))?;
    Tool::at(agent)
        .arguments(["enrol", "--server", url, "--machine", machine, "--code-file"])
        .arguments([&file])
        .arguments(["--state"])
        .arguments([state])
        .run_silently()?
        .successful()?;
    Ok(())
}
