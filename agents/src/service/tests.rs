//! Compares the files of each system with reviewed golden files, and checks that special values survive each
//! format.

use super::step::{self, Step};
use super::{LabService, Service, State, Status, last_line_of, manager};
use crate::platform::{ServiceRequest, System};
use chrono::DateTime;
use roundtrip_wire::Slug;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::time::Duration;

/// With all special characters: quotes, spaces, specifiers, variables, entities, our own braces.
fn service() -> Service {
    Service {
        program: "/usr/local/bin/roundtrip".into(),
        repository: r#"/srv/the "lib": 100% $HOME, Anna's & <co> \ {{name}}"#.into(),
        owner: Some("anna".into()),
        server: "https://roundtrip.example.org/?a=1&b=2".into(),
        token_file: "/etc/roundtrip/agent %i.token".into(),
        preset: Some("quick".into()),
        every: Duration::from_secs(5_400),
        machine: Some(Slug::parse("lab-1").unwrap()),
        project: None,
    }
}

/// The last arguments on every system, except one.
const END: [&str; 4] = ["--every", "1h30m", "--machine", "lab-1"];

fn listing(system: System, service: &Service) -> String {
    step::listing(&(manager(system).install)(service).unwrap())
}

fn lab_service() -> LabService {
    LabService {
        program: "/opt/round trip/roundtrip".into(),
        state: r#"/srv/100% $HOME, Anna's & <co>: \"#.into(),
        job_user: "builder".into(),
        is_trusting: false,
        allows_local: false,
        limits: ["--command-timeout", "30m", "--memory-mib-max", "8192"].map(str::to_owned).into(),
    }
}

fn lab_listing(system: System) -> String {
    let service = LabService { is_trusting: system == System::Windows, ..lab_service() };
    step::listing(&(manager(system).install_lab)(&service).unwrap())
}

#[test]
fn lab_service_trusts_repositories_only_on_windows() {
    for system in [System::Freebsd, System::Linux, System::Macos] {
        let trusting = LabService { is_trusting: true, ..lab_service() };
        let refusal = (manager(system).install_lab)(&trusting).unwrap_err().to_string();
        assert!(refusal.contains("--trust-repositories would run"), "{refusal}");
    }
    let refusal = (manager(System::Windows).install_lab)(&lab_service()).unwrap_err().to_string();
    assert!(refusal.contains("--trust-repositories"), "{refusal}");
}

#[test]
fn service_files_match_golden_files() {
    for (name, system) in [
        ("freebsd", System::Freebsd),
        ("linux", System::Linux),
        ("macos", System::Macos),
        ("windows", System::Windows),
    ] {
        golden(name, &listing(system, &service()));
        golden(&format!("{name}-lab"), &lab_listing(system));
    }
}

fn golden(name: &str, listing: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    // On Windows, the state folder depends on the machine.
    let state = (manager(System::Windows).state)();
    let listing = listing.replace(&*state.to_string_lossy(), r"C:\ProgramData\roundtrip-agent");
    let new = std::env::temp_dir().join(format!("roundtrip-golden-{name}.txt"));
    if listing != golden {
        std::fs::write(&new, &listing).unwrap();
    }
    assert!(listing == golden, "compare {} with {}, which was written now", path.display(), new.display());
}

#[test]
fn windows_settings_keep_special_values() {
    let steps = (manager(System::Windows).install)(&service()).unwrap();
    let settings = steps.iter().find_map(|step| match step {
        Step::Ask(ServiceRequest::Create(settings)) => Some(settings),
        _ => None,
    });
    let settings: toml::Table = settings.unwrap().parse().unwrap();
    assert_eq!(settings["program"].as_str(), Some("/usr/local/bin/roundtrip"));
    let arguments: Vec<&str> =
        settings["arguments"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap()).collect();
    assert_eq!(arguments[..3], ["agent", "--repository", &service().repository]);
    assert!(arguments.windows(END.len()).any(|window| window == END), "{arguments:?}");
}

