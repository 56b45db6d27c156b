//! The evidence for whether a commit or the machine caused a change: canaries and controls on the same
//! machine, and the same case on other machines. Read here, evaluated in `roundtrip_stats::cause`.

use super::AnalysisError;
use crate::track::{self, Points};
use futures_util::stream::{self, Stream, StreamExt as _};
use roundtrip_stats::cause::{Cause, Kind, Observation, ReferenceSeries};
use roundtrip_stats::percent;
use roundtrip_storage as db;
use roundtrip_storage::change_point::store::Attribution;
use roundtrip_storage::change_point::{ChangePointRow, Figure, Track};
use roundtrip_storage::point::SeriesKey;
use roundtrip_storage::reference_series::{Other, Subject};
use sqlx::PgPool;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The number of commits that are read on each side of a change.
pub(super) const COMMITS: i64 = 40;
const POINTS_MAX: usize = 30;
pub(super) const CONTROLS_MAX: i64 = 16;
const SIBLINGS_MAX: usize = 12;
/// The most changes in one batch, and the widest range of commits between its first and last change. Limits
/// memory.
const AT_ONCE: usize = 50;
const COMMITS_AT_ONCE: u64 = 500;
/// The number of batches that are read and evaluated in parallel.
const PARTS_AT_ONCE: usize = 2;

/// The first and last commits of the levels before and after a change. Results of other commits do not matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    pub(super) before: (i64, i64),
    pub(super) after: (i64, i64),
}

/// A change, and the commits from which its reference series are read.
#[derive(Clone, Debug)]
pub(super) struct EvidenceRequest {
    change: ChangePointRow,
    subject: Subject,
    levels: Levels,
}

impl EvidenceRequest {
    pub(super) fn new(change: &ChangePointRow, subject: Subject, levels: Levels) -> Self {
        let Levels { before: (from, last), after: (first, to) } = levels;
        let levels = Levels {
            before: (from.max(last.saturating_sub(COMMITS)), last),
            after: (first, to.min(first.saturating_add(COMMITS))),
        };
        Self { change: change.clone(), subject, levels }
    }

    /// The first and last commit to read.
    fn ends(&self) -> [i64; 2] {
        [self.levels.before.0, self.levels.after.1]
    }

    fn place(&self) -> (i64, i64) {
        (self.subject.project_id, self.subject.machine_id)
    }

    /// The project, machine and environment, which identify the canaries.
    fn machine(&self) -> (i64, i64, i64) {
        (self.subject.project_id, self.subject.machine_id, self.change.found.track.environment_id)
    }
}

/// Splits changes into batches that need little memory.
fn parts(requests: Vec<EvidenceRequest>) -> Vec<Vec<EvidenceRequest>> {
    let mut parts: Vec<Vec<EvidenceRequest>> = Vec::new();
    for request in requests {
        match parts.last_mut() {
            Some(part)
                if part.len() < AT_ONCE
                    && part.first().is_some_and(|first| {
                        request.ends()[0].abs_diff(first.ends()[0]) < COMMITS_AT_ONCE
                    }) =>
            {
                part.push(request);
            }
            _ => parts.push(vec![request]),
        }
    }
    parts
}

pub(super) struct EvidenceLoader<'a> {
    pool: &'a PgPool,
    controls: HashMap<(i64, i64), Vec<Other>>,
    siblings: HashMap<i64, Vec<Other>>,
}

struct Evidence {
    /// By project, machine and environment, then by the canary's name.
    canaries: HashMap<(i64, i64, i64), BTreeMap<String, Points>>,
    tracks: HashMap<i64, BTreeMap<Track, Points>>,
}

impl<'a> EvidenceLoader<'a> {
    pub(super) async fn new(pool: &'a PgPool, requests: &[EvidenceRequest]) -> sqlx::Result<Self> {
        let mut controls = HashMap::new();
        for (project_id, machine_id) in requests.iter().map(EvidenceRequest::place).collect::<BTreeSet<_>>() {
            let found = db::reference_series::controls(pool, project_id, machine_id, CONTROLS_MAX).await?;
            controls.insert((project_id, machine_id), found);
        }
        let series_ids: BTreeSet<i64> = requests.iter().map(|request| request.subject.series_id).collect();
        let series_ids: Vec<i64> = series_ids.into_iter().collect();
        let siblings = siblings(pool, &series_ids).await?;
        Ok(Self { pool, controls, siblings })
    }

    /// The control series for a change.
    fn controls(&self, request: &EvidenceRequest) -> impl Iterator<Item = &Other> {
        let controls = self.controls.get(&request.place()).map_or(&[][..], Vec::as_slice);
        controls.iter().filter(|other| other.key.series_id != request.subject.series_id)
    }

    fn siblings(&self, request: &EvidenceRequest) -> &[Other] {
        self.siblings.get(&request.subject.series_id).map_or(&[][..], Vec::as_slice)
    }

    /// Attributes changes, given in the order of their commits, in batches.
    pub(super) fn classify(
        &self,
        requests: Vec<EvidenceRequest>,
    ) -> impl Stream<Item = Result<Vec<Attribution>, AnalysisError>> {
        stream::iter(parts(requests)).map(|part| self.classify_part(part)).buffered(PARTS_AT_ONCE)
    }

    async fn classify_part(&self, part: Vec<EvidenceRequest>) -> Result<Vec<Attribution>, AnalysisError> {
        let evidence = self.evidence(&part).await?;
        let with_references: Vec<(EvidenceRequest, Vec<ReferenceSeries>)> = part
            .into_iter()
            .map(|request| {
                let references = self.references(&request, &evidence);
                (request, references)
            })
            .collect();
        let classified = tokio::task::spawn_blocking(move || {
            with_references.into_iter().map(|(request, references)| request.classify(&references)).collect()
        });
        Ok(classified.await?)
    }

