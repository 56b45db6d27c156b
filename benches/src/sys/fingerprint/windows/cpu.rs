//! The processors: model, topology, kinds of cores, caches, mitigations.

use super::{mitigation, registry};
use crate::sys::affinity;
use crate::sys::fingerprint::cpuid;
use crate::sys::fingerprint::facts::{Facts, counted, topology};
use crate::sys::fingerprint::pair::{self, Cache};
use std::collections::BTreeMap;

pub(super) fn read(facts: &mut Facts) {
    let name = || registry::text(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0", "ProcessorNameString");
    facts.put("cpu.model", cpuid::brand().or_else(name));
    facts.number("cpu.allowed", affinity::allowed().ok().map(|cpus| cpus.len()));
    facts.put("cpu.mitigations", mitigation::all());
    let known = affinity::topology();
    facts.put(
        "cpu.topology",
        known.map(|known| {
            let threads = known.cores.iter().map(|core| core.processors.list().len()).sum();
            topology(known.packages.len(), known.cores.len(), threads)
        }),
    );
    let siblings = known.map(|known| known.cores.iter().any(|core| core.processors.list().len() > 1));
    facts.put("cpu.smt", siblings.map(|on| if on { "on" } else { "off" }.into()));
    let classes = known.map(|known| classes(known.cores.iter().map(|core| core.efficiency_class)));
    facts.put("cpu.performance_levels", classes);
    if let Ok(pair) = affinity::pair() {
        pair::read(&pair, caches, facts);
    }
}

fn caches(cpu: u32) -> Vec<Cache> {
    let all = affinity::topology().map(|known| known.caches.as_slice()).unwrap_or_default();
    all.iter()
        .filter(|cache| cache.processors.contains(cpu))
        .map(|cache| Cache {
            name: cache.name.clone(),
            kib: u64::from(cache.bytes >> 10),
            cpus: cache.processors.list(),
        })
        .collect()
}

/// The fastest first: `class 1: 4 cores, class 0: 8 cores`.
fn classes(of_cores: impl Iterator<Item = u8>) -> String {
    let mut counts = BTreeMap::new();
    for class in of_cores {
        *counts.entry(class).or_insert(0) += 1;
    }
    let told =
        counts.iter().rev().map(|(class, &count)| format!("class {class}: {}", counted(count, "core")));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_by_their_class_the_fastest_first() {
        assert_eq!(classes([0, 1, 1, 0, 0].into_iter()), "class 1: 2 cores, class 0: 3 cores");
        assert_eq!(classes([0].into_iter()), "class 0: 1 core");
    }

    #[test]
    fn every_allowed_processor_is_in_the_topology_and_has_a_cache() {
        for cpu in affinity::allowed().unwrap() {
            assert!(affinity::topology().unwrap().core_of(cpu).is_some(), "cpu {cpu}");
            assert!(caches(cpu).iter().any(|cache| cache.name == "L1d"), "cpu {cpu}");
        }
    }
}
