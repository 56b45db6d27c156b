//! [`Regression`]: one regression with its size, suspects and explanation, in the answers of several tools.

use super::{Commit, Measured};
use crate::Refused;
use crate::api::{Project, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of each kind to read from the comparison of the commits around a change.
const PAIRS_MAX: u32 = 200;
const SUSPECTS_MAX: usize = 5;

/// A change of several series with one cause, for the worse or the better.
#[derive(Serialize, JsonSchema)]
pub(super) struct Regression {
    #[serde(flatten)]
    pub(super) row: Row,
    /// The largest changes, one for each series.
    pub(super) series: Vec<Change>,
    /// Suspect commits, most probable first; at most five.
    suspects: Vec<Suspect>,
    /// The page.
    link: String,
}

/// A regression as the server lists it.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(super) struct Row {
    /// Number in links and in `explain`.
    pub(super) regression_id: i64,
    /// `regressed` or `improved`.
    direction: String,
    /// `new`, `acknowledged`, `fixed`, `invalid`, or `machine`: the machine changed, not the code.
    state: String,
    /// What changed it, from reference series and other machines: `commit`, `machine` or `unknown`.
    cause: Option<String>,
    /// `step`, or `drift`: small steps that add up. A drift has no suspects.
    kind: String,
    /// The largest change, as a share: 0.2 is 20 % larger, which is slower for times.
    worst_change: Option<f64>,
    /// The number of changed series.
    series_count: u64,
    /// Machines with the change.
    machines: Vec<String>,
    /// The newest commit measured before the change. Not a suspect.
    pub(super) after_commit: Place,
    /// The oldest commit measured after it: the last suspect.
    pub(super) until_commit: Place,
    /// Why it changed, from a paired comparison that observed both sides; null if none did.
    pub(super) explanation: Option<Explanation>,
    /// Why its alerts are held; null if they are not.
    held_because: Option<String>,
}

/// A commit and its place.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(super) struct Place {
    /// Full SHA.
    pub(super) sha: String,
    /// Commits on the first-parent path from the root.
    pub(super) ordinal: u64,
}

/// What changed between the two sides of a paired comparison, per message (in `roundtrip`, per round trip).
#[derive(Deserialize, Serialize, JsonSchema)]
pub(super) struct Explanation {
    /// The change of the time, in nanoseconds.
    change_ns: i64,
    /// The causes, those that account for most of the change first.
    findings: Vec<Finding>,
    /// The part of the change that no finding accounts for, in nanoseconds.
    unexplained_ns: i64,
    /// What could not be observed.
    #[serde(default)]
    notes: Vec<String>,
}

/// A cause.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Finding {
    /// The cause in words.
    text: String,
    /// The part of the change that it accounts for, in nanoseconds; null if that cannot be measured.
    explains_ns: Option<i64>,
    /// The least and the largest estimate of that part, each without one repetition.
    explains_range_ns: Option<[i64; 2]>,
    /// The function that it names.
    function: Option<String>,
}

/// A suspect commit.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Suspect {
    /// The commit.
    commit: Commit,
    /// Its probability, from 0 to 1.
    probability: f64,
    /// Functions and calls on its changed lines that explain the change.
    names: Vec<String>,
}

