//! Communication with a program: one line at a time, each with a deadline. All processes that it has started end with
//! it.

use super::PeerCommand;
use super::child::{Child, EXIT_TIMEOUT};
use super::measured::NotMeasured;
use crate::definition::Mode;
use crate::program::Program;
use crate::program::protocol::{Answer, Connected};
use crate::sys::process_group::{self, ProcessGroup};
use crate::sys::tracing::Tracer;
use crate::sys::{Unsupported, clock};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::process::ChildStdout;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest line: several hundred thousand samples.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// Interval for polling a silent program: long, because polling takes some microseconds of a processor.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

const QUOTED_CHARS_MAX: usize = 60;

enum Output {
    Line(Vec<u8>, u64),
    End,
}

pub(super) struct ProgramProcess {
    name: String,
    child: Option<Child>,
    process_group: ProcessGroup,
    outputs: Receiver<Output>,
    until: Instant,
    deadline: Duration,
    /// While it is traced, nothing may wait for the program.
    pub(super) tracer: Option<Tracer>,
    /// Last field, so that it is removed last.
    _fresh: Option<TempDir>,
}

impl ProgramProcess {
    /// Starts the program. The deadline covers the whole repetition.
    pub(super) fn begin(program: &Program, peer: &PeerCommand, deadline: Duration) -> Result<Self, String> {
        let name = program.info.slug.to_string();
        let (mut command, fresh) = program.process(peer).map_err(|error| format!("{name}: {error}"))?;
        process_group::prepare(&mut command);
        let (child, stdout) = Child::start(name.clone(), command)?;
        let process_group = ProcessGroup::new(child.process())
            .map_err(|error| format!("{name}: cannot tie it to this process: {error}"))?;
        let outputs = read_lines(stdout);
        let until = Instant::now() + deadline;
        Ok(Self {
            name,
            child: Some(child),
            process_group,
            outputs,
            until,
            deadline,
            tracer: None,
            _fresh: fresh,
        })
    }

    pub(super) fn send_line(&mut self, line: &str) -> Result<(), NotMeasured> {
        let sent = self.child.as_mut().map_or(Ok(()), |child| child.send_line(line));
        match sent {
            // It has ended: the reason is reported when its answer is awaited.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            sent => sent.map_err(|error| format!("{}: cannot communicate: {error}", self.name).into()),
        }
    }

    pub(super) fn wait_for_answer(&mut self, expected: &str) -> Result<(Answer, u64), NotMeasured> {
        let (line, at_ns) = loop {
            let left = self.until.saturating_duration_since(Instant::now());
            match self.outputs.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(Output::Line(line, at_ns)) => break (line, at_ns),
                Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.end_with_reason(None, true).into());
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(self.end_with_reason(None, false).into());
                }
                // Its own children may keep standard output open after it has ended.
                Err(RecvTimeoutError::Timeout)
                    if self.tracer.is_none() && self.child.as_mut().is_some_and(Child::has_ended) =>
                {
                    return Err(self.end_with_reason(None, true).into());
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
            Ok(Answer::Failed(reason)) => Err(self.end_with_reason(Some(reason), true).into()),
            Ok(answer) => Ok((answer, at_ns)),
            Err(error) => {
                Err(self.failed(&format!("printed `{}`: expected {expected} ({error})", quoted(&line))))
            }
        }
    }

    /// The processes of both ends. They must belong to this program, and their number must match the case.
    pub(super) fn ends(&mut self, mode: Mode, connected: &Connected) -> Result<Vec<u32>, NotMeasured> {
        let Connected { initiator_pid, responder_pid, .. } = *connected;
        for pid in [initiator_pid, responder_pid] {
            if !self.process_group.holds(pid) {
                return Err(self.failed(&format!("reported process {pid}, which it did not start")));
            }
        }
        match (mode, initiator_pid == responder_pid) {
            (Mode::TwoProcesses, false) => Ok(vec![initiator_pid, responder_pid]),
            (Mode::TwoThreads, true) => Ok(vec![initiator_pid]),
            (Mode::TwoProcesses, true) => Err(self
                .failed(&format!("reported process {initiator_pid} for both ends: expected two in 2proc"))),
            (Mode::TwoThreads, false) => Err(self.failed("reported two processes: expected one in 2thread")),
        }
    }

    /// It sent an unexpected message: ends it.
    pub(super) fn unexpected(&mut self, answer: &Answer, expected: &str) -> NotMeasured {
        let sent = match answer {
            Answer::Connected(_) => "connected",
            Answer::Started(_) => "started",
            Answer::Done(_) => "done",
            Answer::Unsupported(_) => "unsupported",
            Answer::Failed(_) => "failed",
        };
        self.failed(&format!("sent `{sent}`: expected {expected}"))
    }

    /// Its results are invalid: ends it.
    pub(super) fn failed(&mut self, reason: &str) -> NotMeasured {
        NotMeasured::Failed(self.end_with_reason(Some(reason.to_owned()), false))
    }

    /// Ends it and describes the failure: its message, its exit status, or that it is silent.
    fn end_with_reason(&mut self, reason_given: Option<String>, has_ended: bool) -> String {
        self.tracer = None;
        let silence = format!("no response within {} s, killed", self.deadline.as_secs_f32());
        let reason_given = if has_ended { reason_given } else { reason_given.or(Some(silence)) };
        if !has_ended {
            self.process_group.end();
        }
        let Some(child) = self.child.take() else { return reason_given.unwrap_or_default() };
        child.end_with_reason(reason_given, true, "")
    }

    /// Lets it end by itself, then kills any remaining processes.
    pub(super) fn end(mut self) {
        if let Some(child) = &mut self.child {
            child.close_stdin();
        }
        let until = Instant::now() + EXIT_TIMEOUT;
        while let Ok(Output::Line(..)) =
            self.outputs.recv_timeout(until.saturating_duration_since(Instant::now()))
        {}
    }
}

impl Drop for ProgramProcess {
    fn drop(&mut self) {
        self.tracer = None;
        // Before dropping `child`, which waits for the program.
        self.process_group.end();
    }
}

fn read_lines(stdout: Option<ChildStdout>) -> Receiver<Output> {
    let (sender, outputs) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = stdout.map(BufReader::new);
        while let Some(stdout) = &mut lines {
            let mut line = Vec::new();
            // One more than allowed, to detect a line that is too long.
            let read = stdout.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
            let output = match read {
                Ok(bytes) if bytes > 0 => Output::Line(line, clock::now_ns()),
                _ => Output::End,
            };
            let is_end = matches!(output, Output::End);
            if sender.send(output).is_err() || is_end {
                break;
            }
        }
    });
    outputs
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
