//! Values below `HKEY_LOCAL_MACHINE` (`RegGetValueW` in `winreg.h`).

use std::ffi::c_void;
use std::ptr;
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, REG_ROUTINE_FLAGS, RRF_RT_REG_DWORD, RRF_RT_REG_SZ, RegGetValueW,
};

/// A text; none where there is no such value.
pub(super) fn text(key: &str, name: &str) -> Option<String> {
    /// Many times what names of products and versions need.
    const UNITS_MAX: usize = 512;
    let mut units = [0_u16; UNITS_MAX];
    let bytes = ask(key, name, RRF_RT_REG_SZ, units.as_mut_ptr().cast(), size_of_val(&units))?;
    // The zero at the end is counted.
    let text = String::from_utf16_lossy(units.get(..bytes / size_of::<u16>())?);
    let text = text.trim_end_matches('\0').trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A number; none where there is no such value.
pub(super) fn number(key: &str, name: &str) -> Option<u32> {
    let mut number = 0_u32;
    ask(key, name, RRF_RT_REG_DWORD, (&raw mut number).cast(), size_of_val(&number))?;
    Some(number)
}

/// Writes at most this many bytes to `value`, and returns how many there are.
#[expect(unsafe_code, reason = "RegGetValueW")]
fn ask(key: &str, name: &str, kind: REG_ROUTINE_FLAGS, value: *mut c_void, bytes: usize) -> Option<usize> {
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, name) = (wide(key), wide(name));
    let mut bytes = u32::try_from(bytes).ok()?;
    // SAFETY: both names end with a zero, and who calls has room for as many bytes as are said.
    let error = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            kind,
            ptr::null_mut(),
            value,
            &raw mut bytes,
        )
    };
    (error == 0).then_some(bytes as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_kind_that_is_asked_for() {
        const KEY: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
        assert!(text(KEY, "ProductName").is_some_and(|name| name.contains("Windows")));
        assert_eq!(number(KEY, "ProductName"), None);
        assert_eq!((text(KEY, "NoSuchValue"), number(r"SOFTWARE\NoSuchKey", "x")), (None, None));
    }
}
