//! `FreeBSD`: an rc.d script that runs the agent under daemon(8) with a dedicated account.

use super::step::{Step, fill, shell, shell_words};
use super::{Manager, Running, Service, ask};
use crate::platform::System;
use std::path::Path;

const NAME: &str = "roundtrip_agent";
const FILE: &str = "/usr/local/etc/rc.d/roundtrip_agent";
const STATE: &str = "/var/db/roundtrip_agent";
const SECRETS: &str = "/var/run/roundtrip_agent";
const TOKEN: &str = "/var/run/roundtrip_agent/token";

/// The file that syslogd writes to, unless syslog.conf(5) was changed.
const LOG: &str = "/var/log/daemon.log";
const TEMPLATE: &str = include_str!("../../packaging/freebsd/roundtrip_agent");
const LAB_TEMPLATE: &str = include_str!("../../packaging/freebsd/roundtrip_lab");

/// The account exists if the service was installed before.
const ADD_ACCOUNT: &str = "pw usershow roundtrip_agent >/dev/null 2>&1 || \
                           pw useradd roundtrip_agent -c 'Roundtrip agent' -d /nonexistent -s /usr/sbin/nologin";

pub(super) static MANAGER: Manager = Manager {
    system: System::Freebsd,
    name: NAME,
    file: Some(FILE),
    state: || STATE.into(),
    log: || format!("grep {NAME} {LOG}"),
    install: |service| {
        Ok([Step::run(["sh", "-c", ADD_ACCOUNT])].into_iter().chain(installed(script(service))).collect())
    },
    install_lab: |service| {
        service.check_confined()?;
        let words: Vec<String> = [service.program.clone()].into_iter().chain(service.arguments()).collect();
        let script = fill(LAB_TEMPLATE, &[("command", shell(&shell_words(&words)))]);
        Ok(installed(script).into())
    },
    uninstall: || {
        vec![
            Step::run(["service", NAME, "onestop"]),
            Step::Remove(FILE.into()),
            Step::run(["sysrc", "-x", "roundtrip_agent_enable"]),
        ]
    },
    check_machine: || Ok(()),
    check: |_| Ok(()),
    running: || {
        // Only root can read the PID file of daemon(8); all users can see whether the account has a process.
        let answer = ask("service", &[NAME, "onestatus"]).or_else(|| ask("pgrep", &["-u", NAME]));
        Ok(answer.map(|_| Running::noted(&MANAGER)))
    },
    last_line: || super::last_line_of(Path::new(LOG), NAME),
};

fn installed(script: String) -> [Step; 3] {
    [
        Step::Write { path: FILE.into(), mode: 0o555, text: script },
        Step::run(["sysrc", "roundtrip_agent_enable=YES"]),
        Step::run(["service", NAME, "start"]),
    ]
}

fn script(service: &Service) -> String {
    let words: Vec<String> =
        [service.program.clone()].into_iter().chain(service.arguments(TOKEN, STATE)).collect();
    let values = [
        ("account", shell(NAME)),
        // Quoted twice: for the shell that runs the words, and for the script that contains them.
        ("command", shell(&shell_words(&words))),
        ("secrets", shell(SECRETS)),
        ("state", shell(STATE)),
        ("token_file", shell(&service.token_file)),
    ];
    fill(TEMPLATE, &values)
}
