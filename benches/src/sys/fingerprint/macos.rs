//! macOS: values of the kernel (sysctl(3); their names are in sysctl(8) and `sys/sysctl.h`) and pmset(1).

use crate::sys::fingerprint::facts::{Facts, counted, gib, sizes, topology};
use crate::sys::fingerprint::{cpuid, pmset};
use crate::sys::sysctl;
use mach2::mach_time::{mach_timebase_info, mach_timebase_info_data_t};
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;

pub(super) fn stable() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_machine(&mut facts);
    read_cpu(&mut facts);
    read_limits(&mut facts);
    facts.0
}

pub(super) fn conditions() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_condition(&mut facts);
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

// The system, and what it runs on: version, product, hypervisor, memory, power, clock.

fn read_machine(facts: &mut Facts) {
    let kernel = sysctl::text("kern.ostype").zip(sysctl::text("kern.osrelease"));
    facts.put("os.kernel", kernel.map(|(name, release)| format!("{name} {release}")));
    facts.put("os.build", sysctl::text("kern.osversion"));
    let product = sysctl::text("kern.osproductversion");
    facts.put("os.distribution", product.map(|version| format!("macOS {version}")));
    // A program for Intel is translated for Apple silicon, which makes it another program.
    let is_translated = sysctl::number("sysctl.proc_translated") == Some(1);
    facts.put("os.translation", Some(if is_translated { "Rosetta" } else { "none" }.into()));
    facts.put("machine.product", sysctl::text("hw.model"));
    let guest = sysctl::number("kern.hv_vmm_present").map(|present| present != 0);
    facts.put("machine.hypervisor", guest.map(|guest| if guest { "yes" } else { "none" }.into()));
    let vendor = || if guest? { cpuid::hypervisor_vendor() } else { Some("none".into()) };
    facts.put("machine.hypervisor_vendor", vendor());
    facts.put("machine.power_mode", pmset::mode());
    facts.put("memory.total_gib", sysctl::number("hw.memsize").map(|bytes| gib(bytes >> 10)));
    facts.number("memory.page_bytes", sysctl::number("hw.pagesize"));
    facts.number("clock.frequency_hz", clock_frequency_hz());
}

/// Ticks per second of the clock by which all is measured.
#[expect(unsafe_code, reason = "mach_timebase_info")]
fn clock_frequency_hz() -> Option<u64> {
    const NS_PER_SECOND: u64 = 1_000_000_000;
    let mut scale = mach_timebase_info_data_t { numer: 0, denom: 0 };
    // SAFETY: the call writes the structure.
    unsafe { mach_timebase_info(&raw mut scale) };
    // A tick is this fraction of nanoseconds.
    (NS_PER_SECOND * u64::from(scale.denom)).checked_div(scale.numer.into())
}

// What varies from minute to minute, and what a session of a user decides.

fn read_condition(facts: &mut Facts) {
    facts.put("load.average", load_average());
    facts.number("memory.swap_used_kib", swap_used().map(|bytes| bytes >> 10));
    facts.put("machine.power", pmset::power());
    for (key, resource) in
        [("limit.open_files", Resource::Nofile), ("limit.locked_memory_bytes", Resource::Memlock)]
    {
        let current = getrlimit(resource).current;
        facts.put(key, Some(current.map_or("unlimited".into(), |value| value.to_string())));
    }
}

/// Over 1, 5 and 15 minutes.
#[expect(unsafe_code, reason = "getloadavg(3)")]
fn load_average() -> Option<String> {
    let mut averages = [0.0; 3];
    // SAFETY: there is room for three numbers.
    let read = unsafe { libc::getloadavg(averages.as_mut_ptr(), 3) };
    (read == 3).then(|| averages.map(|average| format!("{average:.2}")).join(" "))
}

/// `xsw_usage` of `sys/sysctl.h`, in bytes.
fn swap_used() -> Option<u64> {
    const USED: usize = std::mem::offset_of!(libc::xsw_usage, xsu_used);
    let value = sysctl::bytes("vm.swapusage")?;
    Some(u64::from_ne_bytes(value.get(USED..USED + size_of::<u64>())?.try_into().ok()?))
}

// The processors: model, topology, levels of performance, caches.

fn read_cpu(facts: &mut Facts) {
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
