//! Who can tell whether a commit made a change, or the machine: canaries and controls of the same machine, and the same case on
//! other machines. What they measured is read here, and heard in `roundtrip_stats::cause`.

use super::AnalysisError;
use super::track::{self, Points};
use futures_util::stream::{self, Stream, StreamExt as _};
use roundtrip_stats::cause::{Cause, Kind, Observation, Witness};
use roundtrip_storage as db;
use roundtrip_storage::change_point::store::Attribution;
use roundtrip_storage::change_point::{Figure, Row, Track};
use roundtrip_storage::point::SeriesKey;
use roundtrip_storage::reference_series::{Other, Subject};
use sqlx::PgPool;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Commits on either side of a change whose points are asked for.
const COMMITS: i64 = 40;
const POINTS_MAX: usize = 30;
const CONTROLS_MAX: i64 = 16;
const SIBLINGS_MAX: usize = 12;
/// The most changes whose witnesses are read at once, and the most commits that lie between the first and the last of them:
/// what is read is kept in memory.
const AT_ONCE: usize = 50;
const COMMITS_AT_ONCE: u64 = 500;
/// So many such parts are read and heard at the same time.
const PARTS_AT_ONCE: usize = 2;

/// A change, and the commits of which its witnesses are asked.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    change: Row,
    subject: Subject,
    from: i64,
    to: i64,
}

impl Asked {
    /// Of the commits from which to which the two levels of the change held: what happened before or after has nothing to do
    /// with it.
    pub(super) fn new(change: &Row, subject: Subject, (from, to): (i64, i64)) -> Self {
        let from = from.max(change.found.after_ordinal.saturating_sub(COMMITS));
        let to = to.min(change.found.until_ordinal.saturating_add(COMMITS));
        Self { change: change.clone(), subject, from, to }
    }

    fn place(&self) -> (i64, i64) {
        (self.subject.project_id, self.subject.machine_id)
    }

    /// The machine as it was: its canaries are asked.
    fn machine(&self) -> (i64, i64, i64) {
        (self.subject.project_id, self.subject.machine_id, self.change.found.track.environment_id)
    }
}

