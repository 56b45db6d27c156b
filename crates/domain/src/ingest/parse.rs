//! Parses and validates a report. Errors have a JSON pointer.

use crate::error::DomainError;
use roundtrip_wire::import::ImportRequest;
use roundtrip_wire::{RunReport, SCHEMA_VERSION};
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

const SHOWN_CHARACTERS_MAX: usize = 40;
/// The longest message of a wrong type, which quotes the value.
const MESSAGE_CHARACTERS_MAX: usize = 300;

/// The fields that all versions of the format share.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    schema_version: Option<&'a RawValue>,
}

/// The same for an import.
#[derive(Deserialize)]
struct ImportEnvelope<'a> {
    #[serde(borrow)]
    report: Envelope<'a>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<RunReport, DomainError> {
    let report = match serde_json::from_slice::<RunReport>(bytes) {
        Ok(report) if report.schema_version == SCHEMA_VERSION => report,
        _ => {
            // First, because a report of another version may have another structure.
            located::<Envelope<'_>>(bytes)?.check()?;
            located(bytes)?
        }
    };
    check(&report, "")?;
    Ok(report)
}

/// Parses and checks an import: another tool's file, with a report that has no results.
pub(super) fn parse_import(bytes: &[u8]) -> Result<ImportRequest, DomainError> {
    located::<ImportEnvelope<'_>>(bytes)?.report.check()?;
    let request: ImportRequest = located(bytes)?;
    check(&request.report, "/report")?;
    if !request.report.results.is_empty() {
        return Err(DomainError::InvalidReport {
            pointer: Some("/report/results".into()),
            detail: "an import's report contains results: expected none, because the file provides them"
                .into(),
        });
    }
    Ok(request)
}

impl Envelope<'_> {
    fn check(&self) -> Result<(), DomainError> {
        let found = self.schema_version.map_or("absent", RawValue::get);
        if found.parse() == Ok(SCHEMA_VERSION) {
            return Ok(());
        }
        Err(DomainError::UnsupportedSchemaVersion {
            found: found.chars().take(SHOWN_CHARACTERS_MAX).collect(),
        })
    }
}

/// `at` is the JSON pointer to the report.
fn check(report: &RunReport, at: &str) -> Result<(), DomainError> {
    report.check().map_err(|invalid| DomainError::InvalidReport {
        pointer: Some(format!("{at}{}", invalid.pointer)),
        detail: invalid.detail,
    })
}

/// Parses again with the position of errors, which takes twice as long.
fn located<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, DomainError> {
    let not_json =
        |error: &serde_json::Error| DomainError::InvalidJson(format!("the body is not JSON: {error}"));
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        match error.inner().classify() {
            Category::Data => {
                let pointer = pointer(error.path());
                let at = if pointer.is_empty() { "the body" } else { &pointer };
                DomainError::InvalidReport {
                    detail: format!("{at}: {}", bounded(&error.inner().to_string())),
                    pointer: Some(pointer),
                }
            }
            Category::Syntax | Category::Eof | Category::Io => not_json(error.inner()),
        }
    })?;
    deserializer.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

/// The message without the middle, if it is too long: its end states what was expected.
fn bounded(message: &str) -> String {
    let length = message.chars().count();
    if length <= MESSAGE_CHARACTERS_MAX {
        return message.to_owned();
    }
    let kept = MESSAGE_CHARACTERS_MAX / 2;
    let beginning = message.chars().take(kept);
    beginning.chain(['…']).chain(message.chars().skip(length - kept)).collect()
}

fn pointer(path: &Path) -> String {
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                format!("/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            Segment::Unknown => String::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_do_not_repeat_long_values() {
        let body = format!(r#"{{"report": {{"schema_version": 1}}, "file": "{}"}}"#, "x".repeat(13_000));
        let error = located::<ImportRequest>(body.as_bytes()).unwrap_err();
        let DomainError::InvalidReport { detail, .. } = error else { panic!("{error:?}") };
        assert!(detail.chars().count() < 400, "{detail}");
        assert!(detail.starts_with("/"), "{detail}");
        let bounded = bounded(&format!("{}, expected a map", "ä".repeat(500)));
        assert!(bounded.ends_with("ä, expected a map") && bounded.chars().count() == 301, "{bounded}");
    }
}
