//! `roundtrip record`: records real processes with known messages. If this system does not permit recording,
//! the test prints so.

use crate::{printed, refused, roundtrip, run_command};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

/// Sends to a pipe, a pair of sockets, a FIFO and a file on request, from two threads and a child.
const SENDER: &str = r#"
import os, socket, sys, threading
reads, pipe = os.pipe()
end, other = socket.socketpair()
os.mkfifo('fifo')
fifo = os.open('fifo', os.O_RDWR)
file = os.open('file', os.O_WRONLY | os.O_CREAT)
print('ready', flush=True)
sys.stdin.readline()
def send():
    for turn in range(100):
        os.write(pipe, b'x' * 64); os.read(reads, 64)
thread = threading.Thread(target=send)
thread.start()
thread.join()
for turn in range(50):
    end.sendmsg([b'y' * 300, b'z' * 4]); other.recv(1000)
    end.send(b'k' * 20); other.recv(1000)
    os.writev(pipe, [b'x' * 50, b'y']); os.read(reads, 64)
    os.write(fifo, b'f' * 33); os.read(fifo, 64)
    os.write(file, b'q' * 77)
if os.fork() == 0:
    os.write(pipe, b'c' * 1234)
    os._exit(0)
os.wait()
"#;

/// The messages of [`SENDER`] to pipes and sockets.
const SENT: &str = "20:50,33:50,51:50,64:100,304:50";

/// A program that waits for the request.
fn waiting(folder: &std::path::Path) -> Child {
    let mut command = Command::new("python3");
    command.args(["-c", SENDER]).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

/// Records a program from the request until its end. `None` if this system does not permit it.
fn recorded(by: &str, more: &[&str]) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let mut child = waiting(folder.path());
    let mut command = roundtrip(folder.path());
    command.args(["record", "--pid", &child.id().to_string(), "--by", by, "--format", "json"]);
    command
        .args(["--seconds", "600", "--output", "sizes.csv"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut recorder = command.spawn().unwrap();
    let mut errors = BufReader::new(recorder.stderr.take().unwrap()).lines().map(Result::unwrap);
    let begun: Vec<String> = errors.by_ref().take(1).collect();
    if !begun.iter().any(|line| line.contains("recording process")) {
        let why: Vec<String> = errors.collect();
        eprintln!("not tested: {by} may not record here: {}", [begun, why].concat().join(" "));
        child.kill().unwrap();
        child.wait().unwrap();
        recorder.wait().unwrap();
        return None;
    }
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    child.wait().unwrap();
    let complaints: Vec<String> = errors.collect();
    let Output { status, stdout, .. } = recorder.wait_with_output().unwrap();
    assert!(status.success(), "{complaints:?}");
    let answer: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!((&answer["by"], &answer["ended"]), (&by.into(), &"process".into()), "{answer}");
    assert!(answer["overhead"]["alone_ns"].as_f64().unwrap() > 0.0, "{answer}");
    let csv = std::fs::read_to_string(folder.path().join("sizes.csv")).unwrap();
    assert!(csv.starts_with("from_bytes,to_bytes,count\n"), "{csv}");
    Some(answer)
}

#[test]
fn perf_records_all_threads() {
    let Some(answer) = recorded("perf", &[]) else { return };
    assert_eq!((&answer["sizes"], &answer["call_count"]), (&SENT.into(), &300.into()), "{answer}");
    assert!(answer["elsewhere_count"].as_u64().unwrap() >= 50, "{answer}");
}

#[test]
fn counts_received_messages_on_request() {
    let Some(answer) = recorded("perf", &["--count", "receives"]) else { return };
    // The read was in progress when the recording began, so its descriptor is unknown.
    assert_eq!((&answer["sizes"], &answer["unknown_count"]), (&SENT.into(), &1.into()), "{answer}");
}

#[test]
fn strace_records_all_threads() {
    let Some(answer) = recorded("strace", &[]) else { return };
    assert_eq!((&answer["sizes"], &answer["call_count"]), (&SENT.into(), &300.into()), "{answer}");
}

#[test]
fn records_children_on_request() {
    let Some(answer) = recorded("strace", &["--children"]) else { return };
    assert_eq!(answer["sizes"], format!("{SENT},1234:1"), "{answer}");
}

#[test]
fn rejects_a_missing_process() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_command(folder.path(), &["record", "--pid", "4194305"]);
    refused(&output, 2, &["--pid 4194305: no such process"]);
}

/// Ten messages to a child, which answers each, and three writes to a socket.
const NODE_PROGRAM: &str = r"
const { fork } = require('node:child_process');
const net = require('node:net');
if (process.argv[2] === 'child') {
  process.on('message', ({ n }) => {
    process.send('pong');
    if (n === 9) process.disconnect();
  });
} else {
  const child = fork(__filename, ['child'], { serialization: process.env.SERIALIZATION });
  for (let n = 0; n < 10; n++) child.send({ n, data: 'x'.repeat(100) });
  const server = net.createServer((socket) => socket.resume().on('end', () => server.close()));
  server.listen(0, '127.0.0.1', () => {
    const socket = net.connect(server.address().port, '127.0.0.1');
    socket.write('h\u00e9');
    socket.write(Buffer.alloc(500));
    socket.end('last');
  });
}
";

#[test]
fn node_module_counts_messages_of_process_and_child() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    printed(&run_command(folder.path(), &["record", "--node", "sizes.cjs"]));
    std::fs::write(path("program.cjs"), NODE_PROGRAM).unwrap();
    // strace(1) shows these sizes for the messages: 118 and 7 bytes as a line of JSON, 122 and 12 with the
    // header.
    for (serialization, sent, answered) in [("json", 118, 7), ("advanced", 122, 12)] {
        let mut command = Command::new("node");
        command.args(["--require", "./sizes.cjs", "program.cjs"]).current_dir(folder.path());
        command.env("ROUNDTRIP_SIZES", path("sizes.csv")).env("SERIALIZATION", serialization);
        let Ok(output) = command.output() else {
            eprintln!("not tested: there is no node");
            return;
        };
        printed(&output);
        let parent = std::fs::read_to_string(path("sizes.csv")).unwrap();
        let expected = format!("from_bytes,to_bytes,count\n3,3,1\n4,4,1\n{sent},{sent},10\n500,500,1\n");
        assert_eq!(parent, expected, "{serialization}");
        let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let of_child = |name: &std::path::PathBuf| name.to_string_lossy().contains("sizes.csv.");
        let children: Vec<_> = names.filter(of_child).collect();
        assert_eq!(children.len(), 1, "{children:?}");
        let child = std::fs::read_to_string(&children[0]).unwrap();
        let expected = format!("from_bytes,to_bytes,count\n{answered},{answered},10\n");
        assert_eq!(child, expected, "{serialization}");
        std::fs::remove_file(&children[0]).unwrap();
    }
}
