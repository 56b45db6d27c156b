//! Measures the canaries in their own process: they copy large buffers and pin threads, which the harness never does.

use super::PeerCommand;
use crate::canary;
use crate::peer::{Answer, Order};
use roundtrip_wire::Canary;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Canaries take under half a second on a quiet machine.
const DEADLINE: Duration = Duration::from_secs(30);

pub(super) fn measure(peer: &PeerCommand) -> Vec<Canary> {
    ask(peer).unwrap_or_else(|reason| canary::unread(&reason))
}

fn ask(peer: &PeerCommand) -> Result<Vec<Canary>, String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let order =
        serde_json::to_string(&Order::Canaries).map_err(|error| failed("sending the request", &error))?;
    let spawned = peer.process().stderr(Stdio::null()).spawn();
    let mut child = spawned.map_err(|error| failed("starting the process", &error))?;
    let asked = child.stdin.take().map(|mut stdin| writeln!(stdin, "{order}"));
    let (sender, receiver) = mpsc::channel();
    let stdout = child.stdout.take();
    thread::spawn(move || {
        let mut line = String::new();
        let read = stdout.map(|stdout| BufReader::new(stdout).read_line(&mut line));
        let _ = sender.send(read.map(|read| read.map(|_| line)));
    });
    let answer = match (asked, receiver.recv_timeout(DEADLINE)) {
        (Some(Ok(())), Ok(Some(Ok(line)))) => match serde_json::from_str(&line) {
            Ok(Answer::Canaries(canaries)) => Ok(canaries),
            Ok(Answer::Failed(reason)) => Err(reason),
            _ => Err("the process exited without a response".into()),
        },
        (_, Err(_)) => Err(format!("no response within {} s", DEADLINE.as_secs())),
        (Some(Err(error)), _) | (_, Ok(Some(Err(error)))) => {
            Err(failed("communicating with the process", &error))
        }
        (None, _) | (_, Ok(None)) => Err("no connection to the process".into()),
    };
    let _ = child.kill();
    let _ = child.wait();
    answer
}
