//! The child process of one repetition. Keeps its standard error; killed when dropped.

use crate::sys::exit;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time for a process to report why it failed, or to end when it is no longer needed.
pub(super) const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval for polling a process that is ending.
const REAP_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Kept standard error: the last bytes matter most.
const STDERR_BYTES_MAX: usize = 16 * 1024;

/// A running process. Killed when dropped, unless it has ended.
pub(super) struct Child {
    name: String,
    process: process::Child,
    stdin: Option<ChildStdin>,
    stderr: StderrTail,
}

/// The last bytes that a process has written to its standard error.
struct StderrTail {
    text: Arc<Mutex<Vec<u8>>>,
    reader: thread::JoinHandle<()>,
}

impl Child {
    /// Starts it. The caller reads its standard output.
    pub(super) fn start(name: String, mut command: Command) -> Result<(Self, Option<ChildStdout>), String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
        let stderr = StderrTail::capture(process.stderr.take());
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        Ok((Self { name, process, stdin, stderr }, stdout))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn process(&self) -> &process::Child {
        &self.process
    }

    pub(super) fn has_ended(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(Some(_)))
    }

    /// Sends it a line. Fails with [`io::ErrorKind::BrokenPipe`] if it has ended.
    pub(super) fn send_line(&mut self, line: &str) -> io::Result<()> {
        self.stdin.as_mut().map_or(Ok(()), |stdin| writeln!(stdin, "{line}"))
    }

    /// Closes its standard input.
    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Ends the process and describes how it ended, unless this killed it. `silence` describes a process that is still
    /// running.
    pub(super) fn end_with_reason(
        mut self,
        reason_given: Option<String>,
        has_ended: bool,
        silence: &str,
    ) -> String {
        // A process that is being killed closes its pipes a moment before it can be waited for.
        let until = Instant::now() + EXIT_TIMEOUT;
        let mut status = self.process.try_wait();
        while has_ended && matches!(status, Ok(None)) && Instant::now() < until {
            thread::sleep(REAP_POLL_INTERVAL);
            status = self.process.try_wait();
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        let stderr_line = self.stderr.last_line();
        let mut words = match (reason_given, status) {
            (Some(reason_given), _) => format!("{}: {reason_given}", self.name),
            (None, Ok(Some(status))) => format!("{}: {}", self.name, exit::describe(status)),
            (None, _) => format!("{}: {silence}, killed", self.name),
        };
        if let Some(line) = stderr_line {
            // Writing to a string cannot fail.
            let _ = write!(words, " ({line})");
        }
        words
    }
}

impl StderrTail {
    /// Reads until the end, so that a process that writes much never blocks.
    fn capture(stderr: Option<ChildStderr>) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let captured = text.clone();
        let reader = thread::spawn(move || {
            let Some(mut stderr) = stderr else { return };
            let mut buffer = [0; 4096];
            // Read errors are ignored: this output only adds detail to another failure.
            while let Ok(bytes @ 1..) = stderr.read(&mut buffer) {
                let mut text = captured.lock().unwrap_or_else(PoisonError::into_inner);
                text.extend_from_slice(&buffer[..bytes]);
                let surplus = text.len().saturating_sub(STDERR_BYTES_MAX);
                text.drain(..surplus);
            }
        });
        Self { text, reader }
    }

    /// The last line, once the process has ended. Its own children may keep standard error open for longer, so this
    /// waits at most [`EXIT_TIMEOUT`].
    fn last_line(&self) -> Option<String> {
        let until = Instant::now() + EXIT_TIMEOUT;
        while !self.reader.is_finished() && Instant::now() < until {
            thread::sleep(REAP_POLL_INTERVAL);
        }
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&text).trim().lines().last().map(str::to_owned)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
