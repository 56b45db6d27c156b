//! Suspicions: the newest commit of a machine has results outside their expectation. One run cannot tell a slow commit from
//! an outlier, so a paired comparison with the previous commit decides. Until then, there is no alert.
//!
//! - `raise`: finds suspicious results and queues the comparison, in the transaction of the search.
//! - `settle`: decides when the comparison is done. A confirmed change is stored like a detected one, so regressions,
//!   alerts and fixes follow as usual, and later searches keep it.
//! - `follow`: without a comparison, later commits decide.

use super::evidence::{self, COMMITS, CONTROLS_MAX};
use super::{AnalysisError, Outcome, attribute_changes};
use crate::comparison::{self, ComparisonPair, Verdict};
use crate::error::DomainError;
use crate::queue::schedule::FORGOTTEN_AFTER;
use crate::track::{Methods, Points};
use chrono::{DateTime, Utc};
use roundtrip_stats::cause::{Behaviour, Cause, Kind, Observation};
use roundtrip_stats::percent;
use roundtrip_stats::suspicion::{Expectation, Newest, suspicious};
use roundtrip_storage as db;
use roundtrip_storage::analysis::Due;
use roundtrip_storage::change_point::store::{self, Placed};
use roundtrip_storage::change_point::{self, ByComparison, ChangeKind, Figure, Found, Track};
use roundtrip_storage::job::request::{self, Reason, Target, Wanted};
use roundtrip_storage::regression::grouping;
use roundtrip_storage::suspicion::{self, New, SuspicionState, SuspiciousCase, Waiting};
use sqlx::{PgConnection, PgPool};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The number of cases that a suspicion lists.
const CASES_MAX: usize = 100;
/// Times are whole nanoseconds, so a difference of one is no change.
const RESOLUTION_NS: f64 = 1.0;
/// The largest adjusted p-value of a confirmed case, over all comparisons of its job.
const P_MAX: f64 = 0.01;

/// The newest point of a track, compared with its expectation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    track: Track,
    ordinal: i64,
    /// The previous point.
    base_ordinal: i64,
    value: f64,
    expectation: Expectation,
    newest: Newest,
}

impl Checked {
    /// Checks the newest point of a searched track. `None` for a figure that comparisons do not decide, and without enough
    /// points since the last change.
    pub(super) fn new(methods: &Methods, outcome: &Outcome) -> Option<Self> {
        let (track, points) = (outcome.track, &outcome.points);
        let (last, before) = points.ordinals.split_last().filter(|_| track.figure == Figure::P50)?;
        let level_from = outcome.found.last().or(outcome.known.last()).map_or(0, |change| change.ordinal);
        let from = points.index(level_from);
        let value = *points.values.last()?;
        let expectation = Expectation::of(points.values.get(from..before.len())?)?;
        let newest = expectation.newest(value, methods.of(track.figure).settings())?;
        Some(Self { track, ordinal: *last, base_ordinal: *before.last()?, value, expectation, newest })
    }

    fn case(&self) -> SuspiciousCase {
        let Newest { level, change, .. } = self.newest;
        let Track { series_id, environment_id, .. } = self.track;
        SuspiciousCase { series_id, environment_id, level, change, confirmed_change: None }
    }
}

/// The newest points of the searched tracks of a machine.
#[derive(Debug, Default)]
pub(super) struct NewestPoints {
    /// By project.
    checked: BTreeMap<i64, Vec<Checked>>,
    /// The ordinal and the p50 of the newest point, by series and environment.
    p50s: HashMap<(i64, i64), (i64, f64)>,
}

impl NewestPoints {
    /// Adds the newest points of these tracks.
    pub(super) fn add(&mut self, project_id: i64, methods: &Methods, outcomes: &[Outcome]) {
        let of_project = self.checked.entry(project_id).or_default();
        of_project.extend(outcomes.iter().filter_map(|outcome| Checked::new(methods, outcome)));
        for outcome in outcomes.iter().filter(|outcome| outcome.track.figure == Figure::P50) {
            let Points { ordinals, values } = &outcome.points;
            if let Some((ordinal, value)) = ordinals.last().zip(values.last()) {
                let Track { series_id, environment_id, .. } = outcome.track;
                self.p50s.insert((series_id, environment_id), (*ordinal, *value));
            }
        }
    }

