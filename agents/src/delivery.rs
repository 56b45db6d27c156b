//! Creates a report, saves it and uploads it.

use crate::ci::{self, Place};
use crate::cli::DeliveryArguments;
use crate::failure::Failure;
use crate::http::Refusal;
use crate::ledger::Ledger;
use crate::repository::Repository;
use crate::settings::Settings;
use crate::spool;
use crate::upload::{self, Stored, Upload, UploadKind};
use roundtrip_bench::definition::Plan;
use roundtrip_bench::environment;
use roundtrip_bench::harness::Outcome;
use roundtrip_wire::import::{ImportRequest, ImportedFile};
use roundtrip_wire::{MeasuredProgram, ProgramOrigin, RunId, RunReport, SCHEMA_VERSION, Slug, Suite};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// The metadata shared by all reports of a command.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) repository: Repository,
    pub(crate) project: Slug,
    /// This machine's name, if it is not its host name.
    pub(crate) machine: Option<Slug>,
    pub(crate) pull_request: Option<u64>,
}

/// The requested destinations, checked before measuring.
#[derive(Debug)]
pub(crate) struct Delivery<'a> {
    pub(crate) subject: Subject,
    token: Option<String>,
    arguments: &'a DeliveryArguments,
}

/// A report that is stored until the server has it.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) report: RunReport,
    /// The uploaded body: the report, or an imported file with a report without results.
    pub(crate) json: Vec<u8>,
    upload: Option<Addressed>,
}

/// An upload that the server has.
#[derive(Clone, Debug)]
pub(crate) struct Uploaded {
    /// The server had this import before.
    pub(crate) is_repeated_import: bool,
    /// The address of the run's page.
    page: String,
}

impl fmt::Display for Uploaded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_repeated_import, page } = self;
        write!(
            formatter,
            "{}: {page}",
            if *is_repeated_import { "Already imported, unchanged" } else { "Uploaded" }
        )
    }
}

#[derive(Debug)]
struct Addressed {
    server: String,
    token: String,
    token_file: Option<PathBuf>,
    what: UploadKind,
    kept: PathBuf,
}

impl DeliveryArguments {
    pub(crate) fn are_given(&self) -> bool {
        self.output.is_some() || self.upload.is_some()
    }
}

impl<'a> Delivery<'a> {
    /// For results that are measured now on this machine, at the checked-out commit. Reads the token.
    pub(crate) fn prepare(
        arguments: &'a DeliveryArguments,
        repository: Repository,
        settings: &Settings,
    ) -> crate::Result<Self> {
        let delivery = Self::prepare_import(arguments, repository, settings)?;
        if arguments.upload.is_some() {
            settings.check_machine(&environment::machine(arguments.machine.clone()).slug)?;
        }
        let subject = delivery.subject_at(delivery.subject.repository.clone())?;
        Ok(Self { subject, ..delivery })
    }

    /// [`Delivery::prepare()`] for results of any commit and machine, which the caller checks.
    pub(crate) fn prepare_import(
        arguments: &'a DeliveryArguments,
        repository: Repository,
        settings: &Settings,
    ) -> crate::Result<Self> {
        if arguments.upload.is_some() {
            repository.check_commit()?;
        }
        let project = settings.project(arguments.project.as_ref(), &repository.name);
        let token = arguments.upload.as_ref().map(|_| upload::token(&arguments.token)).transpose()?;
        let (machine, pull_request) = (arguments.machine.clone(), arguments.pull_request);
        let subject = Subject { repository, project, machine, pull_request };
        Ok(Self { subject, token, arguments })
    }

    /// The subject of a commit, with the branch and the pull request of its CI job.
    pub(crate) fn subject_at(&self, mut repository: Repository) -> crate::Result<Subject> {
        // Nothing to save if the report is only printed; no pull request without a commit.
        let has_place = self.arguments.are_given() && !repository.commit.is_absent();
        let asked = self.arguments.pull_request;
        let place = if has_place { ci::place(asked, &repository)? } else { Place::default() };
        repository.branch = place.branch.or(repository.branch);
        Ok(Subject { repository, pull_request: place.pull_request, ..self.subject.clone() })
    }

    /// Checks the server and the token, so that they do not fail after the measurement. A server that does not answer is no
    /// failure: it may answer later, and the report is kept.
    pub(crate) fn check_server(&self) -> crate::Result<()> {
        let (Some(server), Some(token)) = (&self.arguments.upload, &self.token) else { return Ok(()) };
        upload::check_address(server)?;
        match upload::check_token(server, token, &self.subject.project) {
            Err(Refusal::Temporary(reason, _)) => {
                eprintln!(
                    "warning: {reason}\nMeasuring anyway. If the upload fails too, the report is kept."
                );
                Ok(())
            }
            checked => Ok(checked?),
        }
    }

    /// The requested file.
    pub(crate) fn output(&self) -> Option<&Path> {
        self.arguments.output.as_deref()
    }

    /// Whether an upload was requested.
    pub(crate) fn is_uploaded(&self) -> bool {
        self.arguments.upload.is_some()
    }

    /// Writes the report to the requested file, and to the spool until the server has it.
    pub(crate) fn keep(
        &self,
        id: RunId,
        plan: &Plan,
        programs: Vec<MeasuredProgram>,
        outcome: Outcome,
    ) -> crate::Result<Kept> {
        let report = self.subject.clone().report(id, &plan.preset, programs, outcome);
        let json = json(&report)?;
        if let Some(path) = self.output() {
            spool::write(path, &json)?;
        }
        self.kept(report, UploadKind::Report(id), json)
    }

