//! `screenshots`: takes screenshots of every page of the web interface, with results measured on this
//! machine. It measures a small project with a [`history`] commit by commit, once. The cache folder keeps the
//! results, so screenshots can be taken again without measuring.

mod facts;
mod history;

use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::server::{self, Observed};
use crate::stamp::Stamp;
use crate::tool::Tool;
use crate::{chromium, http, interrupt, measure, platform, preflight, web, workspace};
use anyhow::{Context, Result, ensure};
use fs_err as fs;
use history::{BRANCH, Commit, History, PROJECT, PULL_REQUEST};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// A server counts error rates at its first start, before it has any runs, and then once an hour.
const COUNTED_TIMEOUT: Duration = Duration::from_secs(75 * 60);
/// The size limit for all screenshots together: every clone of the repository fetches them.
const BYTES_MAX: u64 = 3_000_000;
/// The account in the screenshots of settings.
const ACCOUNT: &str = "mira";
/// The definition for every commit.
const EACH_COMMIT: &str = "ipc.toml";
/// The additional definition for the newest commit: all sizes and topologies.
const NEWEST_COMMIT: &str = "nightly.toml";
/// The presets for Roundtrip itself, as a second project: every transport, and a published table.
const OWN_PRESETS: [&str; 2] = ["quick", "chromium-mach"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure only a few commits and write to web/test-results/screenshots instead of the docs.
    #[arg(long)]
    short: bool,
    /// Measure again instead of using stored results.
    #[arg(long)]
    again: bool,
}

/// Runs per commit. One run is not enough for changes to be reported, and error rates need series with sixty
/// points at one level.
const ROUNDS: u32 = 3;

/// The measured commits.
const WHOLE: Range<usize> = 0..30;
/// The commits around the one that slowed messages down.
const SHORT: Range<usize> = 16..24;

pub(crate) fn screenshots(options: &Options) -> Result<ExitCode> {
    let (name, planned) = if options.short { ("short", SHORT) } else { ("whole", WHOLE) };
    preflight::tools()?;
    workspace::claim_target_folder()?;
    Step::quietly("web UI", web::build)?;
    let built = Step::quietly("programs", |step| programs::build(step, &programs::BOTH, Profile::Release))?;
    let (agent, program) = (built.program("roundtrip")?, built.program(programs::SERVER)?);
    let browser = Step::quietly("chromium", chromium::find_or_install)?;

    let kept = result_folder(name, options.again)?;
    let step = Step::start("server");
    let observed = Observed::start(&program, &kept.data_folder(), &step)?;
    step.done(&format!("data in {}", kept.data_folder().display()));
    let url = observed.server.address()?;
    let step = Step::start("history");
    let history = History::make()?;
    let all = history.commits.len();
    ensure!(planned.end <= all, "the history has {all} commits: expected {}", planned.end);
    step.done(&format!("{all} commits, {} to measure", planned.len()));
    measure_all(planned, &history, &kept, &agent, &url)?;
    Step::quietly("search", |step| observed.until_searched(step))?;

    let without = if has_error_rates(&url, !options.short)? { "" } else { "error-rates" };
    let facts = facts::read(&url, &kept.suites())?;
    let folder = match options.short {
        true => web::folder().join("test-results/screenshots"),
        false => workspace::root().join("docs/images/pages"),
    };
    // The token of an earlier account is lost, so delete the account. The first time there is none.
    server::verb(&program, &kept.data_folder(), &["account", "delete", ACCOUNT]).run_silently()?;
    let token = server::administrator(&program, &kept.data_folder(), ACCOUNT)?;
    take(&url, &browser, &token, without, &folder)?;
    observed.server.stop()?;
    if options.short {
        screen::note(&format!("short: {}", facts.trim_end()));
    } else {
        facts::write(&facts)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder of results. Results of another history are removed.
fn result_folder(name: &str, again: bool) -> Result<ResultFolder> {
    let kept = ResultFolder { folder: platform::cache_folder()?.join("screenshots").join(name) };
    let stamp = Stamp::new(kept.folder.join("history"), history::digest()?);
    if again || !stamp.is_current() {
        platform::remove_folder(&kept.folder)?;
    }
    platform::create_data_folder(&kept.data_folder())?;
    stamp.write()?;
    Ok(kept)
}

/// Whether the server has counted the project's error rates. Waits for it if `is_to_wait`.
fn has_error_rates(url: &str, is_to_wait: bool) -> Result<bool> {
    let step = Step::start("error rates");
    let are_counted = || -> Result<bool> {
        let rates = http::json(&format!("{url}/api/v1/projects/{PROJECT}/error-rates"))?;
        Ok(!rates["computed_at"].is_null())
    };
    if !are_counted()? {
        if !is_to_wait {
            step.skipped("not computed yet");
            return Ok(false);
        }
        screen::note("waiting for the server's hourly count; you can use the machine meanwhile");
        let look = || Ok(are_counted()?.then_some(()));
        interrupt::poll("error rates", COUNTED_TIMEOUT, Duration::from_secs(5), look)?;
    }
    step.done("counted");
    Ok(true)
}

/// A folder of results with a list of its runs, so that an interrupted round can continue.
struct ResultFolder {
    folder: PathBuf,
}

impl ResultFolder {
    fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn has(&self, run: &Run) -> bool {
        self.list().lines().any(|line| line.starts_with(&format!("{} ", run.key())))
    }

    /// Records a run stored by the server, and the commit of Roundtrip that measured it.
    fn note(&self, run: &Run, suite: &str) -> Result<()> {
        let mut list = fs::OpenOptions::new().create(true).append(true).open(self.folder.join("runs"))?;
        Ok(writeln!(list, "{} {suite}", run.key())?)
    }

    /// The commits of Roundtrip that measured the results; one, unless a round was interrupted.
    fn suites(&self) -> BTreeSet<String> {
        let list = self.list();
        list.lines().filter_map(|line| Some(line.splitn(4, ' ').nth(3)?.to_owned())).collect()
    }

    /// Empty before the first measurement.
    fn list(&self) -> String {
        fs::read_to_string(self.folder.join("runs")).unwrap_or_default()
    }
}

/// A run with a preset of the suite or a definition of the repository.
struct Run<'a> {
    /// The commit of the repository; `None` for Roundtrip itself, which is measured once, at any commit.
    commit: Option<&'a Commit>,
    preset: &'static str,
    /// Counted from 1.
    round: u32,
}

impl Run<'_> {
    fn key(&self) -> String {
        format!("{} {} {}", self.commit.map_or("roundtrip", |commit| &commit.sha), self.preset, self.round)
    }

    fn title(&self) -> &str {
        self.commit.map_or("Roundtrip", |commit| &commit.subject)
    }
}

