//! A process of one repetition: what it complains of is kept, and it is gone when this is.

use crate::sys::exit;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may take to say why it failed, or to end when it is no longer needed.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// How often a process that is ending is looked at.
const REAP_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// More of what it complains of is not kept: the last is what tells.
const COMPLAINTS_BYTES_MAX: usize = 16 * 1024;

/// A running process. Killed when dropped, unless it has ended.
pub(super) struct Child {
    name: String,
    process: process::Child,
    stdin: Option<ChildStdin>,
    complaints: Complaints,
}

/// The last that a process has written to its standard error.
struct Complaints {
    text: Arc<Mutex<Vec<u8>>>,
    listener: thread::JoinHandle<()>,
}

impl Child {
    /// Starts it. Its standard output is for the caller to read.
    pub(super) fn start(name: String, mut command: Command) -> Result<(Self, Option<ChildStdout>), String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| format!("{name}: starting it: {error}"))?;
        let complaints = Complaints::listen(process.stderr.take());
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        Ok((Self { name, process, stdin, complaints }, stdout))
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

    /// Says a line to it. Fails with [`io::ErrorKind::BrokenPipe`] when it has ended.
    pub(super) fn say(&mut self, line: &str) -> io::Result<()> {
        self.stdin.as_mut().map_or(Ok(()), |stdin| writeln!(stdin, "{line}"))
    }

    /// Says that nothing more will be said.
    pub(super) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Ends it, and says how it ended if that was not our doing. `silence` is what to say of one that lives on.
    pub(super) fn last_words(mut self, said: Option<String>, has_ended: bool, silence: &str) -> String {
        // A process that is being killed closes its pipes a moment before it can be waited for.
        let until = Instant::now() + LAST_WORDS;
        let mut status = self.process.try_wait();
        while has_ended && matches!(status, Ok(None)) && Instant::now() < until {
            thread::sleep(REAP_POLL_INTERVAL);
            status = self.process.try_wait();
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        let complaint = self.complaints.last_line();
        let mut words = match (said, status) {
            (Some(said), _) => format!("{}: {said}", self.name),
            (None, Ok(Some(status))) => format!("{}: {}", self.name, exit::describe(status)),
            (None, _) => format!("{}: {silence}, killed", self.name),
        };
        if let Some(line) = complaint {
            // Writing to a string cannot fail.
            let _ = write!(words, " ({line})");
        }
        words
    }
}

impl Complaints {
    /// Reads until the end, so that a process that complains without one never waits for us.
    fn listen(stderr: Option<ChildStderr>) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let heard = text.clone();
        let listener = thread::spawn(move || {
            let Some(mut stderr) = stderr else { return };
            let mut buffer = [0; 4096];
            // What cannot be read is not worth failing for: it only decorates another failure.
            while let Ok(bytes @ 1..) = stderr.read(&mut buffer) {
                let mut text = heard.lock().unwrap_or_else(PoisonError::into_inner);
                text.extend_from_slice(&buffer[..bytes]);
                let surplus = text.len().saturating_sub(COMPLAINTS_BYTES_MAX);
                text.drain(..surplus);
            }
        });
        Self { text, listener }
    }

    /// The last line, once the process has ended. What it has started may keep its standard error open for longer than
    /// anybody would wait.
    fn last_line(&self) -> Option<String> {
        let until = Instant::now() + LAST_WORDS;
        while !self.listener.is_finished() && Instant::now() < until {
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
