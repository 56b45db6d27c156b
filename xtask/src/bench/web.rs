//! `bench web`: measures the budgets of the web interface in a real Chromium, against a server with synthetic
//! histories kept in the cache. `web/bench/` measures; the budgets are here.

use super::Options;
use crate::chromium;
use crate::programs::{self, Profile};
use crate::screen::{self, Step};
use crate::server::{self, Observed, Server};
use crate::stamp::Stamp;
use crate::{http, platform, web, workspace};
use anyhow::{Context, Result, ensure};
use roundtrip_budget::{BarIs, Peer, Row};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const PARTS: [&str; 7] = ["charts", "flame", "hover", "phone", "stability", "transfer", "memory"];

/// A figure of `web/bench/`: its key, title, part, unit and budget.
type Budget = (&'static str, &'static str, &'static str, &'static str, f64);

/// For memory, the budget is a ratio: memory after many navigations to memory after the first.
#[rustfmt::skip]
const BUDGETS: [Budget; 16] = [
    ("first-chart", "first chart of 6 series x 1,000 commits", "charts", "ms", 1_000.0),
    ("first-tooltip", "tooltip of that chart, warm", "charts", "ms", 1_000.0),
    ("first-deep-chart", "first chart of 6 series x 10,000 commits", "charts", "ms", 1_500.0),
    ("first-flame", "flame graph of 50,000 frames, drawn after its profile arrived", "flame", "ms", 300.0),
    ("hover-flame", "pointer move over that graph, p95", "flame", "us", 16_000.0),
    ("hover", "pointer move over the chart of 1,000 commits, p95", "hover", "us", 16_000.0),
    ("hover-grid", "pointer move over 50 sparklines, p95", "hover", "us", 16_000.0),
    ("zoom", "longest task while zooming and panning", "hover", "us", 50_000.0),
    ("phone-first-chart", "the first chart on a phone: processor slowed 4 times, 1.6 Mbit/s", "phone", "ms", 2_500.0),
    ("interaction", "input to next frame, processor slowed 4 times, p95", "phone", "ms", 100.0),
    ("layout-shift", "layout shift without input", "stability", "thousandths", 50.0),
    ("scripts", "scripts of the first page, transferred", "transfer", "bytes", web::SCRIPTS_KIB_MAX as f64 * 1_024.0),
    ("largest-response", "largest response, transferred", "transfer", "bytes", 200_000.0),
    ("heap_kib", "heap after many navigations", "memory", "KiB", 1.05),
    ("nodes", "DOM nodes after many navigations, including detached", "memory", "nodes", 1.05),
    ("listeners", "listeners after many navigations", "memory", "listeners", 1.05),
];

pub(super) fn measure(options: &Options) -> Result<ExitCode> {
    let only = options.part_of(&PARTS)?;
    workspace::claim_target_folder()?;
    Step::quietly("web UI", web::build)?;
    let built =
        Step::quietly("programs", |step| programs::build(step, &[programs::SERVER], Profile::Release))?;
    let program = built.program(programs::SERVER)?;
    let browser = Step::quietly("chromium", chromium::find_or_install)?;
    let stored = if options.quick { &QUICK } else { &WHOLE };
    if options.quick {
        screen::note(&format!("quick: with {}; not valid for ten million", stored.extent()));
    }
    let server = stored.serve(&program)?;
    let figures = figures(&server.address()?, &browser, only, options.quick)?;
    server.stop()?;
    options.print(&rows(&figures, only, &stored.extent())?)
}

/// The figures that the browser measured, one JSON line each. Other lines are printed.
fn figures(url: &str, browser: &Path, only: Option<&str>, is_quick: bool) -> Result<String> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("figures");
    let playwright = web::npm(&["run", "bench", "--"])?
        .without_variable("ROUNDTRIP_QUICK")
        .arguments(only)
        .variable("ROUNDTRIP_URL", url)
        .variable("ROUNDTRIP_FIGURES", &file)
        .variable(chromium::VARIABLE, browser)
        .variables(is_quick.then_some(("ROUNDTRIP_QUICK", "1")))
        .with_descendants();
    let finished = Step::quietly("browser", |step| playwright.run(step)?.successful())?;
    for remark in finished.output.lines().filter_map(|line| line.strip_prefix("remark: ")) {
        screen::note(remark);
    }
    fs_err::read_to_string(&file).context("the browser returned no results")
}