/// Cut so that each part needs little memory.
fn parts(asked: Vec<Asked>) -> Vec<Vec<Asked>> {
    let mut parts: Vec<Vec<Asked>> = Vec::new();
    for asked in asked {
        match parts.last_mut() {
            Some(part)
                if part.len() < AT_ONCE
                    && part
                        .first()
                        .is_some_and(|first| asked.from.abs_diff(first.from) < COMMITS_AT_ONCE) =>
            {
                part.push(asked);
            }
            _ => parts.push(vec![asked]),
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
    /// By project, machine and environment; of each canary by its name.
    canaries: HashMap<(i64, i64, i64), BTreeMap<String, Points>>,
    tracks: HashMap<i64, BTreeMap<Track, Points>>,
}

impl<'a> EvidenceLoader<'a> {
    pub(super) async fn new(pool: &'a PgPool, asked: &[Asked]) -> sqlx::Result<Self> {
        let mut controls = HashMap::new();
        for (project_id, machine_id) in asked.iter().map(Asked::place).collect::<BTreeSet<_>>() {
            let found = db::reference_series::controls(pool, project_id, machine_id, CONTROLS_MAX).await?;
            controls.insert((project_id, machine_id), found);
        }
        let series_ids: BTreeSet<i64> = asked.iter().map(|asked| asked.subject.series_id).collect();
        let series_ids: Vec<i64> = series_ids.into_iter().collect();
        let mut siblings: HashMap<i64, Vec<Other>> = HashMap::new();
        for (series_id, sibling) in db::reference_series::siblings(pool, &series_ids).await? {
            let siblings = siblings.entry(series_id).or_default();
            if siblings.len() < SIBLINGS_MAX {
                siblings.push(sibling);
            }
        }
        Ok(Self { pool, controls, siblings })
    }

    /// Other series that may tell something of a change.
    fn controls(&self, asked: &Asked) -> impl Iterator<Item = &Other> {
        let controls = self.controls.get(&asked.place()).map_or(&[][..], Vec::as_slice);
        controls.iter().filter(|other| other.key.series_id != asked.subject.series_id)
    }

    fn siblings(&self, asked: &Asked) -> &[Other] {
        self.siblings.get(&asked.subject.series_id).map_or(&[][..], Vec::as_slice)
    }

    /// Hears all witnesses of the changes, which are given in the order of their commits; some changes at a time.
    pub(super) fn classify(
        &self,
        asked: Vec<Asked>,
    ) -> impl Stream<Item = Result<Vec<Attribution>, AnalysisError>> {
        stream::iter(parts(asked)).map(|part| self.classify_part(part)).buffered(PARTS_AT_ONCE)
    }

    async fn classify_part(&self, part: Vec<Asked>) -> Result<Vec<Attribution>, AnalysisError> {
        let evidence = self.evidence(&part).await?;
        let heard: Vec<(Asked, Vec<Witness>)> = part
            .into_iter()
            .map(|asked| {
                let witnesses = self.witnesses(&asked, &evidence);
                (asked, witnesses)
            })
            .collect();
        let said = tokio::task::spawn_blocking(move || {
            heard.into_iter().map(|(asked, witnesses)| asked.classify(&witnesses)).collect()
        });
        Ok(said.await?)
    }

    /// Reads what the witnesses of some changes measured.
    async fn evidence(&self, part: &[Asked]) -> sqlx::Result<Evidence> {
        // Each is read once, of all commits of which any change asks it.
        let mut machines: BTreeMap<(i64, i64, i64), [i64; 2]> = BTreeMap::new();
        let mut series: BTreeMap<i64, (SeriesKey, [i64; 2])> = BTreeMap::new();
        for asked in part {
            let ends = [asked.from, asked.to];
            include(machines.entry(asked.machine()).or_insert(ends), ends);
            for Other { key, .. } in self.controls(asked).chain(self.siblings(asked)) {
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

    fn witnesses(&self, asked: &Asked, evidence: &Evidence) -> Vec<Witness> {
        let of_change = asked.change.found.track;
        let canaries = evidence.canaries.get(&asked.machine()).into_iter().flatten();
        let canaries = canaries.map(|(name, points)| asked.witness(Kind::Canary, name, points));
        let controls = self.controls(asked).filter_map(|other| {
            let track = Track { series_id: other.key.series_id, ..of_change };
            let points = evidence.tracks.get(&track.series_id)?.get(&track)?;
            Some(asked.witness(Kind::Control, &other.name, points))
        });
        let siblings = self.siblings(asked).iter().filter_map(|other| {
            // Of another machine's environments, the one that saw most of it.
            let tracks = evidence.tracks.get(&other.key.series_id)?.iter();
            let tracks = tracks.filter(|(track, _)| track.figure == of_change.figure);
            let witnesses = tracks.map(|(_, points)| asked.witness(Kind::Sibling, &other.name, points));
            witnesses.max_by_key(|witness| witness.before.len().min(witness.after.len()))
        });
        canaries.chain(controls).chain(siblings).collect()
    }
}

/// Widens a range of commits until another one is within it.
fn include(range: &mut [i64; 2], [from, to]: [i64; 2]) {
    *range = [range[0].min(from), range[1].max(to)];
}

/// What a machine's canaries read in one environment, by their names.
async fn readings(
    pool: &PgPool,
    machine: (i64, i64, i64),
    ends: (i64, i64),
) -> sqlx::Result<BTreeMap<String, Points>> {
    let mut readings: BTreeMap<String, Points> = BTreeMap::new();
    for row in db::reference_series::canaries(pool, machine, ends).await? {
        for canary in row.canaries.0 {
            let Some(p50_ns) = canary.p50_ns else { continue };
            let points = readings.entry(canary.slug.to_string()).or_default();
            points.ordinals.push(row.commit_ordinal);
            points.values.push(p50_ns as f64);
        }
    }
    Ok(readings)
}

impl Asked {
    /// What was measured of the commits next to the change on either side.
    fn witness(&self, kind: Kind, name: &str, points: &Points) -> Witness {
        let found = &self.change.found;
        let [first, last_before, first_after, last] = [
            self.from,
            found.after_ordinal.saturating_add(1),
            found.until_ordinal,
            self.to.saturating_add(1),
        ]
        .map(|ordinal| points.index(ordinal));
        let before =
            &points.values[first.max(last_before.saturating_sub(POINTS_MAX)).min(last_before)..last_before];
        let after = &points.values[first_after..last.min(first_after + POINTS_MAX).max(first_after)];
        let of_p99 = found.track.figure == Figure::P99 && kind != Kind::Canary;
        let name = if of_p99 { format!("{name} p99") } else { name.to_owned() };
        Witness { kind, name, before: before.to_vec(), after: after.to_vec() }
    }

    fn classify(&self, witnesses: &[Witness]) -> Attribution {
        let statements: Vec<Observation> =
            witnesses.iter().map(|witness| witness.classify(self.change.found.change())).collect();
        let mut sentences: Vec<String> = statements.iter().map(ToString::to_string).collect();
        // What is not built from the repository, its commits cannot have changed, whatever others say.
        let cause = if self.subject.is_control {
            sentences.insert(0, "the transport is a control: no commit of the repository changes it".into());
            Cause::Machine
        } else {
            Cause::of(&statements)
        };
        Attribution { change_point_id: self.change.change_point_id, cause, witnesses: sentences }
    }
}