/// All runs, in order. Rounds are spread over time, so that each commit is measured at several times.
fn runs(planned: Range<usize>, history: &History) -> Vec<Run<'_>> {
    let run = |commit, preset, round| Run { commit, preset, round };
    let mut runs: Vec<_> = OWN_PRESETS.iter().map(|preset| run(None, preset, 1)).collect();
    for round in 1..=ROUNDS {
        // The pull request first, so that the newest run belongs to the main branch.
        runs.push(run(Some(&history.proposed), EACH_COMMIT, round));
        runs.extend(
            history.commits[planned.clone()].iter().map(|commit| run(Some(commit), EACH_COMMIT, round)),
        );
    }
    runs.extend(history.commits.last().map(|commit| run(Some(commit), NEWEST_COMMIT, 1)));
    runs
}

fn measure_all(
    planned: Range<usize>,
    history: &History,
    kept: &ResultFolder,
    agent: &Path,
    url: &str,
) -> Result<()> {
    let checkout = workspace::checkout()?;
    let suite =
        format!("{}{}", checkout.sha, if checkout.modified { " with uncommitted changes" } else { "" });
    let runs = runs(planned, history);
    let left: Vec<&Run> = runs.iter().filter(|run| !kept.has(run)).collect();
    let step = Step::start("measured");
    if left.is_empty() {
        step.done(&format!("all {} runs, earlier", runs.len()));
        return Ok(());
    }
    let (count, all) = (left.len(), runs.len());
    screen::note(&format!("{count} of {all} runs left; keep the machine idle"));
    step.expect(count as u64);
    for run in left {
        step.message(&format!("{}, {}", run.title(), run.preset));
        measure_one(run, history, kept, agent, url)?;
        kept.note(run, &suite)?;
        step.advance();
    }
    step.done(&format!("{all} runs"));
    Ok(())
}

fn measure_one(run: &Run, history: &History, kept: &ResultFolder, agent: &Path, url: &str) -> Result<()> {
    let is_proposed = run.commit == Some(&history.proposed);
    if let Some(commit) = run.commit {
        history.check_out(if is_proposed { BRANCH } else { &commit.sha })?;
    }
    let folder = run.commit.map_or(workspace::root(), |_| history.folder());
    // Builds in the repository need the header of the protocol.
    let header = workspace::root().join("benches/external/c");
    let agent = |arguments: &[&str]| {
        Tool::at(agent).arguments(arguments).folder(folder).variable("CPATH", &header).with_descendants()
    };
    let report = kept.folder.join("report.json");
    agent(&["run", "--preset", run.preset, "--output"]).arguments([&report]).output()?;
    if is_proposed {
        // Git does not know the number of the pull request.
        let mut value = measure::read_report(&report)?;
        value["pull_request"] = json!(PULL_REQUEST);
        fs::write(&report, value.to_string())?;
    }
    let token = kept.data_folder().join("agent.token");
    agent(&["upload", "--server", url, "--token-file"]).arguments([&token, &report]).output().map(drop)
}

