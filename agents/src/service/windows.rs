//! Windows: a service under a virtual account, described by settings that `platform` applies.

use super::step::{Step, fill};
use super::{Manager, Running};
use crate::failure::Failure;
use crate::platform::{self, SERVICE_NAME as NAME, ServiceRequest, System};
use std::path::{Path, PathBuf};

const ACCOUNT: &str = r"NT SERVICE\roundtrip-agent";
const TEMPLATE: &str = include_str!("../../packaging/windows/service.toml");

fn state() -> PathBuf {
    platform::program_data(NAME)
}

fn log_file() -> String {
    format!(r"{}\agent.log", state().display())
}

pub(super) static MANAGER: Manager = Manager {
    system: System::Windows,
    name: NAME,
    file: None,
    state,
    log: || format!("more \"{}\"", log_file()),
    install: |service| {
        let folder = state();
        let state = folder.to_string_lossy();
        let arguments = service.arguments(&service.token_file, &state);
        Ok(vec![
            Step::Folder(folder.clone()),
            Step::Ask(ServiceRequest::Create(settings(&service.program, arguments, &log_file()))),
            // The account exists once the service does.
            grant(&state, "(OI)(CI)M"),
            grant(&service.token_file, "R"),
            Step::Ask(ServiceRequest::Start),
        ])
    },
    install_lab: |service| {
        if !service.is_trusting {
            return Err(Failure::Refused(
                "cannot isolate the repositories' commands on Windows. If you trust all measured \
                 repositories, pass --trust-repositories."
                    .into(),
            ));
        }
        let state = state();
        Ok(vec![
            // The log's folder always exists.
            Step::Folder(state.clone()),
            Step::Ask(ServiceRequest::Create(settings(&service.program, service.arguments(), &log_file()))),
            grant(&state.to_string_lossy(), "(OI)(CI)M"),
            grant(&service.state, "(OI)(CI)M"),
            Step::Ask(ServiceRequest::Start),
        ])
    },
    uninstall: || vec![Step::Ask(ServiceRequest::Delete)],
    check_machine: || Ok(()),
    check: |_| Ok(()),
    running: || {
        let process_id = platform::controlled()?.filter(|id| *id != 0);
        Ok(process_id.map(|id| Running { process_id: Some(id), ..Running::noted(&MANAGER) }))
    },
    last_line: || super::last_line_of(Path::new(&log_file()), ""),
};

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
