//! Messages through System V queues, by identifier. A message begins with its type ([`TYPE_BYTES`]).

use super::Objects;
use crate::sys::Unsupported;
use std::ffi::{c_int, c_long};
use std::io;

/// The length of a type.
pub(crate) const TYPE_BYTES: usize = size_of::<c_long>();

/// Checks that a queue holds a message of this length, without its type. The reason names the limits.
pub(crate) use imp::support;

/// Creates two queues, which belong to these objects.
pub(crate) use imp::create_pair;

/// Sends one message, waiting while the queue is full.
pub(crate) use imp::send;

/// Sends one message, unless the queue is full.
pub(crate) use imp::try_send;

/// Waits for one message; returns its length without its type. The buffer has room for the type.
pub(crate) use imp::receive;

/// Removes a queue: all who use it, or wait for it, get an error.
pub(crate) use imp::remove;

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
mod imp {
    //! Linux and FreeBSD: msgsnd(2), msgrcv(2).

    use super::super::kinds;
    use super::*;

    const WAIT: c_int = 0;

    pub(crate) fn support(message_bytes: usize) -> Result<(), Unsupported> {
        let refused =
            |error: io::Error| Unsupported::because(format!("cannot use System V message queues: {error}"));
        let (_objects, [queue, _]) = create_pair().map_err(refused)?;
        let mut message = vec![0; TYPE_BYTES + message_bytes];
        let any_type: c_long = 1;
        message[..TYPE_BYTES].copy_from_slice(&any_type.to_ne_bytes());
        try_send(queue, &message).map_err(|error| match error.raw_os_error() {
            // Longer than any message, or than an empty queue.
            Some(libc::EINVAL | libc::EAGAIN) => {
                let [longest, capacity] = limits();
                Unsupported::because(format!(
                    "a message of {message_bytes} B exceeds a limit: {longest}, {capacity}"
                ))
            }
            _ => refused(error),
        })
    }

    #[cfg(target_os = "linux")]
    fn limits() -> [String; 2] {
        ["msgmax", "msgmnb"].map(|name| {
            let limit = std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
            format!("kernel.{name} is {}", limit.trim())
        })
    }

    #[cfg(target_os = "freebsd")]
    fn limits() -> [String; 2] {
        ["msgmax", "msgmnb"].map(|name| {
            let limit = crate::sys::sysctl::number(&format!("kern.ipc.{name}")).unwrap_or_default();
            format!("kern.ipc.{name} is {limit}")
        })
    }

    pub(crate) fn create_pair() -> io::Result<(Objects, [c_int; 2])> {
        let mut objects = Objects::new()?;
        let queues = [objects.create_queue()?, objects.create_queue()?];
        Ok((objects, queues))
    }

    #[inline]
    pub(crate) fn send(queue: c_int, message: &[u8]) -> io::Result<()> {
        send_with(queue, message, WAIT)
    }

    pub(crate) fn try_send(queue: c_int, message: &[u8]) -> io::Result<()> {
        send_with(queue, message, libc::IPC_NOWAIT)
    }

    #[inline]
    #[expect(unsafe_code, reason = "msgsnd(2)")]
    fn send_with(queue: c_int, message: &[u8], flags: c_int) -> io::Result<()> {
        let length = without_type(message)?;
        loop {
            // SAFETY: the buffer is live, and has this length after the type.
            if unsafe { libc::msgsnd(queue, message.as_ptr().cast(), length, flags) } == 0 {
                return Ok(());
            }
            retry(queue)?;
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "msgrcv(2)")]
    pub(crate) fn receive(queue: c_int, buffer: &mut [u8]) -> io::Result<usize> {
        const ANY_TYPE: c_long = 0;
        let length = without_type(buffer)?;
        loop {
            // SAFETY: the buffer is live, and has this length after the type.
            let received = unsafe { libc::msgrcv(queue, buffer.as_mut_ptr().cast(), length, ANY_TYPE, WAIT) };
            if let Ok(received) = usize::try_from(received) {
                return Ok(received);
            }
            retry(queue)?;
        }
    }

    #[inline]
    fn without_type(message: &[u8]) -> io::Result<usize> {
        message.len().checked_sub(TYPE_BYTES).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    /// Returns the error of the last call, unless a signal interrupted it.
    #[cold]
    fn retry(queue: c_int) -> io::Result<()> {
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => Ok(()),
            // Removed during the call.
            Some(libc::EIDRM) => Err(crate::sys::closed()),
            // Removed before it, if not a wrong argument.
            Some(libc::EINVAL) if kinds::queue_created_s(queue).is_none() => Err(crate::sys::closed()),
            _ => Err(error),
        }
    }

    pub(crate) fn remove(queue: c_int) {
        kinds::remove_queue(queue);
    }
}

#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
mod imp {
    //! Systems without such queues, or without an implementation yet.

    use super::*;

    pub(crate) fn support(_message_bytes: usize) -> Result<(), Unsupported> {
        Err(Unsupported::because("System V message queues are implemented only for Linux and FreeBSD"))
    }

    pub(crate) fn remove(_queue: c_int) {}

    missing! {
        pub(crate) fn create_pair() -> (Objects, [c_int; 2]);
        pub(crate) fn send(c_int, &[u8]) -> ();
        pub(crate) fn try_send(c_int, &[u8]) -> ();
        pub(crate) fn receive(c_int, &mut [u8]) -> usize;
    }
}
