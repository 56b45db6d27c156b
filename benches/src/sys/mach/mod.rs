//! Messages of the Mach kernel: ports, rights, out-of-line memory, and kqueue over ports.
//!
//! [`Kernel`] is all that is asked of the system. It is a trait, so that the same code runs over the real kernel
//! (`macos`), which holds calls and nothing else, and in tests over a strict imitation of it (`simulated`), on any
//! system. Numbers that both rely on are in [`abi`], and checked against the headers where those are compiled. The real
//! one has never been run.
//!
//! - `message`: how messages are written and read; `carried`: what they hold besides bytes; `frame`: where they lie;
//!   `exchange`: how one is sent, and received.
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
    /// Names no right (`MACH_PORT_NULL`).
    pub(crate) const NULL: Self = Self(0);
    /// What stands for a right to a port that died on the way (`MACH_PORT_DEAD`).
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

/// What the kernel appends to a received message. It needs room in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trailer {
    /// The least: its own type and size.
    Least,
    /// Up to the audit token of the sender.
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

/// The calls of a Mach kernel, on behalf of one process (a task). Names and addresses are of that process.
pub trait Kernel: Clone + Send + 'static {
    type Queue;

    fn page_bytes(&self) -> usize;

    fn user(&self) -> u32;

    /// A new port's receive right (`mach_port_allocate`).
    fn allocate_port(&self) -> Result<Name, Code>;

    /// Sets how many messages wait in a port before senders do (`mach_port_set_attributes`, `MACH_PORT_LIMITS_INFO`).
    /// Fails when it is not a receive right, or the number above 1,024.
    fn limit_queue(&self, port: Name, messages: u32) -> Result<(), Code>;

    /// Asks for a message into the port itself once nobody can send to it any more: `MACH_NOTIFY_NO_SENDERS`
    /// (`mach_port_request_notification`). A right must have been made since the port was allocated before that
    /// counts. Messages that wait in the port hold a right, so it comes after them. Fails when it is not a receive
    /// right.
    fn tell_when_no_senders(&self, port: Name) -> Result<(), Code>;

    /// Ends a port (`mach_port_mod_refs`): what waits in it is destroyed, senders find a dead name. Fails when it is
    /// not a receive right.
    fn destroy_receive(&self, port: Name) -> Result<(), Code>;

    /// Gives up one reference to a send right, a send-once right or a dead name (`mach_port_deallocate`). Fails when
    /// there is none.
    fn release_send(&self, right: Name) -> Result<(), Code>;

    /// Registers a name with the bootstrap server: returns the receive right behind it (`bootstrap_check_in`). Fails
    /// when another has it.
    fn check_in(&self, service: &CStr) -> Result<Name, Code>;

    /// A send right to who has checked in (`bootstrap_look_up`). Before that: [`Code::UNKNOWN_SERVICE`].
    fn look_up(&self, service: &CStr) -> Result<Name, Code>;

    /// Sends a message, waiting while the port is full (`mach_msg`, `MACH_SEND_TIMEOUT`). After
    /// [`Code::SEND_TIMED_OUT`] or [`Code::SEND_INTERRUPTED`] the kernel has put into the message what it had taken from it,
    /// as if it had been received: rights with one more reference, memory at another address.
    ///
    /// # Safety
    /// What the message has of out-of-line memory is readable, stays so until this returns, and is not given away.
    #[expect(unsafe_code, reason = "a message may describe memory by its address")]
    unsafe fn send(&self, message: &mut [u8], patience: Duration) -> Code;

    /// Receives one message with its trailer, waiting for it (`mach_msg`, `MACH_RCV_LARGE`). One that is too large stays
    /// where it is: then its size is in the header. No patience means no end of it.
    fn receive(&self, port: Name, buffer: &mut [u8], trailer: Trailer, patience: Option<Duration>) -> Code;

    /// Ends a mapping (`mach_vm_deallocate`).
    ///
    /// # Errors
    /// When there is none.
    ///
    /// # Safety
    /// The memory came with a message, and is not looked at any more.
    #[expect(unsafe_code, reason = "memory by its address")]
    unsafe fn unmap(&self, address: u64, bytes: usize) -> Result<(), Code>;

    fn queue(&self) -> io::Result<Self::Queue>;

    /// Makes [`Kernel::wait`] wait for a message in this port (`EVFILT_MACHPORT`, event only).
    fn watch_port(&self, queue: &mut Self::Queue, port: Name) -> io::Result<()>;

    /// Makes [`Kernel::wait`] wait for bytes in this pipe, or its end (`EVFILT_READ`).
    fn watch_pipe(&self, queue: &mut Self::Queue, pipe: &PipeReader) -> io::Result<()>;

    /// Waits for one event (`kevent64`). It takes nothing: what is there stays there.
    fn wait(&self, queue: &mut Self::Queue) -> io::Result<()>;

    /// As [`Kernel::receive`] without an end of patience, but the message is received inside `kevent64`
    /// (`EVFILT_MACHPORT` with `MACH_RCV_MSG`). For a queue that watches nothing else. Fails when the kqueue itself
    /// does; a receipt that fails is a [`Code`].
    fn receive_by_event(&self, queue: &mut Self::Queue, port: Name, buffer: &mut [u8]) -> io::Result<Code>;

    /// A send right that stands for an open file (`fileport_makeport`).
    fn file_to_right(&self, file: &Handle) -> io::Result<Name>;

    /// Opens the file that a send right stands for, close-on-exec (`fileport_makefd`). Fails when it stands for none;
    /// when this process may open no more files.
    fn right_to_file(&self, right: Name) -> io::Result<Handle>;
}
