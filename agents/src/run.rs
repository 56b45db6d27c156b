//! `run`, `show` and `upload`: measures, prints, saves and uploads.

use crate::build::Limits;
use crate::cli::{Format, RunArguments, ShowArguments, UploadArguments};
use crate::delivery::{self, Delivery, Destination};
use crate::failure::Failure;
use crate::format::counted;
use crate::output::Progress;
use crate::programs::CommitTree;
use crate::repository::{Git, Repository};
use crate::settings::{self, Settings};
use crate::table::{Places, Style};
use crate::upload::{self, UploadKind};
use crate::{
    budget, build, import, node, output, presets, programs, ranking, report_file, selection, spool, stop,
    summary, table,
};
use roundtrip_bench::definition::{Plan, PlannedCase};
use roundtrip_bench::harness::{self, Outcome, PeerCommand};
use roundtrip_wire::import::ImportRequest;
use roundtrip_wire::{RunId, RunReport};
use std::path::{Path, PathBuf};

pub(crate) fn run(arguments: &RunArguments) -> crate::Result<()> {
    // Check everything that can fail before measuring.
    let asked = arguments.preset.as_deref().map(|preset| prepare(preset, arguments)).transpose()?;
    let repository = Repository::here()?;
    let root = repository.root.clone();
    let is_of_commit = !repository.work_tree_modified && !repository.commit.is_absent();
    let settings = Settings::read(&root)?;
    let plans = match asked {
        Some(plan) => vec![plan],
        None => plans(arguments, &settings, &root)?,
    };
    let is_selected = arguments.selection.are_given();
    let plans = if is_selected { selection::select(plans, &arguments.selection)? } else { plans };
    let delivery = Delivery::prepare(&arguments.delivery, repository, &settings)?;
    // A requested preset and selected cases are measured alone.
    let is_alone = arguments.preset.is_some() || is_selected;
    let commands = if is_alone { &[] } else { &settings.command[..] };
    if !commands.is_empty() && matches!(arguments.format, Format::Json) {
        return Err(Failure::Usage(format!(
            "--format json does not print the results of the commands in {}. Choose a preset with --preset.",
            settings::FILE
        )));
    }
    let reports = plans.len() + commands.len();
    if reports > 1 && arguments.delivery.output.is_some() {
        return Err(Failure::Usage(format!(
            "--output takes one report, but {} produces {reports} reports. Choose one preset with --preset.",
            settings::FILE
        )));
    }
    delivery.check_server()?;
    let peer = peer()?;
    let timeout = arguments.commands.timeout;
    if !commands.is_empty() || plans.iter().flat_map(|plan| &plan.cases).any(|case| case.declared().is_some())
    {
        let mut stop = stop::until_signalled()?;
        build::build_here(&settings.build, &root, &mut Limits { timeout, stop: &mut stop })?;
    }
    programs::check(&plans, &settings)?;
    let git = Git::here();
    let unbuilt = settings.build.is_empty().then_some(&git);
    let tree = is_of_commit.then_some(CommitTree { root: &root, unbuilt });
    let measure = |plan| {
        let tree = tree.filter(|_| is_committed(plan, &root, &git));
        measure(plan, tree, &peer, &delivery, arguments)
    };
    let failed: Vec<usize> = plans.iter().map(measure).collect::<crate::Result<_>>()?;
    if !commands.is_empty() {
        let mut stop = stop::until_signalled()?;
        for command in commands {
            import::of_command(command, &root, &delivery, Limits { timeout, stop: &mut stop })?;
        }
    }
    match failed.iter().sum() {
        0 => Ok(()),
        failed => Err(Failure::Other(format!("{} failed; see above", counted(failed, "case")))),
    }
}

/// Whether the commit has the definition, and all files in its folder that git does not ignore: the program may be built from
/// them. In the root, other files may be anything.
fn is_committed(plan: &Plan, root: &Path, git: &Git) -> bool {
    let Some((_, folder)) = plan.cases.iter().find_map(PlannedCase::declared) else { return true };
    let is_root = folder.canonicalize().ok() == root.canonicalize().ok();
    git.tracks(&folder.join(format!("{}.toml", plan.preset))) && (is_root || !git.has_untracked(folder))
}

/// The presets in the settings, or quick.
fn plans(arguments: &RunArguments, settings: &Settings, root: &Path) -> crate::Result<Vec<Plan>> {
    let has_commands = !settings.command.is_empty() && !arguments.selection.are_given();
    if settings.presets.is_empty() && !has_commands {
        return Ok(vec![prepare("quick", arguments)?]);
    }
    let presets = settings.presets.iter().map(|preset| preset.within(root));
    presets.map(|preset| prepare(&preset.to_string_lossy(), arguments)).collect()
}

/// A preset with the requested `node`s and probe.
fn prepare(preset: &str, arguments: &RunArguments) -> crate::Result<Plan> {
    let mut plan = node::measured_with(presets::plan(preset)?, &arguments.node, "--node")?;
    for case in &mut plan.cases {
        case.probe = arguments.probe.probe();
    }
    Ok(plan)
}

