//! The ways to record a process, tried from the cheapest on.

use super::calls::Tally;
use super::descriptors::{self, Descriptors};
use super::tracer::{Order, Tracer};
use super::{perf, strace};
use crate::cli::By;
use std::collections::BTreeSet;
use tempfile::TempDir;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method(By);

/// A process that is being recorded.
pub(crate) struct Running {
    method: By,
    order: Order,
    tracer: Tracer,
    /// Threads that it had before.
    threads: BTreeSet<u32>,
    folder: TempDir,
}

impl Method {
    /// All of them, or only the one that is asked for.
    pub(crate) fn all(only: Option<By>) -> Vec<Self> {
        only.map_or_else(|| vec![Self(By::Perf), Self(By::Strace)], |by| vec![Self(by)])
    }

    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            By::Perf => "perf",
            By::Strace => "strace",
        }
    }

    /// Begins. Once this returns, every call is recorded.
    ///
    /// # Errors
    /// Why it cannot record this process.
    pub(crate) fn start(self, order: &Order) -> Result<Running, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let log = folder.path().join(LOG);
        let threads = descriptors::threads(order.process);
        let tracer = match self.0 {
            By::Perf => Tracer::start(perf::command(order, &log), perf::is_attached),
            By::Strace => Tracer::start(strace::command(order, &log), strace::is_attached),
        }?;
        Ok(Running { method: self.0, order: *order, tracer, threads, folder })
    }
}

/// What a recording is written to, in a folder of its own.
const LOG: &str = "log";

impl Running {
    /// Whether it has ended by itself, as it does with the process.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.tracer.has_ended()
    }

    /// Ends it, and reads what was recorded.
    ///
    /// # Errors
    /// It does not end, or wrote what cannot be read.
    pub(crate) fn end(self, descriptors: &Descriptors) -> Result<Tally, String> {
        let Self { method, order, tracer, threads, folder } = self;
        tracer.finish()?;
        let log = folder.path().join(LOG);
        match method {
            By::Perf => perf::read(&order, descriptors, &log),
            By::Strace => strace::read(&order, descriptors, threads, &log),
        }
    }
}
