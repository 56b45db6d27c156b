//! `bench web`: the budgets of the web interface, measured in a real Chromium. `web/bench/` measures and judges nothing; the
//! bars are here.

use super::stock::Plan;
use super::{Format, Options, part_of};
use crate::screen::{self, Step};
use crate::test::chromium;
use crate::{programs, web, workspace};
use anyhow::{Context, Result, bail, ensure};
use roundtrip_budget::{BarIs, Peer, Row};
use std::path::Path;
use std::process::ExitCode;

/// The files of `web/bench/`.
const PARTS: [&str; 4] = ["charts", "hover", "transfer", "memory"];

/// What a figure of `web/bench/` is, and what it must hold.
struct Bar {
    key: &'static str,
    title: &'static str,
    part: &'static str,
    unit: &'static str,
    bar_is: BarIs,
    bar: f64,
    /// Whether turns differ by what else the machine does, so that the best of them tells something.
    is_time: bool,
}

const fn time(
    key: &'static str,
    title: &'static str,
    part: &'static str,
    unit: &'static str,
    bar: f64,
) -> Bar {
    Bar { key, title, part, unit, bar_is: BarIs::ValueAtMost, bar, is_time: true }
}

const fn bytes(key: &'static str, title: &'static str, bar: f64) -> Bar {
    Bar { key, title, part: "transfer", unit: "bytes", bar_is: BarIs::ValueAtMost, bar, is_time: false }
}

/// What may be left of it after many navigations, as a ratio to what was left after the first.
const fn left(key: &'static str, title: &'static str, unit: &'static str) -> Bar {
    Bar { key, title, part: "memory", unit, bar_is: BarIs::RatioAtMost, bar: 1.05, is_time: false }
}

const BARS: [Bar; 11] = [
    time("first-chart", "first chart of 6 series x 1,000 commits", "charts", "ms", 1_000.0),
    time(
        "first-tooltip",
        "tooltip of that chart, pointed at once it is there, warm",
        "charts",
        "ms",
        1_000.0,
    ),
    time("first-deep-chart", "first chart of 6 series x 10,000 commits", "charts", "ms", 1_500.0),
    time("hover", "work of a move over that of 1,000 commits, p95", "hover", "us", 16_000.0),
    time("hover-grid", "work of a move over 50 sparklines, p95", "hover", "us", 16_000.0),
    time("zoom", "longest piece of work while it is zoomed and panned", "hover", "us", 50_000.0),
    bytes("scripts", "scripts of the first page, as sent", web::SCRIPTS_KIB_MAX as f64 * 1_024.0),
    bytes("longest-answer", "longest answer on a walk, as sent", 200_000.0),
    left("heap_kib", "heap after many navigations", "KiB"),
    left("nodes", "nodes after many navigations, detached ones included", "nodes"),
    left("listeners", "listeners after many navigations", "listeners"),
];

/// Runs the verb.
///
/// # Errors
/// Something does not build or start, or a page cannot be measured.
pub(super) fn measure(options: &Options) -> Result<ExitCode> {
    let only = part_of(&PARTS, options)?;
    workspace::claim_target_folder()?;
    let step = Step::start("web UI");
    web::build(&step)?;
    step.clear();
    let step = Step::start("programs");
    let program = programs::build(&step, &[programs::SERVER], "release")?.program(programs::SERVER)?;
    step.clear();
    let step = Step::start("chromium");
    let browser = chromium::find_or_install(&step)?;
    step.clear();
    let plan = Plan::of(options.quick);
    if options.quick {
        screen::note(&format!("quick: with {}, which says nothing of ten million", plan.extent()));
    }
    let server = plan.serve(&program)?;
    let figures = figures(&server.address()?, &browser, only, options.quick)?;
    server.stop()?;
    let rows = rows(&figures, only, &plan.extent())?;
    roundtrip_budget::print(&rows, options.format == Format::Json).context("the rows cannot be printed")
}

/// What the browser measured, a line of JSON a figure. Remarks are passed on.
fn figures(url: &str, browser: &Path, only: Option<&str>, is_quick: bool) -> Result<String> {
    let step = Step::start("browser");
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("figures");
    let mut playwright = web::npm(&["run", "bench", "--"])?
        .arguments(only)
        .variable("ROUNDTRIP_URL", url)
        .variable("ROUNDTRIP_FIGURES", &file)
        .variable(chromium::VARIABLE, browser)
        .with_all_it_starts();
    playwright = match is_quick {
        true => playwright.variable("ROUNDTRIP_QUICK", "1"),
        false => playwright.without_variable("ROUNDTRIP_QUICK"),
    };
    let finished = playwright.run(&step)?.successful()?;
    step.clear();
    for remark in finished.output.lines().filter_map(|line| line.strip_prefix("remark: ")) {
        screen::note(remark);
    }
    std::fs::read_to_string(&file).context("the browser measured nothing")
}

