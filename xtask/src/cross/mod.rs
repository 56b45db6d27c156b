//! `cross`: checks other systems from this one. It lints and links each target, runs Windows tests under
//! Wine, and arm64 Linux tests under QEMU.
//!
//! Times under an emulator are meaningless: no measurement leaves this machine.

mod targets;
mod toolchain;

use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::tally::{self, Outcome, Tally};
use crate::tool::Tool;
use crate::{debian, http, measure, server, workspace};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use std::path::Path;
use std::process::ExitCode;
use targets::{EVERYWHERE, Emulator, SUITES, Suite, TARGETS, Target};
use toolchain::Toolchain;

/// Inputs per property test under an emulator, where each takes forty times as long: enough to detect
/// differences between systems. The default is 256.
const PROPERTY_CASES: &str = "32";
/// Path prefixes of the sources of the suites and all programs.
const SUITE: &[&str] = &[".cargo/", "Cargo.", "agents/", "benches/", "crates/", "xtask/"];
const ALL: &[&str] =
    &[".cargo/", "Cargo.", "agents/", "benches/", "crates/", "migrations/", "server/", "xtask/"];
const PROJECT: &str = "cross";
const MACHINE: &str = "wine";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only targets with one of these words in their name, such as `windows` or `arm64`.
    #[arg(value_name = "WORD", value_parser = targets::words())]
    words: Vec<String>,
}

pub(crate) fn cross(options: &Options) -> Result<ExitCode> {
    debian::check_host().context("cross-building")?;
    tally::verb(|tally| {
        let Some(toolchain) = tally.prepare("toolchain", Toolchain::fetch)? else { return Ok(()) };
        let is_wanted = |target: &&Target| {
            options.words.is_empty() || options.words.iter().any(|word| target.has_word(word))
        };
        check_all(tally, &toolchain, true, TARGETS.iter().filter(is_wanted))
    })
}

/// Runs the steps that `test --all` adds, if `cross` has run before: the toolchain is too large to download
/// unasked, and the first build takes most of an hour. Skips steps that have passed for the same sources.
pub(crate) fn run_if_begun(tally: &mut Tally) -> Result<()> {
    let mut found = None;
    tally.step("cross", |_| {
        if let Err(reason) = debian::check_host() {
            return Ok(Outcome::Skipped(format!("not run: {reason}")));
        }
        let toolchain = Toolchain::cached()?;
        found = toolchain.filter(Toolchain::is_begun);
        Ok(match &found {
            Some(_) => Outcome::Prepared,
            None => Outcome::Skipped("not run: run `cargo xtask cross` once first".into()),
        })
    })?;
    let Some(toolchain) = found else { return Ok(()) };
    check_all(tally, &toolchain, false, TARGETS)
}

/// Runs all steps for these targets. A step that has passed runs again only with `again` or after a change of
/// its sources, because tests take many times as long in an emulator.
fn check_all(
    tally: &mut Tally,
    toolchain: &Toolchain,
    again: bool,
    targets: impl IntoIterator<Item = &'static Target>,
) -> Result<()> {
    if let Some(version) = toolchain.rust_version() {
        screen::note(&format!("Rust {version} in {}", toolchain.root().display()));
    }
    let digests = tally.prepare("cross build folder", |_| {
        toolchain.claim()?;
        Ok((digest_of(SUITE)?, digest_of(ALL)?))
    })?;
    let Some((suite_digest, digest)) = digests else { return Ok(()) };
    let mut run = |name: &str, digest: &str, check: &dyn Fn(&Step) -> Result<Outcome>| {
        let stamp = toolchain.stamp(name, digest);
        if again {
            stamp.forget()?;
        }
        tally.step(name, |step| stamp.unless_current(|| check(step)))?;
        anyhow::Ok(stamp.is_current())
    };
    for target in targets {
        let name = target.name;
        if target.is_linted {
            run(&format!("{name} lint"), &digest, &|step| {
                let clippy = toolchain.cargo(target, "clippy")?.arguments(packages(target.packages));
                Outcome::from_build(&clippy.words("--all-targets -- --deny warnings").run(step)?)
            })?;
        }
        let is_linked = run(&format!("{name} link"), &digest, &|step| {
            let programs = toolchain.cargo(target, "build")?.arguments(packages(target.packages));
            Outcome::from_build(&programs.run(step)?)?;
            let tests =
                toolchain.cargo(target, "test")?.arguments(packages(EVERYWHERE)).arguments(["--no-run"]);
            Outcome::from_build(&tests.run(step)?)
        })?;
        let Some(emulator) = target.emulator.filter(|_| is_linked) else { continue };
        // Linux on another processor needs fewer tests than another system; and once `cross` has run, `test`
        // need not repeat everything.
        let is_brief = emulator == Emulator::Qemu || !again;
        for suite in SUITES.iter().filter(|suite| suite.emulators.contains(&emulator)) {
            let name = format!("{name} {}", suite.name);
            run(&name, &suite_digest, &|step| test(toolchain, target, (emulator, suite), is_brief, step))?;
        }
        if emulator == Emulator::Wine {
            run(&format!("{name} upload"), &digest, &|step| upload_from_windows(toolchain, target, step))?;
        }
    }
    Ok(())
}

