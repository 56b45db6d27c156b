//! The verbs `run` and `upload`: measure, print, keep, send.

use crate::cli::{Format, RunArguments, UploadArguments};
use crate::delivery::{self, Delivery};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{node, output, spool, table, upload};
use roundtrip_bench::definition::{self, InvalidDefinition, Plan};
use roundtrip_bench::harness::{self, PeerCommand};
use roundtrip_wire::{RunId, RunReport};
use std::path::Path;

/// `roundtrip run`.
pub(crate) fn run(arguments: &RunArguments) -> crate::Result<()> {
    // Whatever can fail without measuring fails before measuring.
    let mut plan = node::measured_with(plan(&arguments.preset)?, &arguments.node, "--node")?;
    for case in &mut plan.cases {
        case.probe = arguments.probe.probe();
    }
    let delivery = Delivery::prepare(&arguments.delivery)?;
    let peer = peer()?;

    let id = RunId::draw();
    let progress = Progress::new(&arguments.preset);
    let outcome = harness::run(&plan, &peer, rand::random(), &mut |event| progress.observe(&event));
    progress.finish();
    let kept = delivery.keep(id, &plan, outcome)?;
    match arguments.format {
        Format::Human => output::print(&table::render(&kept.report)?)?,
        Format::Json => output::print(&String::from_utf8_lossy(&kept.json))?,
    }
    kept.send()
}

/// A preset of the suite, or a definition in a file, whose name without `.toml` is then the preset's.
pub(crate) fn plan(preset: &str) -> crate::Result<Plan> {
    let invalid = |error: InvalidDefinition| Failure::Usage(error.to_string());
    let Some(name) = preset.strip_suffix(".toml") else {
        return definition::preset(preset).map_err(invalid);
    };
    let text = std::fs::read_to_string(preset)
        .map_err(|error| Failure::Usage(format!("cannot read the definition {preset}: {error}")))?;
    let name = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name);
    // Programs are started from where the definition stands, wherever we are.
    let path = std::path::absolute(preset)
        .map_err(|error| Failure::Other(format!("cannot tell where {preset} is: {error}")))?;
    definition::parse(name, &text, path.parent().unwrap_or(&path)).map_err(invalid)
}

/// The command that runs a peer: this very program.
///
/// # Errors
/// The system does not say where it is.
pub(crate) fn peer() -> crate::Result<PeerCommand> {
    PeerCommand::this_program()
        .map_err(|error| Failure::Other(format!("the system does not say where this program is: {error}")))
}

/// `roundtrip upload`.
pub(crate) fn upload(arguments: &UploadArguments) -> crate::Result<()> {
    let path = &arguments.file;
    let json = std::fs::read(path)
        .map_err(|error| Failure::Other(format!("cannot read {}: {error}", path.display())))?;
    let report: RunReport = serde_json::from_slice(&json)
        .map_err(|error| Failure::Other(format!("{} is not a report: {error}", path.display())))?;
    report
        .check()
        .map_err(|error| Failure::Other(format!("{}{}: {error}", path.display(), error.pointer)))?;
    delivery::deliver(&arguments.upload, &upload::token(&arguments.token)?, &report, &json, path)?;
    if path.parent() == Some(&spool::folder()) {
        spool::remove(path)?;
    }
    Ok(())
}
