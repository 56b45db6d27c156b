//! Windows: a named semaphore (`CreateSemaphoreW` in `winbase.h`, `ReleaseSemaphore` in `synchapi.h`).

use super::{KEEPS, Mechanism, Spot, win_object};
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

    fn unasked(&self) -> Result<(), Unsupported> {
        Err(Unsupported::because(KEEPS))
    }

    fn settle(&self, spot: &Spot) -> io::Result<()> {
        win_object::settle(spot, make)
    }

    fn sleep(&self, spot: &Spot) {
        win_object::sleep(spot, make);
    }

    #[expect(unsafe_code, reason = "ReleaseSemaphore")]
    fn wake(&self, spot: &Spot) {
        // A spot that is not settled has nobody to wake.
        if let Ok(semaphore) = win_object::handle(spot, make) {
            // SAFETY: the handle is never closed; nobody asks for the former count.
            let _ = unsafe { ReleaseSemaphore(semaphore, 1, ptr::null_mut()) };
        }
    }
}

#[expect(unsafe_code, reason = "CreateSemaphoreW")]
fn make(name: &[u16]) -> HANDLE {
    // A token too many would be refused and change nothing: there are tokens enough then.
    const MOST: i32 = i32::MAX;
    // SAFETY: the name ends with a zero; without attributes the semaphore is not inherited.
    unsafe { CreateSemaphoreW(ptr::null(), 0, MOST, name.as_ptr()) }
}
