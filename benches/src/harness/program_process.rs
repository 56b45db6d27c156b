//! What is said to a program and what it answers: one line after the other, none of which is waited for longer than a
//! deadline. Whatever the program has started ends with the process.

use super::PeerCommand;
use super::child::{Child, LAST_WORDS};
use super::measured::NotMeasured;
use crate::definition::Mode;
use crate::program::Program;
use crate::program::protocol::{Answer, Connected};
use crate::sys::offspring::{self, Offspring};
use crate::sys::{Unsupported, clock};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest line: some hundred thousand samples.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// How often a silent program is looked at: seldom, because looking takes a processor for some microseconds.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

const QUOTED_CHARS_MAX: usize = 60;

enum Heard {
    Line(Vec<u8>, u64),
    End,
}

pub(super) struct ProgramProcess {
    name: String,
    child: Option<Child>,
    offspring: Offspring,
    told: Receiver<Heard>,
    until: Instant,
    deadline: Duration,
    /// Removed last.
    _fresh: Option<TempDir>,
}

impl ProgramProcess {
    /// Starts the program, which has so long for all that it will be asked.
    pub(super) fn begin(program: &Program, peer: &PeerCommand, deadline: Duration) -> Result<Self, String> {
        let name = program.info.slug.to_string();
        let (mut command, fresh) = program.process(peer).map_err(|error| format!("{name}: {error}"))?;
        offspring::prepare(&mut command);
        let (child, stdout) = Child::start(name.clone(), command)?;
        let offspring = Offspring::of(child.process())
            .map_err(|error| format!("{name}: binding it to this process: {error}"))?;
        let told = listen(stdout);
        let until = Instant::now() + deadline;
        Ok(Self { name, child: Some(child), offspring, told, until, deadline, _fresh: fresh })
    }

    pub(super) fn say(&mut self, line: &str) -> Result<(), NotMeasured> {
        let said = self.child.as_mut().map_or(Ok(()), |child| child.say(line));
        match said {
            // It is gone: how it ended is told when its answer is awaited.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            said => said.map_err(|error| format!("{}: talking to it: {error}", self.name).into()),
        }
    }

    pub(super) fn hear(&mut self, expected: &str) -> Result<(Answer, u64), NotMeasured> {
        let (line, at_ns) = loop {
            let left = self.until.saturating_duration_since(Instant::now());
            match self.told.recv_timeout(left.min(LOOK_INTERVAL)) {
                Ok(Heard::Line(line, at_ns)) => break (line, at_ns),
                Ok(Heard::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.last_words(None, true).into());
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(self.last_words(None, false).into());
                }
                // What it has started may keep its standard output open when it has ended.
                Err(RecvTimeoutError::Timeout) if self.child.as_mut().is_some_and(Child::has_ended) => {
                    return Err(self.last_words(None, true).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        if line.len() as u64 > LINE_BYTES_MAX {
            return Err(self.failed(&format!("printed a line of more than {} MiB", LINE_BYTES_MAX >> 20)));
        }
        match serde_json::from_slice(&line) {
            Ok(Answer::Unsupported(reason)) => {
                let reason = format!("{}: {reason}", self.name);
                Err(NotMeasured::Unsupported(Unsupported::because(reason)))
            }
            Ok(Answer::Failed(reason)) => Err(self.last_words(Some(reason), true).into()),
            Ok(answer) => Ok((answer, at_ns)),
            Err(error) => {
                Err(self.failed(&format!("printed `{}`: expected {expected} ({error})", quoted(&line))))
            }
        }
    }

    /// The processes of both ends, which must be of this program and as many as the case asks for.
    pub(super) fn ends(&mut self, mode: Mode, connected: &Connected) -> Result<Vec<u32>, NotMeasured> {
        let Connected { initiator_pid, responder_pid, .. } = *connected;
        for pid in [initiator_pid, responder_pid] {
            if !self.offspring.holds(pid) {
                return Err(self.failed(&format!("names process {pid}: expected one that it has started")));
            }
        }
        match (mode, initiator_pid == responder_pid) {
            (Mode::TwoProcesses, false) => Ok(vec![initiator_pid, responder_pid]),
            (Mode::TwoThreads, true) => Ok(vec![initiator_pid]),
            (Mode::TwoProcesses, true) => {
                Err(self
                    .failed(&format!("names process {initiator_pid} for both ends: expected two in 2proc")))
            }
            (Mode::TwoThreads, false) => Err(self.failed("names two processes: expected one in 2thread")),
        }
    }

    /// It said something that is not of this moment: ends it.
    pub(super) fn out_of_turn(&mut self, answer: &Answer, expected: &str) -> NotMeasured {
        let said = match answer {
            Answer::Connected(_) => "connected",
            Answer::Started(_) => "started",
            Answer::Done(_) => "done",
            Answer::Unsupported(_) => "unsupported",
            Answer::Failed(_) => "failed",
        };
        self.failed(&format!("said `{said}`: expected {expected}"))
    }

    /// It is not to be believed: ends it.
    pub(super) fn failed(&mut self, reason: &str) -> NotMeasured {
        NotMeasured::Failed(self.last_words(Some(reason.to_owned()), false))
    }

    /// Ends it, and says why it failed: what it said, or how it ended, or that it is silent.
    fn last_words(&mut self, said: Option<String>, has_ended: bool) -> String {
        let silence = format!("no answer within {} s, killed", self.deadline.as_secs_f32());
        let said = if has_ended { said } else { said.or(Some(silence)) };
        if !has_ended {
            self.offspring.end();
        }
        let Some(child) = self.child.take() else { return said.unwrap_or_default() };
        child.last_words(said, true, "")
    }

    /// Lets it end by itself; what lives on then is killed.
    pub(super) fn end(mut self) {
        if let Some(child) = &mut self.child {
            child.hang_up();
        }
        let until = Instant::now() + LAST_WORDS;
        while let Ok(Heard::Line(..)) =
            self.told.recv_timeout(until.saturating_duration_since(Instant::now()))
        {}
    }
}

impl Drop for ProgramProcess {
    fn drop(&mut self) {
        // Before the program is waited for, which the drop of `child` does.
        self.offspring.end();
    }
}

fn listen(stdout: Option<ChildStdout>) -> Receiver<Heard> {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = stdout.map(BufReader::new);
        while let Some(stdout) = &mut lines {
            let mut line = Vec::new();
            // One more than allowed, which tells a line that is too long.
            let read = stdout.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
            let heard = match read {
                Ok(bytes) if bytes > 0 => Heard::Line(line, clock::now_ns()),
                _ => Heard::End,
            };
            let is_end = matches!(heard, Heard::End);
            if tell.send(heard).is_err() || is_end {
                break;
            }
        }
    });
    told
}

fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    let mut quoted: String =
        text.chars().take(QUOTED_CHARS_MAX).map(|c| if c.is_control() { '?' } else { c }).collect();
    if quoted.chars().count() < text.chars().count() {
        quoted.push('\u{2026}');
    }
    quoted
}