    /// Raises a suspicion for each project whose newest commit on this machine is among the searched runs and has suspicious
    /// results.
    pub(super) async fn raise(
        &self,
        pool: &PgPool,
        connection: &mut PgConnection,
        machine_id: i64,
        due: &[Due],
    ) -> sqlx::Result<()> {
        for (&project_id, checked) in &self.checked {
            let Some(newest) = checked.iter().map(|one| one.ordinal).max() else { continue };
            // Later commits are measured already if an old one is filled in.
            if !due.iter().any(|due| due.project_id == project_id && due.commit_ordinal == newest) {
                continue;
            }
            let of_commit: Vec<Checked> =
                checked.iter().filter(|one| one.ordinal == newest).copied().collect();
            let Some((top, cases)) = suspicious_cases(pool, &of_commit).await? else { continue };
            let observations = references(pool, (project_id, machine_id), top, &of_commit).await?;
            if !is_of_machine(&observations) {
                store_suspicion(connection, (project_id, machine_id), due, top, &cases).await?;
            }
        }
        Ok(())
    }

    /// Decides the suspicions of a machine that no job decides, from the points of later commits.
    pub(super) async fn follow(&self, connection: &mut PgConnection, machine_id: i64) -> sqlx::Result<()> {
        for waiting in suspicion::without_job(connection, machine_id).await? {
            let series_ids: Vec<i64> = waiting.cases.iter().map(|case| case.series_id).collect();
            let changes = change_point::of_series(&mut *connection, &series_ids).await?;
            let is_found = changes.iter().any(|row| {
                row.found.matters
                    && covers(&row.found, waiting.commit_ordinal)
                    && is_of_case(&row.found, &waiting)
            });
            let is_back = waiting.cases.iter().all(|case| {
                self.p50s.get(&(case.series_id, case.environment_id)).is_some_and(|(ordinal, value)| {
                    let [moved, whole] = [value / case.level, 1.0 + case.change].map(f64::ln);
                    *ordinal > waiting.commit_ordinal && moved / whole < 0.5
                })
            });
            let decision = match (is_found, is_back) {
                (true, _) => (SuspicionState::Confirmed, "later commits confirm the change"),
                (false, true) => (SuspicionState::Withdrawn, "a later commit is back at the level before"),
                (false, false) => continue,
            };
            suspicion::decide(connection, &waiting, decision, Utc::now()).await?;
        }
        Ok(())
    }
}

/// The suspicious cases of one commit, the largest slowdown first, and the first of them. Controls are no cases, nor are
/// series of other measures than times, which no paired comparison measures.
async fn suspicious_cases(
    pool: &PgPool,
    of_commit: &[Checked],
) -> sqlx::Result<Option<(Checked, Vec<SuspiciousCase>)>> {
    let is_any = |checked: &[Checked]| {
        let newest: Vec<Newest> = checked.iter().map(|one| one.newest).collect();
        suspicious(&newest)
    };
    // Usually none is, so their transports need not be read.
    if !is_any(of_commit).contains(&true) {
        return Ok(None);
    }
    let series_ids: Vec<i64> = of_commit.iter().map(|one| one.track.series_id).collect();
    let excluded: HashSet<i64> = db::reference_series::subjects(pool, &series_ids)
        .await?
        .into_iter()
        .filter(|subject| subject.is_control || !subject.is_time)
        .map(|subject| subject.series_id)
        .collect();
    let cases: Vec<Checked> =
        of_commit.iter().filter(|one| !excluded.contains(&one.track.series_id)).copied().collect();
    let is_suspicious = is_any(&cases).into_iter();
    let mut found: Vec<Checked> = cases
        .into_iter()
        .zip(is_suspicious)
        .filter(|(one, is_suspicious)| *is_suspicious && (one.value - one.newest.level).abs() > RESOLUTION_NS)
        .map(|(one, _)| one)
        .collect();
    // Slowdowns first, then the largest.
    found.sort_by(|one, other| {
        let key = |one: &Checked| (one.newest.change <= 0.0, -one.newest.change.ln_1p().abs());
        key(one).partial_cmp(&key(other)).unwrap_or(std::cmp::Ordering::Equal)
    });
    found.truncate(CASES_MAX);
    Ok(found.first().copied().map(|top| (top, found.iter().map(Checked::case).collect())))
}

