//! macOS and FreeBSD: kernel values by name (`sysctlbyname(3)`).

/// A text, without the zero at its end. `None` if the name is unknown.
#[cfg(any(target_os = "macos", target_os = "freebsd"))]
pub(super) fn text(name: &str) -> Option<String> {
    decode_text(&bytes(name)?)
}

/// A number of 32 or 64 bits. `None` if the name is unknown.
#[cfg(any(target_os = "macos", target_os = "freebsd"))]
pub(super) fn number(name: &str) -> Option<u64> {
    decode_number(&bytes(name)?)
}

/// A raw value; numbers have this machine's byte order. `None` if the name is unknown.
#[cfg(any(target_os = "macos", target_os = "freebsd"))]
#[expect(unsafe_code, reason = "sysctlbyname(3)")]
pub(super) fn bytes(name: &str) -> Option<Vec<u8>> {
    use std::ffi::{CString, c_void};
    use std::ptr;

    let name = CString::new(name).ok()?;
    let ask = |value: *mut c_void, length: &mut usize| {
        // SAFETY: the name ends with a zero, the buffer has the given length or is null, and no value is set.
        unsafe { libc::sysctlbyname(name.as_ptr(), value, length, ptr::null_mut(), 0) == 0 }
    };
    let mut length = 0;
    if !ask(ptr::null_mut(), &mut length) {
        return None;
    }
    // Some values grow slightly between two calls.
    length *= 2;
    let mut value = vec![0; length];
    if !ask(value.as_mut_ptr().cast(), &mut length) {
        return None;
    }
    value.truncate(length);
    Some(value)
}

/// Over the last 1, 5 and 15 minutes (getloadavg(3)).
#[cfg(any(target_os = "macos", target_os = "freebsd"))]
#[expect(unsafe_code, reason = "getloadavg(3)")]
pub(super) fn load_average() -> Option<String> {
    let mut averages = [0.0; 3];
    // SAFETY: the buffer has space for three numbers.
    let read = unsafe { libc::getloadavg(averages.as_mut_ptr(), 3) };
    (read == 3).then(|| averages.map(|average| format!("{average:.2}")).join(" "))
}

/// Invalid UTF-8 is replaced; an empty text becomes `None`.
fn decode_text(value: &[u8]) -> Option<String> {
    let text = value.split(|&byte| byte == 0).next()?;
    let text = String::from_utf8_lossy(text).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The kernel provides no sign, so -1 is a large number.
fn decode_number(value: &[u8]) -> Option<u64> {
    match value.len() {
        4 => Some(u32::from_ne_bytes(value.try_into().ok()?).into()),
        8 => Some(u64::from_ne_bytes(value.try_into().ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_its_zero() {
        assert_eq!(decode_text(b"23E214\0").as_deref(), Some("23E214"));
        assert_eq!(decode_text(b"GenuineIntel  \0\0garbage").as_deref(), Some("GenuineIntel"));
        assert_eq!(decode_text(b"without").as_deref(), Some("without"));
        assert_eq!((decode_text(b"\0"), decode_text(b"")), (None, None));
    }

    #[test]
    fn number_has_32_or_64_bits() {
        assert_eq!(decode_number(&7_u32.to_ne_bytes()), Some(7));
        assert_eq!(decode_number(&(1_u64 << 40).to_ne_bytes()), Some(1 << 40));
        assert_eq!((decode_number(b"ab"), decode_number(&[0; 16])), (None, None));
    }

    #[cfg(any(target_os = "macos", target_os = "freebsd"))]
    #[test]
    fn reads_known_names_only() {
        assert!(matches!(text("kern.ostype").as_deref(), Some("Darwin" | "FreeBSD")));
        assert!(number("hw.ncpu").is_some_and(|count| count > 0));
        assert_eq!((text("roundtrip.no"), number("roundtrip.no")), (None, None));
    }
}