/// The values of all rounds, and those of a peer.
#[derive(Deserialize)]
struct Figure {
    key: String,
    variant: String,
    values: Vec<f64>,
    peer: FigurePeer,
}

#[derive(Deserialize)]
struct FigurePeer {
    name: String,
    values: Vec<f64>,
}

/// One row per figure, in the order of the budgets.
fn rows(figures: &str, only: Option<&str>, extent: &str) -> Result<Vec<Row>> {
    let parse = |line: &str| {
        let figure: Figure = serde_json::from_str(line).with_context(|| format!("invalid result: {line}"))?;
        ensure!(!figure.values.is_empty() && !figure.peer.values.is_empty(), "result without values: {line}");
        ensure!(
            BUDGETS.iter().any(|budget| budget.0 == figure.key),
            "the browser measured {}, which has no budget",
            figure.key
        );
        Ok(figure)
    };
    let figures: Vec<Figure> = figures.lines().map(parse).collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for budget @ (key, title, part, ..) in BUDGETS {
        if only.is_none_or(|only| only == part) {
            let before = rows.len();
            rows.extend(
                figures.iter().filter(|figure| figure.key == key).map(|figure| row(budget, figure, extent)),
            );
            ensure!(rows.len() > before, "the browser did not measure {key}: {title}");
        }
    }
    Ok(rows)
}

fn row((_, title, part, unit, bar): Budget, figure: &Figure, extent: &str) -> Row {
    let variant = if figure.variant.is_empty() { String::new() } else { format!(", {}", figure.variant) };
    let value = median(&figure.peer.values);
    let peer = Peer { name: format!("{} ({} {unit})", figure.peer.name, whole(value)), value };
    // Other load on the machine only adds time, so the best value counts.
    let is_time = ["charts", "flame", "hover", "phone"].contains(&part) && figure.values.len() > 1;
    let best = is_time.then(|| whole(figure.values.iter().copied().fold(f64::INFINITY, f64::min)));
    let bar_is = if part == "memory" { BarIs::RatioAtMost } else { BarIs::ValueAtMost };
    let title = format!("{title}{variant}, {extent}");
    Row::new(title, whole(median(&figure.values)), unit, peer, bar_is, bar).with_best(best)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[middle])
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "far less than 2^53, and not negative"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

struct StoredData {
    folder: &'static str,
    histories: &'static [History],
}

#[derive(Debug)]
struct History {
    project: &'static str,
    machines: u64,
    series: u64,
    commits: u64,
}

const LONG: History = History { project: "long", machines: 1, series: 6, commits: 10_000 };
/// Ten million points, with series of ten thousand.
const WHOLE: StoredData = StoredData {
    folder: "whole",
    histories: &[History { project: "seeded", machines: 5, series: 5_000, commits: 2_000 }, LONG],
};
/// As many commits, but few series.
const QUICK: StoredData = StoredData {
    folder: "quick",
    histories: &[History { project: "seeded", machines: 2, series: 100, commits: 1_000 }, LONG],
};

impl StoredData {
    /// The amount of data, as text after a figure.
    fn extent(&self) -> String {
        let points: u64 = self.histories.iter().map(|history| history.series * history.commits).sum();
        match points / 1_000_000 {
            0 => format!("{} thousand points stored", points / 1_000),
            millions => format!("{millions} million points stored"),
        }
    }