/// Whether the machine moved. One canary is enough, also if the controls contradict it: the run is doubtful.
fn is_of_machine(observations: &[Observation]) -> bool {
    let is_moved_canary = |one: &Observation| (one.kind, one.behaviour) == (Kind::Canary, Behaviour::Moved);
    observations.iter().any(is_moved_canary) || Cause::of(observations) == Cause::Machine
}

/// How the canaries and controls of the machine behaved when this case changed.
async fn references(
    pool: &PgPool,
    (project_id, machine_id): (i64, i64),
    top: Checked,
    of_commit: &[Checked],
) -> sqlx::Result<Vec<Observation>> {
    let change = top.newest.change;
    let observe = |kind, name: &str, expectation: &Expectation, value: f64| {
        let is_same = (value - expectation.level()).abs() <= RESOLUTION_NS;
        expectation.observe(kind, name, if is_same { expectation.level() } else { value }, change)
    };
    let environment = (project_id, machine_id, top.track.environment_id);
    let commits = (top.ordinal.saturating_sub(COMMITS), top.ordinal);
    let mut observations = Vec::new();
    for (name, readings) in evidence::readings(pool, environment, commits).await? {
        let (before, of_newest) = readings.values.split_at(readings.index(top.ordinal));
        if let Some((expectation, value)) = Expectation::of(before).zip(of_newest.last()) {
            observations.push(observe(Kind::Canary, &name, &expectation, *value));
        }
    }
    let by_series: HashMap<i64, &Checked> = of_commit.iter().map(|one| (one.track.series_id, one)).collect();
    for control in db::reference_series::controls(pool, project_id, machine_id, CONTROLS_MAX).await? {
        if let Some(one) = by_series.get(&control.key.series_id) {
            observations.push(observe(Kind::Control, &control.name, &one.expectation, one.value));
        }
    }
    Ok(observations)
}

/// Stores a suspicion and queues its job, unless the commit was suspected before.
async fn store_suspicion(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    due: &[Due],
    top: Checked,
    cases: &[SuspiciousCase],
) -> sqlx::Result<()> {
    let places = [top.ordinal, top.base_ordinal].map(|ordinal| (top.track.series_id, ordinal));
    let commits = store::commits(connection, machine_id, &places).await?;
    let [Some(&commit_id), Some(&base_commit_id)] = places.each_ref().map(|place| commits.get(place)) else {
        return Ok(());
    };
    let run_ids: Vec<_> = due.iter().map(|due| due.run_id).collect();
    let Some(run) = suspicion::raising(connection, &run_ids, commit_id, base_commit_id).await? else {
        return Ok(());
    };
    let now = Utc::now();
    let new = New { project_id, machine_id, commit_id, base_commit_id, run_id: run.run_id, cases };
    let Some(suspicion_id) = suspicion::insert(connection, &new, now).await? else { return Ok(()) };
    let able = db::agent::machines_with(connection, project_id, &[], FORGOTTEN_AFTER).await?;
    if able.contains(&machine_id) {
        let wanted = Wanted {
            base_sha: Some(&run.base_sha),
            branch: run.branch.as_deref(),
            preset: run.preset.as_deref(),
            ..Wanted::commits(Reason::Confirm, std::slice::from_ref(&run.commit_sha))
        };
        request::request(connection, project_id, Target::Machine(machine_id), &wanted, now).await?;
        suspicion::set_job(connection, suspicion_id).await?;
    }
    Ok(())
}

