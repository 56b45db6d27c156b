//! Reads the canaries in a process of their own: they copy large buffers and pin threads, which the harness never does.

use super::PeerCommand;
use crate::canary;
use crate::peer::{Answer, Order};
use roundtrip_wire::Canary;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// They take under half a second on a quiet machine.
const DEADLINE: Duration = Duration::from_secs(30);

pub(super) fn measure(peer: &PeerCommand) -> Vec<Canary> {
    ask(peer).unwrap_or_else(|reason| canary::unread(&reason))
}

fn ask(peer: &PeerCommand) -> Result<Vec<Canary>, String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let order = serde_json::to_string(&Order::Canaries).map_err(|error| failed("asking for them", &error))?;
    let spawned = peer.process().stderr(Stdio::null()).spawn();
    let mut child = spawned.map_err(|error| failed("starting a process for them", &error))?;
    let asked = child.stdin.take().map(|mut stdin| writeln!(stdin, "{order}"));
    let (tell, told) = mpsc::channel();
    let stdout = child.stdout.take();
    thread::spawn(move || {
        let mut line = String::new();
        let read = stdout.map(|stdout| BufReader::new(stdout).read_line(&mut line));
        let _ = tell.send(read.map(|read| read.map(|_| line)));
    });
    let answer = match (asked, told.recv_timeout(DEADLINE)) {
        (Some(Ok(())), Ok(Some(Ok(line)))) => match serde_json::from_str(&line) {
            Ok(Answer::Canaries(canaries)) => Ok(canaries),
            Ok(Answer::Failed(reason)) => Err(reason),
            _ => Err("the process for them ended without an answer".into()),
        },
        (_, Err(_)) => Err(format!("no answer within {} s", DEADLINE.as_secs())),
        (Some(Err(error)), _) | (_, Ok(Some(Err(error)))) => Err(failed("talking to their process", &error)),
        (None, _) | (_, Ok(None)) => Err("their process cannot be talked to".into()),
    };
    let _ = child.kill();
    let _ = child.wait();
    answer
}
