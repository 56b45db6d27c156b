//! [`Program`]: a process that runs until it is told to end, with what it wrote.

use crate::interrupt::{self, STOP_TIMEOUT};
use crate::platform;
use crate::tool::{Line, Running, Tool};
use anyhow::{Context, Result, bail, ensure};
use std::time::Duration;

/// How long a program may take until it says its first line.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A process, which ends with this value, and so does all that it started.
pub(super) struct Program {
    name: String,
    running: Running,
}

impl Program {
    /// Starts one.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(name: &str, tool: Tool) -> Result<Self> {
        Ok(Self { name: name.to_owned(), running: tool.with_all_it_starts().spawn()? })
    }

    /// The first line of its output.
    ///
    /// # Errors
    /// It says none.
    pub(super) fn first_line(&self) -> Result<String> {
        match self.running.lines.recv_timeout(START_TIMEOUT) {
            Ok(Line::Output(line)) => Ok(line),
            Ok(Line::Error(line)) => bail!("{} says: {line}", self.name),
            Err(_) => bail!("{} says nothing", self.name),
        }
    }

    /// # Errors
    /// It has ended.
    pub(super) fn check(&self) -> Result<()> {
        let ended = self.running.child.try_wait().with_context(|| format!("cannot look at {}", self.name))?;
        ended.map_or(Ok(()), |status| bail!("{} has ended ({status})", self.name))
    }

    /// What it wrote since this was asked for, with its name.
    pub(super) fn log(&self) -> String {
        let lines: Vec<Line> = self.running.lines.try_iter().collect();
        let texts = lines.iter().map(|line| format!("  {}\n", line.text()));
        format!("{}:\n{}", self.name, texts.collect::<String>())
    }

    /// Lets it end as Ctrl-C does.
    ///
    /// # Errors
    /// It does not, or not well.
    pub(super) fn stop(self) -> Result<()> {
        platform::send_interrupt(self.running.child.id())?;
        let status = self.running.child.wait_timeout(STOP_TIMEOUT);
        let status = status.with_context(|| format!("cannot wait for {}", self.name))?;
        let status = status.with_context(|| format!("{} does not stop\n{}", self.name, self.log()))?;
        ensure!(status.success(), "{} ended with {status}\n{}", self.name, self.log());
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let child = &self.running.child;
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        // An interrupt has asked it already.
        if !interrupt::requested() {
            platform::end_process_group(child, false);
        }
        if matches!(child.wait_timeout(STOP_TIMEOUT), Ok(None)) {
            platform::end_process_group(child, true);
            // What was killed ends.
            let _ = child.wait();
        }
    }
}
