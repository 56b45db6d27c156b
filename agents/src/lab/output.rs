//! What a build and the programs print: the end of it is kept for whoever looks at the job.

use roundtrip_wire::lab::last_part;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// The end of what was printed so far.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: String,
}

/// A command that runs, and what it prints. Ended when it is dropped.
pub(crate) struct Running {
    child: Child,
    printed: Receiver<Vec<u8>>,
}

impl Output {
    /// Adds a line of our own.
    pub(crate) fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.cut();
    }

    /// Starts a command whose output is heard; what it prints on standard output goes to `stdout`, if that is named.
    ///
    /// # Errors
    /// Of the system.
    #[expect(clippy::unused_self, reason = "what it starts prints into this")]
    pub(crate) fn start(&self, mut command: Command, stdout: Option<Stdio>) -> io::Result<Running> {
        let (tell, printed) = mpsc::channel();
        let (reader, writer) = io::pipe()?;
        let stdout = stdout.map_or_else(|| writer.try_clone().map(Stdio::from), Ok)?;
        command.stdin(Stdio::null()).stdout(stdout).stderr(writer);
        let child = command.spawn()?;
        // The ends that are written to are the child's alone, so that reading ends with it.
        drop(command);
        thread::spawn(move || {
            let mut reader = reader;
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if tell.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Running { child, printed })
    }

    /// Takes what has been printed.
    pub(crate) fn hear(&mut self, running: &mut Running) {
        while let Ok(bytes) = running.printed.try_recv() {
            self.text.push_str(&String::from_utf8_lossy(&bytes));
        }
        self.cut();
    }

    /// All that is kept of it.
    pub(crate) fn text(&self) -> &str {
        last_part(&self.text)
    }

    fn cut(&mut self) {
        let kept = last_part(&self.text).len();
        self.text.drain(..self.text.len() - kept);
    }
}

impl Running {
    /// Waits for its end, but not longer than this.
    ///
    /// # Errors
    /// Of the system.
    pub(crate) fn wait_for(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        const POLL: Duration = Duration::from_millis(20);
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait()? {
                // What it printed last is on its way.
                thread::sleep(POLL);
                return Ok(Some(status));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
