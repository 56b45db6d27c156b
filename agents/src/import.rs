//! `roundtrip import`: turns results of another tool into runs, and uploads the original files with them.
//!
//! - `origin`: the commit, machine and date of a file.  `history`: a folder with the files of many commits.

mod history;
mod origin;

use crate::build::{self, Limits};
use crate::cli::{ImportArguments, OrAuto};
use crate::delivery::{Delivery, Kept, Subject};
use crate::failure::{Failure, OnDisk};
use crate::format::counted;
use crate::repository::Repository;
use crate::settings::{Imported, Settings};
use crate::table::ImportedTables;
use crate::{criterion_dir, input, output, spool};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use origin::{Origin, Origins, Place};
use roundtrip_bench::harness::Outcome;
use roundtrip_import::wire::{ReportWriter, UNKNOWN};
use roundtrip_import::{Format, INPUT_BYTES_MAX, Import, Options, Repetitions, archive};
use roundtrip_wire::import::ImportedFile;
use roundtrip_wire::{CaseResult, Environment, RunId, RunReport, Slug};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet};
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

/// The name of the archive of a run with several files.
const ARCHIVE: &str = "results.tar";

pub(crate) fn import(arguments: &ImportArguments) -> crate::Result<()> {
    let repository = Repository::here()?;
    let settings = Settings::read(&repository.root)?;
    let delivery = Delivery::prepare_import(&arguments.delivery, repository, &settings)?;
    let mut origins = Origins::new(arguments, &delivery, &settings)?;
    let how = How { format: arguments.from(), options: Options { unit: arguments.unit } };
    let skipped = match &arguments.history {
        Some(folder) => history::import(folder, how, &delivery, &mut origins)?,
        None => import_files(arguments, how, &delivery, &mut origins)?,
    };
    if arguments.strict && skipped > 0 {
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        return Err(Failure::Incomplete(format!(
            "{} skipped, as listed above (--strict). The rest was imported.",
            counted(skipped, "item")
        )));
    }
    Ok(())
}

/// Imports all files, and returns how many things in them were skipped. Nothing is imported if a file is invalid.
fn import_files(
    arguments: &ImportArguments,
    how: How,
    delivery: &Delivery<'_>,
    origins: &mut Origins<'_>,
) -> crate::Result<u64> {
    let mut groups: IndexMap<Place, Group<Loaded>> = IndexMap::new();
    for path in &arguments.files {
        let loaded = Loaded::read(path, how)?;
        loaded.print_warnings();
        let origin = origins.of(&loaded.shown, &loaded.import.facts, None)?;
        groups.entry(origins.place(&origin, loaded.import.format)).or_default().push(origin, loaded);
    }
    if groups.len() > 1 && delivery.output().is_some() {
        return Err(Failure::Usage(format!(
            "--output takes one report, but the files are {}, one for each commit, machine and tool. Import them \
             separately.",
            counted(groups.len(), "run")
        )));
    }
    let mut skipped = 0;
    let mut left = groups.len();
    for (place, Group { origins: of_files, files }) in groups {
        left -= 1;
        let run = Run::of_files(origins, &place, &of_files, files, how.options)?;
        skipped += run.import.skipped;
        let Taken { text, kept } = take(delivery, delivery.output(), run)?;
        output::print(&text)?;
        kept.map_or(Ok(()), Kept::send).inspect_err(|_| {
            if left > 0 {
                eprintln!("{} not imported. Repeat this command.", counted(left, "more run"));
            }
        })?;
    }
    Ok(skipped)
}

/// The files of one run, with the origin of each.
struct Group<F> {
    origins: Vec<Origin>,
    files: Vec<F>,
}

impl<F> Default for Group<F> {
    fn default() -> Self {
        Self { origins: Vec::new(), files: Vec::new() }
    }
}

impl<F> Group<F> {
    fn push(&mut self, origin: Origin, file: F) {
        self.origins.push(origin);
        self.files.push(file);
    }
}

/// How files are read.
#[derive(Clone, Copy)]
struct How {
    format: OrAuto<Format>,
    options: Options,
}

