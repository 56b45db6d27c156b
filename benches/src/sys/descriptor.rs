//! File descriptors that cross from the harness into a peer: inherited under the number they have.

use rustix::io::{FdFlags, fcntl_setfd};
use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets a child inherit these descriptors. They stay close-on-exec in this process, so no other child gets them.
#[expect(unsafe_code, reason = "pre_exec runs between fork and exec")]
pub fn inherit(command: &mut Command, descriptors: Vec<RawFd>) {
    // SAFETY: the closure makes system calls that are safe after fork; the descriptors are open in the parent
    // until after the spawn, because the caller holds their owners.
    unsafe {
        command.pre_exec(move || {
            for &descriptor in &descriptors {
                fcntl_setfd(BorrowedFd::borrow_raw(descriptor), FdFlags::empty()).map_err(io::Error::from)?;
            }
            Ok(())
        });
    }
}

/// Takes ownership of an inherited descriptor, and keeps it from grandchildren.
///
/// # Errors
/// When no descriptor of that number is open.
#[expect(unsafe_code, reason = "a number becomes a descriptor")]
pub fn adopt(descriptor: RawFd) -> io::Result<OwnedFd> {
    if descriptor < 0 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    // SAFETY: the harness passes each number to exactly one end of one peer, and fcntl refuses a closed one.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    fcntl_setfd(borrowed, FdFlags::CLOEXEC)?;
    // SAFETY: as above: open, and owned by nobody else in this process.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}
