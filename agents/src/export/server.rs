//! [`Reader`]: reads the points of a search from a server, in pages of bounded size.

use super::point::{Point, Row, Series};
use super::search::{OS, Search};
use crate::cli::Lines;
use crate::failure::Failure;
use crate::remote::Server;
use crate::stop::{self, StopSignal};
use chrono::{DateTime, Utc};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use roundtrip_wire::Slug;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::sync::Arc;

/// The server's limits: series in a list, and in a request for points; points in a request, and of one series.
const LISTED_MAX: usize = 1_000;
const SERIES_MAX: usize = 200;
const POINTS_MAX: usize = 20_000;
const POINTS_OF_SERIES_MAX: usize = 10_000;

/// Reads a project until a signal stops it.
pub(super) struct Reader {
    server: Server,
    project: Slug,
    lines: Lines,
    stop: StopSignal,
}

#[derive(Deserialize)]
struct SeriesList {
    series: Vec<Series>,
    next_after: Option<String>,
}

#[derive(Deserialize)]
struct PointList {
    commits: Vec<Commit>,
    series: Vec<SeriesPoints>,
}

#[derive(Deserialize)]
struct Commit {
    sha: String,
    committed_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct SeriesPoints {
    points: Vec<Point>,
    summaries: Vec<Point>,
}

#[derive(Deserialize)]
struct MachineList {
    machines: Vec<Machine>,
    next_after: Option<String>,
}

#[derive(Deserialize)]
struct Machine {
    machine: String,
    os: String,
}

#[derive(Deserialize)]
struct Named {
    value: String,
}

impl Reader {
    pub(super) fn new(
        address: &str,
        token_file: Option<&Path>,
        project: Slug,
        lines: Lines,
    ) -> crate::Result<Self> {
        Ok(Self { server: Server::at(address, token_file)?, project, lines, stop: stop::until_signalled()? })
    }

    /// Reads all points of all matching series: those of at most 200 series at a time, the oldest commit first.
    pub(super) fn read(
        &mut self,
        search: &Search,
        mut write: impl FnMut(Vec<Row>) -> crate::Result<()>,
    ) -> crate::Result<()> {
        let filter = self.filter(search)?;
        let machines = self.machines_of_systems(search)?;
        let is_meant = |series: &Series| {
            search.has_size(series.case.message_bytes)
                && machines.as_ref().is_none_or(|machines| machines.contains(series.machine.as_str()))
        };
        let mut after = None;
        loop {
            let mut query = filter.clone();
            query.extend(after.map(|after| ("after", after)));
            let SeriesList { series, next_after } = self.of_project("series", &query)?;
            let meant: Vec<_> = series.into_iter().filter(is_meant).map(Arc::new).collect();
            for series in meant.chunks(SERIES_MAX) {
                self.read_series(series, &mut write)?;
            }
            after = next_after;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// The filter of the list of series, without sizes and systems. A name that no series has is an error.
    fn filter(&mut self, search: &Search) -> crate::Result<Vec<(&'static str, String)>> {
        let mut filter = vec![("limit", LISTED_MAX.to_string())];
        if !search.words.is_empty() {
            filter.push(("q", search.words.join(" ")));
        }
        if !search.peers.is_empty() {
            filter.push(("peers", joined(&search.peers)));
        }
        let names: Vec<_> = search.names.iter().filter(|(key, _)| **key != OS).collect();
        if names.is_empty() {
            return Ok(filter);
        }
        let mut facets: HashMap<String, serde_json::Value> = self.of_project("series/facets", &[])?;
        for (key, names) in names {
            let values = facets.remove(*key).unwrap_or_default();
            let values: Vec<Named> = serde_json::from_value(values).unwrap_or_default();
            check_names(key, names, &values.into_iter().map(|named| named.value).collect())?;
            filter.push((key, joined(names)));
        }
        Ok(filter)
    }

    /// The machines with one of the systems of the search; none if it names no system. The server limits the number of
    /// machines in a filter.
    fn machines_of_systems(&mut self, search: &Search) -> crate::Result<Option<HashSet<String>>> {
        let Some(systems) = search.names.get(OS) else { return Ok(None) };
        let mut all = Vec::new();
        let mut query = vec![("limit", LISTED_MAX.to_string())];
        loop {
            let MachineList { machines, next_after } = self.of_project("machines", &query)?;
            all.extend(machines);
            let Some(after) = next_after else { break };
            query.truncate(1);
            query.push(("after", after));
        }
        check_names(OS, systems, &all.iter().map(|machine| machine.os.clone()).collect())?;
        let meant = all.into_iter().filter(|machine| systems.contains(&machine.os));
        Ok(Some(meant.map(|machine| machine.machine).collect()))
    }

    /// Reads all points of some series, in ranges of commits that are as long as the limits of the server permit.
    fn read_series(
        &mut self,
        series: &[Arc<Series>],
        write: &mut impl FnMut(Vec<Row>) -> crate::Result<()>,
    ) -> crate::Result<()> {
        let limit = limit_of_each(series.len());
        let newest = self.points(series, None)?;
        if newest.longest() < limit {
            return write(newest.into_rows(series));
        }
        let last = newest.ordinals().max().unwrap_or_default();
        let mut length = newest.shorter_range(limit);
        drop(newest);
        let mut from = 0;
        while from <= last {
            let to = last.min(from + length - 1);
            let points = self.points(series, Some(from..=to))?;
            let longest = points.longest();
            if longest < limit {
                write(points.into_rows(series))?;
            } else if from < to {
                length = points.shorter_range(limit);
                continue;
            } else {
                self.read_commit(series, from, write)?;
            }
            from = to + 1;
            if longest < limit / 2 {
                length = length.saturating_mul(2).min(i64::MAX / 4);
            }
        }
        Ok(())
    }

    /// Reads all points of one commit, of which these series together have too many: half of the series at a time.
    fn read_commit(
        &mut self,
        series: &[Arc<Series>],
        ordinal: i64,
        write: &mut impl FnMut(Vec<Row>) -> crate::Result<()>,
    ) -> crate::Result<()> {
        if let [only] = series {
            return Err(Failure::Other(format!(
                "series {} has {POINTS_OF_SERIES_MAX} runs or more of commit {ordinal}: expected fewer. \
                 Exclude it with search words.",
                only.series_id.unwrap_or_default()
            )));
        }
        let (first, second) = series.split_at(series.len() / 2);
        for half in [first, second] {
            let points = self.points(half, Some(ordinal..=ordinal))?;
            if points.longest() < limit_of_each(half.len()) {
                write(points.into_rows(half))?;
            } else {
                self.read_commit(half, ordinal, write)?;
            }
        }
        Ok(())
    }

    fn points(
        &mut self,
        series: &[Arc<Series>],
        ordinals: Option<RangeInclusive<i64>>,
    ) -> crate::Result<PointList> {
        let series_ids: Vec<_> = series.iter().filter_map(|series| series.series_id).collect();
        let mut query = vec![
            ("series", joined(&series_ids)),
            ("limit", limit_of_each(series.len()).to_string()),
            ("lines", self.lines.name().to_owned()),
        ];
        if let Some(ordinals) = ordinals {
            query.extend([("from", ordinals.start().to_string()), ("to", ordinals.end().to_string())]);
        }
        self.get(format!("points{}", text_of(&query)))
    }

    fn of_project<A: DeserializeOwned + Send + 'static>(
        &mut self,
        path: &str,
        query: &[(&str, String)],
    ) -> crate::Result<A> {
        self.get(format!("projects/{}/{path}{}", self.project, text_of(query)))
    }

    fn get<A: DeserializeOwned + Send + 'static>(&mut self, path: String) -> crate::Result<A> {
        let server = self.server.clone();
        match self.stop.wait_for(move || server.read(&path)) {
            ControlFlow::Continue(Some(answer)) => answer,
            ControlFlow::Continue(None) => Err(Failure::Other("the request to the server crashed".into())),
            ControlFlow::Break(()) => Err(Failure::Stopped("stopped: nothing was written".into())),
        }
    }
}

/// The number of points to request of each series.
fn limit_of_each(series: usize) -> usize {
    (POINTS_MAX / series.max(1)).min(POINTS_OF_SERIES_MAX)
}

impl SeriesPoints {
    fn len(&self) -> usize {
        self.points.len().max(self.summaries.len())
    }

