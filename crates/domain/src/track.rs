//! Finds the changes of a series: in one environment, on the main line, from clean work trees and without
//! loss. Another methodology or machine is another series.

use roundtrip_stats::change_point::{
    self, Baseline, Detector, InvalidValue, Kind, Known, Method, Settings, Silence, Step, one_sided_p,
};
use roundtrip_storage::change_point::{ByComparison, ChangeKind, Figure, Found, Track};
use roundtrip_storage::chart::{Columns, LineRow};
use roundtrip_storage::point::Quantile;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The columns that [`tracks`] needs.
pub(crate) const COLUMNS: Columns<'static> =
    Columns { quantiles: &[Quantile::P99], repetitions: true, rate: false };

/// The detection methods of a project.
#[derive(Clone, Debug)]
pub struct Methods {
    times: Cow<'static, Method>,
    tail: Cow<'static, Method>,
}

impl Methods {
    /// The methods, given the smallest change that the project reports. It applies to the tail if it is larger than the
    /// tail's own.
    pub fn new(least_change: Option<f64>) -> Self {
        let of = |shipped: &'static Method| match least_change {
            Some(least) => Cow::Owned(Method::new(Settings { least: [least; 2], ..*shipped.settings() })),
            None => Cow::Borrowed(shipped),
        };
        let is_larger = least_change.is_some_and(|least| least > Settings::tail().least[0]);
        Self {
            times: of(Method::shipped()),
            tail: if is_larger { of(Method::tail()) } else { Cow::Borrowed(Method::tail()) },
        }
    }

    /// The method for a figure.
    pub fn of(&self, figure: Figure) -> &Method {
        match figure {
            Figure::P50 | Figure::P99 => &self.times,
            Figure::Tail => &self.tail,
        }
    }
}

/// The value of a point at 0, such as one without allocations: the smallest stored value, because changes are ratios.
const VALUE_OF_ZERO: f64 = 1.0;

/// The number of points that end a confirmed level, as many as the detector needs on either side of a change.
const LEFT_POINTS: usize = 4;

/// The points of another machine that are compared, on each side of a commit.
const AGREEMENT_POINTS_MAX: usize = 30;

/// The changes of a track.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    /// The changes that are new.
    pub found: Vec<Found>,
    /// The first commit after a change that other machines may confirm.
    pub candidate: Option<i64>,
}

/// The points of one track, in commit order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// The commits' ordinals.
    pub ordinals: Vec<i64>,
    /// Values of the series' measure, usually times in nanoseconds, or ratios; above 0.
    pub values: Vec<f64>,
}

/// The tracks of a series, from consecutive parts of its points, with one point a commit: the median of its runs.
pub fn tracks(parts: &[&LineRow]) -> BTreeMap<Track, Points> {
    runs(parts).into_iter().map(|(track, points)| (track, points.one_per_commit())).collect()
}

/// Like [`tracks`], with one point a run.
pub(crate) fn runs(parts: &[&LineRow]) -> BTreeMap<Track, Points> {
    let mut tracks: BTreeMap<Track, Points> = BTreeMap::new();
    for line in parts {
        let p50 = line.repetition_p50_ns.as_ref().map_or(&[][..], |[_, median, _]| median);
        let p99 = line.latency_ns.iter().find(|(quantile, _)| *quantile == Quantile::P99);
        let p99 = p99.map_or(&[][..], |(_, values)| values);
        for (index, &ordinal) in line.commit_ordinals.iter().enumerate() {
            let is_of_commit = !line.lossy.get(index).copied().unwrap_or(true)
                && !line.work_tree_modified.get(index).copied().unwrap_or(true);
            let Some(&environment_id) = line.environment_ids.get(index).filter(|_| is_of_commit) else {
                continue;
            };
            let [p50, p99] = [p50, p99].map(|column| column.get(index).map(|&value| value as f64));
            let tail = p50.zip(p99).filter(|(p50, p99)| p50.min(*p99) > 0.0).map(|(p50, p99)| p99 / p50);
            let [p50, p99] = [p50, p99].map(|value| Some(value?.max(VALUE_OF_ZERO)));
            for (figure, value) in [(Figure::P50, p50), (Figure::P99, p99), (Figure::Tail, tail)] {
                let Some(value) = value else { continue };
                let points =
                    tracks.entry(Track { series_id: line.series_id, environment_id, figure }).or_default();
                points.ordinals.push(ordinal);
                points.values.push(value);
            }
        }
    }
    tracks
}

