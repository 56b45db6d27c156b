//! Self-updates of an enrolled agent: it accepts only signed, newer and working programs, and rolls back a
//! program that does not prove itself.
//!
//! The newer program is a copy of this one with the version 0.1.1: the digits are replaced in the file.

use crate::server::{Request, Response, StatefulServer, problem, wait_until};
use crate::{Process, printed, read_json, refused, roundtrip, run_command, started};
use minisign::KeyPair;
use roundtrip_bench::harness::PeerCommand;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;
use tempfile::TempDir;

const OLD: &str = env!("CARGO_PKG_VERSION");

/// A newer version with the same length.
fn newer_version() -> String {
    let last = OLD.rsplit('.').next().unwrap().parse::<u32>().unwrap() + 1;
    let new = format!("{}.{last}", OLD.rsplit_once('.').unwrap().0);
    assert_eq!(new.len(), OLD.len(), "a copy of the program cannot be called {new}");
    new
}

#[derive(Default)]
struct State {
    files: HashMap<String, Vec<u8>>,
    /// The versions that have claimed jobs.
    claims: Vec<String>,
    /// The requested files.
    fetched: Vec<String>,
    is_away: bool,
    /// Versions that the server no longer supports.
    too_old: Vec<String>,
}

/// An enrolled machine with its own copy of the program, and the server.
struct Machine {
    folder: TempDir,
    server: StatefulServer<State>,
    keys: KeyPair,
}

impl Machine {
    fn new(has_key: bool) -> Self {
        let machine = Self {
            folder: tempfile::tempdir().unwrap(),
            server: StatefulServer::start(respond),
            keys: KeyPair::generate_unencrypted_keypair().unwrap(),
        };
        // A copy, so that other tests' program stays unchanged.
        fs::copy(env!("CARGO_BIN_EXE_roundtrip"), machine.program()).unwrap();
        machine.write("code", b"rte_good");
        machine.write("key.pub", machine.keys.pk.to_box().unwrap().to_string().as_bytes());
        let mut enrol = roundtrip(machine.folder.path());
        enrol.args(["enrol", "--machine", "lab-1", "--code-file", "code", "--state", "state"]);
        enrol.args(["--server", &machine.server.url()]);
        if has_key {
            enrol.args(["--update-key", "key.pub"]);
        }
        printed(&enrol.output().unwrap());
        machine
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("roundtrip")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    fn state(&self, name: &str) -> PathBuf {
        self.folder.path().join("state").join(name)
    }

    fn command(&self) -> std::process::Command {
        let mut command = started(&PeerCommand::new(self.program(), None), self.folder.path());
        command.args(["agent", "--state", "state", "--trust-repositories", "--log", "agent.log"]);
        command
    }

    fn agent(&self) -> Process {
        Process(self.command().stdout(Stdio::null()).spawn().unwrap())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("agent.log")).unwrap_or_default()
    }

    fn version_of(&self, program: &Path) -> String {
        let mut command = started(&PeerCommand::new(program.to_owned(), None), self.folder.path());
        printed(&command.arg("--version").output().unwrap()).trim().to_owned()
    }

    /// Publishes this program on the server with this version, signed with this key.
    fn release(&self, version: &str, program: &[u8], keys: &KeyPair) {
        self.release_stating(&format!("roundtrip {version} expires 2999-12-31"), version, program, keys);
    }