    /// Writes an imported file with a report without results to the spool until the server has it. The server reads the
    /// results out of the file.
    pub(crate) fn keep_import(&self, report: RunReport, file: ImportedFile) -> crate::Result<Kept> {
        let request = ImportRequest { report, file };
        let json = json(&request)?;
        let what = UploadKind::Import(request.report.run_id);
        self.kept(request.report, what, json)
    }

    fn kept(&self, report: RunReport, what: UploadKind, json: Vec<u8>) -> crate::Result<Kept> {
        let upload = self.arguments.upload.clone().zip(self.token.clone()).map(|(server, token)| {
            let kept = match what {
                UploadKind::Report(id) => spool::path(&spool::folder(), id),
                UploadKind::Import(id) => spool::import_path(&spool::folder(), id),
            };
            Addressed { server, token, token_file: self.arguments.token.token_file.clone(), what, kept }
        });
        if let Some(Addressed { kept, .. }) = &upload {
            spool::write_private(kept, &json)?;
        }
        Ok(Kept { report, json, upload })
    }
}

fn json(value: &impl Serialize) -> crate::Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Failure::Other(format!("cannot encode the report: {error}")))
}

impl Subject {
    pub(crate) fn report(
        self,
        run_id: RunId,
        preset: &Slug,
        programs: Vec<MeasuredProgram>,
        outcome: Outcome,
    ) -> RunReport {
        let Self { repository, project, machine, pull_request } = self;
        let is_found = programs.iter().any(|program| program.origin == ProgramOrigin::Found);
        RunReport {
            schema_version: SCHEMA_VERSION,
            run_id,
            project,
            branch: repository.branch,
            default_branch: repository.default_branch,
            pull_request,
            job: None,
            commit: repository.commit,
            work_tree_modified: repository.work_tree_modified || is_found,
            history: repository.history,
            machine: environment::machine(machine),
            environment: outcome.environment,
            canaries: outcome.canaries,
            suite: Suite {
                version: env!("CARGO_PKG_VERSION").into(),
                preset: preset.clone(),
                order_seed: outcome.order_seed,
                build: Slug::from_name(roundtrip_bench::BUILD),
            },
            programs,
            started_at: outcome.started_at,
            finished_at: outcome.finished_at,
            results: outcome.results,
        }
    }
}

impl Kept {
    /// Uploads it if requested, and prints the address of its page.
    pub(crate) fn send(self) -> crate::Result<()> {
        if let Some(uploaded) = self.upload()? {
            eprintln!("{uploaded}");
        }
        Ok(())
    }

    /// Uploads it if requested.
    pub(crate) fn upload(self) -> crate::Result<Option<Uploaded>> {
        let Some(Addressed { server, token, token_file, what, kept }) = self.upload else { return Ok(None) };
        let token_file = token_file.as_deref();
        let destination = Destination { server: &server, token: &token, token_file, quarantined: false };
        let uploaded = deliver(destination, what, &self.report, &self.json, &kept)?;
        spool::remove(&kept)?;
        Ok(Some(uploaded))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    pub(crate) server: &'a str,
    pub(crate) token: &'a str,
    /// The file with the token, for a retry.
    pub(crate) token_file: Option<&'a Path>,
    /// Whether the server stores it outside the trend.
    pub(crate) quarantined: bool,
}

impl Destination<'_> {
    /// The command that uploads this file, to paste into a shell.
    fn retry(&self, file: &Path) -> String {
        let file = file.to_string_lossy();
        let token_file = self.token_file.map(Path::to_string_lossy);
        let mut words = vec!["roundtrip", "upload", &file, "--server", self.server];
        words.extend(token_file.iter().flat_map(|file| ["--token-file", file]));
        words.extend(self.quarantined.then_some("--quarantined"));
        words.into_iter().map(as_argument).collect::<Vec<_>>().join(" ")
    }
}

/// A word quoted for the shell: on macOS, the folder of saved reports has a space in its name.
fn as_argument(word: &str) -> String {
    if !cfg!(windows) {
        return shell_words::quote(word).into_owned();
    }
    if word.contains([' ', '&']) { format!("\"{word}\"") } else { word.to_owned() }
}

pub(crate) fn deliver(
    destination: Destination<'_>,
    what: UploadKind,
    report: &RunReport,
    body: &[u8],
    kept: &Path,
) -> crate::Result<Uploaded> {
    let Destination { server, token, quarantined, .. } = destination;
    // A report outside of the spool may have been acknowledged long ago, so it is not counted.
    let ledger = (kept.parent() == Some(&spool::folder())).then(|| Ledger::new(&spool::folder(), server));
    let upload = Upload::new(server, what, quarantined, body, ledger);
    match upload.and_then(|upload| upload.send(token)) {
        Ok(stored) => {
            let server = server.trim_end_matches('/');
            Ok(Uploaded {
                is_repeated_import: matches!((what, stored), (UploadKind::Import(_), Stored::AlreadyExists)),
                page: format!("{server}/{}/runs/{}", report.project, report.run_id),
            })
        }
        Err(Refusal::Temporary(reason, _)) => {
            Err(Failure::Spooled { reason, kept: PathBuf::from(kept), retry: destination.retry(kept) })
        }
        Err(Refusal::Final(reason)) => {
            Err(Failure::Other(format!("{reason}\nThe report was saved: {}", kept.display())))
        }
        Err(Refusal::Token(reason)) => {
            let (kept, retry) = (kept.display(), destination.retry(kept));
            let hint = format!("The report was saved: {kept}\nWith a valid token, upload it with: {retry}");
            Err(Failure::Authentication(format!("{reason}\n{hint}")))
        }
    }
}
