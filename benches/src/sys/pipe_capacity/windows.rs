//! Windows: `GetNamedPipeInfo` (`namedpipeapi.h`), for pipes without a name, too. A pipe gets its size when it is made.

use crate::sys::Unsupported;
use crate::sys::handle::Handle;
use std::io;
use std::ptr;
use windows_sys::Win32::System::Pipes::GetNamedPipeInfo;

pub(super) fn support(_bytes: usize) -> Result<(), Unsupported> {
    Err(Unsupported::because("asking for the size of a pipe that exists: only on Linux"))
}

pub(super) fn set(_pipe: &Handle, _bytes: usize) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[expect(unsafe_code, reason = "GetNamedPipeInfo")]
pub(super) fn get(pipe: &Handle) -> Option<u64> {
    let (mut out, mut into) = (0, 0);
    let (no_flags, no_instances) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the handle is open, and the call writes two numbers.
    let told =
        unsafe { GetNamedPipeInfo(pipe.object().ok()?, no_flags, &raw mut out, &raw mut into, no_instances) };
    // One of the two directions is not used.
    (told != 0).then(|| u64::from(out.max(into)))
}
