//! `screenshots`: pictures of every page of the web interface, with results that were measured on this machine. A small
//! project with a [`history`] is measured commit by commit, once; the results are kept in the cache folder, so that
//! pictures can be taken again without it.

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

/// A server counts error rates when it starts for the first time, which is before anything is measured, and then once an hour.
const COUNTED_TIMEOUT: Duration = Duration::from_secs(75 * 60);
/// The size limit of all pictures together: every clone of the repository fetches them.
const BYTES_MAX: u64 = 3_000_000;
/// The name of the account that settings are shown to.
const ACCOUNT: &str = "mira";
/// The definition that every commit is measured with.
const EVERY: &str = "ipc.toml";
/// The definition that the newest is measured with in addition: all sizes and topologies.
const NEWEST: &str = "nightly.toml";
/// What Roundtrip itself is measured with, so that there is a second project: every transport, and a published table.
const OWN: [&str; 2] = ["quick", "chromium-mach"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure a few commits only, to try something out: its pictures go to web/test-results/screenshots, and the docs stay
    /// as they are.
    #[arg(long)]
    short: bool,
    /// Measure again what was kept.
    #[arg(long)]
    again: bool,
}

/// How often each commit is measured: a change is reported when it is surer than one run of each makes it, and error rates are
/// counted in series with sixty points of one level.
const ROUNDS: u32 = 3;

/// The commits that are measured.
const WHOLE: Range<usize> = 0..30;
/// Those around the commit that made messages slower.
const SHORT: Range<usize> = 16..24;

pub(crate) fn screenshots(options: &Options) -> Result<ExitCode> {
    let (name, planned) = if options.short { ("short", SHORT) } else { ("whole", WHOLE) };
    preflight::tools()?;
    workspace::claim_target_folder()?;
    Step::quietly("web UI", web::build)?;
    let built = Step::quietly("programs", |step| programs::build(step, &programs::BOTH, Profile::Release))?;
    let (agent, program) = (built.program("roundtrip")?, built.program(programs::SERVER)?);
    let browser = Step::quietly("chromium", chromium::find_or_install)?;

    let kept = keep(name, options.again)?;
    let step = Step::start("server");
    let observed = Observed::start(&program, &kept.data_folder(), &step)?;
    step.done(&format!("data in {}", kept.data_folder().display()));
    let url = observed.server.address()?;
    let step = Step::start("history");
    let history = History::make()?;
    let all = history.commits.len();
    ensure!(planned.end <= all, "the history has {all} commits: expected {}", planned.end);
    step.done(&format!("{all} commits, of which {} are measured", planned.len()));
    measure_all(planned, &history, &kept, &agent, &url)?;
    Step::quietly("search", |step| observed.until_searched(step))?;

    let without = if has_error_rates(&url, !options.short)? { "" } else { "error-rates" };
    let facts = facts::read(&url, &kept.suites())?;
    let folder = match options.short {
        true => web::folder().join("test-results/screenshots"),
        false => workspace::root().join("docs/images/pages"),
    };
    // The token of an earlier account was not kept. The first time there is none.
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

/// Where results are kept: none of a history that has changed.
fn keep(name: &str, again: bool) -> Result<Kept> {
    let kept = Kept { folder: platform::cache_folder()?.join("screenshots").join(name) };
    let stamp = Stamp::new(kept.folder.join("history"), history::digest()?);
    if again || !stamp.is_current() {
        platform::remove_folder(&kept.folder)?;
    }
    platform::create_data_folder(&kept.data_folder())
        .with_context(|| format!("cannot make {}", kept.data_folder().display()))?;
    stamp.write()?;
    Ok(kept)
}

/// Whether the server has counted the project's error rates; waits until it has, if it is to.
fn has_error_rates(url: &str, is_to_wait: bool) -> Result<bool> {
    let step = Step::start("error rates");
    let are_counted = || -> Result<bool> {
        let rates = http::json(&format!("{url}/api/v1/projects/{PROJECT}/error-rates"))?;
        Ok(!rates["computed_at"].is_null())
    };
    if !are_counted()? {
        if !is_to_wait {
            step.skipped("the server has not counted them yet");
            return Ok(false);
        }
        screen::note(
            "waiting until the server counts them, once an hour; the machine may be used for other work",
        );
        let look = || Ok(are_counted()?.then_some(()));
        interrupt::poll("error rates are counted", COUNTED_TIMEOUT, Duration::from_secs(5), look)?;
    }
    step.done("counted");
    Ok(true)
}

/// A folder with results, and a list of the runs in it, so that an interrupted round continues where it ended.
struct Kept {
    folder: PathBuf,
}

impl Kept {
    fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn has(&self, run: &Run) -> bool {
        self.list().lines().any(|line| line.starts_with(&format!("{} ", run.key())))
    }

    /// Notes a run that the server has, and the commit of Roundtrip that measured it.
    fn note(&self, run: &Run, suite: &str) -> Result<()> {
        let mut list = fs::OpenOptions::new().create(true).append(true).open(self.folder.join("runs"))?;
        Ok(writeln!(list, "{} {suite}", run.key())?)
    }

    /// The commits of Roundtrip that measured what is kept; one, unless a round was interrupted.
    fn suites(&self) -> BTreeSet<String> {
        let list = self.list();
        list.lines().filter_map(|line| Some(line.splitn(4, ' ').nth(3)?.to_owned())).collect()
    }

    /// Without the file nothing was measured yet.
    fn list(&self) -> String {
        fs::read_to_string(self.folder.join("runs")).unwrap_or_default()
    }
}

/// One run, with a preset of the suite or a definition of the repository.
struct Run<'a> {
    /// The commit of the repository; none is Roundtrip's own, which is measured once, whichever commit of it is checked out later.
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

/// All that is to be measured, in its order. Rounds lie apart, so that no commit is measured at one moment alone.
fn runs(planned: Range<usize>, history: &History) -> Vec<Run<'_>> {
    let run = |commit, preset, round| Run { commit, preset, round };
    let mut runs: Vec<_> = OWN.iter().map(|preset| run(None, preset, 1)).collect();
    for round in 1..=ROUNDS {
        // The pull request first, so that the newest run is of the main branch.
        runs.push(run(Some(&history.proposed), EVERY, round));
        runs.extend(history.commits[planned.clone()].iter().map(|commit| run(Some(commit), EVERY, round)));
    }
    runs.extend(history.commits.last().map(|commit| run(Some(commit), NEWEST, 1)));
    runs
}