impl Points {
    /// The index of the first point at or after a commit.
    pub fn index(&self, ordinal: i64) -> usize {
        self.ordinals.partition_point(|&other| other < ordinal)
    }

    /// The difference of each value from the previous one, as a logarithm.
    pub fn effects(&self) -> Vec<f64> {
        self.values.windows(2).map(|pair| (pair[1] / pair[0]).ln()).collect()
    }

    fn one_per_commit(self) -> Self {
        let points: Vec<(i64, f64)> = self.ordinals.into_iter().zip(self.values).collect();
        let (ordinals, values) = change_point::one_per_commit(&points).unzip();
        Self { ordinals, values }
    }

    /// The changes that the points from a commit onward confirm, given that all earlier points were searched
    /// and have the known changes. Paired comparisons confirm some of them after their first point. The same series on
    /// other machines may confirm one more.
    ///
    /// # Errors
    /// A value is not above 0.
    pub fn search(
        &self,
        method: &Method,
        track: Track,
        from_ordinal: i64,
        known: &[Found],
        confirmed: &[Found],
        others: &[&Points],
    ) -> Result<Search, InvalidValue> {
        let from = self.index(from_ordinal);
        let first = from.saturating_sub(method.settings().memory);
        let changes: Vec<usize> = known.iter().map(|known| self.index(known.ordinal)).collect();
        let baseline = baseline(known);
        let resumed = Known {
            first,
            values: &self.values[first..from],
            changes: &changes,
            baseline: baseline.map(|(ordinal, level)| Baseline { index: self.index(ordinal), level }),
        };
        let mut detector = Detector::resume(method, &resumed)?;
        let mut all = known.to_vec();
        let confirmed: BTreeMap<usize, &Found> =
            confirmed.iter().filter_map(|found| Some((self.confirmed_index(found)?, found))).collect();
        for index in from..self.values.len() {
            let step = detector.push(self.values[index])?;
            all.extend(step.map(|step| self.found(track, &step, &all)));
            let begun = confirmed.get(&index).map(|found| self.confirmed_at(index, found));
            for begun in begun.into_iter().chain(self.left_at(index, &all)) {
                detector.begin_level(self.index(begun.ordinal), begun.after_level);
                all.push(begun);
            }
        }
        let mut search = Search::default();
        if let Some(split) = detector.candidate() {
            let ordinals = [split.index.saturating_sub(1), split.index].map(|index| self.ordinals[index]);
            let agreements: Vec<f64> =
                others.iter().filter_map(|other| other.agreement(ordinals, split.is_up)).collect();
            match detector.confirm(split, &agreements) {
                Some(step) => all.push(self.found(track, &step, &all)),
                None => search.candidate = Some(ordinals[1]),
            }
        }
        search.found = all.split_off(known.len());
        Ok(search)
    }

    /// The first point of the new level of a change that a paired comparison confirmed: between its base and its commit,
    /// the first one that is nearer to the new level. Usually no commit between them is measured. `None` if the commit has
    /// no point any more.
    fn confirmed_index(&self, found: &Found) -> Option<usize> {
        let ByComparison { after_ordinal, until_ordinal, .. } = found.confirmed?;
        let last = self.ordinals.binary_search(&until_ordinal).ok()?;
        let first = self.index(after_ordinal.saturating_add(1));
        let begun =
            (first..last).find(|&index| is_nearer(self.values[index], found.after_level, found.before_level));
        Some(begun.unwrap_or(last))
    }

