//! The answers of the API that a site has. `web/src/site/` computes all others from them: lists of matching series, lines of
//! several series, ranges of commits.

use super::folder::Folder;
use crate::AppState;
use crate::{router, routes};
use anyhow::{Context, Result, anyhow, bail, ensure};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, StatusCode};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tower::ServiceExt as _;
use uuid::Uuid;

/// The newest runs with all details, per project. Of older ones, a site has the points, but not every repetition.
const DETAILED_RUNS: usize = 50;
// The limits of the API: entries per page, series per request, and points per series or line.
const PAGE: usize = 1_000;
const SERIES_MAX: usize = 200;
const POINTS_MAX: usize = 10_000;
/// As many as the web interface shows.
const BUDGETS_MAX: usize = 500;
/// Enough for the width of a chart.
const HEAT_MAP_COLUMNS: usize = 300;
/// Requests at the same time: as many as connections to the database keep busy.
const REQUESTS: usize = 4;
const QUANTILES: &str = "min,p25,p50,p75,p90,p98,p99,p999,max";

/// Writes all answers.
pub(super) async fn write(state: AppState, folder: Arc<Folder>) -> Result<()> {
    let site = Site { app: router::app(state.clone()), state, folder };
    for request in ["session", "references", "size-profiles"] {
        site.copy(request).await?;
    }
    let ReferenceList { references } = site.ask("references").await?;
    let projects: ProjectList = site.copy_list("projects").await?;
    let mut detailed = Vec::new();
    for ProjectEntry { project } in projects.projects {
        let written = site.write_project(&project, &references).await;
        detailed.extend(written.with_context(|| format!("cannot write project {project}"))?);
    }
    site.write_json("detailed-runs", &detailed)
}

/// The properties of a site that the web interface needs: the contents of its mark.
pub(super) fn extent() -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&json!({"detailed_runs": DETAILED_RUNS}))?)
}

/// Cheap to clone.
#[derive(Clone)]
struct Site {
    state: AppState,
    app: Router,
    folder: Arc<Folder>,
}

// The members of answers that decide which other answers there are.

#[derive(Deserialize)]
struct ProjectList {
    projects: Vec<ProjectEntry>,
}

#[derive(Deserialize)]
struct ProjectEntry {
    project: String,
}