/// The change of one series.
#[derive(Serialize, JsonSchema)]
pub(super) struct Change {
    #[serde(flatten)]
    series: Series,
    #[serde(flatten)]
    pub(super) point: ChangePoint,
    /// The 95 % interval of the p50's change between the commits around it, as shares; null if that comparison has none.
    change_interval: Option<[f64; 2]>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Series {
    /// Machine.
    machine: String,
    #[serde(flatten)]
    measured: Measured,
}

#[derive(Deserialize, Serialize, JsonSchema)]
pub(super) struct ChangePoint {
    /// Number of the series in links.
    pub(super) series_id: i64,
    /// The statistic: `p50`, `p99`, or `tail`: p99 divided by p50.
    figure: String,
    /// `regressed` or `improved`.
    direction: String,
    /// The level before, in nanoseconds; for `tail` a ratio.
    before_level: f64,
    /// The level after, likewise.
    after_level: f64,
    /// The change, as a share.
    change: f64,
    /// One minus the probability of this much evidence without a change.
    confidence: f64,
    /// Evidence from reference series for or against a change of the machine.
    witnesses: Vec<String>,
    /// Its place: the first commit of the new level.
    commit_ordinal: u64,
}

#[derive(Deserialize)]
struct Detail {
    regression: Row,
    change_points: Vec<ChangePoint>,
    culprits: Vec<Suspect>,
}

#[derive(Deserialize)]
struct Comparison {
    pairs: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    head: Option<Side>,
    change_interval: Option<[f64; 2]>,
}

#[derive(Deserialize)]
struct Side {
    series_id: i64,
}

impl Regression {
    /// Reads a regression with its largest changes.
    pub(super) async fn read(
        project: &Project<'_>,
        regression_id: i64,
        series_max: usize,
    ) -> Result<Self, Refused> {
        let page = format!("regressions/{regression_id}");
        let detail: Detail = project.get(&page, Query::default()).await?;
        let Detail { regression: row, mut change_points, culprits: mut suspects } = detail;
        // Those that reverted it have the other direction.
        change_points.retain(|point| point.direction == row.direction);
        // The p50 of each series if it changed, as other statistics follow it.
        change_points.sort_by(|one, other| one.rank().partial_cmp(&other.rank()).unwrap_or(Ordering::Equal));
        let mut seen = BTreeSet::new();
        change_points.retain(|point| seen.insert(point.series_id));
        let intervals = intervals(project, &row).await?;
        let mut series = Vec::new();
        for point in change_points.into_iter().take(series_max) {
            let path = format!("series/{}", point.series_id);
            series.push(Change {
                series: project.read(&path, Query::default()).await?,
                change_interval: intervals.get(&point.series_id).copied().filter(|_| point.figure == "p50"),
                point,
            });
        }
        suspects.truncate(SUSPECTS_MAX);
        Ok(Self { row, series, suspects, link: project.link(&page, Query::default()) })
    }
}

impl ChangePoint {
    /// The largest change of a p50 first, then of other statistics.
    fn rank(&self) -> (bool, f64) {
        (self.figure != "p50", -self.change.abs())
    }
}

/// The intervals of the changes between the commits around a regression, by series.
async fn intervals(project: &Project<'_>, row: &Row) -> Result<BTreeMap<i64, [f64; 2]>, Refused> {
    let query = Query::default()
        .with("base", Some(&row.after_commit.sha))
        .with("head", Some(&row.until_commit.sha))
        .with("kind", Some("slower,faster,elsewhere,inconclusive,unchanged"))
        .with("limit", Some(PAIRS_MAX));
    let Comparison { pairs } = project.get("compare", query).await?;
    Ok(pairs.into_iter().filter_map(|pair| Some((pair.head?.series_id, pair.change_interval?))).collect())
}

/// The regressions of a project whose change may be in a range of commits, newest first, and whether there are more.
pub(super) async fn list(
    project: &Project<'_>,
    query: Query,
    range: Option<(&str, &str)>,
) -> Result<(Vec<Row>, bool), Refused> {
    #[derive(Deserialize)]
    struct Answer {
        regressions: Vec<Row>,
        next_after: Option<String>,
    }
    let Answer { mut regressions, next_after } =
        project.get("regressions", query.with("quiet", Some(true)).with("limit", Some(1_000))).await?;
    if let Some((base, head)) = range {
        let (base, head) = (Commit::read(project, base).await?, Commit::read(project, head).await?);
        regressions
            .retain(|row| row.until_commit.ordinal > base.ordinal && row.after_commit.ordinal < head.ordinal);
    }
    Ok((regressions, next_after.is_some()))
}
