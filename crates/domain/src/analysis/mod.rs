//! [`Analyst`]: finds change points in series soon after new points are stored.
//!
//! - [`crate::track`]: which points form a track, and their change points: between rows and `roundtrip_stats::change_point`.
//! - `evidence`: whether a commit or the machine caused a change. `attribute_changes`: regressions and fixes.
//! - [`suspect`]: machines that cause changes themselves.
//! - `siblings`: other machines with the same case, which confirm a change early.
//! - `suspicions`: a newest commit that is probably slower, which a paired comparison confirms before any alert.
//! - [`culprits`]: the commits that may have caused a regression. `backfill`: commits to measure to narrow them down.
//!   `culprit_search`: the same by paired jobs, where programs come from the repository.
//!
//! No state is kept in memory between searches. A run stays in table `analysis_due` from the transaction that stores it
//! until the transaction that stores the findings, so a server may stop at any time. One server at a time searches the
//! runs of a machine, all together. Searching the same points again finds the same changes, unless other machines have
//! new ones.

mod attribute_changes;
mod backfill;
mod culprit_search;
pub mod culprits;
mod evidence;
mod siblings;
pub mod suspect;
mod suspicions;

pub use roundtrip_storage::change_point::Direction;

use crate::error::DomainError;
use crate::track::{self, Points, Search};
use chrono::Utc;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use roundtrip_stats::change_point::Method;
use roundtrip_storage as db;
use roundtrip_storage::analysis::{self, Due};
use roundtrip_storage::change_point::store::{self, Placed};
use roundtrip_storage::change_point::{self, ChangePointRow, Found, Track};
use roundtrip_storage::chart::LineRow;
use roundtrip_storage::point::{Lines, Selection, SeriesKey};
use roundtrip_storage::regression::grouping;
use siblings::Siblings;
use sqlx::{PgConnection, PgPool};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suspicions::NewestPoints;
use tokio::sync::{Notify, watch};

/// Other servers store runs too, without notifying this one.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// Pauses per search while runs keep arriving: the search takes 1/20 of the time, and the rest is left for
/// uploads.
const PAUSES: u32 = 19;
const PAUSE_MIN: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(30);
const RUNS_MAX: i64 = 5_000;
/// One machine's changes are attributed while another machine is searched.
const MACHINES_AT_ONCE: usize = 2;
/// The number of points that are read at a time: a few megabytes.
const POINTS_AT_ONCE: usize = 100_000;
/// The number of series that these points are from.
const SERIES_AT_ONCE: RangeInclusive<usize> = 8..=200;
/// The number of parts that are read and searched in parallel.
const PARTS_AT_ONCE: usize = 2;

/// Searches stored runs for change points; cheap to clone.
#[derive(Clone, Debug)]
pub struct Analyst {
    pool: PgPool,
    wake: Arc<Notify>,
}

/// The result of a pass over all machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Searched runs.
    pub run_count: usize,
    /// New changes.
    pub change_count: usize,
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The database does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The search task panicked.
    #[error("the search for changes failed: {0}")]
    Ended(#[from] tokio::task::JoinError),
    /// The runs of a paired comparison cannot be compared.
    #[error("the comparison of a suspected commit failed: {0}")]
    Comparison(String),
}

impl AnalysisError {
    #[expect(clippy::needless_pass_by_value, reason = "for map_err")]
    fn comparison(error: DomainError) -> Self {
        Self::Comparison(error.to_string())
    }
}

impl Analyst {
    /// An analyst for a database.
    pub fn new(pool: PgPool) -> Self {
        Self { pool, wake: Arc::default() }
    }

