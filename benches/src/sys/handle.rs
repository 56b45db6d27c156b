//! [`Handle`]: an open system object, such as one end of a pipe, and how to pass it to a child.
//!
//! In the parent: [`prepare`], start the child, [`pass`]; the tickets travel to the child, which calls [`adopt`].

#[cfg(windows)]
pub(in crate::sys) use imp::duplicate;
#[cfg(unix)]
pub(in crate::sys) use imp::owned;
pub use imp::{Handle, Ticket, adopt, pass, prepare};

#[cfg(unix)]
mod imp {
    //! Unix: a descriptor, inherited under the same number.

    use rustix::io::{FdFlags, fcntl_setfd};
    use serde::{Deserialize, Serialize};
    use std::io;
    use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// A descriptor.
    pub type Handle = OwnedFd;

    /// The data that a child needs to take over a handle: its number.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Ticket(RawFd);

    /// Takes over a descriptor that a call has just created, unless it failed.
    #[expect(unsafe_code, reason = "a number becomes a descriptor")]
    pub(in crate::sys) fn owned(number: RawFd) -> io::Result<OwnedFd> {
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new, and nothing else closes it.
        Ok(unsafe { OwnedFd::from_raw_fd(number) })
    }

    /// Lets a child that is not started yet inherit these. They stay close-on-exec in this process, so no other child
    /// gets them.
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

    /// Returns the ticket for a handle that the started child has inherited.
    ///
    /// # Errors
    /// Never here; on other systems it can fail.
    pub fn pass(_child: &Child, handle: &Handle) -> io::Result<Ticket> {
        Ok(Ticket(handle.as_raw_fd()))
    }

    /// Takes over the parent's handle. Children of this process do not inherit it.
    ///
    /// # Errors
    /// If no descriptor with this number is open.
    #[expect(unsafe_code, reason = "a number becomes a descriptor")]
    pub fn adopt(Ticket(number): Ticket) -> io::Result<Handle> {
        if number < 0 {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        // SAFETY: the harness passes each number to exactly one end of one peer, and fcntl fails for a closed one.
        let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
        fcntl_setfd(borrowed, FdFlags::CLOEXEC)?;
        // SAFETY: open as above, and nothing else in this process owns it.
        Ok(unsafe { OwnedFd::from_raw_fd(number) })
    }

    /// As if this process were its own child.
    #[cfg(test)]
    pub(super) fn ticket_of_own(handle: Handle) -> io::Result<Ticket> {
        Ok(Ticket(std::os::fd::IntoRawFd::into_raw_fd(handle)))
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: a kernel handle or a socket, duplicated into the running child (`DuplicateHandle` in `handleapi.h`,
    //! `WSADuplicateSocketW` in `winsock2.h`). Inheriting would give every handle to every child that starts at the
    //! same time. A channel whose other end is still open in a third process does not report that it is closed.

    use serde::{Deserialize, Serialize};
    use std::mem::MaybeUninit;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::windows::io::{
        AsRawHandle, AsRawSocket, FromRawHandle, FromRawSocket, OwnedHandle, OwnedSocket,
    };
    use std::process::{Child, Command};
    use std::{io, ptr};
    use windows_sys::Win32::Foundation::{DUPLICATE_SAME_ACCESS, DuplicateHandle, HANDLE};
    use windows_sys::Win32::Networking::WinSock::{
        FROM_PROTOCOL_INFO, INVALID_SOCKET, WSA_FLAG_NO_HANDLE_INHERIT, WSA_FLAG_OVERLAPPED,
        WSADuplicateSocketW, WSAPROTOCOL_INFOW, WSASocketW,
    };
    use windows_sys::Win32::System::Threading::GetCurrentProcess;

    /// A kernel handle, or a socket, which Windows closes in another way.
    #[derive(Debug)]
    pub enum Handle {
        /// A pipe, a file mapping, an event.
        Object(OwnedHandle),
        /// A socket.
        Socket(OwnedSocket),
    }

    impl Handle {
        /// Duplicates the handle.
        pub fn try_clone(&self) -> io::Result<Self> {
            match self {
                Self::Object(object) => object.try_clone().map(Self::Object),
                Self::Socket(socket) => socket.try_clone().map(Self::Socket),
            }
        }

        /// Returns the raw handle for pipe and memory calls.
        ///
        /// # Errors
        /// If it is a socket.
        pub fn object(&self) -> io::Result<HANDLE> {
            match self {
                Self::Object(object) => Ok(object.as_raw_handle()),
                Self::Socket(_) => Err(io::Error::other("received a socket, expected a kernel handle")),
            }
        }
    }

    impl From<OwnedHandle> for Handle {
        fn from(object: OwnedHandle) -> Self {
            Self::Object(object)
        }
    }

    impl From<OwnedSocket> for Handle {
        fn from(socket: OwnedSocket) -> Self {
            Self::Socket(socket)
        }
    }

    macro_rules! from_owner {
        ($variant:ident: $($owner:ty),+) => {
            $(impl From<$owner> for Handle {
                fn from(owner: $owner) -> Self {
                    Self::$variant(owner.into())
                }
            })+
        };
    }

    from_owner!(Socket: TcpListener, TcpStream, UdpSocket, socket2::Socket);
    from_owner!(Object: io::PipeReader, io::PipeWriter, std::fs::File);

    /// The data that a child needs to take over a handle.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Ticket {
        /// The number of the duplicate in the child.
        Object(u64),
        /// `WSAPROTOCOL_INFOW` as bytes.
        Socket(Vec<u8>),
    }

    /// Does nothing on Windows.
    pub fn prepare<'a>(_command: &mut Command, _handles: impl IntoIterator<Item = &'a Handle>) {}

    /// Duplicates a handle into the started child.
    ///
    /// # Errors
    /// From the system; if the child has ended.
    pub fn pass(child: &Child, handle: &Handle) -> io::Result<Ticket> {
        match handle {
            Handle::Object(object) => {
                duplicate(object.as_raw_handle(), child.as_raw_handle()).map(Ticket::Object)
            }
            Handle::Socket(socket) => duplicate_socket(socket, child.id()).map(Ticket::Socket),
        }
    }

    /// Takes over the parent's handle.
    ///
    /// # Errors
    /// From the system, if the ticket is not for this process.
    #[expect(unsafe_code, reason = "a number becomes a handle")]
    pub fn adopt(ticket: Ticket) -> io::Result<Handle> {
        match ticket {
            Ticket::Object(number) => {
                let number = usize::try_from(number).map_err(io::Error::other)?;
                // SAFETY: the parent has created this duplicate for this process, and passes each to exactly one end of
                // one peer.
                Ok(Handle::Object(unsafe {
                    OwnedHandle::from_raw_handle(ptr::without_provenance_mut(number))
                }))
            }
            Ticket::Socket(bytes) => adopt_socket(&bytes).map(Handle::Socket),
        }
    }

    /// Duplicates a handle into a process; returns its number there.
    #[expect(unsafe_code, reason = "DuplicateHandle")]
    pub(in crate::sys) fn duplicate(object: HANDLE, process: HANDLE) -> io::Result<u64> {
        let mut there: HANDLE = ptr::null_mut();
        // SAFETY: both handles are open, and the call writes one handle.
        let done = unsafe {
            DuplicateHandle(GetCurrentProcess(), object, process, &raw mut there, 0, 0, DUPLICATE_SAME_ACCESS)
        };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(there.addr() as u64) }
    }

