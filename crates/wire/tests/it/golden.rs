//! Published reports. A file here is never changed: another shape is another file, another identity another version.

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

fn full() -> RunReport {
    serde_json::from_str(&files()["full"]).unwrap()
}

#[test]
fn published_reports_parse_and_keep_every_rule() {
    for (name, text) in files() {
        let report: RunReport = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        report.check().unwrap_or_else(|error| panic!("{name}: {}: {error}", error.pointer));
    }
}

#[test]
fn published_reports_are_written_as_they_were_read() {
    for (name, text) in files() {
        let published: Value = serde_json::from_str(&text).unwrap();
        let report: RunReport = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_value(&report).unwrap(), published, "{name}");
    }
}

/// SHA-256 over the compact JSON of the members as they stand in the file, calculated by another program.
#[test]
fn identities_stay_what_they_were() {
    let report = full();
    assert_eq!(
        hex::encode(report.environment.digest()),
        "90f5bd33a39d8bb7f7f1d5535442323139d83e01feb94b9e6a18baa8218d6f99"
    );
    let identities: Vec<_> = report
        .results
        .iter()
        .map(|result| {
            let case = hex::encode(result.case.digest(&result.transport.slug));
            (result.transport.slug.as_str(), case, hex::encode(result.methodology.digest()))
        })
        .collect();
    let expected = [
        (
            "pipe",
            "fd82ada23edbd47cd5ab07e36237d97fb290d50cedfa82daeb90d33ba1d72ae6",
            "fd2fb366e9cbba75f5f3eecede9fec80fcb970408daccf7a3b7b0580f647807b",
        ),
        (
            "ring-futex",
            "49ecf66fa0356adb0fb38b6a49e347dd60a5cc9bc3b076eeb29104e5427fe2f4",
            "43d0e0209a3778bbcdabc2cb212573532651bf4a19e6388004ba3cef9084819f",
        ),
        (
            "posix-mq",
            "0f960045eaa8803d883aad8a2a72813012c844e3c205f59430fbe3538537bdbe",
            "fd2fb366e9cbba75f5f3eecede9fec80fcb970408daccf7a3b7b0580f647807b",
        ),
    ];
    for ((transport, case, methodology), expected) in identities.iter().zip(expected) {
        assert_eq!((*transport, case.as_str(), methodology.as_str()), expected);
    }
}

#[test]
fn identities_of_all_parameters_stay_what_they_were() {
    let report: RunReport = serde_json::from_str(&files()["parameters"]).unwrap();
    let result = &report.results[0];
    assert_eq!(
        hex::encode(result.case.digest(&result.transport.slug)),
        "4b9d434d92b323cf079a4d3a642c92c0b27074238fc8da6992859aae766d8c65"
    );
    assert_eq!(
        hex::encode(result.methodology.digest()),
        "58376662f29774c1d3f2e08a55b6ca302b3c8471cc492f3775b5e1c4828d60d9"
    );
}

#[test]
fn identities_of_topologies_stay_what_they_were() {
    let report: RunReport = serde_json::from_str(&files()["topologies"]).unwrap();
    let identities: Vec<_> = report
        .results
        .iter()
        .map(|result| {
            let case = hex::encode(result.case.digest(&result.transport.slug));
            (case, hex::encode(result.methodology.digest()))
        })
        .collect();
    let expected = [
        (
            "a147efab079a9d46646b33d8dff4bb1a564c9ef504d103e6b595bd8c4bbf875a",
            "f8c8e68ae2fdd74cd55a15c14bcc4774389f957c72ac5ce2f6953284bb91a91e",
        ),
        (
            "1b81bef5db774f4a5e02fd19b23f8c6174f2651692843c17db5f7d5af77cc203",
            "f0ed57794c89977169aae0a41b65123215b78691caafc55ceabdd6e4abffe015",
        ),
    ];
    assert_eq!(identities, expected.map(|(case, methodology)| (case.to_owned(), methodology.to_owned())));
    let lossy: Vec<_> = report.results.iter().map(roundtrip_wire::CaseResult::is_lossy).collect();
    assert_eq!(lossy, [false, true]);
}

#[test]
fn identities_of_programs_stay_what_they_were() {
    let report: RunReport = serde_json::from_str(&files()["programs"]).unwrap();
    let result = &report.results[0];
    assert_eq!(
        hex::encode(result.case.digest(&result.transport.slug)),
        "741e7919c3fee2afdf9a29f34f38952977fdf9853fcd23650e1b029f30ed938a"
    );
    assert_eq!(
        hex::encode(result.methodology.digest()),
        "e18538b85afb50215dfb86c1bdc3147d96382d006c314dcf028ae0edee2162da"
    );
}

#[test]
fn conditions_have_no_part_in_the_identity_of_an_environment() {
    let mut environment = full().environment;
    let before = environment.digest();
    environment.conditions.insert("load.1min".into(), "99".into());
    assert_eq!(environment.digest(), before);
    environment.stable.insert("os.kernel".into(), "another".into());
    assert_ne!(environment.digest(), before);
}

#[test]
fn members_that_are_not_known_yet_are_ignored() {
    let mut published: Value = serde_json::from_str(&files()["full"]).unwrap();
    published["added_later"] = Value::from(1);
    published["results"][0]["case"]["added_later"] = Value::from("x");
    assert_eq!(serde_json::from_value::<RunReport>(published).unwrap(), full());
}
