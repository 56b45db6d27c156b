//! `roundtrip import --history`: the files of many commits, from the oldest commit to the newest. Imported runs keep their
//! ids, so an interrupted import continues where it ended.

use super::origin::{Origin, Origins, Place, commit_names};
use super::{Group, How, Loaded, Run, take};
use crate::criterion_dir;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::format::counted;
use crate::output;
use indexmap::IndexMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

/// The most folders between Criterion's folder and a benchmark: group, function, value.
const CRITERION_DEPTH: usize = 3;

/// Imports all files below a folder, and returns how many files, and things in them, were skipped. Reports are saved in the
/// folder `--output`.
pub(super) fn import(
    folder: &Path,
    how: How,
    delivery: &Delivery<'_>,
    origins: &mut Origins<'_>,
) -> crate::Result<u64> {
    let mut paths = Vec::new();
    walk(folder, &mut paths)?;
    let mut skipped = 0;
    let mut groups: IndexMap<Place, Group<PathBuf>> = IndexMap::new();
    for path in paths {
        match scan(&path, folder, how, origins) {
            Ok((place, origin)) => groups.entry(place).or_default().push(origin, path),
            Err(Failure::Usage(reason) | Failure::Refused(reason)) => skipped += skip(&reason),
            Err(failure) => return Err(failure),
        }
    }
    if groups.is_empty() {
        return Err(Failure::Usage(format!("no results of a known commit in {}", folder.display())));
    }
    let with_ordinal = |(place, group): (Place, _)| Ok((origins.ordinal(&place.commit)?, place, group));
    let mut runs = groups.into_iter().map(with_ordinal).collect::<crate::Result<Vec<_>>>()?;
    runs.sort_by_key(|(ordinal, ..)| *ordinal);
    let (count, mut rejected) = (runs.len(), 0);
    for (_, place, Group { origins: of_files, files }) in runs {
        let run =
            read(&files, how).and_then(|files| Run::of_files(origins, &place, &of_files, files, how.options));
        let run = match run {
            Ok(run) => run,
            Err(Failure::Usage(reason)) => {
                skipped += skip(&reason);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        skipped += run.import.skipped;
        let (commit, day) =
            (run.report.commit.sha.short().to_owned(), run.report.started_at.format("%Y-%m-%d"));
        let line = format!("{commit} {day} {}", counted(run.import.benchmarks.len(), "benchmark"));
        let output = delivery
            .output()
            .map(|folder| folder.join(format!("{commit}-{}.json", run.report.run_id.as_uuid())));
        let uploaded = take(delivery, output.as_deref(), run)?.kept.map(|kept| kept.upload()).transpose();
        let done = match uploaded.map(Option::flatten) {
            Ok(None) if output.is_some() => "saved",
            Ok(None) => "not uploaded",
            Ok(Some(uploaded)) if uploaded.is_repeated_import => "already imported",
            Ok(Some(_)) => "imported",
            // The server may accept the others.
            Err(Failure::Other(reason)) => {
                eprintln!("error: {reason}");
                rejected += 1;
                "rejected"
            }
            Err(failure) => return Err(failure),
        };
        output::print(&format!("{line} {done}"))?;
    }
    match rejected {
        0 => Ok(skipped),
        _ => Err(Failure::Other(format!("the server rejected {rejected} of {}", counted(count, "run")))),
    }
}

/// Prints why a file is skipped, and counts it.
fn skip(reason: &str) -> u64 {
    eprintln!("skipped: {reason}");
    1
}

/// The place and origin of a file. Its contents are dropped, because those of all files may be too large.
fn scan(path: &Path, folder: &Path, how: How, origins: &mut Origins<'_>) -> crate::Result<(Place, Origin)> {
    let Loaded { shown, import, .. } = Loaded::read(path, how)?;
    let origin = origins.of(&shown, &import.facts, path.strip_prefix(folder).ok())?;
    if origin.commit.is_none() {
        return Err(Failure::Usage(format!("{shown}: no commit in the file or its path")));
    }
    Ok((origins.place(&origin, import.format), origin))
}

/// Reads the files of a run, and prints their warnings.
fn read(paths: &[PathBuf], how: How) -> crate::Result<Vec<Loaded>> {
    let read = |path: &PathBuf| Loaded::read(path, how).inspect(Loaded::print_warnings);
    paths.iter().map(read).collect()
}

/// Finds the files below a folder, in the order of their names, and Criterion's folders. Hidden ones are ignored.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> crate::Result<()> {
    let is_criterion = is_criterion(folder);
    if is_criterion {
        found.push(folder.to_owned());
    }
    for entry in entries(folder)? {
        let path = entry.path();
        // Links to folders are not followed: they can form a cycle.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // Criterion's folder is one document with all benchmarks below it.
            let is_in_document =
                is_criterion && (entry.file_name() == "report" || criterion_dir::has_results(&path));
            if !is_in_document {
                walk(&path, found)?;
            }
        } else if path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> crate::Result<Vec<DirEntry>> {
    let failed = |error| Failure::Usage(format!("cannot read {}: {error}", folder.display()));
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<DirEntry>, _>>).map_err(failed)?;
    entries.retain(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

/// The name of Criterion's folder.
const CRITERION: &str = "criterion";

/// Whether this is Criterion's folder, or a copy of it that is named after a commit.
fn is_criterion(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    (name == CRITERION || commit_names(&name).next().is_some()) && has_benchmark(folder, CRITERION_DEPTH)
}

/// Whether a folder has a benchmark of Criterion, at most this many folders deep, outside of folders named `criterion`,
/// which are found by themselves.
fn has_benchmark(folder: &Path, depth: usize) -> bool {
    entries(folder).is_ok_and(|entries| {
        entries.into_iter().filter(|entry| entry.file_name() != CRITERION).map(|entry| entry.path()).any(
            |path| path.join("new/benchmark.json").is_file() || depth > 1 && has_benchmark(&path, depth - 1),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_and_criterion_folders_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            "b/go.txt",
            "a.json",
            ".git/HEAD",
            "1a2b3c4/pipe/64/new/benchmark.json",
            "1a2b3c4/pipe/report/index.html",
            "1a2b3c4/hyperfine.json",
            "1a2b3c4/go/go.txt",
            "c-1a2b3c5/target/criterion/send/fifo/4096/new/benchmark.json",
            "c-1a2b3c5/target/go.txt",
            "criterion/nothing.txt",
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut found = Vec::new();
        walk(folder.path(), &mut found).unwrap();
        let found: Vec<_> = found.iter().map(|path| path.strip_prefix(folder.path()).unwrap()).collect();
        let expected = [
            "1a2b3c4",
            "1a2b3c4/go/go.txt",
            "1a2b3c4/hyperfine.json",
            "a.json",
            "b/go.txt",
            "c-1a2b3c5/target/criterion",
            "c-1a2b3c5/target/go.txt",
            "criterion/nothing.txt",
        ];
        assert_eq!(found, expected.map(Path::new));
    }
}
