//! macOS: values of the kernel (sysctl(3); their names are in sysctl(8) and `sys/sysctl.h`) and pmset(1).

use crate::sys::fingerprint::facts::{Facts, counted, gib, sizes, topology};
use crate::sys::fingerprint::{cpuid, pmset};
use crate::sys::{clock, sysctl};
use std::collections::BTreeMap;

pub(crate) fn stable() -> BTreeMap<String, String> {
    let mut facts = Facts::default();
    read_machine(&mut facts);
    read_cpu(&mut facts);
    read_limits(&mut facts);
    facts.0
}

pub(crate) fn conditions() -> BTreeMap<String, String> {
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

// The system and hardware: version, product, hypervisor, memory, power, clock.

fn read_machine(facts: &mut Facts) {
    let kernel = sysctl::text("kern.ostype").zip(sysctl::text("kern.osrelease"));
    facts.put("os.kernel", kernel.map(|(name, release)| format!("{name} {release}")));
    facts.put("os.build", sysctl::text("kern.osversion"));
    let product = sysctl::text("kern.osproductversion");
    facts.put("os.distribution", product.map(|version| format!("macOS {version}")));
    // A program for Intel is translated for Apple silicon, which makes it a different program.
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
    facts.number("clock.frequency_hz", Some(clock::frequency_hz()));
}

// Facts that vary from minute to minute or with a user's session.

fn read_condition(facts: &mut Facts) {
    facts.put("load.average", sysctl::load_average());
    facts.number("memory.swap_used_kib", swap_used().map(|bytes| bytes >> 10));
    facts.put("machine.power", pmset::power());
    facts.process_limits();
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
    // A process may use every processor that is awake. The counts with `max` include sleeping ones.
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
    let result: Option<Vec<String>> = levels.clone().map(level).collect();
    facts.put(
        "cpu.performance_levels",
        result.filter(|result| !result.is_empty()).map(|result| result.join(", ")),
    );
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