    /// Reads the reference series of some changes.
    async fn evidence(&self, part: &[EvidenceRequest]) -> sqlx::Result<Evidence> {
        // Each series is read once, for all commits that any change needs.
        let mut machines: BTreeMap<(i64, i64, i64), [i64; 2]> = BTreeMap::new();
        let mut series: BTreeMap<i64, (SeriesKey, [i64; 2])> = BTreeMap::new();
        for request in part {
            let ends = request.ends();
            include(machines.entry(request.machine()).or_insert(ends), ends);
            for Other { key, .. } in self.controls(request).chain(self.siblings(request)) {
                include(&mut series.entry(key.series_id).or_insert((*key, ends)).1, ends);
            }
        }
        let mut canaries = HashMap::new();
        for (machine, [from, to]) in machines {
            canaries.insert(machine, readings(self.pool, machine, (from, to)).await?);
        }
        let wanted: Vec<_> = series.into_values().collect();
        let lines = db::chart::windows(self.pool, &wanted).await?;
        let tracks = lines.iter().map(|line| (line.series_id, track::tracks(&[line]))).collect();
        Ok(Evidence { canaries, tracks })
    }

    fn references(&self, request: &EvidenceRequest, evidence: &Evidence) -> Vec<ReferenceSeries> {
        let of_change = request.change.found.track;
        let canaries = evidence.canaries.get(&request.machine()).into_iter().flatten();
        let canaries = canaries.map(|(name, points)| request.reference(Kind::Canary, name, points));
        let controls = self.controls(request).filter_map(|other| {
            let track = Track { series_id: other.key.series_id, ..of_change };
            let points = evidence.tracks.get(&track.series_id)?.get(&track)?;
            Some(request.reference(Kind::Control, &other.name, points))
        });
        let siblings = self.siblings(request).iter().filter_map(|other| {
            // Of another machine's environments, the one with the most values.
            let tracks = evidence.tracks.get(&other.key.series_id)?.iter();
            let tracks = tracks.filter(|(track, _)| track.figure == of_change.figure);
            let references = tracks.map(|(_, points)| request.reference(Kind::Sibling, &other.name, points));
            references.max_by_key(|reference| reference.before.len().min(reference.after.len()))
        });
        canaries.chain(controls).chain(siblings).collect()
    }
}

/// The same cases on other machines, by series.
pub(super) async fn siblings(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<HashMap<i64, Vec<Other>>> {
    let mut all: HashMap<i64, Vec<Other>> = HashMap::new();
    for (series_id, sibling) in db::reference_series::siblings(pool, series_ids).await? {
        let siblings = all.entry(series_id).or_default();
        if siblings.len() < SIBLINGS_MAX {
            siblings.push(sibling);
        }
    }
    Ok(all)
}

/// Extends a range of commits to include another one.
pub(super) fn include(range: &mut [i64; 2], [from, to]: [i64; 2]) {
    *range = [range[0].min(from), range[1].max(to)];
}

/// A machine's canary readings in one environment, by name.
pub(super) async fn readings(
    pool: &PgPool,
    machine: (i64, i64, i64),
    ends: (i64, i64),
) -> sqlx::Result<BTreeMap<String, Points>> {
    let mut readings: BTreeMap<String, Points> = BTreeMap::new();
    for (ordinal, canaries) in db::reference_series::canaries(pool, machine, ends).await? {
        for canary in canaries {
            let Some(p50_ns) = canary.p50_ns else { continue };
            let points = readings.entry(canary.slug.to_string()).or_default();
            points.ordinals.push(ordinal);
            points.values.push(p50_ns as f64);
        }
    }
    Ok(readings)
}

impl EvidenceRequest {
    /// The values of a reference series before and after the change.
    fn reference(&self, kind: Kind, name: &str, points: &Points) -> ReferenceSeries {
        let values = |(first, last): (i64, i64)| {
            let begin = points.index(first);
            &points.values[begin..points.index(last.saturating_add(1)).max(begin)]
        };
        let (before, after) = (values(self.levels.before), values(self.levels.after));
        let before = &before[before.len().saturating_sub(POINTS_MAX)..];
        let after = &after[..after.len().min(POINTS_MAX)];
        let of_p99 = self.change.found.track.figure == Figure::P99 && kind != Kind::Canary;
        let name = if of_p99 { format!("{name} p99") } else { name.to_owned() };
        ReferenceSeries { kind, name, before: before.to_vec(), after: after.to_vec() }
    }

    fn classify(&self, references: &[ReferenceSeries]) -> Attribution {
        let observations: Vec<Observation> =
            references.iter().map(|reference| reference.classify(self.change.found.change())).collect();
        let mut sentences: Vec<String> = observations.iter().map(ToString::to_string).collect();
        let cause = if let Some(confirmed) = self.change.found.confirmed {
            // Both sides were measured in the same minutes, so the machine cannot be the cause.
            let of_job = confirmed.job_id.map_or_else(String::new, |job_id| format!(" of job {job_id}"));
            let change = percent::signed(self.change.found.change());
            sentences.insert(0, format!("paired comparison{of_job} with the base: {change}"));
            Cause::Commit
        // Commits of the repository cannot change a transport that is not built from it.
        } else if self.subject.is_control {
            sentences.insert(0, "control transport: commits of this repository cannot change it".into());
            Cause::Machine
        } else {
            Cause::of(&observations)
        };
        Attribution { change_point_id: self.change.change_point_id, cause, witnesses: sentences }
    }
}
