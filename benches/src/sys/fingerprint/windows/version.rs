//! Which Windows: its version, its build, and whether it is one at all.

use super::registry;
use crate::sys::fingerprint::facts::Facts;
use std::ffi::{CStr, c_char};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Performance::QueryPerformanceFrequency;
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;

/// Where the installed version describes itself.
const KEY: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";

pub(super) fn read(facts: &mut Facts) {
    let version = version();
    let kernel = version.map(|(major, minor, build)| format!("{major}.{minor}.{build}"));
    // The build says which release, the number after it which update (`Update Build Revision`).
    let update = registry::number(KEY, "UBR");
    facts.put(
        "os.build",
        version.map(|(.., build)| match update {
            Some(update) => format!("{build}.{update}"),
            None => build.to_string(),
        }),
    );
    // `ProductName` says Windows 10 even where it is Windows 11, so the edition and the release stand for it.
    let release = registry::text(KEY, "DisplayVersion");
    let edition = registry::text(KEY, "EditionID");
    facts.put(
        "os.distribution",
        edition.zip(release).map(|(edition, release)| format!("{edition} {release}")),
    );
    match wine() {
        None => facts.put("os.kernel", kernel),
        // A figure from there must never pass as one of Windows.
        Some(wine) => {
            let kernel = kernel.unwrap_or_default();
            facts.put("os.kernel", Some(format!("{kernel} under Wine {wine}")));
            facts.put("os.wine", Some(wine));
        }
    }
    facts.number("clock.frequency_hz", Some(clock_frequency_hz()));
}

/// Major, minor, build: as it is, not as the program's manifest wants to see it.
#[expect(unsafe_code, reason = "RtlGetVersion")]
fn version() -> Option<(u32, u32, u32)> {
    #[expect(clippy::cast_possible_truncation, reason = "the size of a structure")]
    let bytes = size_of::<OSVERSIONINFOW>() as u32;
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: bytes, ..OSVERSIONINFOW::default() };
    // SAFETY: the structure is alive, and as long as it says.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    (status == 0).then_some((version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber))
}

/// The version of Wine, where that is what runs this program: its `ntdll` has a function more than the one of Windows.
#[expect(unsafe_code, reason = "a function by its name")]
fn wine() -> Option<String> {
    type Version = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: both names end with a zero; every process has this library, and keeps it.
    let function = unsafe {
        GetProcAddress(GetModuleHandleA(c"ntdll.dll".as_ptr().cast()), c"wine_get_version".as_ptr().cast())
    }?;
    // SAFETY: Wine gives the function of this name this type.
    let version = unsafe { std::mem::transmute::<unsafe extern "system" fn() -> isize, Version>(function) };
    // SAFETY: the function takes nothing and returns a text that ends with a zero and stays.
    Some(unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned())
}

/// Of the clock by which all is measured.
#[expect(unsafe_code, reason = "QueryPerformanceFrequency")]
fn clock_frequency_hz() -> i64 {
    let mut ticks = 0;
    // SAFETY: the call writes one number; it cannot fail on any Windows since XP.
    unsafe { QueryPerformanceFrequency(&raw mut ticks) };
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wine_never_passes_as_windows() {
        let mut facts = Facts::default();
        read(&mut facts);
        assert_eq!(facts.0.contains_key("os.wine"), wine().is_some());
        assert_eq!(facts.0["os.kernel"].contains("Wine"), wine().is_some());
    }
}
