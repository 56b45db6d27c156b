//! The processors: model, topology, levels of performance, caches.

use crate::sys::fingerprint::facts::{Facts, counted, sizes, topology};
use crate::sys::sysctl;

pub(super) fn read(facts: &mut Facts) {
    let count = |name: &str| usize::try_from(sysctl::number(name)?).ok();
    facts.put("cpu.model", sysctl::text("machdep.cpu.brand_string"));
    facts.number("cpu.microcode", sysctl::number("machdep.cpu.microcode_version"));
    // Nobody is kept from any that is awake. The counts with `max` are of all, asleep or not.
    facts.number("cpu.allowed", count("hw.logicalcpu"));
    let counts = (count("hw.packages"), count("hw.physicalcpu_max"), count("hw.logicalcpu_max"));
    let (Some(packages), Some(cores), Some(threads)) = counts else {
        facts.put("cpu.topology", None);
        return;
    };
    facts.put("cpu.topology", Some(topology(packages, cores, threads)));
    facts.put("cpu.smt", Some(if threads > cores { "on" } else { "off" }.into()));
    // Since Apple silicon: `Performance` is level 0, `Efficiency` the one after it.
    let levels = 0..count("hw.nperflevels").unwrap_or(0);
    let level = |level: usize| {
        let name =
            sysctl::text(&format!("hw.perflevel{level}.name")).unwrap_or_else(|| format!("level {level}"));
        let cores = count(&format!("hw.perflevel{level}.physicalcpu_max"))?;
        Some(format!("{name}: {}", counted(cores, "core")))
    };
    let told: Option<Vec<String>> = levels.clone().map(level).collect();
    facts.put("cpu.performance_levels", told.filter(|told| !told.is_empty()).map(|told| told.join(", ")));
    for (key, name) in [
        ("cpu.cache_l1d_kib", "l1dcachesize"),
        ("cpu.cache_l2_kib", "l2cachesize"),
        ("cpu.cache_l3_kib", "l3cachesize"),
    ] {
        let kib = |name: String| sysctl::number(&name).filter(|&bytes| bytes > 0).map(|bytes| bytes >> 10);
        let of_levels: Vec<Option<u64>> =
            levels.clone().map(|level| kib(format!("hw.perflevel{level}.{name}"))).collect();
        facts.put(key, sizes(&of_levels).or_else(|| sizes(&[kib(format!("hw.{name}"))])));
    }
}
