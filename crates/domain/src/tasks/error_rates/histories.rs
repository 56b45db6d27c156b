//! Error rates of change points: counts by class, from stored points and their changes.

use super::{ErrorRateTask, stored};
use crate::tasks::TaskError;
use crate::track::{self, Methods, Points};
use roundtrip_stats::error_rate::history::{History, Residuals};
use roundtrip_storage::change_point::{self, Figure, Track};
use roundtrip_storage::chart::{self, LineRow};
use roundtrip_storage::error_rate::{Class, Due, HistoryCounts};
use roundtrip_storage::point::{Lines, Selection, SeriesKey};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The number of sampled series per class.
const CLASS_SERIES_MAX: usize = 4;
/// The number of sampled series per machine: those of a hundred classes.
const SERIES_MAX: usize = 400;
/// Newest points of a series to read.
const POINTS_MAX: i64 = 500;
/// Simulated series per machine, at 0.5 ms each.
const MADE_MAX: usize = 6_000;
/// Simulated series per measured one: more would not add information about the series.
const SERIES_MADE_MAX: usize = 100;
const SERIES_AT_ONCE: usize = 50;
/// The number of tracks that are processed at a time: a few hundred milliseconds.
const TRACKS_AT_ONCE: usize = 20;

#[derive(Clone, Debug, Default)]
pub(super) struct Histories {
    pub(super) series: u64,
    pub(super) p50: History,
    pub(super) p99: History,
    pub(super) tail: History,
}

/// The noise of a class's series without a change.
type Quiet = (Class, Track, Residuals);

impl ErrorRateTask<'_> {
    /// Counts the classes of a machine, with the threshold of the project; `None` after a stop signal.
    pub(super) async fn histories(
        &self,
        Due { machine_id, least_change, .. }: Due,
        series: &[(i64, Class)],
    ) -> Result<Option<BTreeMap<Class, Histories>>, TaskError> {
        let mut classes: BTreeMap<Class, Histories> = BTreeMap::new();
        let mut quiet: Vec<Quiet> = Vec::new();
        for chosen in chosen(series).chunks(SERIES_AT_ONCE) {
            if !self.goes_on().await? {
                return Ok(None);
            }
            for (class, residuals) in self.residuals(machine_id, chosen).await? {
                classes.entry(class.clone()).or_default().series += 1;
                quiet.extend(
                    residuals.into_iter().map(|(track, residuals)| (class.clone(), track, residuals)),
                );
            }
        }
        let methods = Arc::new(Methods::new(least_change));
        let times = (MADE_MAX / quiet.len().max(1)).clamp(1, SERIES_MADE_MAX);
        let mut quiet = quiet.into_iter();
        loop {
            let some: Vec<Quiet> = quiet.by_ref().take(TRACKS_AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            if !self.goes_on().await? {
                return Ok(None);
            }
            let methods = Arc::clone(&methods);
            let simulated = tokio::task::spawn_blocking(move || {
                some.into_iter().map(|quiet| simulate(&methods, quiet, times)).collect::<Vec<_>>()
            });
            for (class, figure, history) in simulated.await? {
                let histories = classes.entry(class).or_default();
                match figure {
                    Figure::P50 => histories.p50.add(history),
                    Figure::P99 => histories.p99.add(history),
                    Figure::Tail => histories.tail.add(history),
                }
            }
        }
        Ok(Some(classes))
    }

    /// The noise of some series without a change: the class, and each track with enough points.
    async fn residuals(
        &self,
        machine_id: i64,
        series: &[(i64, Class)],
    ) -> Result<Vec<(Class, Vec<(Track, Residuals)>)>, TaskError> {
        let series_ids: Vec<i64> = series.iter().map(|(series_id, _)| *series_id).collect();
        let keys: Vec<SeriesKey> =
            series_ids.iter().map(|&series_id| SeriesKey { series_id, machine_id }).collect();
        let selection =
            Selection { from_ordinal: 0, to_ordinal: i64::MAX, last: POINTS_MAX, lines: Lines::Main };
        let lines = chart::lines(self.pool, &keys, &selection, track::COLUMNS).await?;
        let mut changes: HashMap<Track, Vec<i64>> = HashMap::new();
        for row in change_point::of_series(self.pool, &series_ids).await? {
            changes.entry(row.found.track).or_default().push(row.found.ordinal);
        }
        let classes: HashMap<i64, Class> = series.iter().cloned().collect();
        let computed = tokio::task::spawn_blocking(move || {
            let with_points = lines.iter().filter(|line| !line.commit_ordinals.is_empty());
            let of_class = with_points.filter_map(|line| {
                Some((classes.get(&line.series_id)?.clone(), residuals_of(line, &changes)))
            });
            of_class.collect()
        });
        Ok(computed.await?)
    }
}

fn simulate(methods: &Methods, (class, track, residuals): Quiet, times: usize) -> (Class, Figure, History) {
    let seed = track.series_id.cast_unsigned();
    (class, track.figure, residuals.simulate(methods.of(track.figure), times, seed))
}

/// The first few series of each class.
fn chosen(series: &[(i64, Class)]) -> Vec<(i64, Class)> {
    let mut counts: BTreeMap<&Class, usize> = BTreeMap::new();
    let of_class = series.iter().filter(|(_, class)| {
        let count = counts.entry(class).or_default();
        *count += 1;
        *count <= CLASS_SERIES_MAX
    });
    of_class.take(SERIES_MAX).cloned().collect()
}

fn residuals_of(line: &LineRow, changes: &HashMap<Track, Vec<i64>>) -> Vec<(Track, Residuals)> {
    let residuals = |(track, points): (Track, Points)| {
        let changes = changes.get(&track).map_or(&[][..], Vec::as_slice);
        let places: Vec<usize> = changes.iter().map(|&ordinal| points.index(ordinal)).collect();
        Some((track, Residuals::of(&points.values, &places)?))
    };
    track::tracks(&[line]).into_iter().filter_map(residuals).collect()
}

pub(super) fn counts(history: &History) -> HistoryCounts {
    HistoryCounts {
        searched_count: stored(history.searched),
        false_alarm_count: stored(history.false_alarms),
        injected_count: stored(history.injected),
        found_counts: history.found().map(stored).to_vec(),
        median_delays: history.median_delays().map(|delay| delay.map(i64::from)).to_vec(),
    }
}
