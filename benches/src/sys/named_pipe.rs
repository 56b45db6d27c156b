//! Windows pipes, named and anonymous: one handle for both directions, bytes or messages, calls that block or wait for
//! their completion at a port.

use super::Unsupported;
use super::handle::Handle;
use std::io;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) messages: bool,
    /// Whether each call is started, then its completion awaited at a completion port.
    pub(crate) overlapped: bool,
    /// Requested capacity per direction; `None` for 64 KiB, as in a Linux pipe, so that the two are comparable.
    pub(crate) buffer_bytes: Option<usize>,
}

pub(crate) use imp::support;

/// Creates an anonymous pipe, reader and writer, with a given size or the system's default.
pub(crate) use imp::anonymous;

/// Creates a pipe for one client on this machine; returns the server's end and the name.
pub(crate) use imp::create;

pub(crate) use imp::Pipe;

/// Takes over a handle from another process, by its number in this one.
pub(crate) use imp::take;

/// A process that receives handles.
pub(crate) use imp::Process;

#[cfg(windows)]
mod imp {
    //! Windows: `CreateNamedPipeW`, `ConnectNamedPipe`, `TransactNamedPipe`, `CreatePipe` (`namedpipeapi.h`),
    //! `ReadFile` and `WriteFile` (`fileapi.h`), completion ports (`ioapiset.h`).

    use super::*;
    use crate::sys::handle::{self, Ticket, duplicate};
    use crate::sys::process::{self, owned, wide};
    use std::os::windows::io::{AsRawHandle, OwnedHandle};
    use std::{mem, ptr};
    use windows_sys::Win32::Foundation::{
        ERROR_IO_PENDING, ERROR_MORE_DATA, ERROR_PIPE_CONNECTED, GENERIC_READ, GENERIC_WRITE, GetLastError,
        HANDLE,
    };
    use windows_sys::Win32::Storage::FileSystem::{
        CreateFileW, FILE_FLAG_FIRST_PIPE_INSTANCE, FILE_FLAG_OVERLAPPED, OPEN_EXISTING, PIPE_ACCESS_DUPLEX,
        ReadFile, WriteFile,
    };
    use windows_sys::Win32::System::IO::{
        CreateIoCompletionPort, GetOverlappedResult, GetQueuedCompletionStatus, OVERLAPPED,
    };
    use windows_sys::Win32::System::Pipes::{
        ConnectNamedPipe, CreateNamedPipeW, CreatePipe, GetNamedPipeInfo, PIPE_READMODE_BYTE,
        PIPE_READMODE_MESSAGE, PIPE_REJECT_REMOTE_CLIENTS, PIPE_SERVER_END, PIPE_TYPE_BYTE,
        PIPE_TYPE_MESSAGE, PIPE_WAIT, SetNamedPipeHandleState, TransactNamedPipe,
    };
    use windows_sys::Win32::System::Threading::{INFINITE, PROCESS_DUP_HANDLE};

    const DEFAULT_BUFFER_BYTES: u32 = 64 * 1024;

    pub(crate) fn support() -> Result<(), Unsupported> {
        Ok(())
    }