    /// Notifies the analyst of a new run.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Searches new runs until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            let begin = Instant::now();
            if let Err(error) = self.search().await {
                // The runs stay due. Request handlers report that the database does not answer.
                tracing::warn!(error.cause = %error, "change detection failed; will retry");
            }
            let pause = (begin.elapsed() * PAUSES).clamp(PAUSE_MIN, PAUSE_MAX);
            tokio::select! {
                // A dropped sender also means stop.
                _ = stop.wait_for(|stop| *stop) => return,
                () = self.rest(pause) => {}
            }
        }
    }

    /// Waits for work, then until no more arrives or the pause is over.
    async fn rest(&self, pause: Duration) {
        tokio::time::sleep(PAUSE_MIN).await;
        if tokio::time::timeout(LOOK_INTERVAL, self.wake.notified()).await.is_err() {
            return;
        }
        let end = Instant::now() + pause;
        while Instant::now() < end && tokio::time::timeout(PAUSE_MIN, self.wake.notified()).await.is_ok() {}
    }

    /// Searches all waiting runs that no other server is searching.
    pub async fn search(&self) -> Result<Searched, AnalysisError> {
        let machines = stream::iter(analysis::machines(&self.pool).await?);
        let searched = machines.map(|machine_id| self.search_machine(machine_id)).buffered(MACHINES_AT_ONCE);
        let sum = async |sum: Searched, of_machine: Searched| {
            Ok(Searched {
                run_count: sum.run_count + of_machine.run_count,
                change_count: sum.change_count + of_machine.change_count,
            })
        };
        let searched = searched.try_fold(Searched::default(), sum).await?;
        // After the search, because the comparison's own runs may be among the searched ones.
        suspicions::settle(&self.pool).await?;
        backfill::continue_searches(&self.pool).await?;
        Ok(searched)
    }

    async fn search_machine(&self, machine_id: i64) -> Result<Searched, AnalysisError> {
        let mut transaction = self.pool.begin().await?;
        if !analysis::lock(&mut transaction, machine_id).await? {
            return Ok(Searched::default());
        }
        let due = analysis::take(&mut transaction, machine_id, RUNS_MAX).await?;
        let project_ids: BTreeSet<i64> = due.iter().map(|due| due.project_id).collect();
        let mut searched = Searched { run_count: due.len(), change_count: 0 };
        let mut changed = Vec::new();
        let mut newest = NewestPoints::default();
        let parts = parts(&mut transaction, machine_id, &due, &project_ids).await?;
        let parts = stream::iter(parts).map(|part| async {
            let (project_id, methods) = (part.project_id, track::Methods::new(part.least_change));
            Ok::<_, AnalysisError>((project_id, methods, self.search_series(machine_id, part).await?))
        });
        let mut outcomes = pin!(parts.buffered(PARTS_AT_ONCE));
        while let Some((project_id, methods, outcomes)) = outcomes.try_next().await? {
            newest.add(project_id, &methods, &outcomes);
            let stored = store(&mut transaction, machine_id, &outcomes).await?;
            searched.change_count += stored.new.len();
            changed.extend(stored.new.into_iter().chain(stored.refined));
        }
        // From here on, rows of other machines may be written too.
        for &project_id in &project_ids {
            grouping::lock(&mut transaction, project_id).await?;
        }
        let run_ids: Vec<_> = due.iter().map(|due| due.run_id).collect();
        db::job::finish_unasked(&mut transaction, machine_id, &run_ids, Utc::now()).await?;
        attribute_changes::attribute_changes(&self.pool, &mut transaction, &changed, &project_ids).await?;
        newest.follow(&mut transaction, machine_id).await?;
        newest.raise(&self.pool, &mut transaction, machine_id, &due).await?;
        transaction.commit().await?;
        Ok(searched)
    }

    async fn search_series(&self, machine_id: i64, part: Part) -> Result<Vec<Outcome>, AnalysisError> {
        let Part { from_ordinal, least_change, series_ids, .. } = part;
        let keys: Vec<SeriesKey> =
            series_ids.iter().map(|&series_id| SeriesKey { series_id, machine_id }).collect();
        let memory = Method::shipped().settings().memory;
        let read = async |from_ordinal, to_ordinal, last| {
            let selection = Selection { from_ordinal, to_ordinal, last, lines: Lines::Main };
            db::chart::searched_lines(&self.pool, &keys, &selection, track::COLUMNS).await
        };
        // A commit can have many runs. Those of the oldest commit may be incomplete.
        let mut runs = memory + 1;
        let before = loop {
            let last = i64::try_from(runs).unwrap_or(i64::MAX);
            let before = read(0, from_ordinal.saturating_sub(1), last).await?;
            let is_enough = |line: &LineRow| {
                let commits = line.commit_ordinals.chunk_by(|one, next| one == next).count();
                line.commit_ordinals.len() < runs || commits > memory
            };
            if before.iter().all(is_enough) {
                break before;
            }
            runs *= 4;
        };
        let from = read(from_ordinal, i64::MAX, i64::MAX).await?;
        let mut stored = change_point::of_tracks(&self.pool, &series_ids).await?;
        let mut parts: BTreeMap<i64, Vec<_>> = BTreeMap::new();
        for line in before.into_iter().chain(from) {
            parts.entry(line.series_id).or_default().push(line);
        }
        let outcomes = tokio::task::spawn_blocking(move || {
            let methods = track::Methods::new(least_change);
            let parts = parts.values().flat_map(|parts| track::tracks(&parts.iter().collect::<Vec<_>>()));
            let outcomes: Vec<_> = parts
                .map(|(track, points)| {
                    Outcome::new(methods.of(track.figure), track, points, from_ordinal, stored.remove(&track))
                })
                .collect();
            (methods, outcomes)
        });
        let (methods, mut outcomes) = outcomes.await?;
        let mut candidates: BTreeMap<i64, [i64; 2]> = BTreeMap::new();
        for outcome in &outcomes {
            let Some(ordinal) = outcome.candidate else { continue };
            let range = candidates.entry(outcome.track.series_id).or_insert([ordinal; 2]);
            evidence::include(range, [ordinal; 2]);
        }
        if candidates.is_empty() {
            return Ok(outcomes);
        }
        let siblings = Siblings::read(&self.pool, &candidates).await?;
        let outcomes = tokio::task::spawn_blocking(move || {
            for outcome in outcomes.iter_mut().filter(|outcome| outcome.candidate.is_some()) {
                let (method, others) = (methods.of(outcome.track.figure), siblings.of(outcome.track));
                outcome.search(method, from_ordinal, &others);
            }
            outcomes
        });
        Ok(outcomes.await?)
    }
}