    /// The same, with this statement in the signature.
    fn release_stating(&self, statement: &str, version: &str, program: &[u8], keys: &KeyPair) {
        let digest = hex::encode(Sha256::digest(program));
        let file = format!("roundtrip-{version}");
        let of_target = json!({"file": file, "length_bytes": program.len(), "sha256": digest});
        // For any target of this build.
        let targets = ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-gnu"];
        let programs: HashMap<&str, &Value> =
            targets.into_iter().map(|target| (target, &of_target)).collect();
        let manifest = json!({"version": version, "programs": programs}).to_string();
        let signature = minisign::sign(None, &keys.sk, manifest.as_bytes(), Some(statement), None).unwrap();
        self.change(|state| {
            state.files.insert(file, program.to_vec());
            state.files.insert("manifest.json".into(), manifest.into_bytes());
            state.files.insert("manifest.json.minisig".into(), signature.to_string().into_bytes());
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        self.server.change(change)
    }

    fn until(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        self.server.until(what, |state| is_so(state).then_some(()));
    }

    fn until_logged(&self, text: &str) {
        wait_until(text, || self.log().contains(text));
    }
}

impl Drop for Machine {
    /// Prints the log of a failed test, because the folder is deleted.
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.log());
        }
    }
}

/// This program with another version, created once because searching it takes some seconds.
static NEWER: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut program = fs::read(env!("CARGO_BIN_EXE_roundtrip")).unwrap();
    let (old, new) = (OLD.as_bytes(), newer_version());
    for at in 0..program.len() - old.len() {
        if program[at] == old[0] && program[at..].starts_with(old) {
            program[at..at + old.len()].copy_from_slice(new.as_bytes());
        }
    }
    program
});

fn respond(request: &Request, state: &mut State) -> Response {
    let path = request.path();
    let token = json!({"secret": "rta_first", "expires_at": "2999-01-01T00:00:00Z"});
    if path == "/api/v1/agents" {
        return ("201 Created", json!({"agent_id": 7, "token": token}).to_string().into());
    }
    if state.is_away {
        return ("503 Service Unavailable", Vec::new());
    }
    if let Some(name) = path.strip_prefix("/api/v1/lab/releases/") {
        state.fetched.push(name.to_owned());
        let missing = || ("404 Not Found", Vec::new());
        return state.files.get(name).map_or_else(missing, |file| ("200 OK", file.clone()));
    }
    let asked: Value = serde_json::from_slice(&request.body).unwrap();
    let version = asked["version"].as_str().unwrap().to_owned();
    let is_too_old = state.too_old.contains(&version);
    state.claims.push(version);
    if is_too_old {
        return ("426 Upgrade Required", problem(426, "agent-too-old"));
    }
    ("204 No Content", Vec::new())
}

#[test]
fn idle_agent_updates_itself() {
    let (machine, new) = (Machine::new(true), newer_version());
    machine.release(&new, &NEWER, &machine.keys);
    let agent = machine.agent();
    machine.until("a claim of the new one", |state| state.claims.contains(&new));
    machine.until_logged("updated from");
    assert_eq!(machine.version_of(&machine.program()), format!("roundtrip {new}"));
    let previous = machine.folder.path().join("roundtrip.previous");
    assert_eq!(machine.version_of(&previous), format!("roundtrip {OLD}"));
    assert!(!machine.state("update.json").exists());
    let (first, second) = machine.change(|state| (state.claims[0].clone(), state.claims[1].clone()));
    assert_eq!((first.as_str(), second), (OLD, new), "{}", machine.log());
    drop(agent);
}

#[test]
fn unsupported_agent_updates_immediately() {
    let (machine, new) = (Machine::new(true), newer_version());
    let _agent = machine.agent();
    // It looked for an update, and would look again in an hour.
    machine.until("a look", |state| state.fetched == ["manifest.json"]);
    machine.release(&new, &NEWER, &machine.keys);
    machine.change(|state| state.too_old.push(OLD.into()));
    machine.until("a claim of the new one", |state| state.claims.contains(&new));
}

#[test]
fn rejects_other_keys_and_needs_one() {
    let (machine, new) = (Machine::new(true), newer_version());
    machine.release(&new, b"#!/bin/sh\ntouch ran", &KeyPair::generate_unencrypted_keypair().unwrap());
    let agent = machine.agent();
    machine.until_logged("not signed with the enrolled key");
    assert_eq!(machine.change(|state| state.fetched.clone()), ["manifest.json", "manifest.json.minisig"]);
    drop(agent);
    let machine = Machine::new(false);
    machine.release(&new, b"#!/bin/sh\ntouch ran", &machine.keys);
    let _agent = machine.agent();
    machine.until("two claims", |state| state.claims.len() > 1);
    assert_eq!(machine.change(|state| state.fetched.clone()), [""; 0]);
    assert!(machine.log().contains("automatic updates are off"), "{}", machine.log());
}

