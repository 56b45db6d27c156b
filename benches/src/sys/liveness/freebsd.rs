//! FreeBSD: `KERN_PROC_PID` of sysctl(3), a `kinfo_proc` of `sys/user.h`.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

// sys/user.h: KINFO_PROC_SIZE where a pointer has 64 bits.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<libc::kinfo_proc>() == 1088);

/// When the process with this number started, in microseconds since boot; none if it has ended.
pub(super) fn started(id: u32) -> Option<u32> {
    let name = [libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, c_int::try_from(id).ok()?];
    // The system adds when it was booted, which moves whenever somebody sets the clock.
    let mut booted = microseconds(boot()?);
    loop {
        let process = ask::<libc::kinfo_proc>(&name)?;
        if process.ki_stat == libc::SZOMB {
            return None;
        }
        let before = std::mem::replace(&mut booted, microseconds(boot()?));
        if booted == before {
            let started = microseconds(process.ki_start).wrapping_sub(booted).cast_unsigned();
            return u32::try_from(started & u64::from(u32::MAX)).ok();
        }
    }
}

fn boot() -> Option<libc::timeval> {
    ask(&[libc::CTL_KERN, libc::KERN_BOOTTIME])
}

fn microseconds(time: libc::timeval) -> i64 {
    time.tv_sec.wrapping_mul(1_000_000).wrapping_add(time.tv_usec)
}

/// The value of this name, or none if there is none. Only for structures of plain numbers and addresses.
#[expect(unsafe_code, reason = "sysctl(3)")]
fn ask<T>(name: &[c_int]) -> Option<T> {
    let mut value = MaybeUninit::<T>::uninit();
    let mut size = size_of::<T>();
    let length = u32::try_from(name.len()).ok()?;
    // SAFETY: the name and the buffer are as long as is said, and nothing is set.
    let result = unsafe {
        libc::sysctl(name.as_ptr(), length, value.as_mut_ptr().cast(), &raw mut size, ptr::null(), 0)
    };
    // SAFETY: the call has filled all of it, and any bits are numbers and addresses.
    (result == 0 && size == size_of::<T>()).then(|| unsafe { value.assume_init() })
}
