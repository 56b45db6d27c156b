//! A minimal system call.

/// Calls `getppid` (POSIX), which no library caches.
#[cfg(unix)]
#[inline]
pub(crate) fn null_call() {
    std::hint::black_box(rustix::process::getppid());
}

/// Calls `GetProcessHandleCount` (`processthreadsapi.h`), because Windows has no call that does nothing.
#[cfg(windows)]
#[inline]
#[expect(unsafe_code, reason = "a call of the system")]
pub(crate) fn null_call() {
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessHandleCount};
    let mut count = 0;
    // SAFETY: the handle is always valid, and the call writes one number.
    std::hint::black_box(unsafe { GetProcessHandleCount(GetCurrentProcess(), &raw mut count) });
}