/// A file and its contents.
struct Loaded {
    /// Its name for the server.
    name: String,
    /// Its path, for messages.
    shown: String,
    bytes: Vec<u8>,
    import: Import,
}

impl Loaded {
    /// Reads a file, Criterion's folder, or standard input if the path is `-`.
    fn read(path: &Path, How { format, options }: How) -> crate::Result<Self> {
        let (name, bytes) = if path.is_dir() {
            let name = path.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_owned()));
            let name = name.unwrap_or_default().to_string_lossy().into_owned();
            (format!("{name}.ndjson"), criterion_dir::collect(path)?)
        } else {
            input::read(path)?
        };
        let shown = if path == Path::new("-") { name.clone() } else { path.display().to_string() };
        let import = parse(&shown, &bytes, format, &options)?;
        Ok(Self { name, shown, bytes, import })
    }

    fn print_warnings(&self) {
        print_warnings(&self.shown, &self.import.warnings);
    }
}

fn print_warnings(name: &str, warnings: &[String]) {
    for warning in warnings {
        eprintln!("{name}: {warning}");
    }
}

/// Imports the results of a command in the settings, which were measured now.
pub(crate) fn of_command(
    imported: &Imported,
    root: &Path,
    delivery: &Delivery<'_>,
    mut limits: Limits<'_>,
) -> crate::Result<()> {
    let (name, bytes) = results(imported, root, &mut limits)?;
    let import = parse_file(&name, &bytes, imported.format)?;
    let report = report_of(delivery.subject.clone(), [Utc::now(); 2]);
    let Taken { text, kept } =
        take(delivery, delivery.output(), Run { report, import, name, bytes, options: Options::default() })?;
    output::print(&text)?;
    kept.map_or(Ok(()), Kept::send)
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
        Some(file) => input::read(&root.join(file)),
        None => {
            let bytes = printed.rewind().and_then(|()| input::read_all(printed)).on_disk(root)?;
            Ok((command.program().to_owned(), bytes))
        }
    }
}

/// A run to import.
struct Run {
    /// Without results, which are in `import`.
    report: RunReport,
    import: Import,
    /// The name of the original file.
    name: String,
    bytes: Vec<u8>,
    options: Options,
}

impl Run {
    /// Joins files of one commit, machine and tool. The same files always have the same run id.
    fn of_files(
        origins: &Origins<'_>,
        place: &Place,
        of_files: &[Origin],
        mut files: Vec<Loaded>,
        options: Options,
    ) -> crate::Result<Self> {
        let mut digests: BTreeSet<[u8; 32]> = BTreeSet::new();
        let mut repeated = 0;
        files.retain(|file| {
            let is_new = digests.insert(Sha256::digest(&file.bytes).into());
            if !is_new {
                eprintln!("{}: imported once, because another file has the same content", file.shown);
                repeated += 1;
            }
            is_new
        });
        let subject = origins.subject(place, of_files)?;
        let commit = &subject.repository.commit;
        let (measured, sorted_at) = origin::times(of_files, commit);
        let mut report = report_of(subject, measured);
        let format = Slug::from_name(place.format);
        let identity =
            (&report.project, &report.machine.slug, &report.commit.sha, format, options.unit, digests);
        report.run_id = RunId::derive(sorted_at, &identity);
        let (name, bytes) = original(&mut files)?;
        let mut files = files.into_iter();
        let Some(Loaded { mut import, .. }) = files.next() else {
            return Err(Failure::Usage("expected at least one file".into()));
        };
        for Loaded { shown, import: mut more, .. } in files {
            // They are printed already.
            more.warnings.clear();
            import.warnings.clear();
            import.join(more).map_err(|error| Failure::Usage(format!("{shown}: {error}")))?;
            print_warnings(&shown, &import.warnings);
        }
        import.warnings.clear();
        import.skipped += repeated;
        import.fold().map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
        print_warnings(&name, &import.warnings);
        Ok(Self { report, import, name, bytes, options })
    }
}