/// A row for each figure, in the order of the bars.
fn rows(figures: &str, only: Option<&str>, extent: &str) -> Result<Vec<Row>> {
    let figures: Vec<Figure> = figures.lines().map(Figure::parse).collect::<Result<_>>()?;
    if let Some(other) = figures.iter().find(|figure| !BARS.iter().any(|bar| bar.key == figure.key)) {
        bail!("the browser measured {}, which has no bar", other.key);
    }
    let mut rows = Vec::new();
    for bar in BARS.iter().filter(|bar| only.is_none_or(|only| only == bar.part)) {
        let before = rows.len();
        rows.extend(
            figures.iter().filter(|figure| figure.key == bar.key).map(|figure| bar.row(figure, extent)),
        );
        ensure!(rows.len() > before, "the browser did not measure {}: {}", bar.key, bar.title);
    }
    Ok(rows)
}

/// Values of turns, and those of a peer.
struct Figure {
    key: String,
    of: String,
    values: Vec<f64>,
    peer: String,
    peer_values: Vec<f64>,
}

impl Figure {
    fn parse(line: &str) -> Result<Self> {
        let figure: serde_json::Value = serde_json::from_str(line).context("a figure is not JSON")?;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let numbers = |value: &serde_json::Value| -> Option<Vec<f64>> {
            value.as_array()?.iter().map(serde_json::Value::as_f64).collect()
        };
        let read = || {
            Some(Self {
                key: text(&figure["key"])?,
                of: text(&figure["of"])?,
                values: numbers(&figure["values"]).filter(|values| !values.is_empty())?,
                peer: text(&figure["peer"]["name"])?,
                peer_values: numbers(&figure["peer"]["values"]).filter(|values| !values.is_empty())?,
            })
        };
        read().with_context(|| format!("a figure lacks its key, its values or its peer: {line}"))
    }
}

impl Bar {
    fn row(&self, figure: &Figure, extent: &str) -> Row {
        let Self { title, unit, bar_is, bar, .. } = self;
        let of = if figure.of.is_empty() { String::new() } else { format!(", {}", figure.of) };
        let peer_value = median(&figure.peer_values);
        let peer =
            Peer { name: format!("{} ({} {unit})", figure.peer, whole(peer_value)), value: peer_value };
        let best = figure.values.iter().copied().fold(f64::INFINITY, f64::min);
        let best = (self.is_time && figure.values.len() > 1).then(|| whole(best));
        let value = whole(median(&figure.values));
        Row::new(format!("{title}{of}, {extent}"), value, unit, peer, *bar_is, *bar).with_best(best)
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "far less than 2^53, and not negative"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(key: &str, values: &str) -> String {
        format!(
            r#"{{"key":"{key}","of":"cold","values":{values},"peer":{{"name":"bare lines","values":[40,60]}}}}"#
        )
    }

    #[test]
    fn a_figure_is_the_median_of_its_turns_beside_that_of_its_peer() {
        let figures: Vec<String> = ["first-chart", "first-tooltip", "first-deep-chart"]
            .map(|key| figure(key, "[900.4,300,2000]"))
            .into();
        let rows = rows(&figures.join("\n"), Some("charts"), "10 million points stored").unwrap();
        let table = roundtrip_budget::table(&rows);
        let first = table.lines().next().unwrap();
        assert!(
            first.starts_with("first chart of 6 series x 1,000 commits, cold, 10 million points stored"),
            "{first}"
        );
        for part in ["900 ms  best 300", "\u{2264} 1000 ms", "bare lines (50 ms)", "18.000", "holds"] {
            assert!(first.contains(part), "{part}: {first}");
        }
    }

    #[test]
    fn what_was_not_measured_is_no_row_but_an_error() {
        let error = rows(&figure("scripts", "[1]"), Some("transfer"), "").unwrap_err().to_string();
        assert!(error.contains("did not measure longest-answer"), "{error}");
        assert!(rows(&figure("unheard-of", "[1]"), None, "").unwrap_err().to_string().contains("has no bar"));
        assert!(rows(&figure("scripts", "[]"), Some("transfer"), "").is_err());
    }
}
