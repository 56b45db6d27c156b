//! All that differs between operating systems: one file or folder per capability, the contract first, then a module `imp`
//! per mechanism. A capability that is missing says why; it never fails to compile.

/// Functions of a capability that this system does not have: they fail.
macro_rules! missing {
    ($($vis:vis fn $name:ident($($argument:ty),*) -> $answer:ty;)*) => {
        $($vis fn $name($(_: $argument),*) -> io::Result<$answer> {
            Err(io::Error::from(io::ErrorKind::Unsupported))
        })*
    };
}

/// Methods of a type that this system has no value of.
macro_rules! never {
    ($($vis:vis fn $name:ident($($argument:ty),*) -> $answer:ty;)*) => {
        $($vis fn $name(&self, $(_: $argument),*) -> $answer {
            match *self {}
        })*
    };
}

pub mod affinity;
pub mod cgroup;
pub mod clock;
pub mod counters;
pub mod death;
pub mod event;
pub mod exit;
pub mod fifo;
pub mod fingerprint;
pub mod fork_channel;
pub mod handle;
#[cfg(windows)]
mod job;
#[cfg(target_os = "freebsd")]
mod kinfo;
pub mod liveness;
pub mod mach;
pub mod message_queue;
pub mod named_pipe;
pub mod noise;
pub mod null_call;
pub mod offspring;
pub mod passable;
pub mod pipe;
pub mod pipe_capacity;
#[cfg(windows)]
mod process;
pub mod readiness;
pub mod remote_memory;
pub mod rights;
pub mod shared_memory;
pub mod socket;
pub mod splice;
pub mod stream;
#[cfg(target_os = "macos")]
mod symbol;
#[cfg(any(target_os = "macos", target_os = "freebsd", test))]
mod sysctl;
pub mod tracing;
pub mod tree;
pub mod usage;
pub mod wake;

/// Why this system cannot do something: `same-cpu needs to pin threads: this system has no call for it`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

impl Unsupported {
    /// With a reason that reads as a sentence.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The error of a channel whose other end is gone.
pub fn closed() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the other end closed the channel")
}
