//! Sampling profiles of other processes: the call stacks in which they use a processor, and in which they wait.

use super::Unsupported;
use serde::{Deserialize, Serialize};

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

/// What processes did while they were sampled.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// Distinct stacks of each process.
    pub stacks: Vec<Stack>,
    /// Samples that the kernel dropped because its buffer was full.
    pub lost: u64,
    /// Reasons why frames or times are missing, one sentence each.
    pub notes: Vec<String>,
}

/// A call stack, and the time spent in it.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stack {
    /// The process.
    pub pid: u32,
    /// Demangled function names, outermost first. Those of the kernel end with `_[k]`. An unknown function has the name
    /// of its library: `[libfoo.so]`, or `[unknown]`.
    pub frames: Vec<String>,
    /// Time on a processor: the samples with this stack, times the interval.
    pub on_cpu_ns: u64,
    /// Time after a thread was switched out with this stack until it ran again.
    pub off_cpu_ns: u64,
    /// The number of those switches.
    pub switches: u64,
}

/// Processes that are being sampled: all their threads, and those that they start. Sampling ends when it is dropped.
#[derive(Debug)]
pub struct Sampler(imp::Sampler);

impl Sampler {
    /// Starts sampling. A process that has ended in the meantime is not an error.
    ///
    /// # Errors
    /// The reason why this system or its settings do not allow it, and what still works.
    pub fn attach(pids: &[u32]) -> Result<Self, Unsupported> {
        imp::Sampler::attach(pids).map(Self)
    }

    /// Stops and names the functions. The processes must still run, because their memory maps have the names.
    pub fn finish(self) -> Profile {
        self.0.finish()
    }
}
