//! Imports of other tools' files: every format is charted, the file is stored, and an unreadable file changes
//! nothing.

use crate::support::factory::{self, import as request};
use crate::support::{Answer, TestApp, at, texts};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Files written by the tools themselves, and a few from their documentation.
fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/import/tests/golden")
}

fn golden(path: &str) -> Vec<u8> {
    std::fs::read(goldens().join(path)).unwrap()
}

/// A report whose results come from the file.
fn empty() -> RunReport {
    factory::nth_with(1, Vec::new())
}

async fn import(app: &TestApp, body: &Value) -> Answer {
    app.send("POST", "/api/v1/import", &app.token, Some(body.clone())).await
}

#[database_test]
async fn imports_every_format_and_keeps_the_file(app: TestApp) {
    let mut formats = 0;
    for folder in std::fs::read_dir(goldens()).unwrap().map(|entry| entry.unwrap().path()) {
        if !folder.is_dir() {
            continue;
        }
        formats += 1;
        let format = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let (name, file) = (path.file_name().unwrap().to_str().unwrap(), std::fs::read(&path).unwrap());
            let report = empty();
            let mut body = request(&report, name, None, &file);
            if format == "hdr-log" {
                // A log does not state its unit.
                import(&app, &body).await.assert_problem(422, "invalid-file");
                body["file"]["unit"] = "ns".into();
            }
            let answer = import(&app, &body).await;
            assert_eq!(answer.status, 201, "{path:?}: {}", String::from_utf8_lossy(&answer.body));

            let run = app.run(&report).await;
            let original = json!({ "name": name, "format": format, "bytes": file.len() });
            assert_eq!(run["original"], original, "{path:?}");
            let kept = app.get(&format!("/api/v1/runs/{}/original", report.run_id)).await;
            assert_eq!(kept.body, file, "{path:?}");
            assert!(kept.header("content-disposition").starts_with("attachment; "));
            // Each is charted, by samples or stated values.
            let results = run["results"].as_array().unwrap();
            assert!(!results.is_empty(), "{path:?}");
            for result in results {
                assert_eq!(result["transport"]["slug"], *format);
                assert!(result["case"]["benchmark"].is_string(), "{path:?}");
                let series = app.read(&format!("/api/v1/points?series={}", result["series_id"])).await;
                let series = &series["series"][0];
                let [points, summaries] =
                    ["points", "summaries"].map(|kind| series[kind].as_array().unwrap().len());
                let is_stated = result["methodology"]["statistic"].is_string();
                assert_eq!((points > 0, summaries > 0), (!is_stated, is_stated), "{path:?}");
                assert_eq!((result["point"].is_null(), result["summary"].is_null()), (is_stated, !is_stated));
            }
        }
    }
    assert_eq!(formats, roundtrip_import::Format::all().len());
}

#[database_test]
async fn summaries_are_separate_from_points(app: TestApp) {
    let report = empty();
    import(&app, &request(&report, "summary.json", None, &golden("k6/summary-export.json"))).await;
    let rows = app.row_counts().await;
    assert_eq!((rows["point"], rows["point_histogram"]), (0, 0));
    assert!(rows["summary"] > 5);

    let run = app.run(&report).await;
    // Times have a median, shares and rates one value.
    let statistics = texts(&run, "results/*/methodology/statistic");
    assert!(statistics.iter().all(|one| matches!(one.as_str(), "median" | "value")), "{statistics:?}");
    let results = run["results"].as_array().unwrap();
    let result = results.iter().find(|result| result["case"]["benchmark"] == "http_req_blocked").unwrap();
    let summary = &result["summary"];
    assert!(summary["center_ns"].as_i64() > Some(0), "{summary}");
    assert_eq!(summary["quantiles"][0]["q_ppm"], 900_000, "{summary}");
    let series = app.read(&format!("/api/v1/series/{}", result["series_id"])).await;
    assert_eq!(series["latest"], Value::Null);
    assert_eq!(series["latest_summary"]["center_ns"], summary["center_ns"]);
    assert_eq!(run["run"]["point_count"], rows["summary"]);
}

