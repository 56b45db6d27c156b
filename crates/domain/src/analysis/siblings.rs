//! Other machines that measure the same case. Together they confirm a change that one machine alone cannot confirm yet:
//! see `roundtrip_stats::change_point::Detector::confirm`.

use super::evidence::{self, COMMITS};
use crate::track::{self, Points};
use roundtrip_storage as db;
use roundtrip_storage::change_point::Track;
use sqlx::PgPool;
use std::collections::{BTreeMap, HashMap};

/// The points of the same cases on other machines, by series of this machine. One map for each machine.
#[derive(Debug, Default)]
pub(super) struct Siblings(HashMap<i64, Vec<BTreeMap<Track, Points>>>);

impl Siblings {
    /// Reads them around the first and last candidate of each series, given by their ordinals.
    pub(super) async fn read(pool: &PgPool, commits: &BTreeMap<i64, [i64; 2]>) -> sqlx::Result<Self> {
        let series_ids: Vec<i64> = commits.keys().copied().collect();
        let siblings = evidence::siblings(pool, &series_ids).await?;
        let window =
            |series_id: &i64| commits.get(series_id).map(|[first, last]| [first - COMMITS, last + COMMITS]);
        let windows: Vec<_> = siblings
            .iter()
            .filter_map(|(series_id, siblings)| Some((window(series_id)?, siblings)))
            .flat_map(|(window, siblings)| siblings.iter().map(move |other| (other.key, window)))
            .collect();
        let lines = db::chart::windows(pool, &windows).await?;
        let mut tracks: HashMap<i64, _> =
            lines.iter().map(|line| (line.series_id, track::tracks(&[line]))).collect();
        let of_series = siblings.into_iter().map(|(series_id, siblings)| {
            let tracks = siblings.iter().filter_map(|other| tracks.remove(&other.key.series_id));
            (series_id, tracks.collect())
        });
        Ok(Self(of_series.collect()))
    }

    /// The points of the same figure on each other machine: of its environments, the one with the most points.
    pub(super) fn of(&self, track: Track) -> Vec<&Points> {
        let machines = self.0.get(&track.series_id).into_iter().flatten();
        let points = machines.filter_map(|tracks| {
            let same_figure = tracks.iter().filter(|(other, _)| other.figure == track.figure);
            same_figure.map(|(_, points)| points).max_by_key(|points| points.values.len())
        });
        points.collect()
    }
}
