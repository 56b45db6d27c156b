//! Sending the pages of a message over TCP instead of a copy of it, and the notifications that they may be written again.

use super::Unsupported;
use super::handle::Handle;
use std::io;

/// Checks that the system has it, and that this user may have so many bytes in transit.
pub(crate) use imp::support;

/// Prepares a socket for it.
pub(crate) use imp::enable;

/// Sends some of the bytes, waiting while there is no room; returns how many. The pages must not be written before the
/// notification of this call. Fails with [`io::ErrorKind::OutOfMemory`] while too many calls are not notified.
pub(crate) use imp::send;

/// Waits for notifications; returns the number of calls that they are about.
pub(crate) use imp::wait;

#[cfg(target_os = "linux")]
mod imp {
    //! Linux: `SO_ZEROCOPY` and `MSG_ZEROCOPY`, whose notifications arrive in the error queue of the socket (`MSG_ERRQUEUE`
    //! in recv(2), `networking/msg_zerocopy` in the documentation of the kernel).

    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::retry_on_intr;
    use std::mem::{self, MaybeUninit};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::os::fd::{AsFd, AsRawFd};

    // linux/errqueue.h
    const SO_EE_ORIGIN_ZEROCOPY: u8 = 5;

    pub(crate) fn support(bytes: usize) -> Result<(), Unsupported> {
        let sent = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let socket = Handle::from(TcpStream::connect(listener.local_addr()?)?);
            enable(&socket)?;
            send_with(&socket, &vec![0; bytes], libc::MSG_DONTWAIT)
        };
        sent().map(drop).map_err(|error| {
            Unsupported::because(match error.kind() {
                io::ErrorKind::OutOfMemory => {
                    let limit = rustix::process::getrlimit(rustix::process::Resource::Memlock).current;
                    let limit = limit.map_or("unlimited".into(), |bytes| format!("{bytes} B"));
                    format!("MSG_ZEROCOPY rejects {bytes} B: RLIMIT_MEMLOCK (ulimit -l) is {limit}")
                }
                _ => format!("MSG_ZEROCOPY over TCP: {error}"),
            })
        })
    }

    #[expect(unsafe_code, reason = "setsockopt")]
    pub(crate) fn enable(socket: &Handle) -> io::Result<()> {
        let yes: libc::c_int = 1;
        let (value, length) = ((&raw const yes).cast(), libc::c_int::BITS / u8::BITS);
        // SAFETY: the value is a live number of this length.
        match unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_ZEROCOPY, value, length)
        } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    #[inline]
    pub(crate) fn send(socket: &Handle, bytes: &[u8]) -> io::Result<usize> {
        send_with(socket, bytes, 0)
    }

    #[inline]
    #[expect(unsafe_code, reason = "the kernel keeps a reference to the pages")]
    fn send_with(socket: &Handle, bytes: &[u8], flags: libc::c_int) -> io::Result<usize> {
        let flags = flags | libc::MSG_ZEROCOPY | libc::MSG_NOSIGNAL;
        // SAFETY: the bytes are borrowed. Later, the kernel only reads the pages, which it keeps itself.
        let sent = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags) };
        usize::try_from(sent).map_err(|_| match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENOBUFS) => io::ErrorKind::OutOfMemory.into(),
            error => error,
        })
    }

    pub(crate) fn wait(socket: &Handle) -> io::Result<u32> {
        loop {
            match notified(socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // Errors are always reported.
                    let mut watched = [PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::empty())];
                    retry_on_intr(|| poll(&mut watched, None))?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                notified => return notified,
            }
        }
    }

    /// A notification: a header, the range of calls, and an address.
    const CONTROL_BYTES: usize = 128;

    #[repr(C, align(8))]
    struct Control([MaybeUninit<u8>; CONTROL_BYTES]);

    /// Takes a notification, if there is one. The kernel joins those of consecutive calls.
    #[expect(unsafe_code, reason = "recvmsg and its headers are raw pointers")]
    fn notified(socket: &Handle) -> io::Result<u32> {
        let mut control = Control([MaybeUninit::uninit(); CONTROL_BYTES]);
        // SAFETY: a zeroed header is valid and requests nothing.
        let mut header: libc::msghdr = unsafe { mem::zeroed() };
        header.msg_control = control.0.as_mut_ptr().cast();
        header.msg_controllen = CONTROL_BYTES as _;
        let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
        // SAFETY: the pointer in the header is to live data with its length.
        if unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, flags) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has filled the control part up to the length in the header, and an error message is
        // complete.
        let error = unsafe {
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            (!message.is_null()
                && (*message).cmsg_level == libc::SOL_IP
                && (*message).cmsg_type == libc::IP_RECVERR)
                .then(|| libc::CMSG_DATA(message).cast::<libc::sock_extended_err>().read_unaligned())
        };
        match error {
            Some(error) if error.ee_errno == 0 && error.ee_origin == SO_EE_ORIGIN_ZEROCOPY => {
                // The first and the last call.
                Ok(error.ee_data.wrapping_sub(error.ee_info).wrapping_add(1))
            }
            Some(error) => Err(io::Error::from_raw_os_error(error.ee_errno.cast_signed())),
            None => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::io::Read;

        #[test]
        fn every_call_is_notified_once() {
            const CALLS: u32 = 20;
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let sender = Handle::from(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
            let mut receiver = listener.accept().unwrap().0;
            enable(&sender).unwrap();
            let message = vec![7; 5_000];
            for _ in 0..CALLS {
                assert_eq!(send(&sender, &message).unwrap(), message.len());
            }
            receiver.read_exact(&mut vec![0; message.len() * CALLS as usize]).unwrap();
            let mut notified = 0;
            while notified < CALLS {
                notified += wait(&sender).unwrap();
            }
            assert_eq!(notified, CALLS);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    //! Systems without this interface.

    use super::*;
    pub(crate) fn support(_bytes: usize) -> Result<(), Unsupported> {
        Err(Unsupported::because("MSG_ZEROCOPY exists only on Linux"))
    }

    missing! {
        pub(crate) fn enable(&Handle) -> ();
        pub(crate) fn send(&Handle, &[u8]) -> usize;
        pub(crate) fn wait(&Handle) -> u32;
    }
}
