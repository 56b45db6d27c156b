//! macOS: functions that are looked up by their names when first needed (dlsym(3)), so that a program that knows them
//! still starts on a system that lacks them.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// The function of this name, if this system has it. Who calls it must know its type.
#[expect(unsafe_code, reason = "dlsym(3)")]
pub(super) fn find(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name ends with a zero, and the call only reads it.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}
