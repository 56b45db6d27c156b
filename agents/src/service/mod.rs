//! `roundtrip service`: runs an agent with the system's service manager. A dry run works for every system on
//! every system.
//!
//! Status as JSON: `{"name": ..., "state": ..., "since": ..., "process_id": ..., "last_line": ...}`. `state`
//! is `not-installed`, `stopped` or `running`; unknown values are null. Members are only ever added.

use crate::cli::{Format, InstallArguments, LabArguments, ServiceCommand, Watched, WorkArguments};
use crate::failure::Failure;
use crate::lab::runner;
use crate::platform::System;
use crate::repository::{Git, Repository};
use crate::spool::Holder;
use crate::{output, platform, presets, run, upload};
use chrono::{DateTime, Utc};
use roundtrip_wire::Slug;
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use step::Step;

mod freebsd;
mod launchd;
mod step;
mod systemd;
#[cfg(test)]
mod tests;
mod windows;

fn manager(system: System) -> &'static Manager {
    match system {
        System::Freebsd => &freebsd::MANAGER,
        System::Linux => &systemd::MANAGER,
        System::Macos => &launchd::MANAGER,
        System::Windows => &windows::MANAGER,
    }
}

/// A system's own way to keep a program running.
struct Manager {
    system: System,
    /// Its name for the service.
    name: &'static str,
    /// A file that exists while the service is installed; on Windows the service control manager knows.
    file: Option<&'static str>,
    /// The folder of the spool, which is kept when the service is removed.
    state: fn() -> PathBuf,
    /// The command that shows the log.
    log: fn() -> String,
    /// The steps that install the service, in order; the last one starts it.
    install: fn(&Service) -> crate::Result<Vec<Step>>,
    /// The same for an enrolled agent. A machine has one agent, so it is the same service.
    install_lab: fn(&LabService) -> crate::Result<Vec<Step>>,
    /// The steps that stop and remove it, in order. A failed step does not prevent the others.
    uninstall: fn() -> Vec<Step>,
    /// Checks that this manager runs the machine.
    check_machine: fn() -> crate::Result<()>,
    /// Checks a checkout before any change.
    check: fn(&Service) -> crate::Result<()>,
    /// The running service; `None` if it is stopped.
    running: fn() -> crate::Result<Option<Running>>,
    /// The last line of its log, if it is quickly available.
    last_line: fn() -> Option<String>,
}

