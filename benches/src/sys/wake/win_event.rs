//! Windows: a named event that one sleeper resets by waking up (`CreateEventW` in `synchapi.h`). However often it is
//! set before a thread sleeps, it wakes only once.

use super::{Mechanism, Spot, win_object};
use std::io;
use std::ptr;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Threading::{CreateEventW, SetEvent};

pub(super) struct WinEvent;

impl Mechanism for WinEvent {
    fn slug(&self) -> &'static str {
        "win-event"
    }

    fn prepare(&self, spot: &Spot) -> io::Result<()> {
        win_object::prepare(spot, make)
    }

    fn sleep(&self, spot: &Spot) {
        win_object::sleep(spot, make);
    }

    #[expect(unsafe_code, reason = "SetEvent")]
    fn wake(&self, spot: &Spot) {
        // A spot that is not prepared has no sleeper.
        if let Ok(event) = win_object::handle(spot, make) {
            // SAFETY: the handle is never closed.
            let _ = unsafe { SetEvent(event) };
        }
    }
}

#[expect(unsafe_code, reason = "CreateEventW")]
fn make(name: &[u16]) -> HANDLE {
    const MANUAL_RESET: i32 = 0;
    const INITIALLY_SET: i32 = 0;
    // SAFETY: the name ends with a zero; without attributes the event is not inherited.
    unsafe { CreateEventW(ptr::null(), MANUAL_RESET, INITIALLY_SET, name.as_ptr()) }
}
