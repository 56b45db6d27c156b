//! Receiving a descriptor: `SCM_RIGHTS` (unix(7), cmsg(3), recvmsg(2)).
//!
//! By hand, because the library's call asks for the sender's address as well, which the kernel then looks up and writes:
//! 1 % of passing a memory object.

use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// What one call received.
#[derive(Debug)]
pub struct Received {
    /// How many of the bytes that came with it.
    pub bytes: usize,
    /// The descriptor, if there was one.
    pub handle: Option<OwnedFd>,
    /// The kernel dropped a descriptor that this process could not take.
    pub is_cut: bool,
}

const HANDLE_BYTES: libc::c_uint = RawFd::BITS / u8::BITS;

/// Room for one descriptor and no more, whatever the padding allows: a second one would have nobody to close it.
#[repr(C, align(8))]
struct Control([MaybeUninit<u8>; CONTROL_BYTES]);

#[expect(unsafe_code, reason = "arithmetic on a number")]
// SAFETY: CMSG_LEN only adds the length of a header.
const CONTROL_BYTES: usize = unsafe { libc::CMSG_LEN(HANDLE_BYTES) as usize };

/// Waits for a message and the descriptor in it, which is kept from children.
///
/// # Errors
/// Of the system.
#[inline]
#[expect(unsafe_code, reason = "recvmsg and its headers are raw pointers")]
pub fn receive(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<Received> {
    let mut control = Control([MaybeUninit::uninit(); CONTROL_BYTES]);
    let mut place = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: a header of zeroes is one that asks for nothing.
    let mut header: libc::msghdr = unsafe { mem::zeroed() };
    header.msg_iov = &raw mut place;
    header.msg_iovlen = 1;
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = CONTROL_BYTES;
    // SAFETY: every pointer in the header is to something that lives, with its length beside it.
    let received = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) };
    let bytes = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: the kernel has filled the control part as far as the header now says; the first of its messages, if
    // there is one, is whole, and one of rights holds descriptors that are ours from now on.
    let handle = unsafe {
        let message = libc::CMSG_FIRSTHDR(&raw const header);
        (!message.is_null()
            && (*message).cmsg_level == libc::SOL_SOCKET
            && (*message).cmsg_type == libc::SCM_RIGHTS
            && (*message).cmsg_len >= CONTROL_BYTES)
            .then(|| OwnedFd::from_raw_fd(libc::CMSG_DATA(message).cast::<RawFd>().read_unaligned()))
    };
    Ok(Received { bytes, handle, is_cut: header.msg_flags & libc::MSG_CTRUNC != 0 })
}
