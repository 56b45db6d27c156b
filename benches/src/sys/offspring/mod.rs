//! A program of somebody else and all processes that it starts: told apart from others, and ended together.

use std::io;
use std::process::{Child, Command};

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;

/// A started program and all that it starts. Whoever leaves it, as a daemon does, is no longer of it.
#[derive(Debug)]
pub struct Offspring(imp::Offspring);

/// Arranges that a program which is not started yet can be told apart. It ends with this process, as
/// [`super::death::prepare`] arranges; what it starts must notice that by itself.
pub fn prepare(command: &mut Command) {
    super::death::prepare(command);
    imp::prepare(command);
}

impl Offspring {
    /// Of a program that has just been started.
    ///
    /// # Errors
    /// Of the system.
    pub fn of(child: &Child) -> io::Result<Self> {
        imp::Offspring::of(child).map(Self)
    }

    /// Whether this process is of it.
    pub fn holds(&self, pid: u32) -> bool {
        self.0.holds(pid)
    }

    /// Ends all of it. Call it before the program is waited for, if it can be: its number is then nobody else's.
    pub fn end(&self) {
        self.0.end();
    }
}
