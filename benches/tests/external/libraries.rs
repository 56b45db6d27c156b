//! Programs that use IPC libraries: those of the definition that `roundtrip libraries build` has written. Run them with
//! `cargo xtask libraries`.

use crate::examples::{delivered_all, takes_turns};
use crate::support::{DEADLINE, case, measure, peer};
use crate::{Test, TestResult};
use roundtrip_bench::definition::{self, Mode, PlannedCase};
use roundtrip_bench::program::Program;
use roundtrip_wire::Slug;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("programs_of_libraries_deliver_every_message", deliver),
    ("programs_of_libraries_end_when_the_responder_is_killed", notice),
];

/// The path of the definition, and the programs to test; all of it without the latter.
const DEFINITION: &str = "ROUNDTRIP_LIBRARIES";
const PROGRAMS: &str = "ROUNDTRIP_PROGRAMS";
/// A program that has not ended by then would hang.
const END_TIME_MAX: Duration = Duration::from_secs(30);

/// The programs of the definition, with a case of each.
fn programs() -> Result<Vec<PlannedCase>, String> {
    let path = std::env::var(DEFINITION)
        .map_err(|_| format!("{DEFINITION} names no definition: run `cargo xtask libraries`"))?;
    let text = std::fs::read_to_string(&path).unwrap();
    let plan = definition::parse("libraries", &text, Path::new(&path).parent().unwrap()).unwrap();
    let wanted = std::env::var(PROGRAMS).ok();
    let is_wanted = |slug: &Slug| {
        wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|wanted| wanted == slug.as_str()))
    };
    let mut programs = BTreeMap::new();
    for case in plan.cases.into_iter().filter(|case| case.transport.program().is_some()) {
        let slug = case.transport.info().slug;
        if is_wanted(&slug) {
            programs.entry(slug).or_insert(case);
        }
    }
    assert!(!programs.is_empty(), "no programs in {path}");
    Ok(programs.into_values().collect())
}

fn deliver() -> TestResult {
    for program in programs()? {
        let of_scenario = |scenario| {
            [8, 64, 4_096, 65_536, 1 << 20].map(|message_bytes| PlannedCase {
                mode: program.mode,
                ..case(program.transport.clone(), scenario, message_bytes)
            })
        };
        let began = Instant::now();
        for result in measure([of_scenario("roundtrip"), of_scenario("stream")].concat(), DEADLINE) {
            // A library may only support requests with replies.
            if result.case.scenario.as_str() == "roundtrip" || result.unsupported.is_none() {
                let name = format!("{} {:?} {:?}", result.transport.slug, result.case, result.failures);
                delivered_all(&result, &name);
            }
        }
        takes_turns(&of_scenario("roundtrip")[1]);
        println!("{}: {:.1} s", program.transport.info().slug, began.elapsed().as_secs_f64());
    }
    Ok(())
}

fn notice() -> TestResult {
    if cfg!(windows) {
        return Err("it sends a signal".into());
    }
    // The threads of a process die together.
    for case in programs()?.iter().filter(|case| case.mode == Mode::TwoProcesses) {
        ends(case.transport.program().unwrap());
    }
    Ok(())
}

/// Kills the responder in the middle of a part that would take much longer than the test.
fn ends(program: &Program) {
    let name = &program.info.slug;
    let (mut command, _folder) = program.process(&peer()).unwrap();
    let mut initiator = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut requests = initiator.stdin.take().unwrap();
    let mut answers = BufReader::new(initiator.stdout.take().unwrap()).lines();
    // In the order of the harness, which simple programs may rely on.
    let request = r#"{"protocol":1,"case":{"scenario":"roundtrip","mode":"2proc","message_bytes":64,"messages_per_operation":1,"batch":1,"window":1,"samples":1000000000,"warmup_samples":0,"seed":3}}"#;
    writeln!(requests, "{request}").unwrap();
    let connected = answers.next().unwrap_or_else(|| panic!("{name} exited")).unwrap();
    let answer: Value = serde_json::from_str(&connected).unwrap();
    let responder =
        answer["connected"]["responder_pid"].as_u64().unwrap_or_else(|| panic!("{name}: {connected}"));
    requests.write_all(b"\"go\"\n").unwrap();
    let killed = Command::new("kill").args(["-KILL", &responder.to_string()]).status().unwrap();
    assert!(killed.success(), "{name}");
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(answers.map_while(Result::ok).collect::<Vec<_>>()));
    let lines = ended.recv_timeout(END_TIME_MAX);
    // It may hang.
    initiator.kill().unwrap();
    initiator.wait().unwrap();
    let lines = lines.unwrap_or_else(|_| panic!("{name} waits for the killed responder"));
    assert!(lines.iter().all(|line| line.contains("failed")), "{name}: {lines:?}");
}