/// Asserts that the agent looks at the manifest, logs this, and does not download the program.
fn refuses_manifest(machine: &Machine, expected: &str) {
    let agent = machine.agent();
    machine.until_logged(expected);
    drop(agent);
    let fetched = machine.change(|state| std::mem::take(&mut state.fetched));
    assert_eq!(fetched, ["manifest.json", "manifest.json.minisig"]);
}

#[test]
fn attack_expired_manifest_is_refused() {
    let (machine, new) = (Machine::new(true), newer_version());
    let expired = format!("roundtrip {new} expires 2020-01-31");
    machine.release_stating(&expired, &new, b"#!/bin/sh\ntouch ran", &machine.keys);
    refuses_manifest(&machine, "expired on 2020-01-31");
    // Also without a newer version: otherwise, a server could hide all later releases.
    let expired = format!("roundtrip {OLD} expires 2020-02-29");
    machine.release_stating(&expired, OLD, b"#!/bin/sh\ntouch ran", &machine.keys);
    refuses_manifest(&machine, "expired on 2020-02-29");
}

#[test]
fn attack_signature_for_another_release_is_refused() {
    let (machine, new) = (Machine::new(true), newer_version());
    for statement in [
        "roundtrip 9.9.9 expires 2999-12-31".to_owned(),
        format!("another {new} expires 2999-12-31"),
        format!("roundtrip {new} expires never"),
        format!("roundtrip {new}"),
        "timestamp:1800000000 file:manifest.json hashed".to_owned(),
    ] {
        machine.release_stating(&statement, &new, b"#!/bin/sh\ntouch ran", &machine.keys);
        refuses_manifest(&machine, &format!("states `{statement}`: expected `roundtrip {new} expires"));
    }
}

#[test]
fn attack_older_release_is_not_installed() {
    let machine = Machine::new(true);
    machine.release("0.0.9", b"#!/bin/sh\ntouch ran", &machine.keys);
    let _agent = machine.agent();
    machine.until("two claims", |state| state.claims.len() > 1);
    assert_eq!(machine.change(|state| state.fetched.clone()), ["manifest.json", "manifest.json.minisig"]);
    assert_eq!(machine.version_of(&machine.program()), format!("roundtrip {OLD}"));
}

#[test]
fn wrongly_signed_manifest_is_refused_once() {
    let (machine, new) = (Machine::new(true), newer_version());
    machine.release(&new, &NEWER, &KeyPair::generate_unencrypted_keypair().unwrap());
    refuses_manifest(&machine, "not signed with the enrolled key");
    let agent = machine.agent();
    let asked = machine.change(|state| state.claims.len());
    machine.until("two claims", |state| state.claims.len() > asked + 1);
    drop(agent);
    let log = machine.log();
    assert_eq!(log.matches("not signed with the enrolled key").count(), 1, "{log}");
    // With a right signature, the same manifest is accepted.
    machine.release(&new, &NEWER, &machine.keys);
    let _agent = machine.agent();
    machine.until("a claim of the new one", |state| state.claims.contains(&new));
}

