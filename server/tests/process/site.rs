//! Sites: static pages from reports, and the way from there to a server.

use crate::report::numbered;
use crate::support::Place;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two runs of each of three commits on the main line.
fn write_reports(folder: &Path) {
    std::fs::create_dir_all(folder.join("older")).unwrap();
    let sha = |commit: u64| format!("{commit:040x}");
    for number in 0..6 {
        let commit = number / 2 + 1;
        let (_, mut report) = numbered(number);
        report["commit"]["sha"] = json!(sha(commit));
        report["commit"]["first_parent_ordinal"] = json!(commit);
        report["commit"]["parents"] = if commit == 1 { json!([]) } else { json!([sha(commit - 1)]) };
        report["history"] = json!([]);
        report["work_tree_modified"] = json!(false);
        let members = report.as_object_mut().unwrap();
        for name in ["pull_request", "job", "branch"] {
            members.remove(name);
        }
        let name = if number == 0 { "older/first.json".to_owned() } else { format!("{number}.json.zst") };
        let json = report.to_string().into_bytes();
        let bytes = if number == 0 { json } else { zstd::encode_all(json.as_slice(), 3).unwrap() };
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}

/// The files of a folder with their contents.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn answer(site: &Path, name: &str) -> Value {
    let bytes = std::fs::read(site.join(format!("data/{name}.json.gz"))).unwrap();
    serde_json::from_reader(GzDecoder::new(bytes.as_slice())).unwrap()
}

fn git(folder: &Path, arguments: &str) {
    let words = arguments.split(' ');
    let identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
    let status = Command::new("git").arg("-C").arg(folder).args(identity).args(words).status().unwrap();
    assert!(status.success(), "git {arguments}");
}

#[test]
fn same_reports_give_the_same_site_from_a_folder_or_a_branch() {
    let place = Place::new();
    let reports = place.folder().join("reports");
    write_reports(&reports);
    let [first, second] = ["first", "second"].map(|name| place.folder().join(name));
    let from_folder = ["site", reports.to_str().unwrap(), "--output", first.to_str().unwrap()];
    let printed = place.run(&from_folder).printed();
    assert!(printed.contains(": 6 reports, "), "{printed}");
    assert!(!place.has_postgres(), "the temporary PostgreSQL is stopped");

    git(&reports, "init --quiet --initial-branch benchmarks");
    git(&reports, "add .");
    git(&reports, "commit --quiet --message reports");
    let from_branch =
        ["site", reports.to_str().unwrap(), "--revision", "benchmarks", "--output", second.to_str().unwrap()];
    place.run(&from_branch).printed();
    assert!(tree(&first) == tree(&second), "the sites differ");

    let printed = place.run(&from_folder).printed();
    assert!(printed.ends_with("; 0 written, 0 removed"), "{printed}");
}

#[test]
fn site_has_the_answers_of_a_server_that_imports_it() {
    let place = Place::new();
    let (reports, site) = (place.folder().join("reports"), place.folder().join("site"));
    write_reports(&reports);
    let server = place.serve();
    let import = ["import-site", reports.to_str().unwrap()];
    let printed = place.run(&import).printed();
    assert!(printed.ends_with(": 6 runs stored, 0 stored before"), "{printed}");
    let printed = place.run(&import).printed();
    assert!(printed.ends_with(": 0 runs stored, 6 stored before"), "{printed}");
    place.run(&["site", reports.to_str().unwrap(), "--output", site.to_str().unwrap()]).printed();

    let projects = answer(&site, "projects");
    let project = projects["projects"][0]["project"].as_str().unwrap();
    let series = answer(&site, &format!("projects/{project}/series"));
    let series_id = series["series"][0]["series_id"].as_i64().unwrap();
    let runs = answer(&site, &format!("projects/{project}/runs"));
    let newest = &runs["runs"][0];
    let run_id = newest["run_id"].as_str().unwrap();
    let [base, head] = [2, 3].map(|commit| format!("{commit:040x}"));
    let all =
        "quantiles=min,p25,p50,p75,p90,p98,p99,p999,max&repetitions=true&rate=true&last=10000&points=10000";
    for (request, name) in [
        (format!("projects/{project}/series"), format!("projects/{project}/series")),
        (format!("projects/{project}/commits"), format!("projects/{project}/commits")),
        (format!("runs/{run_id}"), format!("runs/{run_id}")),
        (
            format!("projects/{project}/compare?base={base}&head={head}"),
            format!("projects/{project}/compare~3fbase~3d{base}~26head~3d{head}"),
        ),
        (format!("charts/line?series={series_id}&{all}"), format!("charts/line~3fseries~3d{series_id}")),
    ] {
        let mut from_server: Value =
            serde_json::from_str(&server.text(&format!("/api/v1/{request}"))).unwrap();
        let mut from_site = answer(&site, &name);
        for answer in [&mut from_server, &mut from_site] {
            // The time of the upload is the server's own.
            if let Some(run) = answer.get_mut("run") {
                run["received_at"] = Value::Null;
            }
        }
        assert_eq!(from_server, from_site, "{request}");
    }
    let detail = &answer(&site, &format!("runs/{run_id}/series"))[series_id.to_string()];
    let from_server = server.text(&format!("/api/v1/runs/{run_id}/series/{series_id}"));
    assert_eq!(*detail, serde_json::from_str::<Value>(&from_server).unwrap());
    let points = answer(&site, &format!("points~3fseries~3d{series_id}"));
    let places: Vec<u64> =
        points["points"].as_array().unwrap().iter().map(|point| point["run"].as_u64().unwrap()).collect();
    assert_eq!(places, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn site_names_what_it_cannot_use() {
    let place = Place::new();
    let (reports, site) = (place.folder().join("reports"), place.folder().join("site"));
    let refused = |arguments: &[&str], code: i32, parts: &[&str]| {
        let output = ["--output", site.to_str().unwrap()];
        place.run(&[&["site"], arguments, &output].concat()).assert_error(code, parts);
    };
    let folder = reports.to_str().unwrap();
    refused(&[], 2, &["reports are missing"]);
    refused(&[folder], 1, &["cannot read the folder", folder]);
    std::fs::create_dir(&reports).unwrap();
    refused(&[folder], 1, &["has no reports", ".json.zst"]);
    refused(&[folder, "--revision", "benchmarks"], 1, &["git cannot read benchmarks"]);
    std::fs::write(reports.join("package.json"), "{}").unwrap();
    refused(&[folder], 1, &["package.json is not a report", "run_id"]);
    std::fs::remove_file(reports.join("package.json")).unwrap();
    write_reports(&reports);
    std::fs::create_dir(&site).unwrap();
    std::fs::write(site.join("thesis.txt"), "ten years").unwrap();
    refused(&[folder], 1, &["is not empty and not a site"]);
    assert!(site.join("thesis.txt").exists());
}