/// Takes screenshots of all pages except these, checks their sizes, and replaces the ones in a folder.
/// `web/screenshots/` opens the pages.
fn take(url: &str, browser: &Path, token: &str, without: &str, folder: &Path) -> Result<()> {
    let step = Step::start("pictures");
    let taken = tempfile::tempdir().context("no temporary folder")?;
    web::npm(&["run", "screenshots"])?
        .variable("ROUNDTRIP_URL", url)
        .variable("ROUNDTRIP_PROJECT", PROJECT)
        .variable("ROUNDTRIP_USER_TOKEN", token)
        .variable("ROUNDTRIP_PICTURES", taken.path())
        .variable("ROUNDTRIP_WITHOUT", without)
        .variable(chromium::VARIABLE, browser)
        .with_descendants()
        .succeed(&step)?;
    let (bytes, pictures) = pictures_in(taken.path())?;
    fs::create_dir_all(folder)?;
    workspace::sorted(folder)?.iter().filter(|path| is_picture(path)).try_for_each(fs::remove_file)?;
    for (_, path) in &pictures {
        fs::copy(path, folder.join(path.file_name().unwrap_or_default()))?;
    }
    step.done(&format!("{} pictures, {} KiB, in {}", pictures.len(), bytes / 1024, folder.display()));
    if let Some((size, path)) = pictures.iter().max() {
        let name = path.file_name().unwrap_or_default().display();
        screen::note(&format!("largest: {name}, {} KiB", size / 1024));
    }
    Ok(())
}

fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "webp")
}

/// The screenshots of a folder with their sizes, and the sum of the sizes, which must be within the limit.
fn pictures_in(folder: &Path) -> Result<(u64, Vec<(u64, PathBuf)>)> {
    let paths = workspace::sorted(folder)?.into_iter().filter(|path| is_picture(path));
    let pictures = paths.map(|path| Ok((fs::metadata(&path)?.len(), path))).collect::<Result<Vec<_>>>()?;
    let bytes = pictures.iter().map(|(size, _)| size).sum();
    ensure!(bytes > 0, "no pictures taken");
    ensure!(bytes <= BYTES_MAX, "the pictures have {bytes} bytes in total: expected at most {BYTES_MAX}");
    Ok((bytes, pictures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_the_measuring_commit() {
        let folder = tempfile::tempdir().unwrap();
        let kept = ResultFolder { folder: folder.path().to_owned() };
        let commit = Commit { sha: "a1".into(), subject: String::new() };
        let run = |round| Run { commit: Some(&commit), preset: "ipc.toml", round };
        assert!(!kept.has(&run(1)));
        kept.note(&run(1), "b2 with changes").unwrap();
        kept.note(&run(12), "b2 with changes").unwrap();
        assert!(kept.has(&run(1)) && kept.has(&run(12)) && !kept.has(&run(2)));
        assert_eq!(kept.suites().into_iter().collect::<Vec<_>>(), ["b2 with changes"]);
    }

    #[test]
    fn measures_each_commit_once_per_round() {
        let history = History::make().unwrap();
        let all = runs(SHORT, &history);
        assert_eq!(all.len(), OWN_PRESETS.len() + (1 + 8) * 3 + 1);
        assert_eq!((all[2].round, all[11].round), (1, 2));
        assert_eq!(all[2].commit, all[11].commit);
        assert_eq!(all.last().unwrap().preset, NEWEST_COMMIT);
        let regressed = all.iter().filter(|run| run.title() == "Send a message in parts");
        assert_eq!(regressed.count(), 3);
        assert_eq!(all.iter().filter(|run| run.commit == Some(&history.proposed)).count(), 3);
    }

    #[test]
    fn limits_the_size_of_screenshots() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: usize| fs::write(folder.path().join(name), vec![0; bytes]).unwrap();
        write("notes.txt", 5_000_000);
        assert!(pictures_in(folder.path()).is_err(), "there is no picture");
        write("b.webp", 1_000_000);
        write("a.webp", 2_000_000);
        let [a, b] = [("a.webp", 2_000_000), ("b.webp", 1_000_000)]
            .map(|(name, size)| (size, folder.path().join(name)));
        assert_eq!(pictures_in(folder.path()).unwrap(), (3_000_000, vec![a, b]));
        write("b.webp", 1_000_001);
        let error = pictures_in(folder.path()).unwrap_err().to_string();
        assert_eq!(error, "the pictures have 3000001 bytes in total: expected at most 3000000");
    }
}