#[derive(Debug)]
struct Part {
    project_id: i64,
    from_ordinal: i64,
    /// The smallest change that their project reports; none for the default.
    least_change: Option<f64>,
    series_ids: Vec<i64>,
}

/// The series of some runs with the first new commit of each, split into parts that need little memory and are of one
/// project.
async fn parts(
    connection: &mut PgConnection,
    machine_id: i64,
    due: &[Due],
    project_ids: &BTreeSet<i64>,
) -> sqlx::Result<Vec<Part>> {
    let project_ids: Vec<i64> = project_ids.iter().copied().collect();
    let newest = analysis::newest_ordinal(connection, &project_ids).await?;
    let least_changes = db::project::least_changes(connection, &project_ids).await?;
    let mut by_first: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
    for series in analysis::series(connection, machine_id, due).await? {
        by_first.entry((series.from_ordinal, series.project_id)).or_default().push(series.series_id);
    }
    let mut parts = Vec::new();
    for ((from_ordinal, project_id), series_ids) in by_first {
        let least_change = least_changes.get(&project_id).copied().flatten();
        // Usually one point per commit, plus the earlier ones.
        let commits = usize::try_from(newest - from_ordinal).unwrap_or(0);
        let points = Method::shipped().settings().memory + commits;
        let at_once = (POINTS_AT_ONCE / points).clamp(*SERIES_AT_ONCE.start(), *SERIES_AT_ONCE.end());
        parts.extend(series_ids.chunks(at_once).map(|series_ids| Part {
            project_id,
            from_ordinal,
            least_change,
            series_ids: series_ids.to_vec(),
        }));
    }
    Ok(parts)
}

/// The stored changes of a search, by id.
#[derive(Debug, Default)]
struct Stored {
    new: Vec<i64>,
    refined: Vec<i64>,
}

struct Outcome {
    track: Track,
    points: Points,
    /// The changes before the searched points.
    known: Vec<Found>,
    /// The changes of the searched points.
    stored: Vec<(i64, Found)>,
    found: Vec<Found>,
    /// The commit of a change that other machines may confirm.
    candidate: Option<i64>,
}

