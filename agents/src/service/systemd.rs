//! Linux: a systemd unit with a dynamic user and a token that only this user can read.

use super::step::{Step, fill, systemd_path, systemd_word};
use super::{LabService, Manager, Running, Service, ask};
use crate::failure::Failure;
use crate::platform::System;
use chrono::{DateTime, NaiveDateTime, Utc};
use std::path::Path;

const NAME: &str = "roundtrip-agent";
const UNIT: &str = "roundtrip-agent.service";
const FILE: &str = "/etc/systemd/system/roundtrip-agent.service";
const TEMPLATE: &str = include_str!("../../packaging/systemd/roundtrip-agent.service");
const LAB_TEMPLATE: &str = include_str!("../../packaging/systemd/roundtrip-lab.service");

/// The path of the credential `token` under systemd (systemd.exec(5)).
const TOKEN: &str = "${CREDENTIALS_DIRECTORY}/token";

/// Whether systemd runs this machine (`sd_booted(3)`).
const BOOTED: &str = "/run/systemd/system";

pub(super) static MANAGER: Manager = Manager {
    system: System::Linux,
    name: NAME,
    file: Some(FILE),
    state: || Path::new("/var/lib").join(NAME),
    log: || format!("journalctl --unit {NAME}"),
    install: |service| Ok(installed(unit(service))),
    install_lab: |service| {
        service.check_confined()?;
        Ok(installed(lab_unit(service)))
    },
    uninstall: || {
        vec![
            Step::run(["systemctl", "disable", "--now", UNIT]),
            Step::Remove(FILE.into()),
            Step::run(["systemctl", "daemon-reload"]),
            // A failed unit stays listed until it is reset.
            Step::run(["systemctl", "reset-failed", UNIT]),
        ]
    },
    check_machine: || {
        if Path::new(BOOTED).is_dir() {
            return Ok(());
        }
        Err(Failure::Other(
            "systemd is not running on this machine. Start `roundtrip agent` with your service manager; \
             --print shows the command."
                .into(),
        ))
    },
    check: |service| {
        // systemd trims white space, and takes a backslash as a continued line; quotes do not work here.
        if service.token_file.ends_with(|end: char| end.is_whitespace() || end == '\\') {
            return Err(Failure::Usage(
                "a systemd unit cannot contain the name of the token file. Rename it.".into(),
            ));
        }
        Ok(())
    },
    running: || {
        let properties = "--property=ActiveState,MainPID,ActiveEnterTimestamp";
        match ask("systemctl", &["show", UNIT, properties, "--timestamp=utc"]) {
            Some(text) => Ok(parse(&text)),
            None => Err(Failure::Other("unexpected output from systemctl: no service state".into())),
        }
    },
    last_line: || {
        let line =
            ask("journalctl", &["--unit", NAME, "--lines=1", "--output=cat", "--quiet", "--no-pager"])?;
        (!line.trim().is_empty()).then(|| line.trim().to_owned())
    },
};

fn installed(unit: String) -> Vec<Step> {
    vec![
        Step::Write { path: FILE.into(), mode: 0o644, text: unit },
        Step::run(["systemctl", "daemon-reload"]),
        Step::run(["systemctl", "enable", UNIT]),
        Step::run(["systemctl", "start", UNIT]),
    ]
}

fn lab_unit(service: &LabService) -> String {
    let words = [service.program.clone()].into_iter().chain(service.arguments());
    let command: Vec<String> = words.map(|word| systemd_word(&word)).collect();
    let of_program = Path::new(&service.program).parent().map(|folder| folder.to_string_lossy().into_owned());
    let writable: Vec<String> =
        [service.state.clone()].into_iter().chain(of_program).map(|path| systemd_path(&path)).collect();
    fill(LAB_TEMPLATE, &[("command", command.join(" ")), ("writable", writable.join(" "))])
}

fn unit(service: &Service) -> String {
    let words = service.arguments(TOKEN, "%S/roundtrip-agent");
    // systemd expands our own specifiers, but nothing in the values.
    let ours = |word: &String| [TOKEN, "%S/roundtrip-agent"].contains(&word.as_str());
    let words = words.iter().map(|word| if ours(word) { word.clone() } else { systemd_word(word) });
    let command: Vec<String> = [systemd_word(&service.program)].into_iter().chain(words).collect();
    let readable: Vec<String> = service.readable().into_iter().map(systemd_path).collect();
    let values = [
        ("command", command.join(" ")),
        ("name", NAME.to_owned()),
        ("readable", readable.join(" ")),
        ("token_file", service.token_file.replace('%', "%%")),
    ];
    fill(TEMPLATE, &values)
}

fn parse(text: &str) -> Option<Running> {
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    if value("ActiveState") != Some("active") {
        return None;
    }
    let since = value("ActiveEnterTimestamp")
        .and_then(|time| NaiveDateTime::parse_from_str(time, "%a %Y-%m-%d %H:%M:%S UTC").ok());
    Some(Running {
        since: since.map(|since| DateTime::<Utc>::from_naive_utc_and_offset(since, Utc)),
        process_id: value("MainPID").and_then(|id| id.parse().ok()).filter(|id| *id != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn reads_the_start_of_active_units() {
        let show = "MainPID=154\nActiveState=active\nActiveEnterTimestamp=Sat 2026-11-21 19:46:58 UTC\n";
        let since = Utc.with_ymd_and_hms(2026, 11, 21, 19, 46, 58).single();
        assert_eq!(parse(show), Some(Running { since, process_id: Some(154) }));
        // Older versions of systemd print the local time zone.
        let old = "ActiveState=active\nMainPID=0\nActiveEnterTimestamp=Sat 2026-11-21 20:46:58 CET\n";
        assert_eq!(parse(old), Some(Running::default()));
        for state in ["activating", "failed", "inactive"] {
            assert_eq!(parse(&show.replace("State=active", &format!("State={state}"))), None);
        }
    }
}
