//! macOS: a launchd daemon that runs as the owner of the repository. launchd has no dynamic users and no way
//! to pass secrets; the owner can read the checkout and can own the token.

use super::step::{Step, fill, shell, xml};
use super::{Manager, Running, Service, ask};
use crate::failure::Failure;
use crate::platform::{self, System};
use std::path::Path;

const LABEL: &str = "io.github.roundtrip-ipc.agent";
const TARGET: &str = "system/io.github.roundtrip-ipc.agent";
const FILE: &str = "/Library/LaunchDaemons/io.github.roundtrip-ipc.agent.plist";
const STATE: &str = "/Library/Application Support/roundtrip-agent";
const LOG: &str = "/Library/Application Support/roundtrip-agent/agent.log";
const CRASHES: &str = "/Library/Application Support/roundtrip-agent/crash.log";
const TEMPLATE: &str = include_str!("../../packaging/launchd/io.github.roundtrip-ipc.agent.plist");

pub(super) static MANAGER: Manager = Manager {
    system: System::Macos,
    name: LABEL,
    file: Some(FILE),
    state: || STATE.into(),
    log: || format!("tail '{LOG}'"),
    install: |service| {
        let user = user(service)?;
        let arguments = service.arguments(&service.token_file, STATE);
        Ok(installed(plist(&service.program, arguments, user), user))
    },
    install_lab: |service| {
        service.check_confined()?;
        Ok(installed(plist(&service.program, service.arguments(), ROOT), ROOT))
    },
    uninstall: || {
        // `bootout` does not wait. The agent has 60 s to end (`ExitTimeOut`), and until then no service with
        // this name can be installed.
        let await_end = format!(
            "for second in $(seq 65); do launchctl print {TARGET} >/dev/null 2>&1 || exit 0; sleep 1; done; \
             echo 'the service did not stop' >&2; exit 1"
        );
        vec![
            Step::run(["launchctl", "bootout", TARGET]),
            Step::run(["sh", "-c", &await_end]),
            Step::Remove(FILE.into()),
        ]
    },
    check_machine: || Ok(()),
    check: |service| {
        let user = user(service)?;
        let owner = platform::owner(Path::new(&service.token_file));
        if owner.is_ok_and(|owner| owner == user) {
            return Ok(());
        }
        Err(Failure::Authentication(format!(
            "the service runs as {user}, the owner of the repository, who must own the token file. Run: \
             chown {user} {}",
            shell(&service.token_file)
        )))
    },
    running: || {
        // Without an answer it is not loaded.
        let text = ask("launchctl", &["print", TARGET]).unwrap_or_default();
        Ok(is_running(&text).then(|| Running::noted(&MANAGER)))
    },
    last_line: || super::last_line_of(Path::new(LOG), ""),
};

/// The user of an enrolled agent: it switches to another user for the repositories' commands.
const ROOT: &str = "root";

fn user(service: &Service) -> crate::Result<&str> {
    match service.owner.as_deref() {
        Some(ROOT) => Err(Failure::Other(format!(
            "{} is owned by root, so the service would run as root. Use a checkout owned by another user.",
            service.repository
        ))),
        Some(user) => Ok(user),
        None => Err(Failure::Other(format!(
            "cannot find the owner of {}, as whom the service would run",
            service.repository
        ))),
    }
}

fn installed(plist: String, user: &str) -> Vec<Step> {
    vec![
        // The log's folder always exists.
        Step::run(["install", "-d", "-o", user, "-m", "0755", STATE]),
        Step::Write { path: FILE.into(), mode: 0o644, text: plist },
        Step::run(["launchctl", "enable", TARGET]),
        Step::run(["launchctl", "bootstrap", "system", FILE]),
    ]
}

fn plist(program: &str, arguments: Vec<String>, user: &str) -> String {
    let log = ["--log".to_owned(), LOG.to_owned()];
    let words = [program.to_owned()].into_iter().chain(arguments).chain(log);
    let arguments: Vec<String> = words.map(|word| format!("\t\t<string>{}</string>", xml(&word))).collect();
    let values = [
        ("arguments", arguments.join("\n")),
        ("crashes", xml(CRASHES)),
        ("label", xml(LABEL)),
        ("log", xml(LOG)),
        ("user", xml(user)),
    ];
    fill(TEMPLATE, &values)
}

/// Parses `launchctl print`, whose format Apple does not guarantee.
fn is_running(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "state = running")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_service_has_a_process() {
        assert!(is_running("system/x = {\n\tactive count = 1\n\tstate = running\n\n\tpid = 7\n}"));
        assert!(!is_running("system/x = {\n\tstate = spawn scheduled\n}"));
        assert!(!is_running("Could not find service \"x\" in domain for system"));
    }
}
