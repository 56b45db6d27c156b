//! Criterion's folder, `target/criterion`, as one document that `roundtrip_import` reads: its format `criterion-dir`.

use crate::failure::Failure;
use crate::input::read_all;
use roundtrip_import::INPUT_BYTES_MAX;
use serde::de::IgnoredAny;
use std::io;
use std::path::{Path, PathBuf};

/// Collects the results of the last `cargo bench` from Criterion's folder: a line of JSON for each benchmark, in the
/// order of the paths, with the contents of its files.
///
/// # Errors
/// The folder has no results, a file is missing, cannot be read or is not JSON, or all are too large to import.
pub(crate) fn collect(dir: &Path) -> crate::Result<Vec<u8>> {
    let mut found = Vec::new();
    find(dir, &mut found)?;
    if found.is_empty() {
        return Err(Failure::Usage(format!(
            "{}: no results of Criterion: expected a folder `new` with `benchmark.json` and `sample.json`. Run \
             `cargo bench` first, and pass its folder `target/criterion`. For a folder with files of other tools, pass the files, or use --history.",
            dir.display()
        )));
    }
    found.sort_unstable();
    let mut document = Vec::new();
    for new in found {
        let required = |name: &str| {
            let missing = || {
                Failure::Usage(format!(
                    "{}: no such file. Run the benchmark again.",
                    new.join(name).display()
                ))
            };
            read_json(&new.join(name))?.ok_or_else(missing)
        };
        let (id, sample) = (required("benchmark.json")?, required("sample.json")?);
        let estimates = read_json(&new.join("estimates.json"))?.unwrap_or_else(|| "null".into());
        let line =
            format!("{{\"criterion_dir\":1,\"id\":{id},\"sample\":{sample},\"estimates\":{estimates}}}\n");
        document.extend(line.into_bytes());
        if document.len() > INPUT_BYTES_MAX {
            return Err(Failure::Usage(format!(
                "{}: the results are larger than {INPUT_BYTES_MAX} bytes. Import a folder in it.",
                dir.display()
            )));
        }
    }
    Ok(document)
}

/// Whether a folder has results of Criterion below it.
pub(crate) fn has_results(dir: &Path) -> bool {
    let mut found = Vec::new();
    find(dir, &mut found).is_ok() && !found.is_empty()
}

/// Adds the folders with the latest results of a benchmark. They are at any depth, next to reports and baselines.
fn find(dir: &Path, found: &mut Vec<PathBuf>) -> crate::Result<()> {
    for entry in dir.read_dir().map_err(|error| cannot_read(dir, &error))? {
        let entry = entry.map_err(|error| cannot_read(dir, &error))?;
        let path = entry.path();
        if entry.file_type().map_err(|error| cannot_read(&path, &error))?.is_dir() {
            if path.ends_with("new")
                && (path.join("benchmark.json").exists() || path.join("sample.json").exists())
            {
                found.push(path.clone());
            }
            find(&path, found)?;
        }
    }
    Ok(())
}

/// The JSON in a file, on one line; `None` if there is no file.
fn read_json(path: &Path) -> crate::Result<Option<String>> {
    let bytes = match std::fs::File::open(path).and_then(read_all) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(|error| cannot_read(path, &error))?,
    };
    let invalid =
        |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: expected JSON: {error}", path.display()));
    let text = String::from_utf8(bytes).map_err(|error| invalid(&error))?;
    serde_json::from_str::<IgnoredAny>(&text).map_err(|error| invalid(&error))?;
    // In JSON, line breaks are never part of a text.
    Ok(Some(text.replace(['\n', '\r'], " ")))
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundtrip_import::Options;
    use std::fs;

    fn benchmark(dir: &Path, name: &str, iterations: u32) {
        let new = dir.join(name).join("new");
        fs::create_dir_all(&new).unwrap();
        let id = format!("{{\"group_id\":\"{name}\",\n\"full_id\":\"{name}\"}}");
        fs::write(new.join("benchmark.json"), id).unwrap();
        fs::write(new.join("sample.json"), format!("{{\"iters\":[{iterations}.0],\"times\":[10.0]}}"))
            .unwrap();
    }

    fn error(dir: &Path) -> String {
        let error = collect(dir).unwrap_err().to_string();
        error.replace(&dir.display().to_string(), "DIR").replace('\\', "/")
    }

    #[test]
    fn collects_nested_benchmarks_in_the_order_of_paths() {
        let dir = tempfile::tempdir().unwrap();
        benchmark(dir.path(), "pipe/round_trip/64", 2);
        benchmark(dir.path(), "add", 1);
        fs::write(dir.path().join("pipe/round_trip/64/new/estimates.json"), "{\"mean\":{}}").unwrap();
        let document = String::from_utf8(collect(dir.path()).unwrap()).unwrap();
        assert_eq!(
            document,
            "{\"criterion_dir\":1,\"id\":{\"group_id\":\"add\", \"full_id\":\"add\"},\
             \"sample\":{\"iters\":[1.0],\"times\":[10.0]},\"estimates\":null}\n\
             {\"criterion_dir\":1,\"id\":{\"group_id\":\"pipe/round_trip/64\", \"full_id\":\"pipe/round_trip/64\"},\
             \"sample\":{\"iters\":[2.0],\"times\":[10.0]},\"estimates\":{\"mean\":{}}}\n"
        );
        let import = roundtrip_import::import(document.as_bytes(), None, &Options::default()).unwrap();
        assert_eq!((import.format.slug(), import.benchmarks.len()), ("criterion-dir", 2));
    }

    #[test]
    fn ignores_reports_and_baselines_but_not_benchmarks_with_their_names() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["report", "new", "base"] {
            benchmark(dir.path(), name, 1);
        }
        benchmark(dir.path(), "add", 1);
        fs::create_dir_all(dir.path().join("add/report")).unwrap();
        fs::write(dir.path().join("add/report/index.html"), "<html>").unwrap();
        fs::rename(dir.path().join("base/new"), dir.path().join("base/main")).unwrap();
        let import =
            roundtrip_import::import(&collect(dir.path()).unwrap(), None, &Options::default()).unwrap();
        let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
        assert_eq!(names, ["add", "new", "report"]);
    }

    #[test]
    fn names_missing_or_invalid_files() {
        let dir = tempfile::tempdir().unwrap();
        assert!(error(dir.path()).starts_with("DIR: no results of Criterion: expected a folder `new`"));
        benchmark(dir.path(), "add", 1);
        let new = dir.path().join("add/new");
        fs::write(new.join("sample.json"), "{\"iters\":[").unwrap();
        assert!(error(dir.path()).starts_with("DIR/add/new/sample.json: expected JSON: EOF while"));
        fs::remove_file(new.join("sample.json")).unwrap();
        assert_eq!(error(dir.path()), "DIR/add/new/sample.json: no such file. Run the benchmark again.");
        benchmark(dir.path(), "add", 1);
        fs::remove_file(new.join("benchmark.json")).unwrap();
        assert_eq!(error(dir.path()), "DIR/add/new/benchmark.json: no such file. Run the benchmark again.");
        assert!(error(&dir.path().join("absent")).starts_with("cannot read DIR: "));
    }
}
