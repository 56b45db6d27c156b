//! Everything specific to an operating system: one file or folder per capability, with the contract first,
//! then a module `imp` per mechanism. A missing capability compiles and returns the reason.

/// Declares functions that this system does not support: they fail.
macro_rules! missing {
    ($($vis:vis fn $name:ident($($argument:ty),*) -> $answer:ty;)*) => {
        $($vis fn $name($(_: $argument),*) -> io::Result<$answer> {
            Err(io::Error::from(io::ErrorKind::Unsupported))
        })*
    };
}

/// Declares methods of a type that has no values on this system.
macro_rules! never {
    ($($vis:vis fn $name:ident($($argument:ty),*) -> $answer:ty;)*) => {
        $($vis fn $name(&self, $(_: $argument),*) -> $answer {
            match *self {}
        })*
    };
}

pub mod affinity;
#[cfg(any(target_os = "linux", test))]
mod cgroup;
pub mod clock;
pub(crate) mod counters;
pub mod death;
pub mod descriptors;
pub(crate) mod event;
pub(crate) mod exit;
pub(crate) mod fifo;
pub(crate) mod fingerprint;
pub mod fork_channel;
pub mod handle;
#[cfg(windows)]
mod job;
#[cfg(target_os = "freebsd")]
mod kinfo;
pub(crate) mod liveness;
pub(crate) mod mach;
pub(crate) mod message_queue;
pub(crate) mod named_pipe;
pub(crate) mod noise;
pub(crate) mod null_call;
pub(crate) mod passable;
#[cfg(target_os = "linux")]
mod perf_event;
pub(crate) mod pipe;
pub(crate) mod pipe_capacity;
#[cfg(windows)]
mod process;
pub mod process_group;
pub mod profiling;
pub(crate) mod readiness;
pub(crate) mod remote_descriptor;
pub(crate) mod remote_memory;
pub mod rights;
pub mod shared_memory;
pub(crate) mod socket;
pub(crate) mod splice;
pub(crate) mod stream;
#[cfg(target_os = "macos")]
mod symbol;
#[cfg(any(target_os = "macos", target_os = "freebsd", test))]
mod sysctl;
pub mod sysv;
pub mod tracing;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "other systems have few such files or none"))]
pub(crate) mod tree;
pub(crate) mod uring;
pub(crate) mod usage;
pub(crate) mod vsock;
pub mod wake;
pub(crate) mod zero_copy;

/// Why this system cannot do something: `same-cpu needs to pin threads: this system has no call for it`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

impl Unsupported {
    /// Creates it from a reason that reads as a sentence.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Returns the error for a channel whose other end is gone.
pub fn closed() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the other end closed the channel")
}
