//! One upload, one transaction, one round trip a table.
//!
//! Uploads of one project are stored one after the other, because each places commits among the others. Uploads of
//! different projects share machines, cases and methodologies: all insert in the same order of tables, and sorted
//! within each, so that none waits for one that waits for it.

use super::ordering::{self, Link, Place};
use super::reduce::small;
use super::{Stored, Upload};
use crate::db;
use crate::error::ApiError;
use crate::routes::ingest::UploadReceipt;
use roundtrip_wire::Commit;
use sqlx::{PgConnection, PgPool};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Stores an upload, unless it was stored before.
pub(super) async fn store(pool: &PgPool, upload: &Upload) -> Result<(Stored, UploadReceipt), ApiError> {
    let report = &upload.report;
    let run_id = report.run_id.as_uuid();
    let mut transaction = pool.begin().await?;
    let connection = &mut *transaction;
    let project_id = db::project::lock(connection, report.project.as_str()).await?;
    if let Some(stored) = db::run::receipt(connection, run_id).await? {
        return replay(upload, stored);
    }

    let machine_id = db::machine::upsert(connection, &report.machine).await?;
    let environment_id = db::environment::upsert(connection, &report.environment).await.map_err(refused)?;
    let series_ids =
        db::series::upsert(connection, project_id, machine_id, &report.results).await.map_err(refused)?;
    let (commit_id, commit_ordinal) = store_commits(connection, project_id, report).await?;

    let key = db::run::Key { run_id, project_id, machine_id, environment_id, commit_id };
    let points: Vec<_> = series_ids
        .iter()
        .zip(&upload.numbers)
        .filter_map(|(id, numbers)| Some((*id, numbers.as_ref()?)))
        .collect();
    let summaries: Vec<_> = series_ids
        .iter()
        .zip(&report.results)
        .filter_map(|(id, result)| Some((*id, result.summary.as_ref()?)))
        .collect();
    let counts = db::run::Counts {
        result_count: small(report.results.len()),
        point_count: small(points.len() + summaries.len()),
        unsupported_count: small(report.results.iter().filter(|result| result.unsupported.is_some()).count()),
        failure_count: small(report.results.iter().map(|result| result.failures.len()).sum()),
    };
    let is_new =
        db::run::insert(connection, key, report, counts, &upload.body_sha256).await.map_err(refused)?;
    if !is_new {
        // Another project's upload with the same identity came first.
        return Err(ApiError::RunConflict { run_id });
    }
    db::run::insert_upload(connection, run_id, &upload.body_zstd).await?;
    db::run::insert_outcomes(connection, run_id, &series_ids, &report.results).await.map_err(refused)?;
    let place = db::point::Placement {
        key,
        commit_ordinal,
        work_tree_modified: report.work_tree_modified,
        measured_at: report.started_at,
    };
    db::point::insert(connection, place, &points).await?;
    db::summary::insert(connection, place, &summaries).await?;
    if let Some(original) = &upload.original {
        db::original::insert(connection, run_id, original).await.map_err(refused)?;
    }
    transaction.commit().await?;
    Ok((Stored::Now, receipt(run_id, &upload.body_sha256, counts.result_count, counts.point_count)))
}

fn replay(upload: &Upload, stored: db::run::Receipt) -> Result<(Stored, UploadReceipt), ApiError> {
    let run_id = upload.report.run_id.as_uuid();
    if stored.body_sha256 != upload.body_sha256 {
        return Err(ApiError::RunConflict { run_id });
    }
    Ok((Stored::Before, receipt(run_id, &stored.body_sha256, stored.result_count, stored.point_count)))
}

/// Places and stores the report's commits, and returns the key and the ordinal of the measured one.
async fn store_commits(
    connection: &mut PgConnection,
    project_id: i64,
    report: &roundtrip_wire::RunReport,
) -> Result<(i64, i64), ApiError> {
    let mut seen = HashSet::new();
    let commits: Vec<&Commit> = std::iter::once(&report.commit)
        .chain(&report.history)
        .filter(|commit| seen.insert(commit.sha.as_str()))
        .collect();
    let chain: Vec<Link<'_>> = commits.iter().map(|commit| link(commit)).collect();
    let wanted: Vec<String> = chain
        .iter()
        .flat_map(|link| [Some(link.sha), link.first_parent])
        .flatten()
        .map(str::to_owned)
        .collect();
    let known: HashMap<String, Place> = db::commit::find(connection, project_id, &wanted)
        .await?
        .into_iter()
        .map(|row| (row.sha, Place { ordinal: row.ordinal, is_estimate: row.ordinal_is_estimate }))
        .collect();
    let last_ordinal = db::commit::last_ordinal(connection, project_id).await?;
    let places = ordering::place(&chain, &known, last_ordinal);

    let new: Vec<_> = commits
        .iter()
        .filter(|commit| !known.contains_key(commit.sha.as_str()))
        .filter_map(|commit| Some((*commit, *places.get(commit.sha.as_str())?)))
        .map(|(commit, place)| (commit, place.ordinal, place.is_estimate))
        .collect();
    db::commit::insert(connection, project_id, &new).await.map_err(refused)?;

    let moved = known.iter().filter_map(|(sha, stored)| {
        Some((sha.as_str(), *places.get(sha.as_str()).filter(|place| *place != stored)?))
    });
    let certain =
        places.iter().filter(|(_, place)| !place.is_estimate).map(|(sha, place)| (*sha, place.ordinal));
    let estimates = db::commit::estimates(connection, project_id, &wanted).await?;
    let settled = ordering::settle(certain, &estimates);
    let corrections: Vec<_> = moved
        .chain(settled.into_iter().map(|(sha, ordinal)| (sha, Place { ordinal, is_estimate: false })))
        .map(|(sha, place)| db::commit::PlaceRow {
            sha: sha.to_owned(),
            ordinal: place.ordinal,
            ordinal_is_estimate: place.is_estimate,
        })
        .collect();
    db::commit::correct(connection, project_id, &corrections).await?;

    let sha = report.commit.sha.as_str();
    let place =
        places.get(sha).ok_or_else(|| ApiError::internal(anyhow::anyhow!("commit {sha} has no place")))?;
    Ok((db::commit::key(connection, project_id, sha).await?, place.ordinal))
}

fn link(commit: &Commit) -> Link<'_> {
    Link {
        sha: commit.sha.as_str(),
        first_parent: commit.parents.first().map(roundtrip_wire::CommitSha::as_str),
        // Checked to fit before.
        stated: commit.first_parent_ordinal.map(u64::cast_signed),
    }
}

/// The database refuses a value that JSON allows, such as a time beyond its calendar: that is the report's fault.
fn refused(error: sqlx::Error) -> ApiError {
    let data_exception = error.as_database_error().filter(|error| {
        // Class 22, data exception: its text names the value.
        error.code().is_some_and(|code| code.starts_with("22"))
    });
    match data_exception {
        Some(database_error) => ApiError::InvalidReport {
            pointer: None,
            detail: format!("a value cannot be stored: {}", database_error.message()),
        },
        None => error.into(),
    }
}

fn receipt(run_id: uuid::Uuid, body_sha256: &[u8], result_count: i32, point_count: i32) -> UploadReceipt {
    let body_sha256 = body_sha256.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    UploadReceipt { run_id, body_sha256, result_count, point_count }
}