/// Measures, prints and uploads; returns the number of failed cases.
fn measure(
    plan: &Plan,
    tree: Option<CommitTree<'_>>,
    peer: &PeerCommand,
    delivery: &Delivery<'_>,
    arguments: &RunArguments,
) -> crate::Result<usize> {
    let id = RunId::draw();
    let programs = programs::measured(&plan.cases, tree);
    let kept = delivery.keep(id, plan, programs, with_progress(plan, peer))?;
    if let Some(path) = &arguments.summary {
        summary::append(path, &summary::of_run(&kept.report)?)?;
    }
    match arguments.format {
        Format::Human => {
            let programs = programs::places(plan);
            print(&kept.report, Style::of_output(&programs), arguments.budget)?;
        }
        Format::Json => output::print(&String::from_utf8_lossy(&kept.json))?,
    }
    let failed = kept.report.results.iter().filter(|result| table::is_failed(result)).count();
    kept.send()?;
    Ok(failed)
}

/// Measures a plan, and shows a progress bar.
pub(crate) fn with_progress(plan: &Plan, peer: &PeerCommand) -> Outcome {
    let progress = Progress::new(plan.preset.as_str());
    let outcome = harness::run(plan, peer, rand::random(), &mut |event| progress.observe(&event));
    progress.finish();
    outcome
}

fn parse(json: &[u8]) -> serde_json::Result<(UploadKind, RunReport)> {
    match serde_json::from_slice::<ImportRequest>(json) {
        Ok(ImportRequest { report, .. }) => Ok((UploadKind::Import(report.run_id), report)),
        // Errors refer to a report, which is the usual case.
        Err(_) => {
            serde_json::from_slice(json).map(|report: RunReport| (UploadKind::Report(report.run_id), report))
        }
    }
}

pub(crate) fn program() -> crate::Result<PathBuf> {
    std::env::current_exe().map_err(unknown_program)
}

fn unknown_program(error: std::io::Error) -> Failure {
    Failure::Other(format!("cannot find the path of this program: {error}"))
}

pub(crate) fn peer() -> crate::Result<PeerCommand> {
    PeerCommand::this_program().map_err(unknown_program)
}

fn check_expected(arguments: &UploadArguments, path: &Path, report: &RunReport) -> crate::Result<()> {
    let path = path.display();
    if let Some(expected) = arguments.pull_request
        && report.pull_request != Some(expected)
    {
        let found = report
            .pull_request
            .map_or("no pull request".to_owned(), |number| format!("pull request {number}"));
        return Err(Failure::Refused(format!("{path} is for {found}, expected {expected}")));
    }
    match &arguments.commit {
        Some(commit) if *commit != report.commit.sha => {
            Err(Failure::Refused(format!("{path} is for commit {}, expected {commit}", report.commit.sha)))
        }
        _ => Ok(()),
    }
}

fn print(report: &RunReport, style: Style<'_>, with_budget: bool) -> crate::Result<()> {
    let budget = if with_budget { budget::render(report, style.width) } else { String::new() };
    output::print(&(ranking::render(report, style)? + &budget))
}

/// Prints a stored report.
pub(crate) fn show(arguments: &ShowArguments) -> crate::Result<()> {
    let report = report_file::read(&arguments.report)?;
    match arguments.format {
        Format::Human => print(&report, Style::of_output(&Places::new()), arguments.budget),
        Format::Json => output::print_json(&report),
    }
}

pub(crate) fn upload(arguments: &UploadArguments) -> crate::Result<()> {
    let server = arguments.former.or(&arguments.server);
    if let Some(path) = &arguments.file {
        return upload_file(path, server, None, arguments);
    }
    let folder = spool::folder();
    let kept = spool::kept(&folder)?;
    if kept.is_empty() {
        eprintln!("No kept reports in {}", folder.display());
        return Ok(());
    }
    // Read once, because it may be standard input.
    let token = upload::token(&arguments.token)?;
    let mut rejected = 0;
    // An agent may have uploaded it meanwhile.
    for path in kept.iter().filter(|path| path.exists()) {
        match upload_file(path, server, Some(&token), arguments) {
            // Another report may be accepted. Without a server or token, all fail in the same way.
            Err(failure @ Failure::Other(_)) => {
                eprintln!("error: {failure}");
                rejected += 1;
            }
            uploaded => uploaded?,
        }
    }
    match rejected {
        0 => Ok(()),
        _ => Err(Failure::Other(format!("{rejected} of {} not uploaded", counted(kept.len(), "report")))),
    }
}

/// Uploads one file, and deletes it if it is in the spool. Reads the token after the report if it is not given.
fn upload_file(
    path: &Path,
    server: &str,
    token: Option<&str>,
    arguments: &UploadArguments,
) -> crate::Result<()> {
    let json = std::fs::read(path)
        .map_err(|error| Failure::Other(format!("cannot read {}: {error}", path.display())))?;
    let (what, report) = parse(&json)
        .map_err(|error| Failure::Other(format!("{} is not a report: {error}", path.display())))?;
    report
        .check()
        .map_err(|error| Failure::Other(format!("{}{}: {error}", path.display(), error.pointer)))?;
    check_expected(arguments, path, &report)?;
    let token = token.map_or_else(|| upload::token(&arguments.token), |token| Ok(token.to_owned()))?;
    let token_file = arguments.token.token_file.as_deref();
    let destination = Destination { server, token: &token, token_file, quarantined: arguments.quarantined };
    let uploaded = delivery::deliver(destination, what, &report, &json, path)?;
    eprintln!("{uploaded}");
    if path.parent() == Some(&spool::folder()) {
        spool::remove(path)?;
    }
    Ok(())
}
