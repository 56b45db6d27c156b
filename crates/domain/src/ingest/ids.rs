//! [`Ids`]: a cache of the keys of rows that uploads share, so that an upload of known series needs no
//! lookup.
//!
//! The keys of projects, machines, environments and series never change, and the rows are seldom deleted, so
//! cached keys stay valid. The foreign keys of table `run` detect deleted rows; the cache is then cleared.

use quick_cache::sync::Cache;
use roundtrip_storage as db;
use roundtrip_wire::{CaseResult, RunReport};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;

/// Two hundred machines with a thousand cases each, at about 60 bytes per key.
const IDS_MAX: usize = 200_000;

/// Keys by the digest of their row.
#[derive(Debug)]
pub(super) struct Ids(Cache<[u8; 32], i64>);

/// The keys of the rows that an upload refers to.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) machine_id: i64,
    pub(super) environment_id: i64,
    pub(super) series_ids: Vec<i64>,
    /// How many of these series are new.
    pub(super) new_series_count: i64,
    /// New keys, to be cached after the transaction has been committed.
    new: Vec<([u8; 32], i64)>,
}

impl Default for Ids {
    fn default() -> Self {
        Self(Cache::new(IDS_MAX))
    }
}

impl Ids {
    /// The key of a report's project, if cached.
    pub(super) fn project(&self, report: &RunReport) -> Option<i64> {
        self.0.get(&of_project(report))
    }

    /// The keys of the other rows of a report; new rows are created.
    pub(super) async fn find_or_insert(
        &self,
        connection: &mut PgConnection,
        project_id: i64,
        report: &RunReport,
    ) -> sqlx::Result<Found> {
        let mut new = vec![(of_project(report), project_id)];
        let mut note = |key, id| {
            new.push((key, id));
            id
        };
        let key = digest(&("machine", &report.machine.slug));
        let machine_id = match self.0.get(&key) {
            Some(id) => id,
            None => note(key, db::machine::upsert(connection, &report.machine).await?),
        };
        let key = digest(&("environment", &report.environment.stable));
        let environment_id = match self.0.get(&key) {
            Some(id) => id,
            None => note(key, db::environment::upsert(connection, &report.environment).await?),
        };
        // Includes the transport's description, because the project's newest upload updates it.
        let of_result = |result: &CaseResult| {
            digest(&(project_id, machine_id, &result.transport, &result.case, &result.methodology))
        };
        let keys: Vec<_> = report.results.iter().map(of_result).collect();
        let known: Option<Vec<i64>> = keys.iter().map(|key| self.0.get(key)).collect();
        let (series_ids, new_series_count) = match known {
            Some(series_ids) => (series_ids, 0),
            None => db::series::upsert(connection, project_id, machine_id, &report.results).await?,
        };
        new.extend(keys.into_iter().zip(series_ids.iter().copied()));
        Ok(Found { machine_id, environment_id, series_ids, new_series_count, new })
    }

    pub(super) fn remember(&self, found: Found) {
        for (key, id) in found.new {
            self.0.insert(key, id);
        }
    }

    pub(super) fn forget(&self) {
        self.0.clear();
    }
}

fn of_project(report: &RunReport) -> [u8; 32] {
    digest(&("project", &report.project))
}

fn digest(of: &impl Serialize) -> [u8; 32] {
    // Types of the wire format have string keys, so this cannot fail.
    Sha256::digest(serde_json::to_vec(of).unwrap_or_default()).into()
}
