//! Published reports. A file here never changes: a new format needs a new file, and a new identity a new
//! version.

use roundtrip_wire::RunReport;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn files() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1");
    let files: BTreeMap<_, _> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(files.contains_key("full") && files.contains_key("minimal"), "{:?}", files.keys());
    files
}

fn parsed(name: &str) -> RunReport {
    serde_json::from_str(&files()[name]).unwrap()
}

fn full() -> RunReport {
    parsed("full")
}

#[test]
fn published_reports_are_valid() {
    for (name, text) in files() {
        let report: RunReport = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        report.check().unwrap_or_else(|error| panic!("{name}: {}: {error}", error.pointer));
    }
}

#[test]
fn published_reports_round_trip() {
    for (name, text) in files() {
        let published: Value = serde_json::from_str(&text).unwrap();
        let report: RunReport = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(&report).unwrap(), published, "{name}");
    }
}

/// SHA-256 over the compact JSON of the case and of the methodology of each result, as in the files.
/// Calculated by another program.
const IDENTITIES: &str = include_str!("../golden/identities.txt");

#[test]
fn identities_are_stable() {
    let digest = full().environment.digest();
    assert_eq!(hex::encode(digest), "90f5bd33a39d8bb7f7f1d5535442323139d83e01feb94b9e6a18baa8218d6f99");
    let mut found = Vec::new();
    for name in ["full", "parameters", "programs", "topologies"] {
        for result in parsed(name).results {
            let case = hex::encode(result.case.digest(&result.transport.slug));
            let methodology = hex::encode(result.methodology.digest());
            found.push(format!("{name} {} {case} {methodology}", result.transport.slug));
        }
    }
    assert_eq!(found, IDENTITIES.lines().collect::<Vec<_>>());
}

#[test]
fn loss_at_any_receiver_makes_a_result_lossy() {
    let lossy: Vec<_> =
        parsed("topologies").results.iter().map(roundtrip_wire::CaseResult::is_lossy).collect();
    assert_eq!(lossy, [false, true]);
}

#[test]
fn an_environments_identity_excludes_conditions() {
    let mut environment = full().environment;
    let before = environment.digest();
    environment.conditions.insert("load.1min".into(), "99".into());
    assert_eq!(environment.digest(), before);
    environment.stable.insert("os.kernel".into(), "another".into());
    assert_ne!(environment.digest(), before);
}

#[test]
fn ignores_unknown_fields() {
    let mut published: Value = serde_json::from_str(&files()["full"]).unwrap();
    published["added_later"] = Value::from(1);
    published["results"][0]["case"]["added_later"] = Value::from("x");
    assert_eq!(serde_json::from_value::<RunReport>(published).unwrap(), full());
}
