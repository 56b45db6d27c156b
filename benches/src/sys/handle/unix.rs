//! Unix: a descriptor, inherited under the number that it has.

use rustix::io::{FdFlags, fcntl_setfd};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// A descriptor.
pub type Handle = OwnedFd;

/// What a child needs to take over a handle: its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket(RawFd);

/// Lets a child that is not started yet inherit these. They stay close-on-exec in this process, so no other child gets
/// them.
#[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
pub fn prepare<'a>(command: &mut Command, handles: impl IntoIterator<Item = &'a Handle>) {
    let numbers: Vec<RawFd> = handles.into_iter().map(AsRawFd::as_raw_fd).collect();
    // SAFETY: the closure makes system calls that are safe after fork; the descriptors are open in the parent until
    // after the spawn, because the caller holds their owners.
    unsafe {
        command.pre_exec(move || {
            for &number in &numbers {
                fcntl_setfd(BorrowedFd::borrow_raw(number), FdFlags::empty()).map_err(io::Error::from)?;
            }
            Ok(())
        });
    }
}

/// The ticket of a handle that the started child has inherited.
///
/// # Errors
/// None: other systems have some.
pub fn pass(_child: &Child, handle: &Handle) -> io::Result<Ticket> {
    Ok(Ticket(handle.as_raw_fd()))
}

/// Takes over what the parent has passed, and keeps it from grandchildren.
///
/// # Errors
/// When no descriptor of that number is open.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
pub fn adopt(Ticket(number): Ticket) -> io::Result<Handle> {
    if number < 0 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: the harness passes each number to exactly one end of one peer, and fcntl refuses a closed one.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl_setfd(borrowed, FdFlags::CLOEXEC)?;
    // SAFETY: as above: open, and owned by nobody else in this process.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// As if this process were its own child.
#[cfg(test)]
#[expect(clippy::unnecessary_wraps, reason = "other systems can fail")]
pub(super) fn ticket_of_own(handle: Handle) -> io::Result<Ticket> {
    Ok(Ticket(std::os::fd::IntoRawFd::into_raw_fd(handle)))
}
