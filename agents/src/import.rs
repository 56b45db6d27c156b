//! `roundtrip import`: turns results of another tool into a run, and uploads the original file with it.

use crate::cli::{ImportArguments, OrAuto};
use crate::delivery::{Delivery, Subject};
use crate::failure::Failure;
use crate::repository::{Git, Repository};
use crate::settings::{Imported, Settings};
use crate::{build, output, table};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::Utc;
use roundtrip_bench::harness::Outcome;
use roundtrip_import::wire::UNKNOWN;
use roundtrip_import::{Format, INPUT_BYTES_MAX};
use roundtrip_wire::import::{FILE_NAME_BYTES_MAX, ImportedFile};
use roundtrip_wire::{Environment, RunId, RunReport, Slug};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

pub(crate) fn import(arguments: &ImportArguments) -> crate::Result<()> {
    let ImportArguments { file, format, delivery } = arguments;
    let repository = Repository::read(&Git::here())?;
    let settings = Settings::read(&repository.root)?;
    let delivery = Delivery::prepare(delivery, repository, &settings)?;
    let (name, bytes) = read(file)?;
    take(&delivery, &name, &bytes, *format)
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

/// Imports the output of a command in the settings, or the file that it writes.
pub(crate) fn of_command(imported: &Imported, root: &Path, delivery: &Delivery<'_>) -> crate::Result<()> {
    let Imported { run: command, format, file } = imported;
    let stdout = if file.is_some() { std::io::stderr().into() } else { Stdio::piped() };
    let output = build::run(command, "Running", root, stdout).map_err(Failure::Other)?;
    if !output.status.success() {
        return Err(Failure::Other(format!(
            "`{command}` failed ({}): its results were not imported",
            output.status
        )));
    }
    let (name, bytes) = match file {
        Some(file) => read(&root.join(file))?,
        None => (command.program().to_owned(), output.stdout),
    };
    take(delivery, &name, &bytes, *format)
}

fn take(delivery: &Delivery<'_>, name: &str, bytes: &[u8], format: OrAuto<Format>) -> crate::Result<()> {
    let (report, format) = report(delivery.subject.clone(), name, bytes, format)?;
    let format = Slug::from_name(format.slug());
    let file =
        ImportedFile { name: name.to_owned(), format: Some(format), base64: BASE64_STANDARD.encode(bytes) };
    let kept = delivery.keep_import(report, file)?;
    output::print(&table::render(&kept.report)?)?;
    kept.send()
}

/// Parses the bytes into a report, and returns it with the detected format.
pub(crate) fn report(
    subject: Subject,
    name: &str,
    bytes: &[u8],
    format: OrAuto<Format>,
) -> crate::Result<(RunReport, Format)> {
    let import = roundtrip_import::import(bytes, format.0)
        .map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    for warning in &import.warnings {
        eprintln!("{name}: {warning}");
    }
    let format = import.format;
    let now = Utc::now();
    let outcome = Outcome {
        // A file does not describe the machine in our terms.
        environment: Environment::default(),
        canaries: Vec::new(),
        order_seed: 0,
        started_at: now,
        finished_at: now,
        results: import.into_results(),
    };
    let mut report = subject.report(RunId::draw(), &Slug::from_name("import"), outcome);
    report.suite.build = Slug::from_name(UNKNOWN);
    Ok((report, format))
}
