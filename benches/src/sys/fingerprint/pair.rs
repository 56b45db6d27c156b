//! The two processors used for measuring: their numbers, their caches, and which of them they share.

use super::facts::{Facts, sizes};
use crate::sys::affinity::CpuPair;

pub(super) struct Cache {
    /// `L1d`, `L1i`, `L2`, `L3`.
    pub(super) name: String,
    pub(super) kib: u64,
    pub(super) cpus: Vec<u32>,
}

/// `caches` returns those of one processor.
pub(super) fn read(pair: &CpuPair, caches: impl Fn(u32) -> Vec<Cache>, facts: &mut Facts) {
    facts.number("placement.same_cpu", Some(pair.first));
    let cross = format!("{} and {}: {}", pair.first, pair.second, pair.relation);
    facts.put("placement.cross_cpu", Some(cross));
    let (first, second) = (caches(pair.first), caches(pair.second));
    for (key, name) in [("cpu.cache_l1d_kib", "L1d"), ("cpu.cache_l2_kib", "L2"), ("cpu.cache_l3_kib", "L3")]
    {
        let size = |caches: &[Cache]| caches.iter().find(|cache| cache.name == name).map(|cache| cache.kib);
        facts.put(key, sizes(&[size(&first), size(&second)]));
    }
    let shared: Vec<&str> = first
        .iter()
        .filter(|cache| cache.cpus.contains(&pair.second))
        .map(|cache| cache.name.as_str())
        .collect();
    let shared = if shared.is_empty() { "none".into() } else { shared.join(", ") };
    facts.put("placement.shared_caches", (!first.is_empty()).then_some(shared));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_shared_caches() {
        let caches = |cpu: u32| {
            let cache = |name: &str, cpus: &[u32]| Cache { name: name.into(), kib: 8, cpus: cpus.into() };
            vec![cache("L1d", &[cpu]), cache("L2", &[0, 1])]
        };
        let mut facts = Facts::default();
        read(&CpuPair { first: 1, second: 0, relation: "different cores" }, caches, &mut facts);
        assert_eq!(facts.0["placement.cross_cpu"], "1 and 0: different cores");
        assert_eq!(facts.0["placement.shared_caches"], "L2");
        assert_eq!(facts.0["cpu.cache_l1d_kib"], "8");
        assert!(facts.0["cpu.cache_l3_kib"].starts_with("not available"));
        read(&CpuPair { first: 1, second: 2, relation: "different cores" }, caches, &mut facts);
        assert_eq!(facts.0["placement.shared_caches"], "none");
    }
}
