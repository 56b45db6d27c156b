//! Reads stored uploads for details that are not in the tables.

use super::reduce;
use crate::error::DomainError;
use anyhow::Context;
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::Decoder;
use roundtrip_stats::shape::{self, Profile};
use roundtrip_storage as db;
use roundtrip_storage::run::Location;
use roundtrip_wire::{CaseResult, MeasuredProgram, ProfileComparison, ProgramOrigin, Repetition, RunReport};
use sqlx::PgPool;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of uploads that are read at the same time. Each is in memory as a whole.
const READERS_MAX: usize = 2;
/// The longest time that a request waits for its turn.
const TURN_WAIT_MAX: Duration = Duration::from_secs(20);

static TURNS: Semaphore = Semaphore::const_new(READERS_MAX);

/// Calls `describe` for each result, in the order of the upload. None without an upload.
pub async fn results<T: Send + 'static>(
    pool: &PgPool,
    run: Location,
    describe: fn(&CaseResult) -> T,
) -> Result<Option<Vec<T>>, DomainError> {
    let turn = turn().await?;
    let Some(body_zstd) = db::run::upload(pool, run).await? else { return Ok(None) };
    run_blocking(turn, move || Ok(report(&body_zstd)?.results.iter().map(describe).collect())).await.map(Some)
}

/// Calls `describe` for each repetition of a series in a run, in the order of their indices. None without an upload.
pub async fn repetitions<T: Send + 'static>(
    pool: &PgPool,
    run: Location,
    series_id: i64,
    describe: fn(Repetition, &Distribution) -> T,
) -> Result<Option<Vec<T>>, DomainError> {
    let described = move |CaseResult { repetitions, .. }, _: Vec<MeasuredProgram>| {
        described(repetitions, &mut Decoder::default(), describe)
    };
    of_series(pool, run, series_id, described).await
}

/// The profile of a series in a run. None without an upload or a profile.
pub async fn profile(
    pool: &PgPool,
    run: Location,
    series_id: i64,
) -> Result<Option<ProfileComparison>, DomainError> {
    Ok(of_series(pool, run, series_id, |result, _| Ok(result.profile)).await?.flatten())
}

/// Whether a series of a run was measured with a program from its commit. Unknown without an upload, which counts as not.
pub async fn has_program_of_commit(
    pool: &PgPool,
    run: Location,
    series_id: i64,
) -> Result<bool, DomainError> {
    let is_of_commit = |CaseResult { transport, case, .. }, programs: Vec<MeasuredProgram>| {
        Ok(programs.iter().any(|program| {
            let is_measured = (&program.transport, &program.variant) == (&transport.slug, &case.variant);
            is_measured && program.origin == ProgramOrigin::Commit
        }))
    };
    Ok(of_series(pool, run, series_id, is_of_commit).await?.unwrap_or(false))
}

/// Calls `work` with the result of a series in a run and the measured programs of the run. None without an upload.
async fn of_series<T: Send + 'static>(
    pool: &PgPool,
    run: Location,
    series_id: i64,
    work: impl FnOnce(CaseResult, Vec<MeasuredProgram>) -> Result<T, DomainError> + Send + 'static,
) -> Result<Option<T>, DomainError> {
    let turn = turn().await?;
    let found = db::run::upload_with_position(pool, run, series_id).await?;
    let Some((position, body_zstd)) = found else { return Ok(None) };
    run_blocking(turn, move || {
        let RunReport { programs, results, .. } = report(&body_zstd)?;
        let position = usize::try_from(position).map_err(DomainError::internal)?;
        let result = results.into_iter().nth(position).context("the upload lacks a stored result");
        work(result.map_err(DomainError::internal)?, programs)
    })
    .await
    .map(Some)
}

/// A repetition as comparisons use it.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRepetition {
    /// Its number in the measurement.
    pub index: u32,
    /// See [`Repetition::log_ratio_ppb`].
    pub log_ratio_ppb: Option<i64>,
    /// Its quantiles.
    pub profile: Profile,
}

/// The repetitions of each result as comparisons use them. None without an upload.
pub async fn compared_repetitions(
    pool: &PgPool,
    run: Location,
) -> Result<Option<Vec<Vec<ComparedRepetition>>>, DomainError> {
    let describe = |repetition: Repetition, distribution: &Distribution| {
        let Repetition { index, log_ratio_ppb, .. } = repetition;
        ComparedRepetition { index, log_ratio_ppb, profile: shape::profile(distribution) }
    };
    repetitions_of_all(pool, run, describe).await
}

/// Calls `describe` for each repetition of each result, in the order of their indices; results in the order of the upload.
/// None without an upload.
pub async fn repetitions_of_all<T: Send + 'static>(
    pool: &PgPool,
    run: Location,
    describe: fn(Repetition, &Distribution) -> T,
) -> Result<Option<Vec<Vec<T>>>, DomainError> {
    let turn = turn().await?;
    let Some(body_zstd) = db::run::upload(pool, run).await? else { return Ok(None) };
    run_blocking(turn, move || {
        let mut decoder = Decoder::default();
        let results = report(&body_zstd)?.results.into_iter();
        results
            .map(|result| described(result.repetitions, &mut decoder, describe))
            .collect::<Result<_, _>>()
            .map(Some)
    })
    .await
}

fn described<T>(
    mut repetitions: Vec<Repetition>,
    decoder: &mut Decoder,
    describe: fn(Repetition, &Distribution) -> T,
) -> Result<Vec<T>, DomainError> {
    repetitions.sort_by_key(|repetition| repetition.index);
    let described = repetitions.into_iter().map(|repetition| {
        // It was decoded when it was stored, so a failure now is our bug.
        let distribution =
            reduce::decode(String::new, &repetition, decoder).map_err(DomainError::internal)?;
        Ok(describe(repetition, &distribution))
    });
    described.collect()
}

/// Waits for a turn to read an upload.
async fn turn() -> Result<SemaphorePermit<'static>, DomainError> {
    match tokio::time::timeout(TURN_WAIT_MAX, TURNS.acquire()).await {
        Ok(permit) => permit.map_err(DomainError::internal),
        Err(late) => Err(DomainError::unavailable(late)),
    }
}

/// Works on another thread. The turn ends with the work, even if the client disconnects earlier.
async fn run_blocking<T: Send + 'static>(
    turn: SemaphorePermit<'static>,
    work: impl FnOnce() -> Result<T, DomainError> + Send + 'static,
) -> Result<T, DomainError> {
    let work = move || {
        let _turn = turn;
        work()
    };
    tokio::task::spawn_blocking(work).await.map_err(DomainError::internal)?
}

fn report(body_zstd: &[u8]) -> Result<RunReport, DomainError> {
    serde_json::from_slice(&inflate(body_zstd)?).map_err(DomainError::internal)
}

fn inflate(body_zstd: &[u8]) -> Result<Vec<u8>, DomainError> {
    zstd::decode_all(body_zstd).context("cannot decompress a stored upload").map_err(DomainError::internal)
}