    /// A confirmed change, if its new level begins at this point.
    fn confirmed_at(&self, index: usize, found: &Found) -> Found {
        let ordinal = self.ordinals[index];
        let before = index.checked_sub(1).map_or(i64::MIN, |before| self.ordinals[before]);
        let base = found.confirmed.map_or(before, |confirmed| confirmed.after_ordinal);
        Found {
            ordinal,
            after_ordinal: before.max(base),
            until_ordinal: ordinal,
            places: vec![(ordinal, 1.0)],
            ..found.clone()
        }
    }

    /// The end of a confirmed level that is too short for the detector: the newest points, as many as a level needs, are all
    /// nearer to the level before.
    fn left_at(&self, index: usize, changes: &[Found]) -> Option<Found> {
        let last = changes.last()?;
        last.confirmed?;
        let begin = (index + 1).checked_sub(LEFT_POINTS)?;
        let points = begin.checked_sub(self.index(last.ordinal))?;
        let newest = &self.values[begin..=index];
        let is_left = (1..LEFT_POINTS).contains(&points)
            && newest.iter().all(|value| is_nearer(*value, last.before_level, last.after_level));
        is_left.then(|| Found {
            ordinal: self.ordinals[begin],
            after_ordinal: self.ordinals[begin - 1],
            until_ordinal: self.ordinals[begin],
            places: vec![(self.ordinals[begin], 1.0)],
            before_level: last.after_level,
            after_level: last.before_level,
            confirmed: None,
            ..last.clone()
        })
    }

    /// How well these points agree with a change in this direction between two commits of another machine, as a p-value.
    /// `None` without points on both sides. Points between the two commits belong to neither.
    fn agreement(&self, [after, from]: [i64; 2], is_up: bool) -> Option<f64> {
        let (old, new) = (&self.values[..self.index(after + 1)], &self.values[self.index(from)..]);
        let old = &old[old.len().saturating_sub(AGREEMENT_POINTS_MAX)..];
        let new = &new[..new.len().min(AGREEMENT_POINTS_MAX)];
        let values: Vec<f64> = old.iter().chain(new).map(|value| value.ln()).collect();
        (!old.is_empty() && !new.is_empty()).then(|| one_sided_p(&values, old.len(), is_up))
    }

    /// A change, given all changes before it.
    fn found(&self, track: Track, step: &Step, before: &[Found]) -> Found {
        let [first, last] = step.interval;
        let after_ordinal = match step.kind {
            // The stored ordinal, because that point may be older than these.
            Kind::Drift => baseline(before).map_or(self.ordinals[first], |(ordinal, _)| ordinal),
            // Every change has points before it.
            Kind::Step | Kind::KnownState => self.ordinals[first.saturating_sub(1)],
        };
        Found {
            track,
            ordinal: self.ordinals[step.index],
            after_ordinal,
            until_ordinal: self.ordinals[last],
            places: step
                .places
                .iter()
                .map(|&(index, probability)| (self.ordinals[index], probability))
                .collect(),
            before_level: step.before,
            after_level: step.after,
            confidence: step.confidence,
            matters: step.matters,
            kind: step.kind.into(),
            confirmed: None,
        }
    }
}

/// The level that drift is measured from, with the ordinal of its first point, given all changes so far. Before the first
/// change that begins one, the ordinal is that of the last point before all changes.
fn baseline(known: &[Found]) -> Option<(i64, f64)> {
    let newest = known.iter().rev().find(|known| known.matters || known.kind == ChangeKind::KnownState);
    let after_newest = newest.map(|known| (known.ordinal, known.after_level));
    after_newest.or_else(|| known.first().map(|known| (known.after_ordinal, known.before_level)))
}

