//! macOS: values of the kernel (sysctl(3); their names are in sysctl(8) and `sys/sysctl.h`) and pmset(1).

mod condition;
mod cpu;
mod machine;

use super::facts::Facts;
use crate::sys::sysctl;
use std::collections::BTreeMap;

pub(super) fn stable() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    machine::read(&mut facts);
    cpu::read(&mut facts);
    read_limits(&mut facts);
    facts.0
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    condition::read(&mut facts);
    facts.0
}

fn read_limits(facts: &mut Facts) {
    for (key, name) in [
        ("limit.socket_max_bytes", "kern.ipc.maxsockbuf"),
        ("limit.unix_stream_send_bytes", "net.local.stream.sendspace"),
        ("limit.unix_stream_receive_bytes", "net.local.stream.recvspace"),
        ("limit.unix_datagram_max_bytes", "net.local.dgram.maxdgram"),
        ("limit.unix_datagram_receive_bytes", "net.local.dgram.recvspace"),
    ] {
        facts.number(key, sysctl::number(name));
    }
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
    fn every_mac_tells_its_version_its_memory_and_its_processors() {
        let facts = stable();
        for key in
            ["os.kernel", "os.build", "memory.total_gib", "cpu.model", "cpu.topology", "clock.frequency_hz"]
        {
            assert!(!facts[key].starts_with(crate::sys::fingerprint::NOT_AVAILABLE), "{key}: {facts:?}");
        }
    }
}
