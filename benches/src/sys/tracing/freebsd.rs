//! FreeBSD: dtrace(1), a child that counts inside the kernel and prints the sums when it is interrupted.

use super::{Observed, dtrace};
use crate::sys::{Unsupported, death};
use roundtrip_wire::SystemCalls;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Part of the base system, but not on every search path.
const PROGRAM: &str = "/usr/sbin/dtrace";

#[derive(Debug)]
pub(super) struct Tracer {
    child: Child,
    output: BufReader<ChildStdout>,
    complaints: File,
}

impl Tracer {
    /// Counting happens where the calls are made, so no watching thread needs a processor.
    pub(super) fn attach(pids: Vec<u32>, _cpu: Option<u32>, in_detail: bool) -> Result<Self, Unsupported> {
        if in_detail {
            return Err(Unsupported::because("observing system calls in detail is supported only on Linux"));
        }
        let mut tracer = Self::start(&pids).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Unsupported::because(format!("tracing system calls needs dtrace(1): no {PROGRAM}"))
            }
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
        // A file, because nothing reads a pipe in the meantime, and a full pipe would block the child.
        let complaints = tempfile::tempfile()?;
        let mut command = Command::new(PROGRAM);
        // Quiet; calls that this kernel does not know are not errors; ten updates per second are enough.
        command.args(["-q", "-Z", "-x", "switchrate=10hz", "-n", &dtrace::program(pids)]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(complaints.try_clone()?);
        death::prepare(&mut command);
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("its output is not piped"))?;
        Ok(Self { child, output: BufReader::new(output), complaints })
    }

    /// The calls of threads that made any; empty if events were lost.
    pub(super) fn finish(mut self) -> BTreeMap<u32, Vec<SystemCalls>> {
        // It may have ended by itself; then there is no output.
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        let mut output = String::new();
        let read = self.output.read_to_string(&mut output);
        if read.is_err() || dtrace::has_lost(&self.complaints()) {
            return BTreeMap::new();
        }
        dtrace::calls(&output).unwrap_or_default()
    }

    /// Never observed in detail.
    pub(super) fn finish_in_detail(self) -> Vec<Observed> {
        Vec::new()
    }

    fn complaints(&mut self) -> String {
        let mut text = String::new();
        // If the output cannot be read, there is no reason to report.
        let _ = self.complaints.rewind().and_then(|()| self.complaints.read_to_string(&mut text));
        text
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        // It has ended, or is no longer needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
