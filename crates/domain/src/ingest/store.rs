//! Stores an upload in one transaction, with one round trip per table.
//!
//! The order of a project's commits is locked while ordinals are copied into points: shared by uploads of
//! known commits, which are nearly all, and exclusive for uploads of new commits. Uploads of different
//! projects share machines, cases and methodologies. All insert in the same order of tables, sorted within
//! each, so that they cannot deadlock.

use super::ids::Found;
use super::ordering::{self, Link, Place};
use super::reduce::small;
use super::{Ingest, Stored, Upload, UploadOptions, UploadReceipt};
use crate::error::DomainError;
use chrono::Utc;
use roundtrip_storage as db;
use roundtrip_storage::project::OrderLock;
use roundtrip_storage::run::Standing;
use roundtrip_wire::{Commit, RunReport};
use sqlx::PgConnection;
use std::collections::{HashMap, HashSet};

enum Attempt {
    Done(Stored, UploadReceipt),
    /// Nothing was stored: the upload has new commits, but the order was locked for reading only.
    BringsCommits,
}

/// Stores an upload unless it is already stored, and counts it for its installation.
pub(super) async fn store(
    ingest: &Ingest,
    upload: &Upload,
    options: UploadOptions,
) -> Result<(Stored, UploadReceipt), DomainError> {
    // A project's first upload always has new commits.
    let is_known = ingest.ids.project(&upload.report).is_some();
    let mut lock = if is_known { OrderLock::Shared } else { OrderLock::Exclusive };
    let mut is_remembered = true;
    loop {
        match attempt(ingest, upload, options, lock).await {
            Ok(Attempt::Done(stored, receipt)) => return Ok((stored, receipt)),
            Ok(Attempt::BringsCommits) => lock = OrderLock::Exclusive,
            // A cached row was deleted: read all from now on.
            Err(error) if is_remembered && is_dangling(&error) => {
                ingest.ids.forget();
                is_remembered = false;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn attempt(
    ingest: &Ingest,
    upload: &Upload,
    options: UploadOptions,
    lock: OrderLock,
) -> Result<Attempt, DomainError> {
    let report = &upload.report;
    let run_id = report.run_id.as_uuid();
    let mut transaction = ingest.pool.begin().await?;
    let connection = &mut *transaction;
    let project_id = match ingest.ids.project(report) {
        Some(project_id) => project_id,
        None => {
            let (slug, visibility) = (report.project.as_str(), options.visibility_of_new);
            db::project::upsert(connection, slug, visibility, report.default_branch.as_deref()).await?
        }
    };
    db::project::lock_order(connection, project_id, lock).await?;
    let Some(commit) = place_commit(connection, project_id, report, lock).await? else {
        return Ok(Attempt::BringsCommits);
    };
    let ids = ingest.ids.find_or_insert(connection, project_id, report).await.map_err(refused)?;
    let key = db::run::Key {
        run_id,
        project_id,
        machine_id: ids.machine_id,
        environment_id: ids.environment_id,
        commit_id: commit.commit_id,
    };
    let counts = counts(upload);
    let standing = standing(connection, key, upload).await?;
    let is_new = db::run::insert(connection, key, report, counts, standing, &upload.body_sha256)
        .await
        .map_err(refused)?;
    if !is_new {
        return replay(connection, upload).await;
    }
    insert_rest(connection, upload, &ids, key, &commit, standing).await?;
    if !standing.quarantined {
        db::analysis::add(connection, key.run_id, key.machine_id).await?;
    }
    // Last, because from here on, uploads of one machine wait for each other, then those of one installation.
    let new = db::project_machine::New { commit_is_new: commit.is_new, series_count: ids.new_series_count };
    db::project_machine::record(connection, key, &report.machine, new).await?;
    if let Some(acknowledged) = options.acknowledged {
        let uploaded = (key.project_id, key.machine_id);
        db::installation::record(connection, uploaded, acknowledged, Utc::now()).await?;
    }
    transaction.commit().await?;
    ingest.ids.remember(ids);
    let receipt = receipt(run_id, &upload.body_sha256, counts.result_count, counts.point_count);
    Ok(Attempt::Done(Stored::Created, receipt))
}

async fn insert_rest(
    connection: &mut PgConnection,
    upload: &Upload,
    ids: &Found,
    key: db::run::Key,
    commit: &PlacedCommit,
    standing: Standing,
) -> Result<(), DomainError> {
    let report = &upload.report;
    db::run::insert_outcomes(connection, key, &ids.series_ids, &report.results).await.map_err(refused)?;
    db::run::insert_upload(connection, key, &upload.body_zstd).await?;
    let place = db::point::Placement {
        key,
        commit_ordinal: commit.ordinal,
        work_tree_modified: report.work_tree_modified,
        mainline: standing.counts() && is_mainline(report, commit.default_branch.as_deref()),
        measured_at: report.started_at,
    };
    let series_ids = || ids.series_ids.iter().copied();
    let points = series_ids().zip(&upload.numbers);
    let points = points.filter_map(|(series_id, numbers)| Some((series_id, numbers.as_ref()?)));
    db::point::insert(connection, place, &points.collect::<Vec<_>>()).await?;
    let explained = series_ids().zip(&report.results);
    let explained =
        explained.filter_map(|(series_id, result)| Some((series_id, result.explanation.as_ref()?)));
    if standing.counts() {
        db::explanation::insert(connection, key, &explained.collect::<Vec<_>>(), Utc::now()).await?;
    }
    let summaries = series_ids().zip(&report.results);
    let summaries = summaries.filter_map(|(series_id, result)| Some((series_id, result.summary.as_ref()?)));
    db::summary::insert(connection, place, &summaries.collect::<Vec<_>>()).await?;
    if let Some(original) = &upload.original {
        db::original::insert(connection, key, original).await.map_err(refused)?;
    }
    Ok(())
}

/// The job of a run, if any, and whether its lease is valid.
async fn standing(
    connection: &mut PgConnection,
    key: db::run::Key,
    upload: &Upload,
) -> sqlx::Result<Standing> {
    let report = &upload.report;
    let of_job = match report.job {
        Some(lease) => {
            db::job::lease::standing(connection, lease, key.project_id, report.commit.sha.as_str()).await?
        }
        None => Standing::default(),
    };
    Ok(Standing { quarantined: of_job.quarantined || upload.quarantined, ..of_job })
}

fn counts(upload: &Upload) -> db::run::Counts {
    let results = &upload.report.results;
    let with_figures = results
        .iter()
        .zip(&upload.numbers)
        .filter(|(result, numbers)| numbers.is_some() || result.summary.is_some())
        .count();
    db::run::Counts {
        result_count: small(results.len()),
        point_count: small(with_figures),
        unsupported_count: small(results.iter().filter(|result| result.unsupported.is_some()).count()),
        failure_count: small(results.iter().map(|result| result.failures.len()).sum()),
    }
}

/// Whether a run is part of the trend: on the default branch, or on a commit checked out without a branch.
fn is_mainline(report: &RunReport, default_branch: Option<&str>) -> bool {
    let is_default = |branch: &str| default_branch.is_none_or(|default| default == branch);
    report.pull_request.is_none() && report.branch.as_deref().is_none_or(is_default)
}

/// The receipt for a repeated upload, if its body is the same.
async fn replay(connection: &mut PgConnection, upload: &Upload) -> Result<Attempt, DomainError> {
    let run_id = upload.report.run_id.as_uuid();
    let stored = db::run::receipt(connection, run_id).await?;
    let stored =
        stored.ok_or_else(|| DomainError::internal(anyhow::anyhow!("run {run_id} was removed meanwhile")))?;
    if stored.body_sha256 != upload.body_sha256 {
        return Err(DomainError::RunConflict { run_id });
    }
    let receipt = receipt(run_id, &stored.body_sha256, stored.result_count, stored.point_count);
    Ok(Attempt::Done(Stored::AlreadyExists, receipt))
}

struct PlacedCommit {
    commit_id: i64,
    ordinal: i64,
    /// Whether no earlier run measured it.
    is_new: bool,
    default_branch: Option<String>,
}

/// Places the report's commits, and stores new ones. `None` if that needs an exclusive lock.
async fn place_commit(
    connection: &mut PgConnection,
    project_id: i64,
    report: &RunReport,
    lock: OrderLock,
) -> Result<Option<PlacedCommit>, DomainError> {
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
    let stored = db::commit::find(connection, project_id, &wanted).await?;
    let default_branch = db::project::default_branch(connection, project_id).await?;
    let sha = report.commit.sha.as_str();
    let is_new = !stored.iter().any(|row| row.sha == sha && row.measured);
    let mut commit_ids: HashMap<String, i64> =
        stored.iter().map(|row| (row.sha.clone(), row.commit_id)).collect();
    let known: HashMap<String, Place> = stored
        .into_iter()
        .map(|row| (row.sha, Place { ordinal: row.ordinal, is_estimate: row.ordinal_is_estimate }))
        .collect();
    // A certain ordinal never changes.
    let is_settled = chain.iter().all(|link| known.contains_key(link.sha))
        && known.values().all(|place| !place.is_estimate);
    let places = if is_settled {
        known.iter().map(|(sha, place)| (sha.as_str(), *place)).collect()
    } else if lock == OrderLock::Exclusive {
        let last_ordinal = db::commit::last_ordinal(connection, project_id).await?;
        let places = ordering::place(&chain, &known, last_ordinal);
        commit_ids.extend(store_places(connection, project_id, &commits, &wanted, &known, &places).await?);
        places
    } else {
        return Ok(None);
    };
    let place = places.get(sha).zip(commit_ids.get(sha));
    let (place, commit_id) =
        place.ok_or_else(|| DomainError::internal(anyhow::anyhow!("commit {sha} has no place")))?;
    Ok(Some(PlacedCommit { commit_id: *commit_id, ordinal: place.ordinal, is_new, default_branch }))
}

/// Stores new commits and corrects estimated ordinals. Returns the keys of the new ones.
async fn store_places(
    connection: &mut PgConnection,
    project_id: i64,
    commits: &[&Commit],
    wanted: &[String],
    known: &HashMap<String, Place>,
    places: &HashMap<&str, Place>,
) -> Result<HashMap<String, i64>, DomainError> {
    let new: Vec<_> = commits
        .iter()
        .filter(|commit| !known.contains_key(commit.sha.as_str()))
        .filter_map(|commit| Some((*commit, *places.get(commit.sha.as_str())?)))
        .map(|(commit, place)| (commit, place.ordinal, place.is_estimate))
        .collect();
    let commit_ids = db::commit::insert(connection, project_id, &new).await.map_err(refused)?;

    let moved = known.iter().filter_map(|(sha, stored)| {
        Some((sha.as_str(), *places.get(sha.as_str()).filter(|place| *place != stored)?))
    });
    let certain =
        places.iter().filter(|(_, place)| !place.is_estimate).map(|(sha, place)| (*sha, place.ordinal));
    let estimates = db::commit::estimates(connection, project_id, wanted).await?;
    let settled = ordering::settle(certain, &estimates);
    let corrections: Vec<_> = moved
        .map(|(sha, place)| (sha.to_owned(), place.ordinal, place.is_estimate))
        .chain(settled.into_iter().map(|(sha, ordinal)| (sha.to_owned(), ordinal, false)))
        .collect();
    db::commit::correct(connection, project_id, &corrections).await?;
    Ok(commit_ids)
}

fn link(commit: &Commit) -> Link<'_> {
    Link {
        sha: commit.sha.as_str(),
        first_parent: commit.parents.first().map(roundtrip_wire::CommitSha::as_str),
        // Already checked to fit.
        stated: commit.first_parent_ordinal.map(u64::cast_signed),
    }
}

/// The database rejects values that JSON allows, such as a time beyond its calendar. The report is invalid.
fn refused(error: sqlx::Error) -> DomainError {
    let data_exception = error.as_database_error().filter(|error| {
        // Class 22, data exception: its text names the value.
        error.code().is_some_and(|code| code.starts_with("22"))
    });
    match data_exception {
        Some(database_error) => DomainError::InvalidReport {
            pointer: None,
            detail: format!("a value cannot be stored: {}", database_error.message()),
        },
        None => error.into(),
    }
}

fn is_dangling(error: &DomainError) -> bool {
    let DomainError::Internal(cause) = error else { return false };
    let database_error = cause.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
    database_error.is_some_and(|error| error.is_foreign_key_violation())
}

fn receipt(run_id: uuid::Uuid, body_sha256: &[u8], result_count: i32, point_count: i32) -> UploadReceipt {
    UploadReceipt { run_id, body_sha256: hex::encode(body_sha256), result_count, point_count }
}
