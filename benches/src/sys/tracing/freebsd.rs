//! FreeBSD: dtrace(1), a child that counts inside the kernel and prints the sums when it is told to end.

use super::dtrace;
use crate::sys::{Unsupported, death};
use roundtrip_wire::SystemCalls;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Part of the base system, and not on the search path of everybody.
const PROGRAM: &str = "/usr/sbin/dtrace";

#[derive(Debug)]
pub(super) struct Tracer {
    child: Child,
    output: BufReader<ChildStdout>,
    complaints: File,
}

impl Tracer {
    /// Counting happens where the calls are made, so there is nobody to be put on a processor.
    pub(super) fn attach(pids: Vec<u32>, _cpu: Option<u32>) -> Result<Self, Unsupported> {
        let mut tracer = Self::start(&pids).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Unsupported::because(format!("system calls need dtrace(1): no {PROGRAM}")),
            _ => Unsupported::because(format!("starting {PROGRAM}: {error}")),
        })?;
        let mut line = String::new();
        while tracer.output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            if line.trim_end() == dtrace::READY {
                return Ok(tracer);
            }
            line.clear();
        }
        Err(Unsupported::because(dtrace::refusal(&tracer.complaints())))
    }

    fn start(pids: &[u32]) -> io::Result<Self> {
        // A file, because nobody reads a pipe meanwhile, and who writes to a full one waits.
        let complaints = tempfile::tempfile()?;
        let mut command = Command::new(PROGRAM);
        // Quietly; a call that this kernel does not know is no error; ten times a second is soon enough to hear of it.
        command.args(["-q", "-Z", "-x", "switchrate=10hz", "-n", &dtrace::program(pids)]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(complaints.try_clone()?);
        death::prepare(&mut command);
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("its output is not piped"))?;
        Ok(Self { child, output: BufReader::new(output), complaints })
    }

    /// Those of threads that made any; of none, where events were lost.
    pub(super) fn finish(mut self) -> BTreeMap<u32, Vec<SystemCalls>> {
        // It may have ended by itself, and then there is nothing to be read.
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        let mut output = String::new();
        let read = self.output.read_to_string(&mut output);
        if read.is_err() || dtrace::has_lost(&self.complaints()) {
            return BTreeMap::new();
        }
        dtrace::calls(&output).unwrap_or_default()
    }

    fn complaints(&mut self) -> String {
        let mut text = String::new();
        // What cannot be read back is not told.
        let _ = self.complaints.rewind().and_then(|()| self.complaints.read_to_string(&mut text));
        text
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        // It has ended, or is not wanted any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
