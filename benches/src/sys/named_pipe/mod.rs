//! Pipes of Windows, with a name and without: one handle for both directions, bytes or messages, calls that block or
//! calls whose completion is awaited at a port.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unsupported.rs")]
mod imp;

/// How a pipe behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether it keeps the borders of messages.
    pub messages: bool,
    /// Whether each call is started, and its completion awaited at a completion port.
    pub overlapped: bool,
    /// What it is asked to hold each way; none: 64 KiB, as a Linux pipe, so that the two compare.
    pub buffer_bytes: Option<usize>,
}

/// Whether there are such pipes.
///
/// # Errors
/// The reason where there are none.
pub fn support() -> Result<(), Unsupported> {
    imp::support()
}

/// Reader and writer of a new pipe without a name, of a size asked for or the system's own.
///
/// # Errors
/// Of the system.
pub fn anonymous(buffer_bytes: Option<usize>) -> io::Result<(Handle, Handle)> {
    imp::anonymous(buffer_bytes)
}

/// The server's end of a new pipe, for one client of this machine, and its name.
///
/// # Errors
/// Of the system.
pub fn create(settings: Settings) -> io::Result<(Handle, String)> {
    imp::create(settings)
}

/// A connected end.
#[derive(Debug)]
pub struct Pipe(imp::Pipe);

impl Pipe {
    /// Waits for the client.
    ///
    /// # Errors
    /// Of the system.
    pub fn accept(server: Handle, settings: Settings) -> io::Result<Self> {
        imp::Pipe::accept(server, settings).map(Self)
    }

    /// Connects to the server, which exists.
    ///
    /// # Errors
    /// Of the system.
    pub fn connect(name: &str, settings: Settings) -> io::Result<Self> {
        imp::Pipe::connect(name, settings).map(Self)
    }

    /// Writes some of the bytes, or one message, waiting while there is no room; returns how many bytes.
    ///
    /// # Errors
    /// Of the system; `BrokenPipe` when the other end is gone.
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    /// Reads what there is, or one message, waiting while there is nothing; returns how many bytes: one more than the
    /// buffer holds when a message did not fit.
    ///
    /// # Errors
    /// Of the system; `BrokenPipe` when the other end is gone.
    #[inline]
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }

    /// Writes a message and reads the one that answers it, in one call; returns its length as [`Pipe::read`] does.
    ///
    /// # Errors
    /// Of the system; `BrokenPipe` when the other end is gone.
    #[inline]
    pub fn transact(&self, question: &[u8], buffer: &mut [u8]) -> io::Result<usize> {
        self.0.transact(question, buffer)
    }

    /// What it holds each way: out and in.
    pub fn buffer_bytes(&self) -> [Option<u64>; 2] {
        self.0.buffer_bytes()
    }
}

/// Takes over a handle that another process has given to this one, by the number it has here.
///
/// # Errors
/// When it is the number of none.
#[inline]
pub fn take(number: u64) -> io::Result<Handle> {
    imp::take(number)
}

/// A process that handles are given to.
#[derive(Debug)]
pub struct Process(imp::Process);

impl Process {
    /// Opens the process of this number for that.
    ///
    /// # Errors
    /// Of the system, when it has ended or is another user's.
    pub fn open(id: u32) -> io::Result<Self> {
        imp::Process::open(id).map(Self)
    }

    /// Gives it a handle (`DuplicateHandle`); returns the number it has there.
    ///
    /// # Errors
    /// Of the system.
    #[inline]
    pub fn give(&self, passed: &Handle) -> io::Result<u64> {
        self.0.give(passed)
    }
}