fn digest_of(beginnings: &[&str]) -> Result<String> {
    let mut files = workspace::files()?;
    files.retain(|file| beginnings.iter().any(|beginning| file.starts_with(beginning)));
    workspace::digest(&files.iter().map(|file| workspace::root().join(file)).collect::<Vec<_>>())
}

fn packages(packages: &[&'static str]) -> impl Iterator<Item = &'static str> {
    packages.iter().flat_map(|package| ["--package", package])
}

fn test(
    toolchain: &Toolchain,
    target: &Target,
    (emulator, suite): (Emulator, &Suite),
    is_brief: bool,
    step: &Step,
) -> Result<Outcome> {
    let cargo = toolchain.cargo(target, "test")?.words(suite.selection).arguments(["--no-fail-fast"]);
    let skipped = suite.not_in_qemu.iter().filter(|_| emulator == Emulator::Qemu);
    let cargo = cargo.arguments(["--"]).arguments(skipped.flat_map(|part| ["--skip", *part]));
    let cargo = cargo.variables(is_brief.then_some(("ROUNDTRIP_CONFORMANCE", "brief")));
    let finished = cargo.variable("PROPTEST_CASES", PROPERTY_CASES).run(step)?;
    Ok(Outcome::from_tests(&finished))
}

/// Runs the agent for Windows under Wine and uploads its results to a temporary local server.
fn upload_from_windows(toolchain: &Toolchain, target: &Target, step: &Step) -> Result<Outcome> {
    // The link step has just built it, unless the step was skipped because it passed before.
    toolchain.cargo(target, "build")?.words("--package roundtrip-agent").succeed(step)?;
    let agent = toolchain.programs(target).join("roundtrip.exe");
    let folder = server::disk_folder()?;
    let data_folder = folder.path().join("data");
    let program = programs::build(step, &[programs::SERVER], Profile::Dev)?.program(programs::SERVER)?;
    step.message("starting a server");
    let server = server::start_alone(&program, &["serve", "--port", "0"], &data_folder, step)
        .context("no server for uploads")?;
    let url = server.address()?;
    let (definition, report) = (folder.path().join("definition.toml"), folder.path().join("report.json"));
    fs::write(&definition, measure::SMALL)?;
    step.message("measuring under Wine");
    Tool::named("bash")?
        .arguments([&workspace::root().join(toolchain::WINE), Path::new("run")])
        .arguments([&toolchain.home, &agent])
        .arguments(["run", "--machine", MACHINE, "--project", PROJECT, "--upload", &url, "--preset"])
        .arguments([definition.as_os_str(), "--output".as_ref(), report.as_os_str(), "--token-file".as_ref()])
        .arguments([data_folder.join("agent.token")])
        .folder(workspace::root())
        .with_descendants()
        .succeed(step)?;
    let report = measure::read_report(&report)?;
    let run_id = measure::run_id(&report)?;
    http::get(&format!("{url}/api/v1/runs/{run_id}")).context("run not found")?;
    let machines = http::json(&format!("{url}/api/v1/projects/{PROJECT}/machines"))?;
    let machine = &machines["machines"][0];
    ensure!(
        machine["machine"] == MACHINE && machine["os"] == "windows",
        "the server reports the machine {machine}: expected {MACHINE} with windows"
    );
    server.stop()?;
    Ok(Outcome::Passed)
}
