//! Linux: `mq_open(3)`, `mq_send(3)`, `mq_receive(3)`; a queue's descriptor is a file descriptor (`mq_overview(7)`).

use super::MESSAGES_MAX;
use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) fn support() -> Result<(), Unsupported> {
    create(16)
        .map(drop)
        .map_err(|error| Unsupported::because(format!("POSIX message queues cannot be used: {error}")))
}

#[expect(unsafe_code, reason = "calls of the C library")]
pub(super) fn create(message_bytes: usize) -> io::Result<Handle> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = CString::new(format!("/roundtrip-channel-{}-{count}", std::process::id()))?;
    // SAFETY: mq_attr is plain numbers, for which all zeroes is a valid value.
    let mut attributes: libc::mq_attr = unsafe { std::mem::zeroed() };
    attributes.mq_maxmsg = MESSAGES_MAX.into();
    attributes.mq_msgsize = libc::c_long::try_from(message_bytes).map_err(io::Error::other)?;
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_CLOEXEC;
    // SAFETY: the name is NUL-terminated, and the attributes are a live structure of the right type.
    let queue = unsafe { libc::mq_open(name.as_ptr(), flags, 0o600, &raw const attributes) };
    if queue < 0 {
        return Err(explain(io::Error::last_os_error(), message_bytes));
    }
    // SAFETY: as above. Without its name the queue ends with its last descriptor.
    unsafe { libc::mq_unlink(name.as_ptr()) };
    // SAFETY: on Linux a queue's descriptor is a file descriptor, and this one is nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(queue) })
}

/// The kernel says only "invalid argument" or "too many open files"; which limit it meant is in `mq_open(3)`.
fn explain(error: io::Error, message_bytes: usize) -> io::Error {
    let limit = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/fs/mqueue/{name}")).unwrap_or_default();
        format!("fs.mqueue.{name} is {}", text.trim())
    };
    let asked = format!("a queue of {MESSAGES_MAX} messages of {message_bytes} B");
    let reason = match error.raw_os_error() {
        Some(libc::EINVAL) => format!("{asked} is refused: {}, {}", limit("msgsize_max"), limit("msg_max")),
        Some(libc::EMFILE) => {
            let limit = rustix::process::getrlimit(rustix::process::Resource::Msgqueue).current;
            let limit = limit.map_or("unlimited".into(), |bytes| format!("{bytes} B"));
            format!(
                "{asked} is refused: RLIMIT_MSGQUEUE (ulimit -q) is {limit} for all queues of this user, or too many files are open"
            )
        }
        Some(libc::ENOSPC) => format!("{asked} is refused: {}", limit("queues_max")),
        _ => return error,
    };
    io::Error::new(error.kind(), reason)
}

#[inline]
#[expect(unsafe_code, reason = "a call of the C library")]
pub(super) fn send(queue: &Handle, message: &[u8]) -> io::Result<()> {
    loop {
        // SAFETY: pointer and length are those of a live buffer.
        if unsafe { libc::mq_send(queue.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[expect(unsafe_code, reason = "a call of the C library")]
pub(super) fn try_send(queue: &Handle, message: &[u8]) -> io::Result<()> {
    // A moment that has passed: both ends share the queue's flags, so it cannot be made non-blocking for one of them.
    let passed = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let (pointer, length) = (message.as_ptr().cast(), message.len());
    // SAFETY: pointer and length are those of a live buffer, and the time is a live structure.
    match unsafe { libc::mq_timedsend(queue.as_raw_fd(), pointer, length, 0, &raw const passed) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[inline]
#[expect(unsafe_code, reason = "a call of the C library")]
pub(super) fn receive(queue: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let (pointer, length) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: pointer and length are those of a live buffer; no priority is asked for.
        let received = unsafe { libc::mq_receive(queue.as_raw_fd(), pointer, length, std::ptr::null_mut()) };
        if let Ok(received) = usize::try_from(received) {
            return Ok(received);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