    #[expect(unsafe_code, reason = "WSADuplicateSocketW")]
    fn duplicate_socket(socket: &OwnedSocket, process: u32) -> io::Result<Vec<u8>> {
        let mut info = MaybeUninit::<WSAPROTOCOL_INFOW>::zeroed();
        let socket = usize::try_from(socket.as_raw_socket()).map_err(io::Error::other)?;
        // SAFETY: the socket is open, and the call fills the structure, which is valid as zeroes.
        if unsafe { WSADuplicateSocketW(socket, process, info.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all of it is initialized, and it is plain numbers.
        let bytes =
            unsafe { std::slice::from_raw_parts(info.as_ptr().cast::<u8>(), size_of::<WSAPROTOCOL_INFOW>()) };
        Ok(bytes.to_vec())
    }

    #[expect(unsafe_code, reason = "WSASocketW")]
    fn adopt_socket(bytes: &[u8]) -> io::Result<OwnedSocket> {
        if bytes.len() != size_of::<WSAPROTOCOL_INFOW>() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        start_sockets()?;
        let mut info = MaybeUninit::<WSAPROTOCOL_INFOW>::zeroed();
        // SAFETY: source and target have the same length, as checked above.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), info.as_mut_ptr().cast::<u8>(), bytes.len()) };
        let flags = WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT;
        let (family, kind, protocol) = (FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO);
        // SAFETY: the structure is plain numbers, which the call checks.
        let socket = unsafe { WSASocketW(family, kind, protocol, info.as_ptr(), 0, flags) };
        if socket == INVALID_SOCKET {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the socket is new, and nothing else closes it.
        Ok(unsafe { OwnedSocket::from_raw_socket(socket as u64) })
    }

    /// Winsock must be started once in each process; the library does so when it creates a socket.
    fn start_sockets() -> io::Result<()> {
        UdpSocket::bind((std::net::Ipv4Addr::LOCALHOST, 0)).map(drop)
    }

    /// As if this process were its own child.
    #[cfg(test)]
    #[expect(unsafe_code, reason = "a handle that is always valid")]
    pub(super) fn ticket_of_own(handle: Handle) -> io::Result<Ticket> {
        // SAFETY: takes no argument.
        let ticket = duplicate(handle.object()?, unsafe { GetCurrentProcess() }).map(Ticket::Object);
        drop(handle);
        ticket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticket_round_trips_as_text() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let ticket = imp::ticket_of_own(reader.into()).unwrap();
        let text = serde_json::to_string(&ticket).unwrap();
        assert_eq!(serde_json::from_str::<Ticket>(&text).unwrap(), ticket);
        let handle = adopt(ticket).unwrap();
        assert!(handle.try_clone().is_ok());
    }
}
