//! The agent for Windows against a server of this machine: it measures under Wine and uploads, and the server says so.
//!
//! What is measured under an emulator tells nothing about the system it emulates. The server is one for this check
//! alone, and goes with all that it was told.

use super::build::Workshop;
use super::targets::{Emulator, TARGETS};
use crate::screen::Step;
use crate::server::{self, Server};
use crate::tally::Outcome;
use crate::tool::Tool;
use crate::{http, programs, workspace};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The smallest run there is: what every system has, once.
const DEFINITION: &str = r#"about = "One case, to see that a run arrives."
deadline_seconds = 60

[[case]]
scenario = "roundtrip"
transports = ["tcp"]
message_bytes = [64]
modes = ["2proc"]
placements = ["free"]
operations = 20
warmup = 2
repetitions = 1
"#;

const PROJECT: &str = "cross";
const MACHINE: &str = "wine";

/// Measures, uploads and asks the server.
///
/// # Errors
/// Any of it fails.
pub(super) fn from_windows(workshop: &Workshop, step: &Step) -> Result<Outcome> {
    let agent = agent(workshop, step)?;
    let folder = server::reachable_folder()?;
    let data_folder = folder.path().join("data");
    let server = start_server(&data_folder, step)?;
    let url = server.address()?;
    let definition = folder.path().join("definition.toml");
    std::fs::write(&definition, DEFINITION).context("cannot write the definition")?;
    let report = folder.path().join("report.json");

    step.message("measuring under Wine");
    Tool::at(workshop.program)
        .arguments(["run-windows".as_ref(), agent.as_os_str()])
        .arguments(["run", "--machine", MACHINE, "--project", PROJECT, "--upload", &url, "--preset"])
        .arguments([definition.as_os_str(), "--output".as_ref(), report.as_os_str(), "--token-file".as_ref()])
        .arguments([data_folder.join("agent.token")])
        .folder(workspace::root())
        .with_all_it_starts()
        .run(step)?
        .successful()?;
    let run_id = run_id(&report)?;
    http::get(&format!("{url}/api/v1/runs/{run_id}")).context("the run is not there")?;
    let machines = http::get(&format!("{url}/api/v1/projects/{PROJECT}/machines"))?;
    let system = system_of(&machines, MACHINE)?;
    ensure!(system == "windows", "the run of {MACHINE} is said to be of {system}: expected windows");
    let stopped = server.stop()?;
    ensure!(stopped.success(), "the server did not stop in order ({stopped})");
    Ok(Outcome::Passed)
}

fn start_server(data_folder: &Path, step: &Step) -> Result<Server> {
    let program = programs::build(step, &[programs::SERVER], "dev")?.program(programs::SERVER)?;
    step.message("starting a server");
    server::start_alone(&program, &["serve", "--port", "0"], data_folder, step)
        .context("no server to upload to")
}

/// The agent for Windows, built unless the linking has just left it: that may have been another day's.
fn agent(workshop: &Workshop, step: &Step) -> Result<PathBuf> {
    let target = TARGETS.iter().find(|target| target.emulator == Some(Emulator::Wine));
    let target = target.context("no target is run by Wine")?;
    workshop.cargo(target, "build")?.arguments(["--package", "roundtrip-agent"]).run(step)?.successful()?;
    Ok(workshop.programs(target).join("roundtrip.exe"))
}

fn run_id(report: &Path) -> Result<String> {
    let text = std::fs::read_to_string(report).context("the agent left no report")?;
    let report: Value = serde_json::from_str(&text).context("the report is not JSON")?;
    Ok(report["run_id"].as_str().context("the report has no run_id")?.to_owned())
}

/// The operating system of a machine in the server's list.
fn system_of(machines: &str, name: &str) -> Result<String> {
    let answer: Value = serde_json::from_str(machines).context("the list of machines is not JSON")?;
    let machines = answer["machines"].as_array().context("the answer has no machines")?;
    let machine = machines.iter().find(|machine| machine["machine"] == name);
    let system = machine.with_context(|| format!("the server knows no machine {name}"))?["os"].as_str();
    Ok(system.context("the machine has no os")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_that_of_the_machine_asked_for() {
        let machines =
            r#"{"machines": [{"machine": "lab", "os": "linux"}, {"machine": "wine", "os": "windows"}]}"#;
        assert_eq!(system_of(machines, MACHINE).unwrap(), "windows");
        let error = system_of(r#"{"machines": []}"#, MACHINE).unwrap_err().to_string();
        assert_eq!(error, "the server knows no machine wine");
    }
}
