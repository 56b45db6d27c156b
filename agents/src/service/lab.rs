//! The service of a machine that was enrolled: an agent that takes jobs. It begins as root, because it gives up its rights for
//! what repositories build, and has its folder from `roundtrip enrol`.

use super::Manager;
use crate::cli::LabArguments;
use crate::failure::Failure;
use crate::lab::runner;

/// The service that is to be, as [`super::Service`] is of a checkout.
#[derive(Clone, Debug)]
pub(super) struct LabService {
    pub(super) program: String,
    pub(super) state: String,
    pub(super) job_user: String,
    pub(super) is_trusting: bool,
    /// The limits that it is started with.
    pub(super) limits: Vec<String>,
}

impl LabService {
    pub(super) fn of(lab: &LabArguments, manager: &dyn Manager) -> crate::Result<Self> {
        let state = match &lab.state {
            Some(told) => super::absolute(told)?,
            None => super::one_line(&manager.system().lab_state().to_string_lossy())?,
        };
        let timeout = humantime::format_duration(lab.command_timeout).to_string().replace(' ', "");
        let limits = [
            ("--command-timeout", timeout),
            ("--memory-mib-max", lab.memory_mib_max.to_string()),
            ("--disk-mib-max", lab.disk_mib_max.to_string()),
        ];
        Ok(Self {
            program: super::program()?,
            state,
            job_user: super::one_line(lab.job_user.as_deref().unwrap_or(runner::USER))?,
            is_trusting: lab.trust_repositories,
            limits: limits.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect(),
        })
    }

    /// What the program is started with.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["agent".to_owned(), "--state".into(), self.state.clone()];
        if self.is_trusting {
            arguments.push("--trust-repositories".into());
        } else {
            arguments.extend(["--job-user".into(), self.job_user.clone()]);
        }
        arguments.extend(self.limits.iter().cloned());
        arguments
    }

    /// Of systems where the service is root.
    ///
    /// # Errors
    /// What repositories build would be root, too.
    pub(super) fn check_confined(&self) -> crate::Result<()> {
        if !self.is_trusting {
            return Ok(());
        }
        Err(Failure::Refused(
            "this service runs as root, and with --trust-repositories so would all that repositories build: expected a \
             user without rights, --job-user"
                .into(),
        ))
    }
}
