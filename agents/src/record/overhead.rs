//! The overhead of recording a call on this machine: a process sends messages to itself, timed first without
//! and then with the same recorder.

use super::Order;
use super::counting::Descriptors;
use crate::cli::By;
use crate::failure::Failure;
use roundtrip_bench::sys::death;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

const MESSAGE_BYTES: usize = 64;
/// Messages in a timed round: together they fit in the smallest pipe, of one page.
pub(crate) const ROUND_MESSAGES: u32 = 32;
/// Rounds; the median counts. With strace, at about 40 us per call, they take a third of a second.
const ROUNDS: usize = 256;

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Overhead {
    /// Time to send 64 bytes without a recorder, in nanoseconds.
    pub(crate) alone_ns: f64,
    pub(crate) recorded_ns: f64,
    pub(crate) ratio: f64,
}

impl Overhead {
    pub(crate) fn longer_ns(&self) -> f64 {
        self.recorded_ns - self.alone_ns
    }
}

pub(crate) fn measure(method: By, order: &Order) -> Result<Overhead, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("record-probe").stdin(Stdio::piped()).stdout(Stdio::piped());
    death::prepare(&mut command);
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let result = death::bind(&child).map_err(|error| error.to_string()).and_then(|()| {
        let ends = child.stdin.take().zip(child.stdout.take());
        let (mut ask, answers) = ends.ok_or("no pipes to the probe process")?;
        let mut answers = BufReader::new(answers);
        let mut call_ns = || -> Result<f64, String> {
            let mut line = String::new();
            ask.write_all(b"\n")
                .and_then(|()| answers.read_line(&mut line))
                .map_err(|error| error.to_string())?;
            let round_ns: u64 = line.trim().parse().map_err(|_| format!("unexpected output {line:?}"))?;
            Ok(round_ns as f64 / f64::from(ROUND_MESSAGES))
        };
        // The first time warms up.
        call_ns()?;
        let alone_ns = call_ns()?;
        let recording = method.start(&Order { process: child.id(), with_children: false, ..*order })?;
        call_ns()?;
        let recorded_ns = call_ns()?;
        recording.end(&Descriptors::new(child.id(), false).map_err(|error| error.to_string())?)?;
        Ok(Overhead { alone_ns, recorded_ns, ratio: recorded_ns / alone_ns.max(1.0) })
    });
    // It ends when its input is closed; the measurement is complete.
    let _ = child.kill();
    let _ = child.wait();
    result
}

/// The recorded process. For every line on standard input, it runs all rounds, and prints the median in
/// nanoseconds.
pub(crate) fn probe() -> crate::Result<()> {
    let failed = |error: io::Error| Failure::Other(format!("cannot measure the recording overhead: {error}"));
    death::die_with_parent().map_err(failed)?;
    for line in io::stdin().lines() {
        line.map_err(failed)?;
        let median_ns = rounds().map_err(failed)?;
        writeln!(io::stdout(), "{median_ns}").and_then(|()| io::stdout().flush()).map_err(failed)?;
    }
    Ok(())
}

fn rounds() -> io::Result<u128> {
    let (mut receiver, mut sender) = io::pipe()?;
    let message = [0; MESSAGE_BYTES];
    let mut received = [0; MESSAGE_BYTES * ROUND_MESSAGES as usize];
    let mut times_ns = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for _ in 0..ROUND_MESSAGES {
            sender.write_all(&message)?;
        }
        times_ns.push(begin.elapsed().as_nanos());
        receiver.read_exact(&mut received)?;
    }
    times_ns.sort_unstable();
    Ok(times_ns[ROUNDS / 2])
}

#[cfg(test)]
mod tests {
    #[test]
    fn rounds_take_time_and_end() {
        assert!(super::rounds().unwrap() > 0);
    }
}