/// Whether a commit may be the first one after a change.
fn covers(found: &Found, ordinal: i64) -> bool {
    found.kind != ChangeKind::Drift && found.after_ordinal < ordinal && ordinal <= found.until_ordinal
}

/// Whether a change is of a suspicious case and in its direction.
fn is_of_case(found: &Found, waiting: &Waiting) -> bool {
    waiting.cases.iter().any(|case| {
        (case.series_id, case.environment_id) == (found.track.series_id, found.track.environment_id)
            && found.is_up() == (case.change > 0.0)
    })
}

/// Decides the suspicions whose comparisons are done. Returns their number.
pub(super) async fn settle(pool: &PgPool) -> Result<usize, AnalysisError> {
    let mut count = 0;
    for (suspicion_id, machine_id) in suspicion::decidable(pool).await? {
        count += usize::from(settle_one(pool, suspicion_id, machine_id).await?);
    }
    Ok(count)
}

async fn settle_one(pool: &PgPool, suspicion_id: i64, machine_id: i64) -> Result<bool, AnalysisError> {
    let mut transaction = pool.begin().await?;
    // A search of the same machine may be storing changes.
    if !db::analysis::lock(&mut transaction, machine_id).await? {
        return Ok(false);
    }
    let Some(mut waiting) = suspicion::lock(&mut transaction, suspicion_id).await? else { return Ok(false) };
    let shas = [&waiting.base_sha, &waiting.commit_sha].map(String::as_str);
    let (pairs, comparison_count) = match waiting.job_id {
        Some(job_id) => compared(pool, waiting.project_id, job_id, shas).await?,
        None => (Vec::new(), 0),
    };
    let confirmed = confirm(pool, &mut waiting, &pairs, comparison_count).await?;
    let now = Utc::now();
    let job = waiting.job_id.unwrap_or_default();
    let because = match (confirmed.first(), comparison_count) {
        (Some(first), _) => {
            format!("paired comparison of job {job}: {}", percent::signed(first.change()))
        }
        (None, 0) => format!("job {job} measured no pairs of both commits"),
        (None, _) => format!("no change in the paired comparison of job {job}"),
    };
    let state = if confirmed.is_empty() { SuspicionState::Withdrawn } else { SuspicionState::Confirmed };
    suspicion::decide(&mut transaction, &waiting, (state, &because), now).await?;
    store_confirmed(pool, &mut transaction, &waiting, confirmed, now).await?;
    transaction.commit().await?;
    Ok(true)
}

/// The cases of a job that compared a commit with its base, base first, and the number of its comparisons: one for each preset.
pub(super) async fn compared(
    pool: &PgPool,
    project_id: i64,
    job_id: i64,
    shas: [&str; 2],
) -> Result<(Vec<ComparisonPair>, usize), AnalysisError> {
    let mut sides: BTreeMap<String, [Option<uuid::Uuid>; 2]> = BTreeMap::new();
    for run in db::job::runs(pool, job_id).await? {
        let is_side = shas.map(|sha| run.commit_sha == sha);
        let of_preset = sides.entry(run.preset).or_default();
        // The newest of each.
        for side in (0..2).filter(|side| is_side[*side]) {
            of_preset[side] = Some(run.run_id);
        }
    }
    let (mut pairs, mut count) = (Vec::new(), 0);
    for sides in sides.into_values() {
        let [Some(base), Some(head)] = sides else { continue };
        match comparison::of_runs(pool, project_id, base, head).await {
            Ok(compared) => pairs.extend(compared.pairs),
            // The run was deleted meanwhile.
            Err(DomainError::Unknown { .. }) => continue,
            Err(error) => return Err(AnalysisError::comparison(error)),
        }
        count += 1;
    }
    Ok((pairs, count))
}