    #[expect(unsafe_code, reason = "CreatePipe")]
    pub(crate) fn anonymous(buffer_bytes: Option<usize>) -> io::Result<(Handle, Handle)> {
        const SYSTEM_DEFAULT: usize = 0;
        let bytes = u32::try_from(buffer_bytes.unwrap_or(SYSTEM_DEFAULT)).map_err(io::Error::other)?;
        let (mut reader, mut writer): (HANDLE, HANDLE) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the call writes two handles; without attributes, no child inherits them.
        if unsafe { CreatePipe(&raw mut reader, &raw mut writer, ptr::null(), bytes) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((Handle::Object(owned(reader)?), Handle::Object(owned(writer)?)))
    }

    #[expect(unsafe_code, reason = "CreateNamedPipeW")]
    pub(crate) fn create(settings: Settings) -> io::Result<(Handle, String)> {
        const ONE_CLIENT: u32 = 1;
        const NO_TIMEOUT: u32 = 0;
        let name = format!(r"\\.\pipe\roundtrip-{}-{:016x}", std::process::id(), rand::random::<u64>());
        let bytes = settings
            .buffer_bytes
            .map_or(Ok(DEFAULT_BUFFER_BYTES), u32::try_from)
            .map_err(io::Error::other)?;
        let kind = if settings.messages { PIPE_TYPE_MESSAGE } else { PIPE_TYPE_BYTE };
        // SAFETY: the name ends with a zero; without attributes, no child inherits it.
        let server = unsafe {
            CreateNamedPipeW(
                wide(&name).as_ptr(),
                PIPE_ACCESS_DUPLEX | FILE_FLAG_FIRST_PIPE_INSTANCE | overlapped_flag(settings),
                kind | read_mode(settings) | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
                ONE_CLIENT,
                bytes,
                bytes,
                NO_TIMEOUT,
                ptr::null(),
            )
        };
        Ok((Handle::Object(owned(server)?), name))
    }

    fn overlapped_flag(settings: Settings) -> u32 {
        if settings.overlapped { FILE_FLAG_OVERLAPPED } else { 0 }
    }

    fn read_mode(settings: Settings) -> u32 {
        if settings.messages { PIPE_READMODE_MESSAGE } else { PIPE_READMODE_BYTE }
    }

    #[derive(Debug)]
    pub(crate) struct Pipe {
        pipe: OwnedHandle,
        /// The completion port, for a pipe with overlapped calls.
        port: Option<OwnedHandle>,
        is_server: bool,
    }

    impl Pipe {
        #[expect(unsafe_code, reason = "ConnectNamedPipe")]
        pub(crate) fn accept(server: Handle, settings: Settings) -> io::Result<Self> {
            let Handle::Object(pipe) = server else {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            };
            // SAFETY: plain numbers, for which zeroes are valid.
            let mut overlapped: OVERLAPPED = unsafe { mem::zeroed() };
            let place = if settings.overlapped { &raw mut overlapped } else { ptr::null_mut() };
            // SAFETY: the handle is open, and the structure stays alive until the call completes.
            let connected = unsafe { ConnectNamedPipe(pipe.as_raw_handle(), place) } != 0
                // SAFETY: takes no argument.
                || match unsafe { GetLastError() } {
                    ERROR_PIPE_CONNECTED => true,
                    ERROR_IO_PENDING => {
                        let mut moved = 0;
                        const WAIT: i32 = 1;
                        // SAFETY: as above.
                        unsafe { GetOverlappedResult(pipe.as_raw_handle(), place, &raw mut moved, WAIT) != 0 }
                    }
                    _ => false,
                };
            if !connected {
                return Err(io::Error::last_os_error());
            }
            Self::new(pipe, settings, true)
        }

        #[expect(unsafe_code, reason = "CreateFileW and SetNamedPipeHandleState")]
        pub(crate) fn connect(name: &str, settings: Settings) -> io::Result<Self> {
            const NOT_SHARED: u32 = 0;
            // SAFETY: the name ends with a zero; without attributes, no child inherits it.
            let pipe = owned(unsafe {
                CreateFileW(
                    wide(name).as_ptr(),
                    GENERIC_READ | GENERIC_WRITE,
                    NOT_SHARED,
                    ptr::null(),
                    OPEN_EXISTING,
                    overlapped_flag(settings),
                    ptr::null_mut(),
                )
            })?;
            let mode = read_mode(settings) | PIPE_WAIT;
            // SAFETY: the handle is open, and the call reads one number. A client begins by reading bytes.
            let set = unsafe {
                SetNamedPipeHandleState(pipe.as_raw_handle(), &raw const mode, ptr::null(), ptr::null())
            };
            if set == 0 {
                return Err(io::Error::last_os_error());
            }
            Self::new(pipe, settings, false)
        }

        #[expect(unsafe_code, reason = "CreateIoCompletionPort")]
        fn new(pipe: OwnedHandle, settings: Settings, is_server: bool) -> io::Result<Self> {
            let port = if settings.overlapped {
                const KEY: usize = 0;
                const ONE_THREAD: u32 = 1;
                // SAFETY: the handle is open, and a new port is requested.
                let port =
                    unsafe { CreateIoCompletionPort(pipe.as_raw_handle(), ptr::null_mut(), KEY, ONE_THREAD) };
                Some(owned(port)?)
            } else {
                None
            };
            Ok(Self { pipe, port, is_server })
        }

        /// Writes some of the bytes, or one message, waiting while the pipe is full; returns how many bytes. Here and
        /// below, it fails with `BrokenPipe` if the other end is gone.
        #[inline]
        #[expect(unsafe_code, reason = "WriteFile")]
        pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            self.complete(|moved, overlapped| {
                // SAFETY: the handle is open, and the buffer lives until the call completes.
                unsafe { WriteFile(self.pipe.as_raw_handle(), bytes.as_ptr(), length, moved, overlapped) }
            })
        }

        /// Waits for bytes or one message; returns how many bytes: one more than the buffer holds if a message did not
        /// fit.
        #[inline]
        #[expect(unsafe_code, reason = "ReadFile")]
        pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
            self.complete(|moved, overlapped| {
                // SAFETY: the handle is open, and the buffer lives until the call completes.
                unsafe { ReadFile(self.pipe.as_raw_handle(), buffer.as_mut_ptr(), length, moved, overlapped) }
            })
        }

        /// Writes a message and reads its answer in one call; returns the length as [`Pipe::read`] does.
        #[inline]
        #[expect(unsafe_code, reason = "TransactNamedPipe")]
        pub(crate) fn transact(&self, question: &[u8], buffer: &mut [u8]) -> io::Result<usize> {
            let asked = u32::try_from(question.len()).unwrap_or(u32::MAX);
            let length = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
            self.complete(|moved, overlapped| {
                // SAFETY: the handle is open, and both buffers live until the call completes.
                unsafe {
                    TransactNamedPipe(
                        self.pipe.as_raw_handle(),
                        question.as_ptr().cast(),
                        asked,
                        buffer.as_mut_ptr().cast(),
                        length,
                        moved,
                        overlapped,
                    )
                }
            })
        }

