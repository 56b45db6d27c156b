//! Turns another tool's file into a report. The file itself is stored as well.

use super::{KEPT_LEVEL, Upload, integer, parse, reduce};
use crate::error::DomainError;
use base64::{Engine, prelude::BASE64_STANDARD};
use roundtrip_import::{Format, INPUT_BYTES_MAX};
use roundtrip_storage::original::Original;
use roundtrip_wire::import::{FILE_NAME_BYTES_MAX, ImportRequest, ImportedFile};
use sha2::{Digest, Sha256};

/// Reads the request, inflated, and its file.
pub(super) fn prepare(bytes: &[u8]) -> Result<Upload, DomainError> {
    let ImportRequest { mut report, file } = parse::parse_import(bytes)?;
    let ImportedFile { name, format, base64 } = file;
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
        BASE64_STANDARD.decode(base64).map_err(|error| wrong("base64", format!("not base64: {error}")))?;
    if bytes_of_file.len() > INPUT_BYTES_MAX {
        return Err(DomainError::BodyTooLarge { max_bytes: INPUT_BYTES_MAX, state: "in its file" });
    }
    let import = roundtrip_import::import(&bytes_of_file, format)
        .map_err(|error| DomainError::InvalidFile { name: name.clone(), detail: error.to_string() })?;
    let format = import.format.slug().to_owned();
    report.results = import.into_results();
    report.check().map_err(|invalid| DomainError::InvalidFile {
        name: name.clone(),
        detail: format!("{}: {}", invalid.pointer, invalid.detail),
    })?;
    integer::check(&report)?;
    let numbers = reduce::reduce(&report)?;
    let whole = serde_json::to_vec(&report).map_err(DomainError::internal)?;
    let compress = |bytes: &[u8]| zstd::encode_all(bytes, KEPT_LEVEL).map_err(DomainError::internal);
    let original = Original {
        name,
        format,
        byte_count: i64::try_from(bytes_of_file.len()).map_err(DomainError::internal)?,
        file_zstd: compress(&bytes_of_file)?,
    };
    // The same request again is the same run.
    let body_sha256 = Sha256::digest(bytes).into();
    Ok(Upload {
        body_sha256,
        body_zstd: compress(&whole)?,
        numbers,
        original: Some(original),
        report,
        quarantined: false,
    })
}
