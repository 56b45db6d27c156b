//! Who can tell whether a commit made a change, or the machine: canaries and controls of the same machine, and the same case on
//! other machines. What they measured is read here, and heard in `roundtrip_stats::cause`.

use super::track::{self, Points};
use crate::charts::Quantile;
use crate::db;
use crate::db::change_point::{Figure, Row, Track};
use crate::db::chart::LineRow;
use crate::db::point::{Lines, Selection, SeriesKey};
use crate::db::witness::{Other, Subject};
use roundtrip_stats::cause::{Cause, Kind, Statement, Witness};
use sqlx::PgPool;
use std::collections::{BTreeMap, HashMap};

/// Commits on either side of a change whose points are asked for.
const COMMITS: i64 = 60;
/// The most points of a side.
const POINTS_MAX: usize = 30;
/// The most series of controls that are asked.
const CONTROLS_MAX: i64 = 40;

/// Hears the witnesses of changes, and remembers what it read for those of the same commits.
pub(super) struct Court<'a> {
    pool: &'a PgPool,
    controls: HashMap<(i64, i64), Vec<Other>>,
    lines: HashMap<(i64, i64, i64), Vec<LineRow>>,
}

/// A change, and the commits of which witnesses are asked.
struct Asked<'a> {
    change: &'a Row,
    from: i64,
    to: i64,
}

/// What was said of a change.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) cause: Cause,
    /// Sentences.
    pub(super) witnesses: Vec<String>,
}

impl<'a> Court<'a> {
    pub(super) fn new(pool: &'a PgPool) -> Self {
        Self { pool, controls: HashMap::new(), lines: HashMap::new() }
    }

    /// Hears all witnesses of a change, of the commits from which to which its two levels held: what happened before or after
    /// has nothing to do with it.
    pub(super) async fn hear(
        &mut self,
        change: &Row,
        subject: &Subject,
        (from, to): (i64, i64),
    ) -> sqlx::Result<Heard> {
        let asked = Asked {
            change,
            from: from.max(change.found.after_ordinal.saturating_sub(COMMITS)),
            to: to.min(change.found.until_ordinal.saturating_add(COMMITS)),
        };
        let mut witnesses = self.canaries(&asked, subject).await?;
        witnesses.extend(self.controls(&asked, subject).await?);
        witnesses.extend(self.siblings(&asked).await?);
        let statements: Vec<Statement> =
            witnesses.iter().map(|witness| witness.hear(change.found.change())).collect();
        let mut sentences: Vec<String> = statements.iter().map(ToString::to_string).collect();
        // What is not built from the repository, its commits cannot have changed, whatever others say.
        let cause = if subject.is_control {
            sentences.insert(0, "the transport is a control: no commit of the repository changes it".into());
            Cause::Machine
        } else {
            Cause::of(&statements)
        };
        Ok(Heard { cause, witnesses: sentences })
    }

    async fn canaries(&self, asked: &Asked<'_>, subject: &Subject) -> sqlx::Result<Vec<Witness>> {
        let machine = (subject.project_id, subject.machine_id, asked.change.found.track.environment_id);
        let rows = db::witness::canaries(self.pool, machine, (asked.from, asked.to)).await?;
        let mut readings: BTreeMap<String, Points> = BTreeMap::new();
        for row in rows {
            for canary in row.canaries.0 {
                let Some(p50_ns) = canary.p50_ns else { continue };
                let points = readings.entry(canary.slug.to_string()).or_default();
                points.ordinals.push(row.commit_ordinal);
                points.values.push(p50_ns as f64);
            }
        }
        Ok(readings.into_iter().map(|(name, points)| asked.witness(Kind::Canary, name, &points)).collect())
    }

    async fn controls(&mut self, asked: &Asked<'_>, subject: &Subject) -> sqlx::Result<Vec<Witness>> {
        let place = (subject.project_id, subject.machine_id);
        if !self.controls.contains_key(&place) {
            let found =
                db::witness::controls(self.pool, subject.project_id, subject.machine_id, CONTROLS_MAX)
                    .await?;
            self.controls.insert(place, found);
        }
        let (from, to) = (asked.from, asked.to);
        let controls = self.controls.get(&place).cloned().unwrap_or_default();
        if !self.lines.contains_key(&(subject.machine_id, from, to)) {
            let lines = lines(self.pool, &controls, (from, to)).await?;
            self.lines.insert((subject.machine_id, from, to), lines);
        }
        let lines = self.lines.get(&(subject.machine_id, from, to)).map_or(&[][..], Vec::as_slice);
        let of_change = asked.change.found.track;
        let others = controls.iter().filter(|other| other.key.series_id != of_change.series_id);
        let heard = others.filter_map(|other| {
            let line = lines.iter().find(|line| line.series_id == other.key.series_id)?;
            let track = Track { series_id: other.key.series_id, ..of_change };
            let points = track::tracks(&[line]).remove(&track)?;
            Some(asked.witness(Kind::Control, other.name.clone(), &points))
        });
        Ok(heard.collect())
    }

    async fn siblings(&self, asked: &Asked<'_>) -> sqlx::Result<Vec<Witness>> {
        let of_change = asked.change.found.track;
        let siblings = db::witness::siblings(self.pool, of_change.series_id).await?;
        let lines = lines(self.pool, &siblings, (asked.from, asked.to)).await?;
        let heard = siblings.iter().filter_map(|sibling| {
            let line = lines.iter().find(|line| line.series_id == sibling.key.series_id)?;
            // Of another machine's environments, the one that saw most of it.
            let tracks =
                track::tracks(&[line]).into_iter().filter(|(track, _)| track.figure == of_change.figure);
            let witnesses =
                tracks.map(|(_, points)| asked.witness(Kind::Sibling, sibling.name.clone(), &points));
            witnesses.max_by_key(|witness| witness.before.len().min(witness.after.len()))
        });
        Ok(heard.collect())
    }
}

async fn lines(pool: &PgPool, others: &[Other], (from, to): (i64, i64)) -> sqlx::Result<Vec<LineRow>> {
    let keys: Vec<SeriesKey> = others.iter().map(|other| other.key).collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let selection = Selection { from_ordinal: from, to_ordinal: to, last: i64::MAX, lines: Lines::Main };
    db::chart::lines(pool, &keys, &selection, &[Quantile::P99], true).await
}

impl Asked<'_> {
    /// What was measured of the commits next to the change on either side.
    fn witness(&self, kind: Kind, name: String, points: &Points) -> Witness {
        let found = &self.change.found;
        let last_before = points.index(found.after_ordinal.saturating_add(1));
        let first_after = points.index(found.until_ordinal);
        let before = &points.values[last_before.saturating_sub(POINTS_MAX)..last_before];
        let after = &points.values[first_after..points.values.len().min(first_after + POINTS_MAX)];
        let name =
            if found.track.figure == Figure::P99 && kind != Kind::Canary { name + " p99" } else { name };
        Witness { kind, name, before: before.to_vec(), after: after.to_vec() }
    }
}
