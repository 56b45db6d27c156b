//! The verbs `run` and `upload`: measure, print, keep, send.

use crate::cli::{Format, RunArguments, UploadArguments};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::repository::{Git, Repository};
use crate::upload::{self, Refusal};
use crate::{node, output, project, spool, table};
use roundtrip_bench::definition::{self, InvalidDefinition, Plan};
use roundtrip_bench::environment;
use roundtrip_bench::harness::{self, Outcome, PeerCommand};
use roundtrip_wire::{RunId, RunReport, SCHEMA_VERSION, Slug, Suite};
use std::path::{Path, PathBuf};

/// `roundtrip run`.
pub(crate) fn run(arguments: &RunArguments) -> crate::Result<()> {
    // Whatever can fail without measuring fails before measuring.
    let mut plan = node::measured_with(plan(&arguments.preset)?, &arguments.node, "--node")?;
    for case in &mut plan.cases {
        case.probe = arguments.probe.probe();
    }
    let repository = Repository::read(&Git::here())?;
    let project = project::name(arguments.project.as_ref(), &repository.root, &repository.name)?;
    let token = arguments.upload.as_ref().map(|_| upload::token(&arguments.token)).transpose()?;
    let peer = peer()?;

    let id = RunId::draw();
    let progress = Progress::new(&arguments.preset);
    let outcome = harness::run(&plan, &peer, rand::random(), &mut |event| progress.observe(&event));
    progress.finish();
    let report = assemble(id, &plan, outcome, repository, project, arguments.machine.clone());
    let destination = Destination {
        output: arguments.output.as_deref(),
        server: arguments.upload.as_deref(),
        token: token.as_deref(),
    };
    let kept = destination.keep(&report)?;
    print(arguments.format, &report)?;
    destination.send(&report, kept)
}

/// Where a report goes.
pub(crate) struct Destination<'a> {
    /// A file.
    pub(crate) output: Option<&'a Path>,
    /// A server.
    pub(crate) server: Option<&'a str>,
    /// The token for it.
    pub(crate) token: Option<&'a str>,
}

impl Destination<'_> {
    /// Writes the report where it was asked for, and uploads it.
    ///
    /// # Errors
    /// A file that cannot be written, a server that does not take it.
    pub(crate) fn take(&self, report: &RunReport) -> crate::Result<()> {
        let kept = self.keep(report)?;
        self.send(report, kept)
    }

    /// Writes the report where it was asked for, and where it stays until the server has it; returns that place.
    fn keep(&self, report: &RunReport) -> crate::Result<Option<PathBuf>> {
        let json = json(report)?;
        if let Some(path) = self.output {
            spool::write(path, &json)?;
        }
        let kept = self.server.map(|_| spool::path(&spool::folder(), report.run_id));
        kept.as_ref().map(|path| spool::write(path, &json)).transpose()?;
        Ok(kept)
    }

    fn send(&self, report: &RunReport, kept: Option<PathBuf>) -> crate::Result<()> {
        if let (Some(server), Some(token), Some(kept)) = (self.server, self.token, kept) {
            deliver(server, token, report, &json(report)?, &kept)?;
            spool::remove(&kept)?;
        }
        Ok(())
    }
}

fn json(report: &RunReport) -> crate::Result<Vec<u8>> {
    serde_json::to_vec(report).map_err(|error| Failure::Other(format!("writing the report: {error}")))
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
    deliver(&arguments.upload, &upload::token(&arguments.token)?, &report, &json, path)?;
    if path.parent() == Some(&spool::folder()) {
        spool::remove(path)?;
    }
    Ok(())
}

fn deliver(server: &str, token: &str, report: &RunReport, json: &[u8], kept: &Path) -> crate::Result<()> {
    match upload::send(server, token, report.run_id, json) {
        Ok(()) => {
            let server = server.trim_end_matches('/');
            eprintln!("Uploaded: {server}/{}/runs/{}", report.project, report.run_id);
            Ok(())
        }
        Err(Refusal::Temporary(reason, _)) => {
            Err(Failure::Spooled { reason, kept: PathBuf::from(kept), server: server.to_owned() })
        }
        Err(Refusal::Final(reason)) => {
            Err(Failure::Other(format!("{reason}\nThe report is kept at {}.", kept.display())))
        }
        Err(Refusal::Token(reason)) => {
            Err(Failure::Authentication(format!("{reason}\nThe report is kept at {}.", kept.display())))
        }
    }
}

/// A report of all that a run measured.
pub(crate) fn assemble(
    run_id: RunId,
    plan: &Plan,
    outcome: Outcome,
    repository: Repository,
    project: Slug,
    machine: Option<Slug>,
) -> RunReport {
    RunReport {
        schema_version: SCHEMA_VERSION,
        run_id,
        project,
        branch: repository.branch,
        pull_request: None,
        commit: repository.commit,
        work_tree_modified: repository.work_tree_modified,
        history: repository.history,
        machine: environment::machine(machine),
        environment: outcome.environment,
        canaries: outcome.canaries,
        suite: Suite {
            version: env!("CARGO_PKG_VERSION").into(),
            preset: plan.preset.clone(),
            order_seed: outcome.order_seed,
            build: Slug::from_name(if cfg!(debug_assertions) { "debug" } else { "release" }),
        },
        started_at: outcome.started_at,
        finished_at: outcome.finished_at,
        results: outcome.results,
    }
}

fn print(format: Format, report: &RunReport) -> crate::Result<()> {
    match format {
        Format::Human => output::print(&table::render(report)?),
        Format::Json => output::print(&String::from_utf8_lossy(&json(report)?)),
    }
}
