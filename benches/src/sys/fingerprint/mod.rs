//! Facts about the machine, raw. Keys are `topic.name`, units last.

use std::collections::BTreeMap;

#[cfg(any(target_os = "linux", target_os = "macos", windows))]
mod cpuid;
mod facts;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "macos", path = "macos.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod imp;
#[cfg(any(target_os = "freebsd", test))]
mod levels;
#[cfg(any(target_os = "linux", windows))]
mod pair;
#[cfg(any(target_os = "macos", test))]
mod pmset;

/// How the value of a fact begins that could not be read.
pub const NOT_AVAILABLE: &str = "not available";

/// Facts that decide whether two runs are comparable; a fact that cannot be read says why.
pub fn stable() -> BTreeMap<String, String> {
    imp::stable()
}

/// Facts that vary from minute to minute.
pub fn conditions() -> BTreeMap<String, String> {
    imp::conditions()
}

/// The machine's own name for itself, if it has one.
pub fn host_name() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}