/// The suspicious cases that changed in the comparison in the same direction, as changes, the largest first. Notes their
/// changes in the suspicion.
async fn confirm(
    pool: &PgPool,
    waiting: &mut Waiting,
    pairs: &[ComparisonPair],
    comparison_count: usize,
) -> sqlx::Result<Vec<Found>> {
    let series_ids: Vec<i64> = waiting.cases.iter().map(|case| case.series_id).collect();
    // Results in parts have another methodology, so they are other series of the same cases.
    let measured = pairs.iter().filter_map(|pair| Some(pair.head.as_ref()?.series_id));
    let series_ids: Vec<i64> = series_ids.into_iter().chain(measured).collect();
    let case_ids = db::series::case_ids(pool, &series_ids).await?;
    let confirmed = ByComparison {
        suspicion_id: waiting.suspicion_id,
        job_id: waiting.job_id,
        after_ordinal: waiting.base_ordinal,
        until_ordinal: waiting.commit_ordinal,
    };
    let mut changes = Vec::new();
    for case in &mut waiting.cases.0 {
        let wanted = if case.change > 0.0 { Verdict::Regressed } else { Verdict::Improved };
        let changed = pairs.iter().find_map(|pair| {
            let p = pair.p_adjusted? * comparison_count as f64;
            let is_same = case_ids.get(&pair.head.as_ref()?.series_id) == case_ids.get(&case.series_id);
            (is_same && pair.verdict == wanted && p <= P_MAX).then_some((pair.change?, p))
        });
        let Some((change, p)) = changed else { continue };
        case.confirmed_change = Some(change);
        changes.push(Found {
            track: Track {
                series_id: case.series_id,
                environment_id: case.environment_id,
                figure: Figure::P50,
            },
            ordinal: confirmed.until_ordinal,
            after_ordinal: confirmed.after_ordinal,
            until_ordinal: confirmed.until_ordinal,
            places: vec![(confirmed.until_ordinal, 1.0)],
            before_level: case.level,
            after_level: case.level * (1.0 + change),
            confidence: 1.0 - p,
            matters: true,
            kind: ChangeKind::Step,
            confirmed: Some(confirmed),
        });
    }
    changes.sort_by(|one, other| other.change().abs().total_cmp(&one.change().abs()));
    Ok(changes)
}

/// Stores confirmed changes that the detector has not found meanwhile, with their regressions, alerts and jobs. The commit is
/// searched again, because later points may belong to the new level.
async fn store_confirmed(
    pool: &PgPool,
    connection: &mut PgConnection,
    waiting: &Waiting,
    mut confirmed: Vec<Found>,
    now: DateTime<Utc>,
) -> Result<(), AnalysisError> {
    let series_ids: Vec<i64> = confirmed.iter().map(|found| found.track.series_id).collect();
    let known = change_point::of_series(&mut *connection, &series_ids).await?;
    confirmed.retain(|found| {
        let is_known = |known: &Found| {
            known.track == found.track
                && known.is_up() == found.is_up()
                && known.after_ordinal < found.until_ordinal
                && found.after_ordinal < known.until_ordinal
        };
        !known.iter().any(|row| is_known(&row.found))
    });
    let placed: Vec<Placed<'_>> = confirmed
        .iter()
        .map(|found| Placed {
            change_point_id: None,
            found,
            commit_id: waiting.commit_id,
            after_commit_id: waiting.base_commit_id,
            until_commit_id: waiting.commit_id,
            places: vec![(waiting.commit_id, 1.0)],
            suspicion_id: Some(waiting.suspicion_id),
        })
        .collect();
    let change_point_ids = store::insert(connection, &placed, now).await?;
    if change_point_ids.is_empty() {
        return Ok(());
    }
    grouping::lock(connection, waiting.project_id).await?;
    let project_ids = BTreeSet::from([waiting.project_id]);
    attribute_changes::attribute_changes(pool, connection, &change_point_ids, &project_ids).await?;
    db::analysis::add_again(connection, waiting.run_id).await?;
    Ok(())
}
