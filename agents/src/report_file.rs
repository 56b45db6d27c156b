//! Reads reports that `roundtrip run --output` has written.

use crate::failure::Failure;
use roundtrip_wire::RunReport;
use std::path::Path;

/// Reads a report file, with or without a commit.
pub(crate) fn read(path: &Path) -> crate::Result<RunReport> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!(
            "{} is not a report: {error}. Expected a file from `roundtrip run --output`.",
            path.display()
        ))
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let report: RunReport = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    report.check_local().map_err(|error| failed(&format!("{}: {error}", error.pointer)))?;
    Ok(report)
}