    fn ordinals(&self) -> impl Iterator<Item = i64> {
        self.points.iter().chain(&self.summaries).filter_map(|point| point.commit_ordinal)
    }
}

impl PointList {
    /// The number of points of the series with the most. At the limit, older points may be missing.
    fn longest(&self) -> usize {
        self.series.iter().map(SeriesPoints::len).max().unwrap_or_default()
    }

    fn ordinals(&self) -> impl Iterator<Item = i64> {
        self.series.iter().flat_map(SeriesPoints::ordinals)
    }

    /// The length of a range of commits with fewer points than this one, where some series are at the limit.
    fn shorter_range(&self, limit: usize) -> i64 {
        let spans = self
            .series
            .iter()
            .filter(|series| series.len() >= limit)
            .filter_map(|series| Some(series.ordinals().max()? - series.ordinals().min()?));
        spans.min().unwrap_or_default().max(1)
    }

    /// Rows of these series, which are those of the request.
    fn into_rows(self, series: &[Arc<Series>]) -> Vec<Row> {
        let committed: HashMap<String, DateTime<Utc>> =
            self.commits.into_iter().map(|commit| (commit.sha, commit.committed_at)).collect();
        let rows = series.iter().zip(self.series).flat_map(|(series, of_series)| {
            let points = of_series.points.into_iter().chain(of_series.summaries);
            points.map(|point| Row {
                series: Arc::clone(series),
                committed_at: point.commit_sha.as_ref().and_then(|sha| committed.get(sha).copied()),
                point,
            })
        });
        rows.collect()
    }
}

/// # Errors
/// A name of a search term that no series has.
fn check_names(key: &str, names: &[String], known: &BTreeSet<String>) -> crate::Result<()> {
    let Some(name) = names.iter().find(|name| !known.contains(*name)) else { return Ok(()) };
    let available = if known.is_empty() { "none".into() } else { joined(known).replace(',', ", ") };
    Err(Failure::Usage(format!(
        "unknown name in search term `{key}:{name}`: no series has it. Available: {available}"
    )))
}

fn joined<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

fn text_of(query: &[(&str, String)]) -> String {
    let pairs =
        query.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    format!("?{}", pairs.collect::<Vec<_>>().join("&"))
}