        /// Makes a call, and waits for its completion if it is overlapped.
        #[inline]
        #[expect(unsafe_code, reason = "GetQueuedCompletionStatus")]
        fn complete(&self, call: impl FnOnce(*mut u32, *mut OVERLAPPED) -> i32) -> io::Result<usize> {
            let mut moved = 0;
            let Some(port) = &self.port else {
                let done = call(&raw mut moved, ptr::null_mut());
                return outcome(done != 0, moved);
            };
            // SAFETY: plain numbers, for which zeroes are valid.
            let mut overlapped: OVERLAPPED = unsafe { mem::zeroed() };
            let done = call(ptr::null_mut(), &raw mut overlapped);
            // SAFETY: takes no argument.
            if done == 0 && !matches!(unsafe { GetLastError() }, ERROR_IO_PENDING | ERROR_MORE_DATA) {
                return Err(io::Error::last_os_error());
            }
            // Even if the call completed immediately, its completion goes to the port. It is the only one, because
            // there is one call at a time.
            let (mut key, mut whose) = (0, ptr::null_mut());
            // SAFETY: the port is open, and the call writes three values.
            let done = unsafe {
                GetQueuedCompletionStatus(
                    port.as_raw_handle(),
                    &raw mut moved,
                    &raw mut key,
                    &raw mut whose,
                    INFINITE,
                )
            };
            outcome(done != 0, moved)
        }

        #[expect(unsafe_code, reason = "GetNamedPipeInfo")]
        pub(crate) fn buffer_bytes(&self) -> [Option<u64>; 2] {
            let (mut flags, mut of_server_out, mut of_server_in, mut instances) = (0, 0, 0, 0);
            // SAFETY: the handle is open, and the call writes four numbers.
            let result = unsafe {
                GetNamedPipeInfo(
                    self.pipe.as_raw_handle(),
                    &raw mut flags,
                    &raw mut of_server_out,
                    &raw mut of_server_in,
                    &raw mut instances,
                )
            };
            if result == 0 {
                return [None; 2];
            }
            debug_assert_eq!(flags & PIPE_SERVER_END != 0, self.is_server);
            let both = [of_server_out, of_server_in].map(|bytes| Some(u64::from(bytes)));
            if self.is_server { both } else { [both[1], both[0]] }
        }
    }

    /// A message that did not fit is not an error: the caller compares lengths.
    #[inline]
    #[expect(unsafe_code, reason = "GetLastError")]
    fn outcome(is_done: bool, moved: u32) -> io::Result<usize> {
        if is_done {
            return Ok(moved as usize);
        }
        // SAFETY: takes no argument.
        match unsafe { GetLastError() } {
            ERROR_MORE_DATA => Ok(moved as usize + 1),
            _ => Err(io::Error::last_os_error()),
        }
    }

    #[inline]
    pub(crate) fn take(number: u64) -> io::Result<Handle> {
        handle::adopt(Ticket::Object(number))
    }

    #[derive(Debug)]
    pub(crate) struct Process(OwnedHandle);

    impl Process {
        pub(crate) fn open(id: u32) -> io::Result<Self> {
            process::open(id, PROCESS_DUP_HANDLE).map(Self)
        }

        /// Gives it a handle (`DuplicateHandle`); returns its number there.
        #[inline]
        pub(crate) fn give(&self, passed: &Handle) -> io::Result<u64> {
            duplicate(passed.object()?, self.0.as_raw_handle())
        }
    }
}

#[cfg(not(windows))]
mod imp {
    //! Systems without these pipes.

    use super::*;
    pub(crate) fn support() -> Result<(), Unsupported> {
        Err(Unsupported::because("this kind of pipe exists only on Windows"))
    }

    missing! {
        pub(crate) fn anonymous(Option<usize>) -> (Handle, Handle);
        pub(crate) fn create(Settings) -> (Handle, String);
        pub(crate) fn take(u64) -> Handle;
    }

    #[derive(Debug)]
    pub(crate) enum Pipe {}

    impl Pipe {
        missing! {
            pub(crate) fn accept(Handle, Settings) -> Self;
            pub(crate) fn connect(&str, Settings) -> Self;
        }

        never! {
            pub(crate) fn write(&[u8]) -> io::Result<usize>;
            pub(crate) fn read(&mut [u8]) -> io::Result<usize>;
            pub(crate) fn transact(&[u8], &mut [u8]) -> io::Result<usize>;
            pub(crate) fn buffer_bytes() -> [Option<u64>; 2];
        }
    }

    #[derive(Debug)]
    pub(crate) enum Process {}

    impl Process {
        missing! { pub(crate) fn open(u32) -> Self; }
        never! { pub(crate) fn give(&Handle) -> io::Result<u64>; }
    }
}
