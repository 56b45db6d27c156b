//! The database's integers end at 2^63 - 1. A larger number is rejected with its JSON pointer, never wrapped.

use crate::error::DomainError;
use roundtrip_wire::{CaseResult, RunReport};

/// The number as a database integer. `pointer` is only called for an error.
pub(super) fn fit(pointer: impl FnOnce() -> String, value: u64) -> Result<i64, DomainError> {
    i64::try_from(value).map_err(|_| {
        let pointer = pointer();
        let detail = format!("the value or sum at {pointer} is {value}: expected at most {}", i64::MAX);
        DomainError::InvalidReport { pointer: Some(pointer), detail }
    })
}

/// Adds a number to a sum, both as database integers.
pub(super) fn add(pointer: impl FnOnce() -> String, sum: &mut i64, value: u64) -> Result<(), DomainError> {
    *sum = fit(pointer, sum.cast_unsigned().saturating_add(value))?;
    Ok(())
}

/// Checks every stored number of a report outside its repetitions.
pub(super) fn check(report: &RunReport) -> Result<(), DomainError> {
    fit(|| "/pull_request".into(), report.pull_request.unwrap_or(0))?;
    fit(|| "/commit/first_parent_ordinal".into(), report.commit.first_parent_ordinal.unwrap_or(0))?;
    for (index, commit) in report.history.iter().enumerate() {
        let pointer = || format!("/history/{index}/first_parent_ordinal");
        fit(pointer, commit.first_parent_ordinal.unwrap_or(0))?;
    }
    report.results.iter().enumerate().try_for_each(|(index, result)| check_result(index, result))
}

/// Checks every stored number of the result at `index`, outside its repetitions.
pub(super) fn check_result(index: usize, result: &CaseResult) -> Result<(), DomainError> {
    let case = &result.case;
    for (name, value) in [
        ("message_bytes", Some(case.message_bytes)),
        ("total_bytes", case.total_bytes),
        ("buffer_bytes", case.buffer_bytes),
        ("rate_per_second", case.rate_per_second),
        ("messages", case.messages),
        ("operations", case.operations),
    ] {
        fit(|| format!("/results/{index}/case/{name}"), value.unwrap_or(0))?;
    }
    let Some(summary) = &result.summary else { return Ok(()) };
    for (name, value) in [
        ("center_ns", Some(summary.center_ns)),
        ("low_ns", summary.low_ns),
        ("high_ns", summary.high_ns),
        ("min_ns", summary.min_ns),
        ("max_ns", summary.max_ns),
        ("count", summary.count),
    ] {
        fit(|| format!("/results/{index}/summary/{name}"), value.unwrap_or(0))?;
    }
    for (at, quantile) in summary.quantiles.iter().enumerate() {
        fit(|| format!("/results/{index}/summary/quantiles/{at}/ns"), quantile.ns)?;
    }
    Ok(())
}
