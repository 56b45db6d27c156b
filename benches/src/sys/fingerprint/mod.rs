//! Facts about the machine, raw. Keys are `topic.name`, units last.

use std::collections::BTreeMap;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "unsupported.rs")]
mod imp;

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
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
