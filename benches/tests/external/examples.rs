//! The examples in `external/`, one per language, and the bundled programs for Node: each runs the cases of built-in
//! transports.

use crate::support::{DEADLINE, case, compared, measure, peer, placements, program};
use crate::{Test, TestResult};
use roundtrip_bench::definition::{self, PlannedCase};
use roundtrip_bench::harness::PeerCommand;
use roundtrip_bench::mechanism::Mechanism;
use roundtrip_bench::program::{Program, framing, node};
use roundtrip_bench::scenario::Work;
use roundtrip_wire::CaseResult;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const TESTS: &[Test] = &[
    ("c_example_over_a_unix_socket_passes", c),
    ("go_example_over_a_pipe_passes", go),
    ("python_example_over_its_own_pipe_passes", python),
    ("node_example_over_a_unix_socket_passes", node_socket),
    ("rust_example_over_a_pipe_passes", rust),
    ("node_channel_passes_in_both_serializations", node_channel),
    ("wire_formats_without_node_pass", wire_formats),
    ("node_understands_the_wire_formats", node_understands),
    ("definition_declares_every_example", declared),
];

fn external(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("external").join(path)
}

fn c() -> TestResult {
    if cfg!(windows) {
        return Err("it is for POSIX systems".into());
    }
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("unix_socket");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L", "-o"]);
    build(compiler.arg(&built).arg(external("c/unix_socket.c")), "cc")?;
    passes(&started(&built, &[]), &["roundtrip", "stream"])
}

fn go() -> TestResult {
    if cfg!(windows) {
        return Err("it passes descriptors to its child, as POSIX systems do".into());
    }
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("pipe");
    let mut compiler = Command::new("go");
    compiler.current_dir(external("go")).args(["build", "-o"]).arg(&built);
    build(&mut compiler, "go")?;
    passes(&started(&built, &[]), &["roundtrip", "stream"])
}

fn python() -> TestResult {
    let name = if cfg!(windows) { "python" } else { "python3" };
    build(Command::new(name).arg("--version"), name)?;
    passes(&started(Path::new(name), &[external("python/pipe.py")]), &["roundtrip", "stream"])
}

fn node_socket() -> TestResult {
    build(Command::new("node").arg("--version"), "node")?;
    let program = started(Path::new("node"), &[external("node/unix_socket.js")]);
    passes(&program, &["roundtrip"])?;
    windows_pass(&program.into());
    Ok(())
}

fn rust() -> TestResult {
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("pipe").with_extension(std::env::consts::EXE_EXTENSION);
    let mut compiler = Command::new("rustc");
    compiler.args(["-O", "--edition=2021", "-Dwarnings", "-o"]).arg(&built).arg(external("rust/main.rs"));
    build(&mut compiler, "rustc")?;
    passes(&started(&built, &[]), &["roundtrip"])
}

fn node_channel() -> TestResult {
    build(Command::new("node").arg("--version"), "node")?;
    passes_with_windows(node::programs())
}

fn wire_formats() -> TestResult {
    passes_with_windows(framing::programs())
}

/// A Node parent with the framing responder as its child, on the channel that Node provides.
const PARENT: &str = r#"
const [serialization, peer, ...before] = process.argv.slice(1);
const sizes = [8, 64, 65536, 300000, 8];
const asked = { scenario: 'roundtrip', mode: '2proc', message_bytes: 8, messages_per_operation: 1, batch: 1, window: 5,
                samples: sizes.length, warmup_samples: 0, seed: 7 };
const child = require('node:child_process').spawn(peer, [...before, 'framing', serialization, JSON.stringify(asked)],
                                                 { serialization, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const header = (number) => (Math.imul(7 + number, 2654435761) >>> 0).toString(16).padStart(8, '0');
const sent = sizes.map((size, number) => header(number) + '"\
é.'.repeat(size).slice(0, size - 8));
const got = [];
child.on('message', (message) => {
  got.push(message);
  if (got.length > sizes.length) child.disconnect();
});
child.on('exit', (code) => {
  const last = JSON.parse(got.pop());
  console.log(code === 0 && JSON.stringify(got) === JSON.stringify(sent) && last.delivered === sizes.length);
});
sent.forEach((message) => child.send(message));
"#;

fn node_understands() -> TestResult {
    build(Command::new("node").arg("--version"), "node")?;
    if let Some(reason) = framing::programs().find_map(|program| program.unsupported) {
        return Err(reason.to_string());
    }
    for format in framing::ALL {
        let PeerCommand { program, arguments } = peer();
        let output = Command::new("node")
            .args(["-e", PARENT, format.name()])
            .arg(program)
            .args(arguments)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "true\n", "{}: {stderr}", format.name());
    }
    Ok(())
}

fn declared() -> TestResult {
    let path = external("examples.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let plan = definition::parse("examples", &text, path.parent().unwrap()).unwrap();
    let mut programs: Vec<String> = plan
        .cases
        .iter()
        .filter(|case| case.transport.program().is_some())
        .map(|case| case.transport.info().slug.to_string())
        .collect();
    programs.dedup();
    assert_eq!(programs, ["c-unix-socket", "go-pipe", "node-unix-socket", "python-pipe", "rust-pipe"]);
    Ok(())
}

/// Runs the command that builds or checks a toolchain.
fn build(command: &mut Command, name: &str) -> TestResult {
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            Ok(())
        }
        Err(error) => Err(format!("{name} does not run here: {error}")),
    }
}