/// The name and bytes of the file that the server keeps: an archive if there are several. Takes the bytes.
fn original(files: &mut [Loaded]) -> crate::Result<(String, Vec<u8>)> {
    if let [file] = files {
        return Ok((std::mem::take(&mut file.name), std::mem::take(&mut file.bytes)));
    }
    let distinct: HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let are_distinct = distinct.len() == files.len();
    let name = |(number, file): (usize, &Loaded)| match are_distinct {
        true => file.name.clone(),
        false => format!("{number}-{}", file.name),
    };
    let names: Vec<String> = (1..).zip(files.iter()).map(name).collect();
    let contents = names.iter().zip(files.iter()).map(|(name, file)| (name.as_str(), file.bytes.as_slice()));
    let bytes = archive::create(contents)
        .map_err(|error| Failure::Usage(format!("cannot put the files in one archive: {error}")))?;
    files.iter_mut().for_each(|file| file.bytes = Vec::new());
    if bytes.len() > INPUT_BYTES_MAX {
        return Err(Failure::Usage(format!(
            "the files of one run have {} bytes: expected at most {INPUT_BYTES_MAX}. Import fewer at a time.",
            bytes.len()
        )));
    }
    Ok((ARCHIVE.to_owned(), bytes))
}

/// A written and kept run.
struct Taken {
    /// Its tables.
    text: String,
    /// The upload, if requested.
    kept: Option<Kept>,
}

/// Writes a run, and keeps it for its upload. As a report, results can take a hundred times the memory of the file, so
/// each is written and dropped before the next one is created.
fn take(
    delivery: &Delivery<'_>,
    output: Option<&Path>,
    Run { report, import, name, bytes, options }: Run,
) -> crate::Result<Taken> {
    let format = Slug::from_name(import.format.slug());
    let base64 = delivery.is_uploaded().then(|| BASE64_STANDARD.encode(&bytes));
    drop(bytes);
    let mut tables = ImportedTables::default();
    match output {
        Some(path) => spool::write_parts(path, |file| {
            let write = || {
                let mut writer = ReportWriter::new(&report, BufWriter::new(file))?;
                for (result, repetitions) in import.into_results() {
                    writer.write(&result, repetitions.to_wire())?;
                    tables.add(&result, &repetitions);
                }
                writer.finish()?.flush()
            };
            write().on_disk(path)
        })?,
        None => {
            import.into_results().for_each(|(result, repetitions)| tables.add(&result, &repetitions));
        }
    }
    let text = tables.render(&report);
    let kept = base64
        .map(|base64| {
            delivery
                .keep_import(report, ImportedFile { name, format: Some(format), unit: options.unit, base64 })
        })
        .transpose()?;
    Ok(Taken { text, kept })
}

/// Parses the bytes into a report of results that were measured now, and returns it with the detected format.
pub(crate) fn report(
    subject: Subject,
    name: &str,
    bytes: &[u8],
    format: OrAuto<Format>,
) -> crate::Result<(RunReport, Format)> {
    let import = parse_file(name, bytes, format)?;
    let format = import.format;
    let report = RunReport { results: whole(import), ..report_of(subject, [Utc::now(); 2]) };
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

fn parse(name: &str, bytes: &[u8], format: OrAuto<Format>, options: &Options) -> crate::Result<Import> {
    roundtrip_import::import(bytes, format.0, options)
        .map_err(|error| Failure::Usage(format!("{name}: {error}")))
}

/// [`parse()`], with its warnings on standard error.
fn parse_file(name: &str, bytes: &[u8], format: OrAuto<Format>) -> crate::Result<Import> {
    let import = parse(name, bytes, format, &Options::default())?;
    print_warnings(name, &import.warnings);
    Ok(import)
}

/// A report without results, with a random id.
fn report_of(subject: Subject, [started_at, finished_at]: [DateTime<Utc>; 2]) -> RunReport {
    let outcome = Outcome {
        // A file does not describe the machine in our terms.
        environment: Environment::default(),
        canaries: Vec::new(),
        order_seed: 0,
        started_at,
        finished_at,
        results: Vec::new(),
    };
    let mut report = subject.report(RunId::draw(), &Slug::from_name("import"), Vec::new(), outcome);
    report.suite.build = Slug::from_name(UNKNOWN);
    report
}