    /// Starts a server with the data, and waits until it has searched it for changes.
    fn serve(&self, program: &Path) -> Result<Server> {
        let kept = platform::cache_folder()?.join("bench-web").join(self.folder);
        let data_folder = kept.join("data");
        // Written last: data without this stamp is incomplete.
        let complete = Stamp::new(kept.join("complete"), self.digest()?);
        if !complete.is_current() {
            let step = Step::start("history");
            platform::remove_folder(&kept)?;
            platform::create_data_folder(&data_folder)?;
            let started = Observed::start(program, &data_folder, &step)?;
            for history in self.histories {
                history.store(program, &data_folder, &step)?;
            }
            started.until_searched(&step)?;
            // Restarted, so that every run begins with an existing database.
            started.server.stop()?;
            complete.write()?;
            step.done(&format!("{} in {}", self.extent(), kept.display()));
        }
        let step = Step::start("server");
        let started = Observed::start(program, &data_folder, &step)?;
        started.until_searched(&step)?;
        let url = started.server.address()?;
        self.histories.iter().try_for_each(|history| history.check(&url)).with_context(|| {
            format!("{} has unexpected contents. Delete it; it is created again.", kept.display())
        })?;
        step.done(&format!("data in {}", data_folder.display()));
        Ok(started.server)
    }

    /// A digest of the data description and of the sources that generate the data.
    fn digest(&self) -> Result<String> {
        let sources = ["migrations", "server/src/seed", "crates/storage/src/seed.rs"];
        let sources: Vec<PathBuf> = sources.map(|path| workspace::root().join(path)).into();
        Ok(format!("{} {:?}", workspace::digest(&sources)?, self.histories))
    }
}

impl History {
    fn store(&self, program: &Path, data_folder: &Path, step: &Step) -> Result<()> {
        let Self { project, machines, series, commits } = self;
        screen::note(&format!("storing {} points of {project} for this and later runs", series * commits));
        let numbers = format!("--machines {machines} --series {series} --commits {commits}");
        server::verb(program, data_folder, &["seed", "--project", project]).words(&numbers).succeed(step)
    }

    fn check(&self, url: &str) -> Result<()> {
        let project = http::json(&format!("{url}/api/v1/projects/{}", self.project))?;
        for (name, count) in [
            ("machine_count", self.machines),
            ("series_count", self.series),
            ("commit_count", self.commits),
            ("run_count", self.machines * self.commits),
        ] {
            let has = &project[name];
            ensure!(has.as_u64() == Some(count), "{} has {has} as {name}: expected {count}", self.project);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(key: &str, values: &str) -> String {
        format!(
            r#"{{"key":"{key}","variant":"cold","values":{values},"peer":{{"name":"bare lines","values":[40,60]}}}}"#
        )
    }

    #[test]
    fn compares_medians_with_the_peer() {
        let figures: Vec<String> = ["first-chart", "first-tooltip", "first-deep-chart"]
            .map(|key| figure(key, "[900.4,300,2000]"))
            .into();
        let rows = rows(&figures.join("\n"), Some("charts"), "10 million points stored").unwrap();
        let table = roundtrip_budget::table(&rows);
        let first = table.lines().next().unwrap();
        let title = "first chart of 6 series x 1,000 commits, cold, 10 million points stored";
        assert!(first.starts_with(title), "{first}");
        for part in ["900 ms  best 300", "\u{2264} 1000 ms", "bare lines (50 ms)", "18.000", "holds"] {
            assert!(first.contains(part), "{part}: {first}");
        }
    }

    #[test]
    fn missing_figures_are_an_error() {
        let error = rows(&figure("scripts", "[1]"), Some("transfer"), "").unwrap_err().to_string();
        assert!(error.contains("did not measure largest-response"), "{error}");
        let error = rows(&figure("unknown", "[1]"), None, "").unwrap_err().to_string();
        assert!(error.contains("has no budget"), "{error}");
        assert!(rows(&figure("scripts", "[]"), Some("transfer"), "").is_err());
    }

    #[test]
    fn stored_data_depends_on_the_history() {
        assert_eq!(WHOLE.extent(), "10 million points stored");
        assert_eq!(QUICK.extent(), "160 thousand points stored");
        assert_eq!(WHOLE.digest().unwrap(), WHOLE.digest().unwrap());
        assert_ne!(WHOLE.digest().unwrap(), QUICK.digest().unwrap());
    }
}
