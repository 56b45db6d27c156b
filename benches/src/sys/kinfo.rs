//! FreeBSD: the kernel's data about a process (sysctl(3), `kinfo_proc` in `sys/user.h`).

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

// sys/user.h: KINFO_PROC_SIZE with 64-bit pointers.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<libc::kinfo_proc>() == 1088);

pub(super) fn process(id: u32) -> Option<libc::kinfo_proc> {
    ask(&[libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, c_int::try_from(id).ok()?])
}

/// The boot time, which moves when the clock is set.
pub(super) fn boot() -> Option<libc::timeval> {
    ask(&[libc::CTL_KERN, libc::KERN_BOOTTIME])
}

/// Reads the value of this name; `None` if there is none. Only for structures of plain numbers and addresses.
#[expect(unsafe_code, reason = "sysctl(3)")]
fn ask<T>(name: &[c_int]) -> Option<T> {
    let mut value = MaybeUninit::<T>::uninit();
    let mut size = size_of::<T>();
    let length = u32::try_from(name.len()).ok()?;
    // SAFETY: the name and the buffer have the given lengths, and no value is set.
    let result = unsafe {
        libc::sysctl(name.as_ptr(), length, value.as_mut_ptr().cast(), &raw mut size, ptr::null(), 0)
    };
    // SAFETY: the call has filled all of it, and any bits are valid numbers and addresses.
    (result == 0 && size == size_of::<T>()).then(|| unsafe { value.assume_init() })
}
