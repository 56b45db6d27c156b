//! Windows: a service under a virtual account, as a file that says all of it. `platform` does what it says.

use super::step::{Step, fill};
use super::{LabService, Manager, Running, Service};
use crate::failure::Failure;
use crate::platform::{self, SERVICE_NAME as NAME, ServiceRequest, System};
use std::path::{Path, PathBuf};

const ACCOUNT: &str = r"NT SERVICE\roundtrip-agent";
const TEMPLATE: &str = include_str!("../../packaging/windows/service.toml");

pub(super) struct ControlManager;

impl ControlManager {
    fn log_file(&self) -> String {
        format!(r"{}\agent.log", self.state().display())
    }
}

impl Manager for ControlManager {
    fn name(&self) -> &'static str {
        NAME
    }

    fn state(&self) -> PathBuf {
        platform::program_data(NAME)
    }

    fn log(&self) -> String {
        format!("more \"{}\"", self.log_file())
    }

    fn install(&self, service: &Service) -> crate::Result<Vec<Step>> {
        let state = self.state();
        let state = state.to_string_lossy();
        let arguments = service.arguments(&service.token_file, &state);
        Ok(vec![
            Step::Folder(self.state()),
            Step::Ask(ServiceRequest::Create(settings(&service.program, arguments, &self.log_file()))),
            // The account exists once the service does.
            grant(&state, "(OI)(CI)M"),
            grant(&service.token_file, "R"),
            Step::Ask(ServiceRequest::Start),
        ])
    }

    fn system(&self) -> System {
        System::Windows
    }

    fn install_lab(&self, service: &LabService) -> crate::Result<Vec<Step>> {
        if !service.is_trusting {
            return Err(Failure::Refused(
                "what repositories build cannot be kept apart from this service: nobody has tried how on Windows. Where \
                 all that is measured is to be trusted, say so with --trust-repositories"
                    .into(),
            ));
        }
        let state = self.state();
        Ok(vec![
            // The log is there, whoever has the reports.
            Step::Folder(state.clone()),
            Step::Ask(ServiceRequest::Create(settings(
                &service.program,
                service.arguments(),
                &self.log_file(),
            ))),
            grant(&state.to_string_lossy(), "(OI)(CI)M"),
            grant(&service.state, "(OI)(CI)M"),
            Step::Ask(ServiceRequest::Start),
        ])
    }

    fn uninstall(&self) -> Vec<Step> {
        vec![Step::Ask(ServiceRequest::Delete)]
    }

    fn is_installed(&self) -> crate::Result<bool> {
        Ok(platform::controlled()?.is_some())
    }

    fn running(&self) -> crate::Result<Option<Running>> {
        let process_id = platform::controlled()?.filter(|id| *id != 0);
        Ok(process_id.map(|id| Running { process_id: Some(id), ..Running::noted(self) }))
    }

    fn last_line(&self) -> Option<String> {
        super::last_line_of(Path::new(&self.log_file()), "")
    }
}

fn grant(path: &str, rights: &str) -> Step {
    Step::run(["icacls", path, "/grant", &format!("{ACCOUNT}:{rights}")])
}

fn settings(program: &str, mut arguments: Vec<String>, log: &str) -> String {
    arguments.extend(["--log".to_owned(), log.to_owned()]);
    let toml = |text: &str| toml::Value::from(text).to_string();
    let values = [
        ("account", toml(ACCOUNT)),
        ("arguments", toml::Value::from(arguments).to_string()),
        ("name", toml(NAME)),
        ("program", toml(program)),
    ];
    fill(TEMPLATE, &values)
}
