//! Reads stored uploads for details that are not in the tables.

use super::reduce;
use crate::error::DomainError;
use anyhow::Context;
use roundtrip_stats::Distribution;
use roundtrip_stats::distribution::Decoder;
use roundtrip_stats::shape::{self, Profile};
use roundtrip_wire::{CaseResult, Repetition, RunReport};

/// The report, byte for byte as it was before compression.
pub async fn report_bytes(body_zstd: Vec<u8>) -> Result<Vec<u8>, DomainError> {
    run_blocking(move || inflate(&body_zstd)).await
}

/// Calls `describe` for each result, in the order of the upload.
pub async fn results<T: Send + 'static>(
    body_zstd: Vec<u8>,
    describe: fn(&CaseResult) -> T,
) -> Result<Vec<T>, DomainError> {
    run_blocking(move || Ok(report(&body_zstd)?.results.iter().map(describe).collect())).await
}

/// Calls `describe` for each repetition of the result at `position`, in the order of their indices.
pub async fn repetitions<T: Send + 'static>(
    body_zstd: Vec<u8>,
    position: i32,
    describe: fn(Repetition, &Distribution) -> T,
) -> Result<Vec<T>, DomainError> {
    run_blocking(move || {
        let report = report(&body_zstd)?;
        let position = usize::try_from(position).map_err(DomainError::internal)?;
        let result = report.results.into_iter().nth(position).context("the upload lacks a stored result");
        let mut repetitions = result.map_err(DomainError::internal)?.repetitions;
        repetitions.sort_by_key(|repetition| repetition.index);
        let mut decoder = Decoder::default();
        let described = repetitions.into_iter().map(|repetition| {
            // It was decoded when it was stored, so a failure now is our bug.
            let distribution =
                reduce::decode(String::new, &repetition, &mut decoder).map_err(DomainError::internal)?;
            Ok(describe(repetition, &distribution))
        });
        described.collect()
    })
    .await
}

/// The profiles of the repetitions of each result, in the order of their indices; results in the order of the
/// upload.
pub async fn profiles(body_zstd: Vec<u8>) -> Result<Vec<Vec<Profile>>, DomainError> {
    run_blocking(move || {
        let mut decoder = Decoder::default();
        let results = report(&body_zstd)?.results.into_iter().map(|mut result| {
            result.repetitions.sort_by_key(|repetition| repetition.index);
            let profiles = result.repetitions.iter().map(|repetition| {
                // It was decoded when it was stored, so a failure now is our bug.
                let distribution = reduce::decode(String::new, repetition, &mut decoder);
                Ok(shape::profile(&distribution.map_err(DomainError::internal)?))
            });
            profiles.collect()
        });
        results.collect()
    })
    .await
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DomainError> + Send + 'static,
) -> Result<T, DomainError> {
    tokio::task::spawn_blocking(work).await.map_err(DomainError::internal)?
}

fn report(body_zstd: &[u8]) -> Result<RunReport, DomainError> {
    serde_json::from_slice(&inflate(body_zstd)?).map_err(DomainError::internal)
}

fn inflate(body_zstd: &[u8]) -> Result<Vec<u8>, DomainError> {
    zstd::decode_all(body_zstd).context("cannot decompress a stored upload").map_err(DomainError::internal)
}