fn measure_all(planned: Range<usize>, history: &History, kept: &Kept, agent: &Path, url: &str) -> Result<()> {
    let checkout = workspace::checkout()?;
    let suite =
        format!("{}{}", checkout.sha, if checkout.modified { " with uncommitted changes" } else { "" });
    let runs = runs(planned, history);
    let left: Vec<&Run> = runs.iter().filter(|run| !kept.has(run)).collect();
    let step = Step::start("measured");
    if left.is_empty() {
        step.done(&format!("all {} runs, before", runs.len()));
        return Ok(());
    }
    let (count, all) = (left.len(), runs.len());
    screen::note(&format!("{count} of {all} runs are left: the machine should do nothing else"));
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

fn measure_one(run: &Run, history: &History, kept: &Kept, agent: &Path, url: &str) -> Result<()> {
    let is_proposed = run.commit == Some(&history.proposed);
    if let Some(commit) = run.commit {
        history.check_out(if is_proposed { BRANCH } else { &commit.sha })?;
    }
    let folder = run.commit.map_or(workspace::root(), |_| history.folder());
    // Builds in the repository find the header of the protocol.
    let header = workspace::root().join("benches/external/c");
    let agent = |arguments: &[&str]| {
        Tool::at(agent).arguments(arguments).folder(folder).variable("CPATH", &header).with_all_it_starts()
    };
    let report = kept.folder.join("report.json");
    agent(&["run", "--preset", run.preset, "--output"]).arguments([&report]).output()?;
    if is_proposed {
        // Git does not know the number.
        let mut value = measure::read_report(&report)?;
        value["pull_request"] = json!(PULL_REQUEST);
        fs::write(&report, value.to_string())?;
    }
    let token = kept.data_folder().join("agent.token");
    agent(&["upload", "--upload", url, "--token-file"]).arguments([&token, &report]).output().map(drop)
}

/// Takes the pictures of all pages but these, checks their sizes, and puts them in a folder in place of those that are there.
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
        .with_all_it_starts()
        .succeed(&step)?;
    let (bytes, pictures) = pictures_in(taken.path())?;
    fs::create_dir_all(folder)?;
    workspace::sorted(folder)?.iter().filter(|path| is_picture(path)).try_for_each(fs::remove_file)?;
    for (_, path) in &pictures {
        fs::copy(path, folder.join(path.file_name().unwrap_or_default()))?;
    }
    step.done(&format!("{} of {} KiB together in {}", pictures.len(), bytes / 1024, folder.display()));
    if let Some((size, path)) = pictures.iter().max() {
        let name = path.file_name().unwrap_or_default().display();
        screen::note(&format!("the largest is {name}, {} KiB", size / 1024));
    }
    Ok(())
}

fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "webp")
}

/// The pictures of a folder with their sizes, and the sum of these, which must not be too much.
fn pictures_in(folder: &Path) -> Result<(u64, Vec<(u64, PathBuf)>)> {
    let paths = workspace::sorted(folder)?.into_iter().filter(|path| is_picture(path));
    let pictures = paths.map(|path| Ok((fs::metadata(&path)?.len(), path))).collect::<Result<Vec<_>>>()?;
    let bytes = pictures.iter().map(|(size, _)| size).sum();
    ensure!(bytes > 0, "no picture was taken");
    ensure!(bytes <= BYTES_MAX, "all pictures together are {bytes} bytes: expected at most {BYTES_MAX}");
    Ok((bytes, pictures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_noted_with_the_commit_that_measured_it() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept { folder: folder.path().to_owned() };
        let commit = Commit { sha: "a1".into(), subject: String::new() };
        let run = |round| Run { commit: Some(&commit), preset: "ipc.toml", round };
        assert!(!kept.has(&run(1)));
        kept.note(&run(1), "b2 with changes").unwrap();
        kept.note(&run(12), "b2 with changes").unwrap();
        assert!(kept.has(&run(1)) && kept.has(&run(12)) && !kept.has(&run(2)));
        assert_eq!(kept.suites().into_iter().collect::<Vec<_>>(), ["b2 with changes"]);
    }

    #[test]
    fn every_commit_is_measured_once_a_round_and_the_newest_with_more() {
        let history = History::make().unwrap();
        let all = runs(SHORT, &history);
        assert_eq!(all.len(), OWN.len() + (1 + 8) * 3 + 1);
        assert_eq!((all[2].round, all[11].round), (1, 2));
        assert_eq!(all[2].commit, all[11].commit);
        assert_eq!(all.last().unwrap().preset, NEWEST);
        let regressed = all.iter().filter(|run| run.title() == "Send a message in parts");
        assert_eq!(regressed.count(), 3);
        assert_eq!(all.iter().filter(|run| run.commit == Some(&history.proposed)).count(), 3);
    }

    #[test]
    fn pictures_that_are_too_large_together_are_refused_and_nothing_else_counts() {
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
        assert_eq!(error, "all pictures together are 3000001 bytes: expected at most 3000000");
    }
}