fn is_nearer(value: f64, to: f64, than: f64) -> bool {
    (value / to).ln().abs() < (value / than).ln().abs()
}

/// A change, and the index of the point that confirmed it.
pub type Confirmed = (Found, usize);

/// The result of change detection at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// It confirmed a change.
    Confirmed,
    /// It did not; the reason, if there was a candidate.
    Silent(Option<Silence>),
}

/// A step-by-step search of all points.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// The changes.
    pub changes: Vec<Confirmed>,
    /// One a point.
    pub looks: Vec<Look>,
}

impl Points {
    /// Searches all points with any method, and records each step.
    pub fn try_out(&self, method: &Method, track: Track) -> Trial {
        let mut trial = Trial::default();
        let mut changes = Vec::new();
        let mut detector = method.detector();
        for (index, &value) in self.values.iter().enumerate() {
            // Only values above 0 become points of a track.
            let step = detector.push(value).ok().flatten();
            trial.looks.push(if step.is_some() { Look::Confirmed } else { Look::Silent(detector.silence()) });
            if let Some(step) = step {
                let found = self.found(track, &step, &changes);
                changes.push(found.clone());
                trial.changes.push((found, index));
            }
        }
        trial
    }
}

/// What happens to stored changes when their points are searched again.
#[derive(Debug, Default, PartialEq)]
pub struct Merged<'a> {
    /// New ones.
    pub new: Vec<&'a Found>,
    /// Stored changes, by id, with refined details.
    pub refined: Vec<(i64, &'a Found)>,
    /// Stored changes, by id, that were not found again.
    pub withdrawn: Vec<i64>,
}

/// A change still counts as the same if it moves by at most this many points when points are inserted.
const SAME_WITHIN: usize = 8;

/// Matches stored changes, by id, with the changes found in one track. Both are in commit order.
pub fn merge<'a>(points: &Points, stored: &[(i64, Found)], found: &'a [Found]) -> Merged<'a> {
    let mut merged = Merged::default();
    let mut left: Vec<&(i64, Found)> = stored.iter().collect();
    for found in found {
        let distance = |stored: &Found| points.index(stored.ordinal).abs_diff(points.index(found.ordinal));
        let nearest = left
            .iter()
            .enumerate()
            .filter(|(_, (_, stored))| is_same_kind(stored, found) && distance(stored) <= SAME_WITHIN)
            .min_by_key(|(_, (_, stored))| distance(stored));
        let Some(place) = nearest.map(|(place, _)| place) else {
            merged.new.push(found);
            continue;
        };
        let (change_point_id, stored) = left.remove(place);
        let is_where_it_was = (stored.ordinal, stored.after_ordinal, stored.until_ordinal, &stored.places)
            == (found.ordinal, found.after_ordinal, found.until_ordinal, &found.places);
        if !is_where_it_was {
            merged.refined.push((*change_point_id, found));
        }
    }
    merged.withdrawn = left.into_iter().map(|(change_point_id, _)| *change_point_id).collect();
    merged
}

