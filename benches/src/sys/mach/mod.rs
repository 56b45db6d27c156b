//! Messages of the Mach kernel: ports, rights, out-of-line memory, and kqueue over ports.
//!
//! [`Kernel`] contains all system calls. It is a trait, so that the same code runs over the real kernel (`macos`, only
//! calls) and, in tests on any system, over a strict simulation (`simulated`). Numbers that both use are in [`abi`],
//! and checked against the headers where those are compiled. The real one has never run.
//!
//! - `message`: writing and reading messages; `carried`: rights and memory in them; `frame`: their buffers; `exchange`:
//!   sending and receiving one.
//! - `port`: rights, released when dropped; `rendezvous`, `token`: how two processes find each other.
//! - `lending`: rights to semaphores, for processes that share memory.

use super::Unsupported;
use super::handle::Handle;
use std::ffi::CStr;
use std::fmt;
use std::io::{self, PipeReader};
use std::time::Duration;

pub(crate) mod abi;
pub(crate) mod carried;
mod code;
pub(crate) mod exchange;
pub(crate) mod frame;
#[cfg(any(target_os = "macos", test))]
pub(crate) mod lending;
pub(crate) mod message;
pub(crate) mod port;
pub(crate) mod rendezvous;
#[cfg(test)]
pub(crate) mod simulated;
pub(crate) mod token;

#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(not(target_os = "macos"), path = "unsupported.rs")]
mod imp;

pub(crate) use code::Code;
pub(crate) use imp::{System, system};

pub(crate) fn support() -> Result<(), Unsupported> {
    system().map(|_| ())
}

/// The name of a right in this process (`mach_port_name_t`). A process has one name for its send rights and its receive
/// right to the same port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub u32);

impl Name {
    /// No right (`MACH_PORT_NULL`).
    pub(crate) const NULL: Self = Self(0);
    /// A right to a port that died in transit (`MACH_PORT_DEAD`).
    pub(crate) const DEAD: Self = Self(u32::MAX);

    pub(crate) fn is_right(self) -> bool {
        self != Self::NULL && self != Self::DEAD
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

/// The trailer that the kernel appends to a received message. The buffer needs room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trailer {
    /// The shortest: its type and size.
    Least,
    /// Including the sender's audit token.
    Audit,
}

impl Trailer {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Least => abi::TRAILER_BYTES_LEAST,
            Self::Audit => abi::TRAILER_BYTES_AUDIT,
        }
    }
}

/// The calls of a Mach kernel for one process (a task). Names and addresses belong to that process.
pub trait Kernel: Clone + Send + 'static {
    type Queue;

    fn page_bytes(&self) -> usize;

    fn user(&self) -> u32;

    /// Creates a port and returns its receive right (`mach_port_allocate`).
    fn allocate_port(&self) -> Result<Name, Code>;

    /// Sets how many messages fit a port before senders wait (`mach_port_set_attributes`, `MACH_PORT_LIMITS_INFO`).
    /// Fails if it is not a receive right, or the number is above 1,024.
    fn limit_queue(&self, port: Name, messages: u32) -> Result<(), Code>;

    /// Requests a message to the port itself once it has no senders left: `MACH_NOTIFY_NO_SENDERS`
    /// (`mach_port_request_notification`). Only counts if a right has been created since the port was allocated.
    /// Messages that wait in the port hold a right, so it comes after them. Fails if it is not a receive right.
    fn notify_when_no_senders(&self, port: Name) -> Result<(), Code>;

    /// Destroys a port and its waiting messages (`mach_port_mod_refs`); senders find a dead name. Fails if it is not a
    /// receive right.
    fn destroy_receive(&self, port: Name) -> Result<(), Code>;

    /// Releases one reference to a send right, a send-once right or a dead name (`mach_port_deallocate`). Fails if
    /// there is none.
    fn release_send(&self, right: Name) -> Result<(), Code>;

    /// Registers a name with the bootstrap server: returns its receive right (`bootstrap_check_in`). Fails if another
    /// process has it.
    fn check_in(&self, service: &CStr) -> Result<Name, Code>;

    /// Returns a send right to the process that has checked in (`bootstrap_look_up`). Before that:
    /// [`Code::UNKNOWN_SERVICE`].
    fn look_up(&self, service: &CStr) -> Result<Name, Code>;

    /// Sends a message, waiting while the port is full (`mach_msg`, `MACH_SEND_TIMEOUT`). After
    /// [`Code::SEND_TIMED_OUT`] or [`Code::SEND_INTERRUPTED`], the kernel has put the contents back into the message as
    /// if it had been received: rights with one more reference, memory at another address.
    ///
    /// # Safety
    /// Out-of-line memory in the message is readable, stays so until this returns, and is not given away.
    #[expect(unsafe_code, reason = "a message may describe memory by its address")]
    unsafe fn send(&self, message: &mut [u8], timeout: Duration) -> Code;

    /// Waits for one message with its trailer (`mach_msg`, `MACH_RCV_LARGE`). A message that is too large stays in the
    /// port: then its size is in the header. Without a timeout it waits indefinitely.
    fn receive(&self, port: Name, buffer: &mut [u8], trailer: Trailer, timeout: Option<Duration>) -> Code;

    /// Unmaps memory (`mach_vm_deallocate`).
    ///
    /// # Errors
    /// If the address is not mapped.
    ///
    /// # Safety
    /// The memory came with a message, and is not used any more.
    #[expect(unsafe_code, reason = "memory by its address")]
    unsafe fn unmap(&self, address: u64, bytes: usize) -> Result<(), Code>;

    fn queue(&self) -> io::Result<Self::Queue>;

    /// Makes [`Kernel::wait`] wait for a message in this port (`EVFILT_MACHPORT`, event only).
    fn watch_port(&self, queue: &mut Self::Queue, port: Name) -> io::Result<()>;

    /// Makes [`Kernel::wait`] wait for bytes in this pipe, or its end (`EVFILT_READ`).
    fn watch_pipe(&self, queue: &mut Self::Queue, pipe: &PipeReader) -> io::Result<()>;

    /// Waits for one event (`kevent64`) without consuming it.
    fn wait(&self, queue: &mut Self::Queue) -> io::Result<()>;

    /// Like [`Kernel::receive`] without a timeout, but the message is received inside `kevent64` (`EVFILT_MACHPORT`
    /// with `MACH_RCV_MSG`). For a queue that watches nothing else. Fails if the kqueue itself fails; a failed receipt
    /// is a [`Code`].
    fn receive_by_event(&self, queue: &mut Self::Queue, port: Name, buffer: &mut [u8]) -> io::Result<Code>;

    /// Creates a send right for an open file (`fileport_makeport`).
    fn file_to_right(&self, file: &Handle) -> io::Result<Name>;

    /// Opens the file of a send right, close-on-exec (`fileport_makefd`). Fails if the right is not for a file, or if
    /// this process may open no more files.
    fn right_to_file(&self, right: Name) -> io::Result<Handle>;
}
