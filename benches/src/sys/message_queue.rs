//! POSIX message queues without a name: created, unlinked immediately, and passed on as a descriptor.

use super::Unsupported;
use super::handle::Handle;
use std::io;

/// Capacity of a queue: the default limit on Linux (`fs.mqueue.msg_max`, `mq_overview(7)`).
pub(crate) const MESSAGES_MAX: u32 = 10;

pub(crate) use imp::support;

/// Creates a queue for [`MESSAGES_MAX`] messages of at most this many bytes. The error names the limit that is too
/// small.
pub(crate) use imp::create;

/// Sends one message, waiting while the queue is full.
pub(crate) use imp::send;

/// Sends one message, unless the queue is full.
pub(crate) use imp::try_send;

/// Waits for one message; returns its length. The buffer holds at least the queue's message size.
pub(crate) use imp::receive;

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod imp {
    //! A queue created under a name, which is removed immediately; the calls differ by system.

    use super::*;
    use crate::sys::handle::owned;
    use calls::limits;
    use std::ffi::CString;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[cfg(target_os = "freebsd")]
    use super::freebsd as calls;
    #[cfg(target_os = "linux")]
    use super::linux as calls;

    pub(crate) use calls::{support, try_send};

    #[expect(unsafe_code, reason = "calls of the C library")]
    pub(crate) fn create(message_bytes: usize) -> io::Result<Handle> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        #[cfg(target_os = "freebsd")]
        support().map_err(io::Error::other)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = CString::new(format!("/roundtrip-channel-{}-{count}", std::process::id()))?;
        // SAFETY: mq_attr is plain numbers, for which all zeroes is a valid value.
        let mut attributes: libc::mq_attr = unsafe { std::mem::zeroed() };
        attributes.mq_maxmsg = MESSAGES_MAX.into();
        attributes.mq_msgsize = libc::c_long::try_from(message_bytes).map_err(io::Error::other)?;
        // A queue's descriptor is a file descriptor; the queue ends with the last of them.
        let queue = owned(calls::open(&name, &attributes)).map_err(|error| match limits(&error) {
            Some(limits) => {
                let asked = format!("a queue of {MESSAGES_MAX} messages of {message_bytes} B");
                io::Error::new(error.kind(), format!("{asked} exceeds a limit: {limits}"))
            }
            None => error,
        })?;
        calls::unlink(&name);
        Ok(queue)
    }

    #[inline]
    pub(crate) fn send(queue: &Handle, message: &[u8]) -> io::Result<()> {
        uninterrupted(|| calls::send(queue, message))
    }

    #[inline]
    pub(crate) fn receive(queue: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
        uninterrupted(|| calls::receive(queue, buffer))
    }

    #[inline]
    fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            match call() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! Linux: `mq_open(3)`, `mq_send(3)`, `mq_receive(3)`; a queue's descriptor is a file descriptor (`mq_overview(7)`).

    use super::*;
    use std::ffi::CStr;
    use std::os::fd::AsRawFd;

    pub(crate) fn support() -> Result<(), Unsupported> {
        create(16)
            .map(drop)
            .map_err(|error| Unsupported::because(format!("cannot use POSIX message queues: {error}")))
    }

    #[expect(unsafe_code, reason = "a call of the C library")]
    pub(super) fn open(name: &CStr, attributes: &libc::mq_attr) -> i32 {
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_CLOEXEC;
        // SAFETY: the name is NUL-terminated, and the attributes are a live structure of the right type.
        unsafe { libc::mq_open(name.as_ptr(), flags, 0o600, std::ptr::from_ref(attributes)) }
    }

    #[expect(unsafe_code, reason = "a call of the C library")]
    pub(super) fn unlink(name: &CStr) {
        // SAFETY: the name is NUL-terminated.
        unsafe { libc::mq_unlink(name.as_ptr()) };
    }

    /// The kernel reports only "invalid argument" or "too many open files"; `mq_open(3)` lists the limits.
    pub(super) fn limits(error: &io::Error) -> Option<String> {
        let limit = |name: &str| {
            let text = std::fs::read_to_string(format!("/proc/sys/fs/mqueue/{name}")).unwrap_or_default();
            format!("fs.mqueue.{name} is {}", text.trim())
        };
        Some(match error.raw_os_error()? {
            libc::EINVAL => format!("{}, {}", limit("msgsize_max"), limit("msg_max")),
            libc::EMFILE => {
                let limit = rustix::process::getrlimit(rustix::process::Resource::Msgqueue).current;
                let limit = limit.map_or("unlimited".into(), |bytes| format!("{bytes} B"));
                format!(
                    "RLIMIT_MSGQUEUE (ulimit -q) is {limit} for all queues of this user, or too many open files"
                )
            }
            libc::ENOSPC => limit("queues_max"),
            _ => return None,
        })
    }

    #[inline]
    #[expect(unsafe_code, reason = "a call of the C library")]
    pub(super) fn send(queue: &Handle, message: &[u8]) -> io::Result<()> {
        // SAFETY: pointer and length are those of a live buffer.
        match unsafe { libc::mq_send(queue.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    #[expect(unsafe_code, reason = "a call of the C library")]
    pub(crate) fn try_send(queue: &Handle, message: &[u8]) -> io::Result<()> {
        // A time in the past: both ends share the queue's flags, so it cannot be non-blocking for only one of them.
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
        let (pointer, length) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: pointer and length are those of a live buffer; no priority is requested.
        let received = unsafe { libc::mq_receive(queue.as_raw_fd(), pointer, length, std::ptr::null_mut()) };
        usize::try_from(received).map_err(|_| io::Error::last_os_error())
    }
}

#[cfg(target_os = "freebsd")]
mod freebsd {
    //! FreeBSD: the kernel calls behind `mq_open(2)`, `mq_send(2)`, `mq_receive(2)`. They use a file descriptor, which
    //! a child can inherit since FreeBSD 13; the C library only hides it in a process-local structure (librt, `mq.c`).

    use super::*;
    use crate::sys::sysctl;
    use libc::{c_int, c_uint};
    use std::ffi::CStr;
    use std::os::fd::AsRawFd;
    use std::ptr;

    // sys/syscall.h
    const SYS_KMQ_OPEN: c_int = 457;
    const SYS_KMQ_TIMEDRECEIVE: c_int = 459;
    const SYS_KMQ_TIMEDSEND: c_int = 460;
    const SYS_KMQ_UNLINK: c_int = 462;

    /// All messages are equal.
    const PRIORITY: c_uint = 0;
    const FOR_EVER: *const libc::timespec = ptr::null();

    pub(crate) fn support() -> Result<(), Unsupported> {
        // Without the module these calls do not exist and end the process (SIGSYS).
        if sysctl::number("kern.mqueue.maxmsg").is_none() {
            return Err(Unsupported::because(
                "POSIX message queues need the kernel module mqueuefs: kldload mqueuefs",
            ));
        }
        Ok(())
    }

    /// Closed on exec unless it is passed on.
    #[expect(unsafe_code, reason = "a system call")]
    pub(super) fn open(name: &CStr, attributes: &libc::mq_attr) -> c_int {
        let (flags, mode): (c_int, c_uint) = (libc::O_CREAT | libc::O_EXCL | libc::O_RDWR, 0o600);
        let attributes = ptr::from_ref(attributes);
        // SAFETY: the name is NUL-terminated, and the attributes are a live structure of the right type.
        unsafe { libc::syscall(SYS_KMQ_OPEN, name.as_ptr(), flags, mode, attributes) }
    }

    #[expect(unsafe_code, reason = "a system call")]
    pub(super) fn unlink(name: &CStr) {
        // SAFETY: the name is NUL-terminated.
        unsafe { libc::syscall(SYS_KMQ_UNLINK, name.as_ptr()) };
    }

    /// The kernel reports only "invalid argument" or "too many open files"; its sources list the limits
    /// (`kern_kmq_open` in `uipc_mqueue.c`).
    pub(super) fn limits(error: &io::Error) -> Option<String> {
        let limit = |name: &str| {
            let value = sysctl::number(&format!("kern.mqueue.{name}")).unwrap_or_default();
            format!("kern.mqueue.{name} is {value}")
        };
        match error.raw_os_error()? {
            libc::EINVAL => Some(format!("{}, {}", limit("maxmsgsize"), limit("maxmsg"))),
            libc::ENFILE => Some(limit("maxmq")),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn send(queue: &Handle, message: &[u8]) -> io::Result<()> {
        send_until(queue, message, FOR_EVER)
    }

    pub(crate) fn try_send(queue: &Handle, message: &[u8]) -> io::Result<()> {
        // A time in the past: both ends share the queue's flags, so it cannot be non-blocking for only one of them.
        let passed = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        send_until(queue, message, &raw const passed)
    }

    #[inline]
    #[expect(unsafe_code, reason = "a system call")]
    fn send_until(queue: &Handle, message: &[u8], until: *const libc::timespec) -> io::Result<()> {
        let (queue, pointer, length) = (queue.as_raw_fd(), message.as_ptr(), message.len());
        // SAFETY: pointer and length are those of a live buffer; the time is null or a live structure.
        match unsafe { libc::syscall(SYS_KMQ_TIMEDSEND, queue, pointer, length, PRIORITY, until) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "a system call")]
    pub(super) fn receive(queue: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
        let no_priority: *mut c_uint = ptr::null_mut();
        let (queue, pointer, length) = (queue.as_raw_fd(), buffer.as_mut_ptr(), buffer.len());
        // SAFETY: pointer and length are those of a live buffer; no priority is requested.
        let received =
            unsafe { libc::syscall(SYS_KMQ_TIMEDRECEIVE, queue, pointer, length, no_priority, FOR_EVER) };
        usize::try_from(received).map_err(|_| io::Error::last_os_error())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
mod imp {
    //! Systems without message queues, or without an implementation yet.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("POSIX message queues exist only on Linux and FreeBSD"))
    }

    missing! {
        pub(crate) fn create(usize) -> Handle;
        pub(crate) fn send(&Handle, &[u8]) -> ();
        pub(crate) fn try_send(&Handle, &[u8]) -> ();
        pub(crate) fn receive(&Handle, &mut [u8]) -> usize;
    }
}
