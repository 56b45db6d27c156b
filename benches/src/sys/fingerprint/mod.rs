//! Raw facts about the machine. Keys are `topic.name`, units last.

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

/// Prefix of the value of a fact that could not be read.
pub(crate) const NOT_AVAILABLE: &str = "not available";

/// Facts that decide whether two runs are comparable; a fact that cannot be read has the reason.
pub(crate) use imp::stable;

/// Facts that vary from minute to minute.
pub(crate) use imp::conditions;

pub(crate) fn host_name() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_facts_are_equal_in_two_readings() {
        assert_eq!(stable(), stable());
    }

    #[test]
    fn facts_have_values_and_are_stable_or_conditions() {
        let (stable, conditions) = (stable(), conditions());
        assert!(stable.values().chain(conditions.values()).all(|value| !value.is_empty()));
        assert!(conditions.keys().all(|key| !stable.contains_key(key)), "{stable:?} {conditions:?}");
    }

    #[test]
    fn every_machine_has_basic_facts() {
        let facts = stable();
        let mut keys = vec!["os.kernel", "os.build", "memory.total_gib", "cpu.topology"];
        if cfg!(any(windows, target_os = "macos")) {
            keys.extend(["cpu.model", "clock.frequency_hz"]);
        }
        for key in keys {
            assert!(!facts[key].starts_with(NOT_AVAILABLE), "{key}: {facts:?}");
        }
    }
}
