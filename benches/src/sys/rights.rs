//! Descriptors that travel with a message over a Unix socket.

use super::Unsupported;
use super::handle::Handle;
use std::io;

/// Checks that sockets pass descriptors here.
///
/// # Errors
/// The reason, if they do not.
pub fn support() -> Result<(), Unsupported> {
    if cfg!(unix) { Ok(()) } else { Err(Unsupported::because("Windows has no SCM_RIGHTS")) }
}

/// The result of one receive call.
#[derive(Debug)]
pub struct Received {
    /// The number of bytes received with it.
    pub bytes: usize,
    /// The descriptor, if there was one.
    pub handle: Option<Handle>,
    /// Whether the kernel dropped a descriptor that this process could not take.
    pub is_cut: bool,
}

/// Sends one descriptor with a few bytes; returns the number of bytes sent.
#[inline]
pub fn send(socket: &Handle, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
    imp::send(socket, handle, bytes)
}

/// Waits for a message and its descriptor, which children do not inherit.
#[inline]
pub fn receive(socket: &Handle, bytes: &mut [u8]) -> io::Result<Received> {
    imp::receive(socket, bytes)
}

#[cfg(unix)]
mod imp {
    //! Unix: `SCM_RIGHTS` (unix(7), cmsg(3), recvmsg(2)).
    //!
    //! Receiving uses libc directly, because the library's call also requests the sender's address, which the kernel
    //! then looks up and writes: 1 % of the time to pass a memory object.

    use super::*;
    use crate::sys::socket::{NO_SIGNAL, when_there_is_room};
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, sendmsg};
    use std::io::IoSlice;
    use std::mem::{self, MaybeUninit};
    use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

    /// Without this flag, a separate call sets close-on-exec.
    #[cfg(not(target_vendor = "apple"))]
    const CLOSE_ON_EXEC: libc::c_int = libc::MSG_CMSG_CLOEXEC;
    #[cfg(target_vendor = "apple")]
    const CLOSE_ON_EXEC: libc::c_int = 0;

    const HANDLE_BYTES: libc::c_uint = RawFd::BITS / u8::BITS;

    /// The ancillary data of a message: one descriptor.
    #[repr(C, align(8))]
    struct Control([MaybeUninit<u8>; CONTROL_BYTES]);

    /// Space for one descriptor and no more, independent of padding.
    #[cfg(not(target_os = "freebsd"))]
    const CONTROL_BYTES: usize = ONE_BYTES;
    /// `FreeBSD` delivers ancillary data with its padding, or nothing (`kern_recvit` in `uipc_syscalls.c`).
    #[cfg(target_os = "freebsd")]
    #[expect(unsafe_code, reason = "arithmetic on a number")]
    // SAFETY: CMSG_SPACE only adds the length of a header, and padding.
    const CONTROL_BYTES: usize = unsafe { libc::CMSG_SPACE(HANDLE_BYTES) as usize };

    /// One descriptor and the header before it.
    #[expect(unsafe_code, reason = "arithmetic on a number")]
    // SAFETY: CMSG_LEN only adds the length of a header.
    const ONE_BYTES: usize = unsafe { libc::CMSG_LEN(HANDLE_BYTES) as usize };

    #[inline]
    pub(super) fn send(socket: &Handle, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let handles = [handle.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&handles));
        Ok(when_there_is_room(|| sendmsg(socket, &[IoSlice::new(bytes)], &mut control, NO_SIGNAL))?)
    }

    #[inline]
    #[expect(unsafe_code, reason = "recvmsg and its headers are raw pointers")]
    pub(super) fn receive(socket: &Handle, bytes: &mut [u8]) -> io::Result<Received> {
        let mut control = Control([MaybeUninit::uninit(); CONTROL_BYTES]);
        let mut place = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: a zeroed header is valid and requests nothing.
        let mut header: libc::msghdr = unsafe { mem::zeroed() };
        header.msg_iov = &raw mut place;
        header.msg_iovlen = 1;
        header.msg_control = control.0.as_mut_ptr().cast();
        header.msg_controllen = length(CONTROL_BYTES);
        // SAFETY: every pointer in the header is to live data with its length.
        let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, CLOSE_ON_EXEC) };
        let bytes = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
        // SAFETY: the kernel has filled the control part up to the length in the header; its first message, if any, is
        // complete, and one with rights holds descriptors that this process now owns.
        let handle = unsafe {
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            (!message.is_null()
                && (*message).cmsg_level == libc::SOL_SOCKET
                && (*message).cmsg_type == libc::SCM_RIGHTS
                && (*message).cmsg_len >= length(ONE_BYTES))
            .then(|| {
                let handles = libc::CMSG_DATA(message).cast::<RawFd>();
                // The padding has room for another descriptor, which only a misbehaving sender would send.
                if (*message).cmsg_len >= length(ONE_BYTES + size_of::<RawFd>()) {
                    drop(OwnedFd::from_raw_fd(handles.add(1).read_unaligned()));
                }
                OwnedFd::from_raw_fd(handles.read_unaligned())
            })
        };
        #[cfg(target_vendor = "apple")]
        if let Some(handle) = &handle {
            rustix::io::fcntl_setfd(handle, rustix::io::FdFlags::CLOEXEC)?;
        }
        Ok(Received { bytes, handle, is_cut: header.msg_flags & libc::MSG_CTRUNC != 0 })
    }

    /// The headers' type for a length: `size_t` with Linux's usual C library, `socklen_t` elsewhere.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    const fn length(bytes: usize) -> usize {
        bytes
    }

    /// The headers' type for a length: `size_t` with Linux's usual C library, `socklen_t` elsewhere.
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    #[expect(clippy::cast_possible_truncation, reason = "two dozen bytes")]
    const fn length(bytes: usize) -> libc::socklen_t {
        bytes as libc::socklen_t
    }
}

#[cfg(not(unix))]
mod imp {
    //! Systems whose sockets do not pass descriptors.

    use super::*;
    missing! {
        pub(super) fn send(&Handle, &Handle, &[u8]) -> usize;
        pub(super) fn receive(&Handle, &mut [u8]) -> Received;
    }
}
