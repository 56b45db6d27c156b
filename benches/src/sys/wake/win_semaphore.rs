//! Windows: a named semaphore (`CreateSemaphoreW` in `winbase.h`, `ReleaseSemaphore` in `synchapi.h`).

use super::{Mechanism, Spot, TOKENS_ACCUMULATE, win_object};
use crate::sys::Unsupported;
use std::io;
use std::ptr;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Threading::{CreateSemaphoreW, ReleaseSemaphore};

pub(super) struct WinSemaphore;

impl Mechanism for WinSemaphore {
    fn slug(&self) -> &'static str {
        "win-semaphore"
    }

    fn unconditional_wake(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(TOKENS_ACCUMULATE))
    }

    fn prepare(&self, spot: &Spot) -> io::Result<()> {
        win_object::prepare(spot, make)
    }

    fn sleep(&self, spot: &Spot) {
        win_object::sleep(spot, make);
    }

    #[expect(unsafe_code, reason = "ReleaseSemaphore")]
    fn wake(&self, spot: &Spot) {
        // A spot that is not prepared has no sleeper.
        if let Ok(semaphore) = win_object::handle(spot, make) {
            // SAFETY: the handle is never closed; the previous count is not requested.
            let _ = unsafe { ReleaseSemaphore(semaphore, 1, ptr::null_mut()) };
        }
    }
}

#[expect(unsafe_code, reason = "CreateSemaphoreW")]
fn make(name: &[u16]) -> HANDLE {
    // At the maximum, the call fails without effect, and there are enough tokens.
    const MOST: i32 = i32::MAX;
    // SAFETY: the name ends with a zero; without attributes the semaphore is not inherited.
    unsafe { CreateSemaphoreW(ptr::null(), 0, MOST, name.as_ptr()) }
}