#[test]
fn rejects_changed_or_broken_programs() {
    let new = newer_version();
    let lies = b"#!/bin/sh\necho roundtrip 9.9.9\n".to_vec();
    let fails = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo roundtrip {new} && exit\necho no such option >&2\nexit 2\n"
    );
    let cases = [
        (lies.clone(), Some(b"#!/bin/sh\necho other 9.9.9..\n".to_vec()), "does not match the manifest"),
        (lies, None, "--version printed `roundtrip 9.9.9`"),
        (fails.into_bytes(), None, "no such option"),
    ];
    for (signed, carried, error_text) in cases {
        let machine = Machine::new(true);
        machine.release(&new, &signed, &machine.keys);
        if let Some(carried) = carried {
            machine.change(|state| state.files.insert(format!("roundtrip-{new}"), carried));
        }
        let _agent = machine.agent();
        machine.until_logged(error_text);
        let asked = machine.change(|state| state.claims.len());
        machine.until("another claim", |state| state.claims.len() > asked);
        assert_eq!(machine.version_of(&machine.program()), format!("roundtrip {OLD}"));
        assert!(!machine.folder.path().join("roundtrip.new").exists());
        assert!(!machine.state("update.json").exists());
    }
}

/// The state of the machine during the trial of `to`: the old program is stored next to it.
fn on_trial(machine: &Machine, program: &[u8], to: &str, attempts: u32) {
    fs::rename(machine.program(), machine.folder.path().join("roundtrip.previous")).unwrap();
    machine.write("roundtrip", program);
    fs::set_permissions(machine.program(), fs::Permissions::from_mode(0o755)).unwrap();
    let note = json!({"from": OLD, "to": to, "attempts": attempts});
    fs::write(machine.state("update.json"), note.to_string()).unwrap();
}

#[test]
fn rolls_back_after_three_failed_starts() {
    let (machine, new) = (Machine::new(true), newer_version());
    machine.release(&new, &NEWER, &machine.keys);
    on_trial(&machine, &NEWER, &new, 0);
    machine.change(|state| state.is_away = true);
    // Killed twice before the server has answered.
    for attempts in 1..=2 {
        let agent = machine.agent();
        machine.until_logged("503");
        drop(agent);
        assert_eq!(read_json(&machine.state("update.json"))["attempts"], attempts);
        fs::remove_file(machine.folder.path().join("agent.log")).unwrap();
    }
    machine.change(|state| state.is_away = false);
    let _agent = machine.agent();
    machine.until("claims", |state| state.claims.len() > 2);
    let claims = machine.change(|state| state.claims.clone());
    assert!(claims.iter().all(|version| version == OLD), "{claims:?}");
    assert_eq!(machine.version_of(&machine.program()), format!("roundtrip {OLD}"));
    assert!(!machine.state("update.json").exists());
    // It saw that version, and did not download it.
    let fetched = machine.change(|state| state.fetched.clone());
    assert_eq!(fetched, ["manifest.json", "manifest.json.minisig"]);
}

#[test]
fn survives_a_kill_before_the_replacement() {
    let (machine, new) = (Machine::new(true), newer_version());
    fs::hard_link(machine.program(), machine.folder.path().join("roundtrip.previous")).unwrap();
    machine.write("roundtrip.new", &NEWER[..1000]);
    let note = json!({"from": OLD, "to": new, "attempts": 0});
    fs::write(machine.state("update.json"), note.to_string()).unwrap();
    machine.release(&new, &NEWER, &machine.keys);
    let _agent = machine.agent();
    machine.until("a claim of the new one", |state| state.claims.contains(&new));
    let claims = machine.change(|state| state.claims.clone());
    assert_eq!(claims[0], OLD, "the old one went on, and updated itself again");
}

#[test]
fn rejects_an_invalid_key_before_using_the_code() {
    let machine = Machine::new(false);
    machine.write("no.pub", b"untrusted comment: no key\nabc\n");
    let enrol = ["enrol", "--server", "http://127.0.0.1:1", "--code-file", "code", "--update-key", "no.pub"];
    refused(&run_command(machine.folder.path(), &enrol), 2, &["minisign public key"]);
}

#[test]
fn check_reports_readiness_without_starting() {
    let machine = Machine::new(true);
    printed(&machine.command().arg("--check").output().unwrap());
    assert_eq!(machine.change(|state| state.claims.len()), 0);
    fs::remove_file(machine.state("enrolment.json")).unwrap();
    refused(&machine.command().arg("--check").output().unwrap(), 5, &[]);
}