#[derive(Deserialize)]
struct ProjectDetail {
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct MachineList {
    machines: Vec<MachineEntry>,
}

#[derive(Deserialize)]
struct MachineEntry {
    machine: String,
}

#[derive(Deserialize)]
struct RunList {
    runs: Vec<RunEntry>,
}

#[derive(Deserialize)]
struct RunEntry {
    run_id: Uuid,
    commit: CommitEntry,
    branch: Option<String>,
    pull_request: Option<i64>,
}

impl RunEntry {
    /// Whether it is part of the trend, by the rule with which the server stored it.
    fn is_mainline(&self, default_branch: Option<&str>) -> bool {
        let is_default = |branch: &str| default_branch.is_none_or(|default| default == branch);
        self.pull_request.is_none() && self.branch.as_deref().is_none_or(is_default)
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct CommitEntry {
    ordinal: i64,
    sha: String,
}

#[derive(Deserialize)]
struct SeriesList {
    series: Vec<SeriesEntry>,
}

#[derive(Deserialize)]
struct SeriesEntry {
    series_id: i64,
    machine: String,
    case: CaseEntry,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct CaseEntry {
    scenario: String,
    mode: String,
    placement: String,
}

#[derive(Deserialize)]
struct RegressionList {
    regressions: Vec<RegressionEntry>,
}

#[derive(Deserialize)]
struct RegressionEntry {
    regression_id: i64,
    after_commit: CommitEntry,
    until_commit: CommitEntry,
}

#[derive(Deserialize)]
struct PullRequestList {
    pull_requests: Vec<PullRequestEntry>,
}

#[derive(Deserialize)]
struct PullRequestEntry {
    head: CommitEntry,
    merge_base: Option<CommitEntry>,
}

#[derive(Deserialize)]
struct PointList {
    series: [PointPage; 1],
}

#[derive(Deserialize)]
struct PointPage {
    points: Vec<PointEntry>,
    summaries: Vec<PointEntry>,
}

#[derive(Deserialize)]
struct PointEntry {
    run_id: Uuid,
    commit_ordinal: i64,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl PointEntry {
    /// The point with the place of its run.
    fn placed(self, places: &HashMap<Uuid, usize>) -> Result<Map<String, Value>> {
        let place = places.get(&self.run_id).with_context(|| format!("run {} is not listed", self.run_id))?;
        let mut point = self.others;
        for name in ["commit_sha", "measured_at", "work_tree_modified"] {
            point.remove(name);
        }
        point.insert("run".to_owned(), (*place).into());
        Ok(point)
    }
}

#[derive(Deserialize)]
struct ChangeList {
    change_points: Vec<Value>,
}

#[derive(Deserialize)]
struct ReferenceList {
    references: Vec<ReferenceEntry>,
}

#[derive(Deserialize)]
struct ReferenceEntry {
    slug: String,
}

/// The sweeps of each machine and scenario: over all modes and placements, over those of a mode, and over one placement.
fn sweeps(base: &str, series: &[SeriesEntry]) -> BTreeSet<String> {
    let mut requests = BTreeSet::new();
    for SeriesEntry { machine, case, .. } in series {
        let CaseEntry { scenario, mode, placement } = case;
        for over in ["message_bytes", "peers", "senders"] {
            let mode = format!("&mode={mode}");
            let placement = format!("&placement={placement}");
            for (mode, placement) in [("", ""), (&mode, ""), (&mode, &placement)] {
                // The parameters of every file name are sorted.
                requests.insert(format!(
                    "{base}/charts/sweep?machine={machine}{mode}&over={over}{placement}&scenario={scenario}"
                ));
            }
        }
    }
    requests
}

/// The newest runs, and those around regressions.
fn detailed(runs: &[RunEntry], regressions: &[RegressionEntry]) -> Vec<Uuid> {
    let around: BTreeSet<&str> = regressions
        .iter()
        .flat_map(|regression| [&regression.after_commit.sha, &regression.until_commit.sha])
        .map(String::as_str)
        .collect();
    let is_detailed = |(index, run): &(usize, &RunEntry)| {
        *index < DETAILED_RUNS || around.contains(run.commit.sha.as_str())
    };
    runs.iter().enumerate().filter(is_detailed).map(|(_, run)| run.run_id).collect()
}

/// The comparisons of neighbours on the main line, of the commits around regressions, and of pull requests.
fn comparisons(
    base: &str,
    runs: &[RunEntry],
    regressions: &[RegressionEntry],
    pull_requests: &[PullRequestEntry],
    default_branch: Option<&str>,
) -> BTreeSet<String> {
    let main: BTreeSet<&CommitEntry> =
        runs.iter().filter(|run| run.is_mainline(default_branch)).map(|run| &run.commit).collect();
    let main: Vec<&CommitEntry> = main.into_iter().collect();
    let neighbours = main.windows(2).rev().take(DETAILED_RUNS).map(|pair| (pair[0], pair[1]));
    let around = regressions.iter().map(|regression| (&regression.after_commit, &regression.until_commit));
    let of_pull_requests = pull_requests
        .iter()
        .filter_map(|pull_request| Some((pull_request.merge_base.as_ref()?, &pull_request.head)));
    let pairs = neighbours.chain(around).chain(of_pull_requests).filter(|(one, other)| one.sha != other.sha);
    pairs.map(|(one, other)| format!("{base}/compare?base={}&head={}", one.sha, other.sha)).collect()
}

impl Site {
    /// Returns the runs with all details.
    async fn write_project(&self, project: &str, references: &[ReferenceEntry]) -> Result<Vec<Uuid>> {
        let base = format!("projects/{project}");
        self.copy(&base).await?;
        let ProjectDetail { default_branch } = self.ask(&base).await?;
        self.copy(&format!("{base}/error-rates")).await?;
        self.copy_list::<Value>(&format!("{base}/commits")).await?;
        let RunList { runs } = self.copy_list(&format!("{base}/runs")).await?;
        let SeriesList { series } = self.copy_list(&format!("{base}/series")).await?;
        let PullRequestList { pull_requests } = self.copy_list(&format!("{base}/pull-requests")).await?;
        let MachineList { machines } = self.copy_list(&format!("{base}/machines")).await?;
        // No agent can confirm a suspicion, so a site shows only changes.
        self.write_json(&format!("{base}/suspicions"), &json!({"suspicions": [], "next_after": null}))?;
        for MachineEntry { machine } in machines {
            let base = format!("{base}/machines/{machine}");
            self.copy(&format!("{base}/environments")).await?;
            self.copy(&format!("{base}/history")).await?;
            self.copy_as(&format!("{base}/canaries?last={PAGE}"), &format!("{base}/canaries")).await?;
        }
        for ReferenceEntry { slug } in references {
            self.copy(&format!("{base}/references/{slug}")).await?;
        }
        let regressions = self.write_regressions(&base).await?;
        self.write_changes(project, &series).await?;
        let places: Arc<HashMap<Uuid, usize>> =
            Arc::new(runs.iter().rev().enumerate().map(|(place, run)| (run.run_id, place)).collect());
        let parts = series.iter().map(|entry| (entry.series_id, Arc::clone(&places)));
        self.each(parts, |site, (id, places)| async move { site.write_series(id, &places).await }).await?;
        self.each(sweeps(&base, &series), |site, request| async move { site.copy(&request).await }).await?;
        let detailed = detailed(&runs, &regressions);
        self.each(detailed.clone(), |site, run_id| async move { site.write_run(run_id).await }).await?;
        let comparisons = comparisons(&base, &runs, &regressions, &pull_requests, default_branch.as_deref());
        self.each(comparisons, |site, request| async move { site.copy(&request).await }).await?;
        self.write_feeds_and_badges(project, &series).await?;
        Ok(detailed)
    }

    /// Does a piece of work for each item, a few at the same time.
    async fn each<Item, Work>(
        &self,
        items: impl IntoIterator<Item = Item>,
        work: impl Fn(Self, Item) -> Work,
    ) -> Result<()>
    where
        Work: Future<Output = Result<()>> + Send + 'static,
    {
        let tasks = items.into_iter().map(|item| tokio::spawn(work(self.clone(), item)));
        stream::iter(tasks).buffer_unordered(REQUESTS).map(|done| done?).try_collect().await
    }

    async fn write_regressions(&self, base: &str) -> Result<Vec<RegressionEntry>> {
        let list = format!("{base}/regressions");
        let all = self.ask_list(&format!("{list}?quiet=true")).await?;
        self.write_json(&list, &all)?;
        let RegressionList { regressions } = serde_json::from_value(all)?;
        for RegressionEntry { regression_id, .. } in &regressions {
            let request = format!("{list}/{regression_id}");
            self.copy(&request).await?;
            let profile = format!("{request}/profile");
            if let (StatusCode::OK, answer) = self.send(&profile).await? {
                self.folder.write_answer(&profile, &answer)?;
            }
        }
        Ok(regressions)
    }

    async fn write_changes(&self, project: &str, series: &[SeriesEntry]) -> Result<()> {
        let mut change_points: Vec<Value> = Vec::new();
        for part in series.chunks(SERIES_MAX) {
            let ids: Vec<String> = part.iter().map(|entry| entry.series_id.to_string()).collect();
            let part: ChangeList = self.ask(&format!("charts/changes?series={}", ids.join(","))).await?;
            change_points.extend(part.change_points);
        }
        self.write_json(
            &format!("charts/changes?project={project}"),
            &json!({"change_points": change_points}),
        )
    }

    /// The charts of a series.
    async fn write_series(&self, id: i64, places: &HashMap<Uuid, usize>) -> Result<()> {
        let series = format!("series={id}");
        let line = format!(
            "charts/line?{series}&quantiles={QUANTILES}&repetitions=true&rate=true&last={POINTS_MAX}&points={POINTS_MAX}"
        );
        self.copy_as(&line, &format!("charts/line?{series}")).await?;
        let heat_map = format!("charts/heatmap?{series}&last={POINTS_MAX}&columns={HEAT_MAP_COLUMNS}");
        self.copy_as(&heat_map, &format!("charts/heatmap?{series}")).await?;
        let budget = format!("charts/budget?{series}&last={BUDGETS_MAX}");
        self.copy_as(&budget, &format!("charts/budget?{series}")).await?;
        self.write_json(&format!("points?{series}"), &self.points(id, places).await?)
    }

    /// All points of a series, oldest first. What the list of runs has is replaced by the place of the run in it, from the
    /// oldest: the identities of runs and commits would be half of the site.
    async fn points(&self, id: i64, places: &HashMap<Uuid, usize>) -> Result<Value> {
        let mut pages: Vec<[Vec<Map<String, Value>>; 2]> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut to = i64::MAX;
        loop {
            let range = if to == i64::MAX { String::new() } else { format!("&to={to}") };
            let PointList { series: [page] } =
                self.ask(&format!("points?series={id}&limit={POINTS_MAX}{range}")).await?;
            let oldest = page.points.iter().chain(&page.summaries).map(|point| point.commit_ordinal).min();
            let count = page.points.len() + page.summaries.len();
            // The oldest commit of a page may have more runs, so the next page begins with it again.
            let mut placed = |points: Vec<PointEntry>| -> Result<Vec<_>> {
                let new = points.into_iter().filter(|point| seen.insert(point.run_id));
                new.map(|point| point.placed(places)).collect()
            };
            pages.push([placed(page.points)?, placed(page.summaries)?]);
            match oldest {
                Some(oldest) if count >= POINTS_MAX => {
                    ensure!(
                        oldest < to,
                        "series {id} has {POINTS_MAX} runs or more of one commit: expected fewer"
                    );
                    to = oldest;
                }
                _ => break,
            }
        }
        let [mut points, mut summaries] = [Vec::new(), Vec::new()];
        for [more_points, more_summaries] in pages.into_iter().rev() {
            points.extend(more_points);
            summaries.extend(more_summaries);
        }
        Ok(json!({"points": points, "summaries": summaries}))
    }

    async fn write_run(&self, run_id: Uuid) -> Result<()> {
        self.copy(&format!("runs/{run_id}")).await?;
        let points = routes::points::of_run(&self.state, run_id).await;
        let points = points.map_err(|error| anyhow!("cannot read the points of run {run_id}: {error}"))?;
        self.write_json(&format!("runs/{run_id}/series"), &points)
    }

    async fn write_feeds_and_badges(&self, project: &str, series: &[SeriesEntry]) -> Result<()> {
        for name in ["regressions", "runs"] {
            let own = format!("projects/{project}/{name}.atom");
            let feed = self.bytes(&own).await?;
            let feed = String::from_utf8(feed.to_vec()).context("a feed is not UTF-8")?;
            // Links are relative to the feed, which is in the folder of its project.
            let feed = feed.replace(&format!("href=\"/api/v1/{own}\""), &format!("href=\"{name}.atom\""));
            let feed = feed.replace("href=\"/", "href=\"../#/");
            self.folder.write(&format!("{project}/{name}.atom"), feed.as_bytes())?;
        }
        let badge = self.bytes(&format!("projects/{project}/badge.svg")).await?;
        self.folder.write(&format!("badges/{project}.svg"), &badge)?;
        for SeriesEntry { series_id, .. } in series {
            let badge = self.bytes(&format!("series/{series_id}/badge.svg")).await?;
            self.folder.write(&format!("badges/{project}/{series_id}.svg"), &badge)?;
        }
        Ok(())
    }

    async fn copy(&self, request: &str) -> Result<()> {
        self.copy_as(request, request).await
    }

    /// Writes an answer under the name of another request.
    async fn copy_as(&self, request: &str, name: &str) -> Result<()> {
        self.folder.write_answer(name, &self.bytes(request).await?)
    }

    fn write_json(&self, name: &str, answer: &impl Serialize) -> Result<()> {
        self.folder.write_answer(name, &serde_json::to_vec(answer)?)
    }

    /// Writes all pages of a list as one.
    async fn copy_list<T: for<'a> Deserialize<'a>>(&self, request: &str) -> Result<T> {
        let answer = self.ask_list(request).await?;
        self.write_json(request, &answer)?;
        Ok(serde_json::from_value(answer)?)
    }

    /// All pages of a list: an object with one array.
    async fn ask_list(&self, request: &str) -> Result<Value> {
        let separator = if request.contains('?') { '&' } else { '?' };
        let mut whole: Map<String, Value> = self.ask(&format!("{request}{separator}limit={PAGE}")).await?;
        let mut after = whole.insert("next_after".to_owned(), Value::Null);
        while let Some(Value::String(cursor)) = after {
            let cursor = percent_encoding::utf8_percent_encode(&cursor, percent_encoding::NON_ALPHANUMERIC);
            let mut page: Map<String, Value> =
                self.ask(&format!("{request}{separator}limit={PAGE}&after={cursor}")).await?;
            after = page.remove("next_after");
            for (name, entries) in page {
                if let (Some(Value::Array(all)), Value::Array(entries)) = (whole.get_mut(&name), entries) {
                    all.extend(entries);
                }
            }
        }
        Ok(Value::Object(whole))
    }

    async fn ask<T: for<'a> Deserialize<'a>>(&self, request: &str) -> Result<T> {
        let bytes = self.bytes(request).await?;
        serde_json::from_slice(&bytes).with_context(|| format!("the answer to {request} is unexpected"))
    }

    async fn bytes(&self, request: &str) -> Result<Bytes> {
        let (status, bytes) = self.send(request).await?;
        if !status.is_success() {
            bail!("the answer to {request} is {status}: {}", String::from_utf8_lossy(&bytes));
        }
        Ok(bytes)
    }

    async fn send(&self, request: &str) -> Result<(StatusCode, Bytes)> {
        let sent = Request::get(format!("/api/v1/{request}")).body(Body::empty())?;
        let response = match self.app.clone().oneshot(sent).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await;
        Ok((status, bytes.with_context(|| format!("cannot read the answer to {request}"))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(ordinal: i64, sha: &str, branch: Option<&str>) -> RunEntry {
        let commit = CommitEntry { ordinal, sha: sha.to_owned() };
        RunEntry { run_id: Uuid::nil(), commit, branch: branch.map(str::to_owned), pull_request: None }
    }

    #[test]
    fn commits_of_other_branches_are_no_neighbours() {
        let runs = [run(4, "d", Some("main")), run(3, "x", Some("topic")), run(3, "c", None)];
        let compared = |default_branch| comparisons("projects/p", &runs, &[], &[], default_branch);
        let pair = |base, head| format!("projects/p/compare?base={base}&head={head}");
        assert_eq!(compared(Some("main")), BTreeSet::from([pair("c", "d")]));
        assert_eq!(compared(None), BTreeSet::from([pair("c", "x"), pair("x", "d")]));
    }
}