/// The script, with these shell lines as rc.subr in `folder`.
#[cfg(unix)]
fn rc_script(folder: &Path, subr: &str) -> String {
    let steps = (manager(System::Freebsd).install)(&service()).unwrap();
    let script = steps.iter().find_map(|step| match step {
        Step::Write { text, .. } => Some(text),
        _ => None,
    });
    let path = folder.join("rc.subr");
    std::fs::write(&path, subr).unwrap();
    script.unwrap().replace("/etc/rc.subr", path.to_str().unwrap())
}

/// Not the real rc.subr, but it also evaluates the two variables.
#[cfg(unix)]
#[test]
fn rc_d_script_keeps_special_values() {
    let folder = tempfile::tempdir().unwrap();
    let evaluates = "load_rc_config() { :; }\nrun_rc_command() { eval \"$command $command_args\"; }\n";
    let script = rc_script(folder.path(), evaluates).replace("/usr/sbin/daemon", "printf '%s\\\\n'");
    let output = Command::new("sh").args(["-c", &script, "sh", "start"]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = printed.lines().skip_while(|word| *word != "--").collect();
    let repository = service().repository;
    assert_eq!(words[1..5], ["/usr/local/bin/roundtrip", "agent", "--repository", &repository], "{printed}");
    assert!(words.ends_with(&END), "{printed}");
    assert!(printed.contains("-P\n/var/run/roundtrip_agent.pid\n-u\nroundtrip_agent\n"), "{printed}");
}

#[cfg(unix)]
#[test]
fn rc_d_stop_waits_and_removes_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("secrets");
    std::fs::create_dir(&secrets).unwrap();
    std::fs::write(secrets.join("token"), "secret").unwrap();
    // It ignores the first signal, and prints a line when it is ready for the next.
    let deaf = "trap 'trap - TERM' TERM; echo; while :; do sleep 0.01; done";
    let mut process = Command::new("sh").args(["-c", deaf]).stdout(Stdio::piped()).spawn().unwrap();
    process.stdout.take().unwrap().read_exact(&mut [0]).unwrap();

    let stops = format!(
        "load_rc_config() {{ :; }}\npwait() {{ :; }}\nrun_rc_command() {{ rc_pid={}; eval \"$stop_cmd\"; }}\n",
        process.id()
    );
    let script = rc_script(folder.path(), &stops)
        .replace("secrets=/var/run/roundtrip_agent", &format!("secrets='{}'", secrets.display()));
    let stop = std::thread::spawn(move || Command::new("sh").args(["-c", &script, "sh", "stop"]).output());
    assert_eq!(process.wait().unwrap().signal(), Some(15));
    let output = stop.join().unwrap().unwrap();
    assert!(output.status.success() && !secrets.exists(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn macos_service_does_not_run_as_root() {
    let service = Service { owner: Some("root".into()), ..service() };
    let refusal = (manager(System::Macos).install)(&service).unwrap_err().to_string();
    assert!(refusal.contains("Use a checkout owned by another user"), "{refusal}");
}

#[test]
fn status_shows_state_and_last_log_line() {
    let status = |state| Status {
        name: "roundtrip-agent",
        state,
        since: DateTime::from_timestamp(1_795_289_218, 0),
        process_id: Some(154),
        last_line: Some("measuring 1a2b3c4 (one)".into()),
    };
    assert_eq!(
        status(State::Running).text("journalctl --unit roundtrip-agent"),
        "roundtrip-agent: running since 2026-11-21 19:26:58 UTC, process 154\nlast line: measuring 1a2b3c4 (one)\n\
         log: journalctl --unit roundtrip-agent"
    );
    assert_eq!(status(State::NotInstalled).text("x"), "roundtrip-agent: not installed");
    assert_eq!(serde_json::to_value(status(State::NotInstalled)).unwrap()["state"], "not-installed");
}

#[test]
fn finds_the_last_line_of_a_long_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("daemon.log");
    assert_eq!(last_line_of(&path, ""), None);
    let lines = (0..10_000).map(|number| format!("roundtrip_agent {number}\n")).collect::<String>();
    std::fs::write(&path, lines + "another program\n").unwrap();
    assert_eq!(last_line_of(&path, "roundtrip_agent").as_deref(), Some("roundtrip_agent 9999"));
    assert_eq!(last_line_of(&path, "").as_deref(), Some("another program"));
}
