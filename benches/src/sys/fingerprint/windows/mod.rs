//! Windows: documented calls, values of the registry that Windows itself writes when it starts, `cpuid`.

mod cpu;
mod limit;
mod machine;
mod mitigation;
mod power;
mod registry;
mod version;

use super::facts::Facts;
use std::collections::BTreeMap;

pub(super) fn stable() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    version::read(&mut facts);
    machine::read(&mut facts);
    cpu::read(&mut facts);
    power::read(&mut facts);
    limit::read(&mut facts);
    facts.0
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    machine::read_condition(&mut facts);
    power::read_condition(&mut facts);
    facts.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_read_twice_with_the_same_stable_facts() {
        assert_eq!(stable(), stable());
    }

    #[test]
    fn every_fact_has_a_value_and_no_condition_is_stable_too() {
        let (stable, conditions) = (stable(), conditions());
        assert!(stable.values().chain(conditions.values()).all(|value| !value.is_empty()));
        assert!(conditions.keys().all(|key| !stable.contains_key(key)), "{stable:?} {conditions:?}");
    }

    #[test]
    fn every_windows_tells_its_version_its_memory_and_its_processors() {
        let facts = stable();
        for key in
            ["os.kernel", "os.build", "memory.total_gib", "cpu.model", "cpu.topology", "clock.frequency_hz"]
        {
            assert!(!facts[key].starts_with(crate::sys::fingerprint::NOT_AVAILABLE), "{key}: {facts:?}");
        }
    }
}
