//! `roundtrip import`: turns results of another tool into a run, and uploads the original file with it.

use crate::build::{self, Limits};
use crate::cli::{ImportArguments, OrAuto};
use crate::delivery::{Delivery, Kept, Subject};
use crate::failure::{Failure, OnDisk};
use crate::repository::Repository;
use crate::settings::{Imported, Settings};
use crate::table::ImportedTables;
use crate::{output, spool};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::Utc;
use roundtrip_bench::harness::Outcome;
use roundtrip_import::wire::{ReportWriter, UNKNOWN};
use roundtrip_import::{Format, INPUT_BYTES_MAX, Import, Repetitions};
use roundtrip_wire::import::{FILE_NAME_BYTES_MAX, ImportedFile};
use roundtrip_wire::{CaseResult, Environment, RunId, RunReport, Slug};
use std::io::{BufWriter, Read, Seek, Write};
use std::path::Path;

pub(crate) fn import(arguments: &ImportArguments) -> crate::Result<()> {
    let ImportArguments { file, delivery, .. } = arguments;
    let format = arguments.from();
    let repository = Repository::here()?;
    let settings = Settings::read(&repository.root)?;
    let delivery = Delivery::prepare(delivery, repository, &settings)?;
    let (name, bytes) = read(file)?;
    take(&delivery, name, bytes, format)
}

/// The file's name and bytes; `-` is standard input.
pub(crate) fn read(path: &Path) -> crate::Result<(String, Vec<u8>)> {
    let failed = |error: std::io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
    if path == Path::new("-") {
        return Ok(("standard-input".into(), read_all(std::io::stdin().lock()).map_err(failed)?));
    }
    let bytes = std::fs::File::open(path).and_then(read_all).map_err(failed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // The server rejects control characters and long names.
    let name: String = name.chars().filter(|character| !character.is_control()).collect();
    let end = (0..=name.len().min(FILE_NAME_BYTES_MAX)).rev().find(|&end| name.is_char_boundary(end));
    Ok((name[..end.unwrap_or(0)].to_owned(), bytes))
}

/// Reads at most the size limit plus one byte, to detect a file that is too long.
pub(crate) fn read_all(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Imports the results of a command in the settings.
pub(crate) fn of_command(
    imported: &Imported,
    root: &Path,
    delivery: &Delivery<'_>,
    mut limits: Limits<'_>,
) -> crate::Result<()> {
    let (name, bytes) = results(imported, root, &mut limits)?;
    take(delivery, name, bytes, imported.format)
}

/// Runs a command in the settings, and returns the name and bytes of its output, or of the file that it writes.
pub(crate) fn results(
    imported: &Imported,
    root: &Path,
    limits: &mut Limits<'_>,
) -> crate::Result<(String, Vec<u8>)> {
    let Imported { run: command, file, .. } = imported;
    // A file, so that the command never waits for a reader.
    let mut printed = tempfile::tempfile().on_disk(root)?;
    let stdout = match file {
        Some(_) => std::io::stderr().into(),
        None => printed.try_clone().on_disk(root)?.into(),
    };
    let status =
        build::run(command, "Running", root, stdout, limits).map_err(|reason| limits.failure(reason))?;
    if !status.success() {
        return Err(Failure::Other(format!("`{command}` failed ({status}): its results were not imported")));
    }
    match file {
        Some(file) => read(&root.join(file)),
        None => {
            let bytes = printed.rewind().and_then(|()| read_all(printed)).on_disk(root)?;
            Ok((command.program().to_owned(), bytes))
        }
    }
}

/// Writes, prints and uploads the results of a file. As a report they can take a hundred times the memory of the file,
/// so each is written and dropped before the next one is created.
fn take(delivery: &Delivery<'_>, name: String, bytes: Vec<u8>, format: OrAuto<Format>) -> crate::Result<()> {
    let (report, import) = parse(delivery.subject.clone(), &name, &bytes, format)?;
    let format = Slug::from_name(import.format.slug());
    let base64 = delivery.is_uploaded().then(|| BASE64_STANDARD.encode(&bytes));
    drop(bytes);
    let mut tables = ImportedTables::default();
    match delivery.output() {
        Some(path) => spool::write_parts(path, |file| {
            let mut writer = ReportWriter::new(&report, BufWriter::new(file))?;
            for (result, repetitions) in import.into_results() {
                writer.write(&result, repetitions.to_wire())?;
                tables.add(&result, &repetitions);
            }
            writer.finish()?.flush()
        })?,
        None => {
            import.into_results().for_each(|(result, repetitions)| tables.add(&result, &repetitions));
        }
    }
    let text = tables.render(&report);
    let kept = base64
        .map(|base64| delivery.keep_import(report, ImportedFile { name, format: Some(format), base64 }))
        .transpose()?;
    output::print(&text)?;
    kept.map_or(Ok(()), Kept::send)
}

/// Parses the bytes into a report, and returns it with the detected format.
pub(crate) fn report(
    subject: Subject,
    name: &str,
    bytes: &[u8],
    format: OrAuto<Format>,
) -> crate::Result<(RunReport, Format)> {
    let (mut report, import) = parse(subject, name, bytes, format)?;
    let format = import.format;
    report.results = whole(import);
    Ok((report, format))
}

/// Parses the bytes into results without a report.
pub(crate) fn cases(name: &str, bytes: &[u8], format: OrAuto<Format>) -> crate::Result<Vec<CaseResult>> {
    Ok(whole(parse_file(name, bytes, format)?))
}

fn whole(import: Import) -> Vec<CaseResult> {
    let whole = |(result, repetitions): (CaseResult, Repetitions)| CaseResult {
        repetitions: repetitions.to_wire().collect(),
        ..result
    };
    import.into_results().map(whole).collect()
}

fn parse_file(name: &str, bytes: &[u8], format: OrAuto<Format>) -> crate::Result<Import> {
    let import = roundtrip_import::import(bytes, format.0)
        .map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    for warning in &import.warnings {
        eprintln!("{name}: {warning}");
    }
    Ok(import)
}

/// Parses the bytes, and returns a report without the results, and the results.
fn parse(
    subject: Subject,
    name: &str,
    bytes: &[u8],
    format: OrAuto<Format>,
) -> crate::Result<(RunReport, Import)> {
    let import = parse_file(name, bytes, format)?;
    let now = Utc::now();
    let outcome = Outcome {
        // A file does not describe the machine in our terms.
        environment: Environment::default(),
        canaries: Vec::new(),
        order_seed: 0,
        started_at: now,
        finished_at: now,
        results: Vec::new(),
    };
    let mut report = subject.report(RunId::draw(), &Slug::from_name("import"), Vec::new(), outcome);
    report.suite.build = Slug::from_name(UNKNOWN);
    Ok((report, import))
}