impl Outcome {
    fn new(
        method: &Method,
        track: Track,
        points: Points,
        from_ordinal: i64,
        stored: Option<Vec<ChangePointRow>>,
    ) -> Self {
        let stored = stored.unwrap_or_default().into_iter().map(|row| (row.change_point_id, row.found));
        let (known, stored): (Vec<_>, Vec<_>) = stored.partition(|(_, found)| found.ordinal < from_ordinal);
        let known: Vec<Found> = known.into_iter().map(|(_, found)| found).collect();
        let mut outcome = Self { track, points, known, stored, found: Vec::new(), candidate: None };
        outcome.search(method, from_ordinal, &[]);
        outcome
    }

    fn search(&mut self, method: &Method, from_ordinal: i64, others: &[&Points]) {
        let confirmed = self.stored.iter().filter(|(_, found)| found.confirmed.is_some());
        let confirmed: Vec<Found> = confirmed.map(|(_, found)| found.clone()).collect();
        // Only values above 0 become points of a track.
        let search = self.points.search(method, self.track, from_ordinal, &self.known, &confirmed, others);
        Search { found: self.found, candidate: self.candidate } = search.unwrap_or_default();
    }
}

async fn store(
    connection: &mut PgConnection,
    machine_id: i64,
    results: &[Outcome],
) -> Result<Stored, AnalysisError> {
    let now = Utc::now();
    let merged: Vec<_> =
        results.iter().map(|result| track::merge(&result.points, &result.stored, &result.found)).collect();
    let updated = merged
        .iter()
        .flat_map(|merged| merged.new.iter().copied().chain(merged.refined.iter().map(|(_, found)| *found)));
    let mut places: Vec<(i64, i64)> = updated
        .flat_map(|found| {
            let all = [found.ordinal, found.after_ordinal, found.until_ordinal].into_iter();
            let all = all.chain(found.places.iter().map(|(ordinal, _)| *ordinal));
            all.map(|ordinal| (found.track.series_id, ordinal)).collect::<Vec<_>>()
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut commits = store::commits(connection, machine_id, &places).await?;
    places.retain(|place| !commits.contains_key(place));
    if !places.is_empty() {
        // A drift can be longer than points are kept. A stored change has the commit at which it begins.
        commits.extend(store::commits_of_changes(connection, &places).await?);
    }
    let withdrawn: Vec<i64> = merged.iter().flat_map(|merged| merged.withdrawn.iter().copied()).collect();
    store::withdraw(connection, &withdrawn, now).await?;
    let refined = merged.iter().flat_map(|merged| &merged.refined);
    let refined: Vec<Placed<'_>> = refined
        .filter_map(|(change_point_id, found)| placed(Some(*change_point_id), found, &commits))
        .collect();
    store::refine(connection, &refined).await?;
    let new = merged.iter().flat_map(|merged| &merged.new);
    let new: Vec<Placed<'_>> = new.filter_map(|found| placed(None, found, &commits)).collect();
    Ok(Stored {
        new: store::insert(connection, &new, now).await?,
        refined: refined.iter().filter_map(|placed| placed.change_point_id).collect(),
    })
}

/// Adds the commits of a change. None if one is unknown, because its point has been deleted meanwhile.
fn placed<'a>(
    change_point_id: Option<i64>,
    found: &'a Found,
    commits: &HashMap<(i64, i64), i64>,
) -> Option<Placed<'a>> {
    let commit = |ordinal: i64| commits.get(&(found.track.series_id, ordinal)).copied();
    Some(Placed {
        change_point_id,
        found,
        commit_id: commit(found.ordinal)?,
        after_commit_id: commit(found.after_ordinal)?,
        until_commit_id: commit(found.until_ordinal)?,
        places: found
            .places
            .iter()
            .filter_map(|&(ordinal, probability)| Some((commit(ordinal)?, probability)))
            .collect(),
        suspicion_id: found.confirmed.map(|confirmed| confirmed.suspicion_id),
    })
}
