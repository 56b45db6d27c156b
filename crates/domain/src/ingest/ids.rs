//! [`Ids`]: keys of rows that uploads share, remembered, so that an upload of known series asks for none of them.
//!
//! Projects, machines, environments and series never change their keys and are seldom removed, so what was found once is
//! still right. What was removed after all is noticed by the foreign keys of table `run`; everything is forgotten then.

use quick_cache::sync::Cache;
use roundtrip_storage as db;
use roundtrip_wire::{CaseResult, RunReport};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;

/// Two hundred machines of a thousand cases; one takes some 60 bytes.
const IDS_MAX: usize = 200_000;

/// Keys by the digest of what they stand for.
#[derive(Debug)]
pub(super) struct Ids(Cache<[u8; 32], i64>);

/// The keys of the rows that one upload refers to.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) machine_id: i64,
    pub(super) environment_id: i64,
    pub(super) series_ids: Vec<i64>,
    /// How many of these series did not exist.
    pub(super) new_series_count: i64,
    /// What was not remembered: to be remembered once the transaction has been committed.
    new: Vec<([u8; 32], i64)>,
}

impl Default for Ids {
    fn default() -> Self {
        Self(Cache::new(IDS_MAX))
    }
}

impl Ids {
    /// The key of a report's project, if it is remembered.
    pub(super) fn project(&self, report: &RunReport) -> Option<i64> {
        self.0.get(&of_project(report))
    }

    /// The keys of what else a report names; rows are made for what is new.
    pub(super) async fn of(
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
        let key = digest(&("machine", &report.machine));
        let machine_id = match self.0.get(&key) {
            Some(id) => id,
            None => note(key, db::machine::upsert(connection, &report.machine).await?),
        };
        let key = digest(&("environment", &report.environment.stable));
        let environment_id = match self.0.get(&key) {
            Some(id) => id,
            None => note(key, db::environment::upsert(connection, &report.environment).await?),
        };
        // With the transport's description: it is stored as the newest upload has it.
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
    // Types of the wire format have string keys: this cannot fail.
    Sha256::digest(serde_json::to_vec(of).unwrap_or_default()).into()
}
