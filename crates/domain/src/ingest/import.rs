//! Turns another tool's file into a report. The file itself is stored as well.
//!
//! As a report, results can take a hundred times the memory of their file. So they are created, checked, reduced and
//! compressed one at a time, and their repetitions are then dropped.

use super::inflate::INFLATED_BYTES_MAX;
use super::{KEPT_LEVEL, Upload, integer, parse, reduce};
use crate::error::DomainError;
use base64::{Engine, prelude::BASE64_STANDARD};
use roundtrip_import::wire::ReportWriter;
use roundtrip_import::{Format, INPUT_BYTES_MAX, Import, Options};
use roundtrip_stats::distribution::Decoder;
use roundtrip_storage::original::Original;
use roundtrip_storage::point::Numbers;
use roundtrip_wire::import::{FILE_NAME_BYTES_MAX, ImportRequest, ImportedFile};
use roundtrip_wire::report::Invalid;
use roundtrip_wire::{CaseResult, RunReport};
use sha2::{Digest, Sha256};
use std::io::{self, ErrorKind, Write};

/// Reads the request, inflated, and its file.
pub(super) fn prepare(bytes: &[u8]) -> Result<Upload, DomainError> {
    let ImportRequest { mut report, file } = parse::parse_import(bytes)?;
    // The same request again is the same run.
    let body_sha256 = Sha256::digest(bytes).into();
    let ImportedFile { name, format, unit, base64 } = file;
    let wrong = |member: &str, detail: String| DomainError::InvalidReport {
        pointer: Some(format!("/file/{member}")),
        detail,
    };
    if name.is_empty() || name.len() > FILE_NAME_BYTES_MAX || name.contains(char::is_control) {
        return Err(wrong(
            "name",
            format!("expected 1 to {FILE_NAME_BYTES_MAX} bytes without control characters"),
        ));
    }
    let format = format
        .map(|format| format.as_str().parse::<Format>().map_err(|error| wrong("format", error.to_string())))
        .transpose()?;
    let bytes_of_file =
        BASE64_STANDARD.decode(&base64).map_err(|error| wrong("base64", format!("not base64: {error}")))?;
    drop(base64);
    if bytes_of_file.len() > INPUT_BYTES_MAX {
        return Err(DomainError::BodyTooLarge { max_bytes: INPUT_BYTES_MAX, state: "in its file" });
    }
    let import = roundtrip_import::import(&bytes_of_file, format, &Options { unit })
        .map_err(|error| DomainError::InvalidFile { name: name.clone(), detail: error.to_string() })?;
    let original = Original {
        name,
        format: import.format.slug().to_owned(),
        byte_count: i64::try_from(bytes_of_file.len()).map_err(DomainError::internal)?,
        file_zstd: zstd::encode_all(bytes_of_file.as_slice(), KEPT_LEVEL).map_err(DomainError::internal)?,
    };
    drop(bytes_of_file);
    integer::check(&report)?;
    let Reduced { body_zstd, results, numbers } = reduce_results(&report, import, &original.name)?;
    report.results = results;
    report.check_distinct().map_err(|invalid| invalid_file(&original.name, &invalid))?;
    Ok(Upload { body_sha256, body_zstd, numbers, original: Some(original), report, quarantined: false })
}

fn invalid_file(name: &str, Invalid { pointer, detail }: &Invalid) -> DomainError {
    DomainError::InvalidFile { name: name.to_owned(), detail: format!("{pointer}: {detail}") }
}

/// The results of a file.
struct Reduced {
    /// The whole report, compressed.
    body_zstd: Vec<u8>,
    /// The results without repetitions.
    results: Vec<CaseResult>,
    /// One entry for each result.
    numbers: Vec<Option<Numbers>>,
}

/// Checks and reduces the results of a file.
fn reduce_results(report: &RunReport, import: Import, file: &str) -> Result<Reduced, DomainError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::FileTooLarge => DomainError::InvalidFile {
            name: file.to_owned(),
            detail: format!(
                "its results take more than {INFLATED_BYTES_MAX} bytes as a report: split the file, or repeat less often"
            ),
        },
        _ => DomainError::internal(error),
    };
    let compressed = LimitedZstd::new().map_err(failed)?;
    let mut whole = ReportWriter::new(report, compressed).map_err(failed)?;
    let count = import.benchmarks.len();
    let (mut results, mut numbers) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut decoder = Decoder::default();
    for (index, (mut result, repetitions)) in import.into_results().enumerate() {
        result.repetitions = repetitions.to_wire().collect();
        result.check(index).map_err(|invalid| invalid_file(file, &invalid))?;
        integer::check_result(index, &result)?;
        numbers.push(reduce::numbers(index, &result, &mut decoder)?);
        let repetitions = std::mem::take(&mut result.repetitions);
        whole.write(&result, repetitions).map_err(failed)?;
        results.push(result);
    }
    let body_zstd = whole.finish().and_then(LimitedZstd::finish).map_err(failed)?;
    Ok(Reduced { body_zstd, results, numbers })
}

/// Compresses a report for storage, up to the size of an uploaded one: readers inflate it as a whole.
struct LimitedZstd {
    encoder: zstd::Encoder<'static, Vec<u8>>,
    bytes_left: usize,
}

impl LimitedZstd {
    fn new() -> io::Result<Self> {
        let encoder = zstd::Encoder::new(Vec::new(), KEPT_LEVEL)?;
        Ok(Self { encoder, bytes_left: INFLATED_BYTES_MAX })
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        self.encoder.finish()
    }
}

impl Write for LimitedZstd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.encoder.write(bytes)?;
        self.bytes_left = self.bytes_left.checked_sub(written).ok_or(ErrorKind::FileTooLarge)?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}
