//! Reports to upload: published ones with changed identities.

use serde_json::{Value, json};
use std::path::Path;

/// A published report.
pub(crate) fn golden(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wire/tests/golden/v1").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A small report of run number `number`, and the path that it is uploaded to.
pub(crate) fn numbered(number: u64) -> (String, Value) {
    let mut report = golden("full.json");
    report["run_id"] = json!(format!("019aa8f0-5c1e-7b3a-9f00-{number:012x}"));
    (format!("/api/v1/runs/{}", report["run_id"].as_str().unwrap()), report)
}