impl Manager {
    fn is_installed(&self) -> crate::Result<bool> {
        match self.file {
            Some(file) => Ok(Path::new(file).exists()),
            None => Ok(platform::controlled()?.is_some()),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Running {
    since: Option<DateTime<Utc>>,
    process_id: Option<u32>,
}

impl Running {
    /// The note of the agent in its spool, for a checkout or a lab.
    fn noted(manager: &Manager) -> Self {
        let holder = Holder::read(&(manager.state)())
            .or_else(|| Holder::read(&manager.system.lab_state().join("spool")));
        Self {
            since: holder.as_ref().map(|holder| holder.since),
            process_id: holder.map(|holder| holder.process_id),
        }
    }
}

/// The service to install. Paths are absolute, and every text fits in one line of any file.
#[derive(Clone, Debug)]
struct Service {
    program: String,
    repository: String,
    /// The owner of the repository, if it is a user.
    owner: Option<String>,
    server: String,
    token_file: String,
    preset: Option<String>,
    every: Duration,
    machine: Option<Slug>,
    project: Option<Slug>,
}

impl Service {
    fn new(watched: Watched<'_>, work: &WorkArguments) -> crate::Result<Self> {
        let preset = work.preset.as_deref();
        preset.map(presets::plan).transpose()?;
        upload::check_address(watched.upload)?;
        Ok(Self {
            program: program()?,
            repository: absolute(watched.repository)?,
            owner: platform::owner(watched.repository).ok(),
            server: one_line(watched.upload)?,
            token_file: absolute(watched.token_file)?,
            preset: preset
                .map(
                    |preset| {
                        if is_file(preset) { absolute(Path::new(preset)) } else { Ok(preset.to_owned()) }
                    },
                )
                .transpose()?,
            every: work.every,
            machine: work.machine.clone(),
            project: work.project.clone(),
        })
    }

    /// The arguments of the program. The token is in a file that the service can read.
    fn arguments(&self, token_file: &str, spool: &str) -> Vec<String> {
        let every = humantime::format_duration(self.every).to_string().replace(' ', "");
        let mut arguments = vec!["agent".to_owned()];
        let mut option = |name: &str, value: &str| arguments.extend([name.to_owned(), value.to_owned()]);
        option("--repository", &self.repository);
        option("--upload", &self.server);
        option("--token-file", token_file);
        option("--spool", spool);
        if let Some(preset) = &self.preset {
            option("--preset", preset);
        }
        option("--every", &every);
        let names = [("--machine", &self.machine), ("--project", &self.project)];
        for (name, value) in names.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            option(name, value.as_str());
        }
        arguments
    }

    fn readable(&self) -> Vec<&str> {
        let preset = self.preset.as_deref().filter(|preset| is_file(preset));
        [self.program.as_str(), &self.repository].into_iter().chain(preset).collect()
    }
}

// The service of an enrolled machine: an agent that takes jobs. It starts as root, because it drops
// privileges for the repositories' commands. `roundtrip enrol` has created its folder.

/// The service of an enrolled agent; [`Service`] is the one of a checkout.
#[derive(Clone, Debug)]
struct LabService {
    program: String,
    state: String,
    job_user: String,
    is_trusting: bool,
    allows_local: bool,
    limits: Vec<String>,
}

impl LabService {
    fn from_arguments(lab: &LabArguments, manager: &Manager) -> crate::Result<Self> {
        let state = match &lab.state {
            Some(text) => absolute(text)?,
            None => one_line(&manager.system.lab_state().to_string_lossy())?,
        };
        let timeout = humantime::format_duration(lab.commands.timeout).to_string().replace(' ', "");
        let limits = [
            ("--command-timeout", timeout),
            ("--memory-mib-max", lab.memory_mib_max.to_string()),
            ("--disk-mib-max", lab.disk_mib_max.to_string()),
        ];
        Ok(Self {
            program: program()?,
            state,
            job_user: one_line(lab.job_user.as_deref().unwrap_or(runner::USER))?,
            is_trusting: lab.trust_repositories,
            allows_local: lab.allow_local_repositories,
            limits: limits.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect(),
        })
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["agent".to_owned(), "--state".into(), self.state.clone()];
        if self.is_trusting {
            arguments.push("--trust-repositories".into());
        } else {
            arguments.extend(["--job-user".into(), self.job_user.clone()]);
        }
        if self.allows_local {
            arguments.push("--allow-local-repositories".into());
        }
        arguments.extend(self.limits.iter().cloned());
        arguments
    }

    /// For systems where the service runs as root.
    fn check_confined(&self) -> crate::Result<()> {
        if !self.is_trusting {
            return Ok(());
        }
        Err(Failure::Refused(
            "--trust-repositories would run the repositories' commands as root. Pass --job-user with an \
             unprivileged user instead."
                .into(),
        ))
    }
}

fn program() -> crate::Result<String> {
    absolute(&run::program()?)
}

fn is_file(preset: &str) -> bool {
    Path::new(preset).extension().is_some_and(|extension| extension == "toml")
}

fn absolute(path: &Path) -> crate::Result<String> {
    let absolute = std::path::absolute(path)
        .map_err(|error| Failure::Usage(format!("invalid path `{}`: {error}", path.display())))?;
    match absolute.to_str() {
        Some(text) => one_line(text),
        None => Err(Failure::Usage(format!("{} is not UTF-8, which service files require", path.display()))),
    }
}

fn one_line(text: &str) -> crate::Result<String> {
    if text.contains(char::is_control) {
        return Err(Failure::Usage(format!(
            "{text:?} contains a control character, which service files do not allow"
        )));
    }
    Ok(text.to_owned())
}

pub(crate) fn service(command: &ServiceCommand) -> crate::Result<()> {
    match command {
        ServiceCommand::Install(arguments) => install(arguments),
        ServiceCommand::Uninstall => uninstall(manager(platform::SYSTEM)),
        ServiceCommand::Status(arguments) => status(manager(platform::SYSTEM), arguments.format),
    }
}

fn install(arguments: &InstallArguments) -> crate::Result<()> {
    let manager = manager(arguments.system.unwrap_or(platform::SYSTEM));
    let checkout = match arguments.work.watched() {
        Some(watched) => Some((watched, Service::new(watched, &arguments.work)?)),
        None => None,
    };
    let steps = match &checkout {
        Some((_, service)) => (manager.install)(service)?,
        None => (manager.install_lab)(&LabService::from_arguments(&arguments.lab, manager)?)?,
    };
    if arguments.print {
        return output::print(&step::listing(&steps));
    }
    // Run all checks before changing anything.
    if manager.is_installed()? {
        return Err(Failure::Other(format!(
            "{} is already installed. To change it, run `roundtrip service uninstall` first; pending \
             reports are kept.",
            manager.name
        )));
    }
    if !platform::is_administrator() {
        return Err(Failure::Other(format!(
            "installing a service needs root or Administrator: {}. For a dry run, pass --print.",
            platform::TO_BE_ADMINISTRATOR
        )));
    }
    match &checkout {
        Some((watched, service)) => {
            Repository::read(&Git::named(watched.repository))?;
            check_token(watched.token_file)?;
            (manager.check)(service)?;
        }
        // Otherwise the service manager would restart it forever.
        None => crate::lab::check(&arguments.lab)?,
    }
    (manager.check_machine)()?;

    let Some((start, steps)) = steps.split_last() else { return Ok(()) };
    if let Some(failure) = steps.iter().find_map(|step| step.take().err()) {
        for step in (manager.uninstall)() {
            // Report the original failure only.
            let _ = step.take();
        }
        return Err(Failure::Other(format!("{failure}\nNothing was installed.")));
    }
    start.take().map_err(|failure| {
        Failure::Other(format!(
            "installed, but it does not start: {failure}\nShow the log: {}\nTo remove it: roundtrip service \
             uninstall",
            (manager.log)()
        ))
    })?;
    eprintln!("Installed and started {}. Show the log: {}", manager.name, (manager.log)());
    Ok(())
}

fn check_token(path: &Path) -> crate::Result<()> {
    upload::token_in(path)?;
    if platform::others_may_read(path).unwrap_or(false) {
        return Err(Failure::Authentication(format!(
            "other users can read the token {}. Run: chmod 600 {}",
            path.display(),
            step::shell(&path.to_string_lossy())
        )));
    }
    Ok(())
}

fn uninstall(manager: &Manager) -> crate::Result<()> {
    if !manager.is_installed()? {
        return Err(Failure::Other(format!("{} is not installed", manager.name)));
    }
    if !platform::is_administrator() {
        return Err(Failure::Other(format!(
            "removing a service needs root or Administrator: {}",
            platform::TO_BE_ADMINISTRATOR
        )));
    }
    let failures: Vec<Failure> = (manager.uninstall)().iter().filter_map(|step| step.take().err()).collect();
    if let (true, Some(failure)) = (manager.is_installed()?, failures.into_iter().next()) {
        return Err(failure);
    }
    eprintln!(
        "Removed {}. Pending reports are kept in {}; those of an enrolled agent in its --state folder, by \
         default {}.",
        manager.name,
        (manager.state)().display(),
        manager.system.lab_state().display()
    );
    Ok(())
}

#[derive(Debug, Serialize)]
struct Status {
    name: &'static str,
    state: State,
    since: Option<DateTime<Utc>>,
    process_id: Option<u32>,
    last_line: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    NotInstalled,
    Stopped,
    Running,
}

fn status(manager: &Manager, format: Format) -> crate::Result<()> {
    let is_installed = manager.is_installed()?;
    let running = if is_installed { (manager.running)()? } else { None };
    let state = match (is_installed, &running) {
        (false, _) => State::NotInstalled,
        (true, None) => State::Stopped,
        (true, Some(_)) => State::Running,
    };
    let Running { since, process_id } = running.unwrap_or_default();
    let last_line = if is_installed { (manager.last_line)() } else { None };
    let status = Status { name: manager.name, state, since, process_id, last_line };
    match format {
        Format::Json => output::print_json(&status)?,
        Format::Human => output::print(&status.text(&(manager.log)()))?,
    }
    if state == State::Running { Ok(()) } else { Err(Failure::Printed) }
}

impl Status {
    fn text(&self, log: &str) -> String {
        let mut text = format!("{}: ", self.name);
        text += match self.state {
            State::NotInstalled => return text + "not installed",
            State::Stopped => "installed, stopped",
            State::Running => "running",
        };
        text.extend(self.since.map(|since| format!(" since {since}")));
        text.extend(self.process_id.map(|process_id| format!(", process {process_id}")));
        text.extend(self.last_line.as_ref().map(|line| format!("\nlast line: {line}")));
        text + "\nlog: " + log
    }
}

fn ask(program: &str, arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn last_line_of(path: &Path, holds: &str) -> Option<String> {
    /// The size of the searched end of the log file.
    const TAIL_BYTES: u64 = 64 * 1024;
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    String::from_utf8_lossy(&bytes).lines().rfind(|line| line.contains(holds)).map(str::to_owned)
}
