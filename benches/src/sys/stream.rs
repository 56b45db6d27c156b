//! Bytes over a pipe or a stream socket: one call each, which may move fewer bytes than requested.

use super::handle::Handle;
use std::io;

/// Writes some of the bytes, waiting while there is no room; returns how many.
pub(crate) use imp::write;

/// Reads available bytes, waiting while there are none; returns how many, 0 at the end.
pub(crate) use imp::read;

#[cfg(unix)]
mod imp {
    //! Unix: `write` and `read` (POSIX).

    use super::*;
    #[inline]
    pub(crate) fn write(stream: &Handle, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(stream, bytes)?)
    }

    #[inline]
    pub(crate) fn read(stream: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(stream, buffer)?)
    }
}

#[cfg(windows)]
mod imp {
    //! Windows: `WriteFile` and `ReadFile` (`fileapi.h`), `send` and `recv` for sockets (`winsock2.h`).

    use super::*;
    use socket2::SockRef;
    use std::os::windows::io::{AsRawHandle, OwnedHandle};
    use std::ptr;
    use windows_sys::Win32::Foundation::{ERROR_BROKEN_PIPE, GetLastError};
    use windows_sys::Win32::Storage::FileSystem::{ReadFile, WriteFile};

    #[inline]
    pub(crate) fn write(stream: &Handle, bytes: &[u8]) -> io::Result<usize> {
        match stream {
            Handle::Object(pipe) => write_file(pipe, bytes),
            Handle::Socket(socket) => SockRef::from(socket).send(bytes),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "WriteFile")]
    pub(in crate::sys) fn write_file(pipe: &OwnedHandle, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        // SAFETY: the handle is open, and pointer and length are those of a live buffer.
        let done = unsafe {
            WriteFile(pipe.as_raw_handle(), bytes.as_ptr(), length, &raw mut written, ptr::null_mut())
        };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(written as usize) }
    }

    #[inline]
    pub(crate) fn read(stream: &Handle, buffer: &mut [u8]) -> io::Result<usize> {
        match stream {
            Handle::Object(pipe) => read_file(pipe, buffer),
            Handle::Socket(socket) => io::Read::read(&mut &*SockRef::from(socket), buffer),
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "ReadFile")]
    pub(in crate::sys) fn read_file(pipe: &OwnedHandle, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        let length = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        // SAFETY: the handle is open, and pointer and length are those of a live buffer.
        let done = unsafe {
            ReadFile(pipe.as_raw_handle(), buffer.as_mut_ptr(), length, &raw mut read, ptr::null_mut())
        };
        if done != 0 {
            return Ok(read as usize);
        }
        // SAFETY: takes no argument.
        match unsafe { GetLastError() } {
            // The end of an anonymous pipe.
            ERROR_BROKEN_PIPE => Ok(0),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