#[database_test]
async fn imports_of_two_commits_form_one_series(app: TestApp) {
    let file = golden("k6/handle-summary.json");
    // Only a third commit relates the second to the first.
    let placed = [factory::commit(2, Some(2)), factory::commit(20, None)];
    for commit in placed {
        let report = RunReport { commit, ..empty() };
        assert_eq!(import(&app, &request(&report, "summary.json", None, &file)).await.status, 201);
    }
    let ordinals =
        async || at(&app.read("/api/v1/points?series=1").await["series"][0], "summaries/*/commit_ordinal");
    let before = ordinals().await;
    app.store(&factory::nth(20)).await;
    assert_eq!((before.as_array().unwrap().len(), ordinals().await), (2, json!([2, 20])));
}

#[database_test]
async fn repeated_import_is_the_same_run(app: TestApp) {
    let report = empty();
    let body = request(&report, "results.json", Some("hyperfine"), &golden("hyperfine/parameters.json"));
    let [first, again] = [import(&app, &body).await, import(&app, &body).await];
    assert_eq!((first.status.as_u16(), again.status.as_u16(), &first.body), (201, 200, &again.body));
    let other = request(&report, "results.json", None, &golden("go/benchmem.txt"));
    import(&app, &other).await.assert_problem(422, "run-conflict");
}

/// A tar archive of these files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

#[database_test]
async fn joins_the_files_of_an_archive_and_keeps_it(app: TestApp) {
    let report = empty();
    let [first, second] = [5, 6].map(|ns| format!("BenchmarkPipe 1000 {ns} ns/op\n"));
    let valid = archive(&[("a.txt", &first), ("b.txt", &second)]);
    let answer = import(&app, &request(&report, "results.tar", Some("go"), &valid)).await;
    assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.body));
    let run = app.run(&report).await;
    assert_eq!(run["original"], json!({ "name": "results.tar", "format": "go", "bytes": valid.len() }));
    assert_eq!(at(&run, "results/*/point/repetition_count"), json!([2]));
    let kept = app.get(&format!("/api/v1/runs/{}/original", report.run_id)).await;
    assert_eq!(kept.body, valid);

    let other = factory::nth_with(2, Vec::new());
    let invalid = archive(&[("a.txt", &first), ("b.txt", "hello")]);
    let problem = import(&app, &request(&other, "results.tar", None, &invalid)).await;
    let problem = problem.assert_problem(422, "invalid-file");
    assert!(problem.detail.starts_with("results.tar: b.txt: unknown format"), "{}", problem.detail);
}

#[database_test]
async fn rejects_unreadable_files_with_a_position(app: TestApp) {
    let before = app.row_counts().await;
    let report = empty();
    let file = golden("google-benchmark/repetitions.json");
    let cut = &file[..file.len() / 2];
    let valid = request(&report, "a", None, &file);
    let mut encoded = valid.clone();
    encoded["file"]["base64"] = "no base64!".into();
    let with_results = request(&factory::report(), "a", None, &file);
    let of = |name: &str, format: Option<&str>, file: &[u8]| request(&report, name, format, file);
    let unknown = "a.txt: unknown format: expected results of one of asv";
    for (body, code, expected, pointer) in [
        (of("results.json", None, cut), "invalid-file", "results.json: google-benchmark: line ", "/file"),
        (of("results.json", Some("go"), &file), "invalid-file", "results.json: go: ", "/file"),
        (of("a.txt", None, b"hello"), "invalid-file", unknown, "/file"),
        (of("a", Some("excel"), &file), "invalid-report", "excel", "/file/format"),
        (of("", None, &file), "invalid-report", "expected 1 to 255 bytes", "/file/name"),
        (encoded, "invalid-report", "not base64", "/file/base64"),
        (with_results, "invalid-report", "the file provides them", "/report/results"),
    ] {
        let problem = import(&app, &body).await.assert_problem(422, code);
        assert!(problem.detail.contains(expected), "{}", problem.detail);
        assert_eq!(problem.pointer.as_deref(), Some(pointer));
    }
    let mut older = valid;
    older["report"]["schema_version"] = 9.into();
    import(&app, &older).await.assert_problem(422, "unsupported-schema-version");
    app.post("/api/v1/import", &json!({})).await.assert_problem(401, "unauthenticated");
    assert_eq!(app.row_counts().await, before);
    app.get(&format!("/api/v1/runs/{}/original", report.run_id)).await.assert_problem(404, "unknown-run");
}
