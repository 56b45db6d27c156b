//! macOS: functions looked up by name when first needed (dlsym(3)), so that a program that uses them still starts on a
//! system without them.

use std::ffi::{CStr, c_void};
use std::mem;
use std::ptr::NonNull;

/// Finds the function with this name, if this system has it.
///
/// # Safety
/// It has this type.
#[expect(unsafe_code, reason = "dlsym(3)")]
pub(super) unsafe fn find<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<NonNull<c_void>>()) };
    // SAFETY: the name ends with a zero, and the call only reads it.
    let function = NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })?;
    // SAFETY: an address has the size of a function pointer, and the type is the caller's guarantee.
    Some(unsafe { mem::transmute_copy::<NonNull<c_void>, F>(&function) })
}