fn is_same_kind(one: &Found, other: &Found) -> bool {
    (one.is_up(), one.kind) == (other.is_up(), other.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    const TRACK: Track = Track { series_id: 1, environment_id: 7, figure: Figure::P50 };

    /// A line of one environment where p50 and p99 have these values.
    fn line(ordinals: &[i64], environment_id: i64, values: &[i64]) -> LineRow {
        LineRow {
            series_id: 1,
            commit_ordinals: ordinals.to_vec(),
            environment_ids: vec![environment_id; ordinals.len()],
            lossy: vec![false; ordinals.len()],
            work_tree_modified: vec![false; ordinals.len()],
            latency_ns: vec![(Quantile::P99, values.to_vec())],
            repetition_p50_ns: Some([values.to_vec(), values.to_vec(), values.to_vec()]),
            bytes_per_second: None,
        }
    }

    fn points(values: &[i64]) -> Points {
        let ordinals: Vec<i64> = (1..).take(values.len()).collect();
        tracks(&[&line(&ordinals, 7, values)]).remove(&TRACK).unwrap()
    }

    fn stepped(before: usize, after: usize) -> Points {
        points(&[vec![1_000; before], vec![1_200; after]].concat())
    }

    fn search(points: &Points, from: i64, known: &[Found]) -> Vec<Found> {
        points.search(Method::shipped(), TRACK, from, known, &[], &[]).unwrap().found
    }

    #[test]
    fn tracks_split_by_environment_and_exclude_lossy_or_modified() {
        let mut one = line(&[1, 2, 3, 4], 7, &[10, 20, 30, 0]);
        one.lossy[1] = true;
        let mut other = line(&[5, 6], 8, &[50, 60]);
        other.work_tree_modified[1] = true;
        let tracks = tracks(&[&one, &other]);
        // 0 counts as 1, because changes are ratios.
        assert_eq!(tracks[&TRACK], Points { ordinals: vec![1, 3, 4], values: vec![10.0, 30.0, 1.0] });
        let elsewhere = Track { environment_id: 8, figure: Figure::P99, ..TRACK };
        assert_eq!(tracks[&elsewhere], Points { ordinals: vec![5], values: vec![50.0] });
    }

    #[test]
    fn the_tail_is_the_p99_divided_by_the_p50_of_each_run() {
        let mut line = line(&[1, 2, 2, 2, 3, 4], 7, &[100, 200, 0, 400, 500, 600]);
        line.latency_ns = vec![(Quantile::P99, vec![190, 300, 700, 2_000, 0, 1_500])];
        line.lossy[5] = true;
        let tail = Track { figure: Figure::Tail, ..TRACK };
        // A run with a time of 0 is skipped, also if the other time is there.
        let expected = Points { ordinals: vec![1, 2, 2], values: vec![1.9, 1.5, 5.0] };
        assert_eq!(runs(&[&line])[&tail], expected);
        let median_of_runs = Points { ordinals: vec![1, 2], values: vec![1.9, 3.25] };
        assert_eq!(tracks(&[&line])[&tail], median_of_runs);
        line.latency_ns.clear();
        assert!(!tracks(&[&line]).contains_key(&tail));
    }

    /// The changes of each figure, if all operations get this many times slower after 40 of 60 commits, and the slowest more.
    fn found_by_figure(all: i64, slowest: i64) -> Vec<(Figure, i64, bool)> {
        let ordinals: Vec<i64> = (1..=60).collect();
        let times = |ns: i64, percent: i64| -> Vec<i64> {
            (0..60).map(|at| (ns + at * 7_919 % 13) * if at < 40 { 100 } else { percent } / 100).collect()
        };
        let mut line = line(&ordinals, 7, &times(10_000, all));
        line.latency_ns = vec![(Quantile::P99, times(19_000, all * slowest / 100))];
        let methods = Methods::new(None);
        let of_track = |(track, points): (Track, Points)| {
            let method = methods.of(track.figure);
            let found = points.search(method, track, 0, &[], &[], &[]).unwrap().found;
            // Searched again, the stored change is the same.
            let stored: Vec<(i64, Found)> = (0..).zip(found.iter().cloned()).collect();
            assert_eq!(merge(&points, &stored, &found), Merged::default());
            found.into_iter().map(move |found| (track.figure, found.ordinal, found.matters))
        };
        tracks(&[&line]).into_iter().flat_map(of_track).collect()
    }

    #[test]
    fn a_change_of_the_tail_is_found_once_and_not_for_a_step_of_all() {
        assert_eq!(found_by_figure(120, 100), [(Figure::P50, 41, true), (Figure::P99, 41, true)]);
        assert_eq!(found_by_figure(100, 130), [(Figure::P99, 41, true), (Figure::Tail, 41, true)]);
        // Below 10 %, a change of the tail does not matter.
        assert_eq!(found_by_figure(100, 106), [(Figure::P99, 41, true), (Figure::Tail, 41, false)]);
    }

    #[test]
    fn the_threshold_of_the_tail_is_the_larger_one() {
        let least = |least_change| {
            let methods = Methods::new(least_change);
            Figure::ALL.map(|figure| methods.of(figure).settings().least)
        };
        assert_eq!(least(None), [[0.01, 0.03], [0.01, 0.03], [0.1, 0.1]]);
        assert_eq!(least(Some(0.05)), [[0.05, 0.05], [0.05, 0.05], [0.1, 0.1]]);
        assert_eq!(least(Some(0.3)), [[0.3, 0.3]; 3]);
    }

    /// Ten runs a commit are of the same build, whose time differs by up to 2 %.
    #[test]
    fn repeated_runs_of_a_commit_count_once() {
        let build = |commit: i64| 100_000 + 2_000 * (commit * 7_919 % 13 - 6) / 6;
        let ordinals: Vec<i64> = (0..1_200).map(|run| run / 10).collect();
        let values: Vec<i64> = (0..1_200).map(|run| build(run / 10) + run % 10).collect();
        let points = tracks(&[&line(&ordinals, 7, &values)]).remove(&TRACK).unwrap();
        assert_eq!((points.ordinals.len(), points.values[0]), (120, 98_004.5));
        assert_eq!(search(&points, 0, &[]), []);
    }

    #[test]
    fn a_change_has_the_commits_around_it() {
        let found = search(&stepped(30, 10), 0, &[]);
        let [found] = &found[..] else { panic!("{found:?}") };
        assert_eq!((found.after_ordinal, found.ordinal, found.until_ordinal), (30, 31, 31));
        assert_eq!(
            (found.before_level.round(), found.after_level.round(), found.matters),
            (1_000.0, 1_200.0, true)
        );
    }

    /// Levels of this many points each, with noise of up to 0.3 %.
    fn levels(levels: impl IntoIterator<Item = f64>, count: usize) -> Points {
        let levels = levels.into_iter().flat_map(|level| vec![level; count]);
        let noise = |at: i32| 1.0 + f64::from(at * 7_919 % 13 - 6) / 2_000.0;
        let values: Vec<f64> = (0..).zip(levels).map(|(at, level)| level * noise(at)).collect();
        Points { ordinals: (1..).take(values.len()).collect(), values }
    }

    /// Steps of 0.9 %.
    fn creep(step_count: i32) -> Points {
        levels((0..=step_count).map(creeping), 40)
    }

    fn creeping(step: i32) -> f64 {
        1e6 * 1.009_f64.powi(step)
    }

    /// Two levels in turn, this factor apart.
    fn two_states(factor: f64, visit_count: i32) -> impl Iterator<Item = f64> {
        (0..visit_count).map(move |visit| 1e6 * factor.powi(visit % 2))
    }

    /// Searches each point when it arrives, given this many earlier ones.
    fn search_one_by_one(method: &Method, whole: &Points, loaded_count: usize) -> Vec<Found> {
        let mut known: Vec<Found> = Vec::new();
        for (end, &newest) in (1_usize..).zip(&whole.ordinals) {
            let loaded = end.saturating_sub(loaded_count)..end;
            let so_far = Points {
                ordinals: whole.ordinals[loaded.clone()].to_vec(),
                values: whole.values[loaded].to_vec(),
            };
            known.extend(so_far.search(method, TRACK, newest, &known, &[], &[]).unwrap().found);
        }
        known
    }

    #[test]
    fn a_change_is_found_once_in_any_order_of_arrival() {
        let kinds = [
            (stepped(40, 30), ChangeKind::Step),
            (creep(20), ChangeKind::Drift),
            (levels(two_states(1.4, 12), 20), ChangeKind::KnownState),
            // A drift is measured from the last known state.
            (levels(two_states(1.009, 8).chain((2..20).map(creeping)), 40), ChangeKind::Drift),
        ];
        // With little memory, the level that drift is measured from is older than the loaded points.
        let little = Method::new(Settings { window: 64, memory: 128, ..Settings::default() });
        for (whole, kind) in kinds {
            for method in [Method::shipped(), &little] {
                let found = whole.search(method, TRACK, 0, &[], &[], &[]).unwrap().found;
                let loaded_count = method.settings().memory + 1;
                assert_eq!(search_one_by_one(method, &whole, loaded_count), found);
                assert!(found.iter().any(|found| found.kind == kind), "{kind}: {found:?}");
            }
        }
    }

    #[test]
    fn a_drift_ranges_from_the_level_that_it_is_measured_from() {
        let found = search(&creep(20), 0, &[]);
        let drifts: Vec<usize> =
            (0..found.len()).filter(|&index| found[index].kind == ChangeKind::Drift).collect();
        assert!(drifts.len() >= 2, "{found:?}");
        let first = &found[drifts[0]];
        assert_eq!(
            (first.after_ordinal, first.before_level),
            (found[0].after_ordinal, found[0].before_level)
        );
        for pair in drifts.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|index| &found[index]);
            assert_eq!((after.after_ordinal, after.before_level), (before.ordinal, before.after_level));
            assert!(after.ordinal <= after.until_ordinal && after.places.is_empty(), "{after:?}");
            assert!(after.matters && after.change() >= 0.05, "{after:?}");
        }
    }

    #[test]
    fn a_project_can_set_the_smallest_change_that_matters() {
        let matters = |after: i64, least_change: Option<f64>| {
            let points = points(&[vec![1_000; 40], vec![after; 40]].concat());
            let found = points
                .search(Methods::new(least_change).of(Figure::P50), TRACK, 0, &[], &[], &[])
                .unwrap()
                .found;
            found.iter().map(|found| (found.matters, found.kind)).collect::<Vec<_>>()
        };
        let step = |matters| [(matters, ChangeKind::Step)];
        assert_eq!(matters(1_006, None), step(false));
        assert_eq!(matters(1_006, Some(0.005)), step(true));
        assert_eq!(matters(1_080, None), step(true));
        // More than the drift that others report, but a single step.
        assert_eq!(matters(1_080, Some(0.1)), step(false));
        assert_eq!(matters(1_120, Some(0.1)), step(true));
    }

    #[test]
    fn a_change_of_another_kind_is_another_change() {
        let points = stepped(30, 30);
        let found = search(&points, 0, &[]);
        let stored = [(1, Found { kind: ChangeKind::Drift, ..found[0].clone() })];
        let merged = merge(&points, &stored, &found);
        assert_eq!(merged, Merged { new: vec![&found[0]], withdrawn: vec![1], ..Merged::default() });
    }

    /// A change that a paired comparison of commit 31 with commit 30 confirmed.
    fn confirmed(after_ordinal: i64, until_ordinal: i64) -> Found {
        let by_comparison = ByComparison { suspicion_id: 1, job_id: Some(5), after_ordinal, until_ordinal };
        Found {
            track: TRACK,
            ordinal: until_ordinal,
            after_ordinal,
            until_ordinal,
            places: vec![(until_ordinal, 1.0)],
            before_level: 1_000.0,
            after_level: 1_200.0,
            confidence: 0.999,
            matters: true,
            kind: ChangeKind::Step,
            confirmed: Some(by_comparison),
        }
    }

    fn search_confirmed(points: &Points, confirmed: &Found) -> Vec<Found> {
        let confirmed = slice::from_ref(confirmed);
        points.search(Method::shipped(), TRACK, 0, &[], confirmed, &[]).unwrap().found
    }

    #[test]
    fn a_confirmed_change_begins_a_level_once() {
        let wanted = confirmed(30, 31);
        for after in 1..40 {
            let points = stepped(30, after);
            let stored = slice::from_ref(&wanted);
            assert_eq!(search_confirmed(&points, &wanted), stored, "{after} points after it");
            // Later points are searched with the stored change.
            assert_eq!(search(&points, 32, stored), []);
        }
        // Its commit was deleted.
        assert_eq!(search_confirmed(&stepped(30, 0), &wanted), []);
    }

    #[test]
    fn a_confirmed_change_moves_to_a_commit_that_is_measured_later() {
        let mut points = stepped(30, 1);
        points.ordinals[30] = 40;
        let wanted = confirmed(30, 40);
        assert_eq!(search_confirmed(&points, &wanted), slice::from_ref(&wanted));
        points.ordinals.splice(30..30, [33, 36]);
        points.values.splice(30..30, [1_000.0, 1_200.0]);
        let found = search_confirmed(&points, &wanted);
        let [moved] = &found[..] else { panic!("{found:?}") };
        assert_eq!((moved.after_ordinal, moved.ordinal, moved.until_ordinal), (33, 36, 36));
        assert_eq!(moved.places, [(36, 1.0)]);
    }

    #[test]
    fn a_short_confirmed_level_ends_after_four_points() {
        let wanted = confirmed(30, 31);
        for slow in 1..4 {
            let values = [vec![1_000; 30], vec![1_200; slow], vec![1_000; 4]].concat();
            let found = search_confirmed(&points(&values[..values.len() - 1]), &wanted);
            assert_eq!(found, slice::from_ref(&wanted), "three points are not enough");
            let whole = points(&values);
            let found = search_confirmed(&whole, &wanted);
            let [first, end] = &found[..] else { panic!("{found:?}") };
            let left = i64::try_from(31 + slow).unwrap();
            assert_eq!((first, end.after_ordinal, end.ordinal), (&wanted, left - 1, left));
            assert_eq!((end.before_level, end.after_level, end.confirmed), (1_200.0, 1_000.0, None));
            // The same if the last point arrives later.
            assert_eq!(search(&whole, left + 3, slice::from_ref(&wanted)), slice::from_ref(end));
        }
    }

    #[test]
    fn later_measurements_refine_a_change() {
        // Every tenth commit is measured; then one between the last two of different levels.
        let ordinals: Vec<i64> = (1..=40).map(|number| 10 * number).collect();
        let values: Vec<i64> =
            ordinals.iter().map(|ordinal| if *ordinal <= 300 { 1_000 } else { 1_200 }).collect();
        let coarse = tracks(&[&line(&ordinals, 7, &values)]).remove(&TRACK).unwrap();
        let stored = search(&coarse, 0, &[]);
        assert_eq!((stored[0].after_ordinal, stored[0].ordinal), (300, 310));

        let mut finer = coarse.clone();
        let place = finer.index(305);
        finer.ordinals.insert(place, 305);
        finer.values.insert(place, 1_200.0);
        let found = search(&finer, 305, &[]);
        let merged = merge(&finer, &[(9, stored[0].clone())], &found);
        let [(9, refined)] = merged.refined[..] else { panic!("{merged:?}") };
        assert_eq!((refined.after_ordinal, refined.ordinal), (300, 305));
        assert!(merged.new.is_empty() && merged.withdrawn.is_empty());
    }

    #[test]
    fn withdraws_changes_that_are_not_found_again() {
        let points = stepped(30, 30);
        let found = search(&points, 0, &[]);
        let there = (1, found[0].clone());
        let gone = (2, Found { ordinal: 55, after_ordinal: 54, until_ordinal: 55, ..found[0].clone() });
        let back = (3, Found { before_level: 1_200.0, after_level: 1_000.0, ..found[0].clone() });
        let merged = merge(&points, &[there, back, gone], &found);
        assert_eq!(merged, Merged { withdrawn: vec![3, 2], ..Merged::default() });
    }
}