fn started(program: &Path, arguments: &[PathBuf]) -> Program {
    let command = [program].into_iter().chain(arguments.iter().map(PathBuf::as_path));
    let command = command.map(|part| part.to_string_lossy().into_owned()).collect();
    self::program("example", command, external(""))
}

/// The sizes and placements of built-in transports, in these scenarios; a program reports unsupported cases.
fn passes(example: &Program, scenarios: &[&str]) -> TestResult {
    let mut cases = Vec::new();
    for scenario in ["roundtrip", "stream"] {
        for message_bytes in [8, 64, 4_096, 65_536, 1 << 20] {
            cases.push(case(example.clone().into(), scenario, message_bytes));
        }
        cases.extend(
            placements()
                .into_iter()
                .map(|placement| PlannedCase { placement, ..case(example.clone().into(), scenario, 1_024) }),
        );
    }
    for result in measure(cases, DEADLINE) {
        let name = format!("{} {:?} {:?}", result.transport.slug, result.case, result.failures);
        if scenarios.contains(&result.case.scenario.as_str()) {
            delivered_all(&result, &name);
        } else {
            assert!(result.unsupported.is_some(), "{name}");
        }
    }
    for scenario in scenarios {
        takes_turns(&case(example.clone().into(), scenario, 64));
    }
    Ok(())
}

fn passes_with_windows(programs: impl IntoIterator<Item = Program>) -> TestResult {
    for program in programs {
        if let Some(reason) = &program.unsupported {
            return Err(reason.to_string());
        }
        passes(&program, &["roundtrip", "stream"])?;
        windows_pass(&program.into());
    }
    Ok(())
}

/// Compares it with itself, in parts.
pub(crate) fn takes_turns(case: &PlannedCase) {
    let found = compared(case.clone(), case.clone(), DEADLINE);
    assert_eq!(found.pairs.len(), 2, "{found:?}");
    for side in [&found.base, &found.head] {
        assert_eq!(side.methodology.parts, Some(4));
        delivered_all(side, "in parts");
    }
}

/// Tests several messages in flight.
fn windows_pass(mechanism: &Mechanism) {
    let cases = [64, 65_536].map(|message_bytes| {
        let case = case(mechanism.clone(), "roundtrip", message_bytes);
        PlannedCase { work: Work { window: 256, batch: 64, ..case.work.clone() }, ..case }
    });
    for result in measure(cases.into(), DEADLINE) {
        assert_eq!((result.methodology.window, result.methodology.batch), (256, 64));
        delivered_all(&result, "window 256");
    }
    let whole = case(mechanism.clone(), "roundtrip", 64);
    // A part is not a multiple of the window.
    takes_turns(&PlannedCase { work: Work { window: 7, batch: 3, ..whole.work.clone() }, ..whole });
}

pub(crate) fn delivered_all(result: &CaseResult, name: &str) {
    assert_eq!(
        (result.repetitions.len(), &result.failures, &result.unsupported),
        (2, &vec![], &None),
        "{name}"
    );
    assert!(!result.is_lossy(), "{name}");
    for repetition in &result.repetitions {
        let operations = if result.case.scenario.as_str() == "stream" { 3 } else { 1 };
        let messages = 20 * operations * u64::from(result.methodology.batch);
        assert_eq!((repetition.count, repetition.delivered), (20, messages), "{name}");
        // Of a program with threads, only the process is observed.
        let ends = if result.case.mode.as_str() == "2thread" { 1 } else { 2 };
        assert_eq!(repetition.ends.len(), ends, "{name}");
        // Some systems do not report where other processes run; then both are unknown.
        if result.case.placement.as_str() == "same-cpu" {
            assert_eq!(repetition.ends[0].cpus_seen, repetition.ends[1].cpus_seen, "{name}");
        }
    }
}
